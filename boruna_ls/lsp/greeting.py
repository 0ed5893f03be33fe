"""The answer to `initialize` from a server that is not loaded yet: what the last one answered to the same words.

Loading the libraries of the protocol takes several times as long as all else for which an editor waits at first. What the server
can do follows from the package and from what the editor says of itself: a server notes it, the next one answers from the note,
and loads then. Imports the standard library only, and little of it. What is noted is never believed of another package.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from boruna_ls import __version__
from boruna_ls.rendezvous.listening import write_whole
from boruna_ls.wire.frames import Frames, framed

if TYPE_CHECKING:
    import asyncio

    from boruna_ls.lsp.early_edits import EarlyEdits
    from boruna_ls.workspace import Client

_MOST: Final = 4
"""Editors that are remembered."""
_LONGEST: Final = 1 << 20
"""Bytes of a first message that is looked at."""
_PLACES: Final = ("processId", "rootUri", "rootPath", "workspaceFolders")
"""Parameters that differ from start to start and do not affect the answer."""


class Begun(NamedTuple):
    """State of a connection when the server takes it over: the bytes that were read, the result that was sent.

    `first` are the editor's first parameters, `client` is its host client if that exists already, and `shown` holds by path the
    diagnostics that `first_diagnostics.py` has sent. `edits` are answered until the server is loaded.
    """

    notes: Notes | None = None
    read: bytes = b""
    result: str | None = None
    first: dict[str, Any] = {}  # noqa: RUF012  never changed
    client: Client | None = None
    shown: dict[str, bytes] = {}  # noqa: RUF012  never changed
    edits: EarlyEdits | None = None


class Notes:
    """Earlier answers, in a file; errors of reading and writing are ignored."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __bool__(self) -> bool:
        return bool(self._answers())

    def result(self, message: Any) -> str | None:
        """The result of a first message as JSON, if the server would answer so for certain."""
        words = _words(message)
        return self._answers().get(words) if words is not None else None

    def learn(self, message: dict[str, Any], result: str) -> None:
        """Notes what the server has answered."""
        words = _words(message)
        answers = self._answers()
        if words is None or len(words) > _LONGEST or answers.get(words) == result:
            return
        answers.pop(words, None)
        kept = dict([*answers.items(), (words, result)][-_MOST:])
        with contextlib.suppress(OSError):
            write_whole(self._path, {"of": _package(), "answers": kept})

    def _answers(self) -> dict[str, str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                notes = json.load(file)
            answers = notes["answers"] if notes["of"] == _package() else {}
            return {words: result for words, result in answers.items() if isinstance(result, str)}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}


async def greet(notes: Notes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Begun:
    """Reads the first message of a connection, and answers it if that can be done from the notes."""
    read, frames, message = b"", Frames(), None
    while message is None and len(read) < _LONGEST and (data := await reader.read(1 << 16)):
        read += data
        message = next((_object(piece.body) for piece in frames.feed(data)), None)
    result = notes.result(message) if message else None
    if message and result is not None:
        id_ = json.dumps(message["id"]).encode()
        writer.write(framed(b'{"jsonrpc": "2.0", "id": %b, "result": %b}' % (id_, result.encode())))
    return Begun(notes, read, result, message["params"] if message and result is not None else {})


def _object(body: bytes | None) -> dict[str, Any]:
    """The object of a message; an empty one for everything else."""
    try:
        message = json.loads((body or b"").decode())
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _words(message: Any) -> str | None:
    """The part of a first message that determines the answer; None if it is uncertain whether the message gets a result."""
    if not isinstance(message, dict) or message.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    id_, params = message["id"], message["params"]
    if message["method"] != "initialize" or isinstance(id_, bool) or not isinstance(id_, int | str):
        return None
    if not isinstance(params, dict) or not _is_plain(params):
        return None
    rest = {name: value for name, value in params.items() if name not in _PLACES}
    return json.dumps([message["jsonrpc"], sorted(params), rest], sort_keys=True)


def _is_plain(params: dict[str, Any]) -> bool:
    process, folders = params.get("processId"), params.get("workspaceFolders")
    return (
        (process is None or (type(process) is int and 0 <= process < 1 << 31))
        and all(params.get(name) is None or isinstance(params[name], str) for name in ("rootUri", "rootPath"))
        and (folders is None or (isinstance(folders, list) and all(map(_is_folder, folders))))
    )


def _is_folder(folder: Any) -> bool:
    return (
        isinstance(folder, dict) and folder.keys() == {"uri", "name"} and all(isinstance(text, str) for text in folder.values())
    )


def _package() -> list[Any]:
    """Another one if the version is, or a module of this view was changed."""
    here = os.path.dirname(__file__)
    times = []
    for folder in (here, os.path.join(here, "features")):
        with os.scandir(folder) as entries:
            times += [entry.stat().st_mtime_ns for entry in entries if entry.name.endswith(".py")]
    return [__version__, len(times), max(times, default=0)]
