"""Pieces of the output schemas. They bind only what every answer has: failures share the schema with successes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

TEXT: Final = {"type": "string"}
INTEGER: Final = {"type": "integer"}
PLACE: Final = {"type": "object", "description": "file, line, col, column, end_line, end_col, end_column, span_len"}
OMITTED: Final = {"type": "object", "description": "What is left out, and how to get it"}
ERRORS: Final = {"type": "array", "items": {"type": "object"}}
ACCOMPANYING: Final[Mapping[str, Any]] = {"diagnostics": {"type": "array"}}
"""A field of an answer that also holds the program's diagnostics, as boruna_check gives them."""


def answer_schema(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The output schema of a tool whose answers have these fields of their own.

    Every answer also has `freshness`, and may have `warnings`: the server's instructions say so once for all tools.
    """
    return {
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "protocol_version": INTEGER,
            **fields,
        },
        "required": ["success", "protocol_version"],
    }
