"""Inputs of a whole run, declared by the definition with their types; an extension of the format (docs/workflows.md). Pure.

A step reads one as `inputs.NAME`. A document of the reference may have any field of this name: what has not the form of a
declaration stays a field that nothing reads, with a warning that says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from analysis.data_classes import dataclass

INPUTS: Final = "inputs"
"""The field, and what stands for a step in a reference to an input."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SIMPLE: Final = ("Int", "Float", "Bool", "String", "Json")
_GENERIC: Final = re.compile(r"(List|Map)<(.+)>")
_FIELDS: Final = frozenset(("type", "secret", "default", "description"))
_DEEPEST: Final = 8
_LEAST, _MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Input:
    """An input. `type` is Int, Float, Bool, String, Json (anything), List<T> or Map<String, T>; `default` is JSON text."""

    type: str
    secret: bool = False
    default: str | None = None
    description: str = ""


class InputError(Exception):
    """A declaration or a value is invalid; the message is a sentence and never contains a value."""


def declared(text: str) -> Mapping[str, Input]:
    """The inputs that the text of a definition declares, which is known to have the field. Raises InputError."""
    try:
        inputs = json.loads(text)[INPUTS]
    except (ValueError, RecursionError, KeyError, TypeError):
        raise InputError("`inputs` cannot be read as JSON") from None
    if not isinstance(inputs, dict):
        raise InputError("`inputs` must be an object: {NAME: {type: String, secret: true}}")
    return {name: _input(name, inputs[name]) for name in sorted(inputs)}


def _input(name: str, value: Any) -> Input:
    if not _NAME.fullmatch(name):
        raise InputError(f"input '{name}': a name has letters, digits and _")
    if not isinstance(value, dict) or not set(value) <= _FIELDS or not isinstance(value.get("type"), str):
        raise InputError(f"input '{name}' must be an object with `type` and, if wanted, `secret`, `default`, `description`")
    if not isinstance(value.get("secret", False), bool) or not isinstance(value.get("description", ""), str):
        raise InputError(f"input '{name}': `secret` is true or false, `description` a text")
    kind, secret = value["type"].replace(" ", ""), value.get("secret", False)
    if not _is_type(kind):
        raise InputError(f"input '{name}' has no known type: use Int, Float, Bool, String, Json, List<T> or Map<String, T>")
    if "default" not in value:
        return Input(kind, secret, description=value.get("description", ""))
    if secret:
        raise InputError(f"input '{name}' is secret: it can have no default, which everybody could read")
    problem = mismatch(value["default"], kind)
    if problem:
        raise InputError(f"input '{name}': its default {problem}")
    default = json.dumps(value["default"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return Input(kind, secret, default, value.get("description", ""))


def _is_type(kind: str, depth: int = 0) -> bool:
    if kind in _SIMPLE:
        return True
    inner = _inner(kind)
    return inner is not None and depth < _DEEPEST and _is_type(inner, depth + 1)


def _inner(kind: str) -> str | None:
    """Type of the values in a list or map; None for other types."""
    match = _GENERIC.fullmatch(kind)
    if match is None:
        return None
    if match[1] == "List":
        return match[2]
    return match[2].removeprefix("String,") if match[2].startswith("String,") else None


def mismatch(value: Any, kind: str, place: str = "") -> str:
    """Fault of a JSON value that must have a type; "" if it has none. Names the place, never the value."""
    where = f" at {place}" if place else ""
    if kind == "Json":
        return ""
    if kind in _SIMPLE:
        return "" if _is_simple(value, kind) else f"must be {_article(kind)}{where}"
    inner = _inner(kind) or ""
    if kind.startswith("List<"):
        if not isinstance(value, list):
            return f"must be a list{where}"
        mismatches = (mismatch(item, inner, f"{place}[{number}]") for number, item in enumerate(value))
    else:
        if not isinstance(value, dict):
            return f"must be an object{where}"
        # A key may be part of a secret, too.
        mismatches = (mismatch(item, inner, f"{place}[…]") for item in value.values())
    return next((problem for problem in mismatches if problem), "")


def as_typed(value: Any, kind: str) -> Any:
    """A value of a type, whole numbers as floats where the type says so. Raises OverflowError for one that no float can be."""
    if kind == "Float":
        return float(value)
    inner = _inner(kind)
    if inner is None:
        return value
    if isinstance(value, list):
        return [as_typed(item, inner) for item in value]
    return {name: as_typed(item, inner) for name, item in value.items()}


def _is_simple(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "Bool"
    if kind == "Int":
        return isinstance(value, int) and _LEAST <= value <= _MOST
    if kind == "Float":
        return isinstance(value, int | float) and value == value and abs(value) != float("inf")
    return kind == "String" and isinstance(value, str)


def _article(kind: str) -> str:
    return f"an {kind}" if kind == "Int" else f"a {kind}"
