"""Common parts of the tools about sandboxes: the owner of the sandbox, waiting for it, and commands that run."""

from __future__ import annotations

import asyncio
import codecs
import math
import time
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field

from analysis.syntax.escaping import escaped
from boruna_ls.answers.sandbox import outcome
from boruna_ls.mcp.arguments import Arguments, refusal
from boruna_ls.mcp.schemas import INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, RefusedCall
from boruna_ls.sandbox.backend import NotFound, SandboxError
from boruna_ls.sandbox.box import Box, Command, Output, Running
from boruna_ls.sandbox.manager import Sandboxes, shared_sandboxes

T = TypeVar("T")
MOST_SECONDS: Final = 600.0
CONTENT_LIMIT: Final = 1_048_576
_RESERVE: Final = 15.0
"""Seconds that a call may take beyond the time of its command."""
_REPORT_EVERY: Final = 0.2
_SHOWN: Final = 2_000
"""Characters of output in one report."""
Encoding = Literal["utf-8", "base64"]
SandboxPath = Annotated[str, Field(max_length=4096, min_length=1)]
Text = Annotated[str, Field(max_length=CONTENT_LIMIT)]
Seconds = Annotated[float, Field(gt=0, le=MOST_SECONDS)]


class SandboxArguments(Arguments):
    """The sandbox that a tool is about."""

    sandbox_id: str = Field(description="Id of the sandbox", max_length=100)


class CommandArguments(SandboxArguments):
    """Common arguments of commands and programs."""

    stdin: Text | None = Field(None, description="Text for its standard input")
    timeout_s: Seconds | None = Field(None, description="Seconds after which it is ended (default 30, at most 600)")


COMMAND_FIELDS: Final[dict[str, Any]] = {
    "exit_code": INTEGER,
    "stdout": TEXT,
    "stderr": TEXT,
    "duration_ms": {"type": "number"},
    "timed_out": {"type": "boolean"},
    "truncated": {"type": "boolean"},
    "memory_peak_mib": {"type": "number"},
    "ended_by": TEXT,
    "message": TEXT,
    "omitted": OMITTED,
}


async def waited(call: Call[Any], work: Callable[[Sandboxes], T]) -> T:
    """Work that waits for sandboxes, off the event loop; what cannot be done refuses the call."""
    loop = asyncio.get_running_loop()
    manager = await asyncio.to_thread(shared_sandboxes)
    try:
        return await loop.run_in_executor(manager.threads, work, manager)
    except SandboxError as error:
        raise refused(error) from None


def refused(error: Exception) -> RefusedCall:
    """The answer in the words of the specification (chapter 23)."""
    if isinstance(error, NotFound):
        return RefusedCall("NotFound", f"Error: {error}", what=error.name)
    return RefusedCall("SandboxError", f"Error: {error}")


async def in_sandbox(call: Call[Any], work: Callable[[Box], T]) -> T:
    """The same about the call's sandbox."""
    name = call.arguments.sandbox_id
    return await waited(call, lambda manager: work(manager.find(call.principal, name)))


def longest(arguments: CommandArguments) -> float:
    """Seconds that the call of a command may take."""
    return (arguments.timeout_s or MOST_SECONDS) + _RESERVE


async def executed(call: Call[Any], text: str, language: str = "", folder: str = ".") -> dict[str, Any]:
    """Runs a command, tells its output while it runs, and ends it if the call is cancelled."""
    arguments: CommandArguments = call.arguments
    loop = asyncio.get_running_loop()
    news: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
    ended = asyncio.Event()

    def tell(stream: str, data: bytes) -> None:
        loop.call_soon_threadsafe(news.put_nowait, (stream, data))

    def begin(manager: Sandboxes) -> Running:
        settings = manager.settings
        command = Command(
            text=text,
            language=language,
            stdin=(arguments.stdin or "").encode("utf-8", "surrogatepass"),
            seconds=arguments.timeout_s or settings.timeout_s,
            output=settings.output_limit,
            folder=folder,
        )
        output: Output | None = tell if call.wants_progress else None
        return manager.find(call.principal, arguments.sandbox_id).start(command, output)

    running = await waited(call, begin)
    future = asyncio.wrap_future(running.future)
    future.add_done_callback(lambda _: ended.set())
    telling = asyncio.ensure_future(_tell(call, news, ended)) if call.wants_progress else None
    try:
        return outcome(await asyncio.shield(future))
    except SandboxError as error:
        raise refused(error) from None
    except asyncio.CancelledError:
        running.cancel()
        raise
    finally:
        if telling is not None:
            telling.cancel()


async def _tell(call: Call[Any], news: asyncio.Queue[tuple[str, bytes]], ended: asyncio.Event) -> None:
    """Reports what has been printed, a few times a second: the number of bytes so far, and the end of what is new."""
    total, last = 0.0, -math.inf
    decoders = {name: codecs.getincrementaldecoder("utf-8")("replace") for name in ("stdout", "stderr")}
    while not ended.is_set():
        stream, data = await news.get()
        texts = [decoders[stream].decode(data)]
        total += len(data)
        await asyncio.sleep(max(last + _REPORT_EVERY - time.monotonic(), 0))
        while not news.empty():
            stream, data = news.get_nowait()
            total += len(data)
            texts.append(decoders[stream].decode(data))
        last = time.monotonic()
        await call.report(total, None, escaped("".join(texts)[-_SHOWN:]))


def check_path(path: str, name: str = "path") -> None:
    """Refuses texts that cannot be paths."""
    if "\0" in path:
        raise refusal(name, f"argument `{name}` contains a NUL, which is invalid in paths")
    if "\ud800" <= max(path, default="") <= "\udfff" or any("\ud800" <= char <= "\udfff" for char in path):
        raise refusal(name, f"argument `{name}` contains half a character (a lone surrogate)")
