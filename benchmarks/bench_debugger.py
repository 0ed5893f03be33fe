"""The debugger: a million steps forward and back, with and without a breakpoint in the loop, and single steps.

    python -m benchmarks.bench_debugger

Processor time; `x loop` is the ratio to a calibration loop of this run. The aim: 1,000,000 steps forward and back within 2 s.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.calibration import calibration_ms
from boruna_ls.dap.debuggee import Breakpoint, Debuggee

STEPS: Final = 1_000_000
PROGRAM: Final = """type Pair { left: Int, right: Int }

fn add(pair: Pair) -> Int {
    pair.left + pair.right
}

fn main() -> Int {
    let total = 0
    let i = 0
    while i < 45000 {
        if i % 2 == 0 {
            total = add(Pair { left: total, right: i })
        } else {
            total = total - 1
        }
        i = i + 1
    }
    total
}
"""
_LINE: Final = 15
_SINGLE: Final = 1000


def main() -> None:
    loop = calibration_ms()
    print(f"calibration loop: {loop:.2f} ms")
    print(f"{'':<44}{'steps':>11}{'s':>8}{'x loop':>9}")

    def row(name: str, action: Callable[[], object]) -> None:
        before, begun = debuggee.run.now, time.process_time()
        action()
        spent = time.process_time() - begun
        print(f"{name:<44}{abs(debuggee.run.now - before):>11,}{spent:>8.2f}{spent * 1e3 / loop:>9.1f}", flush=True)

    with tempfile.TemporaryDirectory(prefix="boruna-bench-") as name:
        path = Path(name) / "program.ax"
        path.write_text(PROGRAM, encoding="utf-8")
        debuggee = Debuggee(str(path))
        debuggee.to_first()
        row("to the end", lambda: debuggee.go_on()())
        result = debuggee.machine.result
        row("back to the start", lambda: debuggee.go_back()())
        _, places = debuggee.places.breakable(str(path), _LINE) or (0, [])
        debuggee.breakpoints = dict.fromkeys(places, Breakpoint("i == 44999"))
        row("to a condition that fails 44,999 times", lambda: debuggee.go_on()())
        debuggee.breakpoints = dict.fromkeys(places, Breakpoint("i < 0"))
        row("back over it", lambda: debuggee.go_back()())
        debuggee.breakpoints = {}
        row("to the end again", lambda: debuggee.go_on()())
        assert debuggee.machine.result == result
        assert debuggee.run.now >= STEPS, debuggee.run.now
        debuggee.run.seek(STEPS)
        row(f"{_SINGLE:,} statements back", lambda: [debuggee.step_back()() for _ in range(_SINGLE)])
        row(f"{_SINGLE:,} statements forward", lambda: [debuggee.step_in()() for _ in range(_SINGLE)])


if __name__ == "__main__":
    main()
