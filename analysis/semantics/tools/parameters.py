"""The parameters of a tool, made from its schema: their order, their types in the language, and the texts that they accept."""

from __future__ import annotations

import json
from typing import Any, Final

from analysis.data_classes import dataclass

MOST_PARAMETERS: Final = 250
"""Parameters of a function; a tool's others cannot be given."""
_DEEPEST: Final = 8
"""Levels of lists and maps in a parameter's type; what lies deeper is JSON text. So many references are followed, too."""
_SCALARS: Final = {"integer": "Int", "number": "Float", "string": "String", "boolean": "Bool"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name` is the property's own name, `type` its type in the language. `is_json`: the String is sent as JSON.

    `choices` are the texts that a literal may be, none for any. `is_nullable`: null is sent where a required one is `None`.
    """

    name: str
    type: str
    is_required: bool
    is_json: bool = False
    choices: tuple[str, ...] = ()
    description: str = ""
    is_nullable: bool = False


def parameters_of(schema: str) -> tuple[tuple[Parameter, ...], int]:
    """Required properties in the order of `required`, then the others in the schema's; and the number of required ones beyond
    the limit."""
    try:
        read = json.loads(schema)
    except (ValueError, RecursionError):
        return (), 0
    properties = read.get("properties") if isinstance(read, dict) else None
    if not isinstance(properties, dict):
        return (), 0
    asked = read.get("required")
    required = dict.fromkeys(name for name in asked if name in properties) if are_texts(asked) else {}
    names = list(dict.fromkeys((*required, *properties)))[:MOST_PARAMETERS]
    parameters = tuple([_parameter(name, properties[name], name in required, read) for name in names])
    return parameters, max(0, len(required) - MOST_PARAMETERS)


def are_texts(value: Any) -> bool:
    """True for a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _parameter(name: str, schema: Any, is_required: bool, root: dict[str, Any]) -> Parameter:
    meant, is_nullable = _meant(schema, root)
    held = _type(meant, root)
    described = schema.get("description") if isinstance(schema, dict) else None
    text = described if isinstance(described, str) else ""
    return Parameter(name, held or "String", is_required, held is None, _choices(meant, held), text, is_nullable)


def _choices(meant: Any, held: str | None) -> tuple[str, ...]:
    if held != "String" or not isinstance(meant, dict):
        return ()
    if isinstance(only := meant.get("const"), str):
        return (only,)
    listed = meant.get("enum")
    texts = [choice for choice in listed if choice is not None] if isinstance(listed, list) else []
    return tuple(texts) if are_texts(texts) else ()


def _meant(schema: Any, root: dict[str, Any]) -> tuple[Any, bool]:
    """The schema behind references into the same document and behind the only alternative besides null; whether null fits."""
    is_nullable = False
    for _ in range(_DEEPEST):
        if not isinstance(schema, dict):
            break
        kind, listed = schema.get("type"), schema.get("enum")
        is_nullable |= kind == "null" or (isinstance(listed, list) and None in listed)
        is_nullable |= isinstance(kind, list) and "null" in kind
        following = _behind(schema, root)
        if following is None:
            break
        schema, allows_null = following
        is_nullable |= allows_null
    return schema, is_nullable


def _behind(schema: dict[str, Any], root: dict[str, Any]) -> tuple[Any, bool] | None:
    """The only schema that another one stands for, and whether null is its alternative; None if it stands for itself."""
    if isinstance(reference := schema.get("$ref"), str):
        return _referred(reference, root), False
    if schema.get("type") is not None:
        return None
    for key in ("anyOf", "oneOf", "allOf"):
        given = schema.get(key)
        if isinstance(given, list):
            others = [one for one in given if not (isinstance(one, dict) and one.get("type") == "null")]
            if len(others) == 1:
                return others[0], key != "allOf" and len(others) < len(given)
    return None


def _referred(reference: str, root: dict[str, Any]) -> Any:
    """What a reference into the same document means; None for every other one."""
    head, *steps = reference.split("/")
    meaning: Any = root if head == "#" and len(steps) <= _DEEPEST else None
    for step in steps:
        meaning = meaning.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(meaning, dict) else None
    return meaning


def _type(schema: Any, root: dict[str, Any], depth: int = 0) -> str | None:
    """The type of a schema; None for what is handed over as JSON text."""
    schema, _ = _meant(schema, root)
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    kind = schema.get("type")
    if isinstance(kind, list):
        types = [name for name in kind if name != "null"]
        kind = types[0] if len(types) == 1 else None
    if kind is None:
        texts = schema.get("enum")
        is_text = isinstance(schema.get("const"), str) or (
            isinstance(texts, list) and are_texts([one for one in texts if one is not None]) and texts != [None]
        )
        return "String" if is_text and "anyOf" not in schema else None
    if not isinstance(kind, str):
        return None
    if kind == "array":
        item = _type(schema.get("items"), root, depth + 1)
        return f"List<{item}>" if item is not None else None
    if kind == "object":
        value = None if schema.get("properties") else _type(schema.get("additionalProperties"), root, depth + 1)
        return f"Map<String, {value}>" if value is not None else None
    return _SCALARS.get(kind)
