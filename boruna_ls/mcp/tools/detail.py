"""Detail of an analysis tool's answer: the argument `detail`, and the size limit of answers (spec chapter 21)."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from boruna_ls.answers.envelope import as_text
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.kept import BUDGET

Detail = Literal["summary", "standard", "full"]
SUMMARY: Final = "summary"
STANDARD: Final = "standard"
FULL: Final = "full"
FULL_BUDGET: Final = 100_000
"""Size limit of an answer's text in bytes at full detail."""


class DetailArguments(Arguments):
    """Arguments of a tool whose answers come in three sizes."""

    detail: Detail = Field(STANDARD, description="How detailed the answer is")


def budget_of(detail: str) -> int:
    """Bytes that the answer's text may have."""
    return FULL_BUDGET if detail == FULL else BUDGET


def size_of(value: Any) -> int:
    """Bytes of a value as a part of an answer's text."""
    return len(as_text(value).encode("utf-8", "surrogatepass"))


def cut(text: str, limit: int) -> str:
    """A text with at most `limit` characters, its end replaced by a mark if it is longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
