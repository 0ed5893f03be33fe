"""One sandbox as the daemon sees it: what it can be asked, whatever backend it runs on. All methods may wait for its answer."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import Any, Final, NamedTuple, TypeVar

from boruna_ls import lock_order
from boruna_ls.sandbox.backend import MIB, Closable, Place, SandboxError, Spec
from boruna_ls.sandbox.channel import Channel, Gone, Reply
from boruna_ls.sandbox.messages import Malformed

PATIENCE: Final = 10.0
"""Seconds in which anything but a command is answered, else the sandbox is ended."""
COPY_PATIENCE: Final = 60.0
"""The same for a copy of another one."""
GRACE: Final = 10.0
"""Seconds beyond its time that a command may take to be ended."""
_KILLED: Final = -9
"""Status of a command that the kernel has killed."""
_LARGEST: Final = 1 << 53
"""Numbers up to this one are the same in every reader of JSON."""
_KINDS: Final = ("file", "directory", "symlink", "other")
T = TypeVar("T")
Output = Callable[[str, bytes], None]
"""Receives the stream ("stdout", "stderr") and its bytes, on another thread."""


class Outcome(NamedTuple):
    """The outcome of a command. `ended_by`: "" or "timeout", "cancelled", "memory", "processes", "not started".

    `total` are the bytes that it printed, `tail` the last ones of what is not in `stdout` and `stderr`.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    duration_ms: float
    ended_by: str
    memory_peak: int
    total: tuple[int, int]
    tail: tuple[bytes, bytes]


class Used(NamedTuple):
    """Bytes of memory, processes, bytes of files."""

    memory: int
    processes: int
    disk: int


class Command(NamedTuple):
    """Text that is executed: a program in a language, or, without one, a command line."""

    text: str
    language: str = ""
    stdin: bytes = b""
    seconds: float = 30.0
    output: int = MIB
    folder: str = "."


class Running:
    """A command that runs: `future` gets its outcome."""

    def __init__(self, box: Box, command: Command, output: Output | None) -> None:
        self._box = box
        self._parts: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        self._output = output
        self.future: Future[Outcome] = Future()
        header = {
            "do": "execute",
            "language": command.language,
            "text": command.text,
            "folder": command.folder,
            "seconds": command.seconds,
            "output": command.output,
        }
        self._header = header
        asked = box.channel.request(header, command.stdin, self._part, 2 * command.output)
        self._timer = threading.Timer(command.seconds + GRACE, box.fail, ("the sandbox did not end a command in time",))
        self._timer.daemon = True
        self._timer.start()
        asked.add_done_callback(self._command_ended)

    def cancel(self) -> None:
        """Ends the command and what it has started; its outcome says so."""
        try:
            self._box.channel.request({"do": "cancel", "of": self._header["id"]})
        except SandboxError:
            return

    def _part(self, header: dict[str, Any], body: bytes) -> None:
        stream = header.get("stream")
        if not isinstance(stream, str) or stream not in self._parts:
            raise Malformed("no stream")
        self._parts[stream].append(body)
        if self._output is not None:
            self._output(stream, body)

    def _command_ended(self, asked: Future[Reply]) -> None:
        self._timer.cancel()
        self._box.leave()
        try:
            self.future.set_result(self._outcome(asked.result()))
        except Malformed as error:
            self._box.fail(f"the sandbox was ended: it sent an invalid message ({error})")
            self.future.set_exception(Gone(str(error)))
        except Exception as error:
            self.future.set_exception(error)

    def _outcome(self, reply: Reply) -> Outcome:
        first, second = reply.sizes("tails")
        if first + second != len(reply.body):
            raise Malformed("tails")
        status = reply.integer("exit_code", 255, -255)
        return Outcome(
            exit_code=status,
            stdout=b"".join(self._parts["stdout"]),
            stderr=b"".join(self._parts["stderr"]),
            duration_ms=reply.number("duration_ms"),
            ended_by=reply.text("ended_by", 40) or ("memory" if status == _KILLED and self._box.place.overran() else ""),
            memory_peak=reply.integer("peak"),
            total=reply.sizes("totals"),
            tail=(reply.body[:first], reply.body[first:]),
        )


class Box:
    """A sandbox. `name` is its id, `owner` the principal that sees it. Times are of the monotonic clock, `created` of the day."""

    def __init__(self, name: str, owner: str, place: Place, spec: Spec) -> None:
        self.name = name
        self.owner = owner
        self.place = place
        self.spec = spec
        self.created = time.time()
        self.used = time.monotonic()
        self.ended = ""
        """Reason why the sandbox has ended; "" while it lives."""
        self.languages: list[str] = []
        self.facts: dict[str, Any] = {}
        self.before: dict[str, str] = {}
        """Text of the files that it began with."""
        self.in_use = 0
        self.excesses = 0
        """Looks from outside, one after the other, at which it used far more than its limits."""
        self._proxy: Closable | None = None
        self._lock = lock_order.leaf()
        self.channel = Channel(place.socket, self._channel_ended)

    def begin(self) -> None:
        """Set the place up through its first process. Raises SandboxError."""
        reply = self._ask({"do": "begin", **self.place.begin(self.spec)})
        received, self.channel.received = self.channel.received, []
        self.place.begun(received)
        if self.spec.network is not None:
            self._proxy = self.place.proxy(self.spec.network.hosts)
        self.languages = [language for language in reply.items("languages", 64) if isinstance(language, str)]
        self.facts = {
            **self.place.facts(),
            "seccomp": reply.flag("filtered"),
            "processes": "kernel" if reply.flag("processes_bounded") else "watched",
        }

    # ---- what it is asked ---------------------------------------------------------------------------------------

    def start(self, command: Command, output: Output | None = None) -> Running:
        """Starts a command. Raises SandboxError."""
        self.enter()
        try:
            return Running(self, command, output)
        except BaseException:
            self.leave()
            raise

    def read(self, path: str, offset: int, limit: int) -> tuple[bytes, int]:
        """A part of a file, and the size of the whole."""
        reply = self._ask({"do": "read", "path": path, "offset": offset, "limit": limit})
        if len(reply.body) > limit:
            raise Gone(self.fail("the sandbox was ended: it sent more than was asked for"))
        return reply.body, self._checked(lambda: reply.integer("size"))

    def write(self, path: str, content: bytes, mode: int | None = None) -> int:
        """Replaces a file; its size."""
        self._ask({"do": "write", "path": path, "mode": mode}, content)
        return len(content)

    def list(self, path: str, offset: int = 0) -> tuple[list[dict[str, Any]], int]:
        """Entries of a folder from one on, and how many there are."""
        reply = self._ask({"do": "list", "path": path, "offset": offset})
        return self._checked(lambda: _entries(reply.body)), self._checked(lambda: reply.integer("total"))

    def usage(self, counts: bool = True) -> Used:
        """Present usage. With `counts` False the request does not count as using the sandbox."""
        before = self.used
        reply = self._ask({"do": "usage"})
        if not counts:
            self.used = before
        return self._checked(lambda: Used(reply.integer("memory"), reply.integer("processes"), reply.integer("disk")))

    def changes(self) -> Changes:
        """Differences to the files that the sandbox began with."""
        digests = {path: hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for path, text in self.before.items()}
        reply = self._ask({"do": "changes", "before": digests})
        return self._checked(lambda: _changes(reply))

    def copy_to(self, other: Box) -> None:
        """Puts all folders, files and links of the home into another sandbox; through us where their places share no kernel."""
        if self.place.home >= 0 and other.place.home >= 0:
            self.enter()
            try:
                other.take_from(self.place.home)
            finally:
                self.leave()
            return
        failed: list[Future[Reply]] = []

        def pass_on(header: dict[str, Any], body: bytes) -> None:
            asked = other.channel.request({"do": "take", "entry": _entry(header.get("entry"))}, body)
            failed.append(asked)
            if len(failed) > 32:
                failed.pop(0).result(PATIENCE)

        self._ask({"do": "give"}, part=pass_on, most=self.spec.disk_mib * MIB)
        for asked in failed:
            asked.result(PATIENCE)

    def take_from(self, home: int) -> None:
        """Copies the home of another sandbox. Raises SandboxError."""
        self._ask({"do": "copy"}, descriptor=home, patience=COPY_PATIENCE)

    @property
    def last_used(self) -> float:
        """Time of the last use, in seconds since the epoch."""
        return time.time() - (time.monotonic() - self.used)

    # ---- its life -----------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Mark the sandbox as in use."""
        with self._lock:
            self.in_use += 1
            self.used = time.monotonic()

    def leave(self) -> None:
        """And does not any more."""
        with self._lock:
            self.in_use -= 1
            self.used = time.monotonic()

    def fail(self, reason: str) -> str:
        """Ends it because it misbehaves; gives the reason."""
        self.ended = self.ended or reason
        self.channel.end(reason)
        threading.Thread(target=self.place.destroy, daemon=True).start()
        return reason

    def destroy(self) -> None:
        """Ends it; when this returns its processes are dead and its files gone."""
        self.ended = self.ended or "it was destroyed"
        # First, so that waiting callers get the reason.
        self.channel.end(f"the sandbox has ended: {self.ended}")
        self.place.destroy()
        self.channel.close()
        if self._proxy is not None:
            self._proxy.close()

    def _channel_ended(self, reason: str) -> None:
        self.ended = self.ended or reason

    def _ask(
        self,
        header: dict[str, Any],
        body: bytes = b"",
        part: Any = None,
        most: int = 0,
        *,
        descriptor: int = -1,
        patience: float | None = None,
    ) -> Reply:
        patience = patience or PATIENCE
        self.enter()
        try:
            return self.channel.request(header, body, part, most, descriptor).result(patience)
        except NotInTime:
            raise Gone(self.fail(f"the sandbox did not answer within {patience:.0f} s and was ended")) from None
        finally:
            self.leave()

    def _checked(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except Malformed as error:
            raise Gone(self.fail(f"the sandbox was ended: it sent an invalid message ({error})")) from None


class Changes(NamedTuple):
    """`texts` by path; None for what is too long or not text. `cut`: there may be more."""

    texts: Mapping[str, bytes | None]
    removed: list[str]
    cut: bool


def _changes(reply: Reply) -> Changes:
    texts: dict[str, bytes | None] = {}
    at = 0
    for change in reply.items("changes", 1000):
        if not isinstance(change, dict) or not isinstance(change.get("path"), str):
            raise Malformed("a change")
        length = change.get("length")
        if length is None:
            texts[change["path"]] = None
        elif isinstance(length, int) and 0 <= length <= len(reply.body) - at:
            texts[change["path"]] = reply.body[at : at + length]
            at += length
        else:
            raise Malformed("a change")
    return Changes(texts, [path for path in reply.items("removed", 10_000) if isinstance(path, str)], reply.flag("cut"))


def _entries(body: bytes) -> list[dict[str, Any]]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise Malformed("entries") from None
    if not isinstance(data, list) or len(data) > 1000:
        raise Malformed("entries")
    entries = []
    for item in data:
        if not isinstance(item, dict) or item.get("kind") not in _KINDS or not isinstance(item.get("name"), str):
            raise Malformed("an entry")
        size, modified, target = item.get("size"), item.get("modified"), item.get("target")
        if not isinstance(size, int) or not isinstance(modified, int | float) or not isinstance(target, str | None):
            raise Malformed("an entry")
        # Written as it is, any other number would spoil the whole answer.
        if not 0 <= size < _LARGEST or not -_LARGEST < modified < _LARGEST:
            raise Malformed("a number of an entry")
        entry = {"name": item["name"][:1024], "kind": item["kind"], "size": size, "modified": modified}
        entries.append(entry | ({"target": target[:1024]} if target is not None else {}))
    return entries


def _entry(given: Any) -> dict[str, Any]:
    """Entry that one sandbox passes to another, reduced to the permitted fields."""
    if not isinstance(given, dict) or given.get("kind") not in ("file", "folder", "link"):
        raise Malformed("an entry")
    return {name: given.get(name) for name in ("path", "mode", "kind", "target", "first")}
