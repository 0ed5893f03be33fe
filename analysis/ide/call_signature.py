"""The call around the cursor: whose parameters are being written, and which of them. Tokens tell, as calls are half written."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, NamedTuple

from analysis.database import Database, paced
from analysis.ide.name_types import item_named, types_in
from analysis.ide.server_tools import described, tool_named
from analysis.ide.signature import documentation
from analysis.inputs import FileId, source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.occurrences import GLOBAL, Local
from analysis.semantics.scopes import resolved
from analysis.semantics.tool_names import Tool
from analysis.semantics.tools.modules import CAPABILITY, shown_name
from analysis.semantics.ty import UNKNOWN, text_of
from analysis.syntax import tree as t
from analysis.syntax.lexer import IDENT, Tokens

_CLOSING: Final = {")": "(", "]": "[", "}": "{"}
_OPENING: Final = frozenset(_CLOSING.values())
_WRAPPERS: Final = {"Some": "value: T", "Ok": "value: T", "Err": "error: E"}


class CallSignature(NamedTuple):
    """Signature of a call, its parameters as spans of `label`, and the number of the one at the cursor (which may not exist)."""

    label: str
    parameters: tuple[tuple[int, int], ...]
    active: int
    doc: str


class _Opening(NamedTuple):
    """The bracket of a call as the number of its token, and how many commas stand between it and the cursor."""

    token: int
    commas: int


def call_signature(db: Database, file: FileId, offset: int) -> CallSignature | None:
    """The signature of the innermost call that an offset lies in; None outside of calls and for an undeclared function."""
    text = source(db, file)
    if not 0 <= offset <= len(text.text):
        return None
    index = text.chunk_at(offset)
    start, written = text.offsets[index], text.chunks[index].text
    tokens = chunk_tree(db, written).tokens
    opening = _opening(tokens, offset - start)
    if opening is None or opening.token == 0:
        return None
    called, before = opening.token - 1, tokens.kinds[opening.token - 2] if opening.token > 1 else ""
    name = tokens.word(called)
    if tokens.kinds[called] in _WRAPPERS:
        return _signature(name, [_WRAPPERS[name]], "", opening.commas, "")
    if tokens.kinds[called] != IDENT or before == "fn":
        return None
    if before == "::" and (path := _path(tokens, called)) and (tool := tool_named(db, file, path)) is not None:
        return _tool(tool, opening.commas)
    if before == "::" or "A" <= name[0] <= "Z":
        return _variant(db, file, tokens.word(called - 2) if before == "::" and called > 1 else "", name, opening.commas)
    occurrence = resolved(db, written).at(tokens.starts[called])
    if occurrence is not None and occurrence.local != GLOBAL:
        local = resolved(db, written).locals.get(occurrence.local)
        return None if local is None else _function_value(db, file, written, local, opening.commas)
    return _function(db, file, name, opening.commas)


def _opening(tokens: Tokens, offset: int) -> _Opening | None:
    """The parenthesis that is open at an offset, past brackets and record literals inside of it."""
    depth, commas = 0, 0
    for index in paced(range(bisect_left(tokens.starts, offset) - 1, -1, -1), 1_000):
        kind = tokens.kinds[index]
        if kind in _CLOSING and tokens.ends[index] <= offset:
            depth += 1
        elif kind in _OPENING and depth:
            depth -= 1
        elif kind == "(":
            return _Opening(index, commas)
        elif kind == "[" or (kind == "{" and index and _is_type_name(tokens, index - 1)):
            commas = 0
        elif kind in ("{", "fn", "let"):
            return None
        elif kind == "," and not depth:
            commas += 1
    return None


def _is_type_name(tokens: Tokens, index: int) -> bool:
    is_result = index > 0 and tokens.kinds[index - 1] == "->"
    return tokens.kinds[index] == IDENT and "A" <= tokens.word(index)[0] <= "Z" and not is_result


def _function(db: Database, file: FileId, name: str, active: int) -> CallSignature | None:
    if definition := item_named(db, file, name, t.Function):
        assert isinstance(definition.item, t.Function)
        item, written = definition.item, source(db, definition.file).chunks[definition.chunk].text
        parameters = [f"{parameter.name}: {t.type_text(parameter.type)}" for parameter in item.parameters]
        result = f" -> {t.type_text(item.result)}" if item.result else ""
        capabilities = f" !{{{', '.join(capability.name for capability in item.capabilities)}}}" if item.capabilities else ""
        conditions = [f"requires {written[clause.start : clause.end]}" for clause in item.requires]
        doc = "\n\n".join(filter(None, (documentation(written, item.start), "\n".join(conditions))))
        return _signature(f"fn {name}", parameters, result + capabilities, active, doc)
    if builtin := BUILTINS.get(name):
        parameters = [f"{parameter}: {kind}" for parameter, kind in builtin.parameters]
        capability = f" !{{{builtin.capability}}}" if builtin.capability else ""
        return _signature(f"fn {name}", parameters, f" -> {builtin.result}{capability}", active, builtin.documentation)
    return None


def _function_value(db: Database, file: FileId, written: str, local: Local, active: int) -> CallSignature | None:
    """The signature of the function that a local holds: as declared, if the local is just that function, else its type."""
    for item in chunk_tree(db, written).items:
        for node in t.walk(item):
            if isinstance(node, t.Let) and node.at == local.at and isinstance(node.value, t.Name) and not node.mutable:
                is_global = node.value.start not in resolved(db, written).uses
                if is_global and (named := _function(db, file, node.value.name, active)) is not None:
                    return named
    held = types_in(db, file, written).locals.get(local.at, UNKNOWN)
    if held.head != "Fn":
        return None
    *parameters, result = [text_of(argument) for argument in held.arguments]
    return _signature(f"fn {local.name}", parameters, f" -> {result}", active, "")


def _path(tokens: Tokens, last: int) -> str:
    """The path that ends with a name: `github::search`, `mcp::github::search`."""
    words = [tokens.word(last)]
    while last > 1 and tokens.kinds[last - 1] == "::" and tokens.kinds[last - 2] == IDENT:
        last -= 2
        words.append(tokens.word(last))
    return "::".join(reversed(words))


def _tool(tool: Tool, active: int) -> CallSignature | None:
    fact = tool.fact
    if fact is None:
        return None
    parameters = [
        f"{shown_name(parameter.name)}{'' if parameter.is_required else '?'}: {parameter.type}" for parameter in fact.parameters
    ]
    doc = "\n\n".join(described(tool)[1:])
    return _signature(f"fn {fact.path}", parameters, f" -> {fact.result} !{{{CAPABILITY}}}", active, doc)


def _variant(db: Database, file: FileId, enum: str, name: str, active: int) -> CallSignature | None:
    visible = environment(db, file)
    facts = [visible.types[enum]] if enum in visible.types else visible.variants.get(name, ())
    for fact in facts:
        payload = fact.member(name) if fact.is_enum else None
        if payload is not None:
            return _signature(f"{fact.name}::{name}", [payload], "", active, "")
    return None


def _signature(head: str, parameters: list[str], rest: str, active: int, doc: str) -> CallSignature:
    label, spans = f"{head}(", []
    for number, parameter in enumerate(parameters):
        label += ", " if number else ""
        spans.append((len(label), len(label) + len(parameter)))
        label += parameter
    return CallSignature(f"{label}){rest}", tuple(spans), active, doc)
