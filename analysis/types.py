"""What can be told of a type by syntax, before there is inference; `evaluation` says what comes of it in an environment.

A `Type` is a type's text (`Int`, `List<Point>`, with `?` for an unknown part), a reference that needs the environment
(`("call", name)`, `("field", of, name)`, `("element", of)`, `("payload", of, variant)`, `("returned", of)`, `("message", text)`),
a `Flow` for a name that is assigned, or None for unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

UNKNOWN = "?"
_DEEPEST: Final = 60
"""How many references may be nested; what leads further is unknown."""


class Flow:
    """The type of a name that is assigned: `first`, as long as every assigned value has it as well."""

    __slots__ = ("assigned", "first")

    def __init__(self, first: Type) -> None:
        self.first = first
        self.assigned: list[Type] = []


Type: TypeAlias = str | tuple[Any, ...] | Flow | None


def parts_of(types: Iterable[Type]) -> Iterator[str | tuple[Any, ...]]:
    """All texts and references that types are made of, each once."""
    seen: set[int] = set()
    stack = list(types)
    while stack:
        part = stack.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Flow):
            stack += (part.first, *part.assigned)
            continue
        yield part
        if isinstance(part, tuple) and part[0] != "call":
            stack.append(part[1])


def flow_of(first: Type) -> Type:
    """The type of a name that begins with a value of type `first` and is assigned."""
    return Flow(first) if _can_nest(first) else None


def call_of(name: str) -> Type:
    """The type of a call of an outer function."""
    return ("call", name)


def field_of(held: Type, name: str) -> Type:
    """The type of a field of a value."""
    return ("field", held, name) if _can_nest(held) else None


def element_of(held: Type) -> Type:
    """The type of a list's items."""
    return ("element", held) if _can_nest(held) else None


def payload_of(held: Type, variant: str) -> Type:
    """The type of what a pattern `variant(…)` binds."""
    return ("payload", held, variant) if _can_nest(held) else None


def _can_nest(held: Type) -> bool:
    if held is None:
        return False
    for _ in range(_DEEPEST):
        if isinstance(held, Flow):
            held = held.first
        elif isinstance(held, tuple) and held[0] != "call":
            held = held[1]
        else:
            return True
    return False


def returned_by(held: Type) -> Type:
    """The type of a call of a value."""
    return ("returned", held) if _can_nest(held) else None


def message_of(declared: str) -> Type:
    """The type of the second parameter of a function `update`: in an application the framework makes its value."""
    return ("message", declared)


@lru_cache(maxsize=4096)
def split_type(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and arguments of a type's text; for `Fn(A) -> R` the result comes last."""
    opening = min((place for place in (text.find("<"), text.find("(")) if place >= 0), default=-1)
    if opening < 0:
        return text, ()
    name, parts, depth, start = text[:opening], [], 0, opening + 1
    for place in range(opening, len(text)):
        character = text[place]
        if character in "<(":
            depth += 1
        elif character == ")" or (character == ">" and text[place - 1] != "-"):
            depth -= 1
            if depth == 0:
                parts.append(text[start:place].strip())
                rest = text[place + 1 :].strip()
                if rest.startswith("->"):
                    parts.append(rest[2:].strip())
                break
        elif character == "," and depth == 1:
            parts.append(text[start:place].strip())
            start = place + 1
    return name, tuple(part for part in parts if part)
