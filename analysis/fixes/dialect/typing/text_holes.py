"""Fields behind a name in a text: `"$robot.x"`, where a record has no text of its own and so its field is meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, part_place
from analysis.fixes.dialect.typing.own_operators import text_method
from analysis.fixes.dialect.typing.program import Program

_FIELD: Final = re.compile(r"\"\.([A-Za-z_]\w*)(?!\()")


def infer_holes(node: n.Interpolated, infer: Callable[[n.Expr], Type], program: Program) -> None:
    """Infers the parts of a text; the name of a field behind a record or a tuple becomes part of its hole."""
    parts: list[n.Expr] = []
    for part in node.parts:
        field = _field_behind(parts[-1], part, program) if parts else ""
        while field and isinstance(part, n.Literal):
            shown = parts.pop()
            parts.append(n.Member(shown, field, start=shown.start, end=shown.end + len(field) + 1))
            infer(parts[-1])
            part.text = '"' + part.text[len(field) + 2 :]
            field = _field_behind(parts[-1], part, program)
        if not isinstance(part, n.Literal) or part.text != '""':
            infer(part)
            parts.append(part)
    node.parts = parts


def _field_behind(shown: n.Expr, text: n.Expr, program: Program) -> str:
    """The field that a text names right behind a hole; "" if there is none or the value can be shown itself."""
    named = _FIELD.match(text.text) if isinstance(text, n.Literal) and text.kind == "string" else None
    if named is None or not isinstance(shown, (n.Name, n.Member)):
        return ""
    kind = head(shown.ty)
    record = program.records.get(kind)
    if record is not None:
        has_text = text_method(program, kind) is not None
        return named[1] if named[1] in record.fields and not has_text else ""
    return named[1] if kind == "Tuple" and part_place(named[1]) is not None else ""
