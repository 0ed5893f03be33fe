"""`boruna_ast`: the syntax tree of a program."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.ast import NESTING_LIMIT, ast_answer, nesting
from boruna_ls.answers.envelope import as_text, with_freshness
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.mcp.schemas import ERRORS
from boruna_ls.mcp.tool import Call, ProgramArguments, Tool


class AstParams(ProgramArguments):
    pass


def run(call: Call[AstParams]) -> dict[str, Any]:
    file = call.program()
    error = parse_error(call.host.db, file)
    answer = error.as_list() if error else ast_answer(call.host.db, file)
    return with_freshness(answer, call.host, file)


def _structured(answer: dict[str, Any]) -> dict[str, Any] | None:
    # Inside the text a tree is characters; as a value it would make the whole message unreadable for many JSON readers.
    tree = answer.get("ast")
    return answer | {"ast": as_text(tree)} if nesting(tree) > NESTING_LIMIT else None


TOOL: Final = Tool(
    name="boruna_ast",
    title="Syntax tree",
    description=(
        "Syntax tree of an .ax program as JSON. Above 100 KB `ast` is the beginning of its text, `truncated` is true. "
        "If the program does not parse, `success` is false and `errors` lists why."
    ),
    arguments=AstParams,
    answer_fields={
        "ast": {
            "type": ["object", "string"],
            "description": "{module_name, items}; text if truncated, or (JSON text) if nested deeper than 100 levels",
        },
        "truncated": {"type": "boolean"},
        "ast_size": {"type": "integer", "description": "Bytes of the whole text"},
        "errors": ERRORS,
    },
    run=run,
    example={"path": "app.ax"},
    structured=_structured,
)
