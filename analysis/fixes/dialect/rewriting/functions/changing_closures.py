"""Closures of Rust that change what they are given, as closures that give the new value: `and_modify`, `scan`, `for_each`."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import children, replace_below, root_of, walk


def without_changing_closures(body: n.Block) -> set[int]:
    """Rewrites the closures below a function's body; the assignments in them that change nothing else, by identity."""
    handled: set[int] = set()

    def changed(node: n.Node) -> n.Node:
        if not isinstance(node, n.Call) or not isinstance(node.function, n.Member):
            return node
        rewritten_node = _modified_entry(node, handled) or _scanned(node, handled) or _each_item(node)
        return rewritten_node if rewritten_node is not None else node

    replace_below(body, changed)
    replace_below(body, _turned)
    _swapped(body)
    for block in [each for each in walk(body) if isinstance(each, n.Block)]:
        for place, statement in enumerate(block.statements):
            if isinstance(statement, n.Evaluate) and isinstance(statement.value, _Loop):
                block.statements[place] = statement.value.loop
    if any(isinstance(each, _Loop) for each in walk(body)):
        raise Untranslatable("a loop over the items of a list is expected", body.start)
    return handled


def _turned(node: n.Node) -> n.Node:
    """`heap.push(Reverse(x))`, `Some(Reverse(x))`: the order of the heap says that its least item comes first."""
    if isinstance(node, n.VariantPattern) and node.name == "Reverse" and len(node.items) == 1:
        return node.items[0]
    if (
        isinstance(node, n.Call)
        and isinstance(node.function, n.Member)
        and node.function.name == "push"
        and len(node.arguments) == 1
    ):
        value = node.arguments[0].value
        is_turned = (
            isinstance(value, n.Call) and isinstance(value.function, (n.Name, n.Path)) and value.function.name == "Reverse"
        )
        if is_turned and isinstance(value, n.Call) and len(value.arguments) == 1:
            node.arguments = value.arguments
    return node


def _swapped(body: n.Block) -> None:
    """`mem::swap(&mut a, &mut b)`, `let old = mem::take(&mut a)`, `mem::replace(&mut a, b)` as assignments."""
    for block in [each for each in walk(body) if isinstance(each, n.Block)]:
        statements: list[n.Statement] = []
        for statement in block.statements:
            value = statement.value if isinstance(statement, (n.Evaluate, n.Let)) else None
            function = value.function if isinstance(value, n.Call) else None
            drained = _drained(statement, statement is block.statements[-1])
            added = len(drained)
            statements += drained
            is_memory = isinstance(function, n.Path) and function.owner == "mem"
            values = [each.value for each in value.arguments] if isinstance(value, n.Call) else []
            statements.insert(len(statements) - added, statement)
            if not is_memory or not values or not root_of(values[0]):
                continue
            assert isinstance(function, n.Path)
            start, end = statement.start, statement.end
            place = deepcopy(values[0])
            if function.name == "swap" and len(values) == 2 and isinstance(statement, n.Evaluate):
                turned = n.TupleOf([values[1], deepcopy(place)], start=start, end=end)
                both = n.TupleOf([place, deepcopy(values[1])], start=start, end=end)
                statements[-1] = n.Assign(both, "", turned, start=start, end=end)
            elif isinstance(statement, n.Let) and function.name in ("take", "replace"):
                statement.value = values[0]
                if function.name == "replace" and len(values) == 2:
                    statements.append(n.Assign(place, "", values[1], start=start, end=end))
                else:
                    clear = n.Call(n.Member(place, "clear", start=start, end=end), [], start=start, end=end)
                    statements.append(n.Evaluate(clear, start=start, end=end))
        block.statements = statements


def _without_blocks(node: n.Node) -> Iterator[n.Node]:
    """A node and those below it that run with it, once."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if not isinstance(current, (n.Block, n.Lambda)):
            yield current
            waiting += children(current)


def _drained(statement: n.Statement, is_last: bool) -> list[n.Statement]:
    """`let part = xs.drain(a..b).collect()`: the part, and the list without it behind the statement."""
    if not isinstance(statement, (n.Let, n.Evaluate, n.For)):
        return []
    whole = statement.source if isinstance(statement, n.For) else statement.value
    calls = [each for each in _without_blocks(whole) if _is_drain(each)] if whole is not None else []
    call = calls[0] if len(calls) == 1 else None
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Member):
        return []
    member, start, end = call.function, statement.start, statement.end
    place, part = member.object, call.arguments[0].value
    assert isinstance(part, n.Range)
    rest: n.Expr = n.ListOf([], start=end, end=end)
    if part.low is not None:
        rest = n.Call(n.Member(deepcopy(place), "take", start=end, end=end), [n.Argument(deepcopy(part.low))], start=end, end=end)
    if part.high is not None:
        high: n.Expr = deepcopy(part.high)
        if part.inclusive:
            high = n.Binary("+", high, n.Literal("int", "1", start=end, end=end), start=end, end=end)
        behind = n.Call(n.Member(deepcopy(place), "drop", start=end, end=end), [n.Argument(high)], start=end, end=end)
        rest = n.Binary("++", rest, behind, start=end, end=end) if part.low is not None else behind
    if isinstance(statement, n.For):
        # What follows the loop is not known here.
        raise Untranslatable("a loop over a list that is emptied", start)
    member.name, call.arguments = "to_list", []
    if part.low is not None or part.high is not None:
        member.object = n.Slice(place, part.low, part.high, part.inclusive, start=start, end=end)
    if is_last and isinstance(statement, n.Evaluate):
        # The value of the block; the list itself ends with it.
        return []
    return [n.Assign(deepcopy(place), "", rest, start=end, end=end)]


def _is_drain(node: n.Node) -> bool:
    if not isinstance(node, n.Call) or not isinstance(node.function, n.Member) or node.function.name != "drain":
        return False
    return len(node.arguments) == 1 and isinstance(node.arguments[0].value, n.Range) and bool(root_of(node.function.object))


class _Loop(n.Expr):
    """A loop in the place of a call; it is no value."""

    def __init__(self, loop: n.For) -> None:
        super().__init__(start=loop.start, end=loop.end)
        self.loop = loop


def _method(node: n.Expr) -> tuple[n.Expr, str, list[n.Argument]] | None:
    if isinstance(node, n.Call) and isinstance(node.function, n.Member):
        return node.function.object, node.function.name, node.arguments
    return None


def _one_name(closure: n.Expr) -> str:
    """The name of a closure's only parameter."""
    if isinstance(closure, n.Lambda) and len(closure.parameters) == 1 and isinstance(closure.parameters[0], n.Binding):
        return closure.parameters[0].name
    return ""


def _note(closure: n.Lambda, handled: set[int]) -> None:
    handled |= {id(each) for each in walk(closure) if isinstance(each, n.Assign)}


def _giving(closure: n.Lambda, name: str) -> list[n.Statement]:
    """The statements of a closure on a variable of its own."""
    start, end = closure.start, closure.end
    body = closure.body
    own = n.Let(n.Binding(name), None, n.Name(name, start=start, end=start), True, start=start, end=start)
    return [own, *(body.statements if isinstance(body, n.Block) else [n.Evaluate(body, start=body.start, end=end)])]


def _modified_entry(call: n.Call, handled: set[int]) -> n.Expr | None:
    """`m.entry(k).and_modify(f).or_insert(d)`: the map with `f` of the value that it has, or with `d`."""
    outer = _method(call)
    if outer is None or outer[1] not in ("or_insert", "or_insert_with", "or_default") or len(outer[2]) > 1:
        return None
    middle = _method(outer[0])
    if middle is None or middle[1] != "and_modify" or len(middle[2]) != 1:
        return None
    entry = _method(middle[0])
    closure = middle[2][0].value
    name = _one_name(closure)
    if entry is None or entry[1] != "entry" or len(entry[2]) != 1 or not name or not outer[2]:
        return None
    assert isinstance(closure, n.Lambda)
    start, end = call.start, call.end
    default = outer[2][0].value
    if isinstance(default, n.Lambda) and not default.parameters:
        default = default.body
    _note(closure, handled)
    statements = _giving(closure, name)
    statements.append(n.Evaluate(n.Name(name, start=end, end=end), start=end, end=end))
    only = statements[1]
    changed: n.Expr = n.Block(statements, start=start, end=end)
    if isinstance(only, n.Assign) and len(statements) == 3 and only.operator and isinstance(only.target, n.Name):
        changed = n.Binary(only.operator, only.target, only.value, start=start, end=end)
    owner, key = entry[0], entry[2][0]
    got = n.Call(n.Member(deepcopy(owner), "get", start=start, end=end), [deepcopy(key)], start=start, end=end)
    some = n.VariantPattern("", "Some", [n.Binding(name, start=start, end=end)], start=start, end=end)
    none = n.VariantPattern("", "None", start=start, end=end)
    arms = [n.Arm(some, None, changed, start=start, end=end), n.Arm(none, None, default, start=start, end=end)]
    value = n.Match(got, arms, start=start, end=end)
    return n.Call(n.Member(owner, "insert", start=start, end=end), [key, n.Argument(value)], start=start, end=end)


def _scanned(call: n.Call, handled: set[int]) -> n.Expr | None:
    """`xs.scan(first, |s, x| { *s += x; Some(*s) })`: a fold that collects what the closure gives."""
    outer = _method(call)
    if outer is None or outer[1] != "scan" or len(outer[2]) != 2 or not isinstance(outer[2][1].value, n.Lambda):
        return None
    closure = outer[2][1].value
    body = closure.body.statements if isinstance(closure.body, n.Block) else [n.Evaluate(closure.body)]
    last = body[-1] if body else None
    given = last.value if isinstance(last, n.Evaluate) else None
    is_some = isinstance(given, n.Call) and isinstance(given.function, n.Name) and given.function.name == "Some"
    if not is_some or len(closure.parameters) != 2 or not isinstance(closure.parameters[0], n.Binding):
        return None
    if any(isinstance(each, (n.Jump, n.Try)) for each in walk(closure)):
        return None
    assert isinstance(given, n.Call)
    start, end, state = call.start, call.end, closure.parameters[0].name
    _note(closure, handled)
    collected = f"{state}_given"

    def name(text: str) -> n.Name:
        return n.Name(text, start=end, end=end)

    statements: list[n.Statement] = [*_giving(closure, state)[:-1]]
    pushed = n.Call(n.Member(name(collected), "appending", start=end, end=end), [given.arguments[0]], start=end, end=end)
    statements.append(n.Evaluate(n.TupleOf([name(state), pushed], start=end, end=end), start=end, end=end))
    pair = n.TuplePattern([n.Binding(state), n.Binding(collected)], start=start, end=end)
    folding = n.Lambda([pair, closure.parameters[1]], n.Block(statements, start=start, end=end), start=start, end=end)
    first = n.TupleOf([outer[2][0].value, n.ListOf([], start=start, end=end)], start=start, end=end)
    folded = n.Call(
        n.Member(outer[0], "fold", start=start, end=end), [n.Argument(first), n.Argument(folding)], start=start, end=end
    )
    return n.Member(folded, "1", start=start, end=end)


def _each_item(call: n.Call) -> n.Expr | None:
    """`xs.iter_mut().for_each(|x| …)`: a loop over the places."""
    outer = _method(call)
    if outer is None or outer[1] != "for_each" or len(outer[2]) != 1 or not isinstance(outer[2][0].value, n.Lambda):
        return None
    source = outer[0]
    inner = _method(source)
    while inner is not None and inner[1] == "enumerate":
        inner = _method(inner[0])
    closure = outer[2][0].value
    if inner is None or inner[1] not in ("iter_mut", "values_mut") or len(closure.parameters) != 1:
        return None
    start, end, value = call.start, call.end, closure.body
    body = value if isinstance(value, n.Block) else n.Block([n.Evaluate(value, start=start, end=end)], start=start, end=end)
    return _Loop(n.For(closure.parameters[0], source, body, start=start, end=end))
