"""JSON of a caller as what `step_input` answers: tagged JSON text of the value that it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boruna_ls.runtime.json_text import compact
from boruna_ls.runtime.values import INT_MAX, INT_MIN


def input_texts(given: Mapping[str, Any]) -> dict[str, str]:
    """By name, the texts that a program gets."""
    return {name: compact(tagged_json(value)) for name, value in given.items()}


def tagged_json(value: Any) -> Any:
    """Plain JSON as tagged JSON. Nesting is that of a message, which a reader has bounded."""
    if value is None:
        return "Unit"
    if isinstance(value, bool):
        return {"Bool": value}
    if isinstance(value, int):
        return {"Int": value} if INT_MIN <= value <= INT_MAX else {"Float": float(value)}
    if isinstance(value, float):
        return {"Float": value}
    if isinstance(value, str):
        return {"String": value}
    if isinstance(value, list):
        return {"List": [tagged_json(item) for item in value]}
    return {"Map": {key: tagged_json(value[key]) for key in sorted(value)}}
