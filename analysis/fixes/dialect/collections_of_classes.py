"""Sets, queues and stacks of class libraries, which are lists here: what their constructors make and their methods mean."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.types import Type, argument, head, is_set, unify
from analysis.suggestions.operation import Operation

_TRAITS: Final = {
    "HashSet": "set", "LinkedHashSet": "set", "Queue": "queue", "ArrayDeque": "queue", "LinkedList": "queue", "Deque": "queue",
    "ListQueue": "queue",
}  # fmt: skip
_OF_SETS: Final = {
    "add": "set_add", "insert": "set_add", "addAll": "set_union", "union": "set_union", "unionWith": "set_union",
    "plus": "set_union",
    "update": "set_union",
    "remove": "set_remove", "delete": "set_remove", "discard": "set_remove", "extend": "set_union", "put": "set_add",
}  # fmt: skip
_OF_QUEUES: Final = {"push": "prepend", "pop": "shift", "peek": "peekFirst", "remove": "shift", "element": "peekFirst"}


def collection_of(node: n.Call, name: str, types: list[Type]) -> Type:
    """The type of what a constructor makes: empty, of a capacity, or with the items of another collection."""
    made = Type("List", Type(), trait=_TRAITS.get(name, ""))
    values = node.operands
    if len(types) == 1 and head(types[0]) in ("List", "Range"):
        unify(made, types[0])
        template = "list_unique({0})" if made.trait == "set" and not is_set(types[0]) else "{0}"
        node.operation = Operation("", name, (), "", template)
    elif not types or (len(types) == 1 and head(types[0]) == "Int"):
        node.operation = Operation("", name, (), "", "[]")
        node.operands = [n.Literal("unit", "{}")]
    elif len(types) == 1:
        node.operation = Operation("", name, (), "", "@unknown_collection")
    else:
        for kind in types:
            unify(argument(made), kind)
        node.operation = Operation("", name, (), "", "@list")
        node.operands = values
    return made


def collection_word(kind: Type, name: str, count: int, expected: Type | None) -> str:
    """The name of a method as that of a list, by what the list stands for."""
    trait = kind.resolved().trait
    if trait == "set" and count == 1:
        if name in ("add", "insert") and head(expected) == "Bool":
            return "set_adds"
        return _OF_SETS.get(name, name)
    if trait == "queue" and (count == 0 or name == "push"):
        return _OF_QUEUES.get(name, name)
    return name
