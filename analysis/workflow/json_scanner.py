"""A JSON scanner that knows at which byte it stopped and under which path (spec chapter 16, section 3.1).

It reads one token or one value at a time and stops at the first defect, so that typed readers (`json_shapes.py`) can report
whatever comes first in a text: a syntax error or a wrong type. Python's own reader reports neither type nor place of a value.
"""

from __future__ import annotations

import re
from typing import Any, Final

PathPart = str | int
Path = tuple[PathPart, ...]

DEEPEST: Final = 127
"""Levels of nesting that a document may have."""
_BLANK: Final = re.compile(r"[ \t\n\r]*")
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]*')
_DIGITS: Final = re.compile(r"[0-9]*")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{4}")
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE_LETTERS: Final = "".join(_ESCAPES) + "u"
_LARGEST: Final = 2**64 - 1
_SMALLEST: Final = -(2**63)
_INFINITE: Final = (float("inf"), float("-inf"))


class JsonError(Exception):
    """The first defect of a text. `line` and `column` (bytes, from 1) are 0 where the defect has no place."""

    def __init__(self, message: str, line: int = 0, column: int = 0, path: Path = ()) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.path = path

    def __str__(self) -> str:
        return f"{self.message} at line {self.line} column {self.column}" if self.line else self.message


class Scanner:
    """A text and the place up to which it is read. `path` says which value is being read; `deepest` None allows any nesting."""

    __slots__ = ("_deepest", "_depth", "path", "pos", "text")

    def __init__(self, text: str, deepest: int | None = DEEPEST) -> None:
        self.text = text
        self.pos = 0
        self.path: list[PathPart] = []
        self._depth = 0
        self._deepest = deepest

    # ---- defects ------------------------------------------------------------------------------------------------

    def at(self, message: str, more: bytes = b"") -> JsonError:
        """A defect at the last byte that was consumed; `more` are bytes consumed after `pos`."""
        before = self.text[: self.pos].encode("utf-8", "surrogatepass") + more
        line_start = before.rfind(b"\n") + 1
        return JsonError(message, before.count(b"\n") + 1, len(before) - line_start, tuple(self.path))

    def next(self, message: str) -> JsonError:
        """A defect at the next byte, or at the end of the text."""
        return self.at(message, self.text[self.pos : self.pos + 1].encode("utf-8", "surrogatepass")[:1])

    # ---- tokens -------------------------------------------------------------------------------------------------

    def skip_blank(self) -> str:
        """The next character that is no white space, "" at the end; it is not consumed."""
        match = _BLANK.match(self.text, self.pos)
        assert match is not None
        self.pos = match.end()
        return self.text[self.pos : self.pos + 1]

    def open(self) -> None:
        """Consumes an opening bracket."""
        self._depth += 1
        if self._deepest is not None and self._depth > self._deepest:
            raise self.next("recursion limit exceeded")
        self.pos += 1

    def close(self) -> None:
        """Consumes a closing bracket."""
        self._depth -= 1
        self.pos += 1

    def string(self, lax: bool = False) -> str:
        """Consumes a string whose opening quote is next."""
        self.pos += 1
        parts: list[str] = []
        while True:
            match = _PLAIN.match(self.text, self.pos)
            assert match is not None
            if match.end() > self.pos:
                parts.append(match[0])
                self.pos = match.end()
            stop = self.text[self.pos : self.pos + 1]
            if not stop:
                raise self.at("EOF while parsing a string")
            if stop < " ":
                self.pos += not lax
                raise self.at("control character (\\u0000-\\u001F) found while parsing a string")
            self.pos += 1
            if stop == '"':
                return "".join(parts)
            parts.append(self._escape(lax))

    def _escape(self, lax: bool) -> str:
        letter = self._expect(_ESCAPE_LETTERS, "EOF while parsing a string", "invalid escape")
        if letter != "u":
            return _ESCAPES[letter]
        unit = self._hex()
        if lax or not 0xD800 <= unit < 0xE000:
            return chr(unit)
        if unit >= 0xDC00:
            raise self.at("lone leading surrogate in hex escape")
        for wanted in "\\u":
            self._expect(wanted, "EOF while parsing a string", "unexpected end of hex escape")
        low = self._hex()
        if not 0xDC00 <= low < 0xE000:
            raise self.at("lone leading surrogate in hex escape")
        return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))

    def _expect(self, letters: str, at_end: str, otherwise: str) -> str:
        """Consumes one of these letters; of any other character, its first byte is what is wrong."""
        letter = self.text[self.pos : self.pos + 1]
        if not letter:
            raise self.at(at_end)
        if letter not in letters:
            raise self.next(otherwise)
        self.pos += 1
        return letter

    def _hex(self) -> int:
        digits = self.text[self.pos : self.pos + 4].encode("utf-8", "surrogatepass")[:4]
        if len(digits) < 4:
            self.pos = len(self.text)
            raise self.at("EOF while parsing a string")
        if not _HEX.fullmatch(digits):
            raise self.at("invalid escape", digits)
        self.pos += 4
        return int(digits, 16)

    def number(self, lax: bool = False) -> int | float:
        """Consumes a number. Integers beyond 64 bits and `-0` are floats."""
        start = self.pos
        if self.text.startswith("-", self.pos):
            self.pos += 1
            if not self._digit():
                raise self._no_digit(lax)
        if self._digit() == "0":
            self.pos += 1
            if self._digit():
                raise self.next("invalid number")
        self._digits()
        whole = True
        if self.text.startswith(".", self.pos):
            whole = False
            self.pos += 1
            if not self._digit():
                raise self._no_digit(lax)
            self._digits()
        if self.text[self.pos : self.pos + 1] in ("e", "E"):
            whole = False
            self.pos += 1
            if self.text[self.pos : self.pos + 1] in ("+", "-"):
                self.pos += 1
            if not self._digit():
                raise self._no_digit(lax)
            self._digits()
        return self._value(self.text[start : self.pos], whole, lax)

    def _value(self, digits: str, whole: bool, lax: bool) -> int | float:
        if whole and digits != "-0" and len(digits) <= 20:
            value = int(digits)
            if _SMALLEST <= value <= _LARGEST:
                return value
        large = float(digits)
        if large in _INFINITE and not lax:
            raise self.at("number out of range")
        return large

    def _digit(self) -> str:
        letter = self.text[self.pos : self.pos + 1]
        return letter if letter and letter in "0123456789" else ""

    def _digits(self) -> None:
        match = _DIGITS.match(self.text, self.pos)
        assert match is not None
        self.pos = match.end()

    def _no_digit(self, lax: bool) -> JsonError:
        if self.pos >= len(self.text) and not lax:
            return self.at("EOF while parsing a value")
        return self.next("invalid number")

    def word(self, letter: str) -> bool | None:
        """Consumes `null`, `true` or `false`."""
        word, value = {"n": ("null", None), "t": ("true", True), "f": ("false", False)}[letter]
        for wanted in word:
            self._expect(wanted, "EOF while parsing a value", "expected ident")
        return value

    def scalar(self, lax: bool = False) -> Any:
        """Consumes a value that is neither list nor object."""
        letter = self.skip_blank()
        if letter == '"':
            return self.string(lax)
        if letter and letter in "-0123456789":
            return self.number(lax)
        if letter and letter in "ntf":
            return self.word(letter)
        raise self.next("expected value" if letter else "EOF while parsing a value")

    # ---- containers ---------------------------------------------------------------------------------------------

    def another_item(self, first: bool, lax: bool = False) -> bool:
        """True if the list has another item; the separator is consumed, the closing bracket is not."""
        letter = self.skip_blank()
        if not letter:
            raise self.next("EOF while parsing a list")
        if letter == "]":
            return False
        if first:
            return True
        if letter != ",":
            raise self.next("expected `,` or `]`")
        self.pos += 1
        letter = self.skip_blank()
        if letter == "]":
            raise self.next("expected value" if lax else "trailing comma")
        if not letter:
            raise self.next("EOF while parsing a value")
        return True

    def another_key(self, first: bool, lax: bool = False) -> bool:
        """True if the object has another key; the next character is the key's quote then, else the closing brace."""
        letter = self.skip_blank()
        if not letter:
            raise self.next("EOF while parsing an object")
        if letter == "}":
            return False
        if not first:
            if letter != ",":
                raise self.next("expected `,` or `}`")
            self.pos += 1
            letter = self.skip_blank()
            if letter == "}":
                raise self.next("key must be a string" if lax else "trailing comma")
            if not letter:
                raise self.next("EOF while parsing an object" if lax else "EOF while parsing a value")
        if letter != '"':
            raise self.next("key must be a string")
        return True

    def colon(self) -> None:
        """Consumes what stands between a key and its value."""
        letter = self.skip_blank()
        if letter != ":":
            raise self.next("expected `:`" if letter else "EOF while parsing an object")
        self.pos += 1

    def any_value(self) -> Any:
        """Consumes any value, in full; of equal keys the last counts."""
        letter = self.skip_blank()
        if letter == "[":
            return self._any_list()
        if letter == "{":
            return self._any_object()
        return self.scalar()

    def _any_list(self) -> list[Any]:
        self.open()
        items: list[Any] = []
        while self.another_item(not items):
            items.append(self.any_value())
        self.close()
        return items

    def _any_object(self) -> dict[str, Any]:
        self.open()
        fields: dict[str, Any] = {}
        first = True
        while self.another_key(first):
            first = False
            key = self.string()
            self.colon()
            fields[key] = self.any_value()
        self.close()
        return fields

    def skip_value(self) -> None:
        """Consumes a value whose content does not matter, nested as deep as it likes."""
        waiting: list[str] = []
        first = True
        while True:
            letter = self.skip_blank()
            if letter and letter in "[{":
                waiting.append("]" if letter == "[" else "}")
                self.pos += 1
                first = True
            else:
                self.scalar(lax=True)
                first = False
            while waiting and not self._enter_next(waiting[-1], first):
                waiting.pop()
                self.pos += 1
                first = False
            if not waiting:
                return

    def _enter_next(self, closing: str, first: bool) -> bool:
        if closing == "]":
            return self.another_item(first, lax=True)
        if not self.another_key(first, lax=True):
            return False
        self.string(lax=True)
        self.colon()
        return True

    def end(self) -> None:
        """Checks that the text ends here."""
        if self.skip_blank():
            raise self.next("trailing characters")
