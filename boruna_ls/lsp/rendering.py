"""Diagnostics as JSON of LSP, built once for each diagnostic and kept with it.

A diagnostic stays the same object as long as its chunk and what the chunk depends on are unchanged; then only its
line numbers can move. So a rendered diagnostic is a pattern with holes for the lines, and a file with 1,000 diagnostics
costs little per edit.
"""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import Database, paced
from analysis.database.caches import cached
from analysis.diagnostics.check import DiagnosticBlock, FileDiagnostics
from analysis.diagnostics.diagnostic import Diagnostic, Related, Severity, Tag
from analysis.diagnostics.file_rules.placing import span_of
from analysis.fixes.candidates import candidate_ids
from analysis.inputs import FileId
from analysis.text.edits import Span
from analysis.text.source import Encoding, Source, units

SEVERITY: Final = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 3, Severity.HINT: 4}
TAG: Final = {Tag.UNNECESSARY: 1}
_MOST_RENDERED: Final = 4
"""Times as many diagnostics as there are now are remembered: those of other states of the text come back when it does."""
_LEAST_RENDERED: Final = 100
_MOST_IN_PIECE: Final = 500
_LONG: Final = 4_096
"""Characters of a chunk from which each place in it is not found by looking through it from its start."""
_OFTEN: Final = 16
"""Diagnostics after which others may go first: one that is new takes up to a tenth of a millisecond."""


@dataclass(slots=True)
class _Rendered:
    """The JSON of a diagnostic with a hole for each line number; `lines` fill them, counted from the chunk's first line.

    The diagnostic is held so that its id stays its own.
    """

    diagnostic: Diagnostic
    text: str
    pattern: bytes
    lines: tuple[int, ...]
    is_movable: bool


@dataclass(slots=True)
class _Piece:
    """The JSON of some diagnostics of a block with a hole for each line number; `lines` count from the block's first line.

    `json` is the pattern filled for a block that starts on line `first`.
    """

    pattern: bytes
    lines: list[int]
    first: int = -1
    json: bytes = b""

    def at(self, first: int) -> bytes:
        """The JSON for a block that starts on a line."""
        if self.first != first:
            self.first = first
            self.json = self.pattern % tuple([first + line for line in self.lines])
        return self.json


@dataclass(slots=True)
class _Block:
    """The JSON of a block's diagnostics in pieces: others can go first between two of them.

    It holds as long as the block's chunks have these texts, and without `is_movable` for this once only. The entries are held so
    that their id stays their own.
    """

    entries: tuple[tuple[int, Diagnostic], ...]
    texts: tuple[str, ...]
    is_movable: bool
    pieces: list[_Piece]


class Renderer:
    """Renders the diagnostics of one document for one editor."""

    def __init__(self, uri: str, encoding: Encoding, documentation: Callable[[str], str | None]) -> None:
        self.uri = uri
        self._encoding = encoding
        self._documentation = documentation
        self._rendered_by_id: dict[int, _Rendered] = {}
        self._blocks: dict[int, _Block] = {}

    def render(self, db: Database, file: FileId, diagnostics: FileDiagnostics, source: Source) -> list[bytes]:
        """The JSON of all diagnostics in their order, without the array's brackets and the commas between the parts."""
        firsts, grouped = source.lsp_first_lines, source.grouped
        blocks: dict[int, _Block] = {}
        parts: list[bytes] = []
        for block in diagnostics.blocks:
            key = id(block.entries)
            texts = grouped.blocks[grouped.number(block.first_chunk)]
            rendered = self._blocks.get(key)
            is_same = rendered is not None and (rendered.texts is texts or rendered.texts == texts)
            if rendered is None or not is_same or not _begins_line(source, block.first_chunk):
                rendered = self._block(db, file, block, texts, source)
            if rendered.is_movable:
                blocks[key] = rendered
            line = firsts[block.first_chunk]
            if len(rendered.pieces) > 1:
                parts += [piece.at(line) for piece in paced(rendered.pieces, 1)]
            elif rendered.pieces:
                parts.append(rendered.pieces[0].at(line))
        self._blocks = blocks
        self._forget(diagnostics)
        return parts

    def _forget(self, diagnostics: FileDiagnostics) -> None:
        """Evict renderings of past diagnostics when they are many."""
        if len(self._rendered_by_id) > _LEAST_RENDERED + _MOST_RENDERED * sum(len(block.entries) for block in diagnostics.blocks):
            now = {id(diagnostic) for block in diagnostics.blocks for _, diagnostic in block.entries}
            self._rendered_by_id = {name: rendered for name, rendered in self._rendered_by_id.items() if name in now}

    def _block(self, db: Database, file: FileId, block: DiagnosticBlock, texts: tuple[str, ...], source: Source) -> _Block:
        """The JSON of a block's diagnostics, separated by commas."""
        kept = self._rendered_by_id
        pieces, patterns, lines = list[_Piece](), list[bytes](), list[int]()
        chunks, firsts = source.chunks, source.lsp_first_lines
        is_movable = True
        for place, diagnostic in paced(block.entries, _OFTEN):
            index = block.first_chunk + place
            rendered = kept.get(id(diagnostic))
            is_known = rendered is not None and rendered.is_movable and rendered.text == chunks[index].text
            if rendered is None or not is_known or not _begins_line(source, index):
                shown = diagnostic.for_people()
                if shown is None:
                    continue
                rendered = kept[id(diagnostic)] = self._rendered(db, file, diagnostic, shown, index, source)
            offset = firsts[index] - firsts[block.first_chunk]
            patterns.append(rendered.pattern)
            lines += [offset + line for line in rendered.lines]
            is_movable = is_movable and rendered.is_movable
            if len(patterns) == _MOST_IN_PIECE:
                pieces.append(_Piece(b",".join(patterns), lines))
                patterns, lines = [], []
        if patterns:
            pieces.append(_Piece(b",".join(patterns), lines))
        return _Block(block.entries, texts, is_movable, pieces)

    def _rendered(
        self, db: Database, file: FileId, diagnostic: Diagnostic, shown: Diagnostic, index: int, source: Source
    ) -> _Rendered:
        """The JSON of a diagnostic, which people see as `shown`."""
        start, first = source.offsets[index], source.lsp_first_lines[index]
        chunk = source.chunks[index].text
        begins_line = _begins_line(source, index)
        # Most chunks: places in it are found in it.
        is_plain = begins_line and len(chunk) < _LONG and not source.has_returns and chunk.isascii()
        lines: list[int] = []

        def place(span: Span) -> str:
            at, until = span[0] - start, span[1] - start
            if is_plain and 0 <= at <= until <= len(chunk):
                line, begun = chunk.count("\n", 0, at), at - chunk.rfind("\n", 0, at) - 1
                last, ended = line + chunk.count("\n", at, until), until - chunk.rfind("\n", 0, until) - 1
                lines.extend((line, last))
            else:
                (line, begun), (last, ended) = self._ends(source, span)
                lines.extend((line - first, last - first))
            return f'{{"start":{{"line":%d,"character":{begun}}},"end":{{"line":%d,"character":{ended}}}}}'

        message = f"{shown.message}\n{shown.help}" if shown.help else shown.message
        where = place(_moved(shown.span, start))
        parts = [
            f'{{"range":{where}',
            _fixed_members(shown.severity, shown.code, message, self._documentation(shown.code), shown.tags),
        ]
        if shown.related:
            notes = [
                f'{{"location":{{"uri":{_quoted(self.uri)},"range":{place(self._span(db, note, shown, start, source))}}},'
                f'"message":{_quoted(note.message)}}}'
                for note in shown.related
            ]
            parts.append(f'"relatedInformation":[{",".join(notes)}]')
        # The patches of a syntax error are found by parsing again and again: only on request.
        if diagnostic.error is None and (ids := candidate_ids(db, file, chunk, diagnostic)):
            parts.append(f'"data":{{"patches":[{",".join(map(_quoted, ids))}]}}')
        # Columns on the chunk's first line, and places in other chunks, can move without the chunk being another one.
        is_movable = begins_line and all(note.place is None for note in diagnostic.related)
        return _Rendered(diagnostic, chunk, f"{','.join(parts)}}}".encode("ascii"), tuple(lines), is_movable)

    def _ends(self, source: Source, span: Span) -> tuple[tuple[int, int], tuple[int, int]]:
        """Line and character of the ends of an absolute span."""
        line, character = source.lsp_position(span[0], self._encoding)
        if "\n" in (marked := source.text[slice(*span)]) or "\r" in marked:
            return (line, character), source.lsp_position(span[1], self._encoding)
        return (line, character), (line, character + units(source.text, *span, self._encoding))

    def _span(self, db: Database, note: Related, diagnostic: Diagnostic, start: int, source: Source) -> Span:
        """Span that a note points to; a note without a place of its own points to its diagnostic."""
        if note.place is not None:
            return span_of(db, source, note.place)
        return _moved(diagnostic.span if note.span is None else note.span, start)


@cached(4_096)
def _fixed_members(severity: Severity, code: str, message: str, page: str | None, tags: tuple[Tag, ...]) -> str:
    """Members of a diagnostic's JSON that do not depend on its place; each keystroke moves the diagnostics of its item."""
    parts = [f'"severity":{SEVERITY[severity]},"code":{_quoted(code)},"source":"boruna","message":{_quoted(message)}']
    if page is not None:
        parts.append(f'"codeDescription":{{"href":{_quoted(page)}}}')
    if tags:
        parts.append(f'"tags":[{",".join(str(TAG[tag]) for tag in tags)}]')
    return ",".join(parts)


def _quoted(text: str) -> str:
    """A JSON string, safe in a pattern."""
    # As `json.dumps` does it, which takes three times as long to begin.
    return encode_basestring_ascii(text).replace("%", "%%")


def _moved(span: Span, start: int) -> Span:
    return span[0] + start, span[1] + start


def _begins_line(source: Source, chunk: int) -> bool:
    start = source.offsets[chunk]
    return start == 0 or source.text[start - 1] in "\n\r"
