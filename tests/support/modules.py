"""Modules of the corpus from their JSON, and a gateway that answers like the mock handler for the tests of the machine."""

from __future__ import annotations

from typing import Any

from analysis.bytecode.module import Arm, FunctionCode, Module, TypeEntry


def module_of(data: dict[str, Any]) -> Module:
    """A module as `analysis.bytecode` holds it."""
    return Module(
        name=data["name"],
        version=data["version"],
        constants=tuple(constant_of(value) for value in data["constants"]),
        globals=tuple(data["globals"]),
        types=tuple(_type(entry) for entry in data["types"]),
        functions=tuple(_function(function) for function in data["functions"]),
        entry=data["entry"],
    )


def constant_of(data: Any) -> tuple[Any, ...]:
    """A constant from tagged JSON."""
    if isinstance(data, str):
        return (data,)
    ((tag, content),) = data.items()
    match tag:
        case "Some" | "Ok" | "Err":
            return (tag, constant_of(content))
        case "List":
            return (tag, tuple(map(constant_of, content)))
        case "Map":
            return (tag, tuple((key, constant_of(value)) for key, value in sorted(content.items())))
        case "Record":
            return (tag, content["type_id"], tuple(map(constant_of, content["fields"])))
        case "Enum":
            return (tag, content["type_id"], content["variant"], constant_of(content["payload"]))
    return (tag, content)


def _type(data: dict[str, Any]) -> TypeEntry:
    ((kind, content),) = data["kind"].items()
    members = content["variants"] if kind == "Enum" else content["fields"]
    return TypeEntry(data["name"], kind == "Enum", tuple((name, text) for name, text in members))


def _op(data: Any) -> tuple[Any, ...]:
    if isinstance(data, str):
        return (data,)
    ((name, operands),) = data.items()
    if name == "Assert":
        return (name, operands["msg"], operands["kind"], operands["index"])
    return (name, *operands) if isinstance(operands, list) else (name, operands)


def _function(data: dict[str, Any]) -> FunctionCode:
    return FunctionCode(
        name=data["name"],
        arity=data["arity"],
        locals=data["locals"],
        code=tuple(map(_op, data["code"])),
        capabilities=tuple(data["capabilities"]),
        intent=data.get("intent"),
        match_tables=tuple(tuple(Arm(arm["tag"], arm["target"]) for arm in table) for table in data["match_tables"]),
    )
