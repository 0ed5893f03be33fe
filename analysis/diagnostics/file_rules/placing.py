"""From file-level problems to diagnostics: the span of each in its chunk, and its fixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from analysis.data_classes import replace
from analysis.database import Database, query
from analysis.diagnostics.diagnostic import UNTOLD, Diagnostic, Place, Related
from analysis.diagnostics.file_rules.app_effects import app_effect_fixes, texts_of
from analysis.diagnostics.file_rules.imported_modules import import_fixes
from analysis.diagnostics.file_rules.mutual_recursion import both_sides_fixes
from analysis.diagnostics.file_rules.problem import CALL, FIELD, FUNCTION, IMPORT, TEXT, TYPE, VARIANT, FixesOf, Problem
from analysis.diagnostics.file_rules.purity import purity_fixes
from analysis.diagnostics.file_rules.unused_capabilities import capability_fixes
from analysis.diagnostics.file_rules.unused_items import unused_item_fixes
from analysis.diagnostics.rules.both_sides import calls_in_right_sides
from analysis.diagnostics.rules.building import diagnostic
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import Enum, Field, Function, Import, Item, Record, Variant
from analysis.text.blocks import Block
from analysis.text.edits import Span
from analysis.text.source import Source

_NODES: Final = {
    FUNCTION: (Function,),
    TYPE: (Record, Enum),
    IMPORT: (Import,),
    VARIANT: (Record, Enum),
    FIELD: (Record, Enum),
    TEXT: (Function,),
    CALL: (Function,),
}
FIXES: Final[Mapping[str, FixesOf]] = {
    "E007": purity_fixes,
    "E013": import_fixes,
    "E015": import_fixes,
    "W401": capability_fixes,
    "W402": capability_fixes,
    "W403": app_effect_fixes,
    "W404": import_fixes,
    "W405": import_fixes,
    "W501": unused_item_fixes,
    "W602": both_sides_fixes,
}
"""By code; problems of other codes have no fixes."""


def placed(db: Database, texts: Block, problems: Iterable[tuple[int, Problem]]) -> list[tuple[int, Diagnostic]]:
    """The diagnostics of a block's problems, as pairs of the chunk's index in the block and the diagnostic."""
    return [(chunk, placed_problem(db, texts[chunk], problem)) for chunk, problem in problems]


@query(limit=20_000, subject=CHUNK)
def placed_problem(db: Database, text: str, problem: Problem) -> Diagnostic:
    """The diagnostic of a problem of a chunk; one object for as long as the chunk has it."""
    item, span = _item(db, text, problem.place)
    fixes = FIXES.get(problem.code)
    placed = diagnostic(
        problem.code,
        span,
        problem.message,
        help=problem.help,
        why=problem.why,
        related=(Related("first defined here", None, problem.first),) if problem.first is not None else (),
        name=item.name,
        fixes=fixes(text, item, span, problem) if fixes is not None else (),
        topic=problem.topic,
        capability=problem.capability,
    )
    # The undefined name that an unused one was meant to be is reported where it is used.
    return replace(placed, shown=UNTOLD) if problem.code == "W501" and problem.rename else placed


def span_of(db: Database, text: Source, place: Place) -> Span:
    """The absolute span of a declared name."""
    start, end = _item(db, text.chunks[place.chunk].text, place)[1]
    base = text.offsets[place.chunk]
    return base + start, base + end


def _item(db: Database, chunk: str, place: Place) -> tuple[Item, Span]:
    kinds = _NODES[place.kind]
    item = chunk_tree(db, chunk).items[_numbers(db, chunk, kinds)[place.number]]
    if place.kind == TEXT and isinstance(item, Function):
        # If two functions have one name, the text may be in the other one.
        if texts := texts_of(item, place.member):
            return item, (texts[0].start, texts[0].end)
        return item, (item.at, item.at + len(item.name))
    if place.kind == CALL and isinstance(item, Function):
        # If two functions have one name, the call may be in the other one.
        called = next(calls_in_right_sides(item.body, place.member), None)
        return item, (called.start, called.end) if called is not None else (item.at, item.at + len(item.name))
    if place.member and isinstance(item, Function):
        capability = next(capability for capability in item.capabilities if capability.name == place.member)
        return item, (capability.start, capability.end)
    if place.member and isinstance(item, (Record, Enum)):
        start = _starts_of_members(db, chunk, place.number)[place.member]
        return item, (start, start + len(place.member))
    return item, (item.at, item.at + len(item.name))


@query(limit=2_000, subject=CHUNK)
def _numbers(db: Database, chunk: str, kinds: tuple[type[Item], ...]) -> tuple[int, ...]:
    """Where the items of these kinds stand among those of a chunk. Asked for each problem: broken text may hold thousands."""
    return tuple([number for number, item in enumerate(chunk_tree(db, chunk).items) if isinstance(item, kinds)])


@query(limit=2_000, subject=CHUNK)
def _starts_of_members(db: Database, chunk: str, number: int) -> dict[str, int]:
    """The offset of the first field or variant of each name in a chunk's record or enum with a number, from 0."""
    item = [item for item in chunk_tree(db, chunk).items if isinstance(item, (Record, Enum))][number]
    members: tuple[Field | Variant, ...] = item.variants if isinstance(item, Enum) else item.fields
    return {member.name: member.start for member in reversed(members)}
