"""Diagnostics during typing: `python -m benchmarks.bench_typing [PROGRAM.ax...]`.

A correct program is typed into the middle of a file of 2,000 lines, key by key, once with brackets and quotes closed by the
editor and once with raw keys; then programs of the corpus. After each key the diagnostics are those of a check of the text
as it is then. A row gives the percentage of keys after which there was an unwanted error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.inputs import FileId, source
from analysis.text.source import Source
from benchmarks.programs import generated

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = FileId("/bench", "disk", "/bench/main.ax")
MAIN_PROGRAM: Final = ROOT / "benchmarks" / "typing_program.ax"
_CLOSERS: Final = {"{": "}", "(": ")", "[": "]", '"': '"'}
CORPUS: Final = ("run/prog_*.ax", "capabilities/prog_*.ax", "framework/*.ax")
MOST_PROGRAMS: Final = 20


class Keystroke(NamedTuple):
    """Text typed so far, and the text that the editor put behind the cursor."""

    before: str
    behind: str


@dataclass
class Tally:
    """Number of keys that changed the text, and numbers of those followed by unwanted errors."""

    keys: int = 0
    other_item: int = 0
    off_line: int = 0
    identical: int = 0
    farthest: int = 0
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        self.keys += other.keys
        self.other_item += other.other_item
        self.off_line += other.off_line
        self.identical += other.identical
        self.farthest = max(self.farthest, other.farthest)

    def note(self, kind: str, text: str) -> None:
        self.examples.setdefault(kind, []).append(text)

    def row(self, name: str) -> str:
        shares = (100 * count / max(1, self.keys) for count in (self.other_item, self.off_line, self.identical))
        figures = "".join(f"{share:11.1f} %" for share in shares)
        return f"{name:44}{self.keys:7}{figures}{self.farthest:12}"


def raw_keys(program: str) -> Iterator[Keystroke]:
    """Every character as it is typed; an editor indents the new line."""
    for end in range(1, len(program) + 1):
        is_indented = not program[:end].rpartition("\n")[2].strip() and program[end : end + 1] == " "
        if not is_indented:
            yield Keystroke(program[:end], "")


def closing_keys(program: str) -> Iterator[Keystroke]:
    """The same with brackets and quotes closed by the editor; typing over a closed one changes nothing."""
    behind, position = "", 0
    while position < len(program):
        closer = next((index for index, mark in enumerate(behind) if not mark.isspace()), -1)
        if closer >= 0 and program.startswith(behind[: closer + 1], position):
            position += closer + 1
            behind = behind[closer + 1 :]
            continue
        key = program[position]
        position += 1
        if key == "\n":
            # Enter between two brackets puts the closing one on a line of its own.
            if behind[:1] in ("}", ")", "]") and program[: position - 1].rstrip(" \t")[-1:] in _CLOSERS:
                line = program[: position - 1].rpartition("\n")[2]
                behind = "\n" + line[: len(line) - len(line.lstrip())] + behind
            while program[position : position + 1] == " ":
                position += 1
        elif key in _CLOSERS and not _is_in_string(program, position - 1):
            behind = _CLOSERS[key] + behind
        yield Keystroke(program[:position], behind)


def _is_in_string(program: str, position: int) -> bool:
    line = program[:position].rpartition("\n")[2]
    return (line.count('"') - line.count('\\"')) % 2 == 1


def replay(program: str, keys: Iterator[Keystroke], around: str) -> Tally:
    """Types a program between the items of another one."""
    db, tally = Database(), Tally()
    middle = around.index("\n\n", len(around) // 2) + 2
    head, tail = around[:middle], "\n" + around[middle:]
    text = Source.from_text(head + tail)
    source.set(db, FILE, text)
    starts = _item_starts(program)
    written = ""
    for before, behind in keys:
        new = before + behind
        common = next((i for i, (a, b) in enumerate(zip(written, new, strict=False)) if a != b), min(len(written), len(new)))
        text = text.edited(len(head) + common, len(head) + len(written), new[common:])
        written = new
        source.set(db, FILE, text)
        begun = max((start for start in starts if start < len(before)), default=0)
        item = (len(head) + begun, len(head) + len(new))
        _judge(db, text, item, len(head) + len(before), tally)
    return tally


def _judge(db: Database, text: Source, item: tuple[int, int], cursor: int, tally: Tally) -> None:
    """Counts what is said of a text whose item at `item` is being typed at `cursor`."""
    tally.keys += 1
    found = [
        (made, made.span[0] + offset, made.span[1] + offset)
        for offset, made in check_file(db, FILE).shown(text)
        if made.severity is Severity.ERROR
    ]
    line = text.position(cursor)[0]
    typed = text.text[max(item[0], cursor - 60) : cursor] + "<|>"
    others = [one for one in found if not item[0] <= one[1] <= item[1]]
    if others:
        tally.other_item += 1
        tally.note("other item", f"{typed!r}: {_example(text, others[0])}")
    off = [one for one in found if not text.position(one[1])[0] <= line <= text.position(max(one[1], one[2] - 1))[0]]
    if off:
        tally.off_line += 1
        tally.note("off line", f"{typed!r}: {_example(text, off[0])}")
    said = {(made.code, made.message, start, end) for made, start, end in found}
    if len(said) < len(found):
        tally.identical += 1
        tally.note("identical", f"{typed!r}")
    if text.text.count('"', item[0], cursor) % 2:
        tally.farthest = max([tally.farthest, *(abs(text.position(start)[0] - line) for _, start, _ in found)])


def _example(text: Source, one: tuple[Diagnostic, int, int]) -> str:
    line, column = text.position(one[1])
    return f"{line + 1}:{column + 1} {one[0].code} {one[0].message[:80]!r}"


def _item_starts(program: str) -> list[int]:
    """Starts of the items, with the comments above them."""
    return Source.from_text(program).offsets


def is_typed_in_order(program: str) -> bool:
    """True if each item is correct as soon as it is written: the items that it uses precede it."""
    starts = [*_item_starts(program), len(program)]
    if len(starts) < 5:
        return False
    for _, end in pairwise(starts):
        db = Database()
        text = Source.from_text(program[:end])
        source.set(db, FILE, text)
        if check_file(db, FILE).has_errors():
            return False
    return True


def corpus_programs() -> list[Path]:
    """Programs of the corpus that can be typed from top to bottom, the longest first."""
    files = [file for pattern in CORPUS for file in (ROOT / "tests" / "conformance").glob(pattern)]
    right = [file for file in files if is_typed_in_order(file.read_text("utf-8"))]
    return sorted(right, key=lambda file: (-file.stat().st_size, file.name))[:MOST_PROGRAMS]


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument(
        "programs", nargs="*", type=Path, metavar="PROGRAM.ax", help="default: the main program, then 20 of the corpus"
    )
    reader.add_argument("-v", action="store_true", help="name places of each kind")
    asked = reader.parse_args()
    given: list[Path] = asked.programs
    around = generated(2000)
    print(f"{'':44}{'keys':>7}{'other item':>13}{'off line':>13}{'identical':>13}{'farthest':>12}")
    for name, keys in (("closed by the editor", closing_keys), ("raw keys", raw_keys)):
        own = Tally()
        for file in given or [MAIN_PROGRAM]:
            program = file.read_text("utf-8")
            own = replay(program, keys(program), around)
            print(own.row(f"{file.stem}, {name}"), flush=True)
            if asked.v:
                _show(own)
        if not given:
            whole = Tally()
            small = generated(200)
            for file in corpus_programs():
                program = file.read_text("utf-8")
                one = replay(program, keys(program), small)
                if asked.v:
                    print(one.row(f"  {file.stem}, {name}"), flush=True)
                    _show(one)
                whole.add(one)
            print(whole.row(f"{MOST_PROGRAMS} programs of the corpus, {name}"), flush=True)


def _show(tally: Tally) -> None:
    for kind, examples in tally.examples.items():
        for example in examples[:: max(1, len(examples) // 12)]:
            print(f"    {kind}: {example}")


if __name__ == "__main__":
    main()
