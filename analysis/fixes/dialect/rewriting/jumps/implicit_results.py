"""Functions of Python that give a value on some ways and end without one on others: there they give None."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.tree.walking import walk


def settle_implicit_results(items: list[n.Item]) -> None:
    """Writes `return None` at the end of functions that end with a loop, or with an `if` that has no `else`."""
    functions = [item for item in items if isinstance(item, n.Function)]
    functions += [each for item in items if isinstance(item, n.Implementation) for each in item.functions]
    for function in functions:
        if function.name == "main" or (function.result is not None and head(function.result) != "Option"):
            continue
        if _falls_through(function.body) and any(_gives_value(node) for node in walk(function.body)):
            end = function.body.end
            nothing = n.Literal("none", "None", start=end, end=end)
            function.body.statements.append(n.Evaluate(n.Jump("return", nothing, start=end, end=end), start=end, end=end))


def _falls_through(body: n.Block) -> bool:
    last = body.statements[-1] if body.statements else None
    if isinstance(last, n.Evaluate) and isinstance(last.value, n.If):
        otherwise = last.value.otherwise
        return otherwise is None or not otherwise.statements or _falls_through(otherwise)
    return isinstance(last, n.For)


def _gives_value(node: n.Node) -> bool:
    if not isinstance(node, n.Jump) or node.kind != "return" or node.value is None:
        return False
    return not (isinstance(node.value, n.Literal) and node.value.kind == "none")
