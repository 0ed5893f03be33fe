"""Whole numbers that stand where a Float comes: `total = 0` before `total += price`, `return 0` beside `return total / count`.

Languages without declared types let a variable or a result be both. Here the number is written as a Float from the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.program import Program


def fractional_starts(functions: Iterable[n.Function]) -> frozenset[int]:
    """The offsets of these numbers; the types of all values are known."""
    return frozenset(start for function in functions for start in _starts(function))


def gives_whole_numbers(program: Program) -> bool:
    """True if a whole number is given to a parameter that is a Float."""
    for function in program.definitions.values():
        for node in walk(function.body):
            if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in program.functions:
                wanted = program.functions[node.function.name].parameters
                given = zip(node.arguments, wanted, strict=False)
                if any(head(kind) == "Float" and any(_whole(argument.value)) for argument, kind in given):
                    return True
    return False


def as_fractions(items: list[n.Item], starts: frozenset[int]) -> None:
    """Writes the numbers at these offsets as Floats."""
    for item in items if starts else ():
        for node in walk(item):
            if isinstance(node, n.Literal) and node.kind == "int" and node.start in starts and node.text.isdigit():
                node.kind, node.text = "float", f"{node.text}.0"


def _starts(function: n.Function) -> Iterator[int]:
    nodes = list(walk(function.body))
    fractional = {
        node.target.name
        for node in nodes
        if isinstance(node, n.Assign) and isinstance(node.target, n.Name) and head(node.value.ty) == "Float"
    }
    for node in nodes:
        match node:
            case n.Let(pattern=n.Binding(name=name), type=None, value=n.Expr() as value) if name in fractional:
                yield from _whole(value)
            case n.Assign(target=n.Name(name=name), value=value) if name in fractional and not node.operator:
                yield from _whole(value)
            case n.ListOf(items=parts):
                yield from _beside_fractions(parts)
            case n.If(then=then, otherwise=n.Block() as otherwise):
                yield from _beside_fractions([last for block in (then, otherwise) if (last := _last(block)) is not None])
    if function.result is None or head(function.result) in ("", "Int", "Float"):
        results = [node.value for node in nodes if isinstance(node, n.Jump) and node.kind == "return" and node.value is not None]
        yield from _beside_fractions([*results, *([last] if (last := _last(function.body)) is not None else [])])


def _beside_fractions(values: list[n.Expr]) -> Iterator[int]:
    if any(head(value.ty) == "Float" for value in values):
        for value in values:
            yield from _whole(value)


def _whole(value: n.Expr) -> Iterator[int]:
    """The offset of a whole number, with or without a sign."""
    inner = value.operand if isinstance(value, n.Unary) and value.operator == "-" else value
    if isinstance(inner, n.Literal) and inner.kind == "int":
        yield inner.start


def _last(block: n.Block) -> n.Expr | None:
    """The value of a block, if an expression is last in it."""
    last = block.statements[-1] if block.statements else None
    return last.value if isinstance(last, n.Evaluate) else None
