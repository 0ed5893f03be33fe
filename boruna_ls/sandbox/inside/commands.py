"""Commands: processes that the daemon asked for, their output as far as it is wanted, and their end."""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import os
import resource
import selectors
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from boruna_ls.sandbox.inside import measure, system
from boruna_ls.sandbox.messages import CHUNK

TAIL: Final = 8192
"""Bytes of the end of an output that is too long."""
_PAUSE: Final = 0.01
"""Seconds between two reads of a discarded output: a command that prints without end gets little of the processor."""
_LAST_READS: Final = 64
_LOWEST: Final = 19
_CROWD: Final = 64
"""Processes among which those of one command are not looked for."""
OPEN_FILES: Final = 512
"""Descriptors of a process; those from OPEN_FILES - 4 on are reserved for our own processes."""
Send = Callable[[dict[str, Any], bytes], None]
Spawn = Callable[[tuple[int, int, int], "Start", Callable[[int], None]], None]
"""Starts a process with these three streams, and tells its number, then or later; 0 if there is none."""


class Start(NamedTuple):
    """Command to execute: `data` bounds the memory that a process takes for itself, in bytes; `output` bytes of each stream."""

    argv: Sequence[str]
    environment: dict[str, str]
    folder: str
    stdin: bytes
    seconds: float
    output: int
    data: int
    mark: str = "BORUNA_COMMAND="
    """An entry of the environment by which its processes are known, wherever they went."""


class Output:
    """One stream of a command: the first bytes are sent on, of the rest the last ones are kept."""

    def __init__(self, name: str, descriptor: int, left: int) -> None:
        self.name = name
        self.descriptor = descriptor
        self.left = left
        self.total = 0
        self.tail = bytearray()


class Command:
    """`remove` is a file that is removed at its end. Times are of the monotonic clock."""

    def __init__(self, number: int, seconds: float, outputs: list[Output], stdin: int, given: memoryview, remove: str) -> None:
        self.id = number
        self.pid = 0
        """The leader of a group of its own; 0 until it has started."""
        self.began = time.monotonic()
        self.ends = self.began + seconds
        self.outputs = outputs
        self.stdin = stdin
        self.given = given
        self.remove = remove
        self.why = ""
        """Reason why we ended it; "" if we did not."""
        self.peak = 0


class Commands:
    """All commands that run, moved by the selector of the first process."""

    def __init__(self, selector: selectors.BaseSelector, send: Send, proc: int) -> None:
        self._selector = selector
        self._send = send
        self._proc = proc
        self.running: dict[int, Command] = {}
        """Running commands, by process number."""
        self._starting: list[Command] = []
        self._killed: set[str] = set()
        """Processes that have been killed and may not have let go of their memory yet."""
        self._paused: dict[int, tuple[float, Output, Command]] = {}
        """Outputs that are read again later, by descriptor."""

    def start(self, number: int, start: Start, remove: str = "", spawn: Spawn | None = None) -> None:
        """Starts a command; `spawn` does it another way than by executing `argv`. Raises OSError.

        `remove` is a file that is removed when the command has ended.
        """
        start = start._replace(mark=_mark(number))
        stdin, give = os.pipe2(os.O_CLOEXEC)
        read_out, stdout = os.pipe2(os.O_CLOEXEC)
        read_error, stderr = os.pipe2(os.O_CLOEXEC)
        try:
            outputs = [Output("stdout", read_out, start.output), Output("stderr", read_error, start.output)]
            command = Command(number, start.seconds, outputs, give, memoryview(start.stdin), remove)
            if spawn is None:
                self._begun(command, _spawn((stdin, stdout, stderr), start, self._proc))
            else:
                self._starting.append(command)
                spawn((stdin, stdout, stderr), start, lambda pid: self._begun(command, pid))
        except BaseException:
            for descriptor in (give, read_out, read_error):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)
        for output in outputs:
            os.set_blocking(output.descriptor, False)
            self._selector.register(output.descriptor, selectors.EVENT_READ, lambda o=output: self._read(o, command))
        os.set_blocking(give, False)
        if start.stdin:
            self._selector.register(give, selectors.EVENT_WRITE, lambda: self._feed(command))
        else:
            self._close_stdin(command)

    def _begun(self, command: Command, pid: int) -> None:
        """The process of a command is known; 0: there is none."""
        if command in self._starting:
            self._starting.remove(command)
        command.pid = pid
        if pid and not command.why:
            self.running[pid] = command
            return
        if pid:
            # It was ended before it had begun.
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        command.why = command.why or "not started"
        self._finish(command, 125 << 8, 0)

    def find(self, number: int) -> Command | None:
        """The command of a request."""
        return next((command for command in (*self.running.values(), *self._starting) if command.id == number), None)

    @property
    def count(self) -> int:
        """Number of commands that run or start."""
        return len(self.running) + len(self._starting)

    def living(self) -> list[str]:
        """All processes that have not been killed; on a busy machine one that has been takes its time to end."""
        names = measure.processes(self._proc)
        self._killed.intersection_update(names)
        return [name for name in names if name not in self._killed]

    def kill(self, command: Command, why: str) -> None:
        """Ends a command with every process it is known to have started; in a crowd of processes, all of them."""
        if len(measure.processes(self._proc)) > _CROWD:
            self.kill_all(why)
            return
        command.why = command.why or why
        if not command.pid:
            return
        with contextlib.suppress(OSError):
            os.killpg(command.pid, signal.SIGKILL)
        if self._kill_family(command):
            # There were others: while none runs, none can be started unnoticed.
            with frozen():
                self._kill_family(command)

    def _kill_family(self, command: Command) -> bool:
        """Ends what a command has started as far as it is found; whether there was any."""
        family = measure.family(self._proc, command.pid, _mark(command.id).encode())
        for pid in family:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self._killed.update(map(str, family))
        return any(pid != command.pid for pid in family)

    def kill_all(self, why: str) -> None:
        """Ends every process of the sandbox but the first."""
        for command in (*self.running.values(), *self._starting):
            command.why = command.why or why
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
        self._killed.update(measure.processes(self._proc))

    def ended(self, pid: int, status: int, peak: int) -> None:
        """A process has ended: if it is a command, its result is sent."""
        command = self.running.pop(pid, None)
        if command is not None:
            self._finish(command, status, peak)

    def _finish(self, command: Command, status: int, peak: int) -> None:
        self._close_stdin(command)
        if command.remove:
            with contextlib.suppress(OSError):
                os.unlink(command.remove)
        for output in command.outputs:
            # What is in the pipe; processes in the background may hold it open for ever.
            for _ in range(_LAST_READS):
                if not self._read_once(output, command):
                    break
        tails = b"".join(bytes(output.tail) for output in command.outputs)
        outcome = {
            "id": command.id,
            "exit_code": os.waitstatus_to_exitcode(status),
            "duration_ms": round((time.monotonic() - command.began) * 1000, 1),
            "ended_by": command.why,
            "peak": max(command.peak, peak),
            "totals": [output.total for output in command.outputs],
            "tails": [len(output.tail) for output in command.outputs],
        }
        for output in command.outputs:
            output.left = 0
        self._send(outcome, tails)

    def look(self, now: float) -> float | None:
        """Ends what has had its time, reads again where it paused; seconds until the next look is due."""
        for command in (*self.running.values(), *self._starting):
            if now >= command.ends and not command.why:
                self.kill(command, "timeout")
        for descriptor, (when, output, command) in list(self._paused.items()):
            if now >= when:
                del self._paused[descriptor]
                self._selector.register(descriptor, selectors.EVENT_READ, lambda o=output, c=command: self._read(o, c))
        every = (*self.running.values(), *self._starting)
        due = [command.ends for command in every if not command.why] + [paused[0] for paused in self._paused.values()]
        return max(min(due) - now, 0.0) if due else None

    # ---- streams ------------------------------------------------------------------------------------------------

    def _read(self, output: Output, command: Command) -> None:
        if not self._read_once(output, command):
            return
        if output.left <= 0:
            self._selector.unregister(output.descriptor)
            self._paused[output.descriptor] = (time.monotonic() + _PAUSE, output, command)

    def _read_once(self, output: Output, command: Command) -> bool:
        """Read once from a stream; True if there was something to read."""
        if output.descriptor < 0:
            return False
        try:
            data = os.read(output.descriptor, CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._forget(output.descriptor)
            output.descriptor = -1
            return False
        output.total += len(data)
        wanted = data[: output.left]
        output.left -= len(wanted)
        if wanted:
            self._send({"id": command.id, "stream": output.name}, wanted)
        if len(data) > len(wanted):
            output.tail += data[len(wanted) :]
            del output.tail[:-TAIL]
        return True

    def _feed(self, command: Command) -> None:
        try:
            written = os.write(command.stdin, command.given[:CHUNK])
        except BlockingIOError:
            return
        except OSError:
            # It does not want any more.
            written = len(command.given)
        command.given = command.given[written:]
        if not command.given:
            self._close_stdin(command)

    def _close_stdin(self, command: Command) -> None:
        if command.stdin >= 0:
            self._forget(command.stdin)
            command.stdin = -1

    def _forget(self, descriptor: int) -> None:
        self._paused.pop(descriptor, None)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(descriptor)
        os.close(descriptor)


def _mark(number: int) -> str:
    return f"BORUNA_COMMAND={number}."


def _spawn(descriptors: tuple[int, int, int], start: Start, proc: int) -> int:
    """Executes a command line; an error goes to its standard error, with the exit status of a shell."""
    pid = os.fork()
    if pid:
        return pid
    try:
        become(descriptors, start, proc)
        name, _, value = start.mark.partition("=")
        os.execvpe(start.argv[0], list(start.argv), {**start.environment, name: value})
    except OSError as error:
        os.write(2, f"{start.argv[0]}: {error.strerror}\n".encode())
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)
    finally:
        os._exit(125)


def become(descriptors: tuple[int, int, int], start: Start, proc: int = -1) -> None:
    """In a new process: its streams, its group, its limits, its folder. `proc` as in the first process, -1 in those it started.

    No session of its own: the scheduler may share the processors by sessions, and all sandboxes are to have one share together.
    """
    os.setpgid(0, 0)
    if proc >= 0:
        # The file is ours to write only while we can be looked at. Where memory runs out after all, these processes go first.
        system.show_memory()
        _write(proc, "self/oom_score_adj", "1000")
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
    os.closerange(3, OPEN_FILES - 4)
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    for which, most in ((resource.RLIMIT_DATA, start.data), (resource.RLIMIT_CPU, int(3600 + start.seconds))):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (most, most))
    os.chdir(start.folder)


@contextlib.contextmanager
def frozen() -> Iterator[None]:
    """Every process but the first stands still meanwhile. The kernel stops all at once, so that none escapes by forking."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGCONT)


def yield_processors(proc: int, is_crowd: bool) -> None:
    """Give all processes idle scheduling, later ones included. This is irreversible.

    An editor's keystroke goes first, however many of them there are. A crowd grows while we look at it, so it is stopped first.
    """
    if _yield_all(proc) and is_crowd:
        with frozen():
            _yield_all(proc)


def _yield_all(proc: int) -> bool:
    """Set all processes to idle scheduling; True if at least one was not set yet."""
    has_yielded = False
    for name in measure.processes(proc)[: measure.MOST_READ]:
        with contextlib.suppress(OSError):
            if os.sched_getscheduler(int(name)) != os.SCHED_IDLE:
                has_yielded = True
                for task in os.listdir(f"/proc/{name}/task"):
                    with contextlib.suppress(OSError):
                        os.sched_setscheduler(int(task), os.SCHED_IDLE, os.sched_param(0))
    ours = os.getsid(0)
    for process, session in measure.sessions(proc).items():
        if session != ours:
            yield_session(proc, str(process), _LOWEST)
    return has_yielded


def yield_session(proc: int, process: str, nice: int) -> bool:
    """Lowers the share of a process's session, where the kernel shares the processors by sessions; it allows few such changes.

    Whether that is done, or need not be.
    """
    try:
        with open(os.open(f"{process}/autogroup", os.O_RDWR | os.O_CLOEXEC, dir_fd=proc), "r+", encoding="ascii") as file:
            if not file.read().endswith(f"nice {nice}\n"):
                file.write(str(nice))
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _write(proc: int, path: str, text: str) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=proc)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)
