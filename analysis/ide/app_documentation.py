"""Meaning of declarations to the host of applications: for hover and completion, read from the table of shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.semantics.app_shapes import (
    CAPABILITIES,
    EFFECT,
    EFFECT_KINDS,
    FUNCTIONS,
    MESSAGE,
    POLICY_SET,
    UI_NODE,
    UPDATE_RESULT,
    RecordShape,
    is_app,
)
from analysis.semantics.declarations import TypeFact
from analysis.syntax import tree as t

RECORDS: Final = (MESSAGE, EFFECT, UPDATE_RESULT, POLICY_SET, UI_NODE)
_HOST_RECORDS: Final = (MESSAGE, EFFECT, UPDATE_RESULT, POLICY_SET)
"""Records that count by their fields; a node of a view may have any."""
_KINDS: Final = ", ".join(f"`{kind}`" for kind in EFFECT_KINDS)
_CAPABILITIES: Final = ", ".join(f"`{name}`" for name in CAPABILITIES)
_STATE: Final = "State"


def of_item(item: t.Item, functions: Iterable[str]) -> list[str]:
    """Meaning to the host of a function or record of a program with `functions`; empty if it has none."""
    if isinstance(item, t.Function) and item.name in FUNCTIONS and is_app(functions):
        shape = FUNCTIONS[item.name]
        taken = f" Takes {shape.arity_text}." if shape.arity else ""
        return [f"Called by the host of the application. {shape.meaning}{taken}"]
    if isinstance(item, t.Record) and is_app(functions):
        documented = _shape_of(item)
        return [f"Read by the host of the application. {documented.meaning}"] if documented is not None else []
    return []


def of_field(item: t.Item, name: str, functions: Iterable[str]) -> list[str]:
    """Meaning of a record's field to the host; empty if it has none."""
    shape = _shape_of(item) if isinstance(item, t.Record) and is_app(functions) else None
    field = next((field for field in shape.fields if field.name == name), None) if shape is not None else None
    if shape is None or field is None:
        return []
    sentences = [f"Read by the host of the application: {field.meaning}."]
    if (shape, name) == (EFFECT, "kind"):
        sentences.append(f"Kinds: {_KINDS}.")
    elif (shape, name) == (POLICY_SET, "capabilities"):
        sentences.append(f"Capabilities of effects: {_CAPABILITIES}.")
    return sentences


def _shape_of(item: t.Record) -> RecordShape | None:
    """The shape that a record has by its fields, or the node of a view by its name."""
    names = {field.name for field in item.fields}
    for shape in _HOST_RECORDS:
        if set(shape.names) <= names:
            return shape
    return UI_NODE if item.name == UI_NODE.usual_name else None


def skeletons(functions: Iterable[str], types: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Label, snippet and meaning of each missing part of an application: in an empty file, or beside a protocol function."""
    there, declared = set(functions), set(types)
    if there and not there & FUNCTIONS.keys():
        return
    for shape in FUNCTIONS.values():
        if shape.name not in there:
            yield shape.name, _function(shape.name), shape.meaning
    for record in RECORDS:
        if record.usual_name not in declared:
            yield record.usual_name, _record(record), record.meaning


def _function(name: str) -> str:
    texts = {
        "init": f"fn init() -> {_STATE} {{\n    $0\n}}",
        "update": f"fn update(state: {_STATE}, msg: {MESSAGE.usual_name}) -> {UPDATE_RESULT.usual_name} {{\n    $0\n}}",
        "view": f"fn view(state: {_STATE}) -> {UI_NODE.usual_name} {{\n    $0\n}}",
        "policies": f"fn policies() -> {POLICY_SET.usual_name} {{\n    $0\n}}",
    }
    return texts[name]


def _record(shape: RecordShape) -> str:
    types = {"payload": "String", "state": _STATE}
    fields = "".join(f"    {field.name}: {field.type or types.get(field.name, 'String')},\n" for field in shape.fields)
    return f"type {shape.usual_name} {{\n{fields}}}"


def effect_kinds(field: str, types: Iterable[TypeFact]) -> Iterator[tuple[str, str]]:
    """The kinds of effects as literals with what each needs, where a field of this name holds one; else nothing."""
    if field == "kind" and any(set(EFFECT.names) <= {name for name, _ in fact.members} for fact in types if not fact.is_enum):
        for kind in EFFECT_KINDS.values():
            yield f'"{kind.kind}"', f"needs {kind.capability}; payload: {kind.payload}"
