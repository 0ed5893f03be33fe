"""Outcome of a repair: plain values that the tools and the command line show."""

from __future__ import annotations

from analysis.data_classes import dataclass
from analysis.diagnostics.diagnostic import Severity
from analysis.text.edits import Fix


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that was applied; `placed_at` is the line, from 1, of what it invented in the repaired text, if it did."""

    code: str
    fix: Fix
    placed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Remaining:
    """An error, a warning or a placeholder that a repair leaves; `line` counts from 1."""

    code: str
    severity: Severity
    message: str
    line: int


@dataclass(frozen=True, slots=True)
class RepairOutcome:
    """Outcome of a repair.

    `verified`: something was applied, none of it a placeholder or a guess at what does not parse, no error is left and no warning
    where the text was changed.
    """

    text: str
    applied: tuple[Applied, ...]
    skipped: tuple[Skipped, ...]
    verified: bool
    before: int
    after: int
    warnings: tuple[str, ...]
    diff: str
    remaining: tuple[Remaining, ...] = ()
