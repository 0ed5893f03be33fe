"""Sound parts of a chunk that does not parse: a syntax error excludes the statement that holds it, not the function.

Statements that hold an error are left out; the facts about the others depend on them only through the names that they may
declare. Of a statement whose errors all lie in arms of a match, only these arms are left out: an `ErrorPattern` stands for each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Final

from analysis.data_classes import replace
from analysis.database import paced, paced_sorted
from analysis.syntax.lexer import IDENT, Tokens
from analysis.syntax.parser import ChunkTree
from analysis.syntax.tree import (
    Arm,
    Assign,
    Block,
    ErrorExpr,
    ErrorPattern,
    Expr,
    For,
    Function,
    If,
    Item,
    Let,
    Match,
    Return,
    Statement,
    While,
)
from analysis.text.edits import Span

_DEPTHS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_OFTEN: Final = 2_000
"""Tokens between two looks at whether to stop."""
_DECLARING: Final = frozenset(("let", "mut", "for"))


def sound_items(tree: ChunkTree) -> tuple[Item, ...]:
    """The functions whose headers could be read, without the statements that could not; nothing where tokens are missing."""
    if tree.tokens.errors:
        return ()
    places = _error_places(tree)
    functions = [item for item in tree.items if isinstance(item, Function) and not item.broken]
    return tuple([replace(item, body=_Pruning(tree.tokens, places).block(item.body)) for item in functions])


def uncertain_names(tree: ChunkTree) -> frozenset[str]:
    """The names that statements which hold an error may have been meant to declare or to set."""
    places = _error_places(tree)
    tokens = tree.tokens
    names: set[str] = set()
    for item in paced(tree.items):
        for statement in _broken(item.body, places) if isinstance(item, Function) else ():
            names.update(_declared_in(tokens, (statement.start, statement.end)))
    return frozenset(names)


def _declared_in(tokens: Tokens, span: Span) -> Iterator[str]:
    """The names before `=` and `:=`, and all in the pattern of a `let`: `let (a, b) = …`."""
    first = bisect_left(tokens.starts, span[0])
    is_pattern = tokens.kinds[first] == "let" and tokens.kinds[first + 1] in ("(", "[", "{")
    # `n := 1` and `n: Int = 1`, of which the name is a statement of its own.
    if first and tokens.kinds[first] == ":" and tokens.kinds[first - 1] == IDENT:
        yield tokens.word(first - 1)
    for index in paced(range(first, bisect_left(tokens.starts, span[1])), _OFTEN):
        is_pattern = is_pattern and tokens.kinds[index] != "="
        if tokens.kinds[index] == IDENT and (
            is_pattern or (index and tokens.kinds[index - 1] in _DECLARING) or tokens.kinds[index + 1] == "="
        ):
            yield tokens.word(index)


def words_in(tokens: Tokens, span: Span) -> Iterator[int]:
    """The numbers of the identifiers in a span."""
    for index in paced(range(bisect_left(tokens.starts, span[0]), bisect_left(tokens.starts, span[1])), _OFTEN):
        if tokens.kinds[index] == IDENT:
            yield index


def _error_places(tree: ChunkTree) -> tuple[int, ...]:
    """Offsets of a chunk's errors, ascending."""
    return tuple(paced_sorted([place for error in paced(tree.errors, _OFTEN) for place in (error.previous_end, error.start)]))


def _inside(node: Statement | Expr, places: tuple[int, ...]) -> tuple[int, ...]:
    return places[bisect_left(places, node.start) : bisect_right(places, node.end)]


def _holds(node: Statement | Expr, places: tuple[int, ...]) -> bool:
    return isinstance(node, ErrorExpr) or bisect_left(places, node.start) < bisect_right(places, node.end)


def _blocks(node: Statement | Expr) -> tuple[Block, ...]:
    """The blocks of a statement that can be judged without the rest of it."""
    match node:
        case If(then_block=first, else_block=second):
            return (first,) if second is None else (first, second)
        case While(body=body) | For(body=body):
            return (body,)
        case Block():
            return (node,)
        case _:
            return ()


def _is_split(node: Statement | Expr, places: tuple[int, ...]) -> bool:
    """True if all errors in a statement lie in its blocks."""
    blocks = _blocks(node)
    # Counted, not compared one by one: a text that is no program has hundreds of errors in as many blocks.
    inside = sum(bisect_right(places, block.end) - bisect_right(places, block.start) for block in blocks)
    return bool(blocks) and inside >= bisect_right(places, node.end) - bisect_left(places, node.start)


class _Pruning:
    """Makes trees without the parts that hold an error."""

    def __init__(self, tokens: Tokens, places: tuple[int, ...]) -> None:
        self._tokens = tokens
        self._places = places

    def block(self, block: Block) -> Block:
        """A block without the statements that cannot be judged."""
        kept = (self._statement(statement) for statement in paced(block.statements))
        return replace(block, statements=tuple([statement for statement in kept if statement is not None]))

    def _statement(self, node: Statement | Expr) -> Statement | Expr | None:
        """The part of a statement that can be judged."""
        if not _holds(node, self._places):
            return node
        if _is_split(node, self._places):
            return self._with_pruned_blocks(node)
        match node:
            case Match():
                return self._match(node)
            case Let(value=Match() as value) | Assign(value=Match() as value) | Return(value=Match() as value):
                pruned = self._match(value)
                return replace(node, value=pruned) if pruned is not None and self._errors_are_in(value, node) else None
        return None

    def _errors_are_in(self, part: Match, node: Statement) -> bool:
        return _inside(node, self._places) == _inside(part, self._places)

    def _with_pruned_blocks(self, node: Statement | Expr) -> Statement | Expr:
        match node:
            case If(then_block=first, else_block=second):
                return replace(
                    node,
                    then_block=self.block(first),
                    else_block=None if second is None else self.block(second),
                )
            case While() | For():
                return replace(node, body=self.block(node.body))
            case Block():
                return self.block(node)
            case _:
                return node

    def _match(self, node: Match) -> Match | None:
        """A match whose errors all lie in its arms; None for any other."""
        places = _inside(node, self._places)
        if not all(node.opening < place < node.end for place in places):
            return None
        arms: list[Arm] = []
        starts = {arm.start for arm in node.arms}
        behind, is_separate = node.opening + 1, True
        for arm in paced(node.arms):
            arms += self._unread(behind, arm.start, is_separate)
            behind = arm.end
            is_separate = self._ends_whole(arm, starts)
            if is_separate:
                arms.append(self._arm(arm))
            else:
                # What follows may make something else of its body: `Red =>` above `Green => 2`.
                arms.append(replace(arm, body=ErrorExpr(arm.body.start, arm.body.end)))
                behind = arm.body.start
        return replace(node, arms=(*arms, *self._unread(behind, node.end - 1, is_separate)))

    def _ends_whole(self, arm: Arm, starts: set[int]) -> bool:
        """True if a comma, a line end or the next arm follows an arm, or the match ends there; `starts` are those of all arms."""
        tokens = self._tokens
        index = bisect_left(tokens.starts, arm.end)
        kind, at = tokens.kinds[index], tokens.starts[index]
        is_new_line = kind != "=>" and "\n" in tokens.text[arm.end : at]
        return is_new_line or kind in (",", "}") or at in starts

    def _arm(self, arm: Arm) -> Arm:
        if bisect_right(self._places, arm.start) >= bisect_left(self._places, arm.end):
            return arm
        body: Expr | None = None
        match arm.body:
            case Block() as block if _is_split(block, self._places):
                # The value may be what could not be read.
                unread = ErrorExpr(block.end - 1, block.end - 1)
                pruned = self.block(block)
                body = replace(pruned, statements=(*pruned.statements, unread))
            case Match() as inner:
                body = self._match(inner)
        return replace(arm, body=body or ErrorExpr(arm.body.start, arm.body.end))

    def _unread(self, start: int, end: int, is_first: bool) -> Iterator[Arm]:
        """An arm for every token between `start` and `end` that may begin one; `is_first` says whether the first one does."""
        tokens = self._tokens
        depth = 0
        for index in paced(range(bisect_left(tokens.starts, start), bisect_left(tokens.starts, end)), _OFTEN):
            at, until, kind = tokens.starts[index], tokens.ends[index], tokens.kinds[index]
            if kind == "," and depth <= 0:
                is_first = True
            elif is_first or (kind == IDENT and "\n" in tokens.text[tokens.ends[index - 1] : at]):
                is_first = False
                yield Arm(at, until, ErrorPattern(at, until), ErrorExpr(until, until))
            depth += _DEPTHS.get(kind, 0)


def _broken(block: Block, places: tuple[int, ...]) -> Iterator[Statement | Expr]:
    """The statements that are left out."""
    for statement in paced(block.statements):
        if _holds(statement, places):
            if _is_split(statement, places):
                for inner in _blocks(statement):
                    yield from _broken(inner, places)
            else:
                yield statement
