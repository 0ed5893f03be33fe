"""Walks over the tree of a program in any dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Final

from analysis.fixes.dialect.tree.effort import spend
from analysis.fixes.dialect.tree.nodes import (
    Assign,
    Binding,
    Block,
    Call,
    Evaluate,
    Expr,
    If,
    Index,
    Jump,
    Lambda,
    Literal,
    Local,
    Match,
    Member,
    Name,
    Node,
    Pattern,
    TupleOf,
)

_OFTEN: Final = 200
"""Nodes of a walk that are counted together."""
_names: dict[type[Node], tuple[str, ...]] = {}
_WORD: Final = re.compile(r"\w+")
_NO_NODES: Final = frozenset(("str", "int", "bool", "float", "None", "Type", "Operation", "list", "dict", "tuple"))
"""The words in the annotation of an attribute that holds no node."""


def children(node: Node) -> list[Node]:
    """The nodes right below a node."""
    below: list[Node] = []
    for name in _held_by(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            below.append(value)
        elif value:
            _add_nodes(value, below)
    return below


def _held_by(node: Node) -> tuple[str, ...]:
    """The attributes of a node that can hold nodes."""
    names = _names.get(type(node))
    return _names_of(type(node)) if names is None else names


def _names_of(kind: type[Node]) -> tuple[str, ...]:
    """The attributes of a class that can hold nodes."""
    held = [each.name for each in fields(kind) if not _NO_NODES.issuperset(_WORD.findall(str(each.type)))]
    return _names.setdefault(kind, tuple(held))


def _add_nodes(value: object, nodes: list[Node]) -> None:
    if isinstance(value, (list, tuple)):
        parts: Iterable[object] = value
    elif isinstance(value, dict):
        parts = value.values()
    else:
        return
    for part in parts:
        if isinstance(part, Node):
            nodes.append(part)
        elif part:
            _add_nodes(part, nodes)


def rewritten(node: Node, change: Callable[[Node], Node]) -> Node:
    """A node in which `change` has replaced every node, those below before those above them."""
    if children(node):
        for name in _names[type(node)]:
            setattr(node, name, _changed(getattr(node, name), change))
    return change(node)


def _changed(value: object, change: Callable[[Node], Node]) -> object:
    if isinstance(value, Node):
        return rewritten(value, change)
    if isinstance(value, list):
        return [_changed(part, change) for part in value]
    if type(value) is tuple:
        return tuple(_changed(part, change) for part in value)
    if isinstance(value, dict):
        return {key: _changed(part, change) for key, part in value.items()}
    return value


def replace_below(node: Node, change: Callable[[Node], Node]) -> None:
    """Puts what `change` makes of each node below one in its place, the innermost first; lists stay the same ones."""
    for name in _held_by(node):
        held = getattr(node, name)
        if isinstance(held, Node):
            replace_below(held, change)
            setattr(node, name, change(held))
        elif isinstance(held, list):
            for place, part in enumerate(held):
                held[place] = _replaced(part, change)
        elif isinstance(held, dict):
            for key, part in held.items():
                held[key] = _replaced(part, change)


def _replaced(value: object, change: Callable[[Node], Node]) -> object:
    if isinstance(value, Node):
        replace_below(value, change)
        return change(value)
    if type(value) is tuple:
        return tuple(_replaced(part, change) for part in value)
    return value


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, parents first."""
    # Passes visit each node dozens of times: without a call of `children` for each.
    waiting, count, names_by_class = [node], 0, _names
    while waiting:
        current = waiting.pop()
        count += 1
        if count % _OFTEN == 0:
            spend(_OFTEN)
        yield current
        names = names_by_class.get(type(current))
        if names is None:
            names = _names_of(type(current))
        if names:
            below: list[Node] = []
            for name in names:
                value = getattr(current, name)
                if isinstance(value, Node):
                    below.append(value)
                elif value:
                    _add_nodes(value, below)
            below.reverse()
            waiting += below
    spend(count % _OFTEN)


def own_nodes(body: Block) -> list[Node]:
    """The nodes of a function's body without those of functions inside of it."""
    nodes: list[Node] = []
    waiting: list[Node] = [body]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if not isinstance(node, (Lambda, Local)):
            waiting += children(node)
    return nodes


def bound_names(pattern: Pattern) -> list[str]:
    """The names that a pattern binds, in order."""
    return [node.name for node in walk(pattern) if isinstance(node, Binding)]


def gets_value_first(name: str, statements: Sequence[Node]) -> bool | None:
    """True if a variable is assigned before anything reads it, on every way; None if nothing mentions it."""
    for statement in statements:
        if not _mentions(statement, name):
            continue
        if isinstance(statement, Assign):
            targets = statement.target.items if isinstance(statement.target, TupleOf) else [statement.target]
            is_plain = any(isinstance(each, Name) and each.name == name for each in targets) and not statement.operator
            return is_plain and not _mentions(statement.value, name)
        return _on_every_way(name, statement.value) if isinstance(statement, Evaluate) else False
    return None


def _on_every_way(name: str, value: Expr) -> bool:
    match value:
        case If():
            if _mentions(value.condition, name) or value.otherwise is None:
                return False
            branches: list[Node] = [value.then, value.otherwise]
        case Match():
            if _mentions(value.value, name):
                return False
            branches = [arm.body for arm in value.arms]
        case Block():
            branches = [value]
        case _:
            return False
    ways = [each.statements if isinstance(each, Block) else [Evaluate(each)] for each in branches if isinstance(each, Expr)]
    return bool(ways) and all(gets_value_first(name, way) is True for way in ways)


def _mentions(node: Node, name: str) -> bool:
    return any(isinstance(each, Name) and each.name == name for each in walk(node))


def tails(node: Expr) -> frozenset[int]:
    """An expression and the expressions that its value comes from, by identity."""
    identities: set[int] = set()
    waiting: list[Expr] = [node]
    while waiting:
        current = waiting.pop()
        identities.add(id(current))
        match current:
            case Block(statements=[*_, Evaluate(value=value)]):
                waiting.append(value)
            case If():
                waiting += [current.then, *([current.otherwise] if current.otherwise is not None else [])]
            case Match():
                waiting += [arm.body for arm in current.arms]
    return frozenset(identities)


def root_of(target: Expr) -> str:
    """The name that a place begins with; "" for none."""
    while isinstance(target, (Member, Index)):
        target = target.object
    return target.name if isinstance(target, Name) else ""


def is_option_literal(node: Expr) -> bool:
    """`None`, `Some(…)`."""
    if isinstance(node, Literal):
        return node.kind == "none"
    return isinstance(node, Call) and isinstance(node.function, Name) and node.function.name == "Some"


def ends_in_jump(block: Block) -> bool:
    """True if the last statement of a block leaves it."""
    last = block.statements[-1] if block.statements else None
    return isinstance(last, Evaluate) and isinstance(last.value, Jump)
