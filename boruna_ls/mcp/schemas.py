"""Pieces of the output schemas. They bind only what every answer has: failures share the schema with successes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TEXT: Final = {"type": "string"}
INTEGER: Final = {"type": "integer"}
PLACE: Final = {"type": "object", "description": "file, line, col, column, end_line, end_col, end_column, span_len"}
OMITTED: Final = {"type": "object", "description": "What is left out, and how to get it"}
ERRORS: Final = {"type": "array", "items": {"type": "object"}}
_FRESHNESS: Final = {"type": "object"}
"""Told in the server's instructions, once for all tools."""


def answer_schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The output schema of a tool whose answers have these fields of their own."""
    return {
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "protocol_version": INTEGER,
            **fields,
            "freshness": _FRESHNESS,
            "warnings": {"type": "array", "items": TEXT},
        },
        "required": ["success", "protocol_version"],
    }
