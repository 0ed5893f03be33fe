"""Inlay hints: types of variables, names of the parameters of literal arguments, capabilities.

Nothing is shown where the text already says it: no type beside a literal, no name beside a variable.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.ide.name_types import item_named, shown_result, shown_type
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import GLOBAL, LocalKind, Resolved
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.syntax.lexer import Tokens
from analysis.text.edits import Span

_EVIDENT: Final = (
    t.IntLiteral,
    t.FloatLiteral,
    t.StringLiteral,
    t.BoolLiteral,
    t.RecordLiteral,
    t.VariantLiteral,
)
"""Values whose type stands in the text."""
_BARE: Final = (t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral, t.ListLiteral)
"""Arguments that do not say what they are for."""
_UNDECLARED: Final = "W401"
"""The code of a function's capability that it does not declare."""
_LONGEST: Final = 60
_HIDDEN: Final = "_"


class HintKind(StrEnum):
    TYPE = "type"
    PARAMETER = "parameter"
    CAPABILITY = "capability"


class Hint(NamedTuple):
    """A text to be shown at an offset. `insert`: whether it could be written there just so."""

    offset: int
    text: str
    kind: HintKind
    insert: bool = False


def inlay_hints(db: Database, file: FileId, span: Span) -> tuple[Hint, ...]:
    """The hints in a part of a file, in order of position."""
    text = source(db, file)
    shown: list[Hint] = []
    for index in range(text.chunk_at(span[0]), text.chunk_at(span[1]) + 1):
        start, written = text.offsets[index], text.chunks[index].text
        hints = (
            *_types(db, file, written),
            *_results(db, file, written),
            *_parameters(db, file, written),
            *_capabilities(db, file, index),
        )
        shown += (hint._replace(offset=start + hint.offset) for hint in hints)
    return tuple(sorted((hint for hint in shown if span[0] <= hint.offset <= span[1]), key=lambda hint: hint.offset))


def _types(db: Database, file: FileId, written: str) -> Iterator[Hint]:
    tree, names = chunk_tree(db, written), resolved(db, written)
    evident = {
        node.at for item in tree.items for node in t.walk(item) if isinstance(node, t.Let) and isinstance(node.value, _EVIDENT)
    }
    for local in names.locals.values():
        end = local.at + len(local.name)
        if local.kind is LocalKind.PARAMETER or local.at in evident or local.name.startswith(_HIDDEN):
            continue
        if _kind_behind(tree.tokens, local.at) == ":":
            continue
        held = shown_type(db, file, written, local)
        if held is not None and len(held) <= _LONGEST and held != _HIDDEN:
            is_known = local.kind is LocalKind.VARIABLE and _HIDDEN not in held
            yield Hint(end, f": {held}", HintKind.TYPE, is_known)


def _results(db: Database, file: FileId, written: str) -> Iterator[Hint]:
    """The results of functions that declare none."""
    for item in chunk_tree(db, written).items:
        if isinstance(item, t.Function) and not item.broken and (held := shown_result(db, file, written, item)) is not None:
            closing = written.rfind(")", item.start, item.signature_end)
            if len(held) <= _LONGEST and not item.capabilities and closing >= 0:
                yield Hint(closing + 1, f" -> {held}", HintKind.TYPE, True)


def _capabilities(db: Database, file: FileId, index: int) -> Iterator[Hint]:
    """Text that the diagnostic's fix would insert: the list of capabilities, or more of it."""
    entries = check_file(db, file).entries
    for at in range(bisect_left(entries, index, key=lambda entry: entry[0]), len(entries)):
        if entries[at][0] != index:
            return
        diagnostic = entries[at][1]
        for fix in diagnostic.fixes[:1] if diagnostic.code == _UNDECLARED else ():
            for edit in fix.edits:
                yield Hint(edit.span[0], edit.new_text, HintKind.CAPABILITY, True)


def _kind_behind(tokens: Tokens, at: int) -> str:
    """The kind of the token behind the one that stands at an offset."""
    return tokens.kinds[min(bisect_right(tokens.starts, at), len(tokens.kinds) - 1)]


def _parameters(db: Database, file: FileId, written: str) -> Iterator[Hint]:
    names = resolved(db, written)
    for item in chunk_tree(db, written).items:
        for node in t.walk(item):
            if isinstance(node, t.Call) and isinstance(node.callee, t.Name) and any(map(_is_bare, node.arguments)):
                yield from _of_call(db, file, node, node.callee, names)


def _of_call(db: Database, file: FileId, call: t.Call, callee: t.Name, names: Resolved) -> Iterator[Hint]:
    occurrence = names.at(callee.start)
    if occurrence is None or occurrence.local != GLOBAL:
        return
    definition = item_named(db, file, callee.name, t.Function)
    if definition is not None and isinstance(definition.item, t.Function):
        for argument, parameter in zip(call.arguments, definition.item.parameters, strict=False):
            if _is_bare(argument):
                yield Hint(argument.start, f"{parameter.name}:", HintKind.PARAMETER)


def _is_bare(argument: t.Expr) -> bool:
    return isinstance(argument.operand if isinstance(argument, t.Unary) else argument, _BARE)
