"""Calls (chapter 07 sections 7 and 8): the nearest definition of the callee's name wins (chapter 26 S11).

A local variable comes before a function of the program, that before a builtin. Builtins are an opcode each, or a capability.
"""

from __future__ import annotations

from typing import Final

from analysis.bytecode.module import CAPABILITY_BY_SOURCE_NAME
from analysis.codegen import tool_calls
from analysis.codegen.output import MOST, Output
from analysis.codegen.want import Want
from analysis.semantics.builtins import BUILTINS
from analysis.syntax import tree as t

_OPCODES: Final = {
    "list_len": "ListLen",
    "list_get": "ListGet",
    "list_push": "ListPush",
    "parse_int": "ParseInt",
    "try_parse_int": "TryParseInt",
    "str_contains": "StrContains",
    "str_starts_with": "StrStartsWith",
    "__builtin_list_len": "ListLenBuiltin",
    "__builtin_guard": "GuardSeal",
}
"""Opcodes of builtins that are not called like them."""


def opcode(name: str) -> str:
    """The opcode of a builtin that needs no capability: `__builtin_list_head` is ListHead."""
    own = _OPCODES.get(name)
    return own or "".join(word.capitalize() for word in name.removeprefix("__builtin_").split("_"))


def call(out: Output, node: t.Call, _: Want) -> None:
    """A call of anything."""
    callee, count = node.callee, len(node.arguments)
    if tool_calls.call(out, node):
        return
    if isinstance(callee, t.Name) and out.slot_at(callee.name, callee.start) is None:
        name = callee.name
        function = out.meanings.functions.get(name)
        if function is not None:
            if count != function.arity and not out.in_contract:
                out.refused = True
            if count > MOST:
                out.refuse(f"call to `{name}` has {count} arguments; max {MOST}", node)
            _arguments(out, node)
            out.emit(("Call", function.number, count), node)
            return
        builtin = BUILTINS.get(name)
        if builtin is not None:
            if builtin.arity == count:
                _builtin(out, node, name)
                return
            if not out.in_contract:
                out.refused = True
    if count > MOST:
        out.refuse(f"call has {count} arguments; max {MOST}", node)
    _arguments(out, node)
    out.value(callee)
    out.emit(("CallIndirect", count), node)


def _arguments(out: Output, node: t.Call) -> None:
    for argument in node.arguments:
        out.value(argument)


def _builtin(out: Output, node: t.Call, name: str) -> None:
    _arguments(out, node)
    capability = BUILTINS[name].capability
    if capability:
        kind = CAPABILITY_BY_SOURCE_NAME[capability]
        out.emit(("CapCall", kind.id, len(node.arguments)), node)
        if kind.enum_name not in out.capabilities:
            out.capabilities.append(kind.enum_name)
    elif name == "map_new":
        out.push(("Map", ()), node)
    else:
        out.emit((opcode(name),), node)
