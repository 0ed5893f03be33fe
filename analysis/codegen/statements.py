"""Blocks and statements (chapter 07 section 5)."""

from __future__ import annotations

from analysis.codegen.output import UNIT, Output
from analysis.codegen.shape import Leaves
from analysis.codegen.want import Want
from analysis.syntax import tree as t


def run(out: Output, block: t.Block, want: Want) -> None:
    """The statements of a block in the open scope; the last one leaves the wanted values."""
    if not block.statements:
        return
    *before, last = block.statements
    for statement in before:
        if isinstance(statement, t.Expr):
            out.effect(statement)
        else:
            _statement(out, statement)
    if isinstance(last, t.Expr):
        out.write(last, want)
    else:
        _statement(out, last)


def _statement(out: Output, node: t.Statement) -> None:
    match node:
        case t.Let():
            out.value(node.value)
            # The slot is taken behind the value, which still sees the old meaning of the name.
            slot = out.slot()
            out.bind(node.name, node.at, slot)
            out.emit(("StoreLocal", slot), node)
        case t.Assign():
            _assign(out, node)
        case t.Return():
            leave(out, node)
            if out.exits is None:
                out.emit(("Ret",), node)
            else:
                out.exits.append((out.jump("Jmp", node), node.start))
        case t.While():
            _while(out, node)
        case t.For():
            _for(out, node)


def leave(out: Output, node: t.Return) -> None:
    """The value that a `return` gives back."""
    if node.value is None:
        out.push(UNIT, node)
    else:
        out.value(node.value)


def _assign(out: Output, node: t.Assign) -> None:
    out.value(node.value)
    slot = out.slot_at(node.name, node.at)
    if slot is not None:
        out.emit(("StoreLocal", slot), node)
        return
    place = t.Node(node.at, node.at + len(node.name))
    if out.is_function(node.name):
        out.refuse(f"undefined variable: {node.name}", place)
    else:
        out.unknown(node.name, f"undefined variable: {node.name}", place)


def _while(out: Output, node: t.While) -> None:
    start = len(out.code)
    out.value(node.condition)
    end = out.jump("JmpIfNot", node.condition)
    with out.block():
        run(out, node.body, Want.NOTHING)
    out.emit(("Jmp", start), node)
    out.land(end)


def _for(out: Output, node: t.For) -> None:
    out.value(node.iterable)
    items = out.slot()
    out.emit(("StoreLocal", items), node.iterable)
    position = out.slot()
    out.push(("Int", 0), node.iterable)
    out.emit(("StoreLocal", position), node.iterable)
    item = out.slot()
    start = len(out.code)
    out.emit(("LoadLocal", position), node.iterable)
    out.emit(("LoadLocal", items), node.iterable)
    out.emit(("ListLen",), node.iterable)
    out.emit(("Lt",), node.iterable)
    end = out.jump("JmpIfNot", node.iterable)
    out.emit(("LoadLocal", items), node.iterable)
    out.emit(("LoadLocal", position), node.iterable)
    out.emit(("ListGet",), node.iterable)
    out.emit(("StoreLocal", item), node.iterable)
    with out.block():
        out.bind(node.name, node.at, item)
        # The reference drops nothing here: no instruction is added where nothing is left (chapter 26 S4).
        last = node.body.statements[-1] if node.body.statements else None
        never = isinstance(last, t.Expr) and out.shapes.of(last) is Leaves.NEVER
        run(out, node.body, Want.PLAIN if never else Want.NOTHING)
    out.emit(("LoadLocal", position), node)
    out.push(("Int", 1), node)
    out.emit(("Add",), node)
    out.emit(("StoreLocal", position), node)
    out.emit(("Jmp", start), node)
    out.land(end)
