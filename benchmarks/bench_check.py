"""Cost of a check in process, cold and after each kind of keystroke: `python -m benchmarks.bench_check`.

Medians in milliseconds; the ratio is to a loop of plain Python measured in the same run, the target stands beside it. The
reference's figures are for its native server, on the machine where they were taken (its calibration loop is not known).
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.text.source import Source
from benchmarks.calibration import calibration_ms
from benchmarks.programs import generated, with_callers
from boruna_ls.process import prepare

FILE = FileId("", "disk", "/program.ax")
CALLS = 100_000


def main() -> None:
    prepare()  # the garbage collector as in the servers
    loop = calibration_ms()
    print(f"calibration loop: {loop:.2f} ms")
    print(f"{'in process':<46}{'median ms':>10}{'x loop':>9}{'target ms':>11}{'native ms':>11}")

    def row(name: str, times: list[float], target: str = "", native: str = "") -> None:
        print(f"{name:<46}{median(times):>10.2f}{median(times) / loop:>9.1f}{target:>11}{native:>11}")

    row("parse 1,000 lines, cold", [_parse(generated(1_000)) for _ in range(5)], "50")
    for lines in (1_000, 10_000):
        text = generated(lines)
        row(f"check {lines:,} lines, cold", [_cold(text) for _ in range(5)])
    for lines in (100, 1_000, 10_000):
        text = generated(lines)
        row(
            f"keystroke in a body, {lines:,} lines",
            _keystrokes(text, text.index("let ", len(text) // 2) + 4, _typed("x")),
            "6",
            "26",
        )
    text = generated(10_000)
    middle = _inside(text)
    row("newline on line 1, 10,000 lines", _keystrokes(text, 0, _typed("\n")), "30")
    row("typed quote, 10,000 lines", _keystrokes(text, middle, _moving('"')), "30")
    row("typed brace, 10,000 lines", _keystrokes(text, middle, _moving("{")), "30")
    callers = with_callers(500, 5_000)
    row("changed signature, 500 callers", _keystrokes(callers, callers.index("b: Int"), _parameter), "30")
    diagnostics = generated(10_000, 1_000)
    row("keystroke among 1,000 mistakes", _keystrokes(diagnostics, _inside(diagnostics), _typed("x")), "30")
    db = _checked(text)
    start = perf_counter()
    for _ in range(CALLS):
        check_file(db, FILE)
    print(f"{'a verified query, asked again':<46}{(perf_counter() - start) / CALLS * 1e6:>10.2f} µs (target 1 µs)")


def _inside(text: str) -> int:
    """The offset of a local's name in a body in the middle of a program."""
    return text.index("let ", len(text) // 2) + 4


def _checked(text: str) -> Database:
    db = Database()
    source.set(db, FILE, Source.from_text(text))
    check_file(db, FILE)
    return db


def _parse(text: str) -> float:
    db = Database()
    start = perf_counter()
    for chunk in Source.from_text(text).chunks:
        chunk_tree(db, chunk.text)
    return (perf_counter() - start) * 1e3


def _cold(text: str) -> float:
    start = perf_counter()
    _checked(text)
    return (perf_counter() - start) * 1e3


def _keystrokes(text: str, at: int, change: Callable[[Source, int, int], Source]) -> list[float]:
    """Times of fifteen edits with their checks, the first left out."""
    db = _checked(text)
    original = source(db, FILE)
    times = []
    for number in range(16):
        edited = change(source(db, FILE), at, number)
        start = perf_counter()
        source.set(db, FILE, edited)
        check_file(db, FILE)
        times.append((perf_counter() - start) * 1e3)
        if change not in _KEPT:
            source.set(db, FILE, original)
            check_file(db, FILE)
    return times[1:]


def _typed(character: str) -> Callable[[Source, int, int], Source]:
    """The same character typed again and again at one place."""

    def change(text: Source, at: int, number: int) -> Source:
        return text.edited(at, at, character)

    _KEPT.add(change)
    return change


def _moving(character: str) -> Callable[[Source, int, int], Source]:
    """A character typed at a place one further each time, and taken back."""
    return lambda text, at, number: text.edited(at + number, at + number, character)


def _parameter(text: Source, at: int, number: int) -> Source:
    """One more parameter of a function."""
    return text.edited(at, at, f"c{number}: Int, ")


_KEPT: set[Callable[[Source, int, int], Source]] = {_parameter}

if __name__ == "__main__":
    main()
