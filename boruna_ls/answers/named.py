"""Results as the language writes them: public JSON of a run, with the names of the module's types, fields and variants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from analysis.bytecode.module import Module
from boruna_ls.answers.envelope import RawValue

_DEPTH: Final = 40
_LARGEST: Final = 200_000
"""Characters of JSON that are read for a text."""


def named_result(answer: Mapping[str, Any], module: Module) -> str:
    """`UINode { tag: "card" }` for the result of a successful run; its plain text where it is too large or nests too deep."""
    result = answer.get("result")
    if not isinstance(result, RawValue) or len(result) > _LARGEST or result.depth > _DEPTH:
        return str(answer.get("result_text", ""))
    return _text(json.loads(result), module)


def _text(value: Any, module: Module) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_text(item, module) for item in value)}]"
    if isinstance(value, dict):
        return _tagged(value, module)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "()" if value is None else str(value)


def _tagged(value: dict[str, Any], module: Module) -> str:
    match value:
        case {"option": "None"}:
            return "None"
        case {"option": name, "value": inner} | {"result": name, "value": inner}:
            return f"{name}({_text(inner, module)})"
        case {"type": "record", "type_id": int(number), "fields": list(fields)}:
            return _record(number, fields, module)
        case {"type": "enum", "type_id": int(number), "variant": int(variant), "payload": payload}:
            return _variant(number, variant, payload, module)
    return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_text(item, module)}" for key, item in value.items()) + "}"


def _record(number: int, fields: list[Any], module: Module) -> str:
    entry = module.types[number] if number < len(module.types) else None
    texts = [_text(field, module) for field in fields]
    # Copies of records of unknown type count as type 0; their fields tell them apart.
    if entry is None or entry.is_enum or len(entry.members) != len(texts):
        return f"{{ {', '.join(texts)} }}" if texts else "{}"
    shown = [f"{name}: {text}" for (name, _), text in zip(entry.members, texts, strict=True)]
    return f"{entry.name} {{ {', '.join(shown)} }}" if shown else f"{entry.name} {{}}"


def _variant(number: int, variant: int, payload: Any, module: Module) -> str:
    entry = module.types[number] if number < len(module.types) else None
    if entry is None or not entry.is_enum or variant >= len(entry.members):
        return f"{number}::{variant}({_text(payload, module)})"
    name, type_ = entry.members[variant]
    return f"{entry.name}::{name}" + ("" if type_ is None else f"({_text(payload, module)})")
