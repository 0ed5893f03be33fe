"""Values of an application as expressions of the language, for tests that are generated from a session."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from boruna_ls.framework.rendering import Renderer
from boruna_ls.runtime.forms import Raw, TooLarge, between, written
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import (
    ERR_HEAD,
    INT_MIN,
    LIST_HEAD,
    NONE_HEAD,
    OK_HEAD,
    SOME_HEAD,
    ActorId,
    AnonymousType,
    FnRef,
    Value,
)

LONGEST: Final = 20_000
"""Characters of one expression."""
_PARTS: Final = 5_000
_LONGEST_LIST: Final = 255
"""Items of a list literal."""
_DEEPEST: Final = 100
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_WRAPPERS: Final = {SOME_HEAD: "Some", OK_HEAD: "Ok", ERR_HEAD: "Err"}


class Inexpressible(Exception):
    """The language has no expression for a value, in words."""


def expression(value: Value, renderer: Renderer) -> str:
    """The expression that gives a value. Raises Inexpressible."""
    try:
        text = written(value, _parts_with(renderer), _PARTS)
    except TooLarge:
        raise Inexpressible(f"a value of more than {_PARTS} parts") from None
    if len(text) > LONGEST:
        raise Inexpressible(f"a value of {len(text)} characters")
    if _depth(text) > _DEEPEST:
        raise Inexpressible("a value that is nested too deeply")
    return text


def text_literal(text: str) -> str:
    """A text as the language writes it."""
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'


def _parts_with(renderer: Renderer) -> Callable[[Value], str | list[Value]]:
    def parts(value: Value) -> str | list[Value]:
        kind = type(value)
        if kind is tuple:
            return _tuple(value, renderer)
        if kind is Map:
            return _map(value)
        return _plain(value, kind, renderer)

    return parts


def _plain(value: Value, kind: Any, renderer: Renderer) -> str:
    if kind is str:
        return text_literal(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return _float(value)
    if kind is int:
        # The literal of the least number would be out of range before its sign is read.
        return f"({INT_MIN + 1} - 1)" if value == INT_MIN else str(value)
    if kind is FnRef:
        return renderer.text(value)
    raise Inexpressible("an actor" if kind is ActorId else "Unit")


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise Inexpressible("a float that is not a number")
    text = format(Decimal(repr(value)), "f")
    return text if "." in text else text + ".0"


def _map(value: Map) -> list[Value]:
    parts: list[Value] = [Raw("map_new()")]
    for key, item in value.sorted_items():
        parts = [Raw("__builtin_map_set("), *parts, Raw(f", {text_literal(key)}, "), item, Raw(")")]
    return parts


def _tuple(value: Value, renderer: Renderer) -> str | list[Value]:
    head = value[0]
    if head == LIST_HEAD:
        if value[2] > _LONGEST_LIST:
            raise Inexpressible(f"a list of {value[2]} items")
        return between(Raw("["), [[item] for item in value[1][: value[2]]], Raw("]"))
    if head == NONE_HEAD:
        return "None"
    if head in _WRAPPERS:
        return [Raw(f"{_WRAPPERS[head]}("), value[1], Raw(")")]
    if head < 0:
        name = renderer.variant_name(head)
        return name if value[1] is None else [Raw(f"{name}("), value[1], Raw(")")]
    name = renderer.type_name(value)
    if type(head) is AnonymousType or not name:
        raise Inexpressible("a record without a type")
    entries = [[Raw(f"{field}: "), item] for field, item in zip(renderer.names(value), value[1:], strict=True)]
    return between(Raw(f"{name} {{ "), entries, Raw(" }")) if entries else f"{name} {{}}"


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
