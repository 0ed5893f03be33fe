"""Types as the translation of dialects needs them: constructors with arguments, and variables that unification solves.

Unification never fails: what does not fit is left alone, since a translation that does not check is not offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


class Type:
    """A constructor (`Int`, `List`, `Fn`, `Tuple`, a record's name, …) with arguments, or a variable (`name` is "").

    `trait` tells apart what is one type here and several elsewhere: "char" of a String, "set" of a List.
    """

    __slots__ = ("arguments", "link", "name", "trait")

    def __init__(self, name: str = "", *arguments: Type, trait: str = "") -> None:
        self.name = name
        self.arguments = arguments
        self.trait = trait
        self.link: Type | None = None

    def resolved(self) -> Type:
        current = self
        while current.link is not None:
            current = current.link
        return current

    def __deepcopy__(self, memo: dict[int, object]) -> Type:
        """A copy of a tree has the types of the tree: what is learnt of one holds for the other."""
        return self

    def __repr__(self) -> str:
        return written(self)


INT = Type("Int")
FLOAT = Type("Float")
STRING = Type("String")
CHAR = Type("String", trait="char")
BOOL = Type("Bool")
UNIT = Type("Unit")


def list_of(item: Type) -> Type:
    return Type("List", item)


def set_of(item: Type) -> Type:
    return Type("List", item, trait="set")


def is_char(kind: Type | None) -> bool:
    return kind is not None and kind.resolved().trait == "char"


def is_set(kind: Type | None) -> bool:
    return kind is not None and kind.resolved().trait == "set"


def option_of(item: Type) -> Type:
    return Type("Option", item)


def map_of(key: Type, value: Type) -> Type:
    return Type("Map", key, value)


def head(kind: Type | None) -> str:
    """The name of a type's constructor, "" where it is unknown."""
    return kind.resolved().name if kind is not None else ""


def argument(kind: Type | None, place: int = 0) -> Type:
    """An argument of a type, from the end if `place` is negative; a fresh variable where there is none."""
    arguments = kind.resolved().arguments if kind is not None else ()
    return arguments[place] if -len(arguments) <= place < len(arguments) else Type()


_PARTS: Final = {
    "first": 0, "second": 1, "third": 2, "_0": 0, "_1": 1, "fst": 0, "snd": 1, "Item1": 0, "Item2": 1, "Item3": 2,
    "item1": 0, "item2": 1, "item3": 2,
    "component1": 0, "component2": 1, "component3": 2,
    "key": 0, "value": 1, "index": 0, "offset": 0, "element": 1,
}  # fmt: skip
"""Names that parts of tuples have: of pairs, of a map's entries, of numbered items."""


def part_place(name: str) -> int | None:
    """Place of the part of a tuple that has a name, or is named by its place."""
    return int(name) if name.isdigit() else _PARTS.get(name)


def unify(left: Type | None, right: Type | None) -> None:
    """Makes two types the same as far as they can be."""
    if left is None or right is None:
        return
    waiting = [(left, right)]
    steps = 0
    while waiting and steps < 500:
        steps += 1
        first, second = (part.resolved() for part in waiting.pop())
        if first is second:
            continue
        if not first.name:
            if not _occurs(first, second):
                first.link = second
        elif not second.name:
            if not _occurs(second, first):
                second.link = first
        elif first.name == second.name:
            waiting += zip(first.arguments, second.arguments, strict=False)


def unify_inside(wanted: Type | None, held: Type) -> None:
    """Unifies a value's type with what its place holds; where that may be absent, with what is inside."""
    is_inside = head(wanted) == "Option" and head(held) not in ("", "Option")
    unify(argument(wanted) if is_inside else wanted, held)


def _occurs(variable: Type, kind: Type) -> bool:
    waiting, steps = [kind], 0
    while waiting:
        steps += 1
        current = waiting.pop().resolved()
        if current is variable or steps > 500:
            return True
        waiting += current.arguments
    return False


def instantiated(kind: Type, fresh: Mapping[str, Type]) -> Type:
    """A type with named parameters replaced."""
    resolved = kind.resolved()
    if resolved.name in fresh and not resolved.arguments:
        return fresh[resolved.name]
    if not resolved.arguments:
        return resolved
    return Type(resolved.name, *(instantiated(part, fresh) for part in resolved.arguments), trait=resolved.trait)


def is_known(kind: Type | None) -> bool:
    """True if no variable is left in a type."""
    if kind is None:
        return False
    resolved = kind.resolved()
    return bool(resolved.name) and all(is_known(part) for part in resolved.arguments)


def written(kind: Type | None) -> str:
    """A type as `.ax` writes it; "_" where it is unknown."""
    resolved = kind.resolved() if kind is not None else Type()
    if not resolved.name:
        return "_"
    parts = [written(part) for part in resolved.arguments]
    if resolved.name == "Fn" and parts:
        return f"Fn({', '.join(parts[:-1])}) -> {parts[-1]}"
    if resolved.name == "Tuple":
        return f"({', '.join(parts)})"
    return f"{resolved.name}<{', '.join(parts)}>" if parts else resolved.name
