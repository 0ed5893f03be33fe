"""Names that stand for places elsewhere, as `get_mut`, `iter_mut` and `&mut` of Rust give them: each is written as the place.

What Rust lets a program do while such a name is in use makes both the same: nothing else changes the place meanwhile.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final, NamedTuple, TypeGuard

from analysis.fixes.dialect.libraries.rust_calls import entry_value
from analysis.fixes.dialect.rewriting.functions.changing_closures import without_changing_closures
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.substitution import substituted
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, root_of, walk

_ITEMS: Final = ("iter_mut", "values_mut")
_PLACES: Final = ("get_mut", "last_mut", "first_mut", "front_mut", "back_mut", "peek_mut")
_ENDS: Final = {"last_mut": "last", "back_mut": "last", "first_mut": "first", "front_mut": "first"}
_MOST: Final = 100
"""Names for places in a function: each is looked for in what follows it."""
_TAKING_OUT: Final = ("unwrap", "expect", "ok_or", "ok_or_else")


class _Borrowed(NamedTuple):
    """Statements that come first, what is asked for, and the place that a name stands for where the answer is one.

    `pattern` is what the answer's value is matched with.
    """

    before: list[n.Statement]
    asked: n.Expr
    pattern: n.Pattern
    place: n.Expr


def settle_places(body: n.Block, changed: list[tuple[n.Assign, str]], given_back: set[str], start: int) -> None:
    """Writes the names of a function that stand for places as these; refuses what changes a place that cannot be told.

    `changed` are the assignments through `*name` with the name, `given_back` the parameters that the caller gets back.
    """
    # What a bracket holds may have been read twice.
    read = {id(node) for node in walk(body) if isinstance(node, n.Assign)}
    handled = without_changing_closures(body)
    for node in [each for each in walk(body) if isinstance(each, n.Assign)]:
        node.target = _place_in(node.target)
    places = sum(_names_place(node) for node in walk(body))
    if places > _MOST:
        raise Untranslatable("so many names for places", start)
    if changed or places:
        _in_block(body)
        for block in [node for node in walk(body) if isinstance(node, n.Block) and node is not body]:
            _in_block(block)
        _in_arms(body)
    lost = {name for each, name in changed if id(each) in read - handled and root_of(each.target) == name} - given_back
    if lost:
        raise Untranslatable(f"`*{min(lost)}` is changed in its place", start)
    if any(_is_borrowed(node) for node in walk(body)):
        raise Untranslatable("a value of its own is expected", start)


def _names_place(node: n.Node) -> bool:
    if isinstance(node, n.Let) and isinstance(node.value, n.Call):
        return entry_value(node.value) is not None
    return (isinstance(node, n.Member) and node.name in (*_ITEMS, *_PLACES)) or _is_borrowed(node)


def _place_in(target: n.Expr) -> n.Expr:
    """The place in `*m.get_mut(k).unwrap()`."""
    inner = _taken_out(target) if not isinstance(target, n.Try) else None
    borrowed = _borrowed(inner, "") if inner is not None else None
    if borrowed is not None and not borrowed.before and not isinstance(borrowed.pattern, n.Binding):
        return borrowed.place
    if isinstance(target, n.Member):
        target.object = _place_in(target.object)
    if isinstance(target, n.Index):
        target.object = _place_in(target.object)
    return target


def _is_borrowed(node: n.Node) -> TypeGuard[n.Unary]:
    return isinstance(node, n.Unary) and node.operator == "&mut"


def _in_block(block: n.Block) -> None:
    settled: list[n.Statement] = []
    statements = block.statements
    while statements:
        statement, statements = statements[0], statements[1:]
        if isinstance(statement, n.Let) and (borrowed := _let(statement)) is not None:
            settled += borrowed.before
            assert isinstance(statement.pattern, n.Binding)
            rest = n.Block(statements, start=statement.start, end=block.end)
            substituted(rest, statement.pattern.name, borrowed.place)
            statements = rest.statements
            continue
        if isinstance(statement, n.For) and (loop := _loop(statement)) is not None:
            statement = loop
        value = statement.value if isinstance(statement, n.Evaluate) else None
        if isinstance(value, n.If) and isinstance(value.condition, n.LetCondition):
            settled += _condition(value.condition, value.then)
        condition = statement.condition if isinstance(statement, n.While) else None
        if isinstance(condition, n.LetCondition) and isinstance(statement, n.While) and _condition(condition, statement.body):
            raise Untranslatable("a place that a condition names anew", statement.start)
        settled.append(statement)
    block.statements = settled


def _in_arms(body: n.Block) -> None:
    """`match m.get_mut(k) { Some(v) => … }`, and conditions that are values."""
    for node in [each for each in walk(body) if isinstance(each, (n.Match, n.If))]:
        if isinstance(node, n.If) and isinstance(node.condition, n.LetCondition) and _condition(node.condition, node.then):
            raise Untranslatable("a place that a condition names anew", node.start)
        if not isinstance(node, n.Match):
            continue
        for arm in node.arms:
            if not isinstance(arm.pattern, n.VariantPattern) or arm.pattern.name not in ("Some", "Ok"):
                continue
            name = _only_name(arm.pattern)
            borrowed = _borrowed(node.value, name or "item")
            if borrowed is None:
                continue
            if borrowed.before:
                raise Untranslatable("a place that a match names anew", node.start)
            if name:
                arm.pattern.items = [borrowed.pattern]
                whole = n.Block([n.Evaluate(arm.body, start=arm.start, end=arm.end)], start=arm.start, end=arm.end)
                substituted(whole, name, borrowed.place)
                last = whole.statements[0]
                assert isinstance(last, n.Evaluate)
                arm.body = last.value
            node.value = borrowed.asked
            break


def _only_name(pattern: n.Pattern) -> str:
    """The name in `Some(name)`."""
    if isinstance(pattern, n.VariantPattern) and len(pattern.items) == 1 and isinstance(pattern.items[0], n.Binding):
        return pattern.items[0].name
    return ""


def _condition(condition: n.LetCondition, then: n.Block) -> list[n.Statement]:
    """`if let Some(v) = m.get_mut(k) { … }`: the statements that come before it."""
    name = _only_name(condition.pattern)
    borrowed = _borrowed(condition.value, name) if name else None
    if borrowed is None:
        return []
    assert isinstance(condition.pattern, n.VariantPattern)
    condition.pattern.items = [borrowed.pattern]
    condition.value = borrowed.asked
    substituted(then, name, borrowed.place)
    return borrowed.before


def _let(statement: n.Let) -> _Borrowed | None:
    """`let v = m.get_mut(k).unwrap();`, `let v = &mut xs[i];`, `let Some(v) = m.get_mut(k) else { … };`."""
    value, pattern = statement.value, statement.pattern
    if value is None:
        return None
    start, end = statement.start, statement.end
    if statement.otherwise is not None:
        name = _only_name(pattern)
        borrowed = _borrowed(value, name) if name else None
        if borrowed is None:
            return None
        assert isinstance(pattern, n.VariantPattern)
        whole = n.VariantPattern(pattern.owner, pattern.name, [borrowed.pattern], start=start, end=end)
        asked: n.Statement = n.Let(whole, None, borrowed.asked, False, statement.otherwise, start=start, end=end)
        statement.pattern = n.Binding(name, start=start, end=end)
        return borrowed._replace(before=[*borrowed.before, asked])
    if not isinstance(pattern, n.Binding):
        return None
    if _is_borrowed(value):
        if not root_of(value.operand):
            return None
        return _of_place(value.operand, pattern.name)
    if (entry := entry_value(value)) is not None:
        return _of_entry(*entry, pattern.name)
    wrappers: list[n.Expr] = []
    inner: n.Expr = value
    while (below := _taken_out(inner)) is not None:
        wrappers.append(inner)
        inner = below
    borrowed = _borrowed(inner, pattern.name) if wrappers else None
    if borrowed is None:
        return None
    _put_inside(wrappers[-1], borrowed.asked)
    if isinstance(borrowed.pattern, n.Binding):
        asked = n.Let(borrowed.pattern, None, value, start=start, end=end)
    elif all(_is_unwrapped(each) for each in wrappers):
        # The place itself is asked for when it is used.
        return borrowed
    else:
        asked = n.Let(n.Wildcard(start=start, end=end), None, value, start=start, end=end)
    return borrowed._replace(before=[*borrowed.before, asked])


def _of_entry(owner: n.Expr, key: n.Argument, value: n.Expr, name: str) -> _Borrowed | None:
    """`let e = m.entry(k).or_insert(d);`: the entry, which is put into the map first."""
    if not root_of(owner):
        return None
    before: list[n.Statement] = []
    if not isinstance(key.value, (n.Literal, n.Name)):
        key.value = _named_key(key.value, f"key_of_{name}", before)
    start, end = value.start, value.end
    put = _call(deepcopy(owner), "insert", [deepcopy(key), n.Argument(value)], value)
    before.append(n.Evaluate(put, start=start, end=end))
    place = n.Index(deepcopy(owner), deepcopy(key.value), start=start, end=end)
    return _Borrowed(before, place, n.Wildcard(start=start, end=end), place)


def _is_unwrapped(node: n.Expr) -> bool:
    return isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in ("unwrap", "expect")


def _taken_out(node: n.Expr) -> n.Expr | None:
    """Operand of `unwrap`, `ok_or` or `?`."""
    if isinstance(node, n.Try):
        return node.value
    if isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in (*_TAKING_OUT, "ok_or_with"):
        return node.function.object
    return None


def _put_inside(wrapper: n.Expr, value: n.Expr) -> None:
    if isinstance(wrapper, n.Try):
        wrapper.value = value
    elif isinstance(wrapper, n.Call) and isinstance(wrapper.function, n.Member):
        wrapper.function.object = value


def _of_place(place: n.Expr, name: str) -> _Borrowed:
    """A place whose key is named first, unless it is a plain one."""
    before: list[n.Statement] = []
    place = deepcopy(place)
    part: n.Expr = place
    while isinstance(part, (n.Member, n.Index)):
        if isinstance(part, n.Index) and not isinstance(part.index, n.Literal):
            part.index = _named_key(part.index, f"{'key' if before else 'place'}_of_{name}", before)
        part = part.object
    return _Borrowed(before, place, n.Wildcard(start=place.start, end=place.end), place)


def _named_key(key: n.Expr, name: str, before: list[n.Statement]) -> n.Expr:
    before.append(n.Let(n.Binding(name, start=key.start, end=key.end), None, key, start=key.start, end=key.end))
    return n.Name(name, start=key.start, end=key.end)


def _borrowed(node: n.Expr, name: str) -> _Borrowed | None:
    """Place that `m.get_mut(k)`, `xs.last_mut()` or `xs.iter_mut().find(f)` borrows; None for another expression."""
    if not isinstance(node, n.Call) or not isinstance(node.function, n.Member):
        return None
    start, end, method, owner = node.start, node.end, node.function.name, node.function.object
    anything = n.Wildcard(start=start, end=end)
    if method in _ENDS and root_of(owner) and not node.arguments:
        asked = _call(owner, _ENDS[method], [], node)
        one = n.Literal("int", "1", start=start, end=end)
        last = n.Binary("-", _call(deepcopy(owner), "len", [], node), one, start=start, end=end)
        zero = n.Literal("int", "0", start=start, end=end)
        at: n.Expr = last if _ENDS[method] == "last" else zero
        return _Borrowed([], asked, anything, n.Index(deepcopy(owner), at, start=start, end=end))
    if method == "get_mut" and root_of(owner) and len(node.arguments) == 1:
        before: list[n.Statement] = []
        key = node.arguments[0].value
        if not isinstance(key, (n.Literal, n.Name)):
            key = _named_key(key, f"key_of_{name}", before)
        asked = _call(owner, "get", [n.Argument(key)], node)
        return _Borrowed(before, asked, anything, n.Index(deepcopy(owner), deepcopy(key), start=start, end=end))
    items = _items_of(owner)
    if method == "find" and items is not None and len(node.arguments) == 1:
        asked = _call(items, "position", node.arguments, node)
        number = f"place_of_{name}"
        index = n.Name(number, start=start, end=end)
        return _Borrowed(
            [], asked, n.Binding(number, start=start, end=end), n.Index(deepcopy(items), index, start=start, end=end)
        )
    return None


def _items_of(node: n.Expr) -> n.Expr | None:
    """The list in `xs.iter_mut()`, `&mut xs`."""
    if _is_borrowed(node):
        return node.operand if root_of(node.operand) else None
    if isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name == "iter_mut":
        return node.function.object if root_of(node.function.object) else None
    return None


def _call(owner: n.Expr, method: str, arguments: list[n.Argument], node: n.Expr) -> n.Call:
    member = n.Member(owner, method, start=node.start, end=node.end)
    return n.Call(member, arguments, start=node.start, end=node.end)


def _loop(loop: n.For) -> n.For | None:
    """`for x in xs.iter_mut()`, also with places or entries: by numbers or keys, the items written as places."""
    source, pattern = loop.source, loop.pattern
    start, end = source.start, source.end
    numbered = isinstance(source, n.Call) and isinstance(source.function, n.Member) and source.function.name == "enumerate"
    if numbered:
        assert isinstance(source, n.Call)
        assert isinstance(source.function, n.Member)
        source = source.function.object
    values = source.function if isinstance(source, n.Call) and isinstance(source.function, n.Member) else None
    is_values = values is not None and values.name == "values_mut"
    items = values.object if values is not None and is_values else _items_of(source)
    if items is None or not root_of(items):
        return None
    number: n.Pattern | None = None
    if numbered:
        if not isinstance(pattern, n.TuplePattern) or len(pattern.items) != 2:
            return None
        number, pattern = pattern.items
    if not isinstance(number, n.Binding):
        number = n.Binding(
            f"{'key' if is_values else 'place'}_of_{(bound_names(pattern) or ['item'])[0]}", start=start, end=start
        )
    place = n.Index(items, n.Name(number.name, start=start, end=end), start=start, end=end)
    if is_values:
        keys = _call(deepcopy(items), "keys", [], source)
        return _substituted_loop(loop, number, keys, pattern, place)
    if isinstance(pattern, n.TuplePattern) and not numbered:
        # The parts of items, or the keys and values of a map: which of them, types say.
        raise Untranslatable("a loop over the items of a list is expected", start)
    zero = n.Literal("int", "0", start=start, end=start)
    numbers = n.Range(zero, _call(deepcopy(items), "len", [], source), False, start=start, end=end)
    return _substituted_loop(loop, number, numbers, pattern, place)


def _substituted_loop(loop: n.For, number: n.Binding, source: n.Expr, pattern: n.Pattern, place: n.Expr) -> n.For:
    if isinstance(pattern, n.TuplePattern):
        for at, part in enumerate(pattern.items):
            member = n.Member(place, str(at), start=place.start, end=place.end)
            if isinstance(part, n.Binding):
                substituted(loop.body, part.name, member)
            elif not isinstance(part, n.Wildcard):
                raise Untranslatable("a loop over the items of a list is expected", loop.start)
    elif isinstance(pattern, n.Binding):
        substituted(loop.body, pattern.name, place)
    return n.For(number, source, loop.body, start=loop.start, end=loop.end)
