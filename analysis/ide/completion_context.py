"""What is being written at the cursor: a name of which sort, whose field or variant, with which locals in sight.

The text there is half written, so a word is put in and the item read again with it: what that word stands for is what is wanted.
Where not even that can be read, the tokens before the cursor decide.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from analysis.database import Database
from analysis.ide.name_types import known_in
from analysis.ide.names import item_around
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.infer import inferred
from analysis.semantics.infer.known import Known
from analysis.semantics.infer.result import Inference
from analysis.semantics.occurrences import LocalKind, Occurrence, Resolved, Space, Use
from analysis.semantics.scopes import resolve
from analysis.semantics.spelling import visible_locals
from analysis.semantics.ty import UNKNOWN, told
from analysis.syntax.lexer import IDENT, STRING, Tokens
from analysis.syntax.parser import ChunkTree, parse
from analysis.syntax.tree import Function, type_text

_WORD: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_IMPORT: Final = re.compile(r'(?:\A|\n)[ \t]*(?:export[ \t]+)?import[ \t]+"?([A-Za-z0-9_.-]*)\Z')
_CAPABILITIES: Final = re.compile(r"!\s*\{[^{}]*\Z")
_CAPABILITY: Final = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z0-9_.]*+\Z")
_STAND_IN: Final = "zzStandIn"
_NAMING: Final = frozenset(("fn", "type", "enum", "module", "let", "mut", "for"))
_CLOSING: Final = frozenset(")]}")
_OPENING: Final = frozenset("([{")


class Wanted(StrEnum):
    """The sorts of things that can be written."""

    NOTHING = "nothing"
    ITEM = "item"
    CLAUSE = "clause of a function"
    TYPE = "type"
    CAPABILITY = "capability"
    LIBRARY = "library"
    FIELD = "field of a value"
    LITERAL_FIELD = "field of a record literal"
    VARIANT = "variant of an enum"
    PATTERN = "pattern"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Context:
    """`start` is where the word begins that is being written (`prefix`), absolute.

    `owner` is the type of whose fields or variants are wanted, `given` the fields of a literal that are there. `visible` are
    locals that can be named, innermost last, with their types. `begins` says whether a statement, arm or item may begin here.
    """

    wanted: Wanted
    start: int
    prefix: str
    owner: str | None = None
    given: frozenset[str] = frozenset()
    visible: tuple[tuple[str, str | None], ...] = ()
    begins: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """The cursor in its chunk: the tokens before the word, how many they are, and where the word begins."""

    tokens: Tokens
    count: int
    at: int

    def kind(self, back: int = 1) -> str:
        """The kind of a token before the word, counted backwards."""
        return self.tokens.kinds[self.count - back] if self.count >= back else ""

    def word(self, back: int = 1) -> str:
        return self.tokens.word(self.count - back) if self.count >= back else ""

    def opening(self) -> int | None:
        """The number of the token that opens what the word lies in directly."""
        depth = 0
        for index in range(self.count - 1, -1, -1):
            if self.tokens.kinds[index] in _CLOSING:
                depth += 1
            elif self.tokens.kinds[index] in _OPENING:
                if not depth:
                    return index
                depth -= 1
        return None

    @property
    def is_first_of_line(self) -> bool:
        return not self.count or "\n" in self.tokens.text[self.tokens.ends[self.count - 1] : self.at]


def context_at(db: Database, file: FileId, offset: int) -> Context:
    """What is being written at an offset of a file."""
    text = source(db, file)
    start = _word_start(text.text, offset)
    index = text.chunk_at(start)
    base, written = text.offsets[index], text.chunks[index].text
    head = written[: offset - base]
    if found := _IMPORT.search(head):
        return Context(Wanted.LIBRARY, base + found.start(1), found[1])
    if _CAPABILITIES.search(head):
        name = _CAPABILITY.search(head)
        assert name is not None
        return Context(Wanted.CAPABILITY, base + name.start(), name[0])
    tokens = chunk_tree(db, written).tokens
    place = _Place(tokens, bisect_left(tokens.starts, start - base), start - base)
    prefix = text.text[start:offset]
    if _is_prose(place) or place.kind() in _NAMING:
        return Context(Wanted.NOTHING, start, prefix)
    found_there = _context(known_in(db, file), written, offset - base, place, prefix)
    return replace(found_there, start=base + found_there.start)


def _is_prose(place: _Place) -> bool:
    """Whether the cursor is in a comment or a string."""
    tokens, number = place.tokens, place.count - 1
    end = tokens.ends[number] if number >= 0 else 0
    if number >= 0 and tokens.kinds[number] == STRING and place.at < end:
        return True
    gap = tokens.text[end : place.at]
    return "//" in gap[gap.rfind("\n") + 1 :] or ("//" in gap and "\n" not in gap)


def _context(facts: Known, written: str, cursor: int, place: _Place, prefix: str) -> Context:
    """The context in a chunk, offsets relative to it."""
    tree, names, there = _read(written, cursor, place.at, prefix + _STAND_IN)
    types = inferred(tree, names, facts)
    known = Context(Wanted.VALUE, place.at, prefix, begins=place.kind() in ("{", "}") or place.is_first_of_line)
    opening = place.opening()
    if opening is not None and place.kind() in ("(", "{", ",") and _declares(place.tokens, opening):
        return replace(known, wanted=Wanted.NOTHING)
    if opening is not None and place.kind() in ("{", ",") and _is_match(place.tokens, opening):
        return replace(known, wanted=Wanted.PATTERN, owner=_matched(facts, written, cursor, place.at, prefix), begins=True)
    if place.kind() == ":" and (opening is None or not _is_literal(place.tokens, opening)):
        return replace(known, wanted=Wanted.TYPE)
    if there is None:
        return _unread(known, place, opening)
    known = replace(known, visible=_visible(tree, names, types, place.at))
    match there.space:
        case Space.FIELD:
            return replace(known, wanted=Wanted.FIELD, owner=_owner(types, there))
        case Space.VARIANT if there.use is Use.MATCH:
            return replace(known, wanted=Wanted.PATTERN, owner=_owner(types, there), begins=False)
        case Space.VARIANT:
            return replace(known, wanted=Wanted.VARIANT, owner=_owner(types, there) or place.word(2))
        case Space.TYPE | Space.GENERIC if there.use is not Use.CONSTRUCT:
            return replace(known, wanted=Wanted.TYPE)
    if there.use is Use.DECLARATION:
        local = names.locals.get(place.at)
        is_pattern = local is not None and local.kind is LocalKind.BINDING
        if not is_pattern:
            return replace(known, wanted=Wanted.NOTHING)
        return replace(known, wanted=Wanted.PATTERN, owner=_matched(facts, written, cursor, place.at, prefix), begins=False)
    if opening is not None and place.kind() in ("{", ",") and _is_literal(place.tokens, opening):
        given = _given(place.tokens, opening)
        return replace(known, wanted=Wanted.LITERAL_FIELD, owner=place.tokens.word(opening - 1), given=given)
    return known


def _read(written: str, cursor: int, at: int, word: str, rest: str = "") -> tuple[ChunkTree, Resolved, Occurrence | None]:
    """The chunk with a whole word at the cursor, and what that word is."""
    tree = parse(written[:at] + word + rest + written[cursor:])
    names = resolve(tree)
    there = names.at(at)
    return tree, names, there if there is not None and there.start == at else None


def _owner(types: Inference, there: Occurrence) -> str | None:
    return there.owner or told(types.owners.get(there.start, UNKNOWN))


def _matched(facts: Known, written: str, cursor: int, at: int, prefix: str) -> str | None:
    """The type of the value that a pattern at the cursor is for."""
    behind = written[cursor:].lstrip()
    rest = "" if behind.startswith(("=>", "(", ")", ",")) else " => 0,"
    tree, names, there = _read(written, cursor, at, f"Z{prefix}{_STAND_IN}", rest)
    return _owner(inferred(tree, names, facts), there) if there is not None and there.space is Space.VARIANT else None


def _unread(known: Context, place: _Place, opening: int | None) -> Context:
    """The context by the tokens alone."""
    if place.kind() == "->":
        return replace(known, wanted=Wanted.TYPE)
    if place.kind() == ".":
        return replace(known, wanted=Wanted.FIELD)
    if opening is not None:
        return known
    kinds = place.tokens.kinds[: place.count]
    last = max((index for index, kind in enumerate(kinds) if kind == "fn"), default=-1)
    is_header = last >= 0 and not any(kinds[index] == "{" and kinds[index - 1] != "!" for index in range(last, len(kinds)))
    return replace(known, wanted=Wanted.CLAUSE if is_header else Wanted.ITEM)


def _visible(tree: ChunkTree, names: Resolved, types: Inference, at: int) -> tuple[tuple[str, str | None], ...]:
    item = item_around(tree.items, at)
    wanted = visible_locals(item, at) if item is not None else []
    nearest = {
        local.name: local.declared or told(types.locals.get(local.at, UNKNOWN))
        for local in sorted(names.locals.values(), key=lambda local: local.at)
        if local.at < at
    }
    found = [(name, nearest.get(name)) for name in wanted]
    if isinstance(item, Function) and any(clause.start <= at <= clause.end for clause in item.ensures):
        found.append(("result", type_text(item.result) if item.result else None))
    return tuple(found)


def _declares(tokens: Tokens, opening: int) -> bool:
    """Whether a bracket holds the parameters, fields or variants of an item."""
    return opening > 1 and tokens.kinds[opening - 2] in ("fn", "type", "enum")


def _is_match(tokens: Tokens, opening: int) -> bool:
    """Whether a brace is that of a match: `match` stands before it, with a value between."""
    depth = 0
    if tokens.kinds[opening] != "{" or (_is_literal(tokens, opening) and tokens.kinds[opening - 2] != "match"):
        return False
    for index in range(opening - 1, -1, -1):
        kind = tokens.kinds[index]
        if kind in _CLOSING:
            depth += 1
        elif kind in _OPENING:
            if not depth:
                return False
            depth -= 1
        elif not depth and kind == "match":
            return True
        elif not depth and kind in ("if", "else", "while", "for", "fn", "=>", "=", ",", "return", "let"):
            return False
    return False


def _is_literal(tokens: Tokens, opening: int) -> bool:
    """Whether a brace is that of a record literal."""
    if tokens.kinds[opening] != "{" or not opening or tokens.kinds[opening - 1] != IDENT:
        return False
    before = tokens.kinds[opening - 2] if opening > 1 else ""
    return "A" <= tokens.word(opening - 1)[0] <= "Z" and before not in ("->", "type", "enum", "match", ":", "<", ",")


def _given(tokens: Tokens, opening: int) -> frozenset[str]:
    """The fields that a record literal has already, before and behind the cursor."""
    given, depth = set(), 0
    for index in range(opening + 1, len(tokens.kinds) - 1):
        kind = tokens.kinds[index]
        if kind in _OPENING:
            depth += 1
        elif kind in _CLOSING:
            if not depth:
                break
            depth -= 1
        elif not depth and kind == IDENT and tokens.kinds[index + 1] == ":":
            given.add(tokens.word(index))
    return frozenset(given)


def _word_start(text: str, offset: int) -> int:
    """Where the name begins that ends at an offset; the offset if there is none."""
    start = offset
    while start and text[start - 1] in _WORD:
        start -= 1
    while start < offset and text[start].isdigit():
        start += 1
    return start
