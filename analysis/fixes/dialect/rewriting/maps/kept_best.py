"""Loops that keep the best entry of a map, with the key to tell equal ones apart: they give the same in every order.

for word in counts { if counts[word] > most || (counts[word] == most && word < best) { best = word; most = counts[word] } }
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children, walk

_ORDERS: Final = frozenset(("<", ">"))


class _Step(NamedTuple):
    """What a loop compares and keeps: the value and the name that holds the best one, the name of the best key."""

    value: n.Expr
    best: str
    key: str


def keeps_best(loop: n.For) -> bool:
    """True if all that a loop does is to keep the best entry, by a value and, where these are equal, by the key."""
    key = _key_of(loop)
    lets, last = loop.body.statements[:-1], loop.body.statements[-1] if loop.body.statements else None
    if not key or not isinstance(last, n.Evaluate) or not isinstance(last.value, n.If) or not all(map(_is_plain, lets)):
        return False
    branches = _branches(last.value)
    if branches is None or len(branches) > 2:
        return False
    condition, sets = branches[0]
    either = condition if isinstance(condition, n.Binary) and condition.operator == "||" else None
    if either is not None and len(branches) == 1:
        for better, tie in ((either.left, either.right), (either.right, either.left)):
            step = _step(better, sets, key)
            if step is not None and _is_tie(tie, step, key):
                return True
        return False
    if len(branches) != 2:
        return False
    step = _step(condition, sets, key)
    second, then = branches[1]
    if step is None or not _is_tie(second, step, key):
        return False
    held = then.get(step.best)
    is_same = held is None or _same(held, step.value)
    return is_same and set(then) <= {step.best, step.key} and _is_name(then.get(step.key), key)


def _key_of(loop: n.For) -> str:
    """The name that holds a key in each round; "" where none does."""
    pattern = loop.pattern
    if isinstance(pattern, n.TuplePattern) and len(pattern.items) == 2:
        pattern = pattern.items[0]
        return pattern.name if isinstance(pattern, n.Binding) else ""
    source = loop.source
    operation = source.operation if isinstance(source, (n.Call, n.Member)) else None
    called = source.function.name if isinstance(source, n.Call) and isinstance(source.function, n.Name) else ""
    is_keys = isinstance(source, n.Name) or called == "map_keys" or (operation is not None and "keys" in operation.template)
    return pattern.name if is_keys and isinstance(pattern, n.Binding) else ""


def _is_plain(statement: n.Statement) -> bool:
    """True for a name for a value that only reads."""
    if not isinstance(statement, n.Let) or statement.value is None or statement.mutable:
        return False
    return not any(isinstance(node, (n.Jump, n.Block, n.Lambda)) for node in walk(statement.value))


def _branches(choice: n.If) -> list[tuple[n.Expr, dict[str, n.Expr]]] | None:
    """The conditions of an `if` with what each branch sets; None where one does anything else."""
    branches: list[tuple[n.Expr, dict[str, n.Expr]]] = []
    rest: n.If | None = choice
    while rest is not None:
        sets: dict[str, n.Expr] = {}
        for statement in rest.then.statements:
            if not isinstance(statement, n.Assign) or statement.operator or not isinstance(statement.target, n.Name):
                return None
            sets[statement.target.name] = statement.value
        branches.append((rest.condition, sets))
        other = rest.otherwise.statements if rest.otherwise is not None else []
        only = other[0] if len(other) == 1 else None
        if other and not (isinstance(only, n.Evaluate) and isinstance(only.value, n.If)):
            return None
        rest = only.value if isinstance(only, n.Evaluate) and isinstance(only.value, n.If) else None
    return branches


def _step(condition: n.Expr, sets: dict[str, n.Expr], key: str) -> _Step | None:
    """`value > best` with both set, and the key of the best one."""
    if not isinstance(condition, n.Binary) or condition.operator not in _ORDERS or len(sets) != 2:
        return None
    keys = [name for name, value in sets.items() if _is_name(value, key)]
    for value, best in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(best, n.Name) and best.name in sets and _same(sets[best.name], value) and len(keys) == 1:
            return _Step(value, best.name, keys[0]) if keys[0] != best.name else None
    return None


def _is_tie(condition: n.Expr, step: _Step, key: str) -> bool:
    """`value == best && key < best_key`, in any order."""
    if not isinstance(condition, n.Binary) or condition.operator != "&&":
        return False
    for equal, order in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(equal, n.Binary) and equal.operator in ("==", "===") and isinstance(order, n.Binary):
            sides = (equal.left, equal.right), (equal.right, equal.left)
            is_equal = any(_same(value, step.value) and _is_name(best, step.best) for value, best in sides)
            names = [side.name for side in (order.left, order.right) if isinstance(side, n.Name)]
            if is_equal and order.operator in _ORDERS and sorted(names) == sorted((key, step.key)):
                return True
    return False


def _is_name(value: n.Expr | None, name: str) -> bool:
    return isinstance(value, n.Name) and value.name == name


def _same(left: n.Node, right: n.Node) -> bool:
    """True if two expressions are written alike."""
    if type(left) is not type(right):
        return False
    words = ("name", "text", "operator", "kind", "owner")
    if any(getattr(left, word, "") != getattr(right, word, "") for word in words):
        return False
    below, beside = children(left), children(right)
    return len(below) == len(beside) and all(map(_same, below, beside))
