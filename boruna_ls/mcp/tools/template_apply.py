"""`boruna_template_apply`: the source of a new application."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from boruna_ls.answers.templates import apply_answer, shorten_source, validation_of
from boruna_ls.framework.templates import SIZE_LIMIT, Applied
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Tool

_NAMES: Final = {"type": "array", "items": TEXT}


_Text = Annotated[str, Field(max_length=SIZE_LIMIT)]


class TemplateApplyParams(Arguments):
    template_name: str = Field(max_length=1000, description="A name of boruna_template_list")
    args: Annotated[list[_Text], FIRST_ERROR] = Field(
        max_length=1000, description="Texts `name=value`; see `arg_specs` of boruna_template_list"
    )
    check: bool = Field(False, alias="validate", description="Also compile the source and validate it as an application")


def run(call: Call[TemplateApplyParams]) -> dict[str, Any]:
    def validation(applied: Applied) -> dict[str, Any]:
        file = call.host.inline(applied.source, applied.output_file, call.client.id, libs=call.client.libs)
        return validation_of(call.host.db, file)

    arguments = call.arguments
    wanted = validation if arguments.check else None
    return apply_answer(call.templates, arguments.template_name, arguments.args, wanted)


def _shorten(answer: dict[str, Any], limit: int, call: Call[TemplateApplyParams]) -> dict[str, Any]:
    return shorten_source(answer, limit) if "source" in answer else answer


TOOL: Final = Tool(
    name="boruna_template_apply",
    title="Apply a template",
    description="The `source` of a new application, made from a template. Writes nothing: put it into `output_file` yourself.",
    arguments=TemplateApplyParams,
    answer_fields={
        "template_name": TEXT,
        "output_file": TEXT,
        "source": TEXT,
        "dependencies": _NAMES,
        "capabilities": _NAMES,
        "defaulted": _NAMES,
        "missing": _NAMES,
        "unfilled": _NAMES,
        "unknown_args": _NAMES,
        "validation": {"type": "object", "description": "passed, error, app {valid, errors}, warnings"},
        "omitted": OMITTED,
    },
    run=run,
    shorten=_shorten,
    example={"template_name": "form-basic", "args": ["form_name=Contact", "fields=name, mail"], "validate": True},
)
