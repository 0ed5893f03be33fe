"""Place of a definition's problem: line and column of a path in the document."""

from __future__ import annotations

from bisect import bisect_right

from analysis.workflow.json_scanner import Path
from analysis.workflow.json_steps import Span
from analysis.workflow.reader import Document
from analysis.workflow.validation import Problem


def span_of(document: Document, problem: Problem) -> Span:
    """The span of a problem: of its key or value, else of the nearest part of the document around it."""
    path = problem.path
    if problem.on_key and path in document.keys:
        return document.keys[path]
    while path and path not in document.spans and path not in document.keys:
        path = path[:-1]
    if path != problem.path and path in document.keys:
        return document.keys[path]
    return document.spans.get(path) or document.keys.get(path) or (0, 0)


class Lines:
    """Lines and columns of a text, both from 1, columns in bytes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0]
        end = text.find("\n")
        while end >= 0:
            self._starts.append(end + 1)
            end = text.find("\n", end + 1)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset in characters."""
        line = bisect_right(self._starts, offset)
        before = self._text[self._starts[line - 1] : offset]
        return line, len(before.encode("utf-8", "surrogatepass")) + 1


def offset_at(text: str, line: int, column: int) -> int:
    """The offset of a line and a column in bytes, both from 1; what lies behind the line means its end."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    end = text.find("\n", start)
    written = text[start : len(text) if end < 0 else end]
    return start + len(written.encode("utf-8", "surrogatepass")[: max(column - 1, 0)].decode("utf-8", "ignore"))


def dotted(path: Path) -> str:
    """A path as people write it: `steps.a.depends_on[1]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
