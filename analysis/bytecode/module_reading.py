"""Modules from JSON values (chapter 06 of the spec, section 5), with the loader's words and the place for whatever is wrong.

The container around them is read by `axbc`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.bytecode.module import CAPABILITY_BY_ENUM_NAME, OPCODES, Arm, Constant, FunctionCode, Module, Op, TypeEntry

_KINDS: Final = ("Requires", "Ensures")


class LoadError(Exception):
    """A file that holds no valid module; the message is for the user."""


def module_from_json(value: Any) -> Module:
    """A module from its JSON values. Raises LoadError, naming the place."""
    try:
        return _module(value)
    except _Wrong as wrong:
        raise LoadError(f"serialization error: {wrong}") from None


class _Wrong(Exception):
    """A defect of a value; the path to it grows while the exception propagates."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""

    def __str__(self) -> str:
        return f"{self.problem} at {self.path.lstrip('.')}" if self.path else self.problem


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return f"boolean `{str(value).lower()}`"
        case int():
            return f"integer `{value}`"
        case float():
            return f"floating point `{value}`"
        case str():
            return f'string "{value}"'
        case list():
            return "sequence"
    return "map"


def _within(step: str, read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except _Wrong as wrong:
        wrong.path = step + wrong.path
        raise


def _field(value: Mapping[str, Any], name: str, read: Callable[[Any], Any]) -> Any:
    if name not in value:
        raise _Wrong(f"missing field `{name}`")
    return _within(f".{name}", read, value[name])


def _object(value: Any, expected: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"invalid type: {_kind(value)}, expected {expected}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"invalid type: {_kind(value)}, expected a string")
    return value


def _optional_text(value: Any) -> str | None:
    return None if value is None else _text(value)


def _list(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_list(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _Wrong(f"invalid type: {_kind(value)}, expected a sequence")
        return tuple([_within(f"[{number}]", read, item) for number, item in enumerate(value)])

    return read_list


def _number(name: str, least: int, most: int) -> Callable[[Any], int]:
    def read_number(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _Wrong(f"invalid type: {_kind(value)}, expected {name}")
        if not least <= value <= most:
            raise _Wrong(f"invalid value: integer `{value}`, expected {name}")
        return value

    return read_number


_NUMBERS: Final = {
    "u8": _number("u8", 0, 0xFF),
    "u16": _number("u16", 0, 0xFFFF),
    "u32": _number("u32", 0, 0xFFFF_FFFF),
    "u64": _number("u64", 0, 0xFFFF_FFFF_FFFF_FFFF),
    "i32": _number("i32", -0x8000_0000, 0x7FFF_FFFF),
    "i64": _number("i64", -0x8000_0000_0000_0000, 0x7FFF_FFFF_FFFF_FFFF),
}


def _module(value: Any) -> Module:
    given = _object(value, "struct Module")
    return Module(
        _field(given, "name", _text),
        _field(given, "version", _NUMBERS["u16"]),
        _field(given, "constants", _list(constant_from_json)),
        _field(given, "globals", _list(_text)),
        _field(given, "types", _list(_type)),
        _field(given, "functions", _list(_function)),
        _field(given, "entry", _NUMBERS["u32"]),
    )


def _variant(value: Any, names: tuple[str, ...], expected: str) -> tuple[str, Any, bool]:
    """Name and content of a tagged value, and whether there is a content."""
    if isinstance(value, str):
        name, content, has_content = value, None, False
    else:
        given = _object(value, expected)
        if len(given) != 1:
            raise _Wrong("invalid value: map, expected map with a single key")
        ((name, content),) = given.items()
        has_content = True
    if name not in names:
        listed = ", ".join(f"`{variant}`" for variant in names)
        raise _Wrong(f"unknown variant `{name}`, expected one of {listed}")
    return name, content, has_content


def _type(value: Any) -> TypeEntry:
    given = _object(value, "struct TypeDef")
    name = _field(given, "name", _text)
    kind, content, _ = _field(given, "kind", lambda kind: _variant(kind, ("Record", "Enum"), "enum TypeKind"))
    inside = _object(content, "struct variant")
    if kind == "Record":
        return TypeEntry(name, False, _field(inside, "fields", _list(_pair(_text))))
    return TypeEntry(name, True, _field(inside, "variants", _list(_pair(_optional_text))))


def _pair(read: Callable[[Any], Any]) -> Callable[[Any], tuple[str, Any]]:
    def read_pair(value: Any) -> tuple[str, Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise _Wrong(f"invalid type: {_kind(value)}, expected a tuple of size 2")
        return _text(value[0]), read(value[1])

    return read_pair


def _function(value: Any) -> FunctionCode:
    given = _object(value, "struct Function")
    return FunctionCode(
        _field(given, "name", _text),
        _field(given, "arity", _NUMBERS["u8"]),
        _field(given, "locals", _NUMBERS["u16"]),
        _field(given, "code", _list(op_from_json)),
        _field(given, "capabilities", _list(_capability)),
        _optional_text(given.get("intent")),
        _field(given, "match_tables", _list(_list(_arm))),
    )


def _capability(value: Any) -> str:
    return _variant(value, tuple(CAPABILITY_BY_ENUM_NAME), "enum Capability")[0]


def _arm(value: Any) -> Arm:
    given = _object(value, "struct MatchArm")
    return Arm(_field(given, "tag", _NUMBERS["i32"]), _field(given, "target", _NUMBERS["u32"]))


def op_from_json(value: Any) -> Op:
    """An operation from its JSON value."""
    name, content, has_content = _variant(value, tuple(OPCODES), "enum Op")
    operands = OPCODES[name].operands
    if not operands:
        if has_content and content is not None:
            raise _Wrong(f"invalid type: {_kind(content)}, expected unit variant Op::{name}")
        return (name,)
    if name == "Assert":
        given = _object(content, "struct variant Op::Assert")
        kind = _field(given, "kind", lambda kind: _variant(kind, _KINDS, "enum ContractKind"))[0]
        return (name, _field(given, "msg", _NUMBERS["u32"]), kind, _field(given, "index", _NUMBERS["u32"]))
    if len(operands) == 1:
        return (name, _NUMBERS[operands[0][1]](content))
    if not isinstance(content, list) or len(content) != len(operands):
        raise _Wrong(f"invalid type: {_kind(content)}, expected tuple variant Op::{name}")
    return (name, *[_NUMBERS[kind](item) for (_, kind), item in zip(operands, content, strict=True)])


def _finite(content: int | float) -> float:
    try:
        value = float(content)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise _Wrong("number out of range")
    return value


_CONSTANT_KINDS: Final = (
    "Unit", "Bool", "Int", "Float", "String", "None", "Some", "Ok", "Err", "Record", "Enum", "List", "Map", "ActorId", "FnRef",
)  # fmt: skip


def constant_from_json(value: Any) -> Constant:
    """A constant from its JSON value."""
    kind, content, _ = _variant(value, _CONSTANT_KINDS, "enum Value")
    match kind:
        case "Unit" | "None":
            return (kind,)
        case "Bool":
            if not isinstance(content, bool):
                raise _Wrong(f"invalid type: {_kind(content)}, expected a boolean")
        case "Float":
            if not isinstance(content, (int, float)) or isinstance(content, bool):
                raise _Wrong(f"invalid type: {_kind(content)}, expected f64")
            return kind, _finite(content)
        case "String":
            _text(content)
        case "Int":
            _NUMBERS["i64"](content)
        case "ActorId":
            _NUMBERS["u64"](content)
        case "FnRef":
            _NUMBERS["u32"](content)
        case "Some" | "Ok" | "Err":
            return kind, constant_from_json(content)
        case "List":
            return kind, _list(constant_from_json)(content)
        case "Map":
            given = _object(content, "a map")
            pairs = sorted(given.items(), key=lambda pair: pair[0].encode())
            return kind, tuple([(key, _within(f".{key}", constant_from_json, item)) for key, item in pairs])
        case "Record":
            given = _object(content, "struct variant Value::Record")
            return kind, _field(given, "type_id", _NUMBERS["u32"]), _field(given, "fields", _list(constant_from_json))
        case "Enum":
            given = _object(content, "struct variant Value::Enum")
            return (
                kind,
                _field(given, "type_id", _NUMBERS["u32"]),
                _field(given, "variant", _NUMBERS["u8"]),
                _field(given, "payload", constant_from_json),
            )
    return kind, content
