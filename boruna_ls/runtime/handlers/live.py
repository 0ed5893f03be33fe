"""The handler that does things, as far as the policy names where: hosts, folders, one database; `llm` and `mcp` are hooks.

It must be asked for. What the policy says nothing about is refused: a live run without `net_policy` reaches no host.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.bytecode.module import Constant
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.handlers.mock import UNIT, input_text
from boruna_ls.runtime.policy import Policy

Hook = Callable[[Sequence[Any]], Constant]
"""Gets the arguments of a call. Raises HandlerFailure."""


class Live:
    """`hooks` answer capabilities that are others' business, by canonical name: `llm.call`, `mcp.call`."""

    def __init__(self, policy: Policy, inputs: Mapping[str, str] | None = None, hooks: Mapping[str, Hook] | None = None) -> None:
        self._policy = policy
        self._inputs = inputs
        self._hooks: dict[str, Hook] = {
            "net.fetch": self._fetch,
            "fs.read": self._read,
            "fs.write": self._write,
            "db.query": self._query,
            "time.now": lambda _: ("Int", int(time.time())),
            "random": lambda _: ("Float", random.SystemRandom().random()),
            "step.input": self._input,
            "ui.render": lambda _: UNIT,
            "actor.spawn": lambda _: UNIT,
            "actor.send": lambda _: UNIT,
            **(hooks or {}),
        }

    def __call__(self, capability: str, arguments: Sequence[Any], by_function: bool) -> Constant:
        hook = self._hooks.get(capability)
        if hook is None:
            raise HandlerFailure(f"{capability} has no live handler here")
        return hook(arguments)

    def _fetch(self, arguments: Sequence[Any]) -> Constant:
        if self._policy.net is None:
            raise HandlerFailure("the policy names no hosts: add `net_policy`")
        from boruna_ls.runtime.handlers.net import fetch

        url, method, body = (_text(arguments, index, default) for index, default in enumerate(("", "GET", "")))
        return ("String", fetch(self._policy.net, url, method, body))

    def _read(self, arguments: Sequence[Any]) -> Constant:
        if self._policy.fs is None:
            raise HandlerFailure("the policy names no folders: add `fs_policy`")
        from boruna_ls.runtime.handlers.files import read_text

        return ("String", read_text(self._policy.fs, _text(arguments, 0)))

    def _write(self, arguments: Sequence[Any]) -> Constant:
        if self._policy.fs is None:
            raise HandlerFailure("the policy names no folders: add `fs_policy`")
        from boruna_ls.runtime.handlers.files import write_text

        write_text(self._policy.fs, _text(arguments, 0), _text(arguments, 1))
        return ("Bool", True)

    def _query(self, arguments: Sequence[Any]) -> Constant:
        if self._policy.db is None or not self._policy.db.path:
            raise HandlerFailure("the policy names no database: add `db_policy`")
        from boruna_ls.runtime.handlers.database import query

        return ("String", query(self._policy.db, _text(arguments, 0)))

    def _input(self, arguments: Sequence[Any]) -> Constant:
        return ("String", "" if self._inputs is None else input_text(self._inputs, arguments))


def _text(arguments: Sequence[Any], index: int, default: str | None = None) -> str:
    if index >= len(arguments) and default is not None:
        return default
    if index >= len(arguments) or not isinstance(arguments[index], str):
        raise HandlerFailure(f"argument {index + 1} must be a String")
    text: str = arguments[index]
    return text
