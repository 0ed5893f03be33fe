"""What the last run of each document came to, for as long as its text is the one that ran.

A failed run is a diagnostic at the place of the failure; any run is a line beside the code lens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from analysis.edits import Span
from analysis.text import Encoding, Source

ERROR = 1
CODE = "runtime"


@dataclass(frozen=True, slots=True)
class Failure:
    """A run-time error in a document; `calls` are the places that led there, and what they are."""

    span: Span
    message: str
    calls: tuple[tuple[Span, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a run: `text` is the text that ran."""

    text: Source
    summary: str
    failure: Failure | None = None


class Runs:
    """By path, the last runs of an editor's documents."""

    def __init__(self) -> None:
        self._shown: dict[str, Shown] = {}

    def put(self, path: str, shown: Shown) -> None:
        """A run has ended."""
        self._shown[path] = shown

    def of(self, path: str, text: Source) -> Shown | None:
        """The run of exactly this text; another text forgets it."""
        shown = self._shown.get(path)
        if shown is None or shown.text is text or shown.text == text:
            return shown
        del self._shown[path]
        return None

    def forget(self, path: str) -> None:
        """The document was closed."""
        self._shown.pop(path, None)


def with_failure(items: bytes, shown: Shown | None, uri: str, encoding: Encoding) -> bytes:
    """A JSON array of diagnostics with the run-time error at its end."""
    if shown is None or shown.failure is None:
        return items
    made = json.dumps(_diagnostic(shown.text, shown.failure, uri, encoding), separators=(",", ":")).encode()
    return items[:-1] + (b"," if len(items) > 2 else b"") + made + b"]"


def _diagnostic(text: Source, failure: Failure, uri: str, encoding: Encoding) -> dict[str, Any]:
    diagnostic: dict[str, Any] = {
        "range": _range(text, failure.span, encoding),
        "severity": ERROR,
        "code": CODE,
        "source": "boruna run",
        "message": failure.message,
    }
    if failure.calls:
        diagnostic["relatedInformation"] = [
            {"location": {"uri": uri, "range": _range(text, span, encoding)}, "message": message}
            for span, message in failure.calls
        ]
    return diagnostic


def _range(text: Source, span: Span, encoding: Encoding) -> dict[str, Any]:
    ends = (text.lsp_position(offset, encoding) for offset in span)
    start, end = ({"line": line, "character": character} for line, character in ends)
    return {"start": start, "end": end}
