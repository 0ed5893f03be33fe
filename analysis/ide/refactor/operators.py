"""Flip a binary operator: `a < b` becomes `b > a`."""

from __future__ import annotations

from typing import Final

from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.effects import effects_of
from analysis.ide.refactor.shapes import means, shape
from analysis.ide.refactor.site import Site
from analysis.semantics.ty import FLOAT, INT
from analysis.syntax import tree as t

_FLIPPED: Final = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=", "+": "+", "*": "*", "&&": "&&", "||": "||"}
_LOOSE: Final = (t.Binary, t.Unary, t.If, t.Match, t.Block, t.Spawn, t.Emit, t.Send)


def flip_binary(site: Site) -> Change | Refusal | None:
    """Swaps the operands of the operator at the cursor."""
    node = site.selected() or site.around(t.Binary)
    if not isinstance(node, t.Binary):
        return None
    at = node.operator_at
    if site.span[0] == site.span[1] and not at <= site.span[0] <= at + len(node.operator):
        return None
    if node.operator not in _FLIPPED:
        return Refusal(f"the operands of '{node.operator}' cannot be swapped")
    if node.operator in "+*" and not {site.types.of(node.left), site.types.of(node.right)} <= {INT, FLOAT}:
        return Refusal("the operands are not known to be numbers")
    if not effects_of(site, [node.left]).may_swap_with(effects_of(site, [node.right])):
        return Refusal("the operands have effects: their order would change")
    operator = _FLIPPED[node.operator]
    flipped = t.Binary(node.start, node.end, operator, node.right, node.left, at)
    edits = [
        site.edit(site.whole(node.left), _operand(site, node.right)),
        site.edit((at, at + len(node.operator)), operator),
        site.edit(site.whole(node.right), _operand(site, node.left)),
    ]
    if not means(site, edits, shape(site.function, {id(node): flipped})):
        return Refusal("the text around it would parse differently")
    return Change({site.file: edits})


def _operand(site: Site, node: t.Expr) -> str:
    return f"({site.bare(node)})" if isinstance(node, _LOOSE) else site.text(node)
