"""Display of an application's values in answers: brief JSON (chapter 13 section 8), and text with names of types and fields.

Nothing recurses, and every form has a bound: a value that is larger is shown as the beginning of its text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Final

from analysis.data_classes import dataclass
from analysis.syntax.escaping import quoted
from boruna_ls.framework.records import Reader
from boruna_ls.runtime.forms import JSON_COMMA, Raw, between, display, float_text, json_parts
from boruna_ls.runtime.json_text import depth_of
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.values import (
    ERR_HEAD,
    LIST_HEAD,
    NONE_HEAD,
    OK_HEAD,
    SOME_HEAD,
    FnRef,
    Value,
    enum_type,
    enum_variant,
    is_record,
)

VALUE_LIMIT: Final = 120_000
"""Characters of one value as JSON."""
TEXT_LIMIT: Final = 20_000
"""Characters of one value as text."""
DEPTH_LIMIT: Final = 1000
"""Levels of one value as JSON."""
_SHOWN: Final = 200
"""Characters of a value that is left out."""
_WRAPPERS: Final = {SOME_HEAD: "Some", OK_HEAD: "Ok", ERR_HEAD: "Err"}


@dataclass(slots=True)
class Shown:
    """JSON text of a value, and how deep it nests; `cut` if it is not the whole value."""

    text: str
    depth: int
    cut: bool = False


class Renderer:
    """Writes the values of one program."""

    def __init__(self, program: Program) -> None:
        self._types = program.module.types
        self._functions = program.module.functions
        self.reader: Final = Reader(program)

    # ---- JSON -------------------------------------------------------------------------------------------------------

    def shown(self, value: Value, limit: int = VALUE_LIMIT) -> Shown:
        """The brief JSON of a value, or of an object that says what is left out."""
        kind = type(value)
        if kind is int:
            return Shown(str(value), 0)
        text, is_whole = _beginning(value, partial(json_parts, of_tuple=_tuple_json), limit)
        if not is_whole:
            return _left_out(f"more than {limit} characters of JSON", text[:_SHOWN])
        depth = depth_of(text) if kind is tuple or kind is Map else 0
        return Shown(text, depth) if depth <= DEPTH_LIMIT else _left_out(f"nested {depth} levels deep", text[:_SHOWN])

    # ---- text -------------------------------------------------------------------------------------------------------

    def text(self, value: Value, limit: int = TEXT_LIMIT) -> str:
        """A value as the language writes it, as far as it can: `State { count: 1 }`; cut after `limit` characters."""
        text, is_whole = _beginning(value, self._text_parts, limit)
        return text if is_whole else f"{text[:limit]}… (cut)"

    def _text_parts(self, value: Value) -> str | list[Value]:
        kind = type(value)
        if kind is tuple:
            return self._tuple_text(value)
        if kind is Map:
            entries = [[Raw(f"{quoted(key)}: "), item] for key, item in value.sorted_items()]
            return between(Raw("{"), entries, Raw("}"))
        if kind is str:
            return quoted(value)
        if kind is float:
            text = float_text(value)
            return text if "." in text or not math.isfinite(value) else text + ".0"
        if kind is FnRef and value.index < len(self._functions):
            name: str = self._functions[value.index].name
            return name
        return display(value)

    def _tuple_text(self, value: Value) -> str | list[Value]:
        head = value[0]
        if head == LIST_HEAD:
            return between(Raw("["), [[item] for item in value[1][: value[2]]], Raw("]"))
        if head == NONE_HEAD:
            return "None"
        if head >= 0:
            return self._record_text(value)
        if head in _WRAPPERS:
            return [Raw(f"{_WRAPPERS[head]}("), value[1], Raw(")")]
        name = self.variant_name(head)
        return name if value[1] is None else [Raw(f"{name}("), value[1], Raw(")")]

    def _record_text(self, value: Value) -> str | list[Value]:
        names = self.names(value)
        entries = [[Raw(f"{name}: "), item] for name, item in zip(names, value[1:], strict=True)]
        title = self.type_name(value)
        return between(Raw(f"{title} {{ " if title else "{ "), entries, Raw(" }")) if entries else (f"{title} {{}}".strip())

    # ---- names ------------------------------------------------------------------------------------------------------

    def names(self, record: Value) -> tuple[str, ...]:
        """The names of a record's fields; `field_0` for one that has none."""
        names = self.reader.field_names(record)
        return names[: len(record) - 1] + tuple(f"field_{index}" for index in range(len(names), len(record) - 1))

    def type_name(self, record: Value) -> str:
        """The name of a record's type; empty if it has none."""
        head = record[0]
        return self._types[head].name if is_record(record) and head < len(self._types) else ""

    def variant_name(self, head: int) -> str:
        """`Type::Variant` of the head of an enum value."""
        number, variant = enum_type(head), enum_variant(head)
        if number < len(self._types) and self._types[number].is_enum and variant < len(self._types[number].members):
            return f"{self._types[number].name}::{self._types[number].members[variant][0]}"
        return f"Enum#{number}::{variant}"


def _beginning(value: Value, parts_of: Callable[[Value], str | list[Value]], limit: int) -> tuple[str, bool]:
    """A value as text, or a little more than its first `limit` characters; whether it is whole."""
    # Of a long text no more is quoted than is shown.
    first = parts_of(value[: limit + 1] if type(value) is str else value)
    if isinstance(first, str):
        return first, len(first) <= limit
    texts: list[str] = []
    todo = first[::-1]
    size = 0
    while todo:
        item = todo.pop()
        parts: str | list[Value] = item if type(item) is Raw else parts_of(item[: limit + 1] if type(item) is str else item)
        if isinstance(parts, str):
            texts.append(parts)
            size += len(parts)
            if size > limit:
                return "".join(texts), False
        else:
            todo += parts[::-1]
    return "".join(texts), True


def _left_out(why: str, beginning: str) -> Shown:
    left_out = {"left_out": why} | ({"beginning": beginning} if beginning else {})
    return Shown(json.dumps(left_out, ensure_ascii=False, sort_keys=True), 1, True)


def _tuple_json(value: Value) -> str | list[Value]:
    head = value[0]
    if head == LIST_HEAD:
        return between(Raw("["), [[item] for item in value[1][: value[2]]], Raw("]"), JSON_COMMA)
    if head == NONE_HEAD:
        return '"None"'
    if head >= 0:
        return between(Raw("["), [[item] for item in value[1:]], Raw("]"), JSON_COMMA)
    if head in _WRAPPERS:
        return [Raw(f'{{"{_WRAPPERS[head]}":'), value[1], Raw("}")]
    return [Raw('{"payload":'), value[1], Raw(f',"variant":{enum_variant(head)}}}')]
