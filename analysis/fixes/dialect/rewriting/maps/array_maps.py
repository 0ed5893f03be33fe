"""Arrays of PHP: `[]` with entries that keys name may be a Map, as types will tell; sorts that change a map in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head
from analysis.fixes.dialect.tree.walking import walk

_PUSHING: Final = frozenset("append push add push_back extend insert unshift pop shift array_push append_item".split())
_SORTS: Final = {
    "arsort": ("sort_by_key_descending", 1), "asort": ("sort_by_key", 1), "ksort": ("sort_by_key", 0),
    "krsort": ("sort_by_key_descending", 0),
}  # fmt: skip
"""Functions that sort entries in their place: by which part, and how."""


def with_open_arrays(items: Sequence[n.Item]) -> None:
    """Writes `let x = []` as `let x = {}` where `x[k] = v` gives it entries: what `k` is says which of both it is."""
    functions = {item.name: item for item in items if isinstance(item, n.Function)}
    for function in functions.values():
        _open_types(function)
    for function in functions.values():
        nodes = list(walk(function))
        lets: dict[str, n.Let | n.Assign] = {
            node.pattern.name: node
            for node in nodes
            if isinstance(node, n.Let)
            and isinstance(node.pattern, n.Binding)
            and isinstance(node.value, n.ListOf)
            and not node.value.items
            and node.type is None
        }
        for node in nodes:
            is_empty = isinstance(node, n.Assign) and isinstance(node.value, n.ListOf) and not node.value.items
            if isinstance(node, n.Assign) and is_empty and isinstance(node.target, n.Name) and not node.operator:
                lets.setdefault(node.target.name, node)
        if not lets:
            continue
        for name in _with_entries(nodes, functions) & set(lets) - _pushed(nodes):
            value = lets[name].value
            assert value is not None
            lets[name].value = n.Block([], start=value.start, end=value.end)
        for node in nodes:
            if isinstance(node, n.Block):
                node.statements = _sorted_in_place(node.statements)


def _open_types(function: n.Function) -> None:
    """`array $row` whose entries have names, and a result of type `array` that is written with keys, are open."""
    parameters = {part.name: part for part in function.parameters if _is_bare_list(part.type)}
    if not parameters and not _is_bare_list(function.result):
        return
    for node in walk(function.body):
        match node:
            case n.Index(object=n.Name(name=name), index=n.Literal(kind="string")) if name in parameters:
                parameters[name].type = Type()
            case n.Jump(kind="return", value=n.MapOf()) if _is_bare_list(function.result):
                function.result = Type()


def _is_bare_list(kind: Type | None) -> bool:
    """True if a list is declared without what it holds."""
    return kind is not None and head(kind) == "List" and not head(argument(kind))


def _with_entries(nodes: list[n.Node], functions: dict[str, n.Function]) -> set[str]:
    """Names of which an entry is assigned, and those that are passed where a Map is declared."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, n.Assign) and isinstance(node.target, n.Index):
            owner = node.target.object
            while isinstance(owner, n.Index):
                owner = owner.object
            if isinstance(owner, n.Name) and not (isinstance(node.target.index, n.Literal) and node.target.index.kind == "int"):
                names.add(owner.name)
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in functions:
            for given, wanted in zip(node.arguments, functions[node.function.name].parameters, strict=False):
                if isinstance(given.value, n.Name) and head(wanted.type) == "Map":
                    names.add(given.value.name)
    return names


def _pushed(nodes: list[n.Node]) -> set[str]:
    """Names of lists that items are put behind."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in _PUSHING:
            owner = node.function.object
            names |= {owner.name} if isinstance(owner, n.Name) else set()
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in ("list_push", "list_set"):
            first = node.arguments[0].value if node.arguments else None
            names |= {first.name} if isinstance(first, n.Name) else set()
    return names


def _sorted_in_place(statements: list[n.Statement]) -> list[n.Statement]:
    """`arsort(m); foreach (m as k => v) { … }`: the loop goes through the sorted entries; a Map has no order of its own here."""
    for place, statement in enumerate(statements):
        call = statement.value if isinstance(statement, n.Evaluate) else None
        if not isinstance(call, n.Call) or not isinstance(call.function, n.Name) or call.function.name not in _SORTS:
            continue
        owner = call.arguments[0].value if len(call.arguments) == 1 else None
        rest = statements[place + 1 :]
        if not isinstance(owner, n.Name) or not _only_looped(rest, owner.name):
            continue
        for each in rest:
            if isinstance(each, n.For) and isinstance(each.source, n.Name) and each.source.name == owner.name:
                each.source = _entries_in_order(each.source, *_SORTS[call.function.name])
        return [*statements[:place], *_sorted_in_place(rest)]
    return statements


def _only_looped(rest: list[n.Statement], name: str) -> bool:
    """True if a map is read by its keys or looped over in what follows, so that nothing else asks for its order."""
    loops = {id(each.source) for each in rest if isinstance(each, n.For)}
    owners = {id(node.object) for each in rest for node in walk(each) if isinstance(node, n.Index)}
    uses = [node for each in rest for node in walk(each) if isinstance(node, n.Name) and node.name == name]
    return bool(uses) and all(id(use) in loops | owners for use in uses)


def _entries_in_order(source: n.Name, method: str, part: int) -> n.Expr:
    start, end = source.start, source.end
    entries = n.Call(n.Member(source, "entries", start=start, end=end), [], start=start, end=end)
    names: list[n.Pattern] = [n.Wildcard(), n.Wildcard()]
    names[part] = n.Binding("entry_part")
    key = n.Lambda([n.TuplePattern(names)], n.Name("entry_part", start=start, end=end), start=start, end=end)
    return n.Call(n.Member(entries, method, start=start, end=end), [n.Argument(key)], start=start, end=end)
