"""Attempts to exhaust the machine from a sandbox: each case ends as an answer, while an editor's keystrokes stay quick.

`python -m tests.sandbox.abuse` runs all of them for longer, measures keystrokes of a real editor meanwhile, and prints a table;
`test_abuse.py` runs a few of them short.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from boruna_ls.sandbox.box import Box, Outcome
from boruna_ls.sandbox.manager import Sandboxes
from tests.sandbox.places import box_of, ran, sandboxes

GRACE = 8.0
"""Seconds beyond its limit in which an answer must be there on a busy machine."""
LONG_ENOUGH = 3.0
"""Seconds for about fifty keystrokes."""


class Case(NamedTuple):
    """`ends` judges the outcome; `language` as of `execute_code`."""

    text: str
    language: str
    ends: Callable[[Outcome], bool]


def timed_out(made: Outcome) -> bool:
    return made.ended_by in ("timeout", "processes", "memory")


def out_of_memory(made: Outcome) -> bool:
    return made.ended_by == "memory" or b"MemoryError" in made.stderr


def memory_bounded(made: Outcome) -> bool:
    """Ended over its memory, or, where the machine is too busy for it to get that far, by its time and below the limit."""
    return out_of_memory(made) or (timed_out(made) and made.memory_peak < 400 << 20)


CASES = {
    "fork bomb": Case(":(){ :|:& };: ; sleep 30", "bash", timed_out),
    "fork bomb in sessions of their own": Case(
        "import os\nwhile True:\n    try:\n        if os.fork() == 0: os.setsid()\n    except OSError: pass\n",
        "python",
        timed_out,
    ),
    "fork bomb by double forks": Case(
        "import os\nwhile True:\n    try:\n        if os.fork() == 0:\n            os.setsid()\n"
        "            if os.fork(): os._exit(0)\n    except OSError: pass\n",
        "python",
        timed_out,
    ),
    "threads": Case(
        "import threading, time\ntry:\n    while True: threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\n"
        "except RuntimeError as error: print(error)\n",
        "python",
        lambda made: b"can't start new thread" in made.stdout + made.stderr or out_of_memory(made) or timed_out(made),
    ),
    "memory in one piece": Case("x = bytearray(10 ** 10)\n", "python", out_of_memory),
    "memory bit by bit": Case("x = []\nwhile True: x.append(bytearray(10 ** 6))\n", "python", memory_bounded),
    "memory by many": Case(
        "import os\nfor _ in range(6):\n    if os.fork() == 0: x = bytearray(b'x') * (60 << 20); import time; time.sleep(30)\n"
        "import time; time.sleep(30)\n",
        "python",
        memory_bounded,
    ),
    "shared memory": Case(
        "import mmap, time\nm = [mmap.mmap(-1, 50 << 20) for _ in range(20)]\n[one.write(b'x' * (50 << 20)) for one in m]\n"
        "time.sleep(30)\n",
        "python",
        memory_bounded,
    ),
    "memory by many in sessions of their own": Case(
        "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork(): os._exit(0)\n"
        "        x = bytearray(b'x') * (30 << 20); time.sleep(30)\ntime.sleep(30)\n",
        "python",
        memory_bounded,
    ),
    "memory that many share": Case(
        "import mmap, os\nm = mmap.mmap(-1, 100 << 20)\nm.write(b'x' * (100 << 20))\nfor _ in range(5):\n    if os.fork() == 0:\n"
        "        m[::4096]; import time; time.sleep(1.5); os._exit(0)\nfor _ in range(5): os.wait()\nprint('done')\n",
        "python",
        lambda made: made.stdout == b"done\n" or made.ended_by == "timeout",
    ),
    "memory that a crowd shares": Case(
        "import os, time\nx = bytearray(b'x') * (60 << 20)\nfor _ in range(24):\n    if os.fork() == 0:\n"
        "        time.sleep(0.3); os._exit(0)\nfor _ in range(24): os.wait()\nprint('done')\n",
        "python",
        lambda made: made.stdout == b"done\n" or made.ended_by == "timeout",
    ),
    "memory of a crowd that shares it no more": Case(
        "import os, time\nx = bytearray(b'x') * (60 << 20)\nfor _ in range(24):\n    if os.fork() == 0:\n"
        "        for n in range(0, len(x), 4096): x[n] = 1\n        time.sleep(30)\ntime.sleep(30)\n",
        "python",
        memory_bounded,
    ),
    "tables of pages": Case(
        "import mmap\nx = mmap.mmap(-1, 1 << 40, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "for n in range(0, 1 << 40, 2 << 20): x[n]\n",
        "python",
        memory_bounded,
    ),
    "memory that no process has": Case(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nlibc.shmat.restype = ctypes.c_void_p\n"
        "libc.shmdt.argtypes = (ctypes.c_void_p,)\nsizes = []\n"
        "while (one := libc.shmget(0, 4 << 20, 0o1600)) >= 0 and len(sizes) < 100:\n    at = libc.shmat(one, None, 0)\n"
        "    ctypes.memset(at, 1, 4 << 20)\n    sizes.append(4)\nprint(sum(sizes))\n"
        "queues = 0\nwhile libc.msgget(0, 0o1600) >= 0 and queues < 1000: queues += 1\nprint(queues)\n"
        "sets = 0\nwhile libc.semget(0, 250, 0o1600) >= 0 and sets < 1000: sets += 1\nprint(sets)\n",
        "python",
        lambda made: (
            [int(word) < most for word, most in zip(made.stdout.split(), (17, 33, 9), strict=False)] == [True] * 3
            or made.ended_by == "timeout"
        ),
    ),
    "full disk": Case(
        "dd if=/dev/zero of=big bs=1M; df . | tail -1; rm big", "bash", lambda made: b"No space left" in made.stderr
    ),
    "full temporary folders": Case(
        "for d in /tmp /var/tmp /dev/shm; do dd if=/dev/zero of=$d/big bs=1M; done; rm -f /tmp/big /var/tmp/big /dev/shm/big",
        "bash",
        lambda made: made.stderr.count(b"No space left") == 3,
    ),
    "inode bomb": Case(
        "import os\nos.mkdir('many')\ntry:\n    for n in range(10 ** 7): open(f'many/{n}', 'x').close()\n"
        "except OSError as error: print(n, error.strerror)\n",
        "python",
        lambda made: b"No space left" in made.stdout or made.ended_by == "timeout",
    ),
    "endless print": Case(
        "while True: print('x' * 1000)\n", "python", lambda made: timed_out(made) and len(made.stdout) == 1 << 20
    ),
    "endless print of errors": Case("yes >&2", "bash", lambda made: timed_out(made) and made.total[1] > 1 << 20),
    "sleep for ever": Case("import time\ntime.sleep(10 ** 6)\n", "python", timed_out),
    "endless loop": Case("while True: pass\n", "python", timed_out),
    "endless loop of our own language": Case(
        "fn main() -> Int { let mut n: Int = 0 while n >= 0 { n = n + 1 } n }\n",
        "ax",
        lambda made: timed_out(made) or made.exit_code == 1,
    ),
    "ignores signals": Case(
        "import signal, time\nfor n in (2, 15, 1): signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)\n", "python", timed_out
    ),
    "zombies": Case(
        "import os, time\nfor _ in range(150):\n    if os.fork() == 0: os._exit(0)\ntime.sleep(0.2); print('done')\n",
        "python",
        lambda made: made.stdout == b"done\n" or timed_out(made),
    ),
    "orphans": Case(
        "import os\nfor _ in range(100):\n    if os.fork() == 0:\n"
        "        if os.fork() == 0: os._exit(0)\n        os._exit(0)\n    os.wait()\n"
        "print('done')\n",
        "python",
        lambda made: made.stdout == b"done\n" or b"unavailable" in made.stderr or timed_out(made),
    ),
    "10,000 files": Case(
        "import os\nos.mkdir('f')\nfor n in range(10_000): open(f'f/{n:05}', 'w').write('x')\nprint(len(os.listdir('f')))\n",
        "python",
        lambda made: made.stdout == b"10000\n" or made.ended_by == "timeout",
    ),
    "deep folders": Case(
        "import os\ntry:\n    while True: os.mkdir('d'); os.chdir('d')\nexcept OSError as error: print(error.strerror)\n",
        "python",
        lambda made: b"No space left" in made.stdout or timed_out(made),
    ),
}


def usable(box: Box) -> bool:
    """True if a sandbox still works after its remaining files are removed."""
    ran(box, "rm -rf d f many big* .[a-z]* 2>/dev/null", seconds=30)
    return ran(box, "echo fine", seconds=20).stdout == b"fine\n"


class Typist:
    """An editor that types all the time; milliseconds from each keystroke to its diagnostics."""

    def __init__(self) -> None:
        from tests.support.lsp import RawClient

        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self._client = RawClient(folder)
        self._client.initialize()
        self._uri = (folder / "a.ax").as_uri()
        self._client.open(self._uri, _text(0))
        self.milliseconds: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._type)

    def __enter__(self) -> Typist:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._client.process.kill()
        self._client.process.wait()
        self._folder.cleanup()

    def _type(self) -> None:
        version = 1
        while not self._stop.wait(0.05):
            version += 1
            began = time.perf_counter()
            self._client.change(self._uri, version, {"text": _text(version)})
            self._client.call("textDocument/documentSymbol", {"textDocument": {"uri": self._uri}})
            self.milliseconds.append((time.perf_counter() - began) * 1000)

    def p95(self) -> float:
        """Of what was typed since the last question, after the first few."""
        taken, self.milliseconds = self.milliseconds[3:], []
        return statistics.quantiles(taken, n=20)[-1] if len(taken) > 20 else max(taken, default=0.0)


def _text(version: int) -> str:
    functions = "".join(f"fn f{n}(a: Int) -> Int {{ a + {n} }}\n" for n in range(300))
    return f"{functions}fn main() -> Int {{ f1({version}) }}\n"


def tried(manager: Sandboxes, case: Case) -> tuple[str, float, bool]:
    """One sandbox and one case in it: how it ended, after how many seconds, and whether both are as they must be."""
    box = box_of(manager)
    began = time.monotonic()
    made = ran(box, case.text, case.language, seconds=5)
    took = time.monotonic() - began
    good = case.ends(made) and took < 5 + GRACE and usable(box)
    manager.destroy(box.owner, box.name)
    return made.ended_by or f"status {made.exit_code}", took, good


def computing(manager: Sandboxes) -> tuple[str, float, bool]:
    """Eight sandboxes that compute at the same time."""
    boxes = [box_of(manager) for _ in range(8)]
    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda box: ran(box, "while true; do :; done", seconds=8), boxes))
    took = time.monotonic() - began
    for box in boxes:
        manager.destroy(box.owner, box.name)
    return "timeout", took, all(one.ended_by == "timeout" for one in made) and took < 8 + GRACE


def main() -> int:
    """Prints a table; 1 if a case does not end as it must. A case is repeated until there are enough keystrokes to judge by."""
    rows: dict[str, Callable[[Sandboxes], tuple[str, float, bool]]] = {
        name: partial(tried, case=case) for name, case in CASES.items()
    }
    rows["8 sandboxes that compute"] = computing
    failures = 0
    with Typist() as typist, sandboxes() as manager:
        time.sleep(3)
        idle = idle_p95(typist)
        print(f"{'case':<40} {'times':>5} {'ended':>12} {'seconds':>8} {'p95 ms':>8} {'ratio':>6}   (idle p95 {idle:.1f} ms)")
        for name, row in rows.items():
            ends, times, longest, is_good = set(), 0, 0.0, True
            until = time.monotonic() + LONG_ENOUGH
            while not times or time.monotonic() < until:
                end, took, good = row(manager)
                ends.add(end)
                times, longest, is_good = times + 1, max(longest, took), is_good and good
            p95 = typist.p95()
            failures += not is_good
            print(
                f"{name:<40} {times:>5} {'/'.join(sorted(ends)):>12} {longest:8.1f} {p95:8.1f} {p95 / idle:6.2f} "
                f"{'' if is_good else 'FAILED'}",
                flush=True,
            )
        again = idle_p95(typist)
        print(f"idle again: p95 {again:.1f} ms, {again / idle:.2f} x")
    return 1 if failures else 0


def idle_p95(typist: Typist) -> float:
    """Of keystrokes while no sandbox does anything."""
    typist.p95()
    time.sleep(6)
    return typist.p95()


if __name__ == "__main__":
    sys.exit(main())
