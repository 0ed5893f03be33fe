"""Traps of the language: W601 to W609, forms that mean something else than they seem to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.useless import called_builtin, follows_on_line, is_pure
from analysis.edits import Confidence, Edit, Fix
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.ty import FLOAT
from analysis.syntax import tree as t

_EXACT: Final = 2**53
"""Ints up to this one are Floats as well."""
_DIGITS: Final = 16
_LONG_NUMBER: Final = re.compile(f"[0-9]{{{_DIGITS}}}")
"""None is larger than `_EXACT` without so many digits."""
_STEP: Final = 100_000
"""Characters that are searched in one go."""
_MOST_NODES: Final = 400
_MOST_INDEXES: Final = 50
"""Indexes behind one value that a fix writes as calls."""
_LONGEST: Final = 1_000
"""Characters of a condition that is written another way."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """One walk over each function."""
    for item, nodes in context.walked:
        loops: list[t.While | t.For] = []
        # A block is one node, however many statements it has.
        for node in paced(nodes):
            rule = _RULES.get(type(node))
            if rule is not None:
                yield from rule(context, node)
            if isinstance(node, (t.While, t.For)):
                loops.append(node)
        yield from _byte_counts(context, item)
        yield from _grown_lists(context, loops)


def check_typed(context: RuleContext) -> Iterator[Diagnostic]:
    """W606 and W609, which depend on what names and expressions are."""
    if _has_long_number(context.text):
        for _, nodes in context.walked:
            for node in paced(nodes, 1_000):
                if isinstance(node, t.Binary) and node.operator in ("+", "-", "*", "/"):
                    yield from _rounded(context, node)
    for record in paced(context.summary.records, 1_000):
        is_empty = not record.fields and not record.spread
        if is_empty and context.type(record.name) is None and not context.is_doubtful(record.name):
            yield diagnostic(
                "W609",
                (record.start, record.end),
                f"`{record.name} {{}}` is read as a record literal",
                help=f"write `({record.name})` before a block",
                why="a capitalised name before `{` begins a record",
                name=record.name,
            )


def _has_long_number(text: str) -> bool:
    return any(_LONG_NUMBER.search(text, start, start + _STEP + _DIGITS) for start in paced(range(0, len(text), _STEP), 1))


def _rounded(context: RuleContext, node: t.Binary) -> Iterator[Diagnostic]:
    for literal, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(literal, t.IntLiteral) and int(literal.text) > _EXACT and context.inference.of(other) is FLOAT:
            yield diagnostic(
                "W606",
                (literal.start, literal.end),
                "this Int becomes a Float and loses digits",
                help="compute with Ints, or write the intended Float",
                why="a Float holds 53 bits of a number",
            )


# ---- W601, W608: where statements end -------------------------------------------------------------------------------------


def _is_new_line(context: TextContext, node: t.Node, end: int, at: int) -> bool:
    """True if a sign stands where a statement of its own would, on a line after the one where `node` begins."""
    text = context.text
    line = text.rfind("\n", 0, at) + 1
    if line <= end - 1 or text[line:at].strip():
        return False
    first = text.rfind("\n", 0, node.start) + 1
    indent = len(text[first : node.start]) - len(text[first : node.start].lstrip())
    return at - line <= indent


def _continued(context: TextContext, node: t.Node, end: int, at: int, sign: str) -> Iterator[Diagnostic]:
    if _is_new_line(context, node, end, at):
        yield diagnostic(
            "W601",
            (at, at + len(sign)),
            f"this `{sign}` continues the line before it",
            help="to continue the line, indent this one; to start a statement, write `let _ =` before it",
            why="line breaks never separate statements",
        )


def _call(context: TextContext, node: t.Call) -> Iterator[Diagnostic]:
    yield from _continued(context, node, node.callee.end, node.opening, "(")
    if isinstance(node.callee, (t.Spawn, t.Emit)):
        yield from _applied(context, node, node.callee)
    if called_builtin(context, node) == "parse_int":
        yield from _parsed(context, node)


def _access(context: TextContext, node: t.FieldAccess) -> Iterator[Diagnostic]:
    dot = context.text.rfind(".", node.object.end, node.at)
    if dot >= 0:
        yield from _continued(context, node, node.object.end, dot, ".")


def _block(context: TextContext, node: t.Block) -> Iterator[Diagnostic]:
    indexed_until = 0
    for place, statement in enumerate(paced(node.statements[1:]), 1):
        before = node.statements[place - 1]
        if place < indexed_until or not isinstance(statement, t.Expr) or not follows_on_line(context, before, statement):
            continue
        if isinstance(statement, t.ListLiteral):
            target = _ending(before)
            if target is not None:
                lists = list(paced(_lists_on_line(context, node.statements, place)))
                indexed_until = place + len(lists)
                yield _indexed(context, target, lists)
                continue
        if isinstance(before, t.Expr) and is_pure(context, before):
            yield diagnostic(
                "W601",
                (before.start, before.end),
                "two expressions on one line: the value of the first is not used",
                help="put an operator or a comma between them, or remove this one",
                why="statements need no separator",
            )


def _ending(node: t.Node) -> t.Expr | None:
    """The largest operand that a statement ends with."""
    end = node.end
    inner: t.Node | None = node
    for _ in range(_MOST_NODES):
        if isinstance(inner, (t.Name, t.Call, t.FieldAccess)):
            return inner
        inner = next((child for child in reversed(t.children(inner)) if child.end == end), None) if inner else None
        if inner is None or isinstance(inner, t.Block):
            return None
    return None


def _lists_on_line(context: TextContext, statements: Sequence[t.Node], place: int) -> Iterator[t.ListLiteral]:
    """The lists that follow each other from a place on, as in `rows[1][2]`."""
    while isinstance(item := statements[place], t.ListLiteral):
        yield item
        place += 1
        if place == len(statements) or not follows_on_line(context, item, statements[place]):
            return


def _indexed(context: TextContext, target: t.Expr, lists: list[t.ListLiteral]) -> Diagnostic:
    name = context.text[target.start : target.end]
    shown = name if len(name) <= 30 and "\n" not in name else "list"
    fixes: tuple[Fix, ...] = ()
    if len(lists) <= _MOST_INDEXES and all(len(index.items) == 1 for index in lists):
        edits = [Edit((target.start, target.start), "list_get(" * len(lists))]
        end = target.end
        for index in lists:
            item = index.items[0]
            edits += [Edit((end, item.start), ", "), Edit((item.end, index.end), ")")]
            end = index.end
        written = context.text[lists[0].items[0].start : lists[0].items[0].end]
        place = written if len(lists) == 1 and len(written) <= 30 and "\n" not in written else "…"
        description = f"write `list_get({shown}, {place})`"
        fixes = (Fix("W608-list-get", description, Confidence.HIGH, "a builtin reads an item", tuple(edits)),)
    return diagnostic(
        "W608",
        (target.start, lists[-1].end),
        "`value[…]` is not indexing: it is two statements, a value and a list",
        help=fixes[0].description if fixes else f"write `list_get({shown}, …)`",
        why="the list is a statement of its own, and what stands before it is the whole list",
        fixes=fixes,
    )


# ---- W602, W604: operators ------------------------------------------------------------------------------------------


def _binary(context: TextContext, node: t.Binary) -> Iterator[Diagnostic]:
    if node.operator in ("-", "*"):
        yield from _continued(context, node, node.left.end, node.operator_at, node.operator)
    if node.operator in ("&&", "||"):
        yield from _both_sides(context, node)


def _both_sides(context: TextContext, node: t.Binary) -> Iterator[Diagnostic]:
    failing = next(_failing(context, node.right), None)
    if failing is None:
        return
    named = {part.name for part in islice(t.walk(failing), _MOST_NODES) if isinstance(part, t.Name)}
    guards = {part.name for part in islice(t.walk(node.left), _MOST_NODES) if isinstance(part, t.Name)}
    is_literal = isinstance(node.left, t.BoolLiteral)
    if not is_literal and not (named & guards):
        return
    # In a long chain the fix would repeat each part.
    is_short = node.end - node.start < _LONGEST
    left, right = (context.text[part.start : part.end] if is_short else "" for part in (node.left, node.right))
    written = f"if {left} {{ {right} }} else {{ false }}" if node.operator == "&&" else f"if {left} {{ true }} else {{ {right} }}"
    fix = Fix(
        "W602-nest",
        "write it with `if`",
        Confidence.MEDIUM,
        "only the branch that is taken is evaluated",
        (Edit((node.start, node.end), f"({written})"),),
    )
    # An `if` with a constant condition is no better.
    fixes = () if is_literal or not is_short else (fix,)
    yield diagnostic(
        "W602",
        (failing.start, failing.end),
        f"this side of `{node.operator}` is evaluated even if the left side decides, and it can fail",
        help="write it with `if`, which evaluates one branch only",
        why=f"both sides of `{node.operator}` are always evaluated",
        fixes=fixes,
    )


def _failing(context: TextContext, node: t.Expr) -> Iterator[t.Expr]:
    for count, part in enumerate(t.walk(node)):
        if count > _MOST_NODES:
            return
        if isinstance(part, t.Call) and called_builtin(context, part) == "list_get":
            yield part
        elif isinstance(part, t.Binary) and part.operator in ("/", "%"):
            divisor = part.right
            is_safe = isinstance(divisor, (t.IntLiteral, t.FloatLiteral)) and float(divisor.text) != 0
            if not is_safe:
                yield part


# ---- W604, W605: calls ----------------------------------------------------------------------------------------------------


def _parsed(context: TextContext, node: t.Call) -> Iterator[Diagnostic]:
    if not node.arguments or isinstance(node.arguments[0], t.StringLiteral):
        return
    yield diagnostic(
        "W604",
        (node.start, node.end),
        "`parse_int` gives 0 for a text that is no number",
        help="match on `try_parse_int` where that matters",
        why='`parse_int` returns 0 for "0" and for an invalid text',
    )


def _applied(context: TextContext, node: t.Call, callee: t.Spawn | t.Emit) -> Iterator[Diagnostic]:
    word = "spawn" if isinstance(callee, t.Spawn) else "emit"
    fixes: tuple[Fix, ...] = ()
    if word == "emit":
        operand = callee.operand
        edits = (Edit((operand.start, operand.start), "("), Edit((node.end, node.end), ")"))
        fixes = (Fix("W605-parentheses", "write `emit (…)`", Confidence.HIGH, "the call is what is meant", edits),)
    yield diagnostic(
        "W605",
        (node.start, node.end),
        f"`{word} f(x)` is `({word} f)(x)`: it calls what `{word} f` gives",
        help="write `emit (f(x))`" if word == "emit" else "write `spawn f` and send it what it needs",
        why=f"the operand of `{word}` is a name or a value in parentheses",
        fixes=fixes,
    )


# ---- W603, W607 -----------------------------------------------------------------------------------------------------


def _byte_counts(context: TextContext, item: t.Function) -> Iterator[Diagnostic]:
    """`__builtin_string_len(s)` in a function that takes the same text apart into characters."""
    lengths: list[tuple[t.Call, int]] = []
    parted: set[int] = set()
    uses = context.names.uses
    for use in paced(context.summary.names):
        if use.call is None or not item.start <= use.start < item.end or not use.call.arguments:
            continue
        argument = use.call.arguments[0]
        at = uses.get(argument.start, -1) if isinstance(argument, t.Name) else -1
        if use.name == "__builtin_string_chars" and at >= 0:
            parted.add(at)
        elif use.name == "__builtin_string_len":
            lengths.append((use.call, at))
    for call, at in lengths:
        text = call.arguments[0]
        if at in parted or (isinstance(text, t.StringLiteral) and not text.raw.isascii()):
            yield diagnostic(
                "W603",
                (call.start, call.end),
                "this is the length in bytes, not the number of characters",
                help="count characters with `list_len(__builtin_string_chars(…))`",
                why="a character outside ASCII takes two to four bytes",
            )


def _grown_lists(context: TextContext, loops: list[t.While | t.For]) -> Iterator[Diagnostic]:
    """`xs = __builtin_list_concat(xs, …)` in a loop."""
    reported: set[int] = set()
    for loop in loops:
        for node in loop.body.statements:
            if not isinstance(node, t.Assign) or not isinstance(node.value, t.Call) or node.start in reported:
                continue
            call = node.value
            first = call.arguments[0] if call.arguments else None
            if called_builtin(context, call) != "__builtin_list_concat" or len(call.arguments) != 2:
                continue
            if not isinstance(first, t.Name) or first.name != node.name:
                continue
            reported.add(node.start)
            added = call.arguments[1]
            fixes: tuple[Fix, ...] = ()
            if isinstance(added, t.ListLiteral) and len(added.items) == 1:
                item = added.items[0]
                edits = (
                    Edit((call.callee.start, call.callee.end), "list_push"),
                    Edit((added.start, item.start), ""),
                    Edit((item.end, added.end), ""),
                )
                fixes = (Fix("W607-push", "write `list_push(…)`", Confidence.HIGH, "it adds one item", edits),)
            yield diagnostic(
                "W607",
                (call.start, call.end),
                "each round copies the whole list: the work grows with the square of its length",
                help="add single items with `list_push`",
                why="a list that is joined to another one is copied item by item",
                fixes=fixes,
            )


_RULES: Final[dict[type[t.Node], Callable[..., Iterator[Diagnostic]]]] = {
    t.Call: _call,
    t.FieldAccess: _access,
    t.Block: _block,
    t.Binary: _binary,
}
