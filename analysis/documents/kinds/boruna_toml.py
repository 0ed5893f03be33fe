"""`boruna.toml`: the settings of a workspace. The table is `analysis/config/settings.py`, which the workspace reads by, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.config.settings import TABLE
from analysis.config.toml_document import read_toml
from analysis.database import Database
from analysis.diagnostics.codes import CODES
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.documents.kind import DocumentKind
from analysis.documents.opened import Opened, opened
from analysis.documents.parsed import Path
from analysis.documents.table_check import replacing, table_diagnostics
from analysis.inputs import FileId
from analysis.semantics.spelling import closest


def check(db: Database, file: FileId) -> Iterator[Diagnostic]:
    """All that is wrong with settings; each mistake costs its own setting."""
    document = opened(db, file)
    read = read_toml(document.text, TABLE)
    if not read.is_readable:
        for problem in read.problems:
            yield Diagnostic("parse_error", Severity.ERROR, problem.message, problem.span)
        return
    yield from table_diagnostics(document, TABLE, invalid=Severity.WARNING)
    yield from _codes(document)


def _codes(document: Opened) -> Iterator[Diagnostic]:
    """Codes that no diagnostic has."""
    table = document.parsed.table(("check",))
    places: list[tuple[str, Path, bool]] = []
    for field in ("select", "ignore"):
        given = table.get(field)
        places += [
            (code, ("check", field, number), False) for number, code in enumerate(given if isinstance(given, list) else ())
        ]
    severities = table.get("severity")
    places += [(code, ("check", "severity", code), True) for code in (severities if isinstance(severities, dict) else ())]
    for code, path, on_key in places:
        # Documents have codes in small letters, which are words.
        if isinstance(code, str) and not code.islower() and not any(existing.startswith(code) for existing in CODES):
            near = closest(code, CODES) or ""
            span = document.parsed.span(path, on_key)
            fixes = (replacing(document.text, span, near, "unknown_code"),) if near else ()
            advice = f"did you mean `{near}`?" if near else "`boruna-ls explain` lists all"
            message = f"no diagnostic has the code `{code[:40]}`"
            yield Diagnostic("unknown_code", Severity.WARNING, message, span, advice, name=code[:40], fixes=fixes)


KIND: Final = DocumentKind("settings", "Settings of a workspace", ("boruna.toml",), "toml", TABLE, check, is_listed=False)
