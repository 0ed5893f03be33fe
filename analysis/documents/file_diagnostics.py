"""The diagnostics of any file, program or document: the one list that every view shows."""

from __future__ import annotations

from analysis.database import Database, query
from analysis.diagnostics.check import DiagnosticBlock, FileDiagnostics, by_settings, check_file, unreadable
from analysis.documents.file_names import is_document
from analysis.inputs import FILE, FileId, defect, settings


def file_diagnostics(db: Database, file: FileId) -> FileDiagnostics:
    """All diagnostics of a file in a layer."""
    return document_diagnostics(db, file) if is_document(file.path) else check_file(db, file)


@query(subject=FILE)
def document_diagnostics(db: Database, file: FileId) -> FileDiagnostics:
    """All diagnostics of a document, in order of position; none for an unknown kind."""
    # A process that checks a program does not wait for what documents need.
    from analysis.documents.kinds import kind_of

    if reason := defect(db, file):
        return unreadable(reason) if kind_of(file.path).name else FileDiagnostics(())
    chosen = settings(db, file.workspace)
    diagnostics = sorted(kind_of(file.path).check(db, file), key=lambda diagnostic: diagnostic.span)
    entries = tuple(entry for diagnostic in diagnostics if (entry := by_settings(0, diagnostic, chosen)) is not None)
    return FileDiagnostics((DiagnosticBlock(0, entries),) if entries else ())
