"""Functions inside of functions that change variables around them: functions of the file that are given these by reference."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.fixes.dialect.rewriting.functions.changes import changed_in_place, changes_in_place
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, walk

NAMES_AROUND = "names around"
"""The function that stands for `nonlocal a, b` until its function is known."""


@dataclass
class _Inner:
    """A function in another one: its declaration, the names that are its own, those around that it uses, and changes."""

    declared: n.Statement
    function: n.Function
    own: set[str]
    used: list[str]
    changed: set[str]
    called: set[str]


def lift_closures(items: list[n.Item], text: str) -> list[n.Item]:
    """The items with such functions behind the one that they stood in."""
    taken = {item.name for item in items if isinstance(item, n.Function)}
    settled: list[n.Item] = []
    for item in items:
        settled.append(item)
        functions = item.functions if isinstance(item, n.Implementation) else [item]
        for function in functions:
            if isinstance(function, n.Function):
                _join_declarations(function)
                settled += _lifted(function, taken, text)
    return settled


def _join_declarations(function: n.Function) -> None:
    """`var visit func(int)` of Go with the closure that it gets next."""
    for block in [node for node in walk(function.body) if isinstance(node, n.Block)]:
        statements: list[n.Statement] = []
        for statement in block.statements:
            last = statements[-1] if statements else None
            if (
                isinstance(statement, n.Assign)
                and isinstance(statement.value, n.Lambda)
                and isinstance(statement.target, n.Name)
                and isinstance(last, n.Let)
                and (last.value is None or (isinstance(last.value, n.RecordOf) and not last.value.fields))
                and isinstance(last.pattern, n.Binding)
                and last.pattern.name == statement.target.name
            ):
                last.type, last.value, last.end = None, statement.value, statement.end
                continue
            statements.append(statement)
        block.statements = statements


def _lifted(outer: n.Function, taken: set[str], text: str) -> list[n.Function]:
    nodes = list(walk(outer.body))
    inner = {each.function.name: each for node in nodes if (each := _inner(node, text)) is not None}
    if not any(each.changed for each in inner.values()):
        return []
    variables = {part.name for part in outer.parameters}
    variables |= {name for node in nodes if isinstance(node, n.Pattern) for name in bound_names(node)}
    variables |= {node.target.name for node in nodes if isinstance(node, n.Assign) and isinstance(node.target, n.Name)}
    _close(inner, variables - set(inner))
    callees = {id(node.function) for node in nodes if isinstance(node, n.Call)}
    values = {node.name for node in nodes if isinstance(node, n.Name) and id(node) not in callees}
    lifted = {
        name: each
        for name, each in inner.items()
        if each.changed and name not in values | taken and "self" not in each.used and _stands(each)
    }
    # What a function that stays calls must be known there, too.
    if any(each.called & set(lifted) for name, each in inner.items() if name not in lifted):
        return []
    for name, each in lifted.items():
        at = each.function.start
        _without_names_around(each.function.body)
        each.function.parameters += [n.Parameter(used, None, None, used in each.changed, start=at, end=at) for used in each.used]
        each.function.start = each.function.end = outer.end
        taken.add(name)
    for node in [*walk(outer.body), *(part for each in lifted.values() for part in walk(each.function.body))]:
        called = lifted.get(node.function.name) if isinstance(node, n.Call) and isinstance(node.function, n.Name) else None
        if called is None or not isinstance(node, n.Call) or hasattr(node, "is_given"):
            continue
        setattr(node, "is_given", True)  # noqa: B010 - a node may be walked twice
        node.arguments = [*node.arguments, *(n.Argument(n.Name(each, start=node.end, end=node.end)) for each in called.used)]
    gone = {id(each.declared) for each in lifted.values()}
    for block in [node for node in walk(outer.body) if isinstance(node, n.Block)]:
        block.statements = [each for each in block.statements if id(each) not in gone]
    return [each.function for each in lifted.values()]


def _inner(node: n.Node, text: str) -> _Inner | None:
    """What a statement declares: `func f(x) { … }`, `f := func(x) { … }`, `const f = (x) => { … }`."""
    if isinstance(node, n.Local):
        function = node.function
    elif isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and isinstance(node.value, n.Lambda):
        closure = node.value
        parameters: list[n.Parameter] = []
        for part in closure.parameters:
            if not isinstance(part, n.Binding) or part.inner is not None:
                return None
            parameters.append(n.Parameter(part.name, part.type, start=part.start, end=part.end))
        body = closure.body
        if not isinstance(body, n.Block):
            given = body if changes_in_place(body) else n.Jump("return", body, start=body.start, end=body.end)
            body = n.Block([n.Evaluate(given, start=body.start, end=body.end)], start=body.start, end=body.end)
        function = n.Function(node.pattern.name, parameters, None, body, is_open=True, start=node.start, end=node.end)
    else:
        return None
    own = {part.name for part in function.parameters}
    nodes = list(walk(function.body))
    for each in nodes:
        if isinstance(each, n.Pattern):
            own |= set(bound_names(each))
    around = _names_around(function.body)
    if text[function.body.start : function.body.start + 1] == ":":
        # In Python what a function assigns is its own, but for the names that it tells.
        assigned = {part.target.name for part in nodes if isinstance(part, n.Assign) and isinstance(part.target, n.Name)}
        own |= assigned - around
    changed = {
        part.target.name
        for part in nodes
        if isinstance(part, n.Assign) and isinstance(part.target, n.Name) and part.target.name not in own
    }
    changed |= changed_in_place(function) - own
    called = {part.function.name for part in nodes if isinstance(part, n.Call) and isinstance(part.function, n.Name)}
    used = list(dict.fromkeys(part.name for part in nodes if isinstance(part, n.Name) and part.name not in own))
    return _Inner(node, function, own, used, changed, called)


def _names_around(body: n.Block) -> set[str]:
    """The names that `nonlocal` tells."""
    names: set[str] = set()
    for statement in body.statements:
        call = statement.value if isinstance(statement, n.Evaluate) else None
        if isinstance(call, n.Call) and isinstance(call.function, n.Name) and call.function.name == NAMES_AROUND:
            names |= {each.value.name for each in call.arguments if isinstance(each.value, n.Name)}
    return names


def _without_names_around(body: n.Block) -> None:
    body.statements = [each for each in body.statements if not _names_around(n.Block([each]))]


def _close(inner: dict[str, _Inner], variables: set[str]) -> None:
    """Adds what the functions that each one calls use and change."""
    for each in inner.values():
        each.used = [name for name in each.used if name in variables]
        each.changed &= variables
    for _ in inner:
        for each in inner.values():
            for name in sorted(each.called & set(inner)):
                each.used += [used for used in inner[name].used if used not in each.used and used not in each.own]
                each.changed |= inner[name].changed - each.own


def _stands(each: _Inner) -> bool:
    """True if a function may stand elsewhere: it holds no other function."""
    return not any(isinstance(node, n.Local) for node in walk(each.function.body))
