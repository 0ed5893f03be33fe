"""Fixes that write the nearest known name, and how sure each can be."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.semantics.spelling import is_short, is_tied
from analysis.text.edits import Confidence, Edit, Fix, FixKind, Span


def renaming(
    code: str, old: str, new: str, others: Iterable[str], span: Span, rationale: str, confidence: Confidence, subject: str = ""
) -> Fix:
    """Writes `new` for `old`; `others` are the names that it was chosen from.

    A guess is marked as a placeholder: a repair never counts as verified with it. That of a name of one or two letters, which is
    near to any other such name, is only listed.
    """
    is_doubtful = is_short(old, new)
    if is_doubtful:
        confidence = Confidence.LOW
    elif is_tied(old, new, others):
        confidence, is_doubtful = Confidence.MEDIUM, True
    return Fix(
        f"{code}-rename-{old}",
        f"rename {subject}'{old}' to '{new}'",
        confidence,
        rationale,
        (Edit(span, new),),
        is_placeholder=is_doubtful,
        # A keyword is no name: it makes the text parse as a declaration.
        kind=FixKind.DECLARATION if new == "let" else FixKind.RENAMING,
        name=new,
    )
