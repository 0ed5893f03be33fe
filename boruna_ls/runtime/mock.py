"""Fixed answers, the same in every run (spec chapter 11 section 1, chapter 26 section 5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.bytecode.module import Constant
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.tool_results import result_constant

UNIT: Final[Constant] = ("Unit",)
_NOW: Final = 1_700_000_000
_RANDOM: Final = 0.42
_FIXED: Final[Mapping[str, Constant]] = {
    "fs.write": ("Bool", True),
    "db.query": ("List", ()),
    "ui.render": UNIT,
    "time.now": ("Int", _NOW),
    "random": ("Float", _RANDOM),
    "llm.call": ("Map", (("mock", ("Bool", True)), ("status", ("String", "ok")))),
    "actor.spawn": UNIT,
    "actor.send": UNIT,
}
_FOR_FUNCTIONS: Final[Mapping[str, Constant]] = {
    "db.query": ("String", "[]"),
    "llm.call": ("String", '{"mock": true, "status": "ok"}'),
}
"""Answers to functions of the language, where they differ from those to the bare capability."""


class Mock:
    """The default handler. `inputs` are the answers of `step_input` as texts; without them it answers the empty text."""

    def __init__(self, display: Callable[[Any], str], inputs: Mapping[str, str] | None = None) -> None:
        self._display = display
        self._inputs = inputs

    def __call__(self, capability: str, arguments: Sequence[Any], by_function: bool) -> Constant:
        shown = self._display(arguments[0]) if arguments else ""
        if capability == "step.input":
            return ("String", "" if self._inputs is None else self._input(arguments))
        if capability == "net.fetch":
            return ("String", f'{{"mock": true, "url": "{shown}"}}')
        if capability == "fs.read":
            return ("String", f"mock file content for {shown}")
        if capability == "mcp.call":
            return _tool(arguments)
        if by_function and capability in _FOR_FUNCTIONS:
            return _FOR_FUNCTIONS[capability]
        if capability not in _FIXED:
            raise HandlerFailure(f"{capability} has no answer in a run without live handlers")
        return _FIXED[capability]

    def _input(self, arguments: Sequence[Any]) -> str:
        return input_text(self._inputs or {}, arguments)


def _tool(arguments: Sequence[Any]) -> Constant:
    """The answer of a tool, or of a function of `mcp`."""
    server, tool = [part if isinstance(part, str) else "" for part in (*arguments, "", "")[:2]]
    if not server:
        if tool == "connect":
            return ("Ok", ("String", "mock"))
        if tool in ("list_servers", "list_tools"):
            return ("List", ())
    return result_constant([json.dumps({"mock": True, "server": server, "tool": tool}, ensure_ascii=False)])


def input_text(inputs: Mapping[str, str], arguments: Sequence[Any]) -> str:
    """Answer of `step_input` where inputs were declared. Raises HandlerFailure."""
    if not arguments or not isinstance(arguments[0], str):
        raise HandlerFailure("step.input: expected String argument (input name)")
    if (text := inputs.get(arguments[0])) is None:
        declared = ", ".join(json.dumps(name, ensure_ascii=False) for name in sorted(inputs))
        raise HandlerFailure(f"step.input: unknown name '{arguments[0]}' (declared inputs: [{declared}])")
    return text
