"""Findings as the JSON of LSP diagnostics, built once for each finding and kept with it.

A finding stays the same object as long as its chunk and what the chunk depends on are unchanged; then only its
line numbers can move. So a rendered finding is a pattern with holes for the lines, and a file with 1,000 findings
costs little per edit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from analysis.database import Database
from analysis.diagnostics.check import FileFindings, FindingBlock
from analysis.diagnostics.diagnostic import Finding, Related, Severity, Span, Tag
from analysis.diagnostics.file_rules import span_of
from analysis.fixes.engine import patches_for
from analysis.inputs import FileId
from analysis.text import BLOCK, Encoding, Source

SEVERITY: Final = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 3, Severity.HINT: 4}
TAG: Final = {Tag.UNNECESSARY: 1}
_MOST_KNOWN: Final = 4
"""Times as many findings as there are now are remembered: those of other states of the text come back when it does."""
_LEAST_KNOWN: Final = 500
_HOLE: Final = -1
"""Stands for a line number. Text cannot be taken for it: quotes inside JSON strings are escaped."""


@dataclass(slots=True)
class _Rendered:
    """A finding's JSON with a hole for each line number; `lines` fill them, counted from the chunk's first line.

    `json` is the pattern filled for a chunk that starts on line `first`. The finding is held so that its id stays
    its own.
    """

    finding: Finding
    text: str
    pattern: bytes
    lines: tuple[int, ...]
    is_movable: bool
    first: int = -1
    json: bytes = b""


class _Block(NamedTuple):
    """The JSON of a block of findings; without `is_movable` it holds for this once only.

    It is true as long as the block's chunks have these texts: a chunk without findings moves those behind it, too. The
    entries are held so that their id stays their own.
    """

    entries: tuple[tuple[int, Finding], ...]
    texts: tuple[str, ...]
    is_movable: bool
    json: bytes


class Renderer:
    """Renders the findings of one document for one editor."""

    def __init__(self, db: Database, uri: str, encoding: Encoding, documentation: Callable[[str], str | None]) -> None:
        self._db = db
        self.uri = uri
        self._encoding = encoding
        self._documentation = documentation
        self._known: dict[int, _Rendered] = {}
        self._blocks: dict[tuple[int, int], _Block] = {}

    def render(self, file: FileId, findings: FileFindings, source: Source) -> bytes:
        """The JSON array of all findings, in their order."""
        firsts = source.lsp_first_lines
        blocks: dict[tuple[int, int], _Block] = {}
        parts: list[bytes] = []
        for block in findings.blocks:
            # Blocks of the same chunks have the same entries: the line belongs to the key.
            key = id(block.entries), firsts[block.first_chunk]
            texts = source.blocks[block.first_chunk // BLOCK]
            rendered = self._blocks.get(key)
            if rendered is None or rendered.texts != texts or not _begins_line(source, block.first_chunk):
                rendered = self._block(file, block, texts, source)
            if rendered.is_movable:
                blocks[key] = rendered
            parts.append(rendered.json)
        self._blocks = blocks
        self._forget(findings)
        return b"[" + b",".join(parts) + b"]"

    def _forget(self, findings: FileFindings) -> None:
        """Lets go of findings that were there once, when they are many."""
        if len(self._known) > _LEAST_KNOWN + _MOST_KNOWN * sum(len(block.entries) for block in findings.blocks):
            now = {id(made) for block in findings.blocks for _, made in block.entries}
            self._known = {name: rendered for name, rendered in self._known.items() if name in now}

    def _block(self, file: FileId, block: FindingBlock, texts: tuple[str, ...], source: Source) -> _Block:
        """The JSON of a block's findings, separated by commas."""
        known, parts = self._known, []
        chunks, firsts = source.chunks, source.lsp_first_lines
        is_movable = True
        for place, finding in block.entries:
            index = block.first_chunk + place
            rendered = known.get(id(finding))
            is_known = rendered is not None and rendered.is_movable and rendered.text == chunks[index].text
            if rendered is None or not is_known or not _begins_line(source, index):
                rendered = known[id(finding)] = self._rendered(file, finding, index, source)
            first = firsts[index]
            if rendered.first != first:
                rendered.first = first
                rendered.json = rendered.pattern % tuple([first + line for line in rendered.lines])
            parts.append(rendered.json)
            is_movable = is_movable and rendered.is_movable
        return _Block(block.entries, texts, is_movable, b",".join(parts))

    def _rendered(self, file: FileId, finding: Finding, index: int, source: Source) -> _Rendered:
        start, first = source.offsets[index], source.lsp_first_lines[index]
        lines: list[int] = []

        def place(span: Span) -> dict[str, Any]:
            ends = []
            for offset in span:
                line, character = source.lsp_position(offset, self._encoding)
                lines.append(line - first)
                ends.append({"line": _HOLE, "character": character})
            return {"start": ends[0], "end": ends[1]}

        diagnostic = self._diagnostic(finding, start, source, place)
        # The patches of a syntax error are found by parsing again and again: only when somebody asks for them.
        if finding.error is None and (patches := patches_for(self._db, file, index, finding)):
            diagnostic["data"] = {"patches": [patch.id for patch in patches]}
        text = json.dumps(diagnostic, separators=(",", ":")).replace("%", "%%").replace(f'"line":{_HOLE}', '"line":%d')
        # Columns on the chunk's first line, and places in other chunks, can move without the chunk being another one.
        is_movable = _begins_line(source, index) and all(note.place is None for note in finding.related)
        return _Rendered(finding, source.chunks[index].text, text.encode("ascii"), tuple(lines), is_movable)

    def _diagnostic(
        self, finding: Finding, start: int, source: Source, place: Callable[[Span], dict[str, Any]]
    ) -> dict[str, Any]:
        """The diagnostic as an object; `place` is called in the order in which the places stand in it."""
        diagnostic: dict[str, Any] = {
            "range": place(_moved(finding.span, start)),
            "severity": SEVERITY[finding.severity],
            "code": finding.code,
            "source": "boruna",
            "message": f"{finding.message}\n{finding.help}" if finding.help else finding.message,
        }
        if (page := self._documentation(finding.code)) is not None:
            diagnostic["codeDescription"] = {"href": page}
        if finding.tags:
            diagnostic["tags"] = [TAG[tag] for tag in finding.tags]
        if finding.related:
            diagnostic["relatedInformation"] = [
                {
                    "location": {"uri": self.uri, "range": place(self._span(note, finding, start, source))},
                    "message": note.message,
                }
                for note in finding.related
            ]
        return diagnostic

    def _span(self, note: Related, finding: Finding, start: int, source: Source) -> Span:
        """Where a note points to; one without a place of its own explains the finding where it stands."""
        if note.place is not None:
            return span_of(self._db, source, note.place)
        return _moved(finding.span if note.span is None else note.span, start)


def _moved(span: Span, start: int) -> Span:
    return span[0] + start, span[1] + start


def _begins_line(source: Source, chunk: int) -> bool:
    start = source.offsets[chunk]
    return start == 0 or source.text[start - 1] in "\n\r"
