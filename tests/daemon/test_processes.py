"""Liveness of a process, tested without ending it."""

from __future__ import annotations

import os
import subprocess
import sys

from boruna_ls.rendezvous.processes import is_alive


def test_who_is_alive() -> None:
    assert is_alive(os.getpid())
    assert is_alive(1), "somebody else's counts, too"
    assert not any(is_alive(number) for number in (0, -1, 1 << 40))


def test_who_has_ended_is_not_alive_and_who_is_asked_about_goes_on() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert is_alive(process.pid)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)
        assert process.returncode == 1, "the end of its input ended it, not the question"
    assert not is_alive(process.pid)
