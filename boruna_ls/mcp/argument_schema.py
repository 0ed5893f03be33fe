"""The JSON schema of an argument model as agents see it: short, without references, and what an argument "must be" in words.

pydantic's schema names every type and every `null`; hosts pay for it in tokens, and some cannot follow references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

Node = Mapping[str, Any]
_WORDS: Final = {"string": "a string", "boolean": "true or false", "object": "an object", "array": "a list", "number": "a number"}
_UNITS: Final = {"maxItems": "entries", "maxLength": "characters", "maxProperties": "entries"}
_FAR: Final = 2**31 - 1
_LARGEST: Final = 2**53
"""Least bound that is shown as a power of two."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The input schema of a tool. Shared: do not change it."""
    return _schema_of(model)


@cache
def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    generated = model.model_json_schema()
    schema = {"title": model.__name__, **_plain(generated, generated.get("$defs", {}))}
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def shown_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema without bounds that no call comes near: every host pays for each word of it."""
    shown: dict[str, Any] = _without_far_bounds(schema_of(model))
    return {name: value for name, value in shown.items() if name != "title"}


def node_at(schema: Node, steps: Iterable[int | str]) -> Node:
    """The part of a schema that describes the value at a place of a call; an empty one if none does."""
    node = schema
    for step in steps:
        choices = node.get("anyOf", [node])
        inner = (
            choice["items"]
            if isinstance(step, int)
            else choice.get("properties", {}).get(step, choice.get("additionalProperties"))
            for choice in choices
            if isinstance(step, str) or "items" in choice
        )
        node = next((part for part in inner if isinstance(part, dict)), {})
    return node


def expected(node: Node) -> str:
    """Description of the values that a schema node accepts, in words."""
    if "enum" in node:
        return f"one of {', '.join(map(str, node['enum']))}"
    if "anyOf" in node:
        return " or ".join(dict.fromkeys(expected(choice) for choice in node["anyOf"]))
    if node.get("type") == "integer":
        return f"an integer from {_number(node.get('minimum', 0))} to {_number(node.get('maximum', 2**64 - 1))}"
    return _WORDS.get(node.get("type", ""), "a value")


def described_values(node: Node) -> str:
    """The same, with what the value means."""
    return _with_meaning(expected(node), node)


def accepted_values(node: Node) -> str:
    """The same, with the largest size, too."""
    most = next((f" of at most {node[name]:,} {unit}" for name, unit in _UNITS.items() if node.get(name, _FAR) < _FAR), "")
    return _with_meaning(expected(node) + most, node)


def _with_meaning(values: str, node: Node) -> str:
    meaning = str(node.get("description", ""))
    return f"{values} ({meaning[0].lower()}{meaning[1:]})" if meaning else values


def _number(value: int) -> str:
    return f"2^{value.bit_length()} - 1" if value >= _LARGEST and value & (value + 1) == 0 else str(value)


def _plain(node: Node, definitions: Mapping[str, Node]) -> dict[str, Any]:
    if "$ref" in node:
        target = {**definitions[node["$ref"].rpartition("/")[2]]}
        # A model's own docstring is for readers of the code.
        target.pop("description", None)
        return _plain({**target, **{name: value for name, value in node.items() if name != "$ref"}}, definitions)
    plain: dict[str, Any] = {}
    for name, value in node.items():
        if name == "properties":
            plain[name] = {inner: _plain(child, definitions) for inner, child in value.items()}
        elif name == "anyOf":
            plain |= _choices([option for option in value if option.get("type") != "null"], definitions)
        elif name in ("items", "additionalProperties") and isinstance(value, dict):
            plain[name] = _plain(value, definitions)
        elif name not in ("title", "$defs", "additionalProperties") and not (name == "default" and value is None):
            plain[name] = value
    return plain


def _without_far_bounds(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_far_bounds(inner) for name, inner in value.items() if not _is_far(name, inner)}
    return [_without_far_bounds(inner) for inner in value] if isinstance(value, list) else value


def _is_far(name: str, value: Any) -> bool:
    return name == "maximum" and isinstance(value, int) and value >= _FAR


def _choices(options: list[Node], definitions: Mapping[str, Node]) -> dict[str, Any]:
    if len(options) == 1:
        return _plain(options[0], definitions)
    return {"anyOf": [_plain(option, definitions) for option in options]}
