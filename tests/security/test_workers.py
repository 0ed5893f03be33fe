"""Isolation of a worker process that a program has taken over: nothing to read, nobody to talk to, no way out.

The attack is a pickle whose loading runs Python of ours in the worker: more than any program can do.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.isolation import cgroup
from boruna_ls.isolation.launcher import Launch, Launcher, Limits, kill, shared_launcher, signal_of
from boruna_ls.rendezvous import places
from boruna_ls.runtime.job import Job, packed
from boruna_ls.runtime.pool_run import Died
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.execution import Translation
from boruna_ls.runtime.worker import GROUP_LIMIT, MEMORY_LIMIT
from boruna_ls.runtime.workers import WorkerPool
from tests.support.daemon import until
from tests.support.programs import module

ISOLATED = shared_launcher().isolation().kind == "bubblewrap"
needs_bubblewrap = pytest.mark.skipif(not ISOLATED, reason="bubblewrap is not installed, or does not work here")


class Attack:
    """Loads as a job that evaluates an expression in the worker; its outcome is the expression's value as text."""

    _CODE = "__import__('types').SimpleNamespace(deadline=20, perform=lambda progress: {{'value': repr(({expression}))}})"

    def __init__(self, expression: str) -> None:
        self._expression = expression

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return eval, (self._CODE.format(expression=self._expression),)


@pytest.fixture(params=["isolated", "bare"])
def pool(request: pytest.FixtureRequest) -> Iterator[WorkerPool]:
    """Once as it is here, once as where bubblewrap is not installed."""
    made = WorkerPool(size=1, launcher=Launcher() if request.param == "isolated" else Launcher(()))
    yield made
    made.close()


@pytest.fixture
def isolated() -> Iterator[WorkerPool]:
    made = WorkerPool(size=1)
    yield made
    made.close()


def value(pool: WorkerPool, expression: str) -> Any:
    outcome = json.loads(pool.submit(Attack(expression), 30).future.result(30))
    return eval(outcome["value"])


def failure(pool: WorkerPool, expression: str) -> str:
    """The class of the exception that an expression ends with; "" if it does not."""
    tried = f"(lambda: ({expression}))()"
    code = (
        "(lambda scope: exec('try:\\n  " + tried.replace("'", '"') + "\\n  r = str()\\n"
        "except BaseException as e:\\n  r = type(e).__name__', scope) or scope['r'])({})"
    )
    return str(value(pool, code))


def test_there_is_no_environment(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "secret")
    found = value(pool, "dict(__import__('os').environ)")
    assert set(found) <= {"PWD", "LC_CTYPE", "SHLVL", "_", "OLDPWD"}, found


def test_there_are_no_inherited_descriptors(pool: WorkerPool, tmp_path: Path) -> None:
    with open(tmp_path / "open", "w") as file, socket.socket() as other:
        os.set_inheritable(file.fileno(), True)
        os.set_inheritable(other.fileno(), True)
        tolerant = "(lambda os: [os.path.realpath('/proc/self/fd/' + n) for n in os.listdir('/proc/self/fd')])(__import__('os'))"
        found = value(pool, tolerant)
    assert all(name == "/dev/null" or "pipe:" in name or name.startswith("/proc/") for name in found), found


def test_no_process_and_no_file_is_made(pool: WorkerPool, tmp_path: Path) -> None:
    if os.geteuid():
        # The superuser may always start processes.
        assert failure(pool, "__import__('os').fork()") in ("BlockingIOError", "OSError")
    target = tmp_path / "made"
    assert failure(pool, f"open('{target}', 'w').write('x' * 100000)") in ("OSError", "FileNotFoundError", "PermissionError")
    assert not target.exists() or target.stat().st_size == 0


@needs_bubblewrap
def test_homes_sockets_and_what_runs_are_out_of_sight(isolated: WorkerPool, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for place in (
        str(tmp_path / "secret"),
        places.folder(),
        os.path.expanduser("~/.ssh"),
        "/etc/passwd",
        os.path.expanduser("~/.bashrc"),
        "/run",
    ):
        assert value(isolated, f"__import__('os').path.exists('{place}')") is False, place
    processes = value(isolated, "[n for n in __import__('os').listdir('/proc') if n.isdigit()]")
    assert len(processes) <= 3, processes
    assert failure(isolated, f"__import__('os').kill({os.getpid()}, 0)") == "ProcessLookupError"
    assert failure(isolated, "open('/usr/x', 'w')") == "OSError"
    assert failure(isolated, "open('/x', 'w')") == "OSError"


@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser's processes could change or read more than everybody's")
def test_a_worker_of_the_superuser_sees_nothing_of_the_kernel(isolated: WorkerPool) -> None:
    assert value(isolated, "__import__('os').listdir('/proc/sys')") == []
    for name in ("kallsyms", "slabinfo", "keys", "timer_list"):
        assert failure(isolated, f"open('/proc/{name}').read()") in ("PermissionError", "FileNotFoundError"), name


@needs_bubblewrap
def test_there_is_no_network(isolated: WorkerPool) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        connect = f"__import__('socket').create_connection(('127.0.0.1', {port}), 2)"
        assert failure(isolated, connect) in ("ConnectionRefusedError", "OSError")


def test_a_worker_that_asks_for_effects_without_leave_is_ended(pool: WorkerPool) -> None:
    # The messages of a worker go to the first descriptors behind the standard ones.
    frame = "b'C' + (2).to_bytes(4, 'big') + b'{}'"
    ask = f"[__import__('os').write(4, {frame}), __import__('time').sleep(20)]"
    with pytest.raises(Died):
        pool.submit(Attack(ask), 30).future.result(10)


def test_how_a_worker_died_is_told(pool: WorkerPool) -> None:
    with pytest.raises(Died) as death:
        pool.submit(Attack("__import__('os').kill(__import__('os').getpid(), 11)"), 30).future.result(30)
    assert death.value.signal == 11
    assert value(pool, "1 + 1") == 2


def test_a_killed_pool_leaves_no_process(pool: WorkerPool) -> None:
    run = pool.submit(Attack("__import__('time').sleep(60)"), 60)
    until(run.future.running)
    until(lambda: bool(pool.processes()))
    (process,) = pool.processes()
    pool.close()
    until(lambda: not os.path.exists(f"/proc/{process}"))


def test_generated_code_has_no_builtins() -> None:
    made = Translation(Program.of(module("fn main() -> Int { 40 + 2 }")), 0, False, False)
    assert made.make is not None
    assert made.make.__globals__["__builtins__"] == {}
    assert not {"open", "eval", "exec", "__import__", "getattr"} & made.make.__globals__.keys()


def test_results_are_the_same_without_isolation(pool: WorkerPool) -> None:
    job = Job(packed(module("fn main() -> Int { 40 + 2 }")))
    assert json.loads(pool.submit(job, 30).future.result(30))["result"] == "42"


def test_limits_are_those_of_the_launch() -> None:
    launch = Launch(("/bin/sh", "-c", "ulimit -n; ulimit -f"), limits=Limits(open_files=17, file_size=512 * 100))
    process = Launcher().start(launch, stdout=-1)
    assert process.communicate(timeout=30)[0].split() == [b"17", b"100"]


def test_signals_behind_bubblewrap_and_shells() -> None:
    assert [signal_of(status) for status in (None, 0, 1, -9, 137, 139)] == [0, 0, 0, 9, 9, 11]


FORKS = """
import os, time
print(open("/proc/self/cgroup").read())
forked = 0
try:
    while forked < 9:
        if not os.fork():
            time.sleep(3)
            os._exit(0)
        forked += 1
except OSError:
    pass
print(forked, flush=True)
"""


@pytest.mark.skipif(cgroup.delegated() is None, reason="no cgroup v2 is delegated to us")
def test_a_tree_of_processes_is_bounded() -> None:
    process = Launcher(()).start(Launch((sys.executable, "-c", FORKS), processes=5, memory=256 << 20), stdout=-1)
    printed = process.communicate(timeout=60)[0]
    assert b"/boruna-" in printed
    assert printed.split()[-1] == b"4"


@pytest.mark.skipif(cgroup.delegated() is None, reason="no cgroup v2 is delegated to us")
def test_the_memory_of_a_worker_is_bounded_by_a_group(isolated: WorkerPool) -> None:
    process = isolated._start()
    until(lambda: os.path.basename(cgroup.group_of(process.pid) or "").startswith("boruna-"))
    group = cgroup.group_of(process.pid)
    assert group is not None
    assert int(Path(group, "memory.max").read_text()) == GROUP_LIMIT


BURST = """
import mmap
whole = mmap.mmap(-1, 256 << 20)
for place in range(0, 256 << 20, 4096):
    whole[place] = 1
print("done")
"""


@pytest.mark.skipif(cgroup.delegated() is None, reason="no cgroup v2 is delegated to us")
def test_a_process_ends_at_the_memory_of_its_group() -> None:
    for memory, told, status in ((64 << 20, b"", -signal.SIGKILL), (512 << 20, b"done\n", 0)):
        process = Launcher(()).start(Launch((sys.executable, "-c", BURST), memory=memory), stdout=-1)
        assert process.communicate(timeout=120)[0] == told
        assert process.returncode == status


@needs_bubblewrap
def test_a_worker_cannot_take_more_memory_for_itself(isolated: WorkerPool) -> None:
    resource = "__import__('resource')"
    assert failure(isolated, f"{resource}.setrlimit({resource}.RLIMIT_AS, (-1, -1))") in ("ValueError", "PermissionError")
    assert value(isolated, f"{resource}.getrlimit({resource}.RLIMIT_AS)") == (MEMORY_LIMIT * 2, MEMORY_LIMIT * 2)


@needs_bubblewrap
def test_a_start_that_is_cut_short_leaves_no_process() -> None:
    """bubblewrap is killed at many moments of its first milliseconds."""
    mark = f"boruna-cut-short-{os.getpid()}"
    for number in range(60):
        process = shared_launcher().start(Launch(("/bin/sleep", "60", mark)))
        ends = time.monotonic() + number / 5000
        while time.monotonic() < ends:
            continue
        kill(process)
        process.wait()

    def is_running() -> bool:
        return mark in subprocess.run(["ps", "-ww", "-eo", "args="], capture_output=True, text=True, check=True).stdout

    until(lambda: not is_running())
