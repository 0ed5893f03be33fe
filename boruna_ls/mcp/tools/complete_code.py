"""`complete_code`: what can be written at a place, the best first."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import Field

from analysis.fixes.missing_imports import import_edit
from analysis.ide.completion import completions
from analysis.ide.item_documentation import item_documentation
from analysis.ide.offers import Completion
from analysis.inputs import source
from boruna_ls.answers.code_edits import edit_entry
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.answers.positions import offset_of, place
from boruna_ls.mcp.arguments import refusal
from boruna_ls.mcp.schemas import INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, budget_of, cut, size_of
from boruna_ls.mcp.tools.located import CodeArguments, Position, program

_STOP: Final = re.compile(r"\$(?:\{\d+:([^}$]*+)\}|\d+)")
_DOC: Final = 300


class CompleteCodeParams(DetailArguments, CodeArguments):
    cursor_position: Position | None = Field(None, description="Where to write (default: the end)")
    limit: int = Field(50, description="Most entries", ge=1, le=1000)


def run(call: Call[CompleteCodeParams]) -> dict[str, Any]:
    file = program(call)
    db, arguments = call.host.db, call.arguments
    text = source(db, file)
    offset = len(text.text)
    if arguments.cursor_position is not None:
        try:
            offset = offset_of(text, arguments.cursor_position.as_dict())
        except ValueError as error:
            raise refusal("cursor_position", f"argument `cursor_position`: {error}") from None
    result = completions(db, file, offset)

    def entry(number: int, completion: Completion) -> dict[str, Any]:
        shown: dict[str, Any] = {"text": completion.label, "kind": completion.kind.value}
        if arguments.detail == SUMMARY:
            return shown
        shown |= {
            "detail": completion.detail,
            "insert_text": _STOP.sub(lambda match: match[1] or "", completion.insert),
            "sort": number,
        }
        # A name that must be imported is not in this file yet.
        if not completion.library and (doc := item_documentation(db, file, completion.label)):
            shown["documentation"] = doc if arguments.detail == FULL else cut(doc, _DOC)
        if completion.library:
            shown["additional_edits"] = [edit_entry(text, import_edit(db, file, completion.library))]
        return shown

    left = budget_of(arguments.detail) - 1_000
    shown = []
    for number, candidate in enumerate(result.candidates[: arguments.limit]):
        row = entry(number, candidate)
        left -= size_of(row) + 1
        if left < 0:
            break
        shown.append(row)
    total = len(result.candidates)
    answer = success(completions=shown, wanted=result.wanted.value, replaces=place(text, *result.span), total=total)
    if len(shown) < len(result.candidates):
        rest = "type the beginning of the name, or raise `limit`"
        answer["omitted"] = {
            "field": "completions",
            "shown": len(shown),
            "left_out": len(result.candidates) - len(shown),
            "rest": rest,
        }
    return with_freshness(answer, call.host, file)


TOOL: Final = Tool(
    name="complete_code",
    title="Completion",
    description=(
        "Completions at a position, the best first: names in scope by expected type, fields, variants, libraries "
        "with the edit that imports them. `replaces` is the range that `insert_text` replaces."
    ),
    arguments=CompleteCodeParams,
    answer_fields={
        "completions": {"type": "array", "items": {"type": "object"}},
        "wanted": TEXT,
        "replaces": {"type": "object"},
        "total": INTEGER,
        "omitted": OMITTED,
    },
    run=run,
    example={"code": "fn main() -> Int { list_l", "limit": 5},
)
