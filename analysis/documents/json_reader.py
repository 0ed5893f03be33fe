"""JSON read with places, whatever is wrong with it: an editor asks while the text is being typed.

What the text means is judged elsewhere (`analysis/workflow`, the tables of `kinds/`); here a comma too many or too few, a missing
value and an open bracket cost nothing but themselves. Nesting and size are bounded: what lies beyond is skipped. Of a workflow
each step is read once (`analysis/workflow/json_steps.py`).
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any, Final

from analysis.database import Database, checkpoint, query
from analysis.documents.parsed import Defect, Parsed, Path
from analysis.inputs import CHUNK
from analysis.text.edits import Span
from analysis.workflow.json_steps import STEPS, Entry, EntryReader, Places, entry_at

DEEPEST: Final = 64
MOST: Final = 200_000
"""Levels, and names and values, that are looked at."""
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++')
_OFTEN: Final = 512
_LONGEST_NUMBER: Final = 20


@query(limit=16, subject=CHUNK)
def json_document(db: Database, text: str) -> Parsed:
    """A document as far as it can be read; `defect` is the first place where it is no JSON."""
    return read_json(text, partial(_step, db))


@query(limit=3_000)
def _step(db: Database, text: str) -> Entry | None:
    """An entry of `steps` by its own text."""
    reader = _Reader(text)
    fields: dict[str, Any] = {}
    reader.field((STEPS,), fields)
    if reader.token or reader.defect is not None:
        return None
    ((name, value),) = fields.items()
    return Entry(name, value, reader.values.own, reader.keys.own, (), tuple(path for path, _ in reader.repeated))


def read_json(text: str, read_entry: EntryReader | None = None) -> Parsed:
    """`json_document` without the database."""
    reader = _Reader(text, read_entry)
    data = reader.value(())
    if reader.token:
        reader.refuse("text after the document")
    return Parsed(data, reader.keys, reader.values, tuple(reader.repeated), reader.defect)


class _Reader:
    """`token` is the next one, "" at the end; it stands at `start`."""

    def __init__(self, text: str, read_entry: EntryReader | None = None) -> None:
        self.keys = Places()
        self.values = Places()
        self.repeated: list[tuple[Path, Span]] = []
        self.defect: Defect | None = None
        self.token = ""
        self.start = self.end = self._last = 0
        self._text = text
        self._read_entry = read_entry
        self._count = 0
        # A mark that editors take off: it is no part of the document, and no reader of JSON accepts it.
        if text.startswith("\ufeff"):
            self.defect = Defect("byte order mark before the document: save the file without it", (0, 1))
            self.end = 1
        self._next()

    def refuse(self, message: str) -> None:
        if self.defect is None:
            self.defect = Defect(message, (self.start, self.end))

    def value(self, path: Path) -> Any:
        """The next value; None with an empty span where there is none."""
        start = self.start
        if not self.token or self.token in ",:}]":
            self.refuse("a value is missing")
            self.values[path] = (self._last, self._last)
            return None
        self._count += 1
        if self.token == "{":
            read: Any = self._object(path)
        elif self.token == "[":
            read = self._list(path)
        else:
            read = self._scalar()
            self._next()
        if self._count < MOST:
            self.values[path] = (start, self._last)
        return read

    def _next(self) -> None:
        self._last = self.end
        match = _TOKEN.search(self._text, self.end)
        if match is None:
            self.token, self.start, self.end = "", len(self._text), len(self._text)
            return
        self.token = match[0]
        self.start, self.end = match.span()
        self._count += 1
        if self._count % _OFTEN == 0:
            checkpoint()

    def _object(self, path: Path) -> dict[str, Any]:
        if len(path) >= DEEPEST:
            self._skip()
            return {}
        self._next()
        fields: dict[str, Any] = {}
        is_parted = True
        while self.token and self.token not in "}]":
            if self.token == ",":
                if is_parted:
                    self.refuse("a name is missing before the comma")
                is_parted = True
                self._next()
            elif self.token.startswith('"'):
                if not is_parted:
                    self.refuse("a comma is missing")
                is_parted = False
                if path != (STEPS,) or not self._adopted(path, fields):
                    self.field(path, fields)
            else:
                self.refuse("a name in double quotes is missing")
                self._next()
        self._close("}", is_parted and bool(fields))
        return fields

    def _adopted(self, path: Path, fields: dict[str, Any]) -> bool:
        """Adopts the next entry, if its text was read before."""
        text = entry_at(self._text, self.start) if self._read_entry is not None and self._count < MOST else ""
        entry = self._read_entry(text) if text and self._read_entry is not None else None
        if entry is None or entry.name in fields or entry.repeated:
            return False
        inside = (*path, entry.name)
        self.keys.adopt(inside, self.start, entry.keys)
        self.values.adopt(inside, self.start, entry.spans)
        fields[entry.name] = entry.value
        self._count += len(entry.spans)
        self.end = self.start + len(text)
        self._next()
        return True

    def field(self, path: Path, fields: dict[str, Any]) -> None:
        """The next name with its value, into the fields of the table at a path."""
        name = self._text_of_token()
        inside = (*path, name)
        if name in fields:
            self.repeated.append((inside, self.keys.get(inside, (self.start, self.end))))
        if self._count < MOST:
            self.keys[inside] = (self.start, self.end)
        self._next()
        if self.token == ":":
            self._next()
        else:
            self.refuse("a colon is missing")
        # A name on the next line is the next field, not the missing value of this one.
        if self.token.startswith('"') and self._is_name():
            self.refuse("a value is missing")
            self.values[inside] = (self._last, self._last)
            fields[name] = None
        else:
            fields[name] = self.value(inside)

    def _is_name(self) -> bool:
        following = _TOKEN.search(self._text, self.end)
        return following is not None and following[0] == ":"

    def _list(self, path: Path) -> list[Any]:
        if len(path) >= DEEPEST:
            self._skip()
            return []
        self._next()
        items: list[Any] = []
        is_parted = True
        while self.token and self.token not in "}]":
            if self.token in ",:":
                if is_parted or self.token == ":":
                    self.refuse("a value is missing")
                is_parted = True
                self._next()
                continue
            if not is_parted:
                self.refuse("a comma is missing")
            is_parted = False
            items.append(self.value((*path, len(items))))
        self._close("]", is_parted and bool(items))
        return items

    def _close(self, bracket: str, has_comma: bool) -> None:
        if self.token == bracket:
            if has_comma:
                self.refuse("a comma before the closing bracket")
            self._next()
        else:
            self.refuse(f"`{bracket}` is missing")

    def _skip(self) -> None:
        """Skips a list or a table that is nested too deep."""
        self.refuse(f"nested deeper than {DEEPEST} levels")
        depth = 0
        while self.token:
            depth += (self.token in "{[") - (self.token in "}]")
            self._next()
            if depth == 0:
                return

    def _scalar(self) -> Any:
        token = self.token
        if token[0] == '"':
            return self._text_of_token()
        if token in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[token]
        try:
            # Texts of thousands of digits would be refused by `int`.
            return int(token) if len(token) <= _LONGEST_NUMBER and token.lstrip("-").isdigit() else float(token)
        except ValueError:
            self.refuse("not a value: texts need double quotes")
            return token

    def _text_of_token(self) -> str:
        token = self.token
        if len(token) < 2 or token[-1] != '"':
            self.refuse('`"` is missing')
            return token[1:]
        if "\\" not in token:
            return token[1:-1]
        try:
            text: str = json.loads(token, strict=False)
        except ValueError:
            self.refuse("an escape that JSON does not have")
            return token[1:-1]
        return text
