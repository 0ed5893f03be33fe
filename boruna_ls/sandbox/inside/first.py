"""The first process of a sandbox: serves the daemon at the socket that is its standard input, until that ends.

One thread and one selector. As process 1 of its namespace it waits for every orphan, no signal from inside reaches it, and with
its end the kernel ends all others.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Mapping
from typing import Any, Final

from boruna_ls.sandbox.inside import files, measure
from boruna_ls.sandbox.inside.ax import Server
from boruna_ls.sandbox.inside.commands import Commands, Start, yield_processors
from boruna_ls.sandbox.inside.meter import Meter
from boruna_ls.sandbox.inside.place import HOME, PROXY, Limits, Made, make, open_proc
from boruna_ls.sandbox.inside.sessions import Sessions
from boruna_ls.sandbox.messages import Message, Messages, packed

_LOOK: Final = 0.05
"""Seconds between two looks at what the processes use, while there are any."""
_CALM: Final = 0.5
"""The same while no command runs: processes in the background."""
_SLACK: Final = 64 << 20
"""Bytes that one process may have beyond the limit of all, until it is looked at."""
_AX_OWN: Final = 256 << 20
_MOST_WAITED: Final = 256
_QUICK: Final = 1.0
"""Seconds for which a few processes may compute as if they were the owner's."""


class First:
    """The process while it serves."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._messages = Messages()
        self._selector = selectors.DefaultSelector()
        self._proc = open_proc()
        self._commands = Commands(self._selector, self._send, self._proc)
        self._limits = Limits(0, 0, 0, 0)
        self._meter = Meter(self._proc, 0, self._commands.living)
        self._languages: Mapping[str, list[str]] = {}
        self._environment: dict[str, str] = {}
        self._ax: Server | None = None
        self._next_look = 0.0
        self._peak = 0
        self._files = 0
        self._received: list[int] = []
        """Descriptors that came with what is being answered."""

    def serve(self) -> None:
        """Works until the daemon goes away."""
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(woken, selectors.EVENT_READ, lambda: self._wait_for_children(woken))
        self._selector.register(self._control, selectors.EVENT_READ, self._receive)
        while True:
            now = time.monotonic()
            due = self._commands.look(now)
            look = self._look(now)
            waits = [wait for wait in (due, look) if wait is not None]
            for key, _ in self._selector.select(min(waits) if waits else None):
                key.data()

    # ---- requests -----------------------------------------------------------------------------------------------

    def _receive(self) -> None:
        data, self._received, _, _ = socket.recv_fds(self._control, 1 << 18, 1)
        if not data:
            os._exit(0)
        for message in self._messages.feed(data):
            self._answer(message)
        for descriptor in self._received:
            os.close(descriptor)

    def _send(self, header: dict[str, Any], body: bytes) -> None:
        try:
            self._control.sendall(packed(header, body))
        except OSError:
            os._exit(0)

    def _answer(self, message: Message) -> None:
        header, body = message
        number = header["id"]
        try:
            answer = getattr(self, f"_do_{header['do']}")(header, body)
        except files.Refused as error:
            answer = {"error": str(error)}, b""
        except OSError as error:
            answer = {"error": _reason(error, header)}, b""
        if answer is not None:
            self._send({"id": number, **answer[0]}, answer[1])

    def _do_begin(self, header: dict[str, Any], body: bytes) -> None:
        limits = Limits(**{**header["limits"], "cpus": tuple(header["limits"]["cpus"])})
        confinement = make(limits, header["proxy"], self._proc, header.get("guest", False))
        self._limits = limits
        self._meter = Meter(self._proc, limits.memory, self._commands.living)
        self._environment = _environment(header["path"], header["proxy"])
        self._languages = _present(header["languages"], header["path"])
        data = limits.memory + _AX_OWN
        start = Start((), {}, HOME, b"", 3600, 0, data)
        self._ax = Server(start, "/tmp/.warm.ax", self._proc, self._watch, self._selector.unregister)
        if confinement.questions >= 0:
            asked = Sessions(confinement.questions, self._proc)
            self._selector.register(confinement.questions, selectors.EVENT_READ, asked.answer)
        self._tell_begun(header["id"], confinement, header.get("guest", False))

    def _tell_begun(self, number: int, confinement: Made, is_guest: bool) -> None:
        names = [*self._languages, "ax"]
        text = packed(
            {
                "id": number,
                "languages": sorted(names),
                "filtered": confinement.filtered,
                "processes_bounded": confinement.processes_bounded,
            }
        )
        if is_guest:
            self._control.sendall(text)
            return
        home = os.open(HOME, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        listeners = [confinement.listener.fileno()] if confinement.listener is not None else []
        # The daemon measures what is used, and has the home copied, without asking us.
        socket.send_fds(self._control, [text], [self._proc, home, *listeners])
        os.close(home)
        if confinement.listener is not None:
            confinement.listener.close()

    def _watch(self, connection: socket.socket) -> None:
        assert self._ax is not None
        self._selector.register(connection, selectors.EVENT_READ, self._ax.read)

    def _do_execute(self, header: dict[str, Any], body: bytes) -> None:
        """Runs a text in a language, or a command line; answers when it has ended."""
        language, text = header["language"], header["text"]
        folder = files.absolute(header["folder"], HOME)
        if not os.path.isdir(folder):
            raise files.Refused(f"'{files.shown(header['folder'])}' is not a directory: create it first")
        remove, argv = "", ["bash" if _is_found("bash", self._environment["PATH"]) else "sh", "-c", text]
        if language == "ax" or language in self._languages:
            words = ["run", "--disk", "{file}"] if language == "ax" else self._languages[language][1:]
            suffix = ".ax" if language == "ax" else self._languages[language][0]
            remove = self._code_file(text, suffix, folder)
            argv = [word.replace("{file}", remove) for word in words]
        elif language:
            languages = ", ".join(sorted([*self._languages, "ax"]))
            raise files.Refused(f"language '{language}' is not installed in this sandbox: there are {languages}")
        own = _AX_OWN if language == "ax" else _SLACK
        data = self._limits.memory + own
        start = Start(argv, self._environment, folder, body, header["seconds"], header["output"], data)
        self._next_look = 0.0
        assert self._ax is not None
        try:
            self._commands.start(header["id"], start, remove, self._ax.ask if language == "ax" else None)
        except OSError:
            if remove:
                with contextlib.suppress(OSError):
                    os.unlink(remove)
            raise

    def _code_file(self, text: str, suffix: str, folder: str) -> str:
        """The text as a file where it runs, so that it finds its neighbours and errors show its lines."""
        self._files += 1
        path = os.path.join(folder, f".code-{self._files}{suffix}")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        return path

    def _do_cancel(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        command = self._commands.find(header["of"])
        if command is not None:
            self._commands.kill(command, "cancelled")
        return {}, b""

    def _do_read(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        return files.read(files.absolute(header["path"], HOME), header["offset"], header["limit"])

    def _do_write(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        return files.write(files.absolute(header["path"], HOME), body, header["mode"]), b""

    def _do_list(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        return files.listed(files.absolute(header["path"], HOME), header["offset"])

    def _do_changes(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        return files.changes(HOME, header["before"])

    def _do_give(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        number = header["id"]
        count = files.given_out(HOME, lambda entry, data: self._send({"id": number, "entry": entry}, data))
        return {"entries": count}, b""

    def _do_take(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        files.taken_in(HOME, header["entry"], body)
        return {}, b""

    def _do_copy(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        return {"entries": files.copied(self._received[0], HOME)}, b""

    def _do_usage(self, header: dict[str, Any], body: bytes) -> tuple[dict[str, Any], bytes]:
        used = measure.usage(self._proc, self._limits.memory)
        return {"memory": used.memory, "processes": used.processes, "disk": measure.disk(HOME)}, b""

    # ---- what the processes use ---------------------------------------------------------------------------------

    def _look(self, now: float) -> float | None:
        """Ends everything that is beyond a limit; seconds until the next look, None if there is nothing to look at."""
        if now < self._next_look:
            return self._next_look - now
        names = self._commands.living()
        if not names and not self._commands.count:
            self._next_look = 0.0
            return None
        if len(names) > self._limits.processes:
            # At once: what they use takes long to tell.
            self._commands.kill_all("processes")
            self._next_look = now + _LOOK
            return _LOOK
        ran = any(now - command.began > _QUICK for command in self._commands.running.values())
        is_crowd = len(names) > measure.FEW
        if ran or is_crowd:
            yield_processors(self._proc, is_crowd)
        memory = self._meter.memory(names)
        for command in self._commands.running.values():
            command.peak = max(command.peak, memory)
        if memory > self._limits.memory:
            self._commands.kill_all("memory")
        pause = _LOOK if self._commands.count else _CALM
        self._next_look = time.monotonic() + pause
        return pause

    def _wait_for_children(self, woken: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(woken, 4096)
        for _ in range(_MOST_WAITED):
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self._commands.ended(pid, status, used.ru_maxrss * 1024)
        # There are more: the selector brings us back, after the others had their turn.
        signal.raise_signal(signal.SIGCHLD)


def _environment(path: str, with_proxy: bool) -> dict[str, str]:
    variables = {
        "PATH": path,
        "HOME": HOME,
        "USER": "sandbox",
        "LOGNAME": "sandbox",
        "SHELL": "/bin/sh",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TMPDIR": "/tmp",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if with_proxy:
        address = f"http://{PROXY[0]}:{PROXY[1]}"
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            variables |= {name: address, name.upper(): address}
    return variables


def _present(languages: Mapping[str, list[str]], path: str) -> dict[str, list[str]]:
    """The languages whose program is there: by name the suffix of files and the command line."""
    return {name: words for name, words in languages.items() if _is_found(words[1], path)}


def _is_found(program: str, path: str) -> bool:
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in path.split(":"))


def _reason(error: OSError, header: Mapping[str, Any]) -> str:
    name = header.get("path") or header.get("folder") or header["do"]
    return f"'{files.shown(str(name))}': {error.strerror or error}"
