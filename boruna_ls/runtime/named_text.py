"""Values as text with the names of their types, fields and variants, as a program writes them: for people, never for digests.

`forms.display` gives the text that boruna 3.2.0 gives, which has numbers in the place of names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.bytecode.module import TypeEntry
from boruna_ls.runtime.forms import Raw, between, display_parts
from boruna_ls.runtime.values import (
    ERR_HEAD,
    OK_HEAD,
    SOME_HEAD,
    AnonymousType,
    Value,
    enum_type,
    enum_variant,
    is_enum,
    is_record,
)

_WRAPPERS: Final = (SOME_HEAD, OK_HEAD, ERR_HEAD)


def named_parts(types: tuple[TypeEntry, ...]) -> Callable[[Value], str | list[Value]]:
    """The parts of a value for `forms.written`; a type without an entry is written as `display` writes it."""

    def parts(value: Value) -> str | list[Value]:
        if is_enum(value) and value[0] not in _WRAPPERS:
            number, variant = enum_type(value[0]), enum_variant(value[0])
            if number < len(types) and types[number].is_enum and variant < len(types[number].members):
                name = f"{types[number].name}::{types[number].members[variant][0]}"
                return name if value[1] is None else [Raw(f"{name}("), value[1], Raw(")")]
        elif is_record(value):
            title, names = _record_names(types, value[0])
            if names and len(names) == len(value) - 1:
                fields = [[Raw(f"{name}: "), item] for name, item in zip(names, value[1:], strict=True)]
                return between(Raw(f"{title}{{ "), fields, Raw(" }"))
        return display_parts(value)

    return parts


def _record_names(types: tuple[TypeEntry, ...], head: int) -> tuple[str, tuple[str, ...]]:
    """The name of a record's type with a blank, and those of its fields; empty where it has none."""
    if isinstance(head, AnonymousType):
        return "", head.names
    if head >= len(types) or types[head].is_enum:
        return "", ()
    return f"{types[head].name} ", tuple(name for name, _ in types[head].members)
