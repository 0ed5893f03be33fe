"""Hints of the family P: where boruna 3.2.0 computes something else than a program says (chapters 26 section 2, 27 section 7).

Off unless the setting `portable` asks for them, so these rules walk trees, which those of `rules/` leave to the summary. They
tell of what is certain to be compiled otherwise there; whether a result differs depends on the values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from analysis.database import Database, query
from analysis.diagnostics.diagnostic import Diagnostic, Topic
from analysis.diagnostics.rules.building import diagnostic
from analysis.inputs import CHUNK
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import ItemScope
from analysis.semantics.rule_context import RuleContext, rule_context
from analysis.syntax import tree as t

_LINE_END: Final = re.compile(r"[ \t]*(\r)")
_REFERENCE: Final = "boruna 3.2.0"


@query(limit=2_000, subject=CHUNK)
def portability(db: Database, text: str, given: ItemScope) -> tuple[Diagnostic, ...]:
    """The hints of a chunk, given the facts about what it mentions; none for one that does not parse."""
    if not chunk_tree(db, text).is_sound:
        return ()
    context = rule_context(db, text, given)
    diagnostics = list(_line_ends(db, text))
    for item in context.summary.items:
        if isinstance(item, t.Import) and item.form != "mcp":
            message = f"{_REFERENCE} reads imports on its command line only, by putting the library's text before the program's"
            diagnostics.append(
                diagnostic("P014", (item.start, item.end), message, help="run it with `boruna run`", name=item.name)
            )
        if isinstance(item, t.Function):
            diagnostics += _item(context, item)
            for node in t.walk(item.body):
                rule = _RULES.get(type(node))
                if rule is not None:
                    diagnostics += rule(context, item, node)
    return tuple(diagnostics)


def defined_twice(entries: Iterable[tuple[int, Diagnostic]]) -> Iterator[tuple[int, Diagnostic]]:
    """P012 beside the W304 of functions and types that are defined twice, with the same places."""
    for index, entry in entries:
        if entry.code == "W304" and entry.topic is Topic.DUPLICATE:
            message = f"{_REFERENCE} confuses the functions or types of a program in which '{entry.name}' is defined twice"
            yield index, diagnostic("P012", entry.span, message, help="rename or remove one of them", name=entry.name)


def _line_ends(db: Database, text: str) -> Iterator[Diagnostic]:
    tokens = chunk_tree(db, text).tokens if "\r" in text else None
    for end in tokens.ends if tokens is not None else ():
        if at := _LINE_END.match(text, end):
            message = f"{_REFERENCE} refuses a carriage return after code"
            yield diagnostic("P002", (at.start(1), at.end(1)), message, help="save the file with line feeds alone")
            return


def _item(context: RuleContext, item: t.Function) -> Iterator[Diagnostic]:
    if item.name in BUILTINS and BUILTINS[item.name].arity == len(item.parameters):
        message = f"{_REFERENCE} never calls this function: it calls the builtin '{item.name}'"
        yield diagnostic(
            "P011", (item.at, item.at + len(item.name)), message, help="give the function another name", name=item.name
        )
    returns = [node for node in t.walk(item.body) if isinstance(node, t.Return)] if item.ensures else []
    for node in returns:
        message = f"{_REFERENCE} does not check `ensures` at an early `return`"
        yield diagnostic("P013", (node.start, node.end), message, help="let the function end with its value")


def _text(context: RuleContext, item: t.Function, node: t.StringLiteral) -> Iterator[Diagnostic]:
    yield from _escapes(node.raw, node)


def _escapes(raw: str, node: t.Node) -> Iterator[Diagnostic]:
    if "\\" in raw:
        message = f"{_REFERENCE} keeps the escapes of this text as they are written"
        yield diagnostic("P001", (node.start, node.end), message, help="write the character itself, or build the text without it")


def _if(context: RuleContext, item: t.Function, node: t.If) -> Iterator[Diagnostic]:
    blocks = (node.then_block, node.else_block)
    if any(block is None or not _has_value(block) for block in blocks):
        message = f"{_REFERENCE} mismanages its stack at an `if` in which one branch has no value"
        yield diagnostic(
            "P003", (node.start, node.start + 2), message, help="end every branch with a value, such as 0; add the `else`"
        )


def _has_value(block: t.Block) -> bool:
    # A `return` leaves the function, so no value is needed.
    return bool(block.statements) and isinstance(block.statements[-1], t.Expr | t.Return)


def _for(context: RuleContext, item: t.Function, node: t.For) -> Iterator[Diagnostic]:
    last = node.body.statements[-1] if node.body.statements else None
    if isinstance(last, t.Expr):
        message = f"{_REFERENCE} keeps the value that ends the body of a `for`, one for each round"
        yield diagnostic("P004", (last.start, last.end), message, help="make it a `let`, or an assignment")


def _match(context: RuleContext, item: t.Function, node: t.Match) -> Iterator[Diagnostic]:
    patterns = [arm.pattern for arm in node.arms]
    if _is_chain(node):
        for pattern in patterns[:-1]:
            if isinstance(pattern, t.WildcardPattern | t.NamePattern):
                message = f"{_REFERENCE} also tries the arms after a catch-all"
                yield diagnostic("P005", (pattern.start, pattern.end), message, help="put this arm last")
    else:
        for inner in _inner_tables(node):
            message = f"{_REFERENCE} exchanges the arms of a match and of one inside of it"
            yield diagnostic(
                "P005", (inner.start, inner.start + len("match")), message, help="move the inner match into a function"
            )
    for pattern in patterns:
        yield from _pattern(context, pattern, _is_chain(node))


def _is_chain(node: t.Match) -> bool:
    """True if the arms are tried one after another: those of a match with a text are."""
    return any(isinstance(arm.pattern, t.StringPattern) for arm in node.arms)


def _inner_tables(node: t.Match) -> Iterator[t.Match]:
    for arm in node.arms:
        for inner in t.walk(arm.body):
            if isinstance(inner, t.Match) and not _is_chain(inner):
                yield inner
                return


def _pattern(context: RuleContext, pattern: t.Pattern, is_chain: bool) -> Iterator[Diagnostic]:
    if isinstance(pattern, t.IntPattern) and not is_chain:
        message = f"{_REFERENCE} never matches an integer with this pattern"
        yield diagnostic("P006", (pattern.start, pattern.end), message, help="compare with `if`")
    inner: t.Pattern | None = pattern
    while inner is not None:
        if isinstance(inner, t.StringPattern):
            yield from _escapes(inner.raw, inner)
        if isinstance(inner, t.VariantPattern):
            enums = context.enums_with(inner.name)
            if len(enums) > 1:
                message = f"{_REFERENCE} takes this for the variant of '{enums[0].name}', whatever the value is"
                help = f"give the variants of {' and '.join(enum.name for enum in enums)} different names"
                yield diagnostic("P009", (inner.start, inner.start + len(inner.name)), message, help=help, name=inner.name)
        deeper = (
            inner.payload if isinstance(inner, t.VariantPattern) else inner.inner if isinstance(inner, t.WrapPattern) else None
        )
        if deeper is not None and not isinstance(deeper, t.WildcardPattern | t.NamePattern):
            message = f"{_REFERENCE} does not test a pattern inside a pattern"
            yield diagnostic("P006", (deeper.start, deeper.end), message, help="bind a name and test it in the arm")
        inner = deeper


def _record(context: RuleContext, item: t.Function, node: t.RecordLiteral) -> Iterator[Diagnostic]:
    fact = context.type(node.name)
    if fact is None or fact.is_enum or node.spread is not None:
        return
    written, declared = [field.name for field in node.fields], [name for name, _ in fact.members]
    if written != declared and sorted(written) == sorted(declared):
        message = f"{_REFERENCE} fills the fields of '{node.name}' in order and ignores their names"
        help = f"write them in the order {', '.join(declared)}"
        yield diagnostic("P008", (node.start, node.start + len(node.name)), message, help=help, name=node.name)


def _access(context: RuleContext, item: t.Function, node: t.FieldAccess) -> Iterator[Diagnostic]:
    records = context.records_with(node.name)
    places = {[name for name, _ in fact.members].index(node.name) for fact in records}
    if len(places) > 1:
        message = f"{_REFERENCE} reads '{node.name}' where '{records[0].name}' has it, whatever the value is"
        help = f"give the fields of {' and '.join(fact.name for fact in records)} different names, or the same place"
        yield diagnostic("P008", (node.at, node.at + len(node.name)), message, help=help, name=node.name)


def _block(context: RuleContext, item: t.Function, node: t.Block) -> Iterator[Diagnostic]:
    if node is item.body:
        return
    for statement in node.statements:
        if isinstance(statement, t.Let) and context.names.locals[statement.at].hides >= 0:
            message = f"{_REFERENCE} overwrites the outer variable '{statement.name}' here"
            span = statement.at, statement.at + len(statement.name)
            yield diagnostic("P010", span, message, help="give the inner variable another name", name=statement.name)


def _wrap(context: RuleContext, item: t.Function, node: t.Wrap) -> Iterator[Diagnostic]:
    message = f"{_REFERENCE} does not match this `{node.kind}` with a pattern `{node.kind}(…)`, nor is it equal to a builtin's"
    help = "let a builtin make it, such as `__builtin_list_head` or `try_parse_int`"
    yield diagnostic("P007", (node.start, node.end), message, help=help)


def _call(context: RuleContext, item: t.Function, node: t.Call) -> Iterator[Diagnostic]:
    if isinstance(node.callee, t.Spawn | t.Emit):
        word = "spawn" if isinstance(node.callee, t.Spawn) else "emit"
        message = f"{_REFERENCE}, too, calls what `{word} f` gives"
        help = "write `emit (f(x))`" if word == "emit" else "write `spawn f`"
        yield diagnostic("P015", (node.start, node.end), message, help=help)


_RULES: Final[dict[type[t.Node], Callable[..., Iterator[Diagnostic]]]] = {
    t.Wrap: _wrap,
    t.Call: _call,
    t.StringLiteral: _text,
    t.If: _if,
    t.For: _for,
    t.Match: _match,
    t.RecordLiteral: _record,
    t.FieldAccess: _access,
    t.Block: _block,
}
