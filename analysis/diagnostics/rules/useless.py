"""Code without effect: W503 unused values, W505 loops and recursion without an end, W506 assignments that are never read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.edits import Confidence, Edit, Fix
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t

_SPEAKING: Final = frozenset(("__builtin_debug", "__builtin_debug_msg", "__builtin_guard"))
"""Builtins that do something besides giving a value."""
_CHANGED: Final = frozenset(
    name for name, builtin in BUILTINS.items() if builtin.parameters and builtin.parameters[0][1] == builtin.result
) - _SPEAKING  # fmt: skip
"""Builtins that give a changed copy of their first argument."""
_PURE_NODES: Final = (
    t.Name, t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral,
    t.Binary, t.Unary, t.FieldAccess, t.ListLiteral, t.RecordLiteral, t.FieldInit, t.VariantLiteral, t.Wrap,
)  # fmt: skip
_MOST_NODES: Final = 400
"""Nodes of an expression that are looked at to see whether it does anything."""
_LARGEST: Final = 5_000
"""Nodes of a loop's body that are looked at for what could end it."""
_DEEPEST: Final = 60


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Statements, loops, functions, locals."""
    calling = {use.name for use in context.summary.names}
    for item, nodes in context.walked:
        for node in nodes:
            if isinstance(node, t.Block):
                yield from _block(context, node)
            elif isinstance(node, (t.While, t.For)):
                yield from _tail(context, node.body)
                if isinstance(node, t.While):
                    yield from _loop(context, node)
        if item.name in calling and _always_calls(item.body, item.name, context):
            span = item.at, item.at + len(item.name)
            why = "the call depth is limited: it ends with `stack overflow (max 256)`"
            message = f"'{item.name}' calls itself on every way through it"
            help = "give it a case that returns without calling itself"
            yield diagnostic("W505", span, message, help=help, why=why, name=item.name)
    for local in paced(context.summary.locals):
        if local.writes and not local.reads and not local.name.startswith("_"):
            span = local.at, local.at + len(local.name)
            message = f"'{local.name}' is assigned and never read"
            yield diagnostic("W506", span, message, help="use its value, or remove it with its assignments", name=local.name)


# ---- W503 -----------------------------------------------------------------------------------------------------------------


def is_pure(context: TextContext, node: t.Node) -> bool:
    """True if an expression has no effect but its value."""
    for count, part in enumerate(t.walk(node)):
        if count > _MOST_NODES:
            return False
        if isinstance(part, t.Call):
            builtin = called_builtin(context, part)
            if builtin is None or builtin in _SPEAKING or BUILTINS[builtin].capability:
                return False
        elif not isinstance(part, _PURE_NODES):
            return False
    return True


def called_builtin(context: TextContext, node: t.Call) -> str | None:
    """The name of the builtin that a call means."""
    callee = node.callee
    if not isinstance(callee, t.Name) or callee.start in context.names.uses:
        return None
    is_own = context.is_function(callee.name)
    return callee.name if callee.name in BUILTINS and not is_own else None


def follows_on_line(context: TextContext, before: t.Node, after: t.Node) -> bool:
    """True if a statement begins on the line on which the one before it ends."""
    return "\n" not in context.text[before.end : after.start]


def _block(context: TextContext, node: t.Block) -> Iterator[Diagnostic]:
    for place, statement in enumerate(paced(node.statements[:-1])):
        following = node.statements[place + 1]
        if not isinstance(statement, t.Expr) or not is_pure(context, statement):
            continue
        if follows_on_line(context, statement, following) and isinstance(following, t.Expr):
            # W601 and W608 report two expressions on one line.
            continue
        if isinstance(statement, t.ListLiteral) and place and follows_on_line(context, node.statements[place - 1], statement):
            continue
        yield _unused(context, statement)


def _tail(context: TextContext, body: t.Block) -> Iterator[Diagnostic]:
    """The last statement of a loop's body: a call of a builtin there was meant to change something."""
    last = body.statements[-1] if body.statements else None
    if isinstance(last, t.Call) and is_pure(context, last) and isinstance(last.callee, t.Name) and last.callee.name in _CHANGED:
        yield _unused(context, last)


def _unused(context: TextContext, node: t.Expr) -> Diagnostic:
    name = called_builtin(context, node) if isinstance(node, t.Call) else None
    span = node.start, node.end
    if name is None or not isinstance(node, t.Call):
        # Without it, what it names may not be used at all.
        is_alone = not any(isinstance(part, (t.Name, t.Call, t.RecordLiteral, t.VariantLiteral)) for part in t.walk(node))
        edits = (Edit(span, ""),) if is_alone else ()
        remove = tuple([Fix("W503-remove", "remove it", Confidence.LOW, "it has no effect", edits)] if edits else [])
        return diagnostic("W503", span, "the value of this expression is not used", help="use it, or remove it", fixes=remove)
    fixes: tuple[Fix, ...] = ()
    help = "use its value"
    first = node.arguments[0] if node.arguments else None
    if name in _CHANGED and isinstance(first, t.Name):
        help = f"values are immutable: write `{first.name} = {name}(…)`"
        assigned = _assigned(context, node, first)
        if assigned:
            rationale = "the builtin gives a changed copy"
            fixes = (Fix("W503-assign", f"write `{first.name} = {name}(…)`", Confidence.HIGH, rationale, assigned),)
    why = "values are immutable: the call gives a new one and changes nothing" if name in _CHANGED else ""
    return diagnostic("W503", span, f"the result of '{name}' is not used", help=help, why=why, fixes=fixes)


def _assigned(context: TextContext, node: t.Call, first: t.Name) -> tuple[Edit, ...]:
    at = context.names.uses.get(first.start)
    local = next((local for local in context.summary.locals if local.at == at), None)
    if local is None or local.declared.kind is not LocalKind.VARIABLE:
        return ()
    declared = () if local.declared.mutable or local.writes else (Edit((local.at, local.at), "mut "),)
    return (*declared, Edit((node.start, node.start), f"{first.name} = "))


# ---- W505 -----------------------------------------------------------------------------------------------------------------


def _loop(context: TextContext, node: t.While) -> Iterator[Diagnostic]:
    condition, uses = node.condition, context.names.uses
    if isinstance(condition, t.BoolLiteral) and not condition.value:
        return
    read: set[int] = set()
    for part in t.walk(condition):
        if isinstance(part, t.Name) and part.start in uses:
            read.add(uses[part.start])
        elif isinstance(part, (t.Receive, t.Match, t.If, t.Block)) or (isinstance(part, t.Call) and not is_pure(context, part)):
            return
    if not read and not isinstance(condition, t.BoolLiteral):
        # A constant condition is W504.
        return
    for count, part in enumerate(t.walk(node.body)):
        is_change = isinstance(part, t.Return) or (isinstance(part, t.Assign) and uses.get(part.at) in read)
        if is_change or count > _LARGEST:
            return
    span = condition.start, condition.end
    message = "nothing in this loop changes its condition"
    if isinstance(condition, t.BoolLiteral):
        message = "this loop has no end: nothing in it returns"
    help = "change a variable of the condition in the body, or return"
    yield diagnostic("W505", span, message, help=help, why="a loop that is entered runs until the step limit ends the run")


def _always_calls(node: t.Node | None, name: str, context: TextContext, depth: int = 0) -> bool:
    """True if evaluating a node certainly calls the function of a name."""
    if node is None or depth > _DEEPEST:
        return False
    deeper = depth + 1
    match node:
        case t.Block(statements=statements):
            for statement in statements:
                if _always_calls(statement, name, context, deeper):
                    return True
                if any(isinstance(part, t.Return) for part in t.walk(statement)):
                    return False
            return False
        case t.If(condition=condition, then_block=then_block, else_block=else_block):
            if _always_calls(condition, name, context, deeper):
                return True
            return _always_calls(then_block, name, context, deeper) and _always_calls(else_block, name, context, deeper)
        case t.Match(value=value, arms=arms):
            if _always_calls(value, name, context, deeper):
                return True
            return bool(arms) and all(_always_calls(arm.body, name, context, deeper) for arm in arms)
        case t.While(condition=condition):
            return _always_calls(condition, name, context, deeper)
        case t.For(iterable=iterable):
            return _always_calls(iterable, name, context, deeper)
        case t.Call(callee=t.Name(name=called, start=start)) if called == name and start not in context.names.uses:
            return True
        case t.Spawn():
            return False
    return any(_always_calls(child, name, context, deeper) for child in t.children(node))
