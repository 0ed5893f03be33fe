"""Inline function: a call becomes the body of the function that it calls."""

from __future__ import annotations

from analysis.ide.name_types import item_named
from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.shapes import edited_function
from analysis.ide.refactor.site import INDENT, Site
from analysis.inputs import source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.occurrences import GLOBAL, LocalKind, Occurrence, Space, Use
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.text.edits import Edit

_PLAIN = (t.Name, t.IntLiteral, t.FloatLiteral, t.BoolLiteral, t.StringLiteral, t.NoneLiteral)


def inline_function(site: Site) -> Change | Refusal | None:
    """Replaces the call at the cursor by the body of the function."""
    call = next(
        (
            node
            for node in t.walk(site.function.body)
            if isinstance(node, t.Call)
            and isinstance(node.callee, t.Name)
            and node.callee.start <= site.span[0] <= node.callee.end
        ),
        None,
    )
    if call is None or not isinstance(call.callee, t.Name):
        return None
    occurrence = site.names.at(call.callee.start)
    definition = item_named(site.db, site.file, call.callee.name, t.Function)
    if occurrence is None or occurrence.local != GLOBAL or definition is None:
        return Refusal(f"'{call.callee.name}' is built in") if call.callee.name in BUILTINS else None
    function = definition.item
    assert isinstance(function, t.Function)
    written = source(site.db, definition.file).chunks[definition.chunk].text
    inside = [
        occurrence for occurrence in resolved(site.db, written).occurrences if function.start <= occurrence.start < function.end
    ]
    if definition.file != site.file:
        return Refusal(f"'{function.name}' is defined in a library")
    if refusal := _not_inlined(site, call, function, inside):
        return refusal
    body = _body_text(site, call, function, written, inside)
    if isinstance(body, Refusal):
        return body
    edit = site.edit(site.whole(call), body)
    if body.startswith("(") and not _reads_right(site, call, edit):
        # A parenthesis would continue the expression before it; a brace begins a new one.
        edit = site.edit(site.whole(call), f"{{ {body[1:-1]} }}")
    if not _reads_right(site, call, edit):
        return Refusal("the text around it would parse differently")
    return Change({site.file: [edit]}, {"function_name": function.name})


def _not_inlined(site: Site, call: t.Call, function: t.Function, inside: list[Occurrence]) -> Refusal | None:
    name = function.name
    if function.requires or function.ensures:
        return Refusal(f"'{name}' has contracts, which a call checks")
    if len(call.arguments) != len(function.parameters):
        return Refusal(f"'{name}' takes a different number of arguments")
    if any(
        occurrence.local == GLOBAL and occurrence.name == name and occurrence.use is not Use.DECLARATION for occurrence in inside
    ):
        return Refusal(f"'{name}' calls itself")
    returns = [node for node in t.walk(function.body) if isinstance(node, t.Return)]
    statements = function.body.statements
    if returns and (len(returns) > 1 or not statements or returns[0] is not statements[-1] or returns[0].value is None):
        return Refusal(f"'{name}' returns before its end")
    if not statements:
        return Refusal(f"'{name}' has an empty body")
    outside = {local.name for local in site.names.locals.values()}
    globals_ = {
        occurrence.name
        for occurrence in inside
        if occurrence.local == GLOBAL and occurrence.space is Space.VALUE and occurrence.use is not Use.DECLARATION
    }
    if both := sorted(outside & globals_):
        return Refusal(f"'{both[0]}' means something else in '{site.function.name}'")
    if site.statement_of(call) is None:
        return Refusal("a contract can only call functions")
    return None


def _body_text(site: Site, call: t.Call, function: t.Function, written: str, inside: list[Occurrence]) -> str | Refusal:
    """The text that replaces the call."""
    statements = function.body.statements
    last = statements[-1]
    value = last.value if isinstance(last, t.Return) else last
    arguments = dict(zip([parameter.start for parameter in function.parameters], call.arguments, strict=True))
    is_written = any(occurrence.use is Use.WRITE and occurrence.local in arguments for occurrence in inside)
    if (
        len(statements) == 1
        and isinstance(value, t.Expr)
        and not is_written
        and all(isinstance(argument, _PLAIN) for argument in call.arguments)
    ):
        names = [occurrence for occurrence in inside if occurrence.local in arguments and occurrence.use is not Use.DECLARATION]
        bound = {local.name for local in resolved(site.db, written).locals.values() if local.kind is not LocalKind.PARAMETER}
        if not bound & {argument.name for argument in call.arguments if isinstance(argument, t.Name)}:
            return _substituted(
                site,
                value,
                written,
                [occurrence for occurrence in names if value.start <= occurrence.start < value.end],
                arguments,
            )
    return _as_block(site, call, function, written, value)


def _substituted(site: Site, value: t.Expr, written: str, names: list[Occurrence], arguments: dict[int, t.Expr]) -> str:
    pieces, at = [], value.start
    for occurrence in names:
        pieces += [written[at : occurrence.start], site.bare(arguments[occurrence.local])]
        at = occurrence.end
    text = "".join([*pieces, written[at : value.end]])
    return text if isinstance(value, (*_PLAIN, t.Call, t.ListLiteral, t.Wrap, t.VariantLiteral)) else f"({text})"


def _as_block(site: Site, call: t.Call, function: t.Function, written: str, value: t.Node | None) -> str | Refusal:
    """`{ let a = …  body }`: the arguments in their order, then the body."""
    names = [parameter.name for parameter in function.parameters]
    if len(set(names)) < len(names):
        return Refusal(f"two parameters of '{function.name}' have one name")
    for number, argument in enumerate(call.arguments):
        free = {occurrence.name for occurrence in site.values((argument.start, argument.end))}
        if hidden := sorted(free & set(names[:number])):
            return Refusal(f"the argument for '{names[number]}' reads '{hidden[0]}', which is a parameter's name, too")
    mutable = {occurrence.local for occurrence in resolved(site.db, written).occurrences if occurrence.use is Use.WRITE}
    indent = site.indent(call.start)
    lines = [
        ("let mut " if parameter.start in mutable else "let ")
        + f"{parameter.name}: {t.type_text(parameter.type)} = {site.bare(argument)}"
        for parameter, argument in zip(function.parameters, call.arguments, strict=True)
    ]
    last = function.body.statements[-1]
    body = written[function.body.start + 1 : function.body.end - 1].strip()
    if isinstance(last, t.Return) and value is not None:
        start = function.body.start + 1
        body = (written[start : last.start] + written[value.start : function.body.end - 1]).strip()
    if "\n" in body and any(isinstance(node, t.StringLiteral) and "\n" in node.raw for node in t.walk(function)):
        return Refusal("the body holds a string of several lines")
    old = _indent_of(written, function.body.statements[0].start)
    body_lines = [line.removeprefix(old) for line in body.split("\n")]
    lines += body_lines
    return "{\n" + "".join(f"{indent}{INDENT}{line}\n" if line.strip() else "\n" for line in lines) + f"{indent}}}"


def _indent_of(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _reads_right(site: Site, call: t.Call, edit: Edit) -> bool:
    """True if the block around the call still parses with the same number of statements."""
    function = edited_function(site, [edit])
    place = site.statement_of(call)
    if function is None or place is None:
        return False
    block = next((node for node in t.walk(function) if isinstance(node, t.Block) and node.start == place[0].start), None)
    return block is not None and len(block.statements) == len(place[0].statements)
