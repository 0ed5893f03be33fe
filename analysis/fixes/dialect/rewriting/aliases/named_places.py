"""Names for places: `auto& item = items[i]`, `p := &items[i]`. What is done to the name is done to the place."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from analysis.fixes.dialect.habits import holds_pointers
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import replace_below, root_of, walk

_MOST_NAMES: Final = 60
"""Names for places in one function: what follows is looked through for each."""


@dataclass(eq=False)
class PlaceLet(n.Let):
    """A declaration whose name stands for the place that is its value."""


_COPYING: Final = re.compile(
    r"\bfunc\b|:= |\bguard\b|\\\\\(|&mut\b|\.clone\(\)|\bstd::|\bimpl\b|\bconst auto|\bsize_t\b|\*[a-z]\w* ="
)
"""Marks of languages that copy records on assignment."""


_LENGTHENING: Final = frozenset("append push pop shift unshift extend popleft appendleft insert".split())


def settle_places(items: list[n.Item], text: str) -> list[n.Item]:
    """Puts the place where its name is used, if the name is changed; items in which that cannot be done stay as they were."""
    shares = _COPYING.search(text) is None or holds_pointers(text)
    return [_settled(item, text, shares) for item in items]


def _fields_set(function: n.Function) -> frozenset[str]:
    """The names of which a function sets fields, and those of loops over lists that it makes longer or shorter."""
    targets = [node.target for node in walk(function.body) if isinstance(node, n.Assign)]
    names = {root_of(each) for each in targets if isinstance(each, n.Member)}
    loops = [node for node in walk(function.body) if isinstance(node, n.For) and isinstance(node.pattern, n.Binding)]
    for loop in loops:
        if isinstance(loop.pattern, n.Binding) and any(_takes(node, loop.pattern.name) for node in walk(loop.body)):
            names.add(loop.pattern.name)
    return frozenset(names)


def _takes(node: n.Node, name: str) -> bool:
    """`row.append(x)`, `row.pop()`: a list gets an item, or loses one."""
    return (
        isinstance(node, n.Call)
        and isinstance(node.function, n.Member)
        and isinstance(node.function.object, n.Name)
        and node.function.object.name == name
        and node.function.name in _LENGTHENING
    )


def _settled(item: n.Item, text: str, shares: bool) -> n.Item:
    functions = item.functions if isinstance(item, n.Implementation) else [item]
    try:
        for function in functions:
            if isinstance(function, n.Function):
                changed = _fields_set(function) if shares else frozenset()
                if holds_pointers(text):
                    changed |= _settle_flags(function)
                if len(changed) > _MOST_NAMES:
                    raise Untranslatable("so many records that are changed", function.start)
                for block in [node for node in walk(function.body) if isinstance(node, n.Block)]:
                    _settle_block(block, text, changed)
    except Untranslatable as error:
        return n.Verbatim(error.reason, start=item.start, end=item.end)
    return item


def _settle_flags(function: n.Function) -> frozenset[str]:
    """Parts `v, ok := m[k]` into `_, ok := m[k]` and `v := m[k]` where `v` is changed; the names on which methods are called."""
    called = {
        root_of(node.value.function.object)
        for node in walk(function.body)
        if isinstance(node, n.Evaluate) and isinstance(node.value, n.Call) and isinstance(node.value.function, n.Member)
    }
    names = called | _fields_set(function)
    for block in [node for node in walk(function.body) if isinstance(node, n.Block)]:
        block.statements = [part for each in block.statements for part in _parts(each, names)]
    return frozenset(called - {""})


def _parts(statement: n.Statement, names: set[str]) -> list[n.Statement]:
    pattern = statement.pattern if isinstance(statement, n.Let) and isinstance(statement.value, n.Index) else None
    if not isinstance(statement, n.Let) or not isinstance(pattern, n.TuplePattern) or len(pattern.items) != 2:
        return [statement]
    value, flag = pattern.items
    if not isinstance(value, n.Binding) or value.name not in names:
        return [statement]
    start, end = statement.start, statement.end
    asked = n.Let(n.TuplePattern([n.Wildcard(), flag]), None, deepcopy(statement.value), True, start=start, end=end)
    return [asked, n.Let(value, None, statement.value, False, start=start, end=end)]


def _settle_block(block: n.Block, text: str, changed: frozenset[str]) -> None:
    kept: list[n.Statement] = []
    count = 0
    for place, statement in enumerate(block.statements):
        bound = statement.pattern if isinstance(statement, (n.For, n.Let)) else None
        is_changed_name = isinstance(bound, n.Binding) and bound.name in changed
        if isinstance(statement, n.For) and is_changed_name:
            kept.append(_changing(statement))
            continue
        if not isinstance(statement, PlaceLet) and not is_changed_name:
            kept.append(statement)
            continue
        rest = block.statements[place + 1 :]
        count += 1
        if count > _MOST_NAMES:
            raise Untranslatable("so many names for places", statement.start)
        is_place = isinstance(statement, PlaceLet) or (isinstance(statement, n.Let) and _is_shared(statement, rest, text))
        pattern = statement.pattern if isinstance(statement, n.Let) and is_place else None
        if not isinstance(statement, n.Let) or not isinstance(pattern, n.Binding) or statement.value is None:
            kept.append(statement)
            continue
        if not any(is_changed(each, pattern.name) for each in rest):
            kept.append(n.Let(pattern, statement.type, statement.value, False, start=statement.start, end=statement.end))
            continue
        name = pattern.name
        value = _without_unwrap(statement.value)
        _check(value, name, rest)
        holder = n.Block(rest, start=statement.start, end=statement.end)
        replace_below(
            holder,
            lambda node, name=name, value=value: (
                deepcopy(value)  # type: ignore[misc]
                if isinstance(node, n.Name) and node.name == name
                else node
            ),
        )
        block.statements[place + 1 :] = holder.statements
    block.statements = kept


def _without_unwrap(value: n.Expr) -> n.Expr:
    """`m[k]!!` as a place."""
    is_taken = isinstance(value, n.Call) and isinstance(value.function, n.Member) and value.function.name == "unwrap"
    return value.function.object if is_taken and isinstance(value, n.Call) and isinstance(value.function, n.Member) else value


def _is_shared(statement: n.Let, rest: list[n.Statement], text: str) -> bool:
    """`val account = accounts[0]; account.balance += 3`: a field is set, so the author means the item itself."""
    pattern, value = statement.pattern, statement.value
    if not isinstance(pattern, n.Binding) or value is None or not isinstance(_without_unwrap(value), n.Index):
        return False
    if text[statement.start : statement.start + 7] == "let mut" or statement.otherwise is not None:
        return False
    nodes = [node for each in rest for node in walk(each)]
    targets = [node.target for node in nodes if isinstance(node, n.Assign)]
    sets_field = any(isinstance(each, n.Member) and root_of(each) == pattern.name for each in targets)
    sets_field |= holds_pointers(text) and any(is_changed(each, pattern.name) for each in rest)
    # What is put back, handed on or given another value is a value of its own.
    owners = {id(node.object) for node in nodes if isinstance(node, (n.Member, n.Index))}
    is_handed_on = any(isinstance(node, n.Name) and node.name == pattern.name and id(node) not in owners for node in nodes)
    return sets_field and not is_handed_on


def _changing(loop: n.For) -> n.Statement:
    """`for a in accounts { a.balance += 1 }`: the items themselves are meant, where nothing else is done with the name."""
    pattern = loop.pattern
    if not isinstance(pattern, n.Binding):
        return loop
    nodes = list(walk(loop.body))
    takes = any(_takes(node, pattern.name) for node in nodes)
    source = loop.source.function if isinstance(loop.source, n.Call) else loop.source
    if takes and (isinstance(source, n.Slice) or (isinstance(source, n.Member) and source.name in ("reversed", "reverse"))):
        raise Untranslatable("lists in a part of a list are changed", loop.start)
    if not isinstance(loop.source, (n.Name, n.Member)):
        return loop
    sets_field = any(
        isinstance(node, n.Assign) and isinstance(node.target, n.Member) and root_of(node.target) == pattern.name
        for node in nodes
    )
    owners = {id(node.object) for node in nodes if isinstance(node, (n.Member, n.Index))}
    is_handed_on = any(isinstance(node, n.Name) and node.name == pattern.name and id(node) not in owners for node in nodes)
    if not (sets_field or takes) or is_handed_on:
        return loop
    by_place = changing_loop(pattern, loop.source, loop.body)
    if by_place is None:
        raise Untranslatable(f"`{pattern.name}` is changed in a loop that is left", loop.start)
    return by_place


def is_changed(node: n.Node, name: str) -> bool:
    """True if a name, or a part of it, is set, or a method is called on it as a statement."""
    for part in walk(node):
        if isinstance(part, n.Assign):
            targets = part.target.items if isinstance(part.target, n.TupleOf) else [part.target]
            if any(root_of(each) == name for each in targets):
                return True
        called = part.value.function if isinstance(part, n.Evaluate) and isinstance(part.value, n.Call) else None
        if isinstance(called, n.Member) and root_of(called.object) == name:
            return True
    return False


def _check(place: n.Expr, name: str, rest: list[n.Statement]) -> None:
    """True if the place stays the same: plain names lead to it, and none of them gets another value."""
    nodes = [node for node in walk(place) if isinstance(node, n.Expr)]
    if not all(isinstance(node, (n.Name, n.Index, n.Member, n.Literal, n.Binary)) for node in nodes):
        raise Untranslatable(f"`{name}` is another name for a place that is computed", place.start)
    root = root_of(place)
    names = {node.name for node in nodes if isinstance(node, n.Name)} - {root}
    has_moved = False
    for statement in rest:
        nodes_in = list(walk(statement))
        moves = any(
            isinstance(part, n.Assign) and isinstance(part.target, n.Name) and part.target.name in {*names, root}
            for part in nodes_in
        )
        is_used = any(isinstance(part, n.Name) and part.name == name for part in nodes_in)
        if is_used and (moves or has_moved):
            raise Untranslatable(f"`{name}` is another name for a place that moves", place.start)
        has_moved |= moves


def changing_loop(pattern: n.Pattern, source: n.Expr, body: n.Block) -> n.For | None:
    """`for x in xs.iter_mut()` by places: each item is put back into the list behind the body; None where that cannot be."""
    place = source.function.object if isinstance(source, n.Call) and isinstance(source.function, n.Member) else source
    jumps = any(isinstance(node, n.Jump) for node in walk(body))
    is_values = isinstance(source, n.Call) and isinstance(source.function, n.Member) and source.function.name == "values_mut"
    if not isinstance(pattern, n.Binding) or not root_of(place) or jumps or is_values:
        return None
    start, end = source.start, body.end
    number = n.Name(f"place_of_{pattern.name}", start=start, end=start)
    item = n.Name(pattern.name, start=end, end=end)
    body.statements = [
        n.Let(pattern, None, n.Index(place, number, start=start, end=start), True, start=start, end=start),
        *body.statements,
        n.Assign(n.Index(place, number, start=end, end=end), "", item, start=end, end=end),
    ]
    count = n.Call(n.Member(place, "len", start=start, end=start), [], start=start, end=start)
    return n.For(n.Binding(number.name), n.Range(n.Literal("int", "0"), count, False, start=start, end=start), body)
