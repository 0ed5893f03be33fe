"""The defects of a document by the table of its kind: unknown and missing fields, values that do not fit, repeated names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from analysis.config.schema import Defect, Path, Table, dotted, read
from analysis.diagnostics.diagnostic import Diagnostic, Severity, Tag
from analysis.documents.opened import Opened
from analysis.syntax.escaping import quoted
from analysis.text.edits import Confidence, Edit, Fix, Span

MOST: Final = 200
"""Diagnostics of one document; the others show when these are corrected."""


def table_diagnostics(
    document: Opened, table: Table, invalid: Severity = Severity.ERROR, unknown: Severity = Severity.WARNING, data: Any = None
) -> Iterator[Diagnostic]:
    """The diagnostics of the table; `data` is the document's own unless given."""
    parsed = document.parsed
    if parsed.defect is not None:
        yield Diagnostic("parse_error", Severity.ERROR, parsed.defect.message, parsed.defect.span)
    if parsed.data is None:
        return
    for path, span in parsed.repeated[:MOST]:
        message = f"`{dotted(path)}` is given more than once: the last one counts"
        yield Diagnostic("repeated_name", Severity.WARNING, message, span, name=str(path[-1]))
    _, defects = read(table, parsed.data if data is None else data)
    for defect in defects[:MOST]:
        # An incomplete document has one diagnostic for it already.
        if parsed.defect is None or defect.code != "missing_field":
            yield of_defect(document, defect, unknown if defect.code == "unknown_field" else invalid)


def of_defect(document: Opened, defect: Defect, severity: Severity) -> Diagnostic:
    """A defect at its place, with a fix for a misspelt name."""
    span = document.parsed.span(defect.path, defect.on_key)
    if not defect.path:
        span = (0, min(1, len(document.text)))
    fixes = (replacing(document.text, span, defect.near, defect.code),) if defect.near else ()
    tags = (Tag.UNNECESSARY,) if defect.code == "unknown_field" else ()
    name = dotted(defect.path)
    return Diagnostic(defect.code, severity, defect.message, span, tags=tags, name=name, fixes=fixes)


def replacing(text: str, span: Span, new: str, code: str) -> Fix:
    """The fix that writes another name, with the quotes that are there."""
    quote = text[span[0] : span[0] + 1]
    written = f"{quote}{new}{quote}" if quote in ('"', "'") else new
    edit = Edit(span, written)
    return Fix(f"{code}-{new}", f"change to `{new}`", Confidence.HIGH, "it is the closest known name", (edit,))


def missing_files(document: Opened, places: Iterable[tuple[str, Path]], reasons: dict[str, str]) -> Iterator[Diagnostic]:
    """The missing files that a document names; `reasons` gives the reason for each path."""
    for path, at in places:
        if (reason := reasons.get(path)) is not None:
            message = f"the file {quoted(path)} cannot be read: {reason}"
            place = document.parsed.span(at) if at else (0, min(1, len(document.text)))
            yield Diagnostic("missing_file", Severity.ERROR, message, place, name=path)
