"""Code without effect: W503 unused values, W505 loops and recursion without an end, W506 assignments that are never read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Related
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.certain_calls import certain_calls
from analysis.semantics.function_nodes import Nodes
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.suggestions.lost_results import GIVE_CHANGED, SPEAKING, assigned, lost_calls
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix, FixKind, Span

_PURE_NODES: Final = (
    t.Name, t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral,
    t.Binary, t.Unary, t.FieldAccess, t.ListLiteral, t.RecordLiteral, t.FieldInit, t.VariantLiteral, t.Wrap,
)  # fmt: skip
_MOST_NODES: Final = 400
"""Nodes of an expression that are looked at to see whether it does anything."""
_LARGEST: Final = 5_000
"""Nodes of a loop's body that are looked at for what could end it."""
_LONGEST: Final = 60
"""Characters of an assignment that advice shows whole."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Statements, loops, functions, locals."""
    calling = {use.name for use in context.summary.names}
    for item, nodes in context.walked:
        for node in paced(nodes.of(t.Block, t.While)):
            if isinstance(node, t.Block):
                yield from _block(context, node)
            else:
                yield from _loop(context, node)
        for call, is_arm in lost_calls(nodes):
            if is_pure(context, call) and called_builtin(context, call) in GIVE_CHANGED:
                yield _unused(context, call, is_arm)
        if item.name in calling and item.name in certain_calls(item.body, context.names.uses).plain:
            span = item.at, item.at + len(item.name)
            why = "the call depth is limited: it ends with `stack overflow (max 256)`"
            message = f"'{item.name}' always calls itself"
            help = "add a branch that returns without a recursive call"
            yield diagnostic("W505", span, message, help=help, why=why, name=item.name)
    for local in paced(context.summary.locals):
        if local.writes and not local.reads and not local.name.startswith("_"):
            span = local.at, local.at + len(local.name)
            message = f"'{local.name}' is assigned and never read"
            yield diagnostic("W506", span, message, help="use its value, or remove it with its assignments", name=local.name)


def concerns(context: TextContext) -> bool:
    """True if a text holds calls that `check_typed` is about."""
    return any(nodes.once(_calls_of_names) for _, nodes in context.walked)


def check_typed(context: RuleContext) -> Iterator[Diagnostic]:
    """Calls of functions of the program and of libraries that give a changed list, map or record, which nothing uses."""
    for _, nodes in context.walked:
        for call, callee, first, following, is_arm in paced(nodes.once(_calls_of_names), 1_000):
            if first.start not in context.names.uses or callee.start in context.names.uses:
                continue
            if following is not None and _is_indexed(context, call, following):
                continue
            if _gives_changed(context, callee.name):
                yield _lost(context, call, callee.name, first, Confidence.MEDIUM, is_arm)


class _CallOfName(NamedTuple):
    """A call by name, with a name as its first argument, whose value is not used; `following` is the statement behind it."""

    call: t.Call
    callee: t.Name
    first: t.Name
    following: t.Node | None
    is_arm: bool


def _calls_of_names(nodes: Nodes) -> list[_CallOfName]:
    statements = (
        (statement, node.statements[place + 1], False)
        for node in nodes.of(t.Block)
        for place, statement in enumerate(paced(node.statements[:-1]))
        if isinstance(statement, t.Call)
    )
    calls = []
    for call, following, is_arm in chain(statements, ((lost, None, is_arm) for lost, is_arm in lost_calls(nodes))):
        callee, first = call.callee, call.arguments[0] if call.arguments else None
        if isinstance(callee, t.Name) and isinstance(first, t.Name):
            calls.append(_CallOfName(call, callee, first, following, is_arm))
    return calls


def _gives_changed(context: RuleContext, name: str) -> bool:
    """True for a function without effects whose result has the type of its first parameter, one that has parts."""
    fact = context.function(name)
    if fact is None or fact.broken or fact.capabilities or not fact.parameters or fact.parameters[0][1] != fact.result:
        return False
    head = fact.result.partition("<")[0]
    kind = context.type(head)
    return head in ("List", "Map") or (kind is not None and not kind.is_enum)


def _is_indexed(context: TextContext, statement: t.Node, following: t.Node) -> bool:
    return isinstance(following, t.ListLiteral) and follows_on_line(context, statement, following)


# ---- W503 -----------------------------------------------------------------------------------------------------------------


def is_pure(context: TextContext, node: t.Node) -> bool:
    """True if an expression has no effect but its value."""
    for count, part in enumerate(paced(t.walk(node))):
        if count > _MOST_NODES:
            return False
        if isinstance(part, t.Call):
            builtin = called_builtin(context, part)
            if builtin is None or builtin in SPEAKING or BUILTINS[builtin].capability:
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


def _unused(context: TextContext, node: t.Expr, is_arm: bool = False) -> Diagnostic:
    name = called_builtin(context, node) if isinstance(node, t.Call) else None
    span = node.start, node.end
    if name is None or not isinstance(node, t.Call):
        # Without it, what it names may not be used at all.
        is_alone = not any(isinstance(part, (t.Name, t.Call, t.RecordLiteral, t.VariantLiteral)) for part in t.walk(node))
        edits = (Edit(span, ""),) if is_alone else ()
        remove = tuple(
            [Fix("W503-remove", "remove it", Confidence.LOW, "it has no effect", edits, kind=FixKind.REMOVAL)] if edits else []
        )
        return diagnostic("W503", span, "the value of this expression is not used", help="use it, or remove it", fixes=remove)
    first = node.arguments[0] if node.arguments else None
    if name in GIVE_CHANGED:
        return _lost(context, node, name, first if isinstance(first, t.Name) else None, Confidence.HIGH, is_arm)
    return diagnostic("W503", span, f"the result of '{name}' is not used", help="use its value")


def _lost(
    context: TextContext, node: t.Call, name: str, first: t.Name | None, confidence: Confidence, is_arm: bool
) -> Diagnostic:
    """A call that gives a changed copy of its first argument, which nothing uses."""
    fixes: tuple[Fix, ...] = ()
    help = "values are immutable: use the new one that the call gives"
    meant = assigned(context, first, is_arm) if first is not None else None
    if first is not None and meant is not None:
        written = f"{first.name} = {context.text[node.start : node.end]}"
        shown = written if len(written) <= _LONGEST and "\n" not in written else f"{first.name} = {name}(…)"
        help = f"values are immutable: write `{shown}`"
        edits = (*meant.declared, Edit((node.start, node.start), meant.before))
        edits += (Edit((node.end, node.end), meant.behind),) if meant.behind else ()
        fixes = (Fix("W503-assign", f"write `{shown}`", confidence, "the call gives a changed copy", edits),)
    why = "values are immutable: the call gives a new one and changes nothing"
    span = node.start, node.end
    return diagnostic("W503", span, f"the result of '{name}' is not used", help=help, why=why, fixes=fixes)


# ---- W505 -----------------------------------------------------------------------------------------------------------------


def _loop(context: TextContext, node: t.While) -> Iterator[Diagnostic]:
    condition, uses = node.condition, context.names.uses
    if isinstance(condition, t.BoolLiteral) and not condition.value:
        return
    read: set[int] = set()
    for part in paced(t.walk(condition)):
        if isinstance(part, t.Name) and part.start in uses:
            read.add(uses[part.start])
        elif isinstance(part, (t.Receive, t.Match, t.If, t.Block)) or (isinstance(part, t.Call) and not is_pure(context, part)):
            return
    if not read and not isinstance(condition, t.BoolLiteral):
        # A constant condition is W504.
        return
    hiding: t.Let | None = None
    names = {context.names.locals[at].name for at in read if at in context.names.locals}
    for count, part in enumerate(paced(t.walk(node.body))):
        is_change = isinstance(part, t.Return) or (isinstance(part, t.Assign) and uses.get(part.at) in read)
        # `break` is undefined, which is the mistake.
        is_change = is_change or (isinstance(part, t.Name) and part.name == "break" and part.start not in uses)
        if is_change or count > _LARGEST:
            return
        if hiding is None and isinstance(part, t.Let) and part.name in names:
            hiding = part
    span = condition.start, condition.end
    why = "once entered, the loop runs until the step limit ends the run"
    if hiding is not None:
        yield _hidden(context, span, hiding, why)
        return
    message = "nothing in this loop changes its condition"
    if isinstance(condition, t.BoolLiteral):
        message = "this loop never ends: its body neither changes the condition nor returns"
    yield diagnostic("W505", span, message, help="change a variable of the condition in the body, or return", why=why)


def _hidden(context: TextContext, span: Span, let: t.Let, why: str) -> Diagnostic:
    """`while i < 3 { let i = i + 1 }`."""
    outer = next((local for local in context.summary.locals if local.at == context.names.locals[let.at].hides), None)
    edits: tuple[Edit, ...] = (Edit((let.start, let.at), ""),)
    if outer is not None and outer.declared.kind is LocalKind.VARIABLE and not outer.declared.mutable:
        edits = (Edit((outer.at, outer.at), "mut "), *edits)
    fix = Fix("W505-assign", f"write `{let.name} = …` without `let`", Confidence.MEDIUM, "it changes the outer variable", edits)
    return diagnostic(
        "W505",
        span,
        f"nothing in this loop changes its condition: `let {let.name}` in it declares another variable",
        help=fix.description,
        why=why,
        related=(Related("the other variable", (let.at, let.at + len(let.name))),),
        fixes=(fix,) if outer is not None and let.type is None else (),
    )
