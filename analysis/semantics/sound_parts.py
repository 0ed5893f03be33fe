"""What can be judged of a chunk that does not parse: a syntax error costs the statement that holds it, not the function.

Statements that hold an error are left out; what the others say depends on them only through the names that they may declare.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from analysis.edits import Span
from analysis.syntax.lexer import IDENT, Tokens
from analysis.syntax.parser import ChunkTree
from analysis.syntax.tree import Block, ErrorExpr, Expr, For, Function, If, Item, Statement, While

_DECLARING: Final = frozenset(("let", "mut", "for"))


def sound_items(tree: ChunkTree) -> tuple[Item, ...]:
    """The functions whose headers could be read, without the statements that could not; nothing where tokens are missing."""
    if tree.tokens.errors:
        return ()
    places = _error_places(tree)
    functions = [item for item in tree.items if isinstance(item, Function) and not item.broken]
    return tuple([replace(item, body=_pruned(item.body, places)) for item in functions])


def uncertain_names(tree: ChunkTree) -> frozenset[str]:
    """The names that statements which hold an error may have been meant to declare or to set."""
    places = _error_places(tree)
    tokens = tree.tokens
    names: set[str] = set()
    for item in tree.items:
        for statement in _broken(item.body, places) if isinstance(item, Function) else ():
            for index in words_in(tokens, (statement.start, statement.end)):
                if (index and tokens.kinds[index - 1] in _DECLARING) or tokens.kinds[index + 1] == "=":
                    names.add(tokens.word(index))
    return frozenset(names)


def words_in(tokens: Tokens, span: Span) -> Iterator[int]:
    """The numbers of the identifiers in a span."""
    for index in range(bisect_left(tokens.starts, span[0]), bisect_left(tokens.starts, span[1])):
        if tokens.kinds[index] == IDENT:
            yield index


def _error_places(tree: ChunkTree) -> tuple[int, ...]:
    """Where the errors of a chunk lie, ascending."""
    return tuple(sorted([place for error in tree.errors for place in (error.previous_end, error.start)]))


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
    """Whether all errors in a statement lie in its blocks."""
    blocks = _blocks(node)
    return bool(blocks) and all(any(block.start < place <= block.end for block in blocks) for place in _inside(node, places))


def _pruned(block: Block, places: tuple[int, ...]) -> Block:
    kept: list[Statement | Expr] = []
    for statement in block.statements:
        if not _holds(statement, places):
            kept.append(statement)
        elif _is_split(statement, places):
            kept.append(_with_pruned_blocks(statement, places))
    return replace(block, statements=tuple(kept))


def _with_pruned_blocks(node: Statement | Expr, places: tuple[int, ...]) -> Statement | Expr:
    match node:
        case If(then_block=first, else_block=second):
            return replace(
                node,
                then_block=_pruned(first, places),
                else_block=None if second is None else _pruned(second, places),
            )
        case While() | For():
            return replace(node, body=_pruned(node.body, places))
        case Block():
            return _pruned(node, places)
        case _:
            return node


def _broken(block: Block, places: tuple[int, ...]) -> Iterator[Statement | Expr]:
    """The statements that are left out."""
    for statement in block.statements:
        if _holds(statement, places):
            if _is_split(statement, places):
                for inner in _blocks(statement):
                    yield from _broken(inner, places)
            else:
                yield statement
