"""Common parts of the tools that run applications: their arguments, and the way from a call to a task of a worker process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, Field

from boruna_ls.answers.app import CompiledApp, compiled_app
from boruna_ls.answers.run import worker_died
from boruna_ls.framework.machine import MAX_CYCLES
from boruna_ls.framework.messages import Message, message_of
from boruna_ls.mcp.arguments import FIRST_ERROR, JSON_LIMIT, JsonObject
from boruna_ls.mcp.tool import Call, Deferred, NamedProgramArguments
from boruna_ls.runtime.job import Task

_RESERVE: Final = 0.85
"""The part of the deadline that a session may take, so that what it did until then can still be reported."""


def _is_message(written: str | dict[str, Any]) -> str | dict[str, Any]:
    message_of(written)
    return written


_Text = Annotated[str, Field(max_length=JSON_LIMIT)]
WrittenMessage = Annotated[_Text | JsonObject, AfterValidator(_is_message)]


class AppArguments(NamedProgramArguments):
    """An application, and what is sent to it."""

    messages: Annotated[list[WrittenMessage], FIRST_ERROR] = Field(
        max_length=MAX_CYCLES + 1,
        description='In order: "tag", "tag:payload" (an Int if it looks like one), or {"tag", "payload"}',
    )


A = TypeVar("A", bound=AppArguments)


def messages_of(call: Call[A]) -> list[Message]:
    """The messages of a call."""
    return [message_of(written) for written in call.arguments.messages]


def until_of(call: Call[A]) -> float:
    """Deadline of the application, in seconds since the epoch."""
    left = call.deadline if call.ends is None else call.ends - time.monotonic()
    return time.time() + left - call.deadline * (1 - _RESERVE)


def deferred_app(
    call: Call[A], task: Callable[[CompiledApp], Task], finished: Callable[[dict[str, Any], CompiledApp], dict[str, Any]]
) -> dict[str, Any] | Deferred:
    """Compiles the application of a call and makes a task of it; an answer if that cannot be."""
    host, file = call.host, call.program()
    app = compiled_app(host.db, file)
    fresh = {"freshness": host.freshness(file).as_dict()}
    if isinstance(app, dict):
        return app | fresh
    return Deferred(
        job=task(app),
        finish=lambda data: finished(json.loads(data), app) | fresh,
        died=lambda signal: worker_died(signal) | fresh,
    )
