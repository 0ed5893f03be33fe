"""Advice for calls of other languages that are no single builtin here: `xs.contains(1)`, `map(xs, f)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from analysis.suggestions.lexicon import FREE, operations
from analysis.suggestions.library_words import LIBRARIES

_LONGEST: Final = 80
"""Characters of an expression that advice shows."""
_FUNCTION: Final = re.compile(r"\b[a-z_]\w*+(?=\()")
_PLACE: Final = re.compile(r"\{(\w+)\}")
_LOOPS: Final = {
    "@map": "for item in {0} { out = list_push(out, {1}(item)) }",
    "@filter": "for item in {0} { if {1}(item) { out = list_push(out, item) } else {} }",
    "@for_each": "for item in {0} { {1}(item) }",
    "@any": "for item in {0} { if {1}(item) { return true } }",
    "@all": "for item in {0} { if !{1}(item) { return false } }",
    "@find": "for item in {0} { if {1}(item) { return Some(item) } }",
    "@count": "for item in {0} { if {1}(item) { count = count + 1 } }",
    "@fold": "for item in {0} { total = {2}(total, item) }",
    "@reduce": "for item in {0} { total = {1}(total, item) }",
}
"""Loops for functions that take functions."""


def method_advice(name: str, held: str | None, operands: Sequence[str]) -> str:
    """What to write for a method of a value of type `held`; `operands` are the texts of the value and the arguments."""
    kind = (held or "").partition("<")[0]
    operation = operations().get((kind, name, len(operands) - 1))
    if operation is None or any("\n" in operand or len(operand) > _LONGEST for operand in operands):
        return ""
    template = operation.template
    if template in _LOOPS:
        loop = _filled(_LOOPS[template], [_plain(operand) for operand in operands])
        return f"write a loop: `{loop}`" if loop else ""
    written = "" if template.startswith("@") else _filled(template, operands)
    if not written:
        return ""
    libraries = sorted({LIBRARIES[called] for called in _FUNCTION.findall(template) if called in LIBRARIES})
    imports = ", with " + " and ".join(f'`import "{library}"`' for library in libraries) if libraries else ""
    return f"write `{written}`{imports}" if len(written) <= _LONGEST else ""


def function_advice(name: str, held: str | None, operands: Sequence[str]) -> str:
    """What to write for a free function of another language whose first argument is of type `held`."""
    return method_advice(FREE[name], held, operands) if name in FREE and operands else ""


def _filled(template: str, operands: Sequence[str]) -> str:
    """A template with its operands; "" if it needs more than them: the lowering fills in the rest."""
    places = _PLACE.findall(template)
    if any(not place.isdigit() or int(place) >= len(operands) for place in places):
        return ""
    return _PLACE.sub(lambda match: operands[int(match[1])], template)


def _plain(operand: str) -> str:
    """A function's text in a loop: a closure is something else to write first."""
    return operand if re.fullmatch(r"[\w.\[\], \"]+", operand) else "f"
