"""Definition of a tool: one value that holds its description, its arguments and the function that answers.

The function gets a `Call`. A plain function runs on the analysis thread and reads the program through `Call.program`, so that
every tool treats `source` and `path` alike. A coroutine function runs on the event loop: it may wait, and ask the client
(`Call.peer`); its computations about programs run on the analysis thread (`Call.analyse`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, ParamSpec, TypeVar
from weakref import ref

from pydantic import Field

from analysis.data_classes import dataclass, field, replace
from analysis.inputs import FileId, defect, source
from analysis.text.affixes import differing
from analysis.text.source import Source as Scanned
from boruna_ls.answers.diagnostics_text import DiagnosticsText
from boruna_ls.mcp.arguments import A, Arguments, Path, Source, refusal
from boruna_ls.mcp.paths import program_at, resolved
from boruna_ls.mcp.questions import Peer
from boruna_ls.mcp.spelling import Links
from boruna_ls.runtime.policy import Policy
from boruna_ls.threads import for_agent
from boruna_ls.workspace import Client, Host, Priority, ask_and_wait
from boruna_ls.workspace.disk import SIZE_LIMIT, FileUnavailable

_MOST_TEXTS: Final = 32
_DEFAULT_NAME: Final = "<source>"
CODE_NAME: Final = "<code>"
"""File name of a text that a call passes as `code`."""
LONG: Final = 50_000
"""Minimum characters of a text that is scanned before the call's turn."""
_LATEST: Final = "latest long program"
"""Key of the client's memory for the text of its latest long program, as a weak reference."""

if TYPE_CHECKING:
    from boruna_ls.mcp.tasks import Tasks
    from boruna_ls.mcp.toolsets import Shown

Schema = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")


class ProgramArguments(Arguments):
    """Arguments of a tool about one program, given as text or as a file."""

    program_text = "source"

    source: Source | None = Field(None, description="Text of the program; give this or `path`")
    path: Path | None = Field(None, description="File to read instead of `source`, with unsaved changes in an editor")


class NamedProgramArguments(ProgramArguments):
    """The same for answers that name the file."""

    file_name: Path | None = Field(None, description="Name of the file in the answer (default `<source>`, or `path`)")


class Hints(NamedTuple):
    """The annotations of a tool; they must hold for every argument that it takes."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


READS: Final = Hints(read_only=True, destructive=False, idempotent=True, open_world=False)
ACTS: Final = Hints(read_only=False, destructive=True, idempotent=False, open_world=True)


class LiveProgram(NamedTuple):
    """A program that is run with live effects: its name for the user, its workspace ("" for none), its policy."""

    name: str
    workspace: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class Deferred:
    """An answer for which a program must run: `job` goes to a worker process, `finish` turns its result into the answer.

    Both functions use only computed facts and may be called on any thread. `died` gets the number of the signal that ended the
    process, 0 if there was none.
    """

    job: Any
    finish: Callable[[bytes], dict[str, Any]]
    died: Callable[[int], dict[str, Any]]
    live: LiveProgram | None = None
    """If set, the capability calls of the run have real effects, within the owner's ceiling."""


@dataclass(frozen=True, slots=True)
class Batch:
    """An answer for which many programs must run, each with its own limits; see `batch.run_batch`.

    Each of `jobs` is made just before it runs. `finish` gets for each job the result of its process, or the exception that
    prevented one: `Died`, `DeadlineExceeded`, `Stopped`, `QueueFull`. It is called on another thread.
    """

    jobs: tuple[Callable[[], Any], ...]
    finish: Callable[[list[bytes | Exception]], dict[str, Any]]


Result = dict[str, Any] | Deferred | Batch
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Reports the progress of a call to the caller: progress, total, message."""


async def untold(progress: float, total: float | None, message: str | None) -> None:
    """Progress callback for callers that want no reports."""


def unshortened(answer: dict[str, Any], limit: int, call: Call[Any]) -> dict[str, Any]:
    """For answers that are already bounded."""
    return answer


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """`answer_fields`: schemas of the answer's own fields; `shorten` makes an answer fit into so many bytes of text.

    `example` are arguments of a correct call, shown in the answer to an invalid one. `structured` is the answer as structured
    content if that cannot be the value of the text, else None. Toolset, scope and listing are in the table
    (`tools/__init__.py`), which is read before this module is imported.
    """

    name: str
    title: str
    description: str
    arguments: type[A]
    answer_fields: Schema
    run: Callable[[Call[A]], Result | Awaitable[Result]]
    example: dict[str, Any]
    shorten: Callable[[dict[str, Any], int, Call[A]], dict[str, Any]] = unshortened
    structured: Callable[[dict[str, Any]], dict[str, Any] | None] = lambda answer: None
    hints: Hints = READS
    task: Literal["never", "when_slow", "always"] = "never"
    """When a call becomes a task, for clients that support tasks: never, after some seconds, or at once."""
    asks: bool = False
    """True if a call may ask its client questions: only then `Call.peer` works, in both generations of the protocol."""
    priority: Priority = Priority.REQUEST
    """Calls about a whole workspace yield to calls about one file."""
    page: str = ""
    """The page (`ui://…`) that shows an answer, for clients that support MCP Apps."""
    longest: Callable[[A], float] | None = None
    """Seconds that a call with these arguments may take, if that can be more than the server's deadline."""
    running: tuple[str, ...] = ()
    """Arguments that make the tool run programs; a read-only server refuses them."""

    @property
    def is_recorded(self) -> bool:
        """True if older clients get a refused call as a protocol error, as the reference's tools answer it."""
        return self.name.startswith("boruna_")


@dataclass(slots=True)
class Call(Generic[A]):
    """One call of a tool by a client."""

    host: Host
    client: Client
    arguments: A
    diagnostics_texts: dict[str, DiagnosticsText]
    """By file name, the last answer to the client: bounded, the oldest removed first."""
    wants_progress: bool = False
    deadline: float = 60.0
    """Seconds that the whole call may take."""
    memory: dict[str, Any] = field(default_factory=dict)
    """Data that tools keep for the client, each under its own name; it stays small."""
    progress: dict[str, Any] = field(default_factory=dict)
    """Results of this call so far: a tool that works in steps resumes from here after an edit interrupts it."""
    warnings: list[str] = field(default_factory=list)
    """Warnings for the client about its arguments."""
    templates: str = ""
    """The folder of templates of the client's server."""
    ends: float | None = None
    """Deadline of the answer, by `time.monotonic`."""
    read: Scanned | None = None
    """The long text of `source`, scanned before the call's turn on the analysis thread."""
    links: Links | None = None
    """Links between the client's names of files and ours, where they differ."""
    peer: Peer = field(default_factory=Peer)
    """The client, to be asked: `await call.peer.elicit(…)`, `.sample(…)`, `.roots()`; for tools with `asks`."""
    report: Report = untold
    """Tells the client how far the call is, if it wants to know."""
    become_task: Callable[[], None] = lambda: None
    """Turns the call into a task now, without waiting whether it is slow; for a tool with `task` "when_slow"."""
    principal: str = ""
    """Principal of the caller, for resources that belong to a principal (`quotas.py`)."""
    session: Session | None = None
    """The client's tasks and toolsets, for the tools that are about them."""

    async def apart(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """For coroutines: runs a blocking function on the caller's threads."""
        # A network client may have any number of sessions.
        owner = self.principal if self.client.confined else self.client.id
        return await for_agent(owner, work, *args, **kwargs)

    async def analyse(self, job: Callable[[Call[A]], T], priority: Priority = Priority.REQUEST) -> T:
        """For coroutines: runs a job on the analysis thread; the job gets the call with one state of the files.

        Cancelling the caller stops the job.
        """
        return await ask_and_wait(self.host, lambda host: job(replace(self, host=host)), priority, self.client.id)

    @property
    def file_name(self) -> str:
        """The name of the file in the answer; any text is used unchanged, even an empty one."""
        # Not by `getattr`: an argument that a tool does not declare can be anything.
        name = self.arguments.file_name if isinstance(self.arguments, NamedProgramArguments) else None
        if name is not None:
            return name
        path = self.arguments.path if isinstance(self.arguments, ProgramArguments) else None
        return path if path is not None else _DEFAULT_NAME

    @property
    def offset(self) -> int:
        """Number of entries of the answer's list that the client already has."""
        offset: int | None = getattr(self.arguments, "offset", None)
        return offset or 0

    def diagnostics_text(self) -> DiagnosticsText:
        """Cache of the texts of diagnostics for this call's file."""
        kept = self.diagnostics_texts.pop(self.file_name, None) or DiagnosticsText()
        self.diagnostics_texts[self.file_name] = kept
        if len(self.diagnostics_texts) > _MOST_TEXTS:
            del self.diagnostics_texts[next(iter(self.diagnostics_texts))]
        return kept

    def program(self, whole: bool = True) -> FileId:
        """The program that the call is about.

        Raises MCPError if it is not available; Unreadable if `whole` and only part of the file is readable text: results for
        that part would look like results for the file.
        """
        file = self._program()
        if whole and (reason := defect(self.host.db, file)):
            raise Unreadable(file, reason)
        return file

    def _program(self) -> FileId:
        arguments = self.arguments
        assert isinstance(arguments, ProgramArguments)
        check_source(arguments)
        source, path = arguments.source, arguments.path
        if path is None:
            assert source is not None
            return self.inline(source, self.file_name)
        try:
            return self.file(path)
        except FileUnavailable as error:
            raise refusal("path", f"argument `path`: {error}") from None

    def inline(self, text: str, name: str) -> FileId:
        """A text that the call passes, in the workspace of an absolute `name`.

        For a client that is confined to its folders the name is a label: only `path` places such a client's programs.
        """
        file = self.host.inline(text, name, self.client.id, path=self._place(name), libs=self.client.libs, read=self.read)
        if len(text) > LONG:
            self.memory[_LATEST] = ref(source(self.host.db, file))
        return file

    @property
    def program_text(self) -> str:
        """The text of a program that the call passes, "" if there is none."""
        name = self.arguments.program_text
        return (getattr(self.arguments, name) or "") if name else ""

    def brings_much(self) -> bool:
        """True if the call passes a long text with many differences from the client's latest: one with few differences is read
        faster than another thread can start."""
        text = self.program_text
        if not LONG < len(text) <= SIZE_LIMIT:
            return False
        latest: ref[Scanned] | None = self.memory.get(_LATEST)
        previous = latest() if latest is not None else None
        return previous is None or differing(previous.text, text) > LONG

    def read_ahead(self) -> None:
        """Scans a long text that the call passes; called on a separate thread."""
        name = self.file_name if isinstance(self.arguments, ProgramArguments) else CODE_NAME
        self.read = self.host.read_ahead(self.program_text, name, self.client.id, self._place(name))

    def _place(self, name: str) -> str:
        return "" if self.client.confined else name

    def file(self, path: str) -> FileId:
        """The file of a path as agents see it. Raises FileUnavailable."""
        asked, file = program_at(self.host, self.client, path)
        if file.path != asked:
            self.links = self.links or Links(self.client)
            self.links.learn(asked, file.path)
        return file

    def resolved(self, path: str) -> str:
        """The absolute path that a path of the client means. Raises FileUnavailable."""
        return resolved(self.host, self.client, path)


class Session(NamedTuple):
    """State of a client besides its calls."""

    tasks: Tasks
    shown: Shown


class RefusedCall(Exception):
    """A refused call; the answer is a result with `isError` (spec chapter 21)."""

    def __init__(self, error_type: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.error = {"error_type": error_type, "message": message, **details}


class Unreadable(Exception):
    """A file that exists but is not text or is too large; this is an answer, because the call itself is valid."""

    def __init__(self, file: FileId, reason: str) -> None:
        super().__init__(reason)
        self.file = file
        self.reason = reason


def check_source(arguments: ProgramArguments) -> None:
    """Refuses a call without a program, or with two of them."""
    if arguments.source is None and arguments.path is None:
        message = "argument `source` is missing: it must be a string (text of the program), or give `path` (a file)"
        raise refusal("source", message)
    if arguments.source is not None and arguments.path is not None:
        raise refusal("path", "arguments `source` and `path` exclude each other: give one of them")
