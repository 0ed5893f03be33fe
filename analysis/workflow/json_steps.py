"""Entries of a document that are read once, however often the rest of the document changes.

A workflow of 1,000 steps is typed one character at a time, which changes one step. An `Entry` is what was read of a name and
its object, by their text alone; readers adopt it and continue behind it. Text that is no such entry, or holds a defect, they read
themselves, so that every defect has its place in the whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from analysis.workflow.json_scanner import Path

Span = tuple[int, int]
STEPS: Final = "steps"
LONGEST: Final = 1_000
"""Most characters of an entry that can be adopted; this also bounds failed attempts."""
_TEXT: Final = r'"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*+"'
_FLAT: Final = rf'(?:[^"{{}}\[\]]++|{_TEXT})*+'
_NESTED: Final = rf'(?:[^"{{}}\[\]]++|{_TEXT}|[{{\[]{_FLAT}[}}\]])*+'
_DEEP: Final = rf'(?:[^"{{}}\[\]]++|{_TEXT}|[{{\[]{_NESTED}[}}\]])*+'
_ENTRY: Final = re.compile(rf"{_TEXT}[ \t\n\r]*+:[ \t\n\r]*+\{{{_DEEP}\}}")


class Entry(NamedTuple):
    """A name and what its object was read as; places are relative to the name's quote, paths those of the document."""

    name: str
    value: Any
    spans: Mapping[Path, Span]
    keys: Mapping[Path, Span]
    unknown: tuple[Path, ...] = ()
    repeated: tuple[Path, ...] = ()


EntryReader = Callable[[str], Entry | None]
"""The entry of a text, None if it is none or has a defect."""


def entry_at(text: str, start: int) -> str:
    """The text of the entry whose name begins at an offset, "" if that is no short and complete one."""
    match = _ENTRY.match(text, start, start + LONGEST)
    return match[0] if match is not None else ""


class Places(Mapping[Path, Span]):
    """Spans by path: those that were noted one by one, and those of entries, moved to where the entry stands."""

    __slots__ = ("_entries", "own")

    def __init__(self) -> None:
        self.own: dict[Path, Span] = {}
        self._entries: dict[Path, tuple[int, Mapping[Path, Span]]] = {}

    def __setitem__(self, path: Path, span: Span) -> None:
        if len(path) == 2 and (entry := self._entries.pop(path, None)) is not None:
            # An equal name: what this one does not have stays where it was.
            for inner, (first, last) in entry[1].items():
                self.own.setdefault(inner, (entry[0] + first, entry[0] + last))
        self.own[path] = span

    def adopt(self, path: Path, start: int, spans: Mapping[Path, Span]) -> None:
        """Notes the places of the entry under a path, which begins at `start`."""
        self._entries[path] = start, spans

    def __getitem__(self, path: Path) -> Span:
        entry = self._entries.get(path[:2])
        if entry is None:
            return self.own[path]
        start, (first, last) = entry[0], entry[1][path]
        return start + first, start + last

    def __iter__(self) -> Iterator[Path]:
        for path in self.own:
            if path[:2] not in self._entries:
                yield path
        for _, spans in self._entries.values():
            yield from spans

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def around(self, offset: int) -> Iterator[tuple[Path, Span]]:
        """The places that an offset may be in, with those of its entry only."""
        for path, span in self.own.items():
            if path[:2] not in self._entries:
                yield path, span
        for start, spans in self._entries.values():
            if start <= offset <= start + LONGEST:
                for path, (first, last) in spans.items():
                    yield path, (start + first, start + last)
