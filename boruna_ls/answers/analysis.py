"""Pieces of the answers of the analysis tools (spec chapter 21): declarations, references, findings of an edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from analysis.database import Database
from analysis.findings import Finding, Span
from analysis.ide.declaration_text import described
from analysis.ide.names import Place
from analysis.ide.references import Reference
from analysis.ide.symbol_paths import Candidate
from analysis.inputs import FileId, source
from analysis.text import Source
from boruna_ls.answers.positions import place


def definition_entry(db: Database, found: Place) -> dict[str, Any]:
    """A declaration: where, what it says, what stands above it."""
    text, about = source(db, found.file), described(db, found)
    return {
        "file": found.file.path,
        "range": place(text, *found.name_span),
        "full_range": place(text, *found.span),
        "signature": about.signature,
        "doc": about.doc,
    }


def reference_entry(text: Source, found: Reference) -> dict[str, Any]:
    """A use in a text, with the line that it stands on."""
    return {
        "file": found.file.path,
        "range": place(text, *found.span),
        "line_text": line_around(text, found.span).strip(),
        "kind": found.kind.value,
    }


def candidates(text: Source, found: Iterable[Candidate]) -> list[dict[str, Any]]:
    """What a symbol path could mean."""
    return [
        {"symbol": one.path, "kind": one.kind.value, "position": place(text, one.offset, one.offset + len(one.path))}
        for one in found
    ]


def finding_entry(text: Source, start: int, made: Finding) -> dict[str, Any]:
    """A finding in short: what and where."""
    return {
        "id": made.code,
        "severity": made.severity.value,
        "message": made.message,
        **({"help": made.help} if made.help else {}),
        "range": place(text, start + made.span[0], start + made.span[1]),
    }


def finding_entries(db: Database, file: FileId, found: Iterable[tuple[int, Finding]]) -> list[dict[str, Any]]:
    """Findings of one file in short."""
    text = source(db, file)
    return [finding_entry(text, start, made) for start, made in found]


def line_around(text: Source, span: Span) -> str:
    """The line on which a span begins, at most 200 characters of it."""
    start = text.text.rfind("\n", 0, span[0]) + 1
    end = text.text.find("\n", span[0])
    return text.text[start : min(start + 200, len(text.text) if end < 0 else end)]
