"""One walk over a chunk's tree: which outer names it uses and how, its locals, its matches, what is known of types by looking.

The summary depends on the chunk's text alone. The rules in `rules/` judge it against a slice of the environment, so a changed
signature elsewhere never walks a tree again. Items that hold a syntax error are left out: they have diagnostics enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from analysis.database import Database, paced, paced_sorted, query
from analysis.inputs import BLOCK, CHUNK, FileId
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.certain_calls import certain_calls
from analysis.semantics.declarations import RESIDENT_TREES, chunk_tree, declarations
from analysis.semantics.environment import BlockScope, FreeNames, environment
from analysis.semantics.scopes import resolved
from analysis.semantics.sound_parts import sound_items
from analysis.semantics.uses import Summary
from analysis.semantics.walker import Walker
from analysis.syntax.lexer import IDENT
from analysis.syntax.tree import (
    Function,
    Pattern,
    VariantPattern,
    WrapPattern,
)
from analysis.text.blocks import Block

_OF_THE_LANGUAGE: Final = frozenset(BUILTINS)
_OFTEN: Final = 2_000
"""Uses or tokens between two looks at whether to stop."""


class ItemIndex(NamedTuple):
    """The small part of a summary, kept when the tree has gone: enough to see that a change elsewhere does not matter here.

    `used` are the names that the chunk uses, `literals` its record literals as the type's name and the fields' names,
    `reached` for each of its functions the outer names that it calls or hands on, `certain` for those that certainly call
    functions of a program which ones: `certain_calls`.
    """

    free_names: FreeNames
    used: tuple[str, ...]
    literals: tuple[tuple[str, tuple[str, ...]], ...]
    reached: tuple[tuple[str, tuple[str, ...]], ...] = ()
    certain: tuple[CertainlyCalling, ...] = ()
    is_sound: bool = True
    """False if the chunk holds a syntax error."""


class CertainlyCalling(NamedTuple):
    """Functions that a function certainly calls: `plain` leaves out the right sides of `&&` and `||`."""

    name: str
    plain: frozenset[str]
    all: frozenset[str]


@query(limit=RESIDENT_TREES, subject=CHUNK)
def summary(db: Database, text: str) -> Summary:
    """The summary of a chunk; of one with syntax errors, of the statements that hold none."""
    tree = chunk_tree(db, text)
    if not tree.is_sound:
        tokens = tree.tokens
        # Broken text may use every name in it.
        used = {tokens.word(index) for index, kind in enumerate(paced(tokens.kinds, _OFTEN)) if kind == IDENT}
    else:
        used = set()
    names = resolved(db, text)
    chunk_summary = Summary(tree.items if tree.is_sound else sound_items(tree), FreeNames())
    for item in chunk_summary.items:
        walker = Walker(chunk_summary, names)
        walker.item(item)
        if tree.is_sound:
            used |= walker.used - {item.name}
    chunk_summary.free_names = _free_names(chunk_summary)
    chunk_summary.used = tuple(paced_sorted(used))
    return chunk_summary


@query(limit=100_000, subject=CHUNK)
def item_index(db: Database, text: str) -> ItemIndex:
    """The item index of a chunk."""
    chunk_summary = summary(db, text)
    # A long file has more trees than stay resident: what is asked next is computed while this one is there.
    declarations(db, text)
    if not chunk_tree(db, text).is_sound:
        return ItemIndex(chunk_summary.free_names, chunk_summary.used, (), is_sound=False)
    literals = tuple([(record.name, tuple([given.name for given in record.fields])) for record in paced(chunk_summary.records)])
    certain = tuple(_certain(chunk_summary, resolved(db, text).uses))
    return ItemIndex(chunk_summary.free_names, chunk_summary.used, literals, tuple(_reached(chunk_summary)), certain)


def _certain(summary: Summary, uses: Mapping[int, int]) -> Iterator[CertainlyCalling]:
    for item in summary.items:
        if isinstance(item, Function):
            calls = certain_calls(item.body, uses)
            if anyway := calls.all - _OF_THE_LANGUAGE:
                yield CertainlyCalling(item.name, calls.plain - _OF_THE_LANGUAGE, anyway)


def _reached(summary: Summary) -> Iterator[tuple[str, tuple[str, ...]]]:
    for item in summary.items:
        if isinstance(item, Function):
            names = [use.name for use in summary.names if item.start <= use.start < item.end]
            names += [use.name for use in summary.tools if item.start <= use.start < item.end]
            yield item.name, tuple(dict.fromkeys(names))


def _free_names(summary: Summary) -> FreeNames:
    fields = {access.name for access in paced(summary.accesses, _OFTEN)}
    values = {use.name for use in paced(summary.names, _OFTEN)} | summary.protocol
    types = {use.name for use in paced(summary.types, _OFTEN)} | {use.name for use in paced(summary.records, _OFTEN)}
    types |= {use.enum for use in paced(summary.variants, _OFTEN)}
    # A capitalised name that no function has is a type or a variant in the place of a value.
    variants = {name for name in values if "A" <= name[0] <= "Z"}
    types |= variants
    for match in summary.matches:
        for arm in paced(match.node.arms, _OFTEN):
            pattern: Pattern | None = arm.pattern
            while pattern is not None:
                if isinstance(pattern, VariantPattern):
                    variants.add(pattern.name)
                    pattern = pattern.payload
                else:
                    pattern = pattern.inner if isinstance(pattern, WrapPattern) else None
    tools = {use.name for use in summary.tools}
    return FreeNames(*[tuple(paced_sorted(space)) for space in (values, types, variants, fields, tools)])


@query(subject=BLOCK)
def block_index(db: Database, texts: Block) -> tuple[ItemIndex, ...]:
    """The item index of each chunk of a block, for the queries about blocks: a key asks for each of them once."""
    return tuple([item_index(db, text) for text in texts])


@query(subject=BLOCK)
def block_free_names(db: Database, texts: Block) -> FreeNames:
    """All outer names that the chunks of a block mention."""
    names = [index.free_names for index in block_index(db, texts)]
    return FreeNames(*[tuple(paced_sorted(frozenset().union(*space))) for space in zip(*names, strict=True)])


def block_scopes(db: Database, file: FileId, blocks: Sequence[Block]) -> list[BlockScope]:
    """The facts that concern the chunks of each block: equal as long as only others are declared, changed or removed."""
    return environment(db, file).block_scopes(blocks, partial(block_free_names, db))


@query(subject=BLOCK)
def block_uses(db: Database, texts: Block) -> frozenset[str]:
    """All names that the chunks of a block use."""
    return frozenset().union(*[index.used for index in block_index(db, texts)])


@query(subject=BLOCK)
def block_certain(db: Database, texts: Block) -> tuple[tuple[CertainlyCalling, ...], ...]:
    """What the functions of a block certainly call, chunk by chunk."""
    return tuple([index.certain for index in block_index(db, texts)])


@query(subject=BLOCK)
def block_reached(db: Database, texts: Block) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names reached by each function of a block."""
    return tuple([reached for index in block_index(db, texts) for reached in index.reached])
