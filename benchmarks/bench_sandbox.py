"""Cost of sandboxes: `python -m benchmarks.bench_sandbox`. Each figure stands beside the same without a sandbox (the baseline).

The last table is the effect on an editor: keystrokes of a real language client while eight sandboxes compute.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles

from benchmarks.calibration import calibration_ms
from boruna_ls.isolation.launcher import shared_launcher
from boruna_ls.sandbox.box import Box, Command
from boruna_ls.sandbox.manager import Sandboxes
from boruna_ls.sandbox.settings import ReadSettings, Settings
from tests.sandbox.abuse import Typist
from tests.support.commands import command

ROUNDS = 15
AX = "fn main() -> Int {\n    1\n}\n"
GOALS = {
    "create, cold": 100.0,
    "create": 100.0,
    "copy of 5 MB": 50.0,
    "python print(1)": 100.0,
    "ax": 30.0,
    "read_file": 5.0,
}


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def ran(box: Box, text: str, language: str = "", seconds: float = 30) -> None:
    """A command, to its end."""
    box.start(Command(text, language, seconds=seconds)).future.result()


def cold(manager: Sandboxes) -> float:
    """The first sandbox of a process."""
    manager.backend.rest()
    return creating(manager)


def creating(manager: Sandboxes) -> float:
    """One sandbox; it is destroyed at once."""
    made: list[Box] = []
    took = timed(lambda: made.append(manager.create("bench", manager.spec())))
    manager.destroy("bench", made[0].name)
    return took


def rows() -> dict[str, tuple[list[float], list[float]]]:
    """By name: milliseconds in a sandbox, and of the baseline."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    bare = [sys.executable, "-I", "-c", "print(1)"]
    start = [timed(lambda: subprocess.run(bare, capture_output=True)) for _ in range(ROUNDS)]
    with tempfile.TemporaryDirectory() as folder:
        program, text = Path(folder, "a.ax"), Path(folder, "a.txt")
        program.write_text(AX)
        text.write_text("x" * 1000)
        line = [command("boruna-ls"), "run", "--disk", str(program)]
        ax = [timed(lambda: subprocess.run(line, capture_output=True)) for _ in range(3)]
        read = [timed(text.read_bytes) for _ in range(ROUNDS)]
    manager = Sandboxes(ReadSettings(Settings(), ()))
    try:
        found["create, cold"] = [cold(manager) for _ in range(ROUNDS)], start
        found["create"] = [creating(manager) for _ in range(ROUNDS)], start
        box = manager.create("bench", manager.spec())
        ran(box, "head -c 5000000 /dev/urandom > big; for n in $(seq 50); do echo $n > f$n; done")

        def copy() -> float:
            made: list[Box] = []
            took = timed(lambda: made.append(manager.create("bench", manager.spec(), copy_of=box)))
            manager.destroy("bench", made[0].name)
            return took

        found["copy of 5 MB"] = [copy() for _ in range(ROUNDS)], start
        found["python print(1)"] = [timed(lambda: ran(box, "print(1)", "python")) for _ in range(ROUNDS)], start
        found["command true"] = [timed(lambda: ran(box, "true")) for _ in range(ROUNDS)], start
        ran(box, AX, "ax")
        found["ax"] = [timed(lambda: ran(box, AX, "ax")) for _ in range(ROUNDS)], ax
        found["read_file"] = [timed(lambda: box.read("f1", 0, 1000)) for _ in range(ROUNDS)], read
    finally:
        manager.close()
    return found


def keystrokes() -> tuple[list[float], list[float]]:
    """Milliseconds of keystrokes, idle and while eight sandboxes compute, from their first moment on."""
    manager = Sandboxes(ReadSettings(Settings(), ()))
    try:
        boxes = [manager.create("bench", manager.spec()) for _ in range(8)]
        with Typist() as typist:
            time.sleep(2)
            typist.milliseconds.clear()
            time.sleep(5)
            idle = list(typist.milliseconds)
            typist.milliseconds.clear()
            loop = "while true; do :; done"
            threads = [threading.Thread(target=ran, args=(box, loop), kwargs={"seconds": 8}) for box in boxes]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return idle, list(typist.milliseconds)
    finally:
        manager.close()


def main() -> int:
    if shared_launcher().isolation().kind != "bubblewrap":
        print(f"no sandboxes here: {shared_launcher().isolation().reason}")
        return 0
    print(f"{'':<22} {'p50 ms':>8} {'p95 ms':>8} {'baseline':>9} {'ratio':>7} {'goal ms':>8}")
    for name, (taken, baseline) in rows().items():
        p50, base = median(taken), median(baseline)
        goal = f"{GOALS[name]:8.0f}" if name in GOALS else ""
        print(f"{name:<22} {p50:8.2f} {quantiles(taken, n=20)[-1]:8.2f} {base:9.2f} {p50 / base:7.2f} {goal}")
    print("baselines: a bare Python process; for ax a process of `boruna-ls run`; for read_file the same on disk")
    idle, busy = keystrokes()
    p95, base = quantiles(busy, n=20)[-1], quantiles(idle, n=20)[-1]
    print(f"{'keystroke, 8 compute':<22} {median(busy):8.2f} {p95:8.2f} {base:9.2f} {p95 / base:7.2f}   (of the p95, goal 2)")
    print(f"calibration: {calibration_ms():.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
