"""Schemas of answers as forms that a person can fill in."""

from __future__ import annotations

import json
from typing import Any, Final

_PLAIN: Final = frozenset(("string", "integer", "number", "boolean"))


def form_of(schema: str | None) -> dict[str, Any] | None:
    """The form that a schema is by itself, an object whose properties are plain; None for any other."""
    if schema is None:
        return None
    wanted = json.loads(schema)
    properties = wanted.get("properties") if isinstance(wanted, dict) and wanted.get("type") == "object" else None
    if not isinstance(properties, dict) or not properties:
        return None
    if any(not isinstance(one, dict) or one.get("type") not in _PLAIN for one in properties.values()):
        return None
    return {"type": "object", "properties": properties, "required": wanted.get("required", [])}
