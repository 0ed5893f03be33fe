"""The candidates of `try_edits`: what the text of each file would be, worked out from edits, a whole text, or texts by path."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.positions import POSITION_RULE, offset_of
from boruna_ls.mcp.arguments import Argument, refusal

MOST: Final = 100
LONGEST: Final = 1_000_000
"""Characters of a text."""
_MOST_LINES: Final = 5
"""Places that are named of a text that stands too often."""
_COMPARED: Final = 200
"""Characters of a line that are compared."""
CANDIDATES: Final = Argument(
    "candidates",
    list,
    "Edits to try, each from the present text",
    required=True,
    least=1,
    most=MOST,
    fields=(
        Argument("label", str, "Your name for it", most=200),
        Argument("edits", object, "List of {start, end, new_text} or {old_text, new_text}, with `path` for other files"),
        Argument("text", str, "Or the whole new text", most=LONGEST),
        Argument("files", dict, "Or whole new texts by path"),
    ),
)


def paths_of(candidate: Mapping[str, Any]) -> list[str]:
    """The paths that a candidate names."""
    files, edits = candidate.get("files"), candidate.get("edits")
    found = list(files) if isinstance(files, dict) else []
    if isinstance(edits, list):
        found += [edit["path"] for edit in edits if isinstance(edit, dict) and isinstance(edit.get("path"), str)]
    return found


@dataclass(slots=True)
class Reader:
    """Works out texts against those of `db`; `main` is the file of edits that name none, `files` the others by path."""

    db: Database
    main: FileId | None
    files: Mapping[str, FileId]

    def texts(self, candidate: Mapping[str, Any], where: str) -> dict[FileId, str]:
        """The new texts of a candidate. Raises MCPError for one that cannot be understood; `where` names it."""
        found = self._given(candidate, where)
        for file, text in found.items():
            if len(text) > LONGEST:
                raise refusal("candidates", f"argument `{where}`: {file.path} would have more than {LONGEST} characters")
        return found

    def _given(self, candidate: Mapping[str, Any], where: str) -> dict[FileId, str]:
        given = [name for name in ("edits", "text", "files") if candidate.get(name) is not None]
        if len(given) != 1:
            raise refusal("candidates", f"argument `{where}` needs one of `edits`, `text`, `files`")
        if given == ["text"]:
            return {self._file(None, where): candidate["text"]}
        if given == ["files"]:
            for path, text in candidate["files"].items():
                if not isinstance(text, str):
                    raise refusal("candidates", f"argument `{where}.files` must hold texts; `{path}` is none")
            found = {self._file(path, where): text for path, text in candidate["files"].items()}
            if len(found) < len(candidate["files"]) or not found:
                raise refusal("candidates", f"argument `{where}.files` must name each file once, and one at least")
            return found
        return self._edited(candidate["edits"], f"{where}.edits")

    def _edited(self, edits: Any, where: str) -> dict[FileId, str]:
        """The texts after edits; an edit may say which file it is for, and places mean the text before all of them."""
        if not isinstance(edits, list) or not edits or not all(isinstance(edit, dict) for edit in edits):
            raise refusal("candidates", f"argument `{where}` must be a list of objects, one at least")
        by_file: dict[FileId, list[tuple[int, int, str]]] = {}
        for index, edit in enumerate(edits):
            file = self._file(edit.get("path"), f"{where}[{index}]")
            by_file.setdefault(file, []).append(self._span(file, edit, f"{where}[{index}]"))
        return {file: self._applied(file, spans, where) for file, spans in by_file.items()}

    def _span(self, file: FileId, edit: Mapping[str, Any], where: str) -> tuple[int, int, str]:
        text, new, old = source(self.db, file), edit.get("new_text"), edit.get("old_text")
        if not isinstance(new, str):
            raise refusal("candidates", f"argument `{where}.new_text` must be a string")
        if isinstance(edit.get("start"), dict) and isinstance(edit.get("end"), dict):
            try:
                start, end = offset_of(text, edit["start"]), offset_of(text, edit["end"])
            except ValueError as error:
                raise refusal("candidates", f"argument `{where}`: {error}") from None
            if start > end or (isinstance(old, str) and text.text[start:end] != old):
                raise refusal("candidates", f"argument `{where}`: `old_text` does not stand there, or `end` lies before `start`")
            return start, end, new
        if not isinstance(old, str) or not old:
            raise refusal("candidates", f"argument `{where}` needs `start` and `end` ({POSITION_RULE}), or `old_text`")
        if "\r\n" in text.text:
            # Models write line feeds, whatever a file has.
            old, new = (one.replace("\r\n", "\n").replace("\n", "\r\n") for one in (old, new))
        if text.text.count(old) != 1:
            raise refusal("candidates", f"argument `{where}.old_text` {_not_once(old, text.text, file.path)}")
        start = text.text.index(old)
        return start, start + len(old), new

    def _applied(self, file: FileId, spans: list[tuple[int, int, str]], where: str) -> str:
        text, pieces, at = source(self.db, file).text, [], 0
        for start, end, new in sorted(spans, key=lambda span: span[:2]):
            if start < at:
                raise refusal("candidates", f"argument `{where}`: two edits of {file.path} overlap")
            pieces += [text[at:start], new]
            at = end
        return "".join([*pieces, text[at:]])

    def _file(self, path: Any, where: str) -> FileId:
        if path is None:
            if self.main is None:
                raise refusal("candidates", f"argument `{where}` names no `path`, and the call has neither `path` nor `code`")
            return self.main
        if not isinstance(path, str):
            raise refusal("candidates", f"argument `{where}.path` must be a string")
        return self.files[path]


def _not_once(old: str, text: str, path: str) -> str:
    """How often an old text stands in a file, if not once, and what to do."""
    if count := text.count(old):
        at, lines = -1, []
        for _ in range(min(count, _MOST_LINES)):
            at = text.index(old, at + 1)
            lines.append(str(text.count("\n", 0, at) + 1))
        more = ", …" if count > len(lines) else ""
        return f"stands {count} times in {path} (lines {', '.join(lines)}{more}): give more of its lines, or `start` and `end`"
    wanted = next((line.strip() for line in old.split("\n") if line.strip()), "")[:_COMPARED]
    numbers = {line.strip()[:_COMPARED]: number for number, line in enumerate(text.split("\n"), 1)}
    close = difflib.get_close_matches(wanted, numbers, n=1, cutoff=0.6)
    hint = f"; line {numbers[close[0]]} is `{close[0]}`" if close else ""
    return f"does not stand in {path}, as it is now{hint}: give it exactly, with its blanks"
