"""The candidates of `try_edits`: what the text of each file would be, worked out from edits, a whole text, or texts by path."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from heapq import nlargest
from typing import Annotated, Final

from pydantic import Field

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.positions import POSITION_RULE, offset_of
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments, Name, Path, at_most_entries, refusal
from boruna_ls.mcp.tools.located import Position

MOST: Final = 100
LONGEST: Final = 1_000_000
"""Characters of a text."""
Text = Annotated[str, Field(max_length=LONGEST)]
MOST_TEXT: Final = 2_000_000
"""Characters of new text in all candidates of a call."""
_MOST_LINES: Final = 5
"""Places that are named of a text that stands too often."""
_COMPARED: Final = 200
"""Characters of a line that are compared."""
_PROMISING: Final = 20
_PAUSE: Final = 200
"""Lines between two moments at which others may go first: some milliseconds."""


class Edit(Arguments):
    """A replacement, placed by positions or by the text that stands there."""

    path: Path | None = Field(None, description="File (default: the call's)")
    start: Position | None = None
    end: Position | None = Field(None, description="Exclusive")
    old_text: Text | None = Field(None, description="Or the exact text to replace, which occurs once")
    new_text: Text


class Candidate(Arguments):
    """One proposal: edits, or a whole text, or texts by path."""

    label: Name | None = Field(None, description="Your name for it")
    edits: Annotated[list[Edit], FIRST_ERROR] | None = Field(None, description="From the present text", max_length=1000)
    text: Text | None = Field(None, description="Or the whole new text")
    files: Annotated[dict[str, Text], at_most_entries(MOST)] | None = Field(None, description="Or whole new texts by path")


class Unplaced(Exception):
    """An edit of a candidate that cannot be placed in the current text: that candidate fails, the others are tried."""


class CandidateArguments(Arguments):
    candidates: Annotated[list[Candidate], FIRST_ERROR] = Field(
        description="Edits to try, each from the present text", min_length=1, max_length=MOST
    )


def check_total(candidates: list[Candidate]) -> None:
    """Raises MCPError if the new texts together are more than one call may bring: each is analysed and kept for a while."""
    total = 0
    for candidate in candidates:
        total += (
            len(candidate.text or "")
            + sum(map(len, (candidate.files or {}).values()))
            + sum(len(edit.new_text) for edit in candidate.edits or ())
        )
    if total > MOST_TEXT:
        message = f"argument `candidates` has {total} characters of new text; one call may have {MOST_TEXT}: give edits, or fewer"
        raise refusal("candidates", message)


def paths_of(candidate: Candidate) -> list[str]:
    """The paths that a candidate names."""
    return [*(candidate.files or ()), *(edit.path for edit in candidate.edits or () if edit.path is not None)]


@dataclass(slots=True)
class Reader:
    """Works out texts against those of `db`; `main` is the file of edits that name none, `files` the others by path."""

    db: Database
    main: FileId | None
    files: Mapping[str, FileId]
    give_way: Callable[[], None]
    """Called now and then in long work: others may go first."""

    def texts(self, candidate: Candidate, where: str) -> dict[FileId, str]:
        """The new texts of a candidate; `where` names it. Raises MCPError for one that cannot be understood, else Unplaced."""
        texts = self._new_texts(candidate, where)
        for file, text in texts.items():
            if len(text) > LONGEST:
                raise refusal("candidates", f"argument `{where}`: {file.path} would have more than {LONGEST} characters")
        return texts

    def _new_texts(self, candidate: Candidate, where: str) -> dict[FileId, str]:
        edits, text, files = candidate.edits, candidate.text, candidate.files
        if sum(given is not None for given in (edits, text, files)) != 1:
            raise refusal("candidates", f"argument `{where}` needs one of `edits`, `text`, `files`")
        if text is not None:
            return {self._file(None, where): text}
        if files is not None:
            texts = {self._file(path, where): text for path, text in files.items()}
            if len(texts) < len(files) or not texts:
                raise refusal("candidates", f"argument `{where}.files` must name each file once, and one at least")
            return texts
        return self._edited(edits or [], f"{where}.edits")

    def _edited(self, edits: list[Edit], where: str) -> dict[FileId, str]:
        """The texts after edits; an edit may say which file it is for, and places mean the text before all of them."""
        if not edits:
            raise refusal("candidates", f"argument `{where}` must be a list of objects, one at least")
        by_file: dict[FileId, list[tuple[int, int, str]]] = {}
        for index, edit in enumerate(edits):
            file = self._file(edit.path, f"{where}[{index}]")
            by_file.setdefault(file, []).append(self._span(file, edit, f"{where}[{index}]"))
        return {file: self._applied(file, spans, where) for file, spans in by_file.items()}

    def _span(self, file: FileId, edit: Edit, where: str) -> tuple[int, int, str]:
        text, new, old = source(self.db, file), edit.new_text, edit.old_text
        if edit.start is not None and edit.end is not None:
            try:
                start, end = offset_of(text, edit.start.as_dict()), offset_of(text, edit.end.as_dict())
            except ValueError as error:
                raise Unplaced(f"argument `{where}`: {error}") from None
            if start > end or (old is not None and text.text[start:end] != old):
                raise Unplaced(f"argument `{where}`: `old_text` is not there, or `end` is before `start`")
            return start, end, new
        if not old:
            raise refusal("candidates", f"argument `{where}` needs `start` and `end` ({POSITION_RULE}), or `old_text`")
        if text.has_crlf:
            # Models write line feeds, whatever a file has.
            old, new = (snippet.replace("\r\n", "\n").replace("\n", "\r\n") for snippet in (old, new))
        if text.text.count(old) != 1:
            raise Unplaced(f"argument `{where}.old_text` {_not_once(old, text.text, file.path, self.give_way)}")
        start = text.text.index(old)
        return start, start + len(old), new

    def _applied(self, file: FileId, spans: list[tuple[int, int, str]], where: str) -> str:
        text, pieces, at = source(self.db, file).text, [], 0
        for start, end, new in sorted(spans, key=lambda span: span[:2]):
            if start < at:
                raise Unplaced(f"argument `{where}`: two edits of {file.path} overlap")
            pieces += [text[at:start], new]
            at = end
        return "".join([*pieces, text[at:]])

    def _file(self, path: str | None, where: str) -> FileId:
        if path is not None:
            return self.files[path]
        if self.main is None:
            raise refusal("candidates", f"argument `{where}` names no `path`, and the call has neither `path` nor `code`")
        return self.main


def _not_once(old: str, text: str, path: str, give_way: Callable[[], None]) -> str:
    """Message for an old text that does not occur exactly once in a file: the number of occurrences, and what to do."""
    if count := text.count(old):
        at, lines = -1, []
        for _ in range(min(count, _MOST_LINES)):
            at = text.index(old, at + 1)
            lines.append(str(text.count("\n", 0, at) + 1))
        more = ", …" if count > len(lines) else ""
        return f"occurs {count} times in {path} (lines {', '.join(lines)}{more}): give more of its lines, or `start` and `end`"
    wanted = next((line.strip() for line in old.split("\n") if line.strip()), "")[:_COMPARED]
    number, line = _closest(wanted, text, give_way)
    hint = f"; line {number} is `{line}`" if number else ""
    return f"is not in the current text of {path}{hint}: give it exactly, with its white space"


def _closest(wanted: str, text: str, give_way: Callable[[], None]) -> tuple[int, str]:
    """Number and beginning of the line that is most like another one; 0 if none is alike.

    Only the lines that share most letter pairs with it are compared in full, so that a long file costs little.
    """
    pairs = _pairs(wanted)
    promising: list[tuple[int, int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if number % _PAUSE == 0:
            give_way()
            promising = nlargest(_PROMISING, promising)
        shown = line.strip()[:_COMPARED]
        if (shared := len(pairs & _pairs(shown))) * 3 >= len(pairs):
            promising.append((shared, -number, shown))
    lines = {line: -number for _, number, line in nlargest(_PROMISING, promising)}
    close = difflib.get_close_matches(wanted, lines, n=1, cutoff=0.6)
    return (lines[close[0]], close[0]) if close else (0, "")


def _pairs(line: str) -> set[str]:
    return {line[at : at + 2] for at in range(len(line) - 1)}
