"""Connects a client to the user's daemon and starts one if none runs. Of concurrent clients one starts it; the others wait.

That client holds the daemon's lock and passes it to the process that it starts, so the lock is never free in between.
Only modules needed to reach a running daemon are imported at once.
"""

from __future__ import annotations

import os
import sys
import time

from boruna_ls import __version__
from boruna_ls.rendezvous import endpoint, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from subprocess import Popen

    from boruna_ls.rendezvous.locks import Lock

HANDS_LOCK_ON = sys.platform != "win32"
"""True if a lock can be passed to another process."""
PATIENCE = 20.0
"""Seconds that a daemon has to come up."""
PAUSE = 0.004
"""Seconds between two turns."""
_FORBIDDEN = "this process may not connect to the daemon in {} ({})"
"""Failure that is reported at once: a sandboxed client will not get access within seconds."""
_TRIES = 2
"""Number of starts of our own daemon if it ends at once."""
_KEPT = frozenset(
    """
    BORUNA_LS_CHECK_LOCKS APPDATA BORUNA_LS_DIR BORUNA_LS_IDLE BORUNA_LS_STATE BORUNA_SANDBOX_BACKEND BORUNA_SANDBOX_DISK_MIB
    BORUNA_SANDBOX_IDLE_S BORUNA_SANDBOX_MAX BORUNA_SANDBOX_MEMORY_MIB BORUNA_SANDBOX_OUTPUT_LIMIT BORUNA_SANDBOX_TIMEOUT_S
    COMSPEC HOME LOCALAPPDATA LOGNAME PATH PATHEXT
    SHELL SSL_CERT_DIR SSL_CERT_FILE
    SYSTEMDRIVE SYSTEMROOT TEMP TMP TMPDIR TZ USER
    USERPROFILE VIRTUAL_ENV WINDIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_STATE_HOME
    """.split()
)
_MEASURING = "BORUNA_LS_COVERAGE"
_MEASURED = ("COVERAGE_", "COV_CORE_")
"""Variables that a daemon gets only while coverage is measured: a configuration of coverage can name code."""
ALLOCATOR = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
"""Environment that a daemon's interpreter reads before our code runs; `daemon/__main__.py` removes it at once.

Python's own allocator returns a megabyte only if all of it is free: after some large files it keeps three
times the memory needed. The C library returns each free page (`process.trim`) and is a few percent slower.
"""
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
_PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


class NoDaemon(OSError):
    """There is no daemon and none could be started; the message is a sentence."""


def connect(folder: str, protocol: str, patience: float = PATIENCE) -> tuple[_socket.socket, str]:
    """A connection to the daemon of a folder, which is started if there is none, and the secret for its hello.

    Raises NoDaemon after `patience` seconds, or as soon as it is clear that there will be none.
    """
    try:
        return endpoint.reach(folder)
    except PermissionError as error:
        raise NoDaemon(_FORBIDDEN.format(folder, error)) from None
    except OSError:
        return Starter(folder, protocol).connect(time.monotonic() + patience, patience)


class Starter:
    """Connects and starts by turns."""

    def __init__(self, folder: str, protocol: str) -> None:
        from boruna_ls.rendezvous import installations

        self._folder = folder
        self._protocol = protocol
        self._own = installations.own(__version__)
        self._starts = 0
        self._child: Popen[bytes] | None = None
        """The daemon that we started and that must take the lock itself; None if it failed to."""

    def connect(self, deadline: float, patience: float) -> tuple[_socket.socket, str]:
        """A connection before the deadline (monotonic). Raises NoDaemon."""
        while True:
            self.start_unless_there()
            time.sleep(PAUSE)
            try:
                return endpoint.reach(self._folder)
            except PermissionError as error:
                raise NoDaemon(_FORBIDDEN.format(self._folder, error)) from None
            except OSError as error:
                if time.monotonic() > deadline:
                    raise NoDaemon(f"the daemon does not answer within {patience:g} seconds ({error})") from None

    def start_unless_there(self) -> None:
        """One turn: starts a daemon if the lock is free; it accepts connections some PAUSEs later. Raises NoDaemon."""
        if self._child is not None and self._child.poll() is None:
            return
        # A client that finds a daemon needs none of this.
        from boruna_ls.rendezvous import locks

        try:
            places.claim(self._folder)
            lock = locks.acquire(places.lock_path(self._folder))
        except OSError as error:
            raise NoDaemon(str(error)) from None
        if lock is None:
            return
        try:
            self._child = start(self._next_command(), self._folder, self._protocol, lock)
        except OSError as error:
            lock.release()
            raise NoDaemon(f"the daemon cannot be started: {error}") from None

    def _next_command(self) -> list[str]:
        import contextlib

        from boruna_ls.rendezvous import installations

        chosen = installations.to_start(self._folder, self._own)
        if chosen.command() == self._own.command():
            if self._starts >= _TRIES:
                raise NoDaemon(f"it ends immediately after its start; {places.errors_path(self._folder)} may say why")
            self._starts += 1
        with contextlib.suppress(OSError):
            # Until it is recorded as working, no client starts it again instead of another installation.
            installations.record(self._folder, chosen._replace(state=installations.TRYING, reason=""))
        return chosen.command()


def environment() -> dict[str, str]:
    """The part of our environment that a daemon gets: it also serves other clients, so our own variables are left out.

    So are variables that determine which code is loaded (`PYTHON…`, `LD_PRELOAD` and the like).
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.upper() in _PROXIES}
    if os.environ.get(_MEASURING):
        kept |= {name: value for name, value in os.environ.items() if name.startswith(_MEASURED)}
    # Also for the processes that it starts.
    kept["PYTHONUTF8"] = "1"
    if _has_glibc():
        kept |= ALLOCATOR
    library = _folder_of_its_library()
    if library:
        kept |= {name: library for name in _LIBRARY_PATHS if name in os.environ}
    return kept


def _has_glibc() -> bool:
    try:
        return hasattr(os, "confstr") and (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (OSError, ValueError):
        return False


def _folder_of_its_library() -> str:
    """The folder of this interpreter's shared library, without which it may not start; "" if it has none.

    A client's own paths are not passed on: other libraries in them would be loaded into the shared daemon.
    """
    import sysconfig

    return str(sysconfig.get_config_var("LIBDIR") or "") if sysconfig.get_config_var("Py_ENABLE_SHARED") else ""


def start(line: list[str], folder: str, protocol: str, lock: Lock) -> Popen[bytes] | None:
    """Starts a daemon that holds the lock from the beginning; `protocol` is that of its first client.

    If locks cannot be passed on, releases the lock and returns the process, which takes the lock or ends at once if another
    daemon was faster. Raises OSError.
    """
    line = [*line, "--folder", folder, "--first", protocol]
    if sys.platform == "win32" or not HANDS_LOCK_ON:
        lock.release()
        return _started(line, folder)
    line += ["--lock", str(lock.descriptor)]
    os.set_inheritable(lock.descriptor, True)
    detach(line, folder)
    lock.leave()
    return None


def detach(line: list[str], folder: str) -> None:
    """Start a detached process that outlives us; its standard error is the daemon's. Raises OSError."""
    if sys.platform == "win32":
        _started(line, folder)
        return
    child = os.fork()
    if child == 0:
        _become(line, folder)
    os.waitpid(child, 0)


def _become(line: list[str], folder: str) -> None:
    """The child: becomes the daemon, detached from our process tree, in its own session and without a folder."""
    if sys.platform == "win32":
        raise OSError("a process cannot become another one there")
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        nothing = os.open(os.devnull, os.O_RDWR)
        try:
            errors = os.open(places.errors_path(folder), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError:
            errors = nothing
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(errors, 2)
        os.execve(line[0], line, environment())
    finally:
        os._exit(127)


def _started(line: list[str], folder: str) -> Popen[bytes]:
    """A process that outlives this one and shows no window, nor do the processes that it starts."""
    import subprocess

    def popen(flags: int) -> Popen[bytes]:
        return subprocess.Popen(
            line, stdin=null, stdout=null, stderr=errors, close_fds=True, cwd=home, env=environment(), start_new_session=True,
            creationflags=flags,
        )  # fmt: skip

    null, home = subprocess.DEVNULL, os.path.dirname(line[0])
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    with open(places.errors_path(folder), "ab") as errors:
        try:
            # Editors put their child processes into a job that ends with them; not every job lets a process leave.
            return popen(flags | getattr(subprocess, "CREATE_BREAKAWAY_FROM_JOB", 0))
        except PermissionError:
            return popen(flags)
