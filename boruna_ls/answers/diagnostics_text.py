"""The diagnostics of `boruna_check` as JSON texts, made once for each diagnostic and kept with it.

A diagnostic stays the same object as long as its chunk and what that depends on are unchanged; then only its lines can
move. So what is kept is a pattern with holes for the lines.
"""

from __future__ import annotations

import re
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.inputs import FileId, source
from analysis.text.source import Chunk, Source
from boruna_ls.answers.check import Patches, answer_with, diagnostic_answer, entries_shown, entries_tried
from boruna_ls.answers.envelope import RawList, as_text

_OFTEN: Final = 4
"""Diagnostics after which others may go first: one that is new takes a quarter of a millisecond."""
_LONG: Final = 50_000
"""Characters of a diagnostic whose lines are not looked for."""
_LINE: Final = re.compile(r'(?<=[{,]"line":)\d+|(?<="end_line":)\d+')
"""Inside JSON strings quotes are escaped, so texts of programs cannot be taken for a line."""


@dataclass(slots=True)
class _Kept:
    """A pattern, and the lines that fill it, counted from the chunk's first line."""

    diagnostic: Diagnostic
    chunk: Chunk
    pattern: str
    lines: tuple[int, ...]


class DiagnosticsText:
    """The last answer to one client about one file."""

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}

    def answer(self, db: Database, file: FileId, file_name: str, offset: int | None) -> dict[str, Any]:
        """The answer of `check_answer`, its diagnostics as texts."""
        text = source(db, file)
        entries = file_diagnostics(db, file).entries
        kept, texts = {}, RawList()
        shown, patches = entries_shown(entries, offset), Patches(db, file)
        tried = entries_tried(shown)
        for number, (index, diagnostic) in enumerate(paced(shown, _OFTEN)):
            if number in tried and (diagnostic.fixes or diagnostic.severity is Severity.ERROR):
                # What a patch leaves depends on the whole file.
                texts.append(as_text(diagnostic_answer(db, file, file_name, index, diagnostic, patches)))
                continue
            kept_text = self._kept.get(id(diagnostic))
            if kept_text is None or kept_text.chunk is not text.chunks[index]:
                written = as_text(diagnostic_answer(db, file, file_name, index, diagnostic))
                if len(written) > _LONG or not _is_movable(text, index, diagnostic):
                    texts.append(written)
                    continue
                kept_text = _pattern(written, diagnostic, text, index)
            kept[id(diagnostic)] = kept_text
            first = text.first_lines[index] + 1
            texts.append(kept_text.pattern % tuple([first + line for line in kept_text.lines]))
        self._kept = kept
        return answer_with(texts, file_name, len(entries), offset)


def _pattern(written: str, diagnostic: Diagnostic, text: Source, index: int) -> _Kept:
    first = text.first_lines[index] + 1
    lines: list[int] = []

    def hole(match: re.Match[str]) -> str:
        lines.append(int(match[0]) - first)
        return "%d"

    pattern = _LINE.sub(hole, written.replace("%", "%%"))
    return _Kept(diagnostic, text.chunks[index], pattern, tuple(lines))


def _is_movable(text: Source, index: int, diagnostic: Diagnostic) -> bool:
    """True if only line numbers can change as long as diagnostic and chunk are the same objects."""
    start = text.offsets[index]
    if start and text.text[start - 1] != "\n":
        return False
    if any(note.place is not None for note in diagnostic.related):
        return False
    if diagnostic.error is not None:
        return diagnostic.error[0] == 0
    # The patches of a wrong number of arguments depend on more than the chunk.
    return not (diagnostic.code == "E009" and diagnostic.severity is Severity.ERROR)
