"""Parameters that are passed by reference: a function that may change one gives the changed value back to its caller."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head
from analysis.fixes.dialect.tree.walking import bound_names, children, own_nodes, replace_below, root_of, walk

_FAILURES: Final = {"Result": ("Ok", "Err"), "Option": ("Some", "None")}
"""The variants of a value that may fail: what is inside, and what is none."""


class GivenBack(NamedTuple):
    """Positions of the parameters that a function returns, and whether it has a result of its own before them."""

    has_result: bool
    places: tuple[int, ...]
    is_value: bool = False
    """True if what the function gives is its changed first parameter."""


def give_back(function: n.Function) -> GivenBack | None:
    """Makes a function return its parameters that were passed by reference; None if it has none, or if one is hidden."""
    places = tuple(place for place, part in enumerate(function.parameters) if part.by_reference)
    names = [function.parameters[place].name for place in places]
    bound = {name for node in walk(function.body) if isinstance(node, n.Pattern) for name in bound_names(node)}
    if not places or bound & set(names):
        return None
    has_result = not function.is_open and head(function.result) != "Unit"
    has_result |= any(jump.value is not None for jump in _returns(function.body))
    types = [function.parameters[place].type or Type() for place in places]
    function.is_open = False
    for each in function.parameters:
        each.by_reference = False
    for jump in _returns(function.body):
        jump.value = _with(jump.value if has_result else None, names, jump.end)
    end = function.body.end
    failing = head(function.result) if has_result else ""
    if has_result:
        _wrap_last(function.body, names)
        assert function.result is not None
        function.result = Type("Tuple", function.result, *types)
        if failing in _FAILURES:
            _leave_with(function.body, failing, names)
    else:
        last = function.body.statements[-1] if function.body.statements else None
        if not (isinstance(last, n.Evaluate) and isinstance(last.value, n.Jump) and last.value.kind == "return"):
            function.body.statements.append(n.Evaluate(_with(None, names, end), start=end, end=end))
        function.result = types[0] if len(types) == 1 else Type("Tuple", *types)
    return GivenBack(has_result, places)


def _with(value: n.Expr | None, names: list[str], end: int) -> n.Expr:
    given: list[n.Expr] = [n.Name(name, start=end, end=end) for name in names]
    parts = [value, *given] if value is not None else given
    return parts[0] if len(parts) == 1 else n.TupleOf(parts, start=parts[0].start, end=end)


def _returns(body: n.Block) -> list[n.Jump]:
    """The jumps that leave a function, not those of functions inside of it."""
    return [node for node in own_nodes(body) if isinstance(node, n.Jump) and node.kind == "return"]


def _leave_with(body: n.Block, kind: str, names: list[str]) -> None:
    """Writes `e?` as a match: what leaves the function there is given back with the rest."""
    tries = {id(node) for node in own_nodes(body) if isinstance(node, n.Try)}

    def matched(node: n.Node) -> n.Node:
        if id(node) not in tries or not isinstance(node, n.Try):
            return node
        start, end = node.start, node.end
        good, bad = _FAILURES[kind]
        inside = n.Name("value_inside", start=start, end=end)
        reason = n.Name("failure", start=start, end=end)
        failed: n.Expr = n.Literal("none", "None", start=start, end=end)
        pattern = n.VariantPattern("", bad, [], start=start, end=end)
        if kind == "Result":
            failed = n.Call(n.Name("Err", start=start, end=end), [n.Argument(reason)], start=start, end=end)
            pattern.items = [n.Binding(reason.name, start=start, end=end)]
        success = n.VariantPattern("", good, [n.Binding(inside.name, start=start, end=end)], start=start, end=end)
        leaving = n.Jump("return", _with(failed, names, end), start=start, end=end)
        arms = [n.Arm(success, None, inside, start=start, end=end), n.Arm(pattern, None, leaving, start=start, end=end)]
        return n.Match(node.value, arms, start=start, end=end)

    replace_below(body, matched)


def _wrap_last(block: n.Block, names: list[str]) -> None:
    last = block.statements[-1] if block.statements else None
    if isinstance(last, n.Evaluate):
        last.value = _wrapped(last.value, names)


def _wrapped(value: n.Expr, names: list[str]) -> n.Expr:
    """A last value with what is given back, in every branch that gives one."""
    match value:
        case n.Jump():
            return value
        case n.Block():
            _wrap_last(value, names)
            return value
        case n.If() if value.otherwise is not None:
            _wrap_last(value.then, names)
            _wrap_last(value.otherwise, names)
            return value
        case n.Match():
            for arm in value.arms:
                arm.body = _wrapped(arm.body, names)
            return value
    return _with(value, names, value.end)


def changed_roots(function: n.Node, references: dict[str, GivenBack]) -> set[str]:
    """The names whose values calls in a function change."""
    roots: set[str] = set()
    for node in walk(function):
        if isinstance(node, n.Call):
            roots |= {root_of(target) for target in targets(node, references)}
    return roots - {""}


def targets(node: n.Call, references: dict[str, GivenBack]) -> list[n.Expr]:
    """The arguments of a call that the function called may change."""
    given = references.get(node.function.name) if isinstance(node.function, n.Name) and node.operation is None else None
    return [node.arguments[place].value for place in given.places if place < len(node.arguments)] if given is not None else []


def is_read_besides(call: n.Call, function: n.Function, references: dict[str, GivenBack]) -> bool:
    """True if the expression that holds a call reads what the call changes elsewhere, too: the order would matter."""
    whole = _expression_of(call, function.body)
    roots = {root_of(target) for target in targets(call, references)} - {""}
    inside: set[int] = set()
    for node in whole:
        if isinstance(node, n.Call) and targets(node, references):
            inside |= {id(part) for part in walk(node)}
        if isinstance(node, n.TupleOf) and node.items and isinstance(node.items[-1], n.Name):
            # What is given back is read behind everything else.
            inside |= {id(part) for part in node.items[1:] if isinstance(part, n.Name) and part.start == node.end}
    return any(isinstance(node, n.Name) and node.name in roots and id(node) not in inside for node in whole)


def _expression_of(call: n.Call, body: n.Block) -> list[n.Node]:
    """The nodes of the expression around a call, without the blocks in it, which run on their own."""
    waiting: list[n.Node] = [body]
    while waiting:
        start = waiting.pop()
        nodes: list[n.Node] = []
        inner: list[n.Node] = [start]
        while inner:
            node = inner.pop()
            if node is not start and isinstance(node, (n.Statement, n.Arm, n.Block, n.Lambda)):
                waiting.append(node)
                continue
            nodes.append(node)
            below = children(node)
            if isinstance(node, n.Assign) and not node.operator:
                waiting.append(node.target)
                below = [node.value]
            inner += below
        if any(node is call for node in nodes):
            return nodes
    return []
