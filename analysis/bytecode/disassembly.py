"""A module as text for people (chapter 06 of the spec, section 7.1), byte for byte the reference's `inspect`."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from math import isfinite, isinf
from typing import Any, Final

from analysis.bytecode.module import CAPABILITY_BY_ENUM_NAME, Constant, FunctionCode, Module, Op, TypeEntry
from analysis.database import paced


def disassembly(module: Module) -> str:
    """The whole text, with a line feed at its end."""
    return "".join([f"{line}\n" for line in paced(_lines(module))])


def _lines(module: Module) -> Iterator[str]:
    yield f"Module: {module.name}"
    yield f"Version: {module.version}"
    yield f"Entry: function #{module.entry}"
    yield ""
    yield f"Types ({len(module.types)}):"
    for number, entry in enumerate(module.types):
        yield f"  #{number}: {entry.name} {_kind(entry)}"
    yield ""
    yield f"Constants ({len(module.constants)}):"
    for number, constant in enumerate(module.constants):
        yield f"  #{number}: {constant_text(constant)}"
    yield ""
    yield f"Functions ({len(module.functions)}):"
    for number, function in enumerate(module.functions):
        yield from _function(number, function)


def _function(number: int, function: FunctionCode) -> Iterator[str]:
    yield f"  #{number}: {function.name}(arity={function.arity}, locals={function.locals}, ops={len(function.code)})"
    if function.capabilities:
        names = ", ".join(CAPABILITY_BY_ENUM_NAME[name].name for name in function.capabilities)
        yield f"      capabilities: {names}"
    for index, op in enumerate(function.code):
        yield f"      {index:04}: {op_text(op)}"


def op_text(op: Op) -> str:
    """An operation as disassemblies and traces show it."""
    name, *operands = op
    if name == "Assert":
        return f"Assert {{ msg: {operands[0]}, kind: {operands[1]}, index: {operands[2]} }}"
    return f"{name}({', '.join(map(str, operands))})" if operands else str(name)


def _kind(entry: TypeEntry) -> str:
    if entry.is_enum:
        parts = [f"({quoted(name)}, {f'Some({quoted(kind)})' if kind is not None else 'None'})" for name, kind in entry.members]
        return f"Enum {{ variants: [{', '.join(parts)}] }}"
    parts = [f"({quoted(name)}, {quoted(kind or '')})" for name, kind in entry.members]
    return f"Record {{ fields: [{', '.join(parts)}] }}"


_QUOTED: Final = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quoted(text: str) -> str:
    """A name or type text in quotes; those of loaded modules can hold anything."""
    return f'"{text.translate(_QUOTED)}"'


def constant_text(constant: Constant) -> str:
    """A constant as programs' messages show values (chapter 06 section 2), without recursion."""
    parts: list[str] = []
    todo: list[Any] = [constant]
    while todo:
        current = todo.pop()
        if isinstance(current, str):
            parts.append(current)
            continue
        kind, *content = current
        match kind:
            case "Unit":
                parts.append("()")
            case "None":
                parts.append("None")
            case "Bool":
                parts.append("true" if content[0] else "false")
            case "Int":
                parts.append(str(content[0]))
            case "Float":
                parts.append(float_display(content[0]))
            case "String":
                parts.append(f'"{content[0]}"')
            case "Some" | "Ok" | "Err":
                todo += [")", content[0], f"{kind}("]
            case "List":
                todo += reversed(["[", *_between(content[0]), "]"])
            case "Map":
                pairs = [
                    piece for number, (key, item) in enumerate(content[0]) for piece in (f"{', ' if number else ''}{key}: ", item)
                ]
                todo += reversed(["{", *pairs, "}"])
            case "Record":
                todo += reversed([f"Record#{content[0]}{{", *_between(content[1]), "}"])
            case "Enum":
                todo += [")", content[2], f"Enum#{content[0]}::{content[1]}("]
            case "ActorId":
                parts.append(f"Actor#{content[0]}")
            case _:
                parts.append(f"Fn#{content[0]}")
    return "".join(parts)


def _between(items: tuple[Constant, ...]) -> list[Any]:
    return [piece for number, item in enumerate(items) for piece in ((", ", item) if number else (item,))]


def float_display(value: float) -> str:
    """Shortest digits that read back, never an exponent, no fraction for whole numbers."""
    if not isfinite(value):
        return ("-inf" if value < 0 else "inf") if isinf(value) else "NaN"
    text = format(Decimal(repr(value)), "f")
    return text.removesuffix(".0")
