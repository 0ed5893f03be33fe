"""The page that explains a diagnostic code: one resource of the MCP view, one command of the command line."""

from __future__ import annotations

from typing import Any

from analysis.diagnostics.codes import CODES, Code
from boruna_ls.answers.envelope import failure, success
from boruna_ls.data import diagnostics_folder


def documentation_uri(code: str) -> str:
    """The resource that explains a code."""
    return f"boruna://diagnostics/{code}"


def page(code: str) -> str | None:
    """The page of a code in Markdown: the one written for it, else what the table of codes says; None: unknown code."""
    entry = CODES.get(code)
    if entry is None:
        return None
    try:
        return (diagnostics_folder() / f"{code}.md").read_text(encoding="utf-8")
    except OSError:
        return f"# {entry.code}: {entry.name}\n\n{entry.summary}\n"


def explain_answer(code: str) -> dict[str, Any]:
    """The code's row and page; an unknown code is an answer that names similar ones."""
    entry = CODES.get(code.strip().upper())
    if entry is None:
        return failure(error_kind="unknown_code", message=f"no diagnostic has the code '{code}'", similar=similar(code))
    return success(**row(entry), documentation=documentation_uri(entry.code), explanation=page(entry.code))


def row(code: Code) -> dict[str, Any]:
    """A code as the table shows it."""
    severity = code.severity.value
    return {
        "code": code.code,
        "name": code.name,
        "category": code.category,
        "severity": severity,
        "summary": code.summary,
    }


def similar(code: str) -> list[str]:
    """Known codes that look like `code`."""
    import difflib  # now: many answers name a page, few look for one

    return difflib.get_close_matches(code.strip().upper(), CODES, n=3, cutoff=0.5)
