"""W607: work that grows with the square of the data, because each round of a loop or each call copies what is left or done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.useless import called_builtin
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix

_TAIL: Final = "__builtin_list_tail"
_SHORTENING: Final = frozenset(("list_drop", "list_slice", "__builtin_string_slice", "string_substring"))
"""Functions of the language and the libraries that give a part of their first argument, from a number on."""
_TEXTS: Final = frozenset(("__builtin_string_slice", "string_substring"))
_MOST_ASSIGNED: Final = 2_000
"""Assignments of a loop that are looked at."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Loops and functions."""
    for item, nodes in context.walked:
        for node in paced(nodes.of(t.While, t.For), 1_000):
            yield from _loop(context, node)
        name = item.name
        calls = [node for node in paced(nodes.of(t.Call), 1_000) if isinstance(node.callee, t.Name) and node.callee.name == name]
        if calls:
            lets = {node.at: node.value for node in paced(nodes.of(t.Let), 1_000) if not node.mutable}
            yield from _recursion(context, item, calls, lets)


def _loop(context: TextContext, loop: t.While | t.For) -> Iterator[Diagnostic]:
    """`xs = __builtin_list_concat(xs, …)` and `xs = __builtin_list_tail(xs)`, also in branches."""
    assigned = list(islice(in_each_round(loop.body), _MOST_ASSIGNED))
    counts = Counter(node.name for node in assigned)
    for node in assigned:
        call = node.value
        if not isinstance(call, t.Call):
            continue
        if called_builtin(context, call) == "__builtin_list_concat" and len(call.arguments) == 2:
            first, second = (isinstance(each, t.Name) and each.name == node.name for each in call.arguments)
            if first != second:
                yield _grown(call, is_behind=first)
        elif (rest := _rest_of(context, call)) is not None and rest.name == node.name and counts[node.name] == 1:
            # A list that grows as well is a queue.
            kind = _kind(call)
            yield diagnostic(
                "W607",
                (call.start, call.end),
                f"each round copies the rest of the {kind}: the work grows with the square of its length",
                help="iterate over it with `for`, or increment an index" if kind == "list" else _CHARACTERS,
                why=f"a shorter {kind} is a copy",
            )


_CHARACTERS: Final = "iterate over `__builtin_string_chars(…)` with `for`"


def in_each_round(block: t.Block) -> Iterator[t.Assign]:
    """The assignments of a loop's body, those of inner loops left out: they are reported there."""
    waiting: list[t.Node] = [block]
    while waiting:
        node = waiting.pop()
        if isinstance(node, t.Assign):
            yield node
        if not isinstance(node, (t.While, t.For)):
            waiting += t.children(node)


def _grown(call: t.Call, is_behind: bool) -> Diagnostic:
    added = call.arguments[1]
    fixes: tuple[Fix, ...] = ()
    if is_behind and isinstance(added, t.ListLiteral) and len(added.items) == 1:
        item = added.items[0]
        edits = (
            Edit((call.callee.start, call.callee.end), "list_push"),
            Edit((added.start, item.start), ""),
            Edit((item.end, added.end), ""),
        )
        fixes = (Fix("W607-push", "write `list_push(…)`", Confidence.HIGH, "it adds one item", edits),)
    help = "add single items with `list_push`"
    return diagnostic(
        "W607",
        (call.start, call.end),
        "each round copies the whole list: the work grows with the square of its length",
        help=help if is_behind else f"{help}, and reverse the list after the loop",
        why="a list that is joined to another one is copied item by item",
        fixes=fixes,
    )


def _recursion(context: TextContext, item: t.Function, calls: list[t.Call], lets: Mapping[int, t.Expr]) -> Iterator[Diagnostic]:
    """The first call of a function by itself that hands on a parameter without its first item."""
    uses = context.names.uses
    parameters = [parameter.start for parameter in item.parameters]
    for call in calls:
        if call.callee.start in uses:
            continue
        for parameter, argument in zip(parameters, call.arguments, strict=False):
            value = lets.get(uses.get(argument.start, -1), argument) if isinstance(argument, t.Name) else argument
            rest = _rest_of(context, value)
            if rest is None or uses.get(rest.start) != parameter or not isinstance(value, t.Call):
                continue
            kind = _kind(value)
            of_what, limit = ("item", "items") if kind == "list" else ("character", "characters")
            yield diagnostic(
                "W607",
                (call.start, call.end),
                f"'{item.name}' calls itself for each {of_what} and copies the rest of the {kind} each time",
                help="write a loop: iterate over it with `for`" if kind == "list" else f"write a loop: {_CHARACTERS}",
                why=f"the work grows with the square of the length, and 256 {limit} are a stack overflow",
            )
            return


def _rest_of(context: TextContext, node: t.Expr) -> t.Name | None:
    """The local of which an expression is the part behind its first items."""
    if not isinstance(node, t.Call) or not isinstance(node.callee, t.Name) or not node.arguments:
        return None
    name, first = node.callee.name, node.arguments[0]
    if not isinstance(first, t.Name) or first.start not in context.names.uses or node.callee.start in context.names.uses:
        return None
    if name == _TAIL:
        return first
    start = node.arguments[1] if name in _SHORTENING and len(node.arguments) > 1 else None
    return first if isinstance(start, t.IntLiteral) and start.text.strip("0") else None


def _kind(call: t.Call) -> str:
    return "text" if isinstance(call.callee, t.Name) and call.callee.name in _TEXTS else "list"
