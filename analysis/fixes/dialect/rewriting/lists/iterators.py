"""Iterators that a variable holds: what `m.find(k)` gives in C++, and `it.next()` of parts of a text."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below, walk

_LAST: Final = ("back", "last", "getLast", "peekLast")
_FIRST: Final = ("front", "first", "getFirst", "peekFirst")
_ASKING: Final = ("is_some", "is_none")
_PARTS: Final = ("second", "first")
_HELD: Final = {"Ok": ("value", "data"), "Some": ("value",), "Err": ("error", "exception", "reason", "message")}
_SPLITTING: Final = ("split", "split_parts", "split_whitespace", "lines", "chars")


def settle_iterators(items: list[n.Item]) -> None:
    """Rewrites what a variable that holds an iterator is asked for."""
    own = {variant.name for item in items if isinstance(item, n.Enum) for variant in item.variants}
    for item in items:
        for function in item.functions if isinstance(item, n.Implementation) else [item]:
            if isinstance(function, n.Function):
                _settle_ends(function)
                _settle_found(function)
                _settle_next(function)
            replace_below(function, _without_end)
            _settle_results(function)
            _settle_removed(function)
            _with_wildcards(function, own)


def _settle_ends(function: n.Function) -> None:
    """`runs.back().count += 1`: the first or last item as a place of the list."""

    def as_place(node: n.Node) -> n.Node:
        called = node.function if isinstance(node, n.Call) and not node.arguments else None
        if not isinstance(called, n.Member) or called.name not in (*_LAST, *_FIRST) or not isinstance(called.object, n.Name):
            return node
        place: n.Expr = n.Literal("int", "0", start=node.start, end=node.end)
        if called.name in _LAST:
            length = n.Call(n.Member(called.object, "len", start=node.start, end=node.end), [], start=node.start, end=node.end)
            one = n.Literal("int", "1", start=node.start, end=node.end)
            place = n.Binary("-", length, one, start=node.start, end=node.end)
        return n.Index(called.object, place, start=node.start, end=node.end)

    for node in walk(function.body):
        if isinstance(node, n.Assign) and isinstance(node.target, (n.Member, n.Index)):
            replace_below(node.target, as_place)


def _settle_found(function: n.Function) -> None:
    """`auto it = m.find(k)` with `it->second`: the value of an entry, if there is one."""
    nodes = list(walk(function.body))
    members = [node for node in nodes if isinstance(node, n.Member) and isinstance(node.object, n.Name)]
    asked = {node.object.name for node in members if isinstance(node.object, n.Name) and node.name in _ASKING}
    parts = {node.object.name for node in members if isinstance(node.object, n.Name) and node.name in _PARTS}
    keys: dict[str, n.Expr] = {}
    for node in nodes:
        if not isinstance(node, n.Let) or not isinstance(node.pattern, n.Binding) or not isinstance(node.value, n.Call):
            continue
        called, name = node.value.function, node.pattern.name
        is_found = isinstance(called, n.Member) and called.name == "find" and len(node.value.arguments) == 1
        if is_found and isinstance(called, n.Member) and name in asked and name in parts:
            called.name = "get"
            keys[name] = node.value.arguments[0].value

    def change(node: n.Node) -> n.Node:
        if isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name in keys:
            if node.name == "second":
                return n.Call(n.Member(node.object, "unwrap"), [], start=node.start, end=node.end)
            if node.name == "first":
                return keys[node.object.name]
        return node

    if keys:
        replace_below(function, change)


def _settle_results(function: n.Item) -> None:
    """`is Ok -> r.value`, `is Err -> r.error`: what a Result holds, behind the name that is matched."""
    for match in [node for node in walk(function) if isinstance(node, n.Match) and isinstance(node.value, n.Name)]:
        assert isinstance(match.value, n.Name)
        owner = match.value.name
        for arm in match.arms:
            pattern = arm.pattern
            if not isinstance(pattern, n.VariantPattern) or pattern.name not in _HELD or pattern.items:
                continue
            held = n.Name(f"held_{arm.start}", start=arm.start, end=arm.start)
            if (body := _with_held(arm.body, owner, _HELD[pattern.name], held)) is not None:
                arm.body = body
                pattern.items = [n.Binding(held.name)]


def _with_held(body: n.Expr, owner: str, words: tuple[str, ...], held: n.Name) -> n.Expr | None:
    """A body with what a value holds under a name; None where the body does not ask for it."""
    holder = n.Block([n.Evaluate(body)], start=body.start, end=body.end)
    asking: list[n.Node] = []

    def change(node: n.Node) -> n.Node:
        is_owner = isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == owner
        if not is_owner or not isinstance(node, n.Member) or node.name not in words:
            return node
        asking.append(node)
        return n.Name(held.name, start=node.start, end=node.end)

    replace_below(holder, change)
    last = holder.statements[0]
    return last.value if asking and isinstance(last, n.Evaluate) else None


def _with_wildcards(function: n.Item, own: set[str]) -> None:
    """`case .success:`: a variant of the built-in types whose value nobody names."""
    for arm in [node for node in walk(function) if isinstance(node, n.Arm)]:
        for part in walk(arm.pattern):
            if isinstance(part, n.VariantPattern) and part.name in _HELD and part.name not in own and not part.items:
                part.items = [n.Wildcard(start=part.start, end=part.end)]


def _settle_removed(function: n.Item) -> None:
    """`int top = stack.remove(stack.size() - 1)`: of a list of numbers the item at a place, where what it gives is used."""
    nodes = list(walk(function))
    alone = {id(node.value) for node in nodes if isinstance(node, n.Evaluate)}
    for node in nodes:
        if not isinstance(node, n.Call) or not isinstance(node.function, n.Member) or id(node) in alone:
            continue
        if node.function.name == "remove" and len(node.arguments) == 1 and _is_place(node.arguments[0].value):
            node.function.name = "removed_at"


def _is_place(value: n.Expr) -> bool:
    """True if a value can only be a place: `0`, `xs.size() - 1`."""
    if isinstance(value, n.Literal):
        return value.text == "0"
    return isinstance(value, n.Binary) and value.operator == "-" and isinstance(value.left, (n.Call, n.Member))


def _settle_next(function: n.Function) -> None:
    """`var it = std.mem.splitScalar(u8, s, ','); while (it.next()) |part| { … }`: a loop over the parts."""
    nodes = list(walk(function.body))
    held = {
        node.pattern.name
        for node in nodes
        if isinstance(node, n.Let)
        and isinstance(node.pattern, n.Binding)
        and isinstance(node.value, n.Call)
        and isinstance(node.value.function, n.Member)
        and node.value.function.name in _SPLITTING
    }
    used = [node.name for node in nodes if isinstance(node, n.Name)]
    for block in [node for node in nodes if isinstance(node, n.Block)]:
        for place, statement in enumerate(block.statements):
            condition = statement.condition if isinstance(statement, n.While) else None
            value = condition.value if isinstance(condition, n.LetCondition) else None
            if not isinstance(value, n.Call) or not isinstance(value.function, n.Member) or value.function.name != "next":
                continue
            owner, pattern = value.function.object, condition.pattern if isinstance(condition, n.LetCondition) else None
            is_held = isinstance(owner, n.Name) and owner.name in held and used.count(owner.name) == 1
            if is_held and isinstance(pattern, n.VariantPattern) and isinstance(statement, n.While):
                loop = n.For(pattern.items[0], owner, statement.body, start=statement.start, end=statement.end)
                block.statements[place] = loop


def _without_end(node: n.Node) -> n.Node:
    """`m.count(k) > 0` of C++, which asks whether there is such an entry."""
    if not isinstance(node, n.Binary) or not isinstance(node.left, n.Call) or not isinstance(node.left.function, n.Member):
        return node
    number = node.right.text if isinstance(node.right, n.Literal) else ""
    if node.left.function.name != "contains" or number not in ("0", "1"):
        return node
    if (node.operator, number) in ((">", "0"), ("!=", "0"), ("==", "1"), (">=", "1")):
        return node.left
    if (node.operator, number) in (("==", "0"), ("<", "1"), ("!=", "1")):
        return n.Unary("!", node.left, start=node.start, end=node.end)
    return node
