"""Calls of Kotlin that take a block: builders, scope functions, sequences, conditions; streams of Java that iterate."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.attempts import Attempt
from analysis.fixes.dialect.tree.walking import replace_below, walk

_OF_RECEIVERS: Final = frozenset(
    "append appendLine add addAll put putAll remove removeAt insert clear sort sortBy reverse removeLast removeFirst addFirst "
    "addLast contains isEmpty isNotEmpty getOrPut getOrDefault merge".split()
)
"""Methods that a block with a receiver calls by their names alone."""
_MADE: Final = {"buildString": "String", "buildList": "List", "buildMap": "Map", "buildSet": "List"}


def with_block(call: n.Expr) -> n.Expr | None:
    """Translation of a call with a trailing closure; None if there is none."""
    if not isinstance(call, n.Call) or not call.arguments or not isinstance(call.arguments[-1].value, n.Lambda):
        return None
    closure = call.arguments[-1].value
    function, values = call.function, [each.value for each in call.arguments[:-1]]
    if isinstance(function, n.Name):
        return _of_name(call, function.name, values, closure)
    if isinstance(function, n.Member) and not values and function.name == "mapValues":
        return _with_values(call, function, closure)
    if isinstance(function, n.Member) and not values:
        return _of_member(call, function, closure)
    if isinstance(function, n.Member) and function.name == "getOrElse" and len(values) == 1 and not closure.parameters:
        # Of maps and lists: what stands for an item that is not there.
        lines = _statements(closure.body)
        only = lines[0] if len(lines) == 1 else None
        if isinstance(only, n.Evaluate):
            call.arguments = [call.arguments[0], n.Argument(only.value)]
    return None


def _with_values(call: n.Call, function: n.Member, closure: n.Lambda) -> n.Expr | None:
    """`m.mapValues { (k, v) -> … }`, `m.mapValues { it.value + 1 }`: of Kotlin, where the block is given the entry."""
    start, end = closure.start, closure.end
    if len(closure.parameters) == 2:
        closure.parameters = [n.TuplePattern(closure.parameters, start=start, end=start)]
    only = closure.parameters[0] if len(closure.parameters) == 1 else None
    lines = _statements(closure.body)
    result = lines[-1] if lines else None
    if not isinstance(result, n.Evaluate):
        return None
    key: n.Expr
    if isinstance(only, n.TuplePattern) and len(only.items) == 2:
        if isinstance(only.items[0], n.Wildcard):
            only.items[0] = n.Binding(f"key_{start}", start=start, end=start)
        if not isinstance(only.items[0], n.Binding):
            return None
        key = n.Name(only.items[0].name, start=start, end=start)
    elif isinstance(only, n.Binding) and _asks_entry(closure.body, only.name):
        key = n.Member(n.Name(only.name, start=start, end=start), "key", start=start, end=start)
    else:
        return None
    pair = n.TupleOf([key, result.value], start=start, end=end)
    closure.body = n.Block([*lines[:-1], n.Evaluate(pair, start=start, end=end)], start=start, end=end)
    pairs = n.Call(n.Member(function.object, "map", start=call.start, end=end), call.arguments, start=call.start, end=end)
    return n.Call(n.Member(pairs, "toMap", start=call.start, end=end), [], start=call.start, end=end)


def _asks_entry(body: n.Expr, name: str) -> bool:
    """True if a block asks its value for `key` or `value`, and for nothing else."""
    asked = [
        node for node in walk(body) if isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == name
    ]
    uses = [node for node in walk(body) if isinstance(node, n.Name) and node.name == name]
    return bool(asked) and len(asked) == len(uses) and all(node.name in ("key", "value") for node in asked)


def _of_name(call: n.Call, name: str, values: list[n.Expr], closure: n.Lambda) -> n.Expr | None:
    start, end = call.start, call.end
    if name in _MADE and len(values) <= 1:
        empty: n.Expr = {
            "String": n.Literal("string", '""', start=start, end=start),
            "List": n.ListOf([], start=start, end=start),
            "Map": n.MapOf([], start=start, end=start),
        }[_MADE[name]]
        held = n.Name(f"built_{start}", start=start, end=start)
        _give_receiver(closure.body, held.name)
        statements = [n.Let(n.Binding(held.name), None, empty, True, start=start, end=start), *_statements(closure.body)]
        return n.Block([*statements, n.Evaluate(held, start=end, end=end)], start=start, end=end)
    if name == "run" and not values:
        return n.Block(_statements(closure.body), start=start, end=end)
    if name == "with" and len(values) == 1 and isinstance(values[0], n.Name):
        _give_receiver(closure.body, values[0].name)
        return n.Block(_statements(closure.body), start=start, end=end)
    if name == "repeat" and len(values) == 1:
        closure.parameters = closure.parameters or [n.Wildcard(start=start, end=start)]
        numbers = n.Range(n.Literal("int", "0", start=start, end=start), values[0], False, start=start, end=end)
        return n.Call(n.Member(numbers, "forEach", start=start, end=end), [n.Argument(closure)], start=start, end=end)
    if name in ("require", "check") and len(values) == 1:
        reason = _statements(closure.body)
        last = reason[-1] if reason else None
        message = last.value if len(reason) == 1 and isinstance(last, n.Evaluate) else n.Literal("string", '""')
        thrown = n.Evaluate(n.Jump("throw", message, start=start, end=end), start=start, end=end)
        return n.If(
            n.Unary("!", values[0], start=start, end=end), n.Block([thrown], start=start, end=end), None, start=start, end=end
        )
    return None


def _of_member(call: n.Call, function: n.Member, closure: n.Lambda) -> n.Expr | None:
    owner, start, end = function.object, call.start, call.end
    if function.name in ("takeWhile", "take_while") and (parts := _sequence(owner)) is not None:
        return _taken(parts, closure, call)
    if function.name in ("getOrElse", "getOrDefault") and (body := _tried(owner)) is not None:
        name = closure.parameters[0].name if closure.parameters and isinstance(closure.parameters[0], n.Binding) else ""
        return Attempt(body, name, n.Block(_statements(closure.body), start=start, end=end), start=start, end=end)
    if function.optional and function.name in ("let", "run") and closure.parameters:
        # A value that may be absent, and what is made of it.
        call.function = n.Member(owner, "let", start=function.start, end=function.end)
        setattr(call, "is_let", True)  # noqa: B010 - read where the call is a statement
        return call
    if function.optional or function.name not in ("apply", "also", "let", "run"):
        return None
    if function.name == "let" and not isinstance(owner, n.Name):
        pattern = closure.parameters[0] if closure.parameters else n.Wildcard(start=start, end=start)
        first = n.Let(pattern, None, owner, start=start, end=start)
        return n.Block([first, *_statements(closure.body)], start=start, end=end)
    if function.name not in ("apply", "also"):
        return None
    # A name is changed itself; another value is held while the block changes it.
    held = owner if isinstance(owner, n.Name) else n.Name(f"made_{start}", start=start, end=start)
    if function.name == "apply":
        _give_receiver(closure.body, held.name)
    else:
        word = closure.parameters[0].name if closure.parameters and isinstance(closure.parameters[0], n.Binding) else "it"
        _rename(closure.body, word, held.name)
    first_lines: list[n.Statement] = []
    if held is not owner:
        first_lines = [n.Let(n.Binding(held.name), None, owner, True, start=start, end=start)]
    last = n.Evaluate(n.Name(held.name, start=end, end=end), start=end, end=end)
    return n.Block([*first_lines, *_statements(closure.body), last], start=start, end=end)


def of_kotlin(call: n.Call) -> n.Expr | None:
    """`generateSequence(1) { it * 2 }.take(5)`, `Stream.iterate(1, x -> x * 2).limit(5)`, `runCatching { … }.getOrDefault(0)`."""
    function = call.function
    if not isinstance(function, n.Member) or any(each.name for each in call.arguments):
        return _copied(call, function) if isinstance(function, n.Member) else None
    values = [each.value for each in call.arguments]
    if function.name in ("take", "limit") and len(values) == 1 and (parts := _sequence(function.object)) is not None:
        return _counted(parts, values[0], call)
    if function.name == "takeWhile" and len(values) == 1 and isinstance(values[0], n.Lambda):
        parts = _sequence(function.object)
        return _taken(parts, values[0], call) if parts is not None else None
    body = _tried(function.object) if function.name in ("getOrDefault", "getOrNull") else None
    if body is not None and len(values) == (1 if function.name == "getOrDefault" else 0):
        start, end = call.start, call.end
        other = values[0] if values else n.Literal("none", "None", start=end, end=end)
        handler = n.Block([n.Evaluate(other, start=end, end=end)], start=end, end=end)
        if not values:
            _as_some(body)
        return Attempt(body, "", handler, start=start, end=end)
    return None


def _copied(call: n.Call, function: n.Member) -> n.Expr | None:
    """`user.copy(age = 4)`, `user.copyWith(age: 4)`: a record with other fields."""
    if function.name not in ("copy", "copyWith") or not call.arguments or not all(each.name for each in call.arguments):
        return None
    fields = {each.name: each.value for each in call.arguments}
    return n.RecordOf("", fields, function.object, start=call.start, end=call.end)


def _as_some(body: n.Block) -> None:
    last = body.statements[-1] if body.statements else None
    if isinstance(last, n.Evaluate):
        last.value = n.Call(n.Name("Some"), [n.Argument(last.value)], start=last.start, end=last.end)


def _tried(owner: n.Expr) -> n.Block | None:
    """The body of `runCatching { … }`."""
    is_call = isinstance(owner, n.Call) and isinstance(owner.function, n.Name) and owner.function.name == "runCatching"
    closure = owner.arguments[-1].value if is_call and isinstance(owner, n.Call) and owner.arguments else None
    if not isinstance(closure, n.Lambda) or closure.parameters:
        return None
    return n.Block(_statements(closure.body), start=closure.start, end=closure.end)


def _sequence(owner: n.Expr) -> tuple[n.Expr, n.Lambda] | None:
    """The first value and the step of a sequence without an end."""
    if not isinstance(owner, n.Call) or len(owner.arguments) != 2:
        return None
    function = owner.function
    is_generated = isinstance(function, n.Name) and function.name == "generateSequence"
    is_iterated = isinstance(function, n.Member) and function.name == "iterate" and isinstance(function.object, n.Name)
    first, step = (each.value for each in owner.arguments)
    if not (is_generated or is_iterated) or not isinstance(step, n.Lambda) or len(step.parameters) != 1:
        return None
    return (first, step) if not isinstance(first, n.Lambda) else None


def _applied(closure: n.Lambda, value: n.Expr) -> n.Expr:
    """Body of a closure with `value` in place of its parameter."""
    body = deepcopy(closure.body)
    pattern = closure.parameters[0] if closure.parameters else None
    holder = n.Block([n.Evaluate(body)])
    if isinstance(pattern, n.Binding):
        replace_below(holder, lambda node: value if isinstance(node, n.Name) and node.name == pattern.name else node)
    last = holder.statements[0]
    assert isinstance(last, n.Evaluate)
    return last.value


def _collected(parts: tuple[n.Expr, n.Lambda], call: n.Call) -> tuple[list[n.Statement], n.Name, n.Name, list[n.Statement]]:
    start = call.start
    current, items = n.Name(f"current_{start}", start=start, end=start), n.Name(f"items_{start}", start=start, end=start)
    begin: list[n.Statement] = [
        n.Let(n.Binding(current.name), None, parts[0], True, start=start, end=start),
        n.Let(n.Binding(items.name), None, n.ListOf([], start=start, end=start), True, start=start, end=start),
    ]
    push = n.Call(n.Member(items, "push", start=start, end=start), [n.Argument(current)], start=start, end=start)
    step = n.Assign(current, "", _applied(parts[1], current), start=start, end=start)
    return begin, current, items, [n.Evaluate(push, start=start, end=start), step]


def _taken(parts: tuple[n.Expr, n.Lambda], closure: n.Lambda, call: n.Call) -> n.Expr:
    begin, current, items, body = _collected(parts, call)
    start, end = call.start, call.end
    loop = n.While(_applied(closure, current), n.Block(body, start=start, end=end), start=start, end=end)
    return n.Block([*begin, loop, n.Evaluate(items, start=end, end=end)], start=start, end=end)


def _counted(parts: tuple[n.Expr, n.Lambda], count: n.Expr, call: n.Call) -> n.Expr:
    begin, _, items, body = _collected(parts, call)
    start, end = call.start, call.end
    numbers = n.Range(n.Literal("int", "0", start=start, end=start), count, False, start=start, end=end)
    loop = n.For(n.Wildcard(start=start, end=start), numbers, n.Block(body, start=start, end=end), start=start, end=end)
    return n.Block([*begin, loop, n.Evaluate(items, start=end, end=end)], start=start, end=end)


def _statements(body: n.Expr) -> list[n.Statement]:
    return body.statements if isinstance(body, n.Block) else [n.Evaluate(body, start=body.start, end=body.end)]


def _rename(body: n.Expr, old: str, new: str) -> None:
    for node in walk(body):
        if isinstance(node, n.Name) and node.name == old:
            node.name = new


def _give_receiver(body: n.Expr, name: str) -> None:
    """Calls by a name alone, and `this`, as those of the value that the block works on."""
    for node in walk(body):
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in _OF_RECEIVERS:
            owner = n.Name(name, start=node.start, end=node.start)
            node.function = n.Member(owner, node.function.name, start=node.start, end=node.function.end)
        elif isinstance(node, n.Name) and node.name == "self":
            node.name = name
