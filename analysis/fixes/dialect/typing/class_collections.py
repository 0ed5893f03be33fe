"""Sets, queues and stacks of class libraries, which are lists here: what their constructors make and their methods mean."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head, is_set, unify
from analysis.suggestions.lexicon import operations
from analysis.suggestions.operation import Operation

_OWN_ORDER: Final = re.compile(r"\b(?:impl|derive)\b[^\n{]{0,80}\bOrd\b|\bComparator\b|\bpriority_queue\b")
"""Marks of heaps with a custom item order."""
_GREATEST: Final = re.compile(r"\bBinaryHeap<(?!_|(?:\w{1,20}::){0,3}Reverse)")
"""A heap whose greatest item comes first."""

MODULES: Final = {"Vec": "List", "HashMap": "Map", "BTreeMap": "Map", "HashSet": "List", "Hash": "Map", "Stack": "List"}
"""Kinds by the modules that make them, where the lexicon has no word of that name."""
_TRAITS: Final = {
    "HashSet": "set", "LinkedHashSet": "set", "Queue": "queue", "ArrayDeque": "queue", "LinkedList": "queue", "Deque": "queue",
    "ListQueue": "queue", "PriorityQueue": "least",
}  # fmt: skip
_OF_SETS: Final = {
    "add": "set_add", "insert": "set_add", "addAll": "set_union", "union": "set_union", "unionWith": "set_union",
    "plus": "set_union",
    "update": "set_union",
    "remove": "set_remove", "delete": "set_remove", "discard": "set_remove", "extend": "set_union", "put": "set_add",
    "shift_left": "set_add", "push": "set_add", "append": "set_add",
}  # fmt: skip
_OF_QUEUES: Final = {"push": "prepend", "pop": "shift", "peek": "peekFirst", "remove": "shift", "element": "peekFirst"}
_OF_ITERATORS: Final = {
    "next": "shift", "peek": "peekFirst", "next_back": "pop", "hasNext": "isNotEmpty", "has_next": "isNotEmpty",
    "next_if": "shift_if", "next_if_eq": "shift_equal",
}  # fmt: skip
_OF_HEAPS: Final = {
    "push": "push_sorted", "add": "push_sorted", "offer": "push_sorted", "poll": "shift", "pop": "shift", "peek": "peekFirst",
    "remove": "shift", "into_vec": "to_list", "drain": "to_list",
}  # fmt: skip
_OF_GREATEST: Final = {"pop": "pop", "peek": "last", "into_sorted_vec": "to_list"}
_OF_PARTS: Final = {"next": "first", "next_back": "last"}


def trait_of(module: str) -> str:
    """What `Set.new()` and `HashSet::new()` make is a list that holds each item once."""
    return "set" if module.endswith("Set") else ""


def collection_of(node: n.Call, name: str, types: list[Type]) -> Type:
    """The type of what a constructor makes: empty, of a capacity, or with the items of another collection."""
    collection = Type("List", Type(), trait=_TRAITS.get(name, ""))
    values = node.operands
    if len(types) == 1 and head(types[0]) in ("List", "Range"):
        unify(collection, types[0])
        template = "list_unique({0})" if collection.trait == "set" and not is_set(types[0]) else "{0}"
        template = "list_sort({0})" if collection.trait == "least" else template
        node.operation = Operation("", name, (), "", template)
    elif not types or (len(types) == 1 and head(types[0]) == "Int"):
        node.operation = Operation("", name, (), "", "[]")
        node.operands = [n.Literal("unit", "{}")]
    elif len(types) == 1:
        node.operation = Operation("", name, (), "", "@unknown_collection")
    else:
        for kind in types:
            unify(argument(collection), kind)
        node.operation = Operation("", name, (), "", "@list")
        node.operands = values
    return collection


def collection_word(kind: Type, name: str, count: int, expected: Type | None) -> str:
    """The name of a method as that of a list, by what the list stands for."""
    trait = kind.resolved().trait
    if trait == "set" and count == 1:
        if name in ("add", "insert") and head(expected) == "Bool":
            return "set_adds"
        return _OF_SETS.get(name, name)
    if trait == "queue" and (count == 0 or name == "push"):
        return _OF_QUEUES.get(name, name)
    if trait in ("least", "greatest"):
        word = _OF_GREATEST.get(name, "") if trait == "greatest" else ""
        return word or _OF_HEAPS.get(name, name)
    if trait == "iterator" or name in _OF_PARTS:
        return _OF_ITERATORS.get(name, name)
    return name


def heap_of(node: n.Call, module: str, name: str, values: list[n.Expr], source: str, wanted: Type | None) -> Type:
    """Type of a heap such as `BinaryHeap::new()`: a sorted list, popped at its end (greatest) or beginning (least).

    All items are in `Reverse`, or none is: then the least one comes first.
    """
    if _OWN_ORDER.search(source) is not None or name not in ("new", "from", "with_capacity"):
        return Type()
    trait = wanted.resolved().trait if wanted is not None else ""
    if trait not in ("least", "greatest"):
        trait = "least" if module != "BinaryHeap" or "Reverse" in source else "greatest"
    elif name != "from":
        node.operation, node.operands = Operation("", name, (), "", "[]"), [n.Literal("unit", "{}")]
        return Type("List", argument(wanted), trait=trait)
    if "Reverse" in source and _GREATEST.search(source) is not None:
        # Of both kinds: what stands beside it says which.
        return Type()
    heap = Type("List", Type(), trait=trait)
    if name == "from" and len(values) == 1:
        node.operation, node.operands = operations()["List", "sort", 0], values
        return heap
    node.operation, node.operands = Operation("", name, (), "", "[]"), [n.Literal("unit", "{}")]
    return heap


def item_word(name: str, owner: n.Expr) -> str:
    """The name of a method of a list without a place: what nobody can read again loses no item."""
    return _OF_PARTS.get(name, name) if not isinstance(owner, (n.Name, n.Member, n.Index)) else name
