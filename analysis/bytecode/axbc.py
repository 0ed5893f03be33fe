"""Modules as JSON and as `.axbc` files (chapter 06 of the spec, sections 5 and 6), byte for byte as the reference writes them.

Errors of the loader have the words of section 6.2; what the JSON reader says about damaged JSON is its own. What the bytecode
cannot say stands behind the module (`side_tables`).
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable
from typing import Any, Final

from analysis.bytecode.module import Constant, FunctionCode, Module, Op, TypeEntry
from analysis.bytecode.module_reading import LoadError, constant_from_json, module_from_json, op_from_json
from analysis.bytecode.side_tables import side_tables, with_side_tables
from analysis.database import checkpoint, paced

__all__ = (
    "LoadError",
    "constant_from_json",
    "constant_to_json",
    "decode",
    "encode",
    "encode_file",
    "float_text",
    "module_from_json",
    "module_to_json",
    "op_from_json",
    "op_to_json",
    "written",
)

MAGIC: Final = b"LLMB"
VERSION: Final = 1
MAX_DEPTH: Final = 127
"""Levels of JSON in a file that can be read."""
_HEADER: Final = struct.Struct("<4sHI")


# ---- writing --------------------------------------------------------------------------------------------------------


def encode(module: Module) -> bytes:
    """The bytes of a module, as the reference writes them; sizes and hashes are those of these bytes."""
    payload = written(module_to_json(module)).encode()
    return _HEADER.pack(MAGIC, module.version, len(payload)) + payload


def encode_file(module: Module) -> bytes:
    """The bytes of a module's `.axbc` file: the module, and behind it what it knows beside its bytecode."""
    data = encode(module)
    return data + side_tables(module, data)


def module_to_json(module: Module) -> dict[str, Any]:
    """A module as JSON values, keys in the order of the format."""
    return {
        "name": module.name,
        "version": module.version,
        "constants": [constant_to_json(constant) for constant in paced(module.constants)],
        "globals": list(module.globals),
        "types": [_type_to_json(entry) for entry in module.types],
        "functions": [_function_to_json(function) for function in paced(module.functions)],
        "entry": module.entry,
    }


def _type_to_json(entry: TypeEntry) -> dict[str, Any]:
    members = [list(pair) for pair in entry.members]
    kind = {"Enum": {"variants": members}} if entry.is_enum else {"Record": {"fields": members}}
    return {"name": entry.name, "kind": kind}


def _function_to_json(function: FunctionCode) -> dict[str, Any]:
    return {
        "name": function.name,
        "arity": function.arity,
        "locals": function.locals,
        "code": [op_to_json(op) for op in paced(function.code)],
        "capabilities": list(function.capabilities),
        "intent": function.intent,
        "match_tables": [[{"tag": arm.tag, "target": arm.target} for arm in table] for table in function.match_tables],
    }


def op_to_json(op: Op) -> Any:
    """An operation: its name, or an object from its name to its operands."""
    name, *operands = op
    if not operands:
        return name
    if name == "Assert":
        return {name: dict(zip(("msg", "kind", "index"), operands, strict=True))}
    return {name: operands[0] if len(operands) == 1 else operands}


def constant_to_json(constant: Constant) -> Any:
    """A constant: tagged by its kind, in the form of event logs and of the CLI's UI output too."""
    kind, *content = constant
    match kind:
        case "Unit" | "None":
            return kind
        case "Some" | "Ok" | "Err":
            return {kind: constant_to_json(content[0])}
        case "List":
            return {kind: [constant_to_json(item) for item in content[0]]}
        case "Map":
            return {kind: {key: constant_to_json(value) for key, value in content[0]}}
        case "Record":
            return {kind: {"type_id": content[0], "fields": [constant_to_json(item) for item in content[1]]}}
        case "Enum":
            return {kind: {"type_id": content[0], "variant": content[1], "payload": constant_to_json(content[2])}}
    return {kind: content[0]}


_OFTEN: Final = 1_000
"""Values between two checkpoints."""
_MANY: Final = 100_000
"""Pieces that are joined."""


def written(value: Any) -> str:
    """JSON values as compact text: keys in order, floats as the reference's JSON writer prints them.

    Works with a stack of its own: constants of modules made by hand can be nested deeply.
    """
    joined: list[str] = []
    parts: list[str] = []
    todo: list[Any] = [value]
    count = 0
    while todo:
        current = todo.pop()
        count += 1
        if count % _OFTEN == 0:
            if len(parts) > _MANY:
                joined.append("".join(parts))
                parts.clear()
            checkpoint()
        match current:
            case _Text():
                parts.append(current.text)
            case dict():
                todo.append(_CLOSE_OBJECT)
                for number, (key, item) in reversed(list(enumerate(current.items()))):
                    todo += [item, _Text(f"{',' if number else ''}{json.dumps(key, ensure_ascii=False)}:")]
                parts.append("{")
            case list():
                todo.append(_CLOSE_LIST)
                for number, item in paced(reversed(list(enumerate(current)))):
                    todo.append(item)
                    if number:
                        todo.append(_COMMA)
                parts.append("[")
            case float():
                parts.append(float_text(current))
            case _:
                parts.append(json.dumps(current, ensure_ascii=False))
    return "".join((*joined, *parts))


class _Text:
    """A piece of output that is written unchanged."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


_CLOSE_OBJECT: Final = _Text("}")
_CLOSE_LIST: Final = _Text("]")
_COMMA: Final = _Text(",")


def float_text(value: float) -> str:
    """Shortest digits that read back: positional from 1e-5 to below 1e16, else with a bare exponent; null if not finite."""
    if not math.isfinite(value):
        return "null"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    power = int(exponent)
    if power == -5:
        sign = "-" if mantissa.startswith("-") else ""
        return f"{sign}0.0000{mantissa.lstrip('-').replace('.', '')}"
    return f"{mantissa.removesuffix('.0')}e{power:+d}" if power > 0 else f"{mantissa.removesuffix('.0')}e{power}"


# ---- reading --------------------------------------------------------------------------------------------------------


def decode(data: bytes) -> Module:
    """The module in the bytes of an `.axbc` file, with its side tables if there are any. Raises LoadError."""
    if len(data) < _HEADER.size:
        raise LoadError("invalid bytecode: too short")
    magic, version, length = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise LoadError("invalid magic bytes")
    if version != VERSION:
        raise LoadError(f"unsupported version: {version}")
    end = _HEADER.size + length
    if len(data) < end:
        raise LoadError("invalid bytecode: truncated payload")
    try:
        values = _values(data[_HEADER.size : end])
        infinite = _without_infinite(values)
        module = module_from_json(values)
    except ValueError as error:
        raise LoadError(f"serialization error: {error}") from None
    except RecursionError:
        raise LoadError("serialization error: recursion limit exceeded") from None
    return with_side_tables(module, data[:end], data[end:], infinite)


def _values(payload: bytes) -> Any:
    """JSON as the reference reads it: UTF-8, numbers that are finite, texts without half a character, `MAX_DEPTH` levels."""
    text = payload.decode("utf-8")
    value = json.loads(text, parse_constant=_refuse_number)
    if "\\ud" in text or "\\uD" in text:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for container in level for item in _parts(container) if isinstance(item, dict | list)]
        if not level:
            return value
    raise RecursionError


def _without_infinite(values: Any) -> tuple[int, ...]:
    """Replaces the infinite floats in a module's constants, which JSON writes as null; returns their indexes."""
    constants = values.get("constants") if isinstance(values, dict) else None
    if not isinstance(constants, list):
        return ()
    infinite = tuple([number for number, constant in enumerate(constants) if constant == {"Float": None}])
    for number in infinite:
        constants[number] = {"Float": 0.0}
    return infinite


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _refuse_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")
