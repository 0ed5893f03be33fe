"""How much an analysis tool tells: the argument `detail`, and the size that answers are kept to (spec chapter 21)."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.envelope import as_text
from boruna_ls.mcp.arguments import Argument, refusal
from boruna_ls.mcp.kept import BUDGET
from boruna_ls.mcp.tool import Call

SUMMARY: Final = "summary"
STANDARD: Final = "standard"
FULL: Final = "full"
LEVELS: Final = (SUMMARY, STANDARD, FULL)
DETAIL: Final = Argument("detail", str, f"{SUMMARY}, {STANDARD} (default) or {FULL}", default=STANDARD)
FULL_BUDGET: Final = 100_000
"""Bytes of an answer's text for those who ask for everything."""


def detail_of(call: Call) -> str:
    """How much the call wants to know. Raises MCPError."""
    detail: str = call.arguments["detail"]
    if detail not in LEVELS:
        raise refusal("detail", f"argument `detail` must be one of {', '.join(LEVELS)}")
    return detail


def budget_of(detail: str) -> int:
    """Bytes that the answer's text may have."""
    return FULL_BUDGET if detail == FULL else BUDGET


def size_of(value: Any) -> int:
    """Bytes of a value as a part of an answer's text."""
    return len(as_text(value).encode("utf-8", "surrogatepass"))


def cut(text: str, limit: int) -> str:
    """A text with at most `limit` characters, its end replaced by a mark if it is longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
