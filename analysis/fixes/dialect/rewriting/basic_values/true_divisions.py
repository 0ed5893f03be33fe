"""Divisions of Python, JavaScript and PHP, which keep their fraction: told by what is done with the quotient.

A quotient that is shown with decimals is a Float; one that is shown as it is may be one, which is a doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

HABITS: Final = frozenset(("python", "javascript", "php"))
"""Languages whose `/` keeps the fraction."""


def with_true_divisions(items: Sequence[n.Item], habit: str, text: str) -> frozenset[str]:
    """Makes Floats of quotients that are shown with decimals; the names of the others."""
    names: set[str] = set()
    for item in items if habit in HABITS else ():
        nodes = list(walk(item))
        shown = [_shown(node) for node in nodes]
        quotients = {
            node.pattern.name: node.value
            for node in nodes
            if isinstance(node, n.Let)
            and isinstance(node.pattern, n.Binding)
            and isinstance(node.value, n.Binary)
            and node.type is None
            and is_true_division(node.value, text)
        }
        for value in shown:
            if isinstance(value, n.Name) and value.name in quotients:
                value = quotients[value.name]
            for quotient in _quotients(value, text) if value is not None else ():
                start, end = quotient.left.start, quotient.left.end
                quotient.left = n.Call(n.Member(quotient.left, "to_f", start=start, end=end), [], start=start, end=end)
        names |= {name for name, value in quotients.items() if not _is_float(value.left)}
    return frozenset(names)


def _quotients(value: n.Expr, text: str) -> Iterator[n.Binary]:
    """The quotients of which a value is made by arithmetic: `done / all * 100`."""
    if not isinstance(value, n.Binary) or value.operator not in ("+", "-", "*", "/"):
        return
    yield from _quotients(value.left, text)
    yield from _quotients(value.right, text)
    if is_true_division(value, text) and not _is_float(value.left):
        yield value


def doubtful_quotients(items: Sequence[n.Item], text: str) -> frozenset[tuple[int, int]]:
    """The places of quotients of JavaScript that may have a fraction: nothing rounds them, and nothing asks for their rest."""
    return frozenset(place for item in items for place in _doubtful(item, text))


def _doubtful(item: n.Item, text: str) -> Iterator[tuple[int, int]]:
    nodes = list(walk(item))
    rounded = {id(each) for node in nodes if (value := _rounded(node)) is not None for each in walk(value)}
    rests = [node for node in nodes if isinstance(node, n.Binary) and node.operator == "%"]
    asked = {(_spelt(node.left, text), _spelt(node.right, text)) for node in rests}
    for node in nodes:
        if isinstance(node, n.Assign) and node.operator == "/":
            if (_spelt(node.target, text), _spelt(node.value, text)) not in asked:
                yield node.start, node.end
        elif isinstance(node, n.Binary) and is_true_division(node, text) and id(node) not in rounded:
            is_exact = isinstance(node.left, n.Binary) and node.left.operator == "*"
            is_exact |= isinstance(node.right, n.Call) and "gcd" in _spelt(node.right, text)
            if not is_exact and (_spelt(node.left, text), _spelt(node.right, text)) not in asked:
                yield node.start, node.end


def _spelt(node: n.Expr, text: str) -> str:
    return text[node.start : node.end].strip()


def _rounded(node: n.Node) -> n.Expr | None:
    """The value that `Math.floor(x)`, `x | 0` and similar forms make whole."""
    match node:
        case n.Call(function=n.Member(name=("floor" | "trunc" | "ceil" | "round")), arguments=[value]):
            return value.value
        case n.Call(function=n.Name(name=("parseInt" | "floor" | "trunc" | "round")), arguments=[value, *_]):
            return value.value
        case n.Call(function=n.Member(object=value, name=("bit_or" | "shift_right" | "trunc" | "floor" | "to_i"))):
            return value
    return None


def is_true_division(node: n.Expr, text: str) -> bool:
    """True if a value is a quotient written with one slash."""
    if not isinstance(node, n.Binary) or node.operator != "/":
        return False
    if node.written:
        return node.written == "/"
    # `intdiv(a, b)` has none between its values.
    between = text[node.left.end : node.right.start]
    return "/" in between and "//" not in between


def is_quotient(node: n.Expr, names: frozenset[str], text: str) -> bool:
    """True if a value is a quotient, or a variable that holds one."""
    return node.name in names if isinstance(node, n.Name) else is_true_division(node, text)


def _shown(node: n.Node) -> n.Expr | None:
    """Value that `x.toFixed(2)` and similar calls show with decimals; None for another node."""
    match node:
        case n.Call(function=n.Member(object=value, name="toFixed"), arguments=[digits]):
            is_whole = isinstance(digits.value, n.Literal) and digits.value.text == "0"
            return None if is_whole else value
        case n.Call(function=n.Name(name="round"), arguments=[value, _]):
            return value.value
        case n.Call(function=n.Member(object=value, name="round_to"), arguments=[_]):
            return value
    return None


def _is_float(node: n.Expr) -> bool:
    return isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name == "to_f"
