"""`boruna_template_list`: the templates that new applications can be made of."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.shorten import shorten_list
from boruna_ls.answers.templates import list_answer
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import ERRORS, INTEGER
from boruna_ls.mcp.tool import Call, Tool


class TemplateListParams(Arguments):
    pass


def run(call: Call[TemplateListParams]) -> dict[str, Any]:
    return list_answer(call.templates)


def _shorten(answer: dict[str, Any], limit: int, call: Call[TemplateListParams]) -> dict[str, Any]:
    return shorten_list(answer, "templates", limit, 0) if "templates" in answer else answer


TOOL: Final = Tool(
    name="boruna_template_list",
    title="List templates",
    description="Templates of applications: name, description, arguments (`arg_specs`), required capabilities.",
    arguments=TemplateListParams,
    answer_fields={
        "count": INTEGER,
        "templates": {"type": "array", "items": {"type": "object"}},
        "errors": ERRORS,
    },
    run=run,
    shorten=_shorten,
    example={},
)
