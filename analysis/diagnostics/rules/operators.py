"""W104: operands that an operator refuses, and comparisons that always come out the same (spec chapter 08 sections 5 and 6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.infer.result import Operation
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.ty import Ty
from analysis.syntax.tree import Binary, Expr, Name, Unary
from analysis.text.edits import Confidence, Edit, Fix

_NUMERIC: Final = frozenset("+-*/%")
_ORDER: Final = frozenset(("<", "<=", ">", ">="))
_EQUALITY: Final = frozenset(("==", "!="))
_NUMBERS: Final = ("Int", "Float")
_TO_STRING: Final = {
    "Int": "__builtin_int_to_string",
    "Float": "__builtin_float_to_string",
    "Bool": "__builtin_bool_to_string",
}


def concerns(context: TextContext) -> bool:
    """True if a text holds an operator."""
    return any(nodes.of(Binary, Unary) for _, nodes in context.walked)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every operator whose operands could be wrong, the inner ones of a chain first: one diagnostic a chain."""
    reported: set[int] = set()
    for use in paced(context.inference.operations):
        node = use.node
        if isinstance(node, Unary):
            yield from _negated(context, node, use)
            continue
        if id(node.left) in reported:
            reported.add(id(node))
            continue
        diagnostic = _operands(context, node, _head(use.left), _head(use.right), use)
        if diagnostic is not None:
            reported.add(id(node))
            yield diagnostic


def _head(held: Ty) -> str | None:
    """The kind of a type's values: a builtin type or the name of a record or enum; None if it is not certain."""
    if not held.is_known:
        return None
    return held.name if held.is_declared else held.head


def _negated(context: RuleContext, node: Unary, use: Operation) -> Iterator[Diagnostic]:
    held = _head(use.right)
    if held is not None and held not in _NUMBERS:
        why = f"it fails at run time: type error: expected numeric, got {held}"
        yield diagnostic("W104", _span(node.operand), f"`-` takes a number, not {_a(held)}", help="negate a number", why=why)


def _operands(context: RuleContext, node: Binary, left: str | None, right: str | None, use: Operation) -> Diagnostic | None:
    sign = node.operator
    if sign in _NUMERIC:
        accepted = ("Int",) if sign == "%" else _NUMBERS
        return _refused(context, node, (left, right), accepted, "Ints" if sign == "%" else "numbers", use)
    if sign == "++":
        return _refused(context, node, (left, right), ("String",), "Strings", use)
    if sign in ("&&", "||"):
        # W105 reports operands that always count the same.
        either_way = [None if held.is_declared or held.head == "Fn" else _head(held) for held in (use.left, use.right)]
        return _truth(node, *either_way)
    if left is None or right is None:
        return None
    if sign in _ORDER and (left != right or left not in (*_NUMBERS, "String")):
        message = f"`{sign}` compares two Ints, two Floats or two Strings, not {_a(left)} and {_a(right)}"
        why = f"it fails at run time: type error: expected comparable, got {left}"
        return _w104(context, node, message, "compare values of one of these types", why, _converted(context, node, left, right))
    if sign in _EQUALITY and left != right:
        result = "false" if sign == "==" else "true"
        message = f"{_a(left)} and {_a(right)} are never equal: this `{sign}` is always {result}"
        why = "values of different types are different, an Int and a Float too"
        return _w104(context, node, message, "compare values of the same type", why, _converted(context, node, left, right))
    return None


def _refused(
    context: RuleContext, node: Binary, held: tuple[str | None, str | None], wanted: tuple[str, ...], words: str, use: Operation
) -> Diagnostic | None:
    """The diagnostic of operands that `+` or `++` does not accept."""
    wrong = [kind for kind in held if kind is not None and kind not in wanted]
    if not wrong:
        return None
    message = f"`{node.operator}` takes {words}, not {_a(wrong[0])}"
    if len(wrong) == 2 and wrong[0] != wrong[1]:
        message += f" and {_a(wrong[1])}"
    why = f"it fails at run time: type error: expected {'numeric' if words == 'numbers' else wanted[0]}, got {wrong[0]}"
    fixes = _joined(node, held, use.chain) if node.operator == "+" else ()
    if node.operator == "++":
        fixes = _as_text(context, node, held, use.chain)
    help = fixes[0].description if fixes else f"use {words}"
    if node.operator == "*" and held in (("String", "Int"), ("Int", "String")):
        sides = (node.left, node.right) if held[0] == "String" else (node.right, node.left)
        text, count = (context.text[side.start : side.end] for side in sides)
        help = f'write `string_repeat({text}, {count})`, with `import "std-text"`' if "\n" not in text + count else help
    return _w104(context, node, message, help, why, fixes)


def _truth(node: Binary, left: str | None, right: str | None) -> Diagnostic | None:
    wrong = [kind for kind in (left, right) if kind is not None and kind != "Bool"]
    if not wrong:
        return None
    message = f"operand of `{node.operator}` is {_a(wrong[0])}, not a Bool"
    why = "only false, 0, empty texts, lists and maps, None, Err and Unit count as false"
    return diagnostic("W104", _span(node), message, severity=Severity.HINT, help="compare it with something", why=why)


def _w104(context: RuleContext, node: Binary, message: str, help: str, why: str, fixes: tuple[Fix, ...]) -> Diagnostic:
    return diagnostic("W104", _span(node), message, help=help, why=why, fixes=fixes)


# ---- fixes ------------------------------------------------------------------------------------------------------------------


def _joined(node: Binary, held: tuple[str | None, str | None], chain: tuple[Binary, ...]) -> tuple[Fix, ...]:
    """`+` of Strings, or of Lists."""
    if "List" in held and set(held) <= {"List", None}:
        return (_concatenated(node, chain),)
    if "String" not in held:
        return ()
    edits = [Edit((part.operator_at, part.operator_at + 1), "++") for part in chain if part.operator == "+"]
    for operand, kind in ((node.left, held[0]), (node.right, held[1])):
        if kind in _TO_STRING:
            edits += _wrapped(operand, _TO_STRING[kind or ""])
    edits.sort(key=lambda edit: edit.span)
    return (Fix("W104-concat", "write `++`", Confidence.HIGH, "Strings are joined with `++`", tuple(edits)),)


def _concatenated(node: Binary, chain: tuple[Binary, ...]) -> Fix:
    """`node` and what continues it in its chain: in `a ++ b ++ c` the first sum is the left operand of the second."""
    by_left = {id(part.left): part for part in chain if part.operator == node.operator}
    parts = [node]
    while (outer := by_left.get(id(parts[-1]))) is not None:
        parts.append(outer)
    edits = [Edit((node.left.start, node.left.start), "__builtin_list_concat(" * len(parts))]
    for part in parts:
        edits += [
            Edit((part.left.end, part.operator_at + len(part.operator)), ","),
            Edit((part.right.end, part.right.end), ")"),
        ]
    description = "write `__builtin_list_concat(…)`"
    return Fix("W104-list-concat", description, Confidence.MEDIUM, "a builtin joins two lists", tuple(edits))


def _as_text(
    context: RuleContext, node: Binary, held: tuple[str | None, str | None], chain: tuple[Binary, ...]
) -> tuple[Fix, ...]:
    """`++` with a number: its text; of two numbers: their sum; of two lists: a builtin."""
    if set(held) <= set(_NUMBERS):
        if isinstance(node.left, Name) and "\n" in context.text[node.operator_at : node.right.start]:
            name = node.left.name
            edit = Edit((node.left.start, node.operator_at + 2), f"{name} = {name} + 1")
            return (
                Fix("W104-increment", f"write `{name} = {name} + 1`", Confidence.HIGH, "there is no `++` after a name", (edit,)),
            )
        edit = Edit((node.operator_at, node.operator_at + 2), "+")
        return (Fix("W104-add", "write `+`", Confidence.MEDIUM, "numbers are added with `+`", (edit,)),)
    if "List" in held and set(held) <= {"List", None}:
        return (_concatenated(node, chain),)
    return _converted(context, node, *held)


def _converted(context: RuleContext, node: Binary, left: str | None, right: str | None) -> tuple[Fix, ...]:
    """The text of the operand that is no String, where the other one may be one."""
    sides = [(operand, kind) for operand, kind in ((node.left, left), (node.right, right)) if kind in _TO_STRING]
    if not sides or not {left, right} <= {"String", None, *_TO_STRING} or (None in (left, right) and node.operator != "++"):
        return ()
    if "String" not in (left, right) and node.operator != "++":
        return ()
    edits = [edit for operand, kind in sides for edit in _wrapped(operand, _TO_STRING[kind or ""])]
    names = ", ".join(f"`{_TO_STRING[kind or '']}`" for _, kind in sides)
    # A text joined with a number is its text; what a comparison of both means, nobody knows.
    is_compared = node.operator in (*_ORDER, *_EQUALITY)
    fix = Fix("W104-to-string", f"convert it with {names}", Confidence.MEDIUM, "both are Strings then", tuple(edits), is_compared)
    return (fix,)


def _wrapped(operand: Expr, function: str) -> list[Edit]:
    return [Edit((operand.start, operand.start), f"{function}("), Edit((operand.end, operand.end), ")")]


def _span(node: Expr) -> tuple[int, int]:
    return node.start, node.end


def _a(kind: str) -> str:
    if kind == "Unit":
        return "Unit"
    if kind == "Fn":
        return "a function"
    return f"an {kind}" if kind[0] in "AEIO" else f"a {kind}"
