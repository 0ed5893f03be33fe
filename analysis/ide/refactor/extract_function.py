"""Extract function: statements or an expression become a function of their own, behind the one that they stand in."""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass
from analysis.ide.name_types import item_named
from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.shapes import edited_function
from analysis.ide.refactor.site import INDENT, Site, trimmed
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.occurrences import GLOBAL, Use
from analysis.semantics.ty import UNIT, Ty, is_complete, text_of
from analysis.syntax import tree as t
from analysis.text.edits import Edit, Span

_RESULT: Final = "Result"


@dataclass(frozen=True, slots=True)
class _Part:
    """Code to extract: an expression, or statements of a block; `span` is relative to the chunk."""

    span: Span
    expression: t.Expr | None
    statements: tuple[t.Node, ...] = ()
    block: t.Block | None = None


@dataclass(frozen=True, slots=True)
class _Local:
    """A local that the extracted part shares with the rest: the offset of its declaration, its name and type."""

    at: int
    name: str
    type: str
    mutable: bool


def extract_function(site: Site, name: str = "") -> Change | Refusal | None:
    """Replaces the selection by a call of a new function."""
    if site.span[0] == site.span[1]:
        return None
    part = _part(site)
    if part is None or isinstance(part, Refusal):
        return part
    if any(isinstance(node, t.Return) for node in _nodes(part)):
        return Refusal("the selection contains a `return`, which would only leave the new function")
    if any(isinstance(node, t.ErrorExpr) for node in _nodes(part)):
        return None
    name = name or site.free_name("extracted")
    if (
        item_named(site.db, site.file, name, t.Function)
        or name in BUILTINS
        or any(occurrence.name == name for occurrence in site.names.occurrences)
    ):
        return Refusal(f"'{name}' is already used here")
    crossing = _crossing(site, part)
    if isinstance(crossing, Refusal):
        return crossing
    taken, given = crossing
    value = _value_type(site, part, given)
    if isinstance(value, Refusal):
        return value
    return _extraction(site, part, name, taken, given, value)


def _nodes(part: _Part) -> list[t.Node]:
    roots = [part.expression] if part.expression is not None else list(part.statements)
    return [node for root in roots for node in t.walk(root)]


def _part(site: Site) -> _Part | Refusal | None:
    node = site.selected()
    parent = site.parent(node) if node is not None else None
    if node is not None and not isinstance(parent, t.Block):
        if isinstance(node, t.Block) or (isinstance(parent, t.Call) and parent.callee is node):
            return None
        if site.statement_of(node) is None:
            return Refusal("the selection is a part of a contract")
        return _Part(site.whole(node), node)
    start, end = trimmed(site.written, site.span)
    block = next(
        (
            outer
            for outer in reversed(t.path_to(site.function, start))
            if isinstance(outer, t.Block) and _holds(outer, start, end)
        ),
        None,
    )
    if block is None or start >= end:
        return Refusal("select an expression or whole statements of one block")
    chosen = tuple(
        statement for statement in block.statements if site.whole(statement)[0] < end and site.whole(statement)[1] > start
    )
    if not chosen or site.whole(chosen[0])[0] != start or site.whole(chosen[-1])[1] != end:
        return Refusal("the selection cuts an expression: select whole statements, or a whole expression")
    if len(chosen) == 1 and isinstance(chosen[0], t.Let):
        return Refusal("the selection is only a declaration: select its value")
    return _Part((start, end), None, chosen, block)


def _holds(block: t.Block, start: int, end: int) -> bool:
    return block.start < start and end < block.end


def _crossing(site: Site, part: _Part) -> tuple[list[_Local], list[_Local]] | Refusal:
    """The locals that the part reads, and those that it sets: assigned or declared in it and read afterwards."""
    start, end = part.span
    inside = site.values(part.span)
    body = site.function.body
    loops = [loop for loop in t.walk(body) if isinstance(loop, t.While | t.For) and loop.start < start and end < loop.end]
    again = min((loop.start for loop in loops), default=end)
    taken: dict[int, _Local] = {}
    given: dict[int, _Local] = {}
    for occurrence in inside:
        if occurrence.local < 0:
            continue
        is_own = start <= occurrence.local < end
        uses = [use for use in site.uses(occurrence.local) if not start <= use.start < end]
        if any(not body.start <= use.start < body.end for use in uses) and (is_own or occurrence.use is Use.WRITE):
            return Refusal(f"a contract reads '{occurrence.name}'")
        read_later = any(
            use.use is not Use.WRITE and (use.start >= end or (not is_own and again <= use.start < end)) for use in uses
        )
        in_loop = occurrence.use is Use.WRITE and bool(loops) and not is_own and not _is_inside(site, occurrence.local, loops[-1])
        crosses_back = (read_later or in_loop) and (is_own or occurrence.use is Use.WRITE)
        if is_own and not read_later and not (is_own and any(use.start >= end for use in uses)):
            continue
        local = _local(site, occurrence.local)
        if isinstance(local, Refusal):
            return local
        if not is_own:
            taken[occurrence.local] = local
        if crosses_back or (is_own and any(use.start >= end for use in uses)):
            given[occurrence.local] = local
    return [taken[key] for key in sorted(taken)], [given[key] for key in sorted(given)]


def _is_inside(site: Site, at: int, loop: t.Node) -> bool:
    return loop.start <= at < loop.end


def _local(site: Site, at: int) -> _Local | Refusal:
    variable = site.names.locals[at]
    held = variable.declared
    if held is None:
        inferred = site.types.locals.get(at)
        held = text_of(inferred) if inferred is not None and is_complete(inferred) else None
    if held is None:
        return Refusal(f"the type of '{variable.name}' is not known: annotate it")
    return _Local(at, variable.name, held, variable.mutable)


def _value_type(site: Site, part: _Part, given: list[_Local]) -> str | Refusal:
    """The type of the part's value; "" if it has none or it is not used."""
    if part.expression is not None:
        return _result_type(site, part.expression)
    assert part.block is not None
    last = part.statements[-1]
    if part.block.statements[-1] is not last or not isinstance(last, t.Expr):
        return ""
    held = site.types.of(last)
    outer = site.parent(part.block)
    is_body = isinstance(outer, t.While | t.For)
    if held is UNIT or is_body:
        return ""
    if given:
        return Refusal(f"the selection both has a value and assigns '{given[0].name}'")
    return _result_type(site, last)


def _result_type(site: Site, node: t.Expr) -> str | Refusal:
    held: Ty = site.types.of(node)
    want = site.types.want(node)
    if not is_complete(held) and want is not None and is_complete(want.type):
        held = want.type
    if held is UNIT:
        return Refusal("the selection has no value")
    return text_of(held) if is_complete(held) else Refusal("the type of the selection is not known: annotate its parts")


def _capabilities(site: Site, part: _Part) -> list[str]:
    """The capabilities that the part needs."""
    needed: set[str] = set()
    for occurrence in site.values(part.span):
        if occurrence.local == GLOBAL:
            definition = item_named(site.db, site.file, occurrence.name, t.Function)
            if definition is not None and isinstance(definition.item, t.Function):
                needed |= {capability.name for capability in definition.item.capabilities}
            elif occurrence.name in BUILTINS and BUILTINS[occurrence.name].capability:
                needed.add(BUILTINS[occurrence.name].capability)
    declared = [capability.name for capability in site.function.capabilities]
    if any(isinstance(node, t.Emit) for node in _nodes(part)) and "ui.render" in declared:
        needed.add("ui.render")
    return [capability for capability in declared if capability in needed] + sorted(needed - set(declared))


def _extraction(site: Site, part: _Part, name: str, taken: list[_Local], given: list[_Local], value: str) -> Change | Refusal:
    own = [local for local in given if part.span[0] <= local.at < part.span[1]]
    inside = site.values(part.span)
    written = {occurrence.local for occurrence in inside if occurrence.use is Use.WRITE}
    parameters, lead = [], []
    for local in taken:
        if local.at in written:
            before = site.free_name(f"{local.name}_before")
            parameters.append(f"{before}: {local.type}")
            lead.append(f"let mut {local.name} = {before}")
        else:
            parameters.append(f"{local.name}: {local.type}")
    body = _body(site, part)
    call = f"{name}({', '.join(local.name for local in taken)})"
    result, ending, replaced, extra = value, "", call, ""
    if len(given) == 1:
        only = given[0]
        result, ending = only.type, only.name
        word = f"let {'mut ' if only.mutable else ''}" if only in own else ""
        replaced = f"{word}{only.name} = {call}"
    elif given:
        record = site.free_name("".join(piece.capitalize() for piece in name.split("_")) + _RESULT)
        holder = site.free_name(f"{name}_result")
        fields = ", ".join(f"{local.name}: {local.type}" for local in given)
        extra = f"\n\ntype {record} {{ {fields} }}"
        result, ending = record, f"{record} {{ {', '.join(f'{local.name}: {local.name}' for local in given)} }}"
        indent = site.indent(part.span[0])
        words = [
            (f"let {'mut ' if local.mutable else ''}" if local in own else "") + f"{local.name} = {holder}.{local.name}"
            for local in given
        ]
        replaced = f"\n{indent}".join([f"let {holder} = {call}", *words])
    capabilities = _capabilities(site, part)
    effects = f" !{{{', '.join(capabilities)}}}" if capabilities else ""
    signature = f"fn {name}({', '.join(parameters)})" + (f" -> {result}" if result else "") + effects
    lines = [*lead, body, *([ending] if ending else [])]
    text = f"\n\n{signature} {{\n" + "".join(f"{INDENT}{line}\n" for line in lines) + f"}}{extra}"
    edits = [site.edit(part.span, replaced), site.edit((site.function.end, site.function.end), text)]
    if not _reads_right(site, part, edits, name, len(given)):
        return Refusal("the text around it would parse differently")
    facts = {
        "function_name": name,
        "function_signature": signature,
        "captured_variables": [local.name for local in taken],
        "capabilities": capabilities,
    }
    return Change({site.file: edits}, facts)


def _body(site: Site, part: _Part) -> str:
    """The text of the part, indented as the body of a function."""
    text = site.written[slice(*part.span)]
    if any(isinstance(node, t.StringLiteral) and "\n" in node.raw for node in _nodes(part)):
        return text
    indent = site.indent(part.span[0])
    lines = text.split("\n")
    return "\n".join([lines[0], *(INDENT + line.removeprefix(indent) if line.strip() else line for line in lines[1:])])


def _reads_right(site: Site, part: _Part, edits: list[Edit], name: str, given: int) -> bool:
    """True if the old function parses with the intended statements: nothing merged with the call."""
    function = edited_function(site, edits)
    if function is None:
        return False
    calls = [
        node
        for node in t.walk(function)
        if isinstance(node, t.Call) and isinstance(node.callee, t.Name) and node.callee.name == name
    ]
    if len(calls) != 1:
        return False
    if part.block is None:
        return True
    block = next((node for node in t.walk(function) if isinstance(node, t.Block) and node.start == part.block.start), None)
    wanted = len(part.block.statements) - len(part.statements) + (1 if given < 2 else 1 + given)
    return block is not None and len(block.statements) == wanted
