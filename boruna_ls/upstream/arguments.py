"""From the arguments of a program's call to those of a tool: positions to names, values of the language to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.inputs import ToolSchema
from analysis.semantics.tools.modules import ToolFact, function_of, identifiers
from analysis.semantics.tools.parameters import MOST_PARAMETERS
from boruna_ls.runtime.forms import public_json
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.values import NONE, NONE_HEAD, SOME_HEAD, Value


class WrongArguments(Exception):
    """A call cannot be sent; the message is a sentence."""


def fact_of(tools: Mapping[str, ToolSchema], name: str, by_identifier: bool) -> ToolFact:
    """A tool by its own name, or by the identifier that a program wrote. Raises WrongArguments."""
    tool = tools.get(identifiers(tools).get(name, name) if by_identifier else name)
    if tool is None:
        raise WrongArguments(f"it has no tool {name!r}: its tools may have changed since the program was checked")
    return function_of("", "", tool)


def named(fact: ToolFact, wire: str, values: Sequence[Value]) -> dict[str, Any]:
    """The arguments of a call by name. `wire` says what a program was checked against, "" for nothing. Raises WrongArguments."""
    kinds: Mapping[str, str] = (
        _kinds(wire) if wire else {parameter.name: "json" if parameter.is_json else "" for parameter in fact.parameters}
    )
    if len(values) > len(kinds):
        raise WrongArguments(f"{fact.tool} takes at most {len(kinds)} arguments, got {len(values)}")
    if fact.without_place:
        raise WrongArguments(f"{fact.tool} needs more than {MOST_PARAMETERS} arguments, which no call can hold")
    sent_as_null = {parameter.name for parameter in fact.parameters if parameter.is_required and parameter.is_nullable}
    arguments: dict[str, Any] = {}
    for (name, kind), value in zip(kinds.items(), values, strict=False):
        if value == NONE or (type(value) is tuple and value[0] == NONE_HEAD):
            if name in sent_as_null:
                arguments[name] = None
            continue
        if type(value) is tuple and value[0] == SOME_HEAD:
            value = value[1]
        arguments[name] = _read(name, value) if kind == "json" and isinstance(value, str) else _plain(value)
    missing = [parameter.name for parameter in fact.parameters if parameter.is_required and parameter.name not in arguments]
    if missing:
        raise WrongArguments(f"{fact.tool} needs {', '.join(map(repr, missing[:10]))}")
    return arguments


def _kinds(wire: str) -> Mapping[str, str]:
    try:
        read = json.loads(wire)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise HandlerFailure("invalid call: its parameters are no JSON object")
    return {str(name): str(kind) for name, kind in read.items()}


def _read(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise WrongArguments(f"the argument {name!r} has to be JSON text") from None


def _plain(value: Value) -> Any:
    return json.loads(public_json(value))
