"""`workflow.json`: validated as `boruna_workflow_validate` does it (spec chapter 16), with the same codes, words and places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from analysis.config.schema import Table
from analysis.data_classes import replace
from analysis.database import Database, query
from analysis.diagnostics.diagnostic import Diagnostic, Severity, Shown, Tag
from analysis.documents.files import named_files
from analysis.documents.json_reader import json_document
from analysis.documents.kind import DocumentKind
from analysis.documents.kinds import workflow_names as names
from analysis.documents.kinds.workflow_edges import edge_diagnostics
from analysis.documents.kinds.workflow_table import TABLE
from analysis.documents.opened import Opened
from analysis.documents.table_check import replacing
from analysis.inputs import CHUNK, FileId, source
from analysis.semantics.spelling import closest
from analysis.syntax.escaping import quoted
from analysis.text.edits import Fix, Span
from analysis.workflow.canonical import workflow_hash
from analysis.workflow.json_scanner import JsonError, Path
from analysis.workflow.json_steps import Entry
from analysis.workflow.locate import dotted, offset_at, span_of
from analysis.workflow.reader import SOURCE, Document, read_definition, read_step
from analysis.workflow.validation import Problem, Validation, unsafe_path, validate

_OWN_FIELDS: Final = frozenset(("schema_version", "steps", "edges"))


class Unreadable(NamedTuple):
    """The first defect of a text; `line` and `column` (bytes) count from 1, 0 where it has no place."""

    message: str
    line: int
    column: int
    path: Path


@query(limit=16, subject=CHUNK)
def validated(db: Database, text: str) -> Validation | Unreadable:
    """The validation of a text, or its first defect."""
    try:
        return validate(read_definition(text, partial(_step, db)))
    except JsonError as error:
        return Unreadable(error.message, error.line, error.column, error.path)


@query(limit=3_000)
def _step(db: Database, text: str) -> Entry | None:
    """A step by the text of its entry."""
    return read_step(text)


def is_foreign(db: Database, text: str) -> bool:
    """True if a document belongs to another program that uses the same file name: it has fields, and none of a workflow's."""
    data = json_document(db, text).data
    return isinstance(data, dict) and bool(data) and not any(name in data for name in _OWN_FIELDS)


def check(db: Database, file: FileId) -> Iterator[Diagnostic]:
    """All that is wrong with a workflow."""
    text = source(db, file).text
    if is_foreign(db, text):
        return
    validation = validated(db, text)
    if isinstance(validation, Unreadable):
        yield _unreadable(text, validation)
        return
    for problem in (*validation.errors, *validation.warnings):
        yield diagnostic_of(validation.document, problem)
    yield from between_steps(db, file, validation.document)


def between_steps(db: Database, file: FileId, document: Document) -> Iterator[Diagnostic]:
    """Diagnostics that depend on the programs of the document's steps."""
    yield from _missing(db, file, document)
    yield from edge_diagnostics(db, file, document)


def diagnostic_of(document: Document, problem: Problem) -> Diagnostic:
    """A problem at its place in the document."""
    severity = Severity.ERROR if problem.kind else Severity.WARNING
    tags = (Tag.UNNECESSARY,) if problem.code in ("unknown_field", "no_effect") else ()
    span = span_of(document, problem)
    # The reference also reports a cycle where steps are unknown, and these have errors of their own.
    shown = Shown("", span) if problem.code == "cycle" and not problem.cycle else None
    if problem.code == "unknown_field" and (near := _near_field(problem.path)):
        problem = replace(problem, suggestion=near)
    advice = _help(problem)
    fixes = _fixes(document.text, problem, span)
    name = dotted(problem.path)
    return Diagnostic(problem.code, severity, problem.message, span, advice, tags=tags, name=name, fixes=fixes, shown=shown)


def _near_field(path: Path) -> str | None:
    """The field that an unknown one is probably a misspelling of."""
    inside = TABLE.at(path[:-1])
    return closest(str(path[-1]), inside.fields) if isinstance(inside, Table) else None


def _fixes(text: str, problem: Problem, span: Span) -> tuple[Fix, ...]:
    """Replaces an unknown id by the right one; in an input the part behind the dot stays."""
    if problem.suggestion is None or problem.code == "unordered_input" or text[span[0] : span[0] + 1] != '"':
        return ()
    _, dot, output = text[span[0] + 1 : span[1] - 1].partition(".")
    rest = f"{dot}{output}" if problem.code == "unknown_input" else ""
    return (replacing(text, span, problem.suggestion + rest, problem.code),)


def _missing(db: Database, file: FileId, document: Document) -> Iterator[Diagnostic]:
    """Missing programs: a run refuses them."""
    missing = {named.path: named.reason for named in named_files(db, file) if named.file is None}
    for name, step in document.definition.steps.items():
        reason = missing.get(step.source) if step.kind == SOURCE else None
        if reason is not None and unsafe_path(step.source) is None:
            span = document.spans.get(("steps", name, "source"), (0, 0))
            message = f"step {quoted(name)}: the program {quoted(step.source)} cannot be read: {reason}"
            yield Diagnostic("missing_source", Severity.ERROR, message, span, name=step.source)


def identity(document: Opened) -> str:
    """The hash of the definition."""
    validation = validated(document.db, document.text)
    return "" if isinstance(validation, Unreadable) else workflow_hash(validation.document.definition)


def programs(db: Database, text: str) -> Iterator[str]:
    """The programs of the steps, as far as the text can be read."""
    steps = json_document(db, text).table(("steps",))
    named = (step.get("source") for step in steps.values() if isinstance(step, dict) and step.get("kind") == SOURCE)
    yield from dict.fromkeys(path for path in named if isinstance(path, str) and unsafe_path(path) is None)


def _help(problem: Problem) -> str:
    if problem.cycle:
        return f"{' -> '.join((*problem.cycle, problem.cycle[0]))}: remove one of these edges"
    if problem.suggestion is None:
        return ""
    return f"add `{problem.suggestion}`" if problem.code == "unordered_input" else f"did you mean `{problem.suggestion}`?"


def _unreadable(text: str, error: Unreadable) -> Diagnostic:
    """The first defect of a document that cannot be read: at the byte where reading stopped."""
    span: Span = (0, min(1, len(text)))
    if error.line:
        start = offset_at(text, error.line, error.column)
        span = start, min(start + 1, len(text))
    where = f" (in `{dotted(error.path)}`)" if error.path else ""
    return Diagnostic("parse_error", Severity.ERROR, f"invalid workflow JSON: {error.message}{where}", span)


KIND: Final = DocumentKind(
    "workflow",
    "Workflow",
    ("workflow.json",),
    "json",
    TABLE,
    check,
    named=programs,
    offers=names.offers,
    describe=names.describe,
    targets=names.targets,
    links=names.links,
    names=names.occurrences,
    refuses=names.refused,
    symbol=names.symbol,
    identity=identity,
)
