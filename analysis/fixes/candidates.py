"""The fixes that are known for one diagnostic, before they are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.data_classes import replace
from analysis.database import Database, query
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.syntax_errors import is_looked_into, unsound_chunks
from analysis.fixes.argument_count import arity_fixes
from analysis.fixes.capability_fixes import capability_fixes
from analysis.fixes.missing_imports import import_fixes
from analysis.inputs import CHUNK, FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.infer import inference
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.syntax.lexer import LexicalError
from analysis.syntax.parser import ParseError
from analysis.text.edits import Edit, Fix, FixKind, Span
from analysis.text.source import Source

_OF_CAPABILITIES: Final = ("W401", "W403")


def candidate_fixes(db: Database, file: FileId, chunk: int, diagnostic: Diagnostic, with_imports: bool = True) -> tuple[Fix, ...]:
    """The patches that are known for a diagnostic, the likeliest first, with absolute spans; not tried yet.

    Without `with_imports` those of its own place only: libraries are not searched for the name.
    """
    text = source(db, file)
    base = text.offsets[chunk]
    if diagnostic.error is not None:
        back, number = diagnostic.error
        if not is_looked_into(number, chunk - back, unsound_chunks(db, file)):
            return ()
        base = text.offsets[chunk - back]
        fixes = _syntax(db, file, text.chunks[chunk - back].text, number)
        return tuple(_with_uses(db, text, chunk - back, _moved(fix, base)) for fix in fixes)
    own = tuple(_moved(fix, base) for fix in _own(db, file, text.chunks[chunk].text, diagnostic))
    # A library that has the name comes before another name that is like it.
    own = (*import_fixes(db, file, chunk, diagnostic), *own) if with_imports else own
    return (*own, *capability_fixes(db, file, diagnostic)) if diagnostic.code in _OF_CAPABILITIES else own


def candidate_ids(db: Database, file: FileId, chunk: str, diagnostic: Diagnostic) -> tuple[str, ...]:
    """The ids of the same patches for a diagnostic of a chunk's text that is no syntax error."""
    own = _own(db, file, chunk, diagnostic)
    more = capability_fixes(db, file, diagnostic) if diagnostic.code in _OF_CAPABILITIES else ()
    return tuple([fix.id for fix in (*own, *more)])


def _own(db: Database, file: FileId, chunk: str, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    """Those that change the diagnostic's chunk, with spans counted from its start."""
    if diagnostic.code == "E009" and diagnostic.severity is Severity.ERROR:
        return _arity(db, file, chunk, diagnostic)
    return diagnostic.fixes


def _syntax(db: Database, file: FileId, chunk: str, number: int) -> tuple[Fix, ...]:
    """The patches of a chunk's nth syntax error, with spans counted from the chunk's start."""
    around = environment(db, file)
    # How many arguments the functions take decides between places for a bracket or a quote.
    arities = [(name, len(fact.parameters)) for name, fact in around.functions.items() if not fact.broken]
    records = [(name, tuple(field for field, _ in fact.members)) for name, fact in around.types.items() if not fact.is_enum]
    return _patches(db, chunk, number, tuple(arities), tuple(records))


@query(limit=200, subject=CHUNK)
def _patches(
    db: Database, chunk: str, number: int, arities: tuple[tuple[str, int], ...], records: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[Fix, ...]:
    """The same, given what the chunk can name: a repair asks for those of each broken chunk after every change of another."""
    # Most programs have no syntax error: a process that checks one does not wait for this.
    db.before_import("analysis.suggestions.broken_text")
    from analysis.suggestions.broken_text import BUILTIN_ARITIES, candidates

    tree = chunk_tree(db, chunk)
    errors: Sequence[LexicalError | ParseError] = tree.tokens.errors or tree.errors
    return candidates(chunk, tree, errors[number], {**BUILTIN_ARITIES, **dict(arities)}, dict(records))


def _with_uses(db: Database, text: Source, chunk: int, fix: Fix) -> Fix:
    """A patch that makes a value of the top level a function, with the calls that its uses in other chunks become."""
    if fix.kind is not FixKind.CONSTANT:
        return fix
    db.before_import("analysis.suggestions.broken.items")
    from analysis.suggestions.broken.items import values_named

    edits = list(fix.edits)
    for index, other in enumerate(text.chunks):
        if index != chunk and fix.name in other.text:
            base = text.offsets[index]
            edits += [Edit((base + end, base + end), "()") for end in values_named(chunk_tree(db, other.text).tokens, fix.name)]
    return replace(fix, edits=tuple(sorted(edits, key=lambda edit: edit.span)))


def _arity(db: Database, file: FileId, chunk: str, diagnostic: Diagnostic) -> tuple[Fix, ...]:
    chunk_summary = summary(db, chunk)
    number = _calls(db, chunk).get(diagnostic.span)
    use = chunk_summary.names[number] if number is not None else None
    if use is None or use.call is None:
        return ()
    around = environment(db, file)
    types = inference(db, chunk, around.item_scope(chunk_summary.free_names))
    return arity_fixes(chunk, use.call, resolved(db, chunk), around, types)


@query(limit=100, subject=CHUNK)
def _calls(db: Database, chunk: str) -> Mapping[Span, int]:
    """Indices of the summary's names that are called, by the span from the name to the call's end."""
    return {(use.start, use.call.end): number for number, use in enumerate(summary(db, chunk).names) if use.call is not None}


def _moved(fix: Fix, base: int) -> Fix:
    if base == 0:
        return fix
    return replace(fix, edits=tuple(Edit((edit.span[0] + base, edit.span[1] + base), edit.new_text) for edit in fix.edits))
