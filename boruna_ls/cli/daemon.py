"""`boruna-ls daemon`: looks at the user's daemon, ends it, replaces it, shows its log. Only `restart` starts one."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, NoReturn

import click

from boruna_ls.cli.output import complain, counted, note, visible, write_state
from boruna_ls.rendezvous import ask, endpoint, locks, places, start

_SECONDS_TO_ANSWER: Final = 5.0
_SECONDS_TO_END: Final = 20.0
_PAUSE: Final = 0.05
_FOLLOW: Final = 0.25
_NONE: Final = "no daemon is running; an editor or an agent starts one"


@click.group(short_help="Inspect or end the daemon.")
def command() -> None:
    """The process that serves your editors and agents: one for all, started on demand, ended after the last client."""


@command.command(short_help="Show the daemon, its clients and its workspaces.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(as_json: bool) -> int:
    """Shows the daemon, its clients and its workspaces. Exit status 1 if none runs."""
    state = _answer_to("status")
    if as_json:
        write_state({"running": False, "folder": places.folder()} if state is None else {"running": True, **state})
    elif state is None:
        note(_NONE)
    else:
        for line in _shown(state):
            print(visible(line))
    return 1 if state is None else 0


@command.command(short_help="End the daemon.")
def stop() -> int:
    """Ends the daemon now. Connected clients start another one when they need it."""
    ended = _ended()
    if ended is None:
        note("no daemon runs")
        return 0
    note(f"the daemon (process {ended['pid']}) has ended")
    if ended["clients"]:
        note(f"{counted(ended['clients'], 'client')} will start another one: to prevent that, close them")
    return 0


@command.command(short_help="Replace the daemon by a new one.")
def restart() -> int:
    """Ends the daemon and starts another one. Editors and agents continue with it; nothing has to be reopened."""
    before = _ended()
    try:
        connection, _ = start.connect(places.folder(), "")
    except start.NoDaemon as error:
        complain(str(error))
        return 1
    connection.close()
    now = _answer_to("status")
    if now is None:
        complain("the daemon ended as soon as it was started; `boruna-ls daemon logs` may say why")
        return 1
    instead = f" instead of process {before['pid']}" if before is not None else ""
    note(f"the daemon is process {now['pid']}{instead}, version {now['version']}")
    return 0


@command.command(short_help="Show the daemon's log.")
@click.option("-n", "--lines", type=click.IntRange(min=0), default=50, show_default=True, help="Number of lines.")
@click.option("-f", "--follow", is_flag=True, help="Follow the log until interrupted.")
def logs(lines: int, follow: bool) -> int:
    """Shows the last lines of the log, which stays after the daemon has ended. Exit status 1 if there is none."""
    path = places.log_path(places.folder())
    files = [each for each in (f"{path}.2", f"{path}.1", path) if os.path.exists(each)]
    if not files and not follow:
        complain(f"there is no log in {places.folder()}: no daemon has run there, or its log was deleted")
        return 1
    for line in deque((line for each in files for line in _lines(each)), lines):
        print(visible(line))
    errors = places.errors_path(places.folder())
    if os.path.exists(errors) and os.path.getsize(errors):
        note(f"the daemon also wrote to {errors}")
    if follow:
        _follow(path)
    return 0


def _answer_to(question: str) -> dict[str, Any] | None:
    try:
        return ask.ask(places.folder(), question)
    except places.BadFolder as error:
        raise click.ClickException(str(error)) from None
    except (OSError, ValueError) as error:
        _unanswered(error)


def _ended() -> dict[str, Any] | None:
    """Ends the daemon; what it said, or None if none ran. One that does not answer is killed."""
    folder, pid = places.folder(), _daemon_pid()
    try:
        answer = ask.ask(folder, "stop", _SECONDS_TO_ANSWER)
    except places.BadFolder as error:
        raise click.ClickException(str(error)) from None
    except (OSError, ValueError) as error:
        # The number was written by the lock's holder, so it is the daemon's.
        if pid is None or pid != _daemon_pid() or not locks.is_held(places.lock_path(folder)):
            _unanswered(error)
        note(f"the daemon (process {pid}) does not answer; killing it")
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        answer = {"pid": pid, "clients": 0}
    deadline = time.monotonic() + _SECONDS_TO_END
    while locks.is_held(places.lock_path(places.folder())) and _daemon_pid() in (None, answer and answer["pid"]):
        if time.monotonic() > deadline:
            _unanswered("it is still running")
        time.sleep(_PAUSE)
    return answer


def _daemon_pid() -> int | None:
    """The process that serves now: clients may have started another one already."""
    pid = endpoint.read(places.folder()).get("pid")
    return pid if isinstance(pid, int) else None


def _unanswered(reason: object) -> NoReturn:
    pid = _daemon_pid()
    mend = f"; end process {pid} by hand" if pid else ""
    raise click.ClickException(f"the daemon does not answer ({reason}){mend}")


def _shown(state: dict[str, Any]) -> Iterator[str]:
    since = datetime.fromtimestamp(state["since"]).strftime("%Y-%m-%d %H:%M:%S")
    yield f"process {state['pid']}, version {state['version']}, wire {state['wire']}, since {since}"
    yield f"folder  {state['folder']}"
    yield f"log     {state['log']}"
    if state["memory"]:
        limit = f" of {state['memory_limit'] / 1e6:.0f} MB" if "memory_limit" in state else ""
        yield f"memory  {state['memory'] / 1e6:.0f}{limit or ' MB'}"
    yield f"busy    {counted(state['queue'], 'job')}, {counted(state['runs'], 'program')}"
    if state["retiring"]:
        yield f"will be replaced by version {state['retiring']} at a quiet moment"
    yield f"{counted(len(state['clients']), 'client')}" + (
        "" if state["clients"] else f"; it ends {state['idle']:g} s after the last"
    )
    if refused := state.get("refused"):
        yield f"no descriptor was left for {counted(refused, 'client')} (ulimit -n): each of them runs its own server"
    for disk in state.get("silent_disks", ()):
        yield f"the disk at {disk} does not answer: files on it are not read until it does"
    for client in state["clients"]:
        where = client.get("url") or ", ".join(client.get("roots") or []) or client["cwd"]
        unsaved = f", {counted(len(client['open']), 'file')} open" if client.get("open") else ""
        waiting = f", {counted(client['jobs'], 'job')} waiting" if client.get("jobs") else ""
        held = f", {client['characters'] / 1e6:.1f} MB of text" if client.get("characters", 0) > 50_000 else ""
        yield f"  {client['protocol']:<4} process {client['pid']}, {where}{unsaved}{held}{waiting}"
    workspaces = [each for each in state["workspaces"] if each["files"]]
    yield counted(len(workspaces), "workspace")
    for each in workspaces:
        name = each["root"] or "(files outside any workspace)"
        how = {"events": ", disk watched", "polled": ", disk polled"}.get(each["watching"], "")
        files = f"{counted(each['files'], 'file')} known, {each['open']} open in editors"
        yield f"  {name}: revision {each['revision']}, {files}{how}"


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _follow(path: str) -> None:
    """Prints what is added to a file, which may be replaced by another one, until interrupted."""
    position = os.path.getsize(path) if os.path.exists(path) else 0
    while True:
        time.sleep(_FOLLOW)
        try:
            size = os.path.getsize(path)
            # A shorter one is a new one.
            position = 0 if size < position else position
            with open(path, encoding="utf-8", errors="replace") as file:
                file.seek(position)
                text = file.read()
                position = file.tell()
        except OSError:
            continue
        if text:
            print(visible(text), end="", flush=True)
