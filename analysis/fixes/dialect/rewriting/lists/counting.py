"""Whether a program counts the items of lists from 0 or from 1: what its loops, variables and fields say about places.

In the habits of Lua and Julia the first item has the number 1, but a program that begins at 0 wherever it says so counts from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk


@dataclass(eq=False)
class Counted:
    """Names of the lists whose places begin at 0 (`zero`), at 1 (`one`), or at 1 and end with the last item (`whole`)."""

    zero: set[str] = field(default_factory=set)
    one: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)

    @property
    def is_from_zero(self) -> bool:
        """True if some list begins at 0, and no other one at 1."""
        return bool(self.zero) and not self.whole and self.one <= self.zero


def counted(items: list[n.Item]) -> Counted:
    """What the places in a program say."""
    functions: list[n.Function] = []
    for item in items:
        functions += [item] if isinstance(item, n.Function) else item.functions if isinstance(item, n.Implementation) else []
    totals = Counted()
    fields: dict[str, set[str]] = {}
    given: dict[tuple[str, int], set[str]] = {}
    for function in functions:
        for node in walk(function):
            for name, value in node.fields.items() if isinstance(node, n.RecordOf) else ():
                fields.setdefault(name, set()).add(_first(value))
            if isinstance(node, n.Call) and isinstance(node.function, n.Name):
                for place, each in enumerate(node.arguments):
                    given.setdefault((node.function.name, place), set()).add(_first(each.value))
    for function in functions:
        firsts = {
            parameter.name: {first for first in given.get((function.name, place), ()) if first}
            for place, parameter in enumerate(function.parameters)
        }
        _note(function, firsts, fields, totals)
    return totals


def _note(function: n.Function, firsts: dict[str, set[str]], fields: dict[str, set[str]], totals: Counted) -> None:
    """Adds what a function says; `firsts` holds what its parameters begin at."""
    nodes = list(walk(function))
    changed: dict[str, int] = {}
    for node in nodes:
        for name, first in _beginnings(node):
            firsts.setdefault(name, set()).add(first)
        if isinstance(node, n.Assign) and isinstance(node.target, n.Name):
            changed[node.target.name] = min(node.start, changed.get(node.target.name, node.start))
        if isinstance(node, n.For) and (whole := whole_list(node)):
            totals.whole.add(whole)
    for node in nodes:
        if not isinstance(node, n.Index) or not isinstance(node.object, (n.Name, n.Member)):
            continue
        owner, index = node.object.name, node.index
        begins = {"0"} if _first(index) == "0" else set()
        if isinstance(index, n.Name) and node.start <= changed.get(index.name, node.start):
            begins = firsts.get(index.name, set())
        elif isinstance(index, n.Member):
            begins = fields.get(index.name, set()) - {""}
        elif isinstance(index, n.Binary) and index.operator == "%":
            begins = {"0"}
        if begins == {"0"}:
            totals.zero.add(owner)
        elif begins == {"1"}:
            totals.one.add(owner)
        if _counts(index) == owner:
            totals.whole.add(owner)


def _beginnings(node: n.Node) -> Iterator[tuple[str, str]]:
    """Variables with the 0 or 1 that they begin at; "" for another value."""
    if isinstance(node, n.For) and isinstance(node.pattern, n.Binding):
        low = node.source.low if isinstance(node.source, n.Range) else None
        yield node.pattern.name, _first(low) if low is not None else ""
    elif isinstance(node, n.Let) and isinstance(node.pattern, n.Binding):
        yield node.pattern.name, _first(node.value) if node.value is not None else ""


def _first(value: n.Expr) -> str:
    """The 0 or 1 that a value is; "" for another one."""
    return value.text if isinstance(value, n.Literal) and value.kind == "int" and value.text in ("0", "1") else ""


def _counts(value: n.Expr | None) -> str:
    """The name of the list whose length a value is; "" for another one."""
    if not isinstance(value, n.Call):
        return ""
    owner = (
        value.function.object if isinstance(value.function, n.Member) else value.arguments[0].value if value.arguments else None
    )
    return owner.name if isinstance(owner, n.Name) else ""


def whole_list(loop: n.For) -> str:
    """`xs` of `for i = 1, #xs do … xs[i] …`; "" for another loop."""
    source = loop.source
    if not isinstance(source, n.Range) or not source.inclusive or not isinstance(loop.pattern, n.Binding):
        return ""
    owner = _counts(source.high) if isinstance(source.low, n.Literal) and source.low.text == "1" else ""
    is_used = owner and any(
        isinstance(node, n.Index)
        and isinstance(node.object, n.Name)
        and node.object.name == owner
        and isinstance(node.index, n.Name)
        and node.index.name == loop.pattern.name
        for node in walk(loop.body)
    )
    return owner if is_used else ""
