"""Text forms of values: display text, public JSON, tagged JSON (chapter 08 section 8, chapters 06 section 5 and 12 section 1).

Nothing here recurses, since values can be nested a hundred thousand levels deep; and everything is bounded, since a value that
shares its parts can be written in exponentially many characters: `TooLarge` says that the bound was reached.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any, Final

from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.quoting import float_text as json_float
from boruna_ls.runtime.typed_json import described
from boruna_ls.runtime.values import (
    ERR_HEAD,
    INT_MAX,
    INT_MIN,
    LIST_HEAD,
    NONE,
    NONE_HEAD,
    OK_HEAD,
    SOME_HEAD,
    ActorId,
    AnonymousType,
    FnRef,
    Value,
    enum,
    enum_type,
    enum_variant,
    err,
    make_list,
    ok,
    record,
    some,
)

MAX_PARTS: Final = 20_000_000
"""Parts of a value that are written, before `TooLarge`."""
_BRIEF: Final = 200
"""Characters of a value that is shown beside others, such as a variable."""
_BRIEF_PARTS: Final = 2_000
_U32: Final = 2**32 - 1
_U64: Final = 2**64 - 1
_WRAPPERS: Final = {SOME_HEAD: "Some", OK_HEAD: "Ok", ERR_HEAD: "Err"}


class TooLarge(Exception):
    """A value has more parts than can be written."""


def float_text(number: float) -> str:
    """The shortest digits that read back as the same number, without an exponent and without `.0`."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "inf" if number > 0 else "-inf"
    text = repr(number)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text.removesuffix(".0")


def shown_type(head: int) -> int:
    """The type id of a record as it is shown."""
    return 0 if type(head) is AnonymousType else head


# ---- text -----------------------------------------------------------------------------------------------------------


class Raw(str):
    """Text that is written as it is, between parts that are still to be written."""

    __slots__ = ()


_COMMA: Final = Raw(", ")


def display(value: Value, limit: int = MAX_PARTS) -> str:
    """The text of messages, command line and debug output."""
    return written(value, display_parts, limit)


def brief(value: Value, parts_of: Callable[[Value], str | list[Value]] | None = None) -> str:
    """The beginning of a value's text, 200 characters at most."""
    try:
        text = written(value, parts_of or display_parts, _BRIEF_PARTS, _BRIEF)
    except TooLarge:
        return f"a value of more than {_BRIEF_PARTS} parts"
    except MemoryError:
        return "a value that there is no memory left to show"
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"


def written(value: Value, parts_of: Callable[[Value], str | list[Value]], limit: int, characters: int = sys.maxsize) -> str:
    """A value as text: `parts_of` gives the text of a plain value, else texts (`Raw`) and values to be written in that order.

    Ends when it has more than so many characters.
    """
    texts: list[str] = []
    todo = [value]
    while todo and characters >= 0:
        item = todo.pop()
        if type(item) is Raw:
            texts.append(item)
            characters -= len(item)
            continue
        # Before a list of all its parts is made: there may be no memory left for one.
        if _entries(item) > limit:
            raise TooLarge
        parts = parts_of(item)
        if type(parts) is str:
            texts.append(parts)
            characters -= len(parts)
            if len(texts) > limit:
                raise TooLarge
        else:
            todo.extend(reversed(parts))
            if len(todo) > limit:
                raise TooLarge
    return "".join(texts)


def _entries(value: Value) -> int:
    """Number of values in a list or map; 0 for others."""
    if type(value) is tuple and value[0] == LIST_HEAD:
        return int(value[2])
    return len(value) if type(value) is Map else 0


def display_parts(value: Value) -> str | list[Value]:
    """The parts of a value for `written`."""
    kind = type(value)
    if kind is tuple:
        return _display_tuple(value)
    if kind is Map:
        entries = [[Raw(f"{key}: "), item] for key, item in value.sorted_items()]
        return between(Raw("{"), entries, Raw("}"))
    if kind is str:
        return f'"{value}"'
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return float_text(value)
    return "()" if value is None else str(value)


def _display_tuple(value: Value) -> str | list[Value]:
    head = value[0]
    if head == LIST_HEAD:
        return between(Raw("["), [[item] for item in value[1][: value[2]]], Raw("]"))
    if head == NONE_HEAD:
        return "None"
    if head >= 0:
        return between(Raw(f"Record#{shown_type(head)}{{"), [[item] for item in value[1:]], Raw("}"))
    name = _WRAPPERS.get(head) or f"Enum#{enum_type(head)}::{enum_variant(head)}"
    return [Raw(f"{name}("), value[1], Raw(")")]


def between(opening: Raw, entries: list[list[Value]], closing: Raw, comma: Raw = _COMMA) -> list[Value]:
    """Entries with a comma between them, as parts for `written`."""
    parts: list[Value] = [opening]
    for number, entry in enumerate(entries):
        if number:
            parts.append(comma)
        parts.extend(entry)
    parts.append(closing)
    return parts


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


JSON_COMMA: Final = Raw(",")


def public_json(value: Value, limit: int = MAX_PARTS) -> str:
    """The public JSON as compact text with sorted keys, however deep the value is: what `max_output_bytes` counts."""
    return written(value, partial(json_parts, of_tuple=_json_tuple), limit)


def json_parts(value: Value, of_tuple: Callable[[Value], str | list[Value]]) -> str | list[Value]:
    """The JSON of a value, or its parts; `of_tuple` writes what is a tuple: a list, an option, a result, a record, an enum."""
    kind = type(value)
    if kind is tuple:
        return of_tuple(value)
    if kind is Map:
        entries = [[Raw(_quoted(key) + ":"), item] for key, item in value.sorted_items()]
        return between(Raw("{"), entries, Raw("}"), JSON_COMMA)
    if kind is str:
        return _quoted(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return json_float(value) if math.isfinite(value) else "null"
    if value is None:
        return "null"
    if kind is FnRef:
        return f'{{"fn_ref":{value.index}}}'
    return f'{{"actor_id":{value.number}}}' if kind is ActorId else str(value)


def _json_tuple(value: Value) -> str | list[Value]:
    head = value[0]
    if head == LIST_HEAD:
        return between(Raw("["), [[item] for item in value[1][: value[2]]], Raw("]"), JSON_COMMA)
    if head == NONE_HEAD:
        return '{"option":"None"}'
    if head >= 0:
        closing = Raw(f'],"type":"record","type_id":{shown_type(head)}}}')
        return between(Raw('{"fields":['), [[item] for item in value[1:]], closing, JSON_COMMA)
    if head in _WRAPPERS:
        key = "option" if head == SOME_HEAD else "result"
        return [Raw(f'{{"{key}":"{_WRAPPERS[head]}","value":'), value[1], Raw("}")]
    tail = f',"type":"enum","type_id":{enum_type(head)},"variant":{enum_variant(head)}}}'
    return [Raw('{"payload":'), value[1], Raw(tail)]


# ---- plain Python data ----------------------------------------------------------------------------------------------

Maker = Callable[[list[Any]], Any]


def public(value: Value, limit: int = MAX_PARTS) -> Any:
    """The public JSON as Python data. It can be nested deeper than `json.dumps` goes: then use `public_json`."""
    return _folded(value, _public_step, limit)


def tagged(value: Value, limit: int = MAX_PARTS) -> Any:
    """The tagged JSON as Python data, keys in the order of the canonical form."""
    return _folded(value, _tagged_step, limit)


def _folded(value: Value, step: Callable[[Value], tuple[list[Value], Maker]], limit: int) -> Any:
    """Take values apart with `step` and put together what became of their parts."""
    done: list[Any] = []
    todo: list[tuple[Value, int, Maker | None]] = [(value, 0, None)]
    visited = 0
    while todo:
        item, count, maker = todo.pop()
        if maker is None:
            parts, maker = step(item)
            visited += 1
            if visited > limit:
                raise TooLarge
            if not parts:
                done.append(maker([]))
                continue
            todo.append((None, len(parts), maker))
            todo.extend((part, 0, None) for part in reversed(parts))
        else:
            inner = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(maker(inner))
    return done[0]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _public_step(value: Value) -> tuple[list[Value], Maker]:
    kind = type(value)
    if kind is tuple:
        head = value[0]
        if head == LIST_HEAD:
            return value[1][: value[2]], list
        if head == NONE_HEAD:
            return [], lambda _: {"option": "None"}
        if head >= 0:
            return list(value[1:]), lambda parts: {"type": "record", "type_id": int(shown_type(head)), "fields": list(parts)}
        if head in _WRAPPERS:
            key = "option" if head == SOME_HEAD else "result"
            return [value[1]], lambda parts: {key: _WRAPPERS[head], "value": parts[0]}
        names = {"type": "enum", "type_id": enum_type(head), "variant": enum_variant(head)}
        return [value[1]], lambda parts: {**names, "payload": parts[0]}
    if kind is Map:
        items = value.sorted_items()
        return [item for _, item in items], lambda parts: dict(zip((key for key, _ in items), parts, strict=True))
    if kind is FnRef:
        return [], lambda _: {"fn_ref": value.index}
    if kind is ActorId:
        return [], lambda _: {"actor_id": value.number}
    return [], lambda _: _finite(value) if kind is float else value


_SCALARS: Final = {bool: "Bool", int: "Int", str: "String"}


def _tagged_step(value: Value) -> tuple[list[Value], Maker]:
    kind = type(value)
    if kind is tuple:
        head = value[0]
        if head == LIST_HEAD:
            return value[1][: value[2]], lambda parts: {"List": list(parts)}
        if head == NONE_HEAD:
            return [], lambda _: "None"
        if head >= 0:
            return list(value[1:]), lambda parts: {"Record": {"type_id": int(shown_type(head)), "fields": list(parts)}}
        if head in _WRAPPERS:
            return [value[1]], lambda parts: {_WRAPPERS[head]: parts[0]}
        names = {"type_id": enum_type(head), "variant": enum_variant(head)}
        return [value[1]], lambda parts: {"Enum": {**names, "payload": parts[0]}}
    if kind is Map:
        items = value.sorted_items()
        return [item for _, item in items], lambda parts: {"Map": dict(zip((key for key, _ in items), parts, strict=True))}
    if value is None:
        return [], lambda _: "Unit"
    if kind is FnRef:
        return [], lambda _: {"FnRef": value.index}
    if kind is ActorId:
        return [], lambda _: {"ActorId": value.number}
    if kind is float:
        return [], lambda _: {"Float": _finite(value)}
    return [], lambda _: {_SCALARS[kind]: value}


def from_tagged(data: Any) -> Value:
    """The value of tagged JSON. Raises `ValueError` if it is none."""
    return _folded(data, _untag_step, MAX_PARTS)


def _untag_step(data: Any) -> tuple[list[Any], Maker]:
    if data == "Unit":
        return [], lambda _: None
    if data == "None":
        return [], lambda _: NONE
    if not isinstance(data, dict) or len(data) != 1:
        raise ValueError("not a tagged value")
    ((tag, content),) = data.items()
    match tag:
        case "Bool" | "String":
            value = _checked(tag, content, type(content) is (bool if tag == "Bool" else str))
            return [], lambda _: value
        case "Int":
            value = _whole(tag, content, INT_MIN, INT_MAX)
            return [], lambda _: value
        case "Float":
            value = math.nan if content is None else float(_checked(tag, content, type(content) in (int, float)))
            return [], lambda _: value
        case "Some":
            return [content], lambda parts: some(parts[0])
        case "Ok":
            return [content], lambda parts: ok(parts[0])
        case "Err":
            return [content], lambda parts: err(parts[0])
        case "List":
            return _checked(tag, content, isinstance(content, list)), lambda parts: make_list(list(parts))
        case "Map":
            _checked(tag, content, isinstance(content, dict))
            return list(content.values()), lambda parts: Map(dict(zip(content, parts, strict=True)))
        case "Record":
            type_id = _whole("type_id", _member(tag, content, "type_id"), 0, _U32)
            fields = _member(tag, content, "fields")
            return _checked("fields", fields, isinstance(fields, list)), lambda parts: record(type_id, parts)
        case "Enum":
            type_id = _whole("type_id", _member(tag, content, "type_id"), 0, _U32)
            variant = _whole("variant", _member(tag, content, "variant"), 0, 255)
            return [_member(tag, content, "payload")], lambda parts: enum(type_id, variant, parts[0])
        case "FnRef":
            index = _whole(tag, content, 0, _U32)
            return [], lambda _: FnRef(index)
        case "ActorId":
            number = _whole(tag, content, 0, _U64)
            return [], lambda _: ActorId(number)
    raise ValueError(f"unknown tag: {tag}")


def _checked(name: str, content: Any, fits: bool) -> Any:
    if not fits:
        raise ValueError(f"`{name}` is {described(content)}")
    return content


def _whole(name: str, content: Any, least: int, most: int) -> int:
    number: int = _checked(name, content, type(content) is int and least <= content <= most)
    return number


def _member(tag: str, content: Any, name: str) -> Any:
    if not isinstance(content, dict) or name not in content:
        raise ValueError(f"`{tag}` has no `{name}`")
    return content[name]
