"""Runs tools: checks arguments, computes on the analysis thread, enforces limits, stops abandoned work."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any, Final, NamedTuple

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from analysis.data_classes import replace
from analysis.database import checkpoint
from boruna_ls.answers.diagnostics_text import DiagnosticsText
from boruna_ls.answers.envelope import RawList, as_text, described, failure, limit_exceeded, with_freshness
from boruna_ls.deadline import Deadline
from boruna_ls.mcp.argument_schema import accepted_values, node_at, schema_of
from boruna_ls.mcp.arguments import explained, read, refusal, warnings_of
from boruna_ls.mcp.batch import run_batch
from boruna_ls.mcp.ongoing import OngoingCalls
from boruna_ls.mcp.questions import Peer
from boruna_ls.mcp.quotas import Quota, unlimited
from boruna_ls.mcp.scopes import Scopes
from boruna_ls.mcp.spelling import Links, without_surrogates
from boruna_ls.mcp.tasks import Tasks
from boruna_ls.mcp.tool import (
    Batch,
    Call,
    Deferred,
    LiveProgram,
    ProgramArguments,
    RefusedCall,
    Report,
    Session,
    Tool,
    Unreadable,
    check_source,
    untold,
)
from boruna_ls.mcp.tools import Row, load_apart
from boruna_ls.mcp.toolsets import Selection, Shown
from boruna_ls.runtime.pool_run import CannotStart, DeadlineExceeded, Died, Effects, QueueFull
from boruna_ls.runtime.workers import OWNER_LIMIT, shared_pool
from boruna_ls.workspace import Client, Host, Priority, ask_and_wait

DEADLINE: Final = 60.0
"""Seconds that a call may take, unless the command line says otherwise."""
QUEUE_LIMIT: Final = 1000
"""Calls of one client that may wait or run at once."""
AT_ONCE: Final = 8
"""Calls of one client that the analysis thread is asked for at once; so many answers may be made beyond `room`."""
TEXT_LIMIT: Final = 1_048_576
"""Bytes of an answer's text."""
REFUSED_IN_RESULTS: Final = "2025-11-25"
"""The protocol version from which on every refused call is a result with `isError`."""
_LONG: Final = 50_000
"""Bytes of an outcome that is not made an answer on the event loop."""
_log = logging.getLogger(__name__)


class Answer(NamedTuple):
    """The text of an answer, and its structured content where that is not simply the text's value."""

    text: str
    structured: dict[str, Any] | None = None
    is_error: bool = False
    fault: str = ""
    """Internal error, if there was one: the call's task has then failed instead of completing with an error."""


class Calls:
    """The calls of one client."""

    def __init__(
        self,
        host: Host,
        client: Client,
        selection: Selection,
        deadline: float = DEADLINE,
        quota: Quota | None = None,
        room: Callable[[], Awaitable[None]] = unlimited,
    ) -> None:
        """`quota` is that of the client's principal; `room` returns when the client has taken off enough of its answers."""
        self._host = host
        self.quota = quota or Quota()
        self._room = room
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._reading = asyncio.Lock()
        """Scans one text of a client at a time, because it competes with the analysis thread."""
        self._client = client
        self._tools = selection.callable
        self._reads_only = selection.read_only
        self.templates: Final = selection.templates
        self._deadline = deadline
        self._pending = 0
        self._diagnostics_texts: dict[str, DiagnosticsText] = {}
        self._memory: dict[str, Any] = {}
        self.ongoing: OngoingCalls[Answer] = OngoingCalls()
        """Calls that wait for the client's answers."""
        self.session = Session(Tasks(client, selection.read_only), Shown(selection))

    @property
    def host(self) -> Host:
        """Host that all clients share."""
        return self._host

    @property
    def client(self) -> Client:
        """The client whose calls these are."""
        return self._client

    def scopes(self, name: str, given: Mapping[str, Any]) -> set[str]:
        """Scopes that a client needs for a call."""
        return scopes_needed(self._tools, name, given)

    @property
    def is_idle(self) -> bool:
        """True if no call waits or runs."""
        return self._pending == 0

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """One of the client's few places on the analysis thread, as soon as it has taken off enough of earlier answers."""
        async with self._slots:
            await self._room()
            yield

    def close(self) -> None:
        """The client has disconnected: stops the calls that wait for its answers, and its tasks."""
        self.ongoing.close()
        self.session.tasks.calls.close()

    async def load(self, name: str) -> None:
        """Prepares the tool of a name, if there is one."""
        if (row := self._tools.get(name)) is not None:
            await load_apart((row,))

    def tool(self, name: str) -> Tool[Any] | None:
        """The tool of a name that this client may call."""
        row = self._tools.get(name)
        return None if row is None else row.load()

    async def answer(
        self,
        name: str,
        given: Mapping[str, Any],
        report: Report | None = None,
        version: str = "",
        peer: Peer | None = None,
        become_task: Callable[[], None] = lambda: None,
        scopes: Scopes = None,
    ) -> Answer:
        """The answer of a tool to a client that speaks a version of the protocol. Raises MCPError if the call is refused.

        From version 2025-11-25 on, and of tools that the corpus does not have always, a refusal is an answer: a model sees
        it, a protocol error is often not shown at all.
        """
        row = self._tools.get(name)
        if row is None:
            close = difflib.get_close_matches(name[:200], list(self._tools), n=3, cutoff=0.5)
            hint = f": did you mean {' or '.join(close)}?" if close else ""
            raise MCPError(INVALID_PARAMS, f"tool not found{hint}", {"argument": "name", "did_you_mean": close})
        tool = row.load()
        try:
            return await self._answer(tool, given, report, peer or Peer(), become_task, scopes)
        except MCPError as error:
            if tool.is_recorded and version < REFUSED_IN_RESULTS:
                raise
            return _refused(tool, error, self._host)
        except RefusedCall as refused:
            if tool.is_recorded and version < REFUSED_IN_RESULTS:
                message, field = refused.error["message"], refused.error.get("field")
                raise MCPError(INVALID_PARAMS, message, {**refused.error, "argument": field}) from None
            return _as_answer(failure(error={**refused.error, "example": tool.example}), self._host)._replace(is_error=True)

    async def _answer(
        self,
        tool: Tool[Any],
        given: Mapping[str, Any],
        report: Report | None,
        peer: Peer,
        become_task: Callable[[], None],
        scopes: Scopes,
    ) -> Answer:
        arguments = read(tool.arguments, given)
        deadline = self._deadline if tool.longest is None else max(self._deadline, tool.longest(arguments))
        ends = time.monotonic() + deadline
        warnings = warnings_of(arguments)
        call = Call(self._host, self._client, arguments, self._diagnostics_texts, report is not None, deadline, self._memory)
        call.warnings, call.peer, call.report = warnings, peer, report or untold
        call.become_task, call.session = become_task, self.session._replace(tasks=self.session.tasks.seen_with(scopes))
        call.templates, call.ends, call.principal = self.templates, ends, self.quota.principal
        try:
            return await self._answer_to(tool, call, ends, report)
        except MCPError as error:
            raise explained(error, warnings) from error
        except RefusedCall as refused:
            if warnings:
                refused.error["warnings"] = warnings
            raise

    async def _answer_to(self, tool: Tool[Any], call: Call[Any], ends: float, report: Report | None) -> Answer:
        if isinstance(call.arguments, ProgramArguments):
            check_source(call.arguments)
        for name in tool.running if self._reads_only else ():
            if getattr(call.arguments, name) is not None:
                raise refusal(name, f"argument `{name}` runs programs, and this server only reads (--read-only): leave it out")
        if self.quota.calls >= QUEUE_LIMIT:
            message = f"{QUEUE_LIMIT} calls of this client are already waiting: wait for answers before sending more"
            return _as_answer(limit_exceeded("queue", QUEUE_LIMIT, message), self._host)
        self._pending += 1
        self.quota.calls += 1
        try:
            if call.brings_much():
                async with asyncio.timeout(ends - time.monotonic()), self._reading:
                    await call.apart(call.read_ahead)
            if iscoroutinefunction(tool.run):
                answer = await self._awaited(tool, call, ends)
            else:
                answer = await self._computed(lambda host: _answered(tool, replace(call, host=host)), tool.priority, ends)
            if isinstance(answer, Batch):
                batch, outcomes = answer, await run_batch(answer, ends, report, self.quota)
                answer = await asyncio.to_thread(lambda: _completed(batch.finish(outcomes), tool, call))
            elif isinstance(answer, Deferred):
                answer = await _finished(answer, await self._run(answer, ends, report, call.peer), tool, call)
            return answer
        except QueueFull:
            waiting = shared_pool().waiting_of(self.quota)
            whose = " of this client" if waiting >= OWNER_LIMIT else ""
            waiting = waiting if whose else shared_pool().waiting
            message = f"{waiting} programs{whose} are already queued: call again when some have finished"
            return _as_answer(limit_exceeded("queue", waiting, message), self._host)
        except CannotStart as error:
            raise RefusedCall("Unavailable", str(error)) from None
        except TimeoutError:
            limit = int(call.deadline * 1000)
            message = f"the call took longer than {limit} ms and was stopped"
            if not tool.is_recorded:
                raise RefusedCall("Timeout", message, duration_ms=limit) from None
            return _as_answer(limit_exceeded("deadline", limit, message), self._host)
        except (MCPError, RefusedCall):
            raise
        except Exception as error:
            _log.exception("tool %s failed", tool.name)
            raise MCPError(INTERNAL_ERROR, _internal(tool.name, error)) from error
        finally:
            self._pending -= 1
            self.quota.calls -= 1

    async def _awaited(self, tool: Tool[Any], call: Call[Any], ends: float) -> Answer | Deferred | Batch:
        """The answer of a tool that waits for others; the time in which its client thinks does not count."""
        async with call.peer.bounded(ends - time.monotonic()):
            try:
                outcome = tool.run(call)
                answer = await outcome if isinstance(outcome, Awaitable) else outcome
            except Unreadable as error:
                answer = _unreadable(error, call)
        if isinstance(answer, Deferred | Batch):
            return answer
        return await asyncio.to_thread(_completed, answer, tool, call)

    async def _run(self, deferred: Deferred, ends: float, report: Report | None, peer: Peer) -> bytes | dict[str, Any]:
        """Runs a program in a worker process; cancelling the call stops the run."""
        loop = asyncio.get_running_loop()
        messages: asyncio.Queue[bytes | None] = asyncio.Queue()

        def tell(message: bytes | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended before the run
                loop.call_soon_threadsafe(messages.put_nowait, message)

        deadline = Deadline(ends)
        peer.stops(deadline)
        effects = None if deferred.live is None else await self._effects(deferred.live, deadline, peer)
        run = shared_pool().submit(deferred.job, deadline, tell if report is not None else None, effects, self.quota)
        run.future.add_done_callback(lambda _: tell(None))
        try:
            async with deadline.bound():
                reported = 0
                while (message := await messages.get()) is not None:
                    progress = json.loads(message)
                    # A run whose process was taken for others begins anew.
                    if report is not None and progress["steps"] > reported:
                        reported = progress["steps"]
                        await report(float(reported), None, progress.get("message"))
        except BaseException:
            run.stop()
            raise
        try:
            return run.future.result()
        except DeadlineExceeded:
            raise TimeoutError from None
        except Died as death:
            return deferred.died(death.signal)

    async def _effects(self, live: LiveProgram, deadline: Deadline, peer: Peer) -> Effects:
        """Effects for the capability calls of a live run."""
        from boruna_ls.effects.grants import SessionGrants, granted  # now: most clients never need it
        from boruna_ls.mcp.permission import PeerAsker
        from boruna_ls.upstream.broker import live_broker

        # A network client would answer its own questions: it is not the owner, and cannot give trust.
        can_ask = peer.can("elicit") and not self._client.confined
        asker = PeerAsker(peer, asyncio.get_running_loop()) if can_ask else None
        session = self._memory.setdefault("effects", SessionGrants())
        grant = await asyncio.to_thread(granted, live.name, live.workspace, live.policy, deadline, asker, session)
        return live_broker(self._host).effects_of(grant)

    async def _computed(
        self, job: Callable[[Host], Answer | Deferred | Batch], priority: Priority, ends: float
    ) -> Answer | Deferred | Batch:
        async with asyncio.timeout(ends - time.monotonic()), self.turn():
            return await ask_and_wait(self._host, job, priority, self._client.id)


def scopes_needed(tools: Mapping[str, Row], name: str, given: Mapping[str, Any]) -> set[str]:
    """Scopes that a client needs for a call, whatever its arguments are."""
    row = tools.get(name)
    return set() if row is None else {row.scope}


def _answered(tool: Tool[Any], call: Call[Any]) -> Answer | Deferred | Batch:
    try:
        answer = tool.run(call)
        assert not isinstance(answer, Awaitable)
    except Unreadable as error:
        answer = _unreadable(error, call)
    return answer if isinstance(answer, Deferred | Batch) else _completed(answer, tool, call)


def _unreadable(error: Unreadable, call: Call[Any]) -> dict[str, Any]:
    return with_freshness(failure(error_kind="unreadable", file=call.file_name, message=error.reason), call.host, error.file)


async def _finished(deferred: Deferred, outcome: bytes | dict[str, Any], tool: Tool[Any], call: Call[Any]) -> Answer:
    """The answer for a worker's outcome; a long one is written on another thread, so that other calls do not wait."""

    def finish() -> Answer:
        return _completed(deferred.finish(outcome) if isinstance(outcome, bytes) else outcome, tool, call)

    return await asyncio.to_thread(finish) if len(outcome) > _LONG else finish()


def _completed(answer: dict[str, Any], tool: Tool[Any], call: Call[Any]) -> Answer:
    if call.warnings:
        answer["warnings"] = [*call.warnings, *answer.get("warnings", ())]
    if call.links is not None or call.client.named != call.client.folders:
        answer = (call.links or Links(call.client)).applied(answer)
    return _as_answer(answer, call.host, tool, call)


def _as_answer(answer: dict[str, Any], host: Host, tool: Tool[Any] | None = None, call: Call[Any] | None = None) -> Answer:
    answer = described(answer, host.latest())
    if tool is not None and call is not None and _is_long(answer):
        answer = tool.shorten(answer, TEXT_LIMIT, call)
        checkpoint()
    text = as_text(answer)
    checkpoint()
    if not text.isascii() and (sound := without_surrogates(answer, text)) is not answer:
        answer, text = sound, as_text(sound)
    if tool is not None and call is not None and len(text) * 4 > TEXT_LIMIT and len(text.encode()) > TEXT_LIMIT:
        answer = tool.shorten(answer, TEXT_LIMIT, call)
        checkpoint()
        text = as_text(answer)
    checkpoint()
    return Answer(text, None if tool is None else tool.structured(answer))


def _is_long(answer: dict[str, Any]) -> bool:
    """True if a list in an answer is too long by itself: the text of the whole answer is not assembled then."""
    return any(isinstance(value, RawList) and sum(map(len, value)) > TEXT_LIMIT for value in answer.values())


def _refused(tool: Tool[Any], error: MCPError, host: Host) -> Answer:
    """Result of a call that failed because of its arguments or an internal error."""
    refused: dict[str, Any] = {"message": error.error.message}
    if error.error.code == INTERNAL_ERROR:
        refused["error_type"] = "InternalError"
    else:
        name = str((error.error.data or {}).get("argument"))
        top, *inner = name.partition("[")[0].split(".")
        schema, top = schema_of(tool.arguments), tool.arguments.other_names.get(top, top)
        # Of a name inside of a map or a list the whole argument is described.
        accepted = accepted_values(node_at(schema, [top, *inner]) or node_at(schema, [top]))
        refused |= {"error_type": "ValidationError", "field": name, "accepted": accepted, "example": tool.example}
    fault = error.error.message if error.error.code == INTERNAL_ERROR else ""
    return _as_answer(failure(error=refused), host)._replace(is_error=True, fault=fault)


def _internal(name: str, error: Exception) -> str:
    return (
        f"internal error in {name}: {type(error).__name__}. This is a bug in boruna-ls, not in the call: "
        "retry it, or use another tool; `boruna-ls daemon logs` shows the details for a bug report"
    )
