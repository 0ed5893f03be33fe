"""Values that compile and fit a type: what a fix writes where a value is missing."""

from __future__ import annotations

from collections.abc import Callable

from analysis.semantics.declarations import TypeFact
from analysis.semantics.type_text import split_type

_PLAIN = {"Int": "0", "Float": "0.0", "String": '""', "Bool": "false"}


def value_of_type(text: str | None, declared: Callable[[str], TypeFact | None], depth: int = 3) -> str:
    """An expression of a type; `0` where nothing is known of it."""
    if text is None or depth == 0:
        return "0"
    name, arguments = split_type(text)
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "List":
        return "[]"
    if name == "Option":
        return "None"
    if name == "Result" and arguments:
        return f"Ok({value_of_type(arguments[0], declared, depth - 1)})"
    if name == "Map":
        return "map_new()"
    fact = declared(name)
    if fact is None or fact.broken:
        return "0"
    if fact.is_enum:
        plain = next((variant for variant, payload in fact.members if payload is None), None)
        if plain is not None:
            return f"{name}::{plain}"
        if not fact.members:
            return "0"
        variant, payload = fact.members[0]
        return f"{name}::{variant}({value_of_type(payload, declared, depth - 1)})"
    fields = ", ".join(f"{member}: {value_of_type(kind, declared, depth - 1)}" for member, kind in fact.members)
    return f"{name} {{ {fields} }}" if fields else f"{name} {{}}"
