"""W101, W102, W103: values of another type than their place declares, and places that declare a value and have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Related, Severity
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics import ty
from analysis.semantics.infer.result import Mismatch, Role, Want
from analysis.semantics.rule_context import RuleContext
from analysis.semantics.ty import FLOAT, INT, STRING, UNIT, named, text_of
from analysis.suggestions.conversions import conversions
from analysis.suggestions.default_values import value_of_type
from analysis.syntax.tree import Assign, Binary, Block, Expr, If, Let, Node
from analysis.text.edits import Confidence, Edit, Fix

_CODES: Final = {
    Role.ARGUMENT: "W101",
    Role.ITERABLE: "W101",
    Role.LET: "W102",
    Role.ASSIGNMENT: "W102",
    Role.FIELD: "W102",
    Role.SPREAD: "W102",
    Role.PAYLOAD: "W102",
    Role.ELEMENT: "W102",
    Role.RESULT: "W103",
    Role.RETURN: "W103",
}
_WHY: Final = {
    "W101": "at run time the call fails, or gives a wrong result",
    "W102": "code that reads the value expects the declared type: it fails or gives a wrong result",
    "W103": "callers rely on the declared result, and fail or compute something else",
}
_ANY: Final = {"__builtin_debug_msg": (1,), "__builtin_guard": (2, 3), "step_input": (1,)}
"""Arguments of builtins that take values of any kind, whatever is meant to be given."""
_ONLY_FLOATS: Final = frozenset(("__builtin_float_to_string",))
"""Builtins that fail for an Int, which computes like a Float elsewhere."""
_OF_KINDS: Final = frozenset((Role.ITERABLE, Role.SPREAD))
"""Places where any value of a kind will do."""
_DECLARED: Final = frozenset((Role.LET, Role.RESULT, Role.RETURN))
_WRAPPERS: Final = ("Some", "Ok", "Err")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every certain mismatch, except those that E009 reports in the reference's words."""
    for mismatch in paced(context.inference.mismatches):
        if not mismatch.evident:
            yield _mismatch_diagnostic(context, mismatch)


def _mismatch_diagnostic(context: RuleContext, mismatch: Mismatch) -> Diagnostic:
    want = mismatch.want
    if _is_number_for_number(mismatch) and _drops_fraction(mismatch.node):
        return _dropped(mismatch)
    code = _CODES[want.role]
    message = _message(mismatch)
    fixes = tuple(_fixes(context, mismatch, code))
    related: tuple[Related, ...] = ()
    if want.declared_at is not None:
        related = (Related(f"declared as {text_of(want.type)} here", want.declared_at),)
    return diagnostic(
        code,
        _span(mismatch),
        message,
        severity=Severity.HINT if _is_doubtful(mismatch) else None,
        help=_advice(mismatch) if _is_unsure(mismatch, fixes) else fixes[0].description,
        why=_why(mismatch, code),
        related=related,
        name=want.name,
        fixes=fixes,
    )


def _is_doubtful(mismatch: Mismatch) -> bool:
    """True if the mismatch may be intended: a name without annotation may change its type, and an Int computes like a Float."""
    want = mismatch.want
    if want.role is Role.ASSIGNMENT and want.declared_at is None:
        return True
    if want.role is Role.ARGUMENT and want.number in _ANY.get(want.name, ()):
        return True
    if want.role is Role.ARGUMENT and want.name in _ONLY_FLOATS:
        return False
    return (not want.is_relied_on and not mismatch.missing) or _is_number_for_number(mismatch)


def _is_number_for_number(mismatch: Mismatch) -> bool:
    return not mismatch.missing and mismatch.want.type is FLOAT and mismatch.given is INT


def _drops_fraction(node: Node) -> bool:
    """True if a value is a quotient of Ints, or computed from one."""
    while isinstance(node, Binary):
        if node.operator == "/":
            return True
        node = node.left
    return False


def _dropped(mismatch: Mismatch) -> Diagnostic:
    node = mismatch.node
    inner: Node = node
    while isinstance(inner, Binary) and inner.operator != "/":
        inner = inner.left
    assert isinstance(inner, Binary)
    divisor = inner.right
    edits = tuple(edit for fix in conversions(divisor, INT, FLOAT) for edit in fix.edits)
    fix = Fix("W604-float", "divide by a Float", Confidence.MEDIUM, "the quotient keeps its fraction then", edits)
    return diagnostic(
        "W604",
        (inner.start, inner.end),
        "this division of Ints drops the fraction, but a Float is needed",
        help="divide by a Float",
        why="a quotient of two Ints is the whole part of it",
        fixes=(fix,),
    )


def _span(mismatch: Mismatch) -> tuple[int, int]:
    node = mismatch.node
    if isinstance(node, Block):
        return node.end - 1, node.end
    return node.start, node.end


def _message(mismatch: Mismatch) -> str:
    want = mismatch.want
    expected = named(want.type)
    gives = "this gives no value" if mismatch.missing else f"this is {named(mismatch.given)}"
    if mismatch.missing and isinstance(mismatch.node, If):
        gives = "this `if` gives no value when its condition is false"
    elif mismatch.missing and isinstance(mismatch.node, Block):
        gives = "this block gives no value"
    write = _MESSAGES.get(want.role)
    return (
        write(mismatch, expected, gives) if write is not None else f"'{want.name}' is declared {text_of(want.type)}, but {gives}"
    )


def _of_argument(mismatch: Mismatch, expected: str, gives: str) -> str:
    want = mismatch.want
    place = f"parameter '{want.part}' takes" if want.part else "the function takes"
    given = "has no value" if mismatch.missing else f"is {named(mismatch.given)}"
    return f"argument {want.number}{f' of {want.name!r}' if want.name else ''} {given}, {place} {expected}"


def _of_assignment(mismatch: Mismatch, expected: str, gives: str) -> str:
    want = mismatch.want
    if want.declared_at is None:
        return f"'{want.name}' holds {expected} before, and {named(mismatch.given)} from here"
    return f"'{want.name}' is declared {text_of(want.type)}, but {gives}"


def _of_payload(mismatch: Mismatch, expected: str, gives: str) -> str:
    want = mismatch.want
    if want.part in _WRAPPERS:
        return f"`{want.part}` should hold {expected} here, but {gives}"
    return f"variant '{want.part}' of '{want.name}' holds {expected}, but {gives}"


def _of_result(mismatch: Mismatch, expected: str, gives: str) -> str:
    return f"'{mismatch.want.name}' is declared to return {text_of(mismatch.want.type)}, but {gives}"


_MESSAGES: Final[dict[Role, Callable[[Mismatch, str, str], str]]] = {
    Role.ITERABLE: lambda mismatch, expected, gives: f"`for` iterates over a list, not {named(mismatch.given)}",
    Role.ARGUMENT: _of_argument,
    Role.ASSIGNMENT: _of_assignment,
    Role.SPREAD: lambda mismatch, expected, gives: f"`..` takes the other fields from a record, not from {named(mismatch.given)}",
    Role.FIELD: lambda mismatch, expected, gives: (
        f"field '{mismatch.want.part}' of '{mismatch.want.name}' is declared {text_of(mismatch.want.type)}, but {gives}"
    ),
    Role.PAYLOAD: _of_payload,
    Role.ELEMENT: lambda mismatch, expected, gives: f"the list's items are declared {text_of(mismatch.want.type)}, but {gives}",
    Role.RESULT: _of_result,
    Role.RETURN: _of_result,
}
"""By what a value is for, but for that of a `let`."""


def _why(mismatch: Mismatch, code: str) -> str:
    if mismatch.want.role in _OF_KINDS:
        kind = "List" if mismatch.want.role is Role.ITERABLE else "Record"
        return f"it fails at run time: type error: expected {kind}, got {_kind(mismatch)}"
    if mismatch.want.name in _ONLY_FLOATS:
        return f"it fails at run time: type error: expected Float, got {_kind(mismatch)}"
    if _is_number_for_number(mismatch):
        return "an Int is never equal to a Float, and dividing Ints drops the fraction"
    return _WHY[code]


def _kind(mismatch: Mismatch) -> str:
    return {"record": "Record", "enum": "Enum", "Option": "Enum", "Result": "Enum", "Fn": "FnRef"}.get(
        mismatch.given.head, mismatch.given.head
    )


def _is_unsure(mismatch: Mismatch, fixes: tuple[Fix, ...]) -> bool:
    """True if no fix says better than words what to do: an invented value is no advice."""
    return not fixes or fixes[0].confidence is Confidence.LOW or (mismatch.missing and fixes[0].is_placeholder)


def _advice(mismatch: Mismatch) -> str:
    given, expected = mismatch.given, mismatch.want.type
    if mismatch.missing:
        return f"end it with {named(expected)}"
    if mismatch.want.role is Role.SPREAD:
        return f"give it {named(expected)}"
    if mismatch.want.role is Role.ITERABLE:
        return "to count, use `while`; to iterate, use a list" if given is INT else "iterate over a list"
    if given.head == "Option" and ty.fits(given.arguments[0], expected):
        return "match on it first: `match … { Some(value) => value, None => … }`"
    if given.head == "Result" and ty.fits(given.arguments[0], expected):
        return "match on it first: `match … { Ok(value) => value, Err(error) => … }`"
    return f"give it {named(expected)}, or change the declared type"


# ---- fixes ------------------------------------------------------------------------------------------------------------------


def _fixes(context: RuleContext, mismatch: Mismatch, code: str) -> Iterator[Fix]:
    want = mismatch.want
    if mismatch.missing:
        yield from _values(context, mismatch, code)
    elif want.role is Role.ITERABLE:
        for fix in conversions(mismatch.node, mismatch.given, ty.list_of(STRING)):
            if mismatch.given is STRING:
                yield Fix(f"{code}-{fix.slug}", fix.description, Confidence.MEDIUM, "it iterates over a list", fix.edits)
    else:
        for fix in conversions(mismatch.node, mismatch.given, want.type):
            rationale = f"{named(want.type)} is declared"
            yield Fix(
                f"{code}-{fix.slug}", fix.description, Confidence.MEDIUM, rationale, fix.edits, _invents(mismatch, fix.slug)
            )
    yield from _redeclared(mismatch, want, code)


def _invents(mismatch: Mismatch, slug: str) -> bool:
    """True if nobody knows whether a conversion is meant: of a text that may hold no number, and of what a map is asked for."""
    return slug == "parse" or (slug == "convert" and mismatch.want.name.startswith("__builtin_map_"))


def _redeclared(mismatch: Mismatch, want: Want, code: str) -> Iterator[Fix]:
    """The declared type, changed to that of the value."""
    if want.declared_at is None or not (ty.is_complete(mismatch.given) or mismatch.given is UNIT):
        return
    if want.role in _DECLARED:
        kind = text_of(mismatch.given)
        edit = Edit(want.declared_at, kind)
        # Only its readers know the type of a variable, and its value stays as it is.
        confidence = Confidence.MEDIUM if want.role is Role.LET else Confidence.LOW
        yield Fix(f"{code}-declare-{kind}", f"declare it as {kind}", confidence, "the declaration follows the value", (edit,))


def _values(context: RuleContext, mismatch: Mismatch, code: str) -> Iterator[Fix]:
    """Fixes that give a value to a block or an `if` that has none."""
    node, expected = mismatch.node, mismatch.want.type
    stub = value_of_type(text_of(expected, "?"), context.type)
    rationale = f"{named(expected)} is declared"
    match node:
        case If():
            edit = Edit((node.end, node.end), f" else {{ {stub} }}")
            yield Fix(f"{code}-add-else", f"add `else {{ {stub} }}`", Confidence.MEDIUM, rationale, (edit,), True)
        case Block():
            edit = Edit((node.end - 1, node.end - 1), f"{stub} " if context.text[node.end - 2].isspace() else f" {stub} ")
            yield Fix(f"{code}-add-value", f"end it with `{stub}`", Confidence.MEDIUM, rationale, (edit,), True)
        case Let(name=name) | Assign(name=name) if ty.fits(context.inference.of(node.value), expected):
            yield Fix(f"{code}-add-name", f"end it with `{name}`", Confidence.MEDIUM, rationale, (_line(context, node, name),))
        case _ if not isinstance(node, Expr):
            edit = _line(context, node, stub)
            yield Fix(f"{code}-add-value", f"end it with `{stub}`", Confidence.MEDIUM, rationale, (edit,), True)


def _line(context: RuleContext, node: Node, text: str) -> Edit:
    """A line of its own behind a statement."""
    start, end = node.start, node.end
    line = context.text[context.text.rfind("\n", 0, start) + 1 : start]
    return Edit((end, end), f"\n{line}{text}" if line.strip() == "" and "\n" in context.text[:start] else f" {text}")
