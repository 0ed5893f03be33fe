"""Finds what a symbol path names: `name`, `Type.field`, `Enum::Variant`. Models name things better than they count columns.

What has several meanings or none is answered with candidates, never with a guess.
"""

from __future__ import annotations

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.ide.name_meanings import Kind, meaning, spots_named
from analysis.ide.symbols import Symbol, document_symbols
from analysis.inputs import FileId, source
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.scopes import resolved
from analysis.semantics.spelling import nearest

_MOST: int = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a path could mean; `offset` is where its name stands in the file that was asked about."""

    path: str
    kind: Kind
    offset: int

    @property
    def name(self) -> str:
        """The name at `offset`: the last part of the path."""
        return _last_part(self.path)


@dataclass(frozen=True, slots=True)
class SymbolMatch:
    """`offset` of the only meaning, or None and the candidates."""

    offset: int | None
    candidates: tuple[Candidate, ...] = ()


def find_symbol(db: Database, file: FileId, path: str) -> SymbolMatch:
    """Symbol that a path names in a file: its declarations first, then any name in its text (locals, names of libraries)."""
    declared = [candidate for symbol in document_symbols(db, file) for candidate in _candidates(symbol)]
    named = [candidate for candidate in declared if candidate.path == path]
    # Of several definitions of one kind the last one is in force.
    by_kind = {candidate.kind: candidate for candidate in named}
    if len(by_kind) == 1:
        return SymbolMatch(next(iter(by_kind.values())).offset)
    if by_kind:
        return SymbolMatch(None, tuple(by_kind.values()))
    used = _meanings_in_text(db, file, path)
    if len(used) == 1:
        return SymbolMatch(used[0].offset)
    if used:
        return SymbolMatch(None, tuple(used[:_MOST]))
    name = _last_part(path)
    members = [candidate for candidate in declared if candidate.name == name]
    pool = declared if members else declared + _locals(db, file)
    close = [] if members else nearest(path, list(dict.fromkeys(candidate.path for candidate in pool)), _MOST)
    similar = members or sorted(
        (candidate for candidate in pool if candidate.path in close), key=lambda candidate: close.index(candidate.path)
    )
    return SymbolMatch(None, tuple(similar[:_MOST]))


def _last_part(path: str) -> str:
    return path.replace("::", ".").rpartition(".")[2]


def _candidates(symbol: Symbol) -> list[Candidate]:
    own = Candidate(symbol.name, symbol.kind, symbol.name_span[0])
    link = "::" if symbol.kind is Kind.ENUM else "."
    return [own, *(Candidate(symbol.name + link + child.name, child.kind, child.name_span[0]) for child in symbol.children)]


def _locals(db: Database, file: FileId) -> list[Candidate]:
    text = source(db, file)
    kinds = {LocalKind.PARAMETER: Kind.PARAMETER}
    return [
        Candidate(local.name, kinds.get(local.kind, Kind.LOCAL), start + local.at)
        for chunk, start in zip(text.chunks, text.offsets, strict=True)
        for local in resolved(db, chunk.text).locals.values()
    ]


def _meanings_in_text(db: Database, file: FileId, path: str) -> list[Candidate]:
    """The different meanings of a path's last name in the file's text, each at its first place."""
    name = _last_part(path)
    if not name:
        return []
    candidates: dict[object, Candidate] = {}
    for spot in spots_named(db, file, name):
        meant = meaning(db, file, spot)
        is_member = meant is not None and meant.kind in (Kind.FIELD, Kind.VARIANT)
        if meant is not None and (path == name) != is_member:
            candidates.setdefault((meant.kind, meant.places), Candidate(path, meant.kind, spot.span[0]))
    return list(candidates.values())
