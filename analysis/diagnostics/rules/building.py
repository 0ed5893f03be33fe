"""Construction of a rule's diagnostic."""

from __future__ import annotations

from analysis.diagnostics.codes import CODES
from analysis.diagnostics.diagnostic import Diagnostic, Related, Severity, Shown, Topic
from analysis.text.edits import Fix, Span


def diagnostic(
    code: str,
    span: Span,
    message: str,
    *,
    help: str = "",
    why: str = "",
    severity: Severity | None = None,
    related: tuple[Related, ...] = (),
    fixes: tuple[Fix, ...] = (),
    name: str = "",
    addition: str = "",
    shown: Shown | None = None,
    topic: Topic = Topic.NONE,
    capability: str = "",
) -> Diagnostic:
    """A diagnostic with the severity and tags that the table of codes gives."""
    row = CODES[code]
    return Diagnostic(
        code, severity or row.severity, message, span, help, why, addition, related, row.tags, fixes, name, None, shown,
        topic, capability,
    )  # fmt: skip
