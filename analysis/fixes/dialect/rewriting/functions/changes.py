"""Parameters that a function changes in place, in languages that share lists and objects with the caller."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.tree.walking import root_of, tails, walk
from analysis.suggestions.lexicon import operations

_TAKING: Final = frozenset("pop pop_back removeLast popLast shift pop_front removeFirst".split())
"""Methods that give a value and change theirs, too."""


@cache
def changing_words() -> frozenset[str]:
    """Names of methods that change what they are called on."""
    return frozenset(operation.name for operation in operations().values() if operation.mutates)


def changing_methods(methods: Iterable[n.Function]) -> frozenset[str]:
    """The names of methods that change the value that they are called on, directly or by what they call."""
    changing: set[str] = set()
    methods = list(methods)
    while True:
        more = {each.name for each in methods if "self" in _changed(each, changing)}
        if more <= changing:
            return frozenset(changing)
        changing |= more


def gives_changed_self(method: n.Function, changing: frozenset[str]) -> bool:
    """True if a method changes the object that it is called on and returns it: `return self` for calls in a chain.

    Where `self` is a parameter that the text writes, as in Rust, the method has a value of its own.
    """
    own = next((part for part in method.parameters if part.name == "self"), None)
    return own is not None and own.start == own.end and method.name in changing and _gives(method, "self")


def note_changed(functions: Iterable[n.Function], methods: Iterable[n.Function]) -> None:
    """Marks the parameters that functions and methods change for their caller, directly or by what they call."""
    methods = list(methods)
    changing = set(changing_methods(methods))
    for method in methods:
        if method.name in changing and not _gives(method, "self"):
            _mark(method, {"self"})
    for function in [*functions, *methods]:
        changed = _changed(function, changing) - {"self"}
        if _has_value(function):
            changed = {name for name in _items_set(function) | _called_on(function) if not _hands_on(function, name)}
            changed |= {name for name in _told(function, changing) - {"self"} if not _gives_whole(function, name)}
        _mark(function, changed)


def _mark(function: n.Function, names: set[str]) -> None:
    for part in function.parameters:
        part.by_reference |= part.name in names and head(part.type) not in ("Int", "Float", "Bool", "String")


def _changed(function: n.Function, changing: Collection[str]) -> set[str]:
    """The names whose parts a function sets, or on which it calls a method that changes them."""
    names: set[str] = set()
    values = tails(function.body) if _has_value(function) else frozenset()
    for node in walk(function.body):
        if isinstance(node, n.Assign):
            names |= {root_of(part) for part in _places(node) if isinstance(part, (n.Member, n.Index))}
        called = node.value if isinstance(node, n.Evaluate) and id(node.value) not in values else node
        if not isinstance(called, n.Call) or not isinstance(called.function, n.Member):
            continue
        owner, word = called.function.object, called.function.name
        is_statement = called is not node
        if isinstance(owner, n.Name) and word in changing:
            names.add(owner.name)
        elif (word in _TAKING and isinstance(owner, n.Member)) or (is_statement and word in changing_words()):
            names.add(root_of(owner))
    return names


def changed_in_place(function: n.Function) -> set[str]:
    """The names of values of which a function changes parts, its own and others."""
    taken = {
        node.function.object.name
        for node in walk(function.body)
        if isinstance(node, n.Call) and isinstance(node.function, n.Member) and isinstance(node.function.object, n.Name)
        and node.function.name in _TAKING
    }  # fmt: skip
    return (_changed(function, set()) | taken) - {""}


def changes_in_place(call: n.Expr) -> bool:
    """True if a call is one of a method that changes its value."""
    return isinstance(call, n.Call) and isinstance(call.function, n.Member) and call.function.name in changing_words()


def _items_set(function: n.Function) -> set[str]:
    """The names of lists of which a function sets items."""
    return {
        part.object.name
        for node in walk(function.body)
        if isinstance(node, n.Assign)
        for part in _places(node)
        if isinstance(part, n.Index) and isinstance(part.object, n.Name)
    }


def _called_on(function: n.Function) -> set[str]:
    """The names of values that a statement of a function changes by a method: `orders.set(id, order);`."""
    values = tails(function.body)
    return {
        node.value.function.object.name
        for node in walk(function.body)
        if isinstance(node, n.Evaluate) and id(node.value) not in values
        if changes_in_place(node.value) and isinstance(node.value, n.Call) and isinstance(node.value.function, n.Member)
        if isinstance(node.value.function.object, n.Name)
    }


def _told(function: n.Function, changing: Collection[str]) -> set[str]:
    """The names of objects on which a function calls a method of the program that changes them."""
    return {
        node.function.object.name
        for node in walk(function.body)
        if isinstance(node, n.Call) and isinstance(node.function, n.Member) and isinstance(node.function.object, n.Name)
        and node.function.name in changing
    }  # fmt: skip


def _gives_whole(function: n.Function, name: str) -> bool:
    """True if a function returns one of its parameters, alone or beside other values."""
    for value in _returned(function):
        parts = value.items if isinstance(value, (n.TupleOf, n.ListOf)) else [value]
        if any(isinstance(part, n.Name) and part.name == name for part in parts):
            return True
    return False


def _places(node: n.Assign) -> list[n.Expr]:
    return node.target.items if isinstance(node.target, n.TupleOf) else [node.target]


def _has_value(function: n.Function) -> bool:
    """True if a function gives a value of its own."""
    if function.result is not None:
        return head(function.result) != "Unit"
    return any(isinstance(node, n.Jump) and node.kind == "return" and node.value is not None for node in walk(function.body))


def _returned(function: n.Function) -> list[n.Expr]:
    jumps = [node.value for node in walk(function.body) if isinstance(node, n.Jump) and node.kind == "return"]
    values = tails(function.body)
    ends = [node for node in walk(function.body) if id(node) in values and isinstance(node, n.Expr)]
    ends = [node for node in ends if not isinstance(node, (n.Jump, n.Match, n.If, n.Block))]
    return [value for value in (*jumps, *ends) if value is not None]


def _gives(function: n.Function, name: str) -> bool:
    """True if all that a function returns is one of its parameters."""
    values = _returned(function)
    return bool(values) and all(isinstance(value, n.Name) and value.name == name for value in values)


def _hands_on(function: n.Function, name: str) -> bool:
    """True if what a function returns may hold the changed value."""
    return any(isinstance(node, n.Name) and node.name == name for value in _returned(function) for node in walk(value))
