"""What stands for a value that is absent: `x if x is not None else d`, `if items is None: items = []` before anything else."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below, walk

_EQUAL: Final = ("==", "===")
_OTHER: Final = ("!=", "!==")


def settle_absent_choices(items: list[n.Item]) -> None:
    """Writes the first form as `x ?? d`, and the second as what the parameter is if nothing is given."""
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        replace_below(item, lambda node: _chosen(node) if isinstance(node, n.If) else node)
        for node in walk(item):
            if isinstance(node, n.Function):
                _settle_parameters(node)


def _compared_with_none(condition: n.Expr) -> tuple[n.Expr, bool] | None:
    """The value that a condition compares with `None`, and whether it asks if there is one."""
    if not isinstance(condition, n.Binary) or condition.operator not in (*_EQUAL, *_OTHER):
        return None
    if not isinstance(condition.right, n.Literal) or condition.right.kind != "none":
        return None
    return condition.left, condition.operator in _OTHER


def _only(block: n.Block | None) -> n.Expr | None:
    last = block.statements[0] if block is not None and len(block.statements) == 1 else None
    return last.value if isinstance(last, n.Evaluate) and not isinstance(last.value, n.Jump) else None


def _same(left: n.Expr, right: n.Expr | None) -> bool:
    if isinstance(left, n.Name):
        return isinstance(right, n.Name) and left.name == right.name
    return (
        isinstance(left, n.Member)
        and isinstance(right, n.Member)
        and left.name == right.name
        and _same(left.object, right.object)
    )


def _chosen(node: n.If) -> n.Expr:
    compared = _compared_with_none(node.condition)
    then, otherwise = _only(node.then), _only(node.otherwise)
    if compared is None or then is None or otherwise is None:
        return node
    value, is_there = compared
    kept, other = (then, otherwise) if is_there else (otherwise, then)
    if not _same(value, kept) or (isinstance(other, n.Literal) and other.kind == "none"):
        return node
    return n.Binary("??", value, other, start=node.start, end=node.end)


def _settle_parameters(function: n.Function) -> None:
    absent = {
        part.name: part for part in function.parameters if isinstance(part.default, n.Literal) and part.default.kind == "none"
    }
    while function.body.statements:
        first = function.body.statements[0]
        choice = first.value if isinstance(first, n.Evaluate) else None
        compared = _compared_with_none(choice.condition) if isinstance(choice, n.If) and choice.otherwise is None else None
        if compared is None or compared[1] or not isinstance(choice, n.If) or len(choice.then.statements) != 1:
            return
        step = choice.then.statements[0]
        target = step.target if isinstance(step, n.Assign) and not step.operator else None
        if not isinstance(target, n.Name) or not _same(compared[0], target) or target.name not in absent:
            return
        assert isinstance(step, n.Assign)
        if not _is_plain(step.value):
            return
        part = absent[target.name]
        part.default = step.value
        if part.type is not None and part.type.name == "Option":
            part.type = part.type.arguments[0]
        function.body.statements.pop(0)


def _is_plain(value: n.Expr) -> bool:
    """True for a literal and for an empty collection."""
    if isinstance(value, n.ListOf):
        return all(map(_is_plain, value.items))
    if isinstance(value, n.MapOf):
        return not value.pairs
    if isinstance(value, n.Block):
        return not value.statements
    return isinstance(value, n.Literal)
