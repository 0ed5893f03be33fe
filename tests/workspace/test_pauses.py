"""Pauses of a computation beside other processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the pauses are for the scheduler of Linux")

_SPIN = "import time\nends = time.monotonic() + {seconds}\nwhile time.monotonic() < ends: pass\n"


def _taken(program: str) -> int:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return int(run.stdout)


def test_jobs_of_a_server_pause_while_others_wait() -> None:
    others = [
        subprocess.Popen(["nice", "-n", "19", sys.executable, "-c", _SPIN.format(seconds=35)])
        for _ in range((os.cpu_count() or 1) + 1)
    ]
    program = """
from boruna_ls.workspace.worker import Worker

def job():
    import time
    ends = time.monotonic() + 30
    # On a busy machine others have the processor, too, and those who compute little take no pause.
    while worker.pauses.taken < 5 and time.monotonic() < ends: pass

worker = Worker()
worker.attend(lambda: None, lambda: False)
worker.submit(job).result()
worker.stop()
print(worker.pauses.taken)
"""
    try:
        assert _taken(program) >= 5
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_a_process_that_sleeps_takes_no_pause() -> None:
    program = "import time\nfrom boruna_ls.isolation.pauses import Pauses\npauses = Pauses()\npauses.note_work()\n"
    assert _taken(program + "time.sleep(0.5)\nprint(pauses.taken)") == 0
