"""Sources made to hold the daemon up: `python -m tests.faults.hostile_sources [--scale 1.0] [NAME…]`.

An agent has each of them checked by a real daemon while an editor types in another file. No key may wait for longer than 30 ms
(on a machine of usual speed, as a loop of plain Python tells it), no answer come later than its deadline plus a second, and the
memory must come back to 1.5 times of that of a loaded daemon.
`measure` checks a source in this process and finds the longest that it computes without giving way; `stretches.py` does so for
all requests.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source
from benchmarks.calibration import calibration_ms
from boruna_ls.rendezvous import places
from tests.support.daemon import loaded, status, stopped
from tests.support.live import Editor
from tests.support.machine import Waiting
from tests.support.mcp_lines import LineServer, call

DEADLINE: Final = 10.0
KEY_LIMIT: Final = 0.03
"""Seconds, on a machine on which the calibration loop takes `USUAL` milliseconds; more on a slower one."""
USUAL: Final = 3.7
_PAUSE: Final = 0.02
_PASSING: Final = (
    *(f"/database/{module}.py" for module in ("checkpoints", "computing", "declaration", "engine")),
    *("/workspace/snapshot.py", "/workspace/host.py"),
)
"""Modules that only pass a checkpoint on."""

SOURCES: Final[dict[str, tuple[int, Callable[[int], str]]]] = {}
"""By name: how large it is, and what makes it in a size."""


def _source(name: str, size: int) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    def keep(make: Callable[[int], str]) -> Callable[[int], str]:
        SOURCES[name] = size, make
        return make

    return keep


@_source("accesses to unknown fields", 3_000)
def _unknown_fields(size: int) -> str:
    fields = ", ".join(f"field_{n}: Int" for n in range(size))
    uses = "\n".join(f"  let x{n}: Int = r.feild_{n}" for n in range(size))
    return f"type R {{ {fields} }}\nfn f(r: R) -> Int {{\n{uses}\n  1\n}}\n"


@_source("arms of one match", 20_000)
def _arms(size: int) -> str:
    variants = ", ".join(f"V{n}" for n in range(size))
    arms = "\n".join(f"    V{n} => {n}," for n in range(size))
    return f"enum E {{ {variants} }}\nfn f(e: E) -> Int {{\n  match e {{\n{arms}\n  }}\n}}\n"


@_source("variants without an arm", 5_000)
def _no_arms(size: int) -> str:
    variants = ", ".join(f"V{n}(Int)" for n in range(size))
    return f"enum E {{ {variants} }}\nfn f(e: E) -> Int {{\n  match e {{\n    V0(_) => 1,\n  }}\n}}\n"


@_source("integer arms", 50_000)
def _integer_arms(size: int) -> str:
    return f"fn f(e: Int) -> Int {{\n  match e {{\n{_lines(size, '    {0} => {0},')}\n    _ => 0,\n  }}\n}}\n"


@_source("text arms", 40_000)
def _text_arms(size: int) -> str:
    arms = _lines(size, '    "t{0}" => 1,')
    return f"fn f(e: String) -> Int {{\n  match e {{\n{arms}\n    _ => 0,\n  }}\n}}\n"


@_source("nested matches", 15_000)
def _nested(size: int) -> str:
    return "fn f(e: Int) -> Int { " + "match e { _ => " * size + "1" + " }" * size + " }\n"


@_source("nested matches that are read", 240)
def _nested_within(size: int) -> str:
    return _nested(size)


@_source("fields of one record", 38_000)
def _fields(size: int) -> str:
    fields = ", ".join(f"f{n}: Int" for n in range(size))
    values = ", ".join(f"f{n}: {n}" for n in range(size))
    return f"type R {{ {fields} }}\nfn f() -> R {{ R {{ {values} }} }}\n"


@_source("records", 10_000)
def _records(size: int) -> str:
    return _lines(size, "type R{0} {{ a: Int, b{0}: Int }}") + "\nfn f(r: R1) -> Int { r.a }\n"


@_source("parentheses", 450_000)
def _parentheses(size: int) -> str:
    return "fn f() -> Int { " + "(" * size + "1" + ")" * size + " }\n"


@_source("field accesses in a chain", 300_000)
def _chain(size: int) -> str:
    return "fn f(r: Int) -> Int { r" + ".a" * size + " }\n"


@_source("a sum of 1 MB on one line", 250_000)
def _sum(size: int) -> str:
    return "fn f() -> Int { 1" + " + 1" * size + " }\n"


@_source("statements of 1 MB on one line", 55_000)
def _one_line(size: int) -> str:
    return "fn f() -> Int { " + "".join(f"let x{n} = {n} " for n in range(size)) + "1 }\n"


@_source("an open string of 1 MB", 1_000_000)
def _open_string(size: int) -> str:
    return 'fn f() -> String { "' + "x" * size + "\n}\n"


@_source("open strings on many lines", 80_000)
def _open_strings(size: int) -> str:
    return 'fn f() -> String {\n"\\\n' + '\\"\\\n' * size + "}\n"


@_source("a string of escapes", 500_000)
def _escapes(size: int) -> str:
    return 'fn f() -> String { "' + "\\q" * size + '" }\n'


@_source("broken functions on one line", 150_000)
def _broken_functions(size: int) -> str:
    return "fn f[]" * size + "\n"


@_source("texts put together by ++", 100_000)
def _joined(size: int) -> str:
    return 'fn f() -> String { "a"' + ' ++ "a"' * size + " }\n"


@_source("functions with mistakes", 30_000)
def _mistakes(size: int) -> str:
    return _lines(size, "fn f{0}() -> Int {{ u }}")


@_source("unknown names", 5_000)
def _unknown_names(size: int) -> str:
    return _lines(size, "fn known_{0}() -> Int {{ 1 }}") + "\nfn f() -> Int {\n" + _lines(size, "  nown_{0}()") + "\n  1\n}\n"


@_source("fields with uses", 10_000)
def _used_fields(size: int) -> str:
    fields = ", ".join(f"f{n}: Int" for n in range(size))
    uses = _lines(size, "  let a{0} = r.f{0}\n  let b{0} = r.f{0}")
    return f"type R {{ {fields} }}\nfn f(r: R) -> Int {{\n{uses}\n  1\n}}\n"


@_source("unknown variants in a match", 1_000)
def _unknown_variants(size: int) -> str:
    variants = ", ".join(f"Variant{n}" for n in range(size))
    return f"enum E {{ {variants} }}\nfn f(e: E) -> Int {{\n  match e {{\n{_lines(size, '    Varyant{0} => {0},')}\n  }}\n}}\n"


@_source("lines that are alike, every second one indented wrongly", 20_000)
def _misaligned(size: int) -> str:
    lines = ("  let x = 1", "    let x = 1") * (size // 2)
    return "fn f() -> Int {\n" + "\n".join(lines) + "\n    x\n}\n"


@_source("long names of two letters", 4_500)
def _long_names(size: int) -> str:
    names = [f"{number:0190b}".replace("0", "a").replace("1", "b") for number in range(size)]
    return "\n".join(f"fn {name}() -> Int {{ 1 }}" for name in names) + "\n"


@_source("indexes in a chain", 330_000)
def _indexes(size: int) -> str:
    return "fn f(x: Int) -> Int { x" + "[0]" * size + " }\n"


@_source("uses of one local", 20_000)
def _one_local(size: int) -> str:
    return "fn f(a: Int) -> Int {\n" + _lines(size, "  let x{0} = a + a") + "\n  a\n}\n"


def _lines(size: int, line: str) -> str:
    return "\n".join(line.format(n) for n in range(size))


class Measured(NamedTuple):
    """What a check took, and the longest stretch of it in which it could not have stopped: seconds of the processor, or lines."""

    whole: float
    longest: float
    where: str
    """The places in the code between which that stretch lies."""


class Lines:
    """A clock that counts the lines of Python that this thread runs: the same on every machine, however busy it is."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> float:
        return self.count

    def _line(self, frame: object, event: str, argument: object) -> Callable[..., Any]:
        self.count += event == "line"
        return self._line

    def __enter__(self) -> Lines:
        sys.settrace(self._line)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)


class Stretches:
    """Measures the time between two checkpoints of a branch, and makes the branch come to the next one."""

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self.root = Database(check_purity=False)
        self.longest = 0.0
        self.where = ""
        self._place = "begin"
        self._last = clock()

    def begin(self) -> None:
        """The first stretch begins."""
        self.root.make_way()
        self._last = self._clock()

    def give_way(self) -> None:
        """Called by the branch at a checkpoint: it has to come here at the next one, too."""
        self.note(caller(2))
        self.root.make_way()
        self._last = self._clock()

    def note(self, place: str) -> None:
        """A stretch ends."""
        took = self._clock() - self._last
        if took > self.longest:
            self.longest, self.where = took, f"{self._place} to {place}"
        self._place = place


def caller(depth: int) -> str:
    """The function that has come to a checkpoint; so many calls above this one at least."""
    frame = sys._getframe(depth)
    while frame.f_back is not None and frame.f_code.co_filename.replace("\\", "/").endswith(_PASSING):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rpartition('/')[2]} {frame.f_code.co_name}:{frame.f_lineno}"


def measure(text: str, clock: Callable[[], float] = time.thread_time) -> Measured:
    """Checks a text in a branch that is told at each of its checkpoints to give way at the next one.

    Without collections of garbage, which the daemon makes at other times (`process.py`).
    """
    stretches = Stretches(clock)
    branch = stretches.root.branch(stretches.give_way)
    file = FileId("", "inline", "hostile.ax")
    source.set(branch, file, Source.from_text(text))
    gc.collect()
    gc.disable()
    try:
        began = clock()
        stretches.begin()
        check_file(branch, file)
        stretches.note("end")
    finally:
        gc.enable()
    return Measured(clock() - began, stretches.longest, stretches.where)


@dataclass
class Trial:
    """One source, checked by an agent while an editor types in another file: seconds of the answer and of each key."""

    answer: float
    keys: list[float]
    memory: int
    """Bytes that the daemon holds afterwards."""

    def faults(self, key_limit: float) -> list[str]:
        """Violations of the limits; that of a key is given, in seconds."""
        found = []
        if max(self.keys, default=0.0) > key_limit:
            found.append("a key waited")
        if self.answer > DEADLINE + 1:
            found.append("a late answer")
        return found


def attempt(editor: Editor, path: Path, place: Path, agent: LineServer, text: str) -> Trial:
    """Has a source checked while the editor types."""
    hostile = path.parent.parent / "hostile.ax"
    hostile.write_text(text, encoding="utf-8")
    keys: list[float] = []
    began = time.monotonic()
    agent.send(call("hostile", "boruna_check", path=str(hostile)))
    waiting = threading.Thread(target=agent.receive, args=(DEADLINE + 60,))
    waiting.start()
    took = 0.0
    while not took:
        keys.append(key(editor, path))
        if not waiting.is_alive():
            took = time.monotonic() - began
        time.sleep(_PAUSE)
    hostile.unlink()
    agent.send(call("small", "boruna_check", source="fn main() -> Int { 1 }"))
    agent.receive()
    return Trial(took, keys, status(place)["memory"])


def key(editor: Editor, path: Path) -> float:
    """Types; the seconds until its diagnostics are there, but for those in which the machine stood still."""
    waiting = Waiting()
    version = editor.replace(path, f"fn main() -> Int {{\n    missing_{time.monotonic_ns()}\n}}\n")
    editor.await_diagnostics(path, version)
    return waiting.took()


def _keys(editor: Editor, path: Path, count: int) -> Iterator[float]:
    """Types with the pauses of somebody who types: without any, the editor would have used more than its share."""
    for _ in range(count):
        yield key(editor, path)
        time.sleep(_PAUSE)


def trials(folder: Path, names: Sequence[str], scale: float) -> int:
    """Prints the table; how many sources have done what they must not."""
    place = Path(os.environ[places.VARIABLE])
    root = folder / "ws"
    root.mkdir()
    path = root / "typed.ax"
    wrong = 0
    with (
        Editor(root) as editor,
        LineServer("mcp", "--deadline", f"{DEADLINE:.0f}", program="boruna-ls", cwd=str(folder)) as agent,
    ):
        agent.open()
        editor.show(path, "fn main() -> Int { 1 }\n")
        before = loaded(place)
        idle = sorted(_keys(editor, path, 100))
        loops = [calibration_ms()]
        print(f"calibration loop: {loops[0]:.1f} ms ({USUAL} on a machine of usual speed)")
        print(f"idle keys: p50 {idle[50] * 1000:.1f} ms, max {idle[-1] * 1000:.1f} ms; memory {before >> 20} MB", flush=True)
        print(f"{'source':36} {'answer s':>8} {'keys':>6} {'p50 ms':>8} {'max ms':>8} {'MB':>6}")
        found = {}
        for name in names:
            size, make = SOURCES[name]
            one = found[name] = attempt(editor, path, place, agent, make(max(1, int(size * scale))))
            keys = sorted(one.keys)
            line = f"{name:36} {one.answer:8.2f} {len(keys):6} {keys[len(keys) // 2] * 1000:8.1f} {keys[-1] * 1000:8.1f}"
            print(f"{line} {one.memory >> 20:6}", flush=True)
            loops.append(calibration_ms())
        agent.end()
        limit = KEY_LIMIT * max(1.0, median(loops) / USUAL)
        print(f"calibration loop: {median(loops):.1f} ms, median of {len(loops)}: here a key may wait for {limit * 1000:.0f} ms")
        for name, one in found.items():
            if faults := one.faults(limit):
                wrong += 1
                print(f"{name}: {', '.join(faults)}")
        after = _settled(place, int(1.5 * before))
        print(f"memory {after >> 20} MB when the agent has left: × {after / before:.2f} of before")
    return wrong + (after > 1.5 * before)


def _settled(place: Path, enough: int) -> int:
    """The daemon's memory as soon as it is little enough, or after a while."""
    ends = time.monotonic() + 90
    while True:
        memory: int = status(place)["memory"]
        if memory <= enough or time.monotonic() > ends:
            return memory
        time.sleep(1)


def main() -> int:
    """The exit status: 1 if a key, an answer or the memory is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the sources; 1 is full size")
    parser.add_argument("names", nargs="*", help="only these sources")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="boruna-h-") as folder, tempfile.TemporaryDirectory(prefix="boruna-d-") as place:
        os.environ[places.VARIABLE] = place
        try:
            return 1 if trials(Path(folder).resolve(), given.names or list(SOURCES), given.scale) else 0
        finally:
            stopped(place)


if __name__ == "__main__":
    raise SystemExit(main())
