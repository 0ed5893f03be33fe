"""Places of keys and values in a TOML document, by path, which the standard library's reader does not give.

Written for documents that the reader accepts; for others, for example during typing, the result is partial: an unreadable
line is skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from analysis.config.schema import Path
from analysis.data_classes import dataclass, field

Span = tuple[int, int]
_DEEPEST: Final = 50
_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE: Final = re.compile(r"[ \t]*+")
_LINE: Final = re.compile(r"[^\n]*+\n?")
_KEY: Final = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'""")
_TEXT: Final = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}|\'\'\'(?:[^']|'(?!\'\'))*+'{3,5}|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+\'''', re.DOTALL
)
_PLAIN: Final = re.compile(r"[^,\]}#\n]*+")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}


def nearest(path: Path, first: Mapping[Path, Span], second: Mapping[Path, Span]) -> Span:
    """The span of a path in the first table that has it, else of the nearest path around it; (0, 0) if there is none."""
    while path:
        if (place := first.get(path) or second.get(path)) is not None:
            return place
        path = path[:-1]
    return (0, 0)


@dataclass(slots=True)
class Places:
    """Spans in characters. `tables` are where each header begins, and its path, in their order; the first is the document."""

    keys: dict[Path, Span] = field(default_factory=dict)
    values: dict[Path, Span] = field(default_factory=dict)
    tables: list[tuple[int, Path]] = field(default_factory=lambda: [(0, ())])

    def span(self, path: Path, on_key: bool = False) -> Span:
        """The span of a value, or of its key; of the nearest one around it if it has none of its own."""
        first, second = (self.keys, self.values) if on_key else (self.values, self.keys)
        return nearest(path, first, second)


def places(text: str) -> Places:
    """The places in a document."""
    reader = _Reader(text)
    reader.read()
    return reader.places


class _Unreadable(Exception):
    """The rest of the line cannot be read."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.places = Places()
        self._text = text
        self._pos = 0
        self._table: Path = ()
        self._entries: Counter[Path] = Counter()
        self._depth = 0

    def read(self) -> None:
        self._skip(_BLANK)
        while self._pos < len(self._text):
            start = self._pos
            try:
                if self._next("["):
                    self._header(start)
                else:
                    self._pair(self._table)
            except _Unreadable:
                self._skip(_LINE)
            if self._pos == start:
                self._pos += 1
            self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._pos)
        assert match is not None
        self._pos = match.end()

    def _next(self, character: str) -> bool:
        return self._text.startswith(character, self._pos)

    def _take(self, character: str) -> None:
        if not self._next(character):
            raise _Unreadable
        self._pos += len(character)

    def _header(self, start: int) -> None:
        is_list = self._next("[[")
        self._take("[[" if is_list else "[")
        path = self._key(())
        self._take("]]" if is_list else "]")
        if is_list:
            number = self._entries[path]
            self._entries[path] += 1
            path = (*path, number)
            self.places.keys[path] = (start, self._pos)
        self._table = path
        self.places.tables.append((start, path))

    def _key(self, inside: Path) -> Path:
        """Consumes a dotted key and gives its path below `inside`; a list of tables stands for its last entry."""
        path = inside
        while True:
            self._skip(_SPACE)
            match = _KEY.match(self._text, self._pos)
            if match is None:
                raise _Unreadable
            path = (*path, _name(match[0]))
            self.places.keys.setdefault(path, match.span())
            self._pos = match.end()
            self._skip(_SPACE)
            if not self._next("."):
                return path
            self._pos += 1
            if path in self._entries:
                path = (*path, self._entries[path] - 1)

    def _pair(self, inside: Path) -> None:
        path = self._key(inside)
        self._take("=")
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: Path) -> None:
        start = self._pos
        if self._next("[") or self._next("{"):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise _Unreadable
            self._parts(path, "]" if self._next("[") else "}")
            self._depth -= 1
        elif (match := _TEXT.match(self._text, start)) is not None:
            self._pos = match.end()
        else:
            self._skip(_PLAIN)
            self._pos = start + len(self._text[start : self._pos].rstrip())
        self.places.values[path] = (start, self._pos)

    def _parts(self, path: Path, closing: str) -> None:
        self._pos += 1
        number = 0
        while True:
            self._skip(_BLANK)
            if self._next(closing):
                self._pos += 1
                return
            if closing == "]":
                self._value((*path, number))
            else:
                self._pair(path)
            number += 1
            self._skip(_BLANK)
            if not self._next(closing):
                self._take(",")


def _name(written: str) -> str:
    if written[0] == "'":
        return written[1:-1]
    return _ESCAPE.sub(_character, written[1:-1]) if written[0] == '"' else written


def _character(match: re.Match[str]) -> str:
    number = int(match[1] or match[2] or "0", 16)
    if match[3] is not None:
        return _ESCAPED.get(match[3], match[3])
    return chr(number) if number <= 0x10FFFF else match[0]
