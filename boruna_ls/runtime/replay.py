"""A program against a recorded log: answers come from the log, and the new log must be the old one (chapter 12 section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from boruna_ls.runtime.event_log import Event, EventLog, compact_json
from boruna_ls.runtime.forms import float_text
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.quoting import quoted
from boruna_ls.runtime.values import (
    ActorId,
    FnRef,
    Value,
    enum_type,
    enum_variant,
    is_enum,
    is_list,
    is_record,
    items_of,
    type_name,
)


class Recorded:
    """Answers what a log holds, in its order, whatever is asked."""

    def __init__(self, log: EventLog) -> None:
        self._results: Iterator[Value] = iter(log.results())

    def __call__(self, capability: str, arguments: Sequence[Value], by_function: bool) -> Value:
        try:
            return next(self._results)
        except StopIteration:
            raise HandlerFailure("replay log exhausted") from None


def difference(recorded: EventLog, replayed: EventLog) -> str | None:
    """The first difference between two logs, None if they are the same."""
    ours, theirs = recorded.events, replayed.events
    if len(ours) != len(theirs):
        return f"different event count: {len(ours)} vs {len(theirs)}"
    for number, (left, right) in enumerate(zip(ours, theirs, strict=True)):
        if left is right:
            continue
        shown = compact_json(left), compact_json(right)
        if shown[0] != shown[1]:
            return f"event #{number} differs: {shown[0]} vs {shown[1]}"
    return None


def call_difference(recorded: EventLog, replayed: EventLog) -> str | None:
    """The first difference between the capability calls of two logs."""
    ours, theirs = recorded.calls(), replayed.calls()
    if len(ours) != len(theirs):
        return f"different number of capability calls: {len(ours)} vs {len(theirs)}"
    for number, (left, right) in enumerate(zip(ours, theirs, strict=True)):
        if compact_json(left) != compact_json(right):
            return f"capability call #{number} differs: {_call(left)} vs {_call(right)}"
    return None


def _call(event: Event) -> str:
    (_, name), (_, arguments) = event.fields
    return f"{name}({debug_form(arguments)})"


class _Raw(str):
    __slots__ = ()


def debug_form(values: Sequence[Value]) -> str:
    """A list of values as `[Int(3), String("k")]`, without recursion."""
    written: list[str] = []
    todo: list[Any] = _listed(list(values), "[", "]")
    while todo:
        item = todo.pop()
        if type(item) is _Raw:
            written.append(item)
        else:
            todo += reversed(_parts(item))
    return "".join(written)


def _listed(items: list[Any], opening: str, closing: str) -> list[Any]:
    """Pieces of a list's text, in reverse order, to be pushed on a stack."""
    parts: list[Any] = [_Raw(closing)]
    for number in range(len(items) - 1, -1, -1):
        parts += [items[number], _Raw(", ")] if number else [items[number]]
    return [*parts, _Raw(opening)]


def _parts(value: Value) -> list[Any]:
    if is_list(value):
        return _listed(items_of(value), "List([", "])")[::-1]
    if is_record(value):
        return _listed(list(value[1:]), f"Record {{ type_id: {int(value[0])}, fields: [", "] }")[::-1]
    if is_enum(value):
        name = type_name(value)
        if name != "Enum":
            return [_Raw(f"{name}("), value[1], _Raw(")")]
        head = f"Enum {{ type_id: {enum_type(value[0])}, variant: {enum_variant(value[0])}, payload: "
        return [_Raw(head), value[1], _Raw(" }")]
    if isinstance(value, Map):
        entries = value.sorted_items()
        pairs = [[_Raw(f"{', ' if number else ''}{quoted(key)}: "), item] for number, (key, item) in enumerate(entries)]
        return [_Raw("Map({"), *(part for pair in pairs for part in pair), _Raw("})")]
    return [_Raw(_plain(value))]


def _plain(value: Value) -> str:
    if isinstance(value, FnRef):
        return f"FnRef({value.index})"
    if isinstance(value, ActorId):
        return f"ActorId({value.number})"
    if isinstance(value, str):
        return f"String({quoted(value)})"
    if isinstance(value, bool):
        return f"Bool({'true' if value else 'false'})"
    if isinstance(value, float):
        text = float_text(value)
        return f"Float({text if '.' in text or not text.lstrip('-').isdigit() else text + '.0'})"
    return f"Int({value})" if isinstance(value, int) else type_name(value)
