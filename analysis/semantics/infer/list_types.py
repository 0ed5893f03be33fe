"""The types of list literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.semantics import ty
from analysis.semantics.infer.result import Mismatch, Role, Want
from analysis.semantics.ty import NEVER, UNKNOWN, Ty
from analysis.syntax import tree as t

if TYPE_CHECKING:
    from analysis.semantics.infer.inferring import Engine


def of_list(engine: Engine, node: t.ListLiteral, want: Want | None, used: bool) -> Ty:
    """The type of a list, its items against the wanted one; `used` does not matter."""
    if want is None or want.type.head != "List":
        item = NEVER
        for each in node.items:
            item = engine.join(item, engine.synth(each))
        list_type = ty.list_of(item)
        return engine.compared(node, list_type, want) if want is not None else list_type
    wanted = Want(want.type.arguments[0], Role.ELEMENT, want.name, "", 0, want.declared_at, want.is_relied_on)
    before = len(engine.out.mismatches)
    item = NEVER
    for each in node.items:
        item = engine.join(item, engine.check(each, wanted))
    refused = engine.out.mismatches[before:]
    if len(refused) > 1 and [mismatch.node for mismatch in refused] == list(node.items):
        # No item fits: report the list as a whole.
        del engine.out.mismatches[before:]
        given = NEVER
        for mismatch in refused:
            given = engine.join(given, mismatch.given)
        engine.out.mismatches.append(Mismatch(node, ty.list_of(given), want))
        return UNKNOWN
    return ty.list_of(item)
