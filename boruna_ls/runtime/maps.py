"""Maps from texts to values that are immutable to the program while a chain of changes costs O(1) each.

All versions of a map share one dictionary (Baker's rerooting): the newest holds it, an older one holds what was different
in it and the version to ask. Reading an old version turns the chain around, so reading it and its neighbours is cheap then; one
that is read again from far away gets a dictionary of its own. Small maps are copied: no chain grows on a module's empty map.
"""

from __future__ import annotations

from typing import Any, Final

_ABSENT: Final = object()
_SMALL: Final = 8
"""Entries of a map that is copied rather than shared."""
_FAR: Final = 32
"""Changes that are undone for an old version; a sixteenth of the entries more, since copying one costs about so much."""


class Map:
    """One version of a map. `_table` is the dictionary if this is the version it stands at, else None."""

    __slots__ = ("_key", "_newer", "_old", "_table", "_was_far")

    def __init__(self, table: dict[str, Any]) -> None:
        self._table: dict[str, Any] | None = table
        self._key = ""
        self._old: Any = _ABSENT
        self._newer: Map | None = None
        self._was_far = False

    def entries(self) -> dict[str, Any]:
        """The dictionary as it is in this version: to be read at once, never kept and never changed."""
        if self._table is None:
            self._reroot()
        assert self._table is not None
        return self._table

    def sorted_items(self) -> list[tuple[str, Any]]:
        """Keys and values in ascending order of the keys' bytes, which for UTF-8 is that of their code points."""
        return sorted(self.entries().items(), key=lambda entry: entry[0])

    def __len__(self) -> int:
        return len(self.entries())

    def with_entry(self, key: str, value: Any) -> Map:
        """A map with this entry added or replaced."""
        table = self.entries()
        if len(table) <= _SMALL:
            return Map({**table, key: value})
        old = table.get(key, _ABSENT)
        table[key] = value
        return self._succeeded(table, key, old)

    def without(self, key: str) -> Map:
        """A map without this key; itself if there is none."""
        table = self.entries()
        if key not in table:
            return self
        if len(table) <= _SMALL:
            return Map({name: value for name, value in table.items() if name != key})
        return self._succeeded(table, key, table.pop(key))

    def _succeeded(self, table: dict[str, Any], key: str, old: Any) -> Map:
        newer = Map(table)
        self._table, self._key, self._old, self._newer = None, key, old, newer
        return newer

    def _reroot(self) -> None:
        """Walk to the version that holds the dictionary, and carry it back, undoing one change after the other."""
        path: list[Map] = []
        version = self
        while version._table is None:
            path.append(version)
            assert version._newer is not None
            version = version._newer
        if len(path) > _FAR + len(version._table) // 16:
            if self._was_far:
                self._detach(dict(version._table), path)
                return
            self._was_far = True
        for older in reversed(path):
            table = version._table
            assert table is not None
            key, old = older._key, older._old
            version._key, version._old, version._newer = key, table.get(key, _ABSENT), older
            version._table = None
            if old is _ABSENT:
                del table[key]
            else:
                table[key] = old
            older._table, older._old, older._newer = table, _ABSENT, None
            version = older

    def _detach(self, table: dict[str, Any], path: list[Map]) -> None:
        """Take a dictionary of its own, made of a copy of that at the other end of a path."""
        for older in reversed(path):
            if older._old is _ABSENT:
                del table[older._key]
            else:
                table[older._key] = older._old
        self._table, self._old, self._newer = table, _ABSENT, None
