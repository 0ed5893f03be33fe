"""Pieces of the answers of the analysis tools (spec chapter 21): declarations, references, diagnostics of an edit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from analysis.database import Database
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.ide.declaration_text import described
from analysis.ide.name_meanings import Place
from analysis.ide.references import Reference
from analysis.ide.symbol_paths import Candidate
from analysis.inputs import FileId, source
from analysis.text.edits import Span
from analysis.text.source import Source
from boruna_ls.answers.positions import place


def definition_entry(db: Database, definition: Place) -> dict[str, Any]:
    """A declaration: where, what it says, what stands above it."""
    text, about = source(db, definition.file), described(db, definition)
    return {
        "file": definition.file.path,
        "range": place(text, *definition.name_span),
        "full_range": place(text, *definition.span),
        "signature": about.signature,
        "doc": about.doc,
    }


def definition_summary(entry: dict[str, Any]) -> dict[str, Any]:
    """A declaration in short."""
    return {name: entry[name] for name in ("file", "range", "signature")}


def definition_text(db: Database, place: Place) -> str:
    """The text of a declaration."""
    return source(db, place.file).text[slice(*place.span)]


def reference_entry(text: Source, reference: Reference, around: int = 0) -> dict[str, Any]:
    """A use in a text, with the line that it stands on, and as `context` with so many lines before and after it."""
    entry: dict[str, Any] = {
        "file": reference.file.path,
        "range": place(text, *reference.span),
        "line_text": line_around(text, reference.span).strip(),
        "kind": reference.kind.value,
    }
    return entry | {"context": _lines_around(text, reference.span, around)} if around else entry


def reference_counts(references: Iterable[Reference]) -> list[dict[str, Any]]:
    """Numbers of uses of a name in each file, by kind."""
    by_file: dict[str, Counter[str]] = {}
    for reference in references:
        by_file.setdefault(reference.file.path, Counter())[reference.kind.value] += 1
    return [{"file": path, "count": kinds.total(), "kinds": dict(kinds)} for path, kinds in by_file.items()]


def candidates(text: Source, options: Iterable[Candidate]) -> list[dict[str, Any]]:
    """Symbols that a symbol path could mean."""
    return [
        {
            "symbol": candidate.path,
            "kind": candidate.kind.value,
            "position": place(text, candidate.offset, candidate.offset + len(candidate.name)),
        }
        for candidate in options
    ]


def diagnostic_entry(text: Source, start: int, diagnostic: Diagnostic, is_full: bool = False) -> dict[str, Any]:
    """A diagnostic: what and where; in full also why, the line, and the ids of its patches."""
    span = start + diagnostic.span[0], start + diagnostic.span[1]
    entry: dict[str, Any] = {
        "id": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **({"help": diagnostic.help} if diagnostic.help else {}),
        "range": place(text, *span),
    }
    if is_full:
        entry |= {"line_text": line_around(text, span).strip()} | ({"why": diagnostic.why} if diagnostic.why else {})
        if diagnostic.fixes:
            entry["patch_ids"] = [fix.id for fix in diagnostic.fixes]
    return entry


def diagnostic_entries(db: Database, file: FileId, placed: Iterable[tuple[int, Diagnostic]]) -> list[dict[str, Any]]:
    """Diagnostics of one file in short."""
    text = source(db, file)
    return [diagnostic_entry(text, start, diagnostic) for start, diagnostic in placed]


def _lines_around(text: Source, span: Span, number: int) -> list[str]:
    line = text.position(span[0])[0]
    starts = [text.offset_of(row, 0) for row in range(max(line - number, 0), line + 1)]
    end = span[0]
    for _ in range(number + 1):
        line_end = text.text.find("\n", end)
        end = len(text.text) if line_end < 0 else line_end + 1
    return [shown[:200].rstrip("\r") for shown in text.text[starts[0] : end].removesuffix("\n").split("\n")]


def line_around(text: Source, span: Span) -> str:
    """The line on which a span begins, at most 200 characters of it."""
    start = text.text.rfind("\n", 0, span[0]) + 1
    end = text.text.find("\n", span[0])
    return text.text[start : min(start + 200, len(text.text) if end < 0 else end)]
