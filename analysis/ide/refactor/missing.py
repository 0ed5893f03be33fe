"""Adds what is missing: arms of a match, fields of a record literal, and the function, record or variant that a use names."""

from __future__ import annotations

from collections.abc import Callable

from analysis.diagnostics.check import check_file
from analysis.ide.name_meanings import item_place, member_named
from analysis.ide.name_types import item_named
from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.site import INDENT, Site, snake
from analysis.inputs import source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import TypeFact
from analysis.semantics.environment import environment
from analysis.semantics.occurrences import GLOBAL
from analysis.semantics.ty import is_complete, text_of
from analysis.suggestions.default_values import value_of_type
from analysis.syntax import tree as t
from analysis.text.edits import Edit, FixKind


def add_missing_arms(site: Site) -> Change | Refusal | None:
    """Adds an arm for every value that the match at the cursor does not cover."""
    node = site.around(t.Match)
    if not isinstance(node, t.Match) or any(arm.start <= site.span[0] < arm.end for arm in node.arms):
        return None
    return _patched(site, node, ("E005", "W201"), "the match has an arm for every value")


def add_missing_fields(site: Site) -> Change | Refusal | None:
    """Adds the fields that the record literal at the cursor lacks."""
    node = site.around(t.RecordLiteral)
    if not isinstance(node, t.RecordLiteral) or any(field.start < site.span[0] <= field.end for field in node.fields):
        return None
    return _patched(site, node, ("W302",), "the record has all its fields")


def _patched(site: Site, node: t.Node, codes: tuple[str, ...], nothing: str) -> Change | Refusal:
    """The patch of the diagnostic about a node."""
    for chunk, diagnostic in check_file(site.db, site.file).entries:
        if chunk == site.index and diagnostic.code in codes and node.start <= diagnostic.span[0] < node.end:
            fix = next((fix for fix in diagnostic.fixes if fix.kind is FixKind.COMPLETION), None)
            inner = [child for child in t.walk(node) if type(child) is type(node) and child is not node]
            if fix is None or any(child.start <= diagnostic.span[0] < child.end for child in inner):
                continue
            return Change({site.file: [site.edit(edit.span, edit.new_text) for edit in fix.edits]})
    return Refusal(nothing)


# ---- create ---------------------------------------------------------------------------------------------------------


def create_function(site: Site) -> Change | Refusal | None:
    """Creates the function that the call at the cursor names, with parameters of the arguments' types."""
    call = next(
        (
            node
            for node in t.walk(site.function)
            if isinstance(node, t.Call)
            and isinstance(node.callee, t.Name)
            and node.callee.start <= site.span[0] <= node.callee.end
        ),
        None,
    )
    if call is None or not isinstance(call.callee, t.Name):
        return None
    name, occurrence = call.callee.name, site.names.at(call.callee.start)
    item = item_named(site.db, site.file, name, t.Function)
    if occurrence is None or occurrence.local != GLOBAL or item is not None or name in BUILTINS:
        return None
    if "A" <= name[0] <= "Z":
        return Refusal(f"'{name}' begins with a capital letter, as types and variants do")
    parameters: list[str] = []
    for number, argument in enumerate(call.arguments, 1):
        held = site.types.of(argument)
        if not is_complete(held):
            return Refusal(f"the type of argument {number} is not known: annotate its parts")
        wanted, taken = _named_like(argument), {parameter.split(":")[0] for parameter in parameters}
        unique, count = wanted, 2
        while unique in taken:
            unique, count = f"{wanted}_{count}", count + 1
        parameters.append(f"{unique}: {text_of(held)}")
    want = site.types.want(call)
    is_statement = isinstance(site.parent(call), t.Block) and want is None
    result = text_of(want.type) if want is not None and is_complete(want.type) else "" if is_statement else "Int"
    head = f"fn {name}({', '.join(parameters)})" + (f" -> {result}" if result else "")
    body = f"{INDENT}{value_of_type(result, _types_in_scope(site))}\n" if result else ""
    edit = site.edit((site.function.end, site.function.end), f"\n\n{head} {{\n{body}}}")
    return Change({site.file: [edit]}, {"function_signature": head})


def create_record(site: Site) -> Change | Refusal | None:
    """Creates the record type that the literal at the cursor names."""
    node = site.around(t.RecordLiteral)
    if not isinstance(node, t.RecordLiteral) or not node.start <= site.span[0] <= node.start + len(node.name):
        return None
    if item_named(site.db, site.file, node.name, t.Record, t.Enum):
        return None
    if node.spread is not None:
        return Refusal("the fields from `..` are unknown")
    fields = {}
    for field in node.fields:
        held = site.types.of(field.value)
        if not is_complete(held):
            return Refusal(f"the type of the field '{field.name}' is not known")
        fields[field.name] = text_of(held)
    text = f"type {node.name} {{ {', '.join(f'{name}: {held}' for name, held in fields.items())} }}\n\n"
    return Change({site.file: [_before(site, text)]})


def create_variant(site: Site) -> Change | Refusal | None:
    """Creates the variant that `Enum::Variant` at the cursor names."""
    node = site.around(t.VariantLiteral)
    if not isinstance(node, t.VariantLiteral) or not node.start <= site.span[0] <= node.at + len(node.variant):
        return None
    definition = item_named(site.db, site.file, node.enum, t.Enum)
    if definition is None or not isinstance(definition.item, t.Enum) or member_named(definition.item, node.variant):
        return None
    if definition.file != site.file:
        return Refusal(f"'{node.enum}' is defined in a library")
    payload = ""
    if node.payload is not None:
        held = site.types.of(node.payload)
        if not is_complete(held):
            return Refusal("the type of the payload is not known")
        payload = f"({text_of(held)})"
    place = item_place(site.db, definition.file, definition.chunk, definition.item)
    text = source(site.db, definition.file).text
    closing = place.span[1] - 1
    if not definition.item.variants:
        return Change({site.file: [Edit((closing, closing), f" {node.variant}{payload} ")]})
    end = place.span[0] - definition.item.start + definition.item.variants[-1].end
    is_long = "\n" in text[end:closing]
    indent = "\n    " if is_long else " "
    if "," in text[end:closing]:
        behind = text.index(",", end) + 1
        edit = Edit((behind, behind), f"{indent}{node.variant}{payload}{',' if is_long else ''}")
    else:
        edit = Edit((end, end), f",{indent}{node.variant}{payload}")
    return Change({site.file: [edit]})


def _before(site: Site, text: str) -> Edit:
    """An edit before the function, its comments included."""
    at = site.function.start
    line = site.written.rfind("\n", 0, at) + 1
    while line > 0:
        above = site.written.rfind("\n", 0, line - 1) + 1
        if not site.written[above : line - 1].lstrip().startswith("//"):
            break
        line = above
    return site.edit((line, line), text)


def _named_like(argument: t.Expr) -> str:
    match argument:
        case t.Name(name=name) | t.FieldAccess(name=name):
            return name
        case t.Call(callee=t.Name(name=name)):
            return snake(name)
        case t.IntLiteral() | t.FloatLiteral():
            return "number"
        case t.StringLiteral():
            return "text"
        case t.ListLiteral():
            return "items"
        case t.BoolLiteral():
            return "flag"
        case t.RecordLiteral(name=name) | t.VariantLiteral(enum=name):
            return snake(name)
    return "value"


def _types_in_scope(site: Site) -> Callable[[str], TypeFact | None]:
    return environment(site.db, site.file).types.get
