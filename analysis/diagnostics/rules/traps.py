"""Traps of the language: W601, W604 to W606, W608 and W609, forms that mean something else than they seem to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.useless import called_builtin, follows_on_line, is_pure
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.ty import FLOAT, STRING, Ty
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix, Span

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
_LONGEST_WRITTEN: Final = 60
"""Characters of an expression that advice shows whole."""
_LONGEST_SHOWN: Final = 30
"""Characters of an operand that a message repeats."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """One walk over each function."""
    for _, nodes in context.walked:
        # A block is one node, however many statements it has.
        for node in paced(nodes.of(*_RULES)):
            yield from _RULES[type(node)](context, node)
        if emits := nodes.of(t.Emit):
            ends: dict[int, int] = {}
            for part in paced(nodes.of(t.Binary, t.FieldAccess), 1_000):
                ends[part.start] = max(part.end, ends.get(part.start, 0))
            yield from _taken_apart(context, emits, ends)


def concerns(context: TextContext) -> bool:
    """True if a text can hold what `check_typed` is about."""
    return "[" in context.text or bool(context.summary.records) or _has_long_number(context.text)


def check_typed(context: RuleContext) -> Iterator[Diagnostic]:
    """W606, W608 and W609, which depend on what names and expressions are."""
    for _, nodes in context.walked if "[" in context.text else ():
        for block in paced(nodes.of(t.Block), 1_000):
            yield from _indexings(context, block)
    if _has_long_number(context.text):
        for _, nodes in context.walked:
            lets = [node for node in nodes.of(t.Let) if not node.mutable]
            large = {node.at: number for node in paced(lets) if (number := abs(_whole(context, node.value, {}))) > _EXACT}
            for node in paced(nodes, 1_000):
                if isinstance(node, t.Binary) and node.operator in ("+", "-", "*", "/"):
                    yield from _rounded(context, node, large)
                elif isinstance(node, t.Call):
                    yield from _converted(context, node, large)
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
    if len(text) <= _STEP:
        return _LONG_NUMBER.search(text) is not None
    return any(_LONG_NUMBER.search(text, start, start + _STEP + _DIGITS) for start in paced(range(0, len(text), _STEP), 1))


def _rounded(context: RuleContext, node: t.Binary, large: Mapping[int, int]) -> Iterator[Diagnostic]:
    for number, other in ((node.left, node.right), (node.right, node.left)):
        if abs(_whole(context, number, large)) > _EXACT and context.inference.of(other) is FLOAT:
            yield _loses_digits(number)


def _whole(context: TextContext, node: t.Expr, large: Mapping[int, int]) -> int:
    """The Int that a literal or a local for one stands for, 0 if it is another expression."""
    if isinstance(node, t.Unary) and node.operator == "-":
        return _whole(context, node.operand, large)
    if isinstance(node, t.IntLiteral):
        return int(node.text)
    return large.get(context.names.uses.get(node.start, -1), 0) if isinstance(node, t.Name) else 0


def _converted(context: TextContext, node: t.Call, large: Mapping[int, int]) -> Iterator[Diagnostic]:
    """`int_to_float(9007199254740993)`."""
    is_conversion = isinstance(node.callee, t.Name) and node.callee.name == "int_to_float" and len(node.arguments) == 1
    if is_conversion and abs(_whole(context, node.arguments[0], large)) > _EXACT:
        yield _loses_digits(node.arguments[0])


def _loses_digits(number: t.Expr) -> Diagnostic:
    return diagnostic(
        "W606",
        (number.start, number.end),
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
        if _leading_list(statement) is not None:
            target = _ending(before)
            if target is not None:
                # `check_typed` reports it.
                indexed_until = place + sum(1 for _ in paced(_lists_on_line(context, node.statements, place)))
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


def _leading_list(node: t.Node) -> t.ListLiteral | None:
    """The list that an expression begins with, such as that of `[0] + 1`."""
    inner: t.Node = node
    for _ in range(_MOST_NODES):
        match inner:
            case t.ListLiteral():
                return inner
            case t.Binary(left=left):
                inner = left
            case t.FieldAccess(object=left) | t.Call(callee=left):
                inner = left
            case _:
                return None
    return None


def _lists_on_line(context: TextContext, statements: Sequence[t.Node], place: int) -> Iterator[t.ListLiteral]:
    """The lists that follow each other from a place on, as in `rows[1][2] + 1`."""
    while (item := _leading_list(statements[place])) is not None:
        yield item
        place += 1
        is_whole = item is statements[place - 1]
        if not is_whole or place == len(statements) or not follows_on_line(context, item, statements[place]):
            return


def _indexings(context: RuleContext, node: t.Block) -> Iterator[Diagnostic]:
    """W608, by what the value is."""
    until = 0
    for place, statement in enumerate(paced(node.statements[1:]), 1):
        before = node.statements[place - 1]
        if place < until or not isinstance(statement, t.Expr) or not follows_on_line(context, before, statement):
            continue
        if _leading_list(statement) is not None and (target := _ending(before)) is not None:
            lists = list(paced(_lists_on_line(context, node.statements, place)))
            until = place + len(lists)
            held = context.inference.of(target)
            is_part = held is STRING or held.head == "Map"
            yield _part_of(context, target, lists[0], held) if is_part else _indexed(context, target, lists)


def _part_of(context: RuleContext, target: t.Expr, index: t.ListLiteral, held: Ty) -> Diagnostic:
    """`text[0]` and `map["key"]`."""
    name, place = context.text[target.start : target.end], context.text[index.start + 1 : index.end - 1]
    before, behind = ("list_get(__builtin_string_chars(", ")") if held is STRING else ("__builtin_map_get(", "")
    written = f"{before}{name}{behind}, {place})"
    written = written if len(written) <= _LONGEST_WRITTEN and "\n" not in written else f"{before}…{behind}, …)"
    edits = (
        Edit((target.start, target.start), before),
        Edit((target.end, index.start + 1), f"{behind}, "),
        Edit((index.end - 1, index.end), ")"),
    )
    rationale = "a character is an item of the list of characters" if held is STRING else "it gives an Option"
    fix = Fix("W608-part", f"write `{written}`", Confidence.MEDIUM, rationale, edits)
    return _is_no_indexing((target.start, index.end), fix.description, (fix,) if len(index.items) == 1 else ())


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
    help = fixes[0].description if fixes else f"write `list_get({shown}, …)`"
    return _is_no_indexing((target.start, lists[-1].end), help, fixes)


def _is_no_indexing(span: Span, help: str, fixes: tuple[Fix, ...]) -> Diagnostic:
    message = "`value[…]` is not indexing: it is two statements, a value and a list"
    why = "the list is a separate statement; the text before it is the whole value"
    return diagnostic("W608", span, message, help=help, why=why, fixes=fixes)


# ---- W601, W605: operators ------------------------------------------------------------------------------------------


def _binary(context: TextContext, node: t.Binary) -> Iterator[Diagnostic]:
    if node.operator in ("-", "*"):
        yield from _continued(context, node, node.left.end, node.operator_at, node.operator)


def _taken_apart(context: TextContext, emits: Sequence[t.Emit], ends: Mapping[int, int]) -> Iterator[Diagnostic]:
    """`emit n + 1`, which emits `n`; `ends` are those of the longest expressions that begin with an `emit`."""
    for node in emits:
        end, operand = ends.get(node.start, node.end), node.operand
        if end == node.end or context.text[node.end : end].lstrip()[:1] in (")", "("):
            continue
        edits = (Edit((operand.start, operand.start), "("), Edit((end, end), ")"))
        shown = context.text[operand.start : operand.end]
        shown = shown if len(shown) <= _LONGEST_SHOWN and "\n" not in shown else "…"
        yield diagnostic(
            "W605",
            (node.start, end),
            f"`emit` takes the next value only: this emits `{shown}`",
            help="write `emit (…)` around all of it",
            why="the operand of `emit` is a name or a value in parentheses",
            fixes=(Fix("W605-parentheses", "write `emit (…)`", Confidence.MEDIUM, "`emit` then takes the whole value", edits),),
        )


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
        fixes = (Fix("W605-parentheses", "write `emit (…)`", Confidence.HIGH, "`emit` then takes the result of the call", edits),)
    yield diagnostic(
        "W605",
        (node.start, node.end),
        f"`{word} f(x)` is `({word} f)(x)`: it calls what `{word} f` gives",
        help="write `emit (f(x))`" if word == "emit" else "write `spawn f` and send it what it needs",
        why=f"the operand of `{word}` is a name or a value in parentheses",
        fixes=fixes,
    )


_RULES: Final[dict[type[t.Node], Callable[..., Iterator[Diagnostic]]]] = {
    t.Call: _call,
    t.FieldAccess: _access,
    t.Block: _block,
    t.Binary: _binary,
}
