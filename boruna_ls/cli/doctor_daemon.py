"""The checks of `boruna-ls doctor` about the daemon and about other installations. One that runs is asked, none is started."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any, Final

from boruna_ls import __version__
from boruna_ls.cli.checkup import Report
from boruna_ls.cli.output import counted
from boruna_ls.rendezvous import ask, endpoint, locks, places

_TIMEOUT: Final = 5.0
_VERSION: Final = re.compile(r"boruna-ls (\S+)")


def daemon() -> Iterator[Report]:
    """The folder in which the daemon is found, what lies there, and the daemon itself."""
    folder = places.folder()
    try:
        places.check(folder)
    except FileNotFoundError:
        yield from _can_be_made(folder)
        return
    except OSError as error:
        yield Report(
            "daemon", "error", str(error), f"until then editors and agents are served without a daemon; {places.VARIABLE}=DIR"
        )
        return
    yield from _log(folder)
    try:
        state = ask.ask(folder, "status", _TIMEOUT)
    except (OSError, ValueError) as error:
        pid = endpoint.read(folder).get("pid")
        mend = f"end process {pid}; editors and agents start another daemon" if pid else "boruna-ls daemon logs may say why"
        yield Report("daemon", "error", f"the daemon in {folder} does not answer ({error})", mend)
        return
    if state is None:
        yield from _absent(folder)
    else:
        yield from _present(folder, state)


def installations() -> Iterator[Report]:
    """Every `boruna-ls` on PATH: with several versions it depends on the starter which one serves."""
    programs: dict[str, str] = {}
    for place in os.environ.get("PATH", "").split(os.pathsep):
        program = shutil.which("boruna-ls", path=place) if place else None
        if program is not None and os.path.realpath(program) not in map(os.path.realpath, programs):
            programs[program] = _version_of(program)
    versions = set(programs.values()) - {"?"}
    if len(versions) > 1:
        listed = ", ".join(f"{version} in {program}" for program, version in programs.items())
        mend = "remove the unused ones; the daemon is that of the newest one in use"
        yield Report("installations", "warning", f"several versions are on PATH: {listed}", mend)
    elif len(programs) > 1:
        yield Report("installations", "ok", f"{len(programs)} on PATH, all of version {next(iter(versions), '?')}")


def _can_be_made(folder: str) -> Iterator[Report]:
    above = os.path.dirname(folder)
    while not os.path.exists(above):
        above = os.path.dirname(above)
    if os.path.isdir(above) and os.access(above, os.W_OK | os.X_OK):
        yield Report("daemon", "ok", f"not running; {folder} is created when it starts")
    else:
        mend = f"set {places.VARIABLE} to another folder; until then editors and agents are served without a daemon"
        yield Report("daemon", "error", f"{folder} cannot be created: {above} is not writable", mend)


def _log(folder: str) -> Iterator[Report]:
    path = places.log_path(folder)
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
            probe.flush()
        if os.path.exists(path):
            with open(path, "ab"):
                pass
    except OSError as error:
        mend = f"free disk space or correct the permissions of {folder}; the daemon still works, but its errors are not logged"
        yield Report("daemon", "warning", f"the log {path} cannot be written: {error.strerror}", mend)


def _absent(folder: str) -> Iterator[Report]:
    if locks.is_held(places.lock_path(folder)):
        pid = endpoint.read(folder).get("pid")
        mend = f"wait a moment; if this persists, end process {pid}" if pid else "wait a moment and try again"
        yield Report("daemon", "warning", f"a daemon is starting or stopping in {folder}", mend)
        return
    left = [
        path
        for path in (places.socket_path(folder), places.endpoint_path(folder), places.lock_path(folder))
        if os.path.lexists(path)
    ]
    if left:
        message = f"not running; a killed daemon left {', '.join(map(os.path.basename, left))} in {folder}"
        yield Report("daemon", "ok", f"{message}, which the next one replaces")
    else:
        yield Report("daemon", "ok", f"not running; an editor or an agent starts one in {folder}")


def _present(folder: str, state: dict[str, Any]) -> Iterator[Report]:
    version, clients = str(state.get("version")), state.get("clients") or []
    message = f"process {state.get('pid')}, version {version}, {counted(len(clients), 'client')}, in {folder}"
    if version == __version__:
        yield Report("daemon", "ok", message)
    else:
        mend = "boruna-ls daemon restart replaces it now; a newer client replaces it when it is idle"
        yield Report("daemon", "warning", f"{message}; this installation is {__version__}", mend)
    for workspace in state.get("workspaces") or []:
        if workspace.get("watching") == "polled":
            mend = "raise fs.inotify.max_user_watches, or leave out folders in boruna.toml; it only takes a little longer"
            yield Report("daemon", "warning", f"{workspace['root']} is polled: the system provides no events", mend)


def _version_of(program: str) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, encoding="utf-8", errors="replace", timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "?"
    match = _VERSION.search(done.stdout)
    return match[1] if match else "?"
