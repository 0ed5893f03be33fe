"""Result of a tool, as an `McpResult`: texts, structured content, and the parts that are not text, none of them dropped."""

from __future__ import annotations

import json
from typing import Any, Final

from mcp_types import CallToolResult, TextContent

from analysis.bytecode.module import Constant
from boruna_ls.runtime.tool_results import failure_constant, result_constant

RESULT_LIMIT: Final = 4 << 20
"""Bytes of an answer's texts and parts."""


def constant_of(server: str, tool: str, answer: CallToolResult) -> Constant:
    """The answer as the constant that a program gets."""
    texts: list[str] = []
    types: list[str] = []
    attachments: list[dict[str, Any]] = []
    for part in answer.content:
        types.append(str(part.type))
        if isinstance(part, TextContent):
            texts.append(part.text)
        else:
            attachments.append(part.model_dump(mode="json", by_alias=True, exclude_none=True))
    structured = None if answer.structured_content is None else _json(answer.structured_content)
    attached = _json(attachments) if attachments else None
    size = sum(map(len, texts)) + len(structured or "") + len(attached or "")
    if size > RESULT_LIMIT:
        return failure_constant(f"{server}: the answer of {tool} has more than {RESULT_LIMIT >> 20} MB")
    return result_constant(texts, bool(answer.is_error), types, structured, attached)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
