"""Context of the cursor: the kind of name being written, its owner if it is a field or variant, the visible locals.

The text there is incomplete. The parser reads the tokens up to the cursor and assumes whatever is missing there
(`parse_unfinished`), so that the item up to the cursor is a tree with names and types, whatever follows. The constructs that are
open there (`open_constructs`) tell what a word may be besides a name: a type, a pattern, a keyword.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import StrEnum
from operator import itemgetter
from typing import Final

from analysis.data_classes import dataclass, replace
from analysis.database import Database
from analysis.ide.name_meanings import item_around
from analysis.ide.name_types import scope_types
from analysis.ide.open_constructs import Inside, OpenConstructs
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.infer import inferred
from analysis.semantics.infer.result import Inference
from analysis.semantics.infer.scope_types import ScopeTypes
from analysis.semantics.occurrences import LocalKind, Occurrence, Resolved, Space, Use
from analysis.semantics.scopes import resolve
from analysis.semantics.ty import BOOL, UNKNOWN, Ty, partial_text
from analysis.semantics.ty import FLOAT as FLOAT_TYPE
from analysis.semantics.ty import INT as INT_TYPE
from analysis.semantics.ty import STRING as STRING_TYPE
from analysis.syntax.lexer import EOF, FLOAT, IDENT, INT, STRING, Cause, Tokens
from analysis.syntax.parser import ChunkTree, parse_unfinished
from analysis.syntax.tree import Binary, Function, Item, Node, Unary, children, type_text

_WORD: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_IMPORT: Final = re.compile(r'(?:\A|\n)[ \t]*(?:export[ \t]+)?import[ \t]+"?([A-Za-z0-9_.-]*)\Z')
_QUOTED_KIND: Final = re.compile(r'\bkind:[ ]?"([a-z_]*)\Z')
_CAPABILITIES: Final = re.compile(r"!\s*\{[^{}]*\Z")
_CAPABILITY: Final = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z0-9_.]*+\Z")
_LONGEST: Final = 2_000
"""Characters before the cursor in which these are looked for."""
_NAMING: Final = frozenset(("fn", "type", "enum", "module", "let", "mut", "for"))
_CLOSING: Final = frozenset(")]}")
_OPENING: Final = frozenset("([{")
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9_.])[0-9][0-9.]*+\Z")
_LOGICAL: Final = frozenset(("&&", "||"))
_COMPARISONS: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))
_OPERANDS: Final = {"&&": BOOL, "||": BOOL, "++": STRING_TYPE}
"""Operators whose operands have a type of their own."""
_NUMERIC: Final = frozenset("+-*/%")
_LITERAL_TYPES: Final = {INT: INT_TYPE, FLOAT: FLOAT_TYPE, STRING: STRING_TYPE}


class Wanted(StrEnum):
    """The sorts of things that can be written."""

    NOTHING = "nothing"
    ITEM = "item"
    CLAUSE = "clause of a function"
    TYPE = "type"
    CAPABILITY = "capability"
    EFFECT_KIND = "kind of an effect, in quotes"
    LIBRARY = "library"
    FIELD = "field of a value"
    LITERAL_FIELD = "field of a record literal"
    VARIANT = "variant of an enum"
    PATTERN = "pattern"
    VALUE = "value"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Context:
    """`start` is where the word begins that is being written (`prefix`), absolute.

    `owner` is the type of whose fields or variants are wanted, `given` the fields of a literal that are there. `visible` are
    locals that can be named, innermost last, with their types. `begins` says whether a statement, arm or item may begin here,
    `expected` what the type of a value should be, which can be a condition or the value of a match, `keywords` what else fits.
    """

    wanted: Wanted
    start: int
    prefix: str
    owner: str | None = None
    given: frozenset[str] = frozenset()
    visible: tuple[tuple[str, Ty], ...] = ()
    begins: bool = False
    expected: Ty = UNKNOWN
    is_condition: bool = False
    is_matched: bool = False
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """The cursor in its chunk: the tokens before the word, their count, the word's start, and the open constructs."""

    tokens: Tokens
    count: int
    at: int
    open: OpenConstructs

    def kind(self, back: int = 1) -> str:
        """The kind of a token before the word, numbered backwards."""
        return self.tokens.kinds[self.count - back] if self.count >= back else ""

    def word(self, back: int = 1) -> str:
        return self.tokens.word(self.count - back) if self.count >= back else ""

    @property
    def is_first_of_line(self) -> bool:
        return self.open.begins_line(self.at)


def context_at(db: Database, file: FileId, offset: int) -> Context:
    """Context at an offset of a file."""
    text = source(db, file)
    start = _word_start(text.text, offset)
    index = text.chunk_at(start)
    if index and start == text.offsets[index] and text.text[start - 1] not in "}\n":
        # Behind an unclosed item: the text there still belongs to it.
        index -= 1
    base, written = text.offsets[index], text.chunks[index].text
    head = written[: offset - base]
    near = max(len(head) - _LONGEST, 0)
    if match := _IMPORT.search(head, near):
        return Context(Wanted.LIBRARY, base + match.start(1), match[1])
    if (match := _QUOTED_KIND.search(head, near)) and "//" not in head[head.rfind("\n") + 1 : match.start()]:
        return Context(Wanted.EFFECT_KIND, base + match.start(1), match[1])
    if _CAPABILITIES.search(head, near):
        name = _CAPABILITY.search(head, near)
        assert name is not None
        return Context(Wanted.CAPABILITY, base + name.start(), name[0])
    tokens = chunk_tree(db, written).tokens
    count = bisect_left(tokens.starts, start - base)
    place = _Place(tokens, count, start - base, OpenConstructs(tokens, count))
    prefix = text.text[start:offset]
    if _is_prose(place) or _is_number(text.text, start) or _is_naming(place):
        return Context(Wanted.NOTHING, start, prefix)
    context = _context(scope_types(db, file), place, prefix)
    return replace(context, start=start)


def _is_prose(place: _Place) -> bool:
    """True if the cursor is in a comment or a string."""
    tokens, number = place.tokens, place.count - 1
    end = tokens.ends[number] if number >= 0 else 0
    if place.at < end:
        return True
    if any(error.cause is Cause.STRING and error.start < place.at <= error.end for error in tokens.errors):
        return True
    gap = tokens.text[end : place.at]
    return "//" in gap[gap.rfind("\n") + 1 :]


def _is_number(text: str, start: int) -> bool:
    """True if a word would continue a number: `1`, `1.`, `1.5`."""
    return _NUMBER.search(text, max(0, start - 40), start) is not None


def _is_naming(place: _Place) -> bool:
    """True if the word is a new name."""
    if place.kind() in _NAMING:
        return True
    inside = place.open.innermost.inside
    if inside in (Inside.PARAMETERS, Inside.FIELDS, Inside.VARIANTS) and place.kind() in ("(", "{", ","):
        return not place.open.awaits_type()
    return False


def _context(facts: ScopeTypes, place: _Place, prefix: str) -> Context:
    """The context in a chunk, offsets relative to it."""
    opened = place.open
    begins = place.kind() in ("{", "}") or place.is_first_of_line
    context = Context(Wanted.VALUE, place.at, prefix, begins=begins)
    if place.kind(2) == "for" and place.kind() == IDENT:
        return replace(context, wanted=Wanted.KEYWORD, keywords=("in",))
    if opened.awaits_type():
        return replace(context, wanted=Wanted.TYPE)
    if opened.awaits_pattern(place.at):
        begins_arm = opened.begins_arm()
        if begins_arm or place.kind() in ("(",):
            return replace(context, wanted=Wanted.PATTERN, owner=_matched(facts, place, prefix), begins=begins_arm)
        return replace(context, wanted=Wanted.NOTHING)
    if place.kind() == IDENT and place.kind(2) in ("let", "mut") and not place.is_first_of_line:
        return replace(context, wanted=Wanted.NOTHING)
    tree, names, there = _read(place, prefix)
    if there is None:
        return _unread(context, place)
    types = inferred(tree.items, names, facts)
    visible = _visible(tree, names, types, place.at, facts)
    keywords = ("else",) if opened.closed_if == place.count - 1 and place.count and place.kind() == "}" else ()
    expected, is_condition = _as_operand(place, prefix) or _expected(tree, types, place.at, there.end)
    context = replace(context, visible=visible, expected=expected, is_condition=is_condition, keywords=keywords)
    context = replace(context, is_matched=opened.innermost.pending[-1:] == ["match"])
    match there.space:
        case Space.FIELD:
            return _fields_at(context, types, there, place)
        case Space.VARIANT if there.use is Use.MATCH:
            return replace(context, wanted=Wanted.PATTERN, owner=_owner(types, there), begins=False)
        case Space.VARIANT:
            return replace(context, wanted=Wanted.VARIANT, owner=_owner(types, there) or place.word(2))
        case Space.TYPE | Space.GENERIC if there.use is not Use.CONSTRUCT:
            return replace(context, wanted=Wanted.TYPE)
    if there.use is Use.DECLARATION:
        local = names.locals.get(place.at)
        if local is None or local.kind is not LocalKind.BINDING:
            return replace(context, wanted=Wanted.NOTHING)
        return replace(context, wanted=Wanted.PATTERN, owner=_pattern_owner(types, there), begins=False)
    return context


def _fields_at(context: Context, types: Inference, there: Occurrence, place: _Place) -> Context:
    """The fields of a value, or those that a literal lacks."""
    innermost = place.open.innermost
    if place.kind() != "." and innermost.inside is Inside.LITERAL:
        given = _written_fields(place.tokens, innermost.opening)
        return replace(context, wanted=Wanted.LITERAL_FIELD, owner=place.tokens.word(innermost.opening - 1), given=given)
    return replace(context, wanted=Wanted.FIELD, owner=_owner(types, there))


def _read(place: _Place, prefix: str) -> tuple[ChunkTree, Resolved, Occurrence | None]:
    """The tree and the names of the text up to the cursor, and the occurrence that the word is."""
    tree = parse_unfinished(place.tokens, place.count, (place.at, place.at + len(prefix)))
    names = resolve(tree)
    there = names.at(place.at)
    return tree, names, there if there is not None and there.start == place.at else None


def _owner(types: Inference, there: Occurrence) -> str | None:
    return there.owner or partial_text(types.owners.get(there.start, UNKNOWN))


def _matched(facts: ScopeTypes, place: _Place, prefix: str) -> str | None:
    """The type of the value that a pattern at the cursor is for."""
    tree, names, there = _read(place, prefix)
    return _pattern_owner(inferred(tree.items, names, facts), there) if there is not None else None


def _pattern_owner(types: Inference, there: Occurrence) -> str | None:
    """The type that a pattern name belongs to: the owner of a variant, the type of a local."""
    return _owner(types, there) if there.space is Space.VARIANT else partial_text(types.locals.get(there.start, UNKNOWN))


def _expected(tree: ChunkTree, types: Inference, at: int, end: int) -> tuple[Ty, bool]:
    """The expected type of the value whose last word spans `at` to `end`, and whether it is a condition.

    If several values end there, the innermost one counts.
    """
    asked = [(start, want.type, False) for (start, stop), want in types.wants.items() if stop == end and start <= at]
    asked += [
        (condition.node.start, BOOL, True)
        for condition in types.conditions
        if condition.node.end == end and condition.node.start <= at
    ]
    item = item_around(tree.items, at)
    for node in _path_to_word(item, at) if item is not None else ():
        if isinstance(node, Unary) and node.operator == "!":
            asked.append((node.operand.start, BOOL, True))
        elif isinstance(node, Binary) and node.right.start <= at and node.right.end == end:
            wanted = _OPERANDS.get(node.operator, types.of(node.left))
            if wanted.is_known or node.operator in _COMPARISONS:
                asked.append((node.right.start, wanted, node.operator in _LOGICAL))
    return max(asked, key=itemgetter(0), default=(0, UNKNOWN, False))[1:]


def _as_operand(place: _Place, prefix: str) -> tuple[Ty, bool] | None:
    """The expected type from an operator behind the word on its line: `if order.| > 3`."""
    tokens, number = place.tokens, place.count + bool(prefix)
    operator = tokens.kinds[number] if number < len(tokens.kinds) else EOF
    if operator == EOF or "\n" in tokens.text[place.at : tokens.starts[number]]:
        return None
    if operator in _OPERANDS:
        return _OPERANDS[operator], operator in _LOGICAL
    other = _LITERAL_TYPES.get(tokens.kinds[number + 1], UNKNOWN)
    if operator in _NUMERIC:
        return other if other.is_known else INT_TYPE, False
    return (other, False) if operator in _COMPARISONS else None


def _path_to_word(item: Item, at: int) -> Iterator[Node]:
    """The nodes around the word that begins at an offset. What is missing behind it may begin there, too."""
    node: Node | None = item
    while node is not None:
        yield node
        node = next((child for child in children(node) if child.start <= at <= child.end), None)


def _unread(context: Context, place: _Place) -> Context:
    """The context by the tokens alone."""
    if place.kind() == ".":
        return replace(context, wanted=Wanted.FIELD)
    if len(place.open.frames) > 1:
        return replace(context, wanted=Wanted.VALUE if context.begins else Wanted.NOTHING)
    is_header = place.open.innermost.pending[:1] == ["fn"]
    return replace(context, wanted=Wanted.CLAUSE if is_header else Wanted.ITEM)


def _visible(tree: ChunkTree, names: Resolved, types: Inference, at: int, facts: ScopeTypes) -> tuple[tuple[str, Ty], ...]:
    item = item_around(tree.items, at)
    visible = [
        (local.name, facts.read(local.declared) if local.declared else types.locals.get(local.at, UNKNOWN))
        for local in names.visible_at(at).values()
    ]
    if isinstance(item, Function) and any(clause.start <= at <= clause.end for clause in item.ensures):
        visible.append(("result", facts.read(type_text(item.result)) if item.result else UNKNOWN))
    return tuple(visible)


def _written_fields(tokens: Tokens, opening: int) -> frozenset[str]:
    """The fields that a record literal already has, before and behind the cursor."""
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
    """The start of the name that ends at an offset; the offset itself if there is none."""
    start = offset
    while start and text[start - 1] in _WORD:
        start -= 1
    while start < offset and text[start].isdigit():
        start += 1
    return start


def word_end(text: str, offset: int) -> int:
    """The end of the name at an offset."""
    while offset < len(text) and text[offset] in _WORD:
        offset += 1
    return offset
