"""Expressions (chapter 07 section 6), but for calls, records and matches; `EMITTERS` is the table of all.

Each leaves what the reference's sequence leaves; `Output.value` and `Output.effect` add what a place needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from analysis.bytecode.module import RESULT_TYPE, SOME_TYPE
from analysis.codegen import matches, records, statements
from analysis.codegen.call_code import call
from analysis.codegen.output import MOST, UNIT, Output
from analysis.codegen.want import Want
from analysis.semantics.tools.call_syntax import is_path
from analysis.syntax import tree as t
from analysis.syntax.lexer import decoded

_OPERATORS: Final = {
    "+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Mod", "==": "Eq", "!=": "Neq", "<": "Lt", "<=": "Lte",
    ">": "Gt", ">=": "Gte", "&&": "And", "||": "Or", "++": "Concat",
}  # fmt: skip


def _integer(out: Output, node: t.IntLiteral, _: Want) -> None:
    out.push(("Int", int(node.text)), node)


def _float(out: Output, node: t.FloatLiteral, _: Want) -> None:
    out.push(("Float", float(node.text)), node)


def _string(out: Output, node: t.StringLiteral, _: Want) -> None:
    out.push(("String", decoded(node.raw)), node)


def _bool(out: Output, node: t.BoolLiteral, _: Want) -> None:
    out.push(("Bool", node.value), node)


def _none(out: Output, node: t.NoneLiteral, _: Want) -> None:
    out.push(("None",), node)


def _name(out: Output, node: t.Name, _: Want) -> None:
    if is_path(node.name):
        # The checker reports this: a tool is no value.
        out.refused = True
        out.push(UNIT, node)
        return
    slot = out.slot_at(node.name, node.start)
    if slot is not None:
        out.emit(("LoadLocal", slot), node)
        return
    function = out.meanings.functions.get(node.name)
    if function is None:
        out.unknown(node.name, f"undefined: {node.name}", node)
        return
    out.push(("FnRef", function.number), node)


def _binary(out: Output, node: t.Binary, _: Want) -> None:
    # Chains lean to the left and can be thousands of terms long.
    chain: list[t.Binary] = []
    left: t.Expr = node
    while isinstance(left, t.Binary):
        chain.append(left)
        left = left.left
    out.value(left)
    for link in reversed(chain):
        out.value(link.right)
        out.emit((_OPERATORS[link.operator],), link)


def _unary(out: Output, node: t.Unary, _: Want) -> None:
    out.value(node.operand)
    out.emit(("Neg" if node.operator == "-" else "Not",), node)


def _block(out: Output, node: t.Block, want: Want) -> None:
    with out.block():
        statements.run(out, node, want)


def _if(out: Output, node: t.If, want: Want) -> None:
    out.value(node.condition)
    otherwise = out.jump("JmpIfNot", node.condition)
    out.write(node.then_block, want)
    if node.else_block is not None:
        end = out.jump("Jmp", node.then_block)
        out.land(otherwise)
        out.write(node.else_block, want)
        out.land(end)
    elif want is Want.VALUE:
        end = out.jump("Jmp", node.then_block)
        out.land(otherwise)
        out.push(UNIT, node)
        out.land(end)
    else:
        out.land(otherwise)


def _list(out: Output, node: t.ListLiteral, _: Want) -> None:
    if len(node.items) > MOST:
        out.refuse(f"list literal has {len(node.items)} elements; max {MOST}", node)
    for item in node.items:
        out.value(item)
    out.emit(("MakeList", len(node.items)), node)


def _wrap(out: Output, node: t.Wrap, _: Want) -> None:
    out.value(node.operand)
    if node.kind == "Some":
        # The reference pushes a value and drops it again; both instructions count as steps.
        out.push(("Bool", True), node)
        out.emit(("Pop",), node)
        out.emit(("MakeEnum", SOME_TYPE, 1), node)
    else:
        out.emit(("MakeEnum", RESULT_TYPE, 0 if node.kind == "Ok" else 1), node)


def _spawn(out: Output, node: t.Spawn, _: Want) -> None:
    if not isinstance(node.operand, t.Name):
        out.refuse("spawn requires a function name", node.operand)
        out.value(node.operand)
        return
    name = node.operand.name
    function = out.meanings.functions.get(name)
    if function is not None:
        out.emit(("SpawnActor", function.number), node)
    elif out.slot_at(name, node.operand.start) is not None:
        out.refuse(f"unknown function: {name}", node.operand)
    else:
        out.unknown(name, f"unknown function: {name}", node.operand)


def _send(out: Output, node: t.Send, _: Want) -> None:
    out.value(node.target)
    out.value(node.message)
    out.emit(("SendMsg",), node)


def _receive(out: Output, node: t.Receive, _: Want) -> None:
    out.emit(("ReceiveMsg",), node)


def _emit_ui(out: Output, node: t.Emit, _: Want) -> None:
    out.value(node.operand)
    out.emit(("Dup",), node)
    out.emit(("EmitUi",), node)


def _error(out: Output, node: t.ErrorExpr, _: Want) -> None:
    out.refuse("the expression cannot be read", node)


EMITTERS: Final[dict[type[t.Expr], Callable[[Output, Any, Want], None]]] = {
    t.IntLiteral: _integer,
    t.FloatLiteral: _float,
    t.StringLiteral: _string,
    t.BoolLiteral: _bool,
    t.NoneLiteral: _none,
    t.Name: _name,
    t.Binary: _binary,
    t.Unary: _unary,
    t.Call: call,
    t.FieldAccess: records.field_access,
    t.Block: _block,
    t.If: _if,
    t.Match: matches.match,
    t.RecordLiteral: records.record_literal,
    t.VariantLiteral: records.variant_literal,
    t.ListLiteral: _list,
    t.Wrap: _wrap,
    t.Spawn: _spawn,
    t.Send: _send,
    t.Receive: _receive,
    t.Emit: _emit_ui,
    t.ErrorExpr: _error,
}
"""Emitter of each kind of expression."""
