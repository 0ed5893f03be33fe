"""Slot at an offset in a JSON document, even in an invalid one: the innermost open table or list, and the text being typed."""

from __future__ import annotations

import re
from typing import Final

from analysis.database import paced
from analysis.documents.completions import Slot
from analysis.documents.json_reader import DEEPEST
from analysis.documents.parsed import Path

_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\],:]|[^\s"{}\[\],:]++')
_COLON: Final = re.compile(r"\s*+:")
_OFTEN: Final = 512


def json_slot(text: str, offset: int) -> Slot:
    """The place at an offset."""
    state = _State()
    typed = (offset, offset)
    for match in paced(_TOKEN.finditer(text), _OFTEN):
        start, end = match.span()
        if start >= offset:
            break
        token = match[0]
        is_open = token[0] == '"' and (len(token) == 1 or token[-1] != '"')
        is_word = token[0] not in '"{}[],:'
        if offset < end or (offset == end and (is_open or is_word)):
            # An open text goes to the end of its line: only what stands before the cursor is meant.
            typed = (start, offset if is_open else end)
            break
        state.take(token)
    path, is_name = state.place()
    has_value = is_name and _COLON.match(text, typed[1]) is not None
    return Slot(path, is_name, typed, has_value)


class _State:
    """The brackets that are open, with the path of each, and in a table whether a value is due; `None` is a list's bracket."""

    def __init__(self) -> None:
        self._open: list[tuple[str, Path]] = []
        self._names: list[str | None] = []
        self._counts: list[int] = []

    def take(self, token: str) -> None:
        if token in "{[":
            path, is_name = self.place()
            # Places deeper than this are unknown.
            self._open.append((token, path[:DEEPEST] if not is_name else (*path[:DEEPEST], "")))
            self._names.append(None)
            self._counts.append(0)
        elif token in "}]":
            if self._open:
                self._open.pop()
                self._names.pop()
                self._counts.pop()
        elif token == ",":
            if self._open:
                self._names[-1] = None
                self._counts[-1] += 1
        elif token[0] == '"' and self._open and self._open[-1][0] == "{" and self._names[-1] is None:
            self._names[-1] = token.strip('"')

    def place(self) -> tuple[Path, bool]:
        """The path of the expected name or value, and whether it is a name in the table at the path."""
        if not self._open:
            return (), False
        bracket, path = self._open[-1]
        if bracket == "[":
            return (*path, self._counts[-1]), False
        name = self._names[-1]
        return (path, True) if name is None else ((*path, name), False)
