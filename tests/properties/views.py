"""The views that the property test compares: what editors and agents are shown of a file, asked of two databases.

A view gets a file, an offset in it and a random number, by which both databases are asked for the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.syntax_errors import first_error
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.fixes.candidates import candidate_fixes
from analysis.fixes.dialect.contradictions import contradictions
from analysis.fixes.dialect.translate import translated
from analysis.fixes.repair import TriedFixes, repair_file
from analysis.formatting.formatter import format_source
from analysis.ide.call_hierarchy import callees, callers, capabilities, function_at
from analysis.ide.call_signature import call_signature
from analysis.ide.completion import completions
from analysis.ide.definition import definition
from analysis.ide.document_links import document_links
from analysis.ide.folding import folding_ranges
from analysis.ide.hover import hover
from analysis.ide.implementation import implementations
from analysis.ide.import_edits import unused_imports
from analysis.ide.inlay_hints import inlay_hints
from analysis.ide.linked_names import linked_names
from analysis.ide.refactor.table import REFACTORINGS, offered, performed
from analysis.ide.references import highlights, references
from analysis.ide.rename import prepare_rename, rename
from analysis.ide.selection import selection_ranges
from analysis.ide.semantic_tokens import tokens
from analysis.ide.structure_search import conditions_of, hits
from analysis.ide.symbols import document_symbols
from analysis.ide.type_definition import type_definition
from analysis.ide.type_facts import local_types, type_at
from analysis.ide.type_hierarchy import subtypes, supertypes, type_nodes
from analysis.ide.workspace_symbols import matches
from analysis.inputs import FileId, source
from analysis.text.edits import Span

_MOST_FIXES: Final = 5
"""Diagnostics whose fixes are compared."""
_WIDEST: Final = 60
"""Characters of a selection."""
_QUERIES: Final = ("returns Int", "takes Point", "calls area", "function uses llm.call")
_NAMES: Final = ("fresh", "Fresh", "area", "x", "fn", "")


class Ask(Protocol):
    """Asks a database."""

    def __call__(self, db: Database, file: FileId, offset: int, number: int) -> Any: ...


class View(NamedTuple):
    """`share` is in how many comparisons of a hundred the view takes part: a costly one in few."""

    name: str
    ask: Ask
    share: int = 30


def _fixes(db: Database, file: FileId, offset: int, number: int) -> Any:
    return [candidate_fixes(db, file, chunk, one) for chunk, one in check_file(db, file).entries[:_MOST_FIXES]]


def _tried_fixes(db: Database, file: FileId, offset: int, number: int) -> Any:
    entries, tried = check_file(db, file).entries, TriedFixes(db, file)
    return [tried.of(*entries[number % len(entries)])] if entries else []


def _repair(db: Database, file: FileId, offset: int, number: int) -> Any:
    return repair_file(db, file, ("best", "all")[number % 2])


def _selected(db: Database, file: FileId, offset: int, number: int) -> Span:
    return offset, min(offset + number % _WIDEST, len(source(db, file).text))


def _offers(db: Database, file: FileId, offset: int, number: int) -> Any:
    """The code actions of a selection that are refactorings."""
    return [(offer.refactoring.name, offer.refusal) for offer in offered(db, file, _selected(db, file, offset, number))]


def _refactoring(db: Database, file: FileId, offset: int, number: int) -> Any:
    """One of the refactorings that are offered, tried; if there is none, one that is refused."""
    span = _selected(db, file, offset, number)
    names = [offer.refactoring.name for offer in offered(db, file, span)] or sorted(REFACTORINGS)
    return performed(db, file, span, names[number % len(names)])


def _renamed(db: Database, file: FileId, offset: int, number: int) -> Any:
    return prepare_rename(db, file, offset), rename(db, file, offset, _NAMES[number % len(_NAMES)])


def _calls(db: Database, file: FileId, offset: int, number: int) -> Iterator[Any]:
    function = function_at(db, file, offset)
    yield function
    if function is not None:
        yield callers(db, function), callees(db, function), capabilities(db, function)


def _type_hierarchy(db: Database, file: FileId, offset: int, number: int) -> Any:
    return [(node, supertypes(db, node), subtypes(db, node)) for node in type_nodes(db, file, offset)]


def _search(db: Database, file: FileId, offset: int, number: int) -> Any:
    found = hits(db, file, conditions_of(_QUERIES[number % len(_QUERIES)]))
    return list(islice(found, 20)), list(matches(db, file, _NAMES[number % len(_NAMES)]))


VIEWS: Final = (
    View("check", lambda db, file, *_: list(check_file(db, file).placed(source(db, file))), 100),
    View("diagnostics", lambda db, file, *_: file_diagnostics(db, file)),
    View("compile", lambda db, file, *_: compile_file(db, file, "program")),
    View("first error", lambda db, file, *_: first_error(db, file)),
    View("format", lambda db, file, *_: format_source(db, source(db, file))),
    View("fixes", _fixes),
    View("tried fixes", _tried_fixes, 6),
    View("repair", _repair, 4),
    View("translation", lambda db, file, *_: translated(source(db, file).text), 10),
    View("contradictions", lambda db, file, *_: contradictions(source(db, file).text), 10),
    View("tokens", lambda db, file, *_: tokens(db, file)),
    View("symbols", lambda db, file, *_: document_symbols(db, file)),
    View("folds", lambda db, file, *_: folding_ranges(db, file)),
    View("selection", lambda db, file, offset, _: selection_ranges(db, file, offset)),
    View("links", lambda db, file, *_: document_links(db, file)),
    View("completion", lambda db, file, offset, _: completions(db, file, offset)),
    View("signature", lambda db, file, offset, _: call_signature(db, file, offset)),
    View("hover", lambda db, file, offset, _: hover(db, file, offset)),
    View("definition", lambda db, file, offset, _: definition(db, file, offset)),
    View("type definition", lambda db, file, offset, _: type_definition(db, file, offset)),
    View("implementations", lambda db, file, offset, _: implementations(db, file, offset)),
    View("references", lambda db, file, offset, _: references(db, file, offset)),
    View("highlights", lambda db, file, offset, _: highlights(db, file, offset)),
    View("linked names", lambda db, file, offset, _: linked_names(db, file, offset)),
    View("rename", _renamed),
    View("calls", lambda *given: list(_calls(*given))),
    View("types", lambda db, file, offset, _: (type_at(db, file, offset), list(local_types(db, file)))),
    View("type hierarchy", _type_hierarchy),
    View("hints", lambda db, file, *_: inlay_hints(db, file, (0, len(source(db, file).text)))),
    View("search", _search),
    View("unused imports", lambda db, file, *_: unused_imports(db, file)),
    View("refactorings", _offers),
    View("refactoring", _refactoring, 10),
)
