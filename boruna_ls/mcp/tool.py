"""What a tool is: one value that holds its description, its arguments and the function that answers.

The function runs on the analysis thread and sees a `Call`; it reads the program through `Call.program`, so that every
tool treats `source` and `path` alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from analysis.inputs import FileId, defect
from boruna_ls.answers.diagnostics_text import DiagnosticsText
from boruna_ls.mcp.arguments import Argument, Arguments, refusal
from boruna_ls.mcp.paths import program_at, resolved
from boruna_ls.mcp.spelling import Links
from boruna_ls.workspace import Client, Host, Priority
from boruna_ls.workspace.disk import SIZE_LIMIT, FileUnavailable

SOURCE: Final = Argument("source", str, "Text of the program; give this or `path`")
PATH: Final = Argument("path", str, "File to read instead of `source`, as an editor has it, saved or not")
FILE_NAME: Final = Argument("file_name", str, "Name of the file in the answer (default `<source>`, or `path`)")
OFFSET: Final = Argument("offset", int, "How many entries of a long answer to leave out at its beginning")
_MOST_TOLD: Final = 32
_DEFAULT_NAME: Final = "<source>"

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Deferred:
    """An answer for which a program must run: `job` goes to a worker process, `finish` makes the answer of what it sends.

    Both functions join what is computed already; they may be called on any thread. `died` gets the number of the signal that
    ended the process, 0 if it was none.
    """

    job: Any
    finish: Callable[[bytes], dict[str, Any]]
    died: Callable[[int], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Batch:
    """An answer for which many programs must run, each bounded by itself; see `batch.run_batch`.

    `jobs` are made when it is their turn. `finish` gets for each job what its process sent, or the exception that says why it
    sent nothing: `Died`, `DeadlineExceeded`, `Stopped`, `QueueFull`. It is called on another thread.
    """

    jobs: tuple[Callable[[], Any], ...]
    finish: Callable[[list[bytes | Exception]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Tool:
    """`answer_fields`: schemas of the answer's own fields; `shorten` makes an answer fit into so many bytes of text.

    `structured` is the answer as structured content where that cannot be the value of the text, else None.
    """

    name: str
    title: str
    schema_title: str
    description: str
    arguments: tuple[Argument, ...]
    answer_fields: Schema
    run: Callable[[Call], dict[str, Any] | Deferred | Batch]
    shorten: Callable[[dict[str, Any], int, Call], dict[str, Any]]
    structured: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda answer: None
    needs_program: bool = True
    """Whether the call must name a program, as `source` or as `path`."""
    acts: bool = False
    """Whether a call can change something outside: with live handlers, as far as its policy allows."""
    listed: bool = True
    """Whether the default list shows it; one that it does not show can be called all the same."""
    group: str = "language"
    """The toolset that it belongs to (`toolsets.GROUPS`)."""
    priority: Priority = Priority.REQUEST
    """What it computes before others; a question about a whole workspace gives way to those about one file."""
    scope: str = "read"
    """What a client must be allowed to do: "read" or "run"."""
    running: tuple[str, ...] = ()
    """Arguments of a tool that reads which make it run programs, too: a client needs "run" for them."""
    reads_only: bool = False
    """Whether the arguments in `running` are refused, since the server was started with `--read-only`."""
    example: dict[str, Any] | None = None
    """Arguments of a right call. A refused call of such a tool is a result that says so, not a protocol error."""


@dataclass(slots=True)
class Call:
    """One call of a tool by a client."""

    host: Host
    client: Client
    arguments: Arguments
    told: dict[str, DiagnosticsText]
    """By file name, what the client was told last: bounded, the oldest removed first."""
    wants_progress: bool = False
    deadline: float = 60.0
    """Seconds that the whole call may take."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What tools remember of the client, each under its own name; they keep it small."""
    progress: dict[str, Any] = field(default_factory=dict)
    """What this call has done already: a tool that works in steps goes on from there when it is interrupted by an edit."""
    links: Links | None = None
    """Where the client calls files by other names than we do."""

    @property
    def file_name(self) -> str:
        """The name that the answer gives the file; any text is taken as it is, the empty one, too."""
        name: str | None = self.arguments.values.get("file_name")
        if name is not None:
            return name
        path: str | None = self.arguments["path"]
        return path if path is not None else _DEFAULT_NAME

    @property
    def offset(self) -> int:
        """How many entries of the answer's list the client has already."""
        return self.arguments["offset"] or 0

    def diagnostics_text(self) -> DiagnosticsText:
        """Where diagnostics of this call's file are kept as texts."""
        kept = self.told.pop(self.file_name, None) or DiagnosticsText()
        self.told[self.file_name] = kept
        if len(self.told) > _MOST_TOLD:
            del self.told[next(iter(self.told))]
        return kept

    def program(self, whole: bool = True) -> FileId:
        """The program that the call is about.

        Raises MCPError if it cannot be had; Unreadable if `whole`, and only a part of the file is text that we read: what
        that part comes to would pass for the file's.
        """
        file = self._program()
        if whole and (reason := defect(self.host.db, file)):
            raise Unreadable(file, reason)
        return file

    def _program(self) -> FileId:
        source, path = self.arguments["source"], self.arguments["path"]
        if path is None:
            return self.host.inline(source, self.file_name, self.client.id, libs=self.client.libs)
        try:
            return self.file(path)
        except FileUnavailable as error:
            raise refusal("path", f"argument `path`: {error}") from None

    def file(self, path: str) -> FileId:
        """The file of a path as agents see it. Raises FileUnavailable."""
        asked, found = program_at(self.host, self.client, path)
        if found.path != asked:
            self.links = self.links or Links(self.client)
            self.links.learn(asked, found.path)
        return found

    def resolved(self, path: str) -> str:
        """The absolute path that a path of the client means. Raises FileUnavailable."""
        return resolved(self.host, self.client, path)


class RefusedCall(Exception):
    """A call that cannot be answered, as the result with `isError` says it (spec chapter 21)."""

    def __init__(self, error_type: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.error = {"error_type": error_type, "message": message, **details}


class Unreadable(Exception):
    """A file that is there, but is not text or is too large; an answer, as the call itself is right."""

    def __init__(self, file: FileId, reason: str) -> None:
        super().__init__(reason)
        self.file = file
        self.reason = reason


def check_source(arguments: Arguments) -> None:
    """Refuses a call without a program, with two of them, or with one that is too long."""
    source, path = arguments["source"], arguments["path"]
    if source is None and path is None:
        message = "argument `source` is missing: it must be a string (text of the program), or give `path` (a file)"
        raise refusal("source", message)
    if source is not None and path is not None:
        raise refusal("path", "arguments `source` and `path` exclude each other: give one of them")
    if source is not None and len(source) * 4 > SIZE_LIMIT and len(source.encode()) > SIZE_LIMIT:
        raise refusal("source", "source exceeds 1 MB limit")
