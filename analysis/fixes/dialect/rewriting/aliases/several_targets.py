"""Assignments to several names at once, of one value with several parts: `[a, b] = f()`, `a, b = line.split(",")`."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, walk

_LISTS: Final = frozenset("split explode chars map split_whitespace splitlines Split sort sorted partition first take".split())
"""Calls that give lists."""


def split_targets(function: n.Function) -> set[str]:
    """Writes such an assignment as a declaration of new names, which it gives, or as assignments of each."""
    bound = {part.name for part in function.parameters}
    nodes = list(walk(function.body))
    for node in nodes:
        if isinstance(node, n.Pattern):
            bound.update(bound_names(node))
    before = set(bound)
    for block in [node for node in nodes if isinstance(node, n.Block)]:
        if any(map(_is_of_several, block.statements)):
            block.statements = [part for each in block.statements for part in _split(each, block, nodes, bound)]
    return bound - before


def _is_of_several(statement: n.Statement) -> bool:
    if not isinstance(statement, n.Assign) or statement.operator or not isinstance(statement.target, (n.TupleOf, n.ListOf)):
        return False
    return not isinstance(statement.value, n.TupleOf) and len(statement.target.items) > 1


def _split(statement: n.Statement, block: n.Block, nodes: list[n.Node], bound: set[str]) -> list[n.Statement]:
    if not _is_of_several(statement) or not isinstance(statement, n.Assign):
        return [statement]
    assert isinstance(statement.target, (n.TupleOf, n.ListOf))
    targets = statement.target.items
    start, end = statement.start, statement.end
    names = [each.name if isinstance(each, n.Name) else "" for each in targets]
    wanted = set(names)
    uses = [node for node in nodes if isinstance(node, n.Name) and node.name in wanted]
    is_new = "" not in wanted and not wanted & bound and all(block.start <= use.start <= block.end for use in uses)
    parts: list[n.Pattern]
    if is_new:
        bound |= wanted
        parts = [n.Binding(name) if name != "_" else n.Wildcard() for name in names]
        return [n.Let(_pattern(statement, parts), None, statement.value, True, start=start, end=end)]
    held = [f"part_{start}_{place}" for place in range(len(targets))]
    parts = [n.Binding(name) for name in held]
    assignments: list[n.Statement] = [n.Let(_pattern(statement, parts), None, statement.value, start=start, end=end)]
    for target, name in zip(targets, held, strict=True):
        if not (isinstance(target, n.Name) and target.name == "_"):
            assignments.append(n.Assign(target, "", n.Name(name, start=start, end=start), start=start, end=end))
    return assignments


def _pattern(statement: n.Assign, parts: list[n.Pattern]) -> n.Pattern:
    """A pattern of a list where the target or the value is one."""
    value = statement.value
    is_list = isinstance(value, (n.ListOf, n.Comprehension))
    if isinstance(value, n.Call) and isinstance(value.function, (n.Member, n.Name)):
        is_list = is_list or value.function.name in _LISTS
    if is_list or isinstance(statement.target, n.ListOf):
        return n.ListPattern(parts, start=statement.start, end=statement.start)
    return n.TuplePattern(parts, start=statement.start, end=statement.start)
