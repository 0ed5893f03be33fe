"""What is done to a sandbox to bring the machine down: each case ends as an answer, while an editor's keystrokes stay quick.

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
from pathlib import Path
from typing import NamedTuple

from boruna_ls.sandbox.box import Box, Outcome
from tests.sandbox.places import box_of, ran, sandboxes

GRACE = 8.0
"""Seconds beyond its limit in which an answer must be there on a busy machine."""


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
    """Whether a sandbox still does what it is asked, once what was left in it is gone."""
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


def main() -> int:
    """Prints a table; 1 if a case does not end as it must."""
    failures = 0
    with Typist() as typist, sandboxes() as manager:
        time.sleep(3)
        typist.p95()
        time.sleep(5)
        idle = typist.p95()
        print(f"{'case':<38} {'ended':>12} {'seconds':>8} {'p95 ms':>8} {'ratio':>6}   (idle p95 {idle:.1f} ms)")
        for name, case in CASES.items():
            box = box_of(manager)
            began = time.monotonic()
            made = ran(box, case.text, case.language, seconds=5)
            took = time.monotonic() - began
            p95 = typist.p95()
            good = case.ends(made) and took < 5 + GRACE and usable(box)
            failures += not good
            ended = made.ended_by or f"status {made.exit_code}"
            print(f"{name:<38} {ended:>12} {took:8.1f} {p95:8.1f} {p95 / idle:6.2f} {'' if good else 'FAILED'}", flush=True)
            manager.destroy(box.owner, box.name)
        boxes = [box_of(manager) for _ in range(8)]
        typist.p95()
        threads = [threading.Thread(target=ran, args=(box, "while true; do :; done"), kwargs={"seconds": 8}) for box in boxes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        p95 = typist.p95()
        print(f"{'8 sandboxes that compute':<38} {'timeout':>12} {8.0:8.1f} {p95:8.1f} {p95 / idle:6.2f}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
