"""The outcomes of the last run of each document and of its tests, as long as its text is the one that ran.

A failed run is a diagnostic at the place of the failure; any run, and any test, is a line beside the code lens.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from analysis.data_classes import dataclass
from analysis.text.edits import Span
from analysis.text.source import Encoding, Source

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
    """Result of a run as shown in its document: `text` is the text that ran."""

    text: Source
    summary: str
    failure: Failure | None = None


class Runs:
    """By path, the last runs of an editor's documents."""

    def __init__(self) -> None:
        self._shown: dict[str, Shown] = {}
        self._tests: dict[str, tuple[Source, dict[str, str]]] = {}

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

    def put_tests(self, path: str, text: Source, summaries: Mapping[str, str]) -> None:
        """Tests have ended; those of the same text that ran before stay."""
        self._tests[path] = text, {**self.tests_of(path, text), **summaries}

    def tests_of(self, path: str, text: Source) -> Mapping[str, str]:
        """Outcomes of the tests of exactly this text, by name; dropped when the text changes."""
        ran, summaries = self._tests.get(path, (text, {}))
        if ran is text or ran.text == text.text:
            return summaries
        del self._tests[path]
        return {}

    def forget(self, path: str) -> None:
        """The document was closed."""
        self._shown.pop(path, None)
        self._tests.pop(path, None)


def failure_of(shown: Shown | None, uri: str, encoding: Encoding) -> list[bytes]:
    """The run-time error of a run as the JSON of a diagnostic, if there was one."""
    if shown is None or shown.failure is None:
        return []
    return [json.dumps(_diagnostic(shown.text, shown.failure, uri, encoding), separators=(",", ":")).encode()]


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
