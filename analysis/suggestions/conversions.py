"""Edits that make a value of one type out of one of another, where a builtin, a constructor or an operator does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.semantics import ty
from analysis.semantics.ty import BOOL, FLOAT, INT, STRING, Ty
from analysis.syntax.tree import Binary, Expr, IntLiteral, Node, StringLiteral, Unary
from analysis.text.edits import Edit

_BUILTINS: Final[dict[tuple[Ty, Ty], str]] = {
    (INT, STRING): "__builtin_int_to_string",
    (FLOAT, STRING): "__builtin_float_to_string",
    (BOOL, STRING): "__builtin_bool_to_string",
    (STRING, ty.list_of(STRING)): "__builtin_string_chars",
    (STRING, ty.option_of(INT)): "__builtin_int_parse",
    (STRING, ty.option_of(FLOAT)): "__builtin_float_parse",
    (STRING, ty.result_of(INT, STRING)): "try_parse_int",
}


_DIGITS: Final = re.compile(r"0|[1-9][0-9]{0,17}")


class Conversion(NamedTuple):
    slug: str
    description: str
    edits: tuple[Edit, ...]
    is_placeholder: bool = False
    """True if it invents a value for texts that are no number."""


def conversions(node: Node, given: Ty, wanted: Ty) -> Iterator[Conversion]:
    """The ways to make what is wanted of an expression, the likeliest first."""
    builtin = _BUILTINS.get((given, wanted))
    if builtin is not None:
        yield _around(node, "convert", f"convert it with `{builtin}`", f"{builtin}(", ")")
    if given is STRING and wanted is INT:
        yield from _parsed(node)
    if given is INT and wanted is FLOAT:
        if isinstance(node, IntLiteral):
            yield Conversion("float", f"write `{node.text}.0`", (Edit((node.end, node.end), ".0"),))
        else:
            yield _behind(node, "float", "multiply it by 1.0", " * 1.0")
    if given is INT and wanted is BOOL:
        yield _behind(node, "compare", "compare it with 0", " != 0")
    match wanted.head:
        case "Option" if ty.fits(given, wanted.arguments[0]):
            yield _around(node, "some", "wrap it in `Some`", "Some(", ")")
        case "Result" if ty.fits(given, wanted.arguments[0]):
            yield _around(node, "ok", "wrap it in `Ok`", "Ok(", ")")
        case "Result" if ty.fits(given, wanted.arguments[1]):
            yield _around(node, "err", "wrap it in `Err`", "Err(", ")")
        case "List" if wanted.arguments[0].is_known and ty.fits(given, wanted.arguments[0]):
            yield _around(node, "list", "make a list of it", "[", "]")


def _parsed(node: Node) -> Iterator[Conversion]:
    """A number of a text: of one in quotes the digits, else what `try_parse_int` gives, 0 for what is none."""
    if isinstance(node, StringLiteral):
        if _DIGITS.fullmatch(node.raw):
            yield Conversion("unquote", f"write `{node.raw}`", (Edit((node.start, node.end), node.raw),))
        return
    after = ") { Ok(number) => number, Err(_) => 0 }"
    yield _around(node, "parse", "match on `try_parse_int`", "match try_parse_int(", after)._replace(is_placeholder=True)


def _around(node: Node, slug: str, description: str, before: str, after: str) -> Conversion:
    return Conversion(slug, description, (Edit((node.start, node.start), before), Edit((node.end, node.end), after)))


def _behind(node: Node, slug: str, description: str, operation: str) -> Conversion:
    if isinstance(node, (Binary, Unary)) or not isinstance(node, Expr):
        return _around(node, slug, description, "(", f"){operation}")
    return Conversion(slug, description, (Edit((node.end, node.end), operation),))
