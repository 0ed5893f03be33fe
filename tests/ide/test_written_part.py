"""The statement that is being written: found for all diagnostics of an item with few looks into its tree."""

from __future__ import annotations

from itertools import pairwise

import pytest

from analysis.ide.name_meanings import item_around
from analysis.ide.written_part import WrittenPart
from analysis.syntax.parser import ChunkTree, parse
from analysis.syntax.tree import Block, Function, path_to, walk
from analysis.text.edits import Span

PROGRAMS = [
    "fn main() -> Int {\n    let a = 1  \n    if a > 0 {\n        let b = 2   \n        b\n    } else { 3 }\n}\n",
    "fn f(n: Int) -> Int { let a = n let b = a   a\n\n  }  \nfn g() -> Int { 1 }",
    "type P { x: Int }\nfn f(p: P) -> Int requires p.x > 0 { match p.x { 1 => { let y = 2 y }, _ => 0 } }",
    "fn broken( -> { let a = \n let b = 2 }",
    "fn empty() -> Int {}",
]


def is_being_written(tree: ChunkTree, span: Span, cursor: int) -> bool:
    """The definition: the cursor is in the innermost statement around the span, or in the blanks after it."""
    item = item_around(tree.items, span[0])
    if item is None:
        return False
    start, end = item.start, item.body.start if isinstance(item, Function) else item.end
    for outer, inner in pairwise(path_to(item, span[0])):
        if isinstance(outer, Block) and inner.end >= span[1]:
            start, end = inner.start, inner.end
    return start <= cursor <= end or (end < cursor and not tree.tokens.text[end:cursor].strip(" \t"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_the_innermost_statement_around_the_place(program: str) -> None:
    tree = parse(program)
    nodes = [node for item in tree.items for node in walk(item)]
    spans = {(node.start, node.end) for node in nodes}
    # Some diagnostics are about several statements.
    spans |= {(one.start, other.end) for one, other in pairwise(nodes) if one.start < other.end}
    for cursor in range(len(program) + 1):
        part = WrittenPart(tree, cursor)
        assert [part.holds(span) for span in spans] == [is_being_written(tree, span, cursor) for span in spans], cursor


def test_few_of_many_diagnostics_are_looked_at() -> None:
    lines = [f"    let fresh_{number} = {number}\n" for number in range(500)]
    program = f"fn main() -> Int {{\n{''.join(lines)}    1\n}}\n"
    tree = parse(program)
    part = WrittenPart(tree, program.index("fresh_300 = 300") + len("fresh_300 = 300"))
    spans = [(at := program.index(f"fresh_{number} "), at + 7) for number in range(500)]
    assert [number for number, span in enumerate(spans) if part.holds(span)] == [300]
    assert part.looks <= 2
