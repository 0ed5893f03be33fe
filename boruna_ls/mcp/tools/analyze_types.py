"""`analyze_types`: the types of locals and parameters, and what has and is wanted to have which type at a place."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from pydantic import Field

from analysis.diagnostics.syntax_errors import unsound_chunks
from analysis.ide.name_meanings import Kind
from analysis.ide.rename import unparsed
from analysis.ide.symbols import document_symbols
from analysis.ide.type_facts import LocalType, inferred_results, local_types, locals_at, type_at
from analysis.inputs import source
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.answers.positions import offset_of, place
from boruna_ls.mcp.arguments import refusal
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import FULL, DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import CodeArguments, Position, parse_refusal, program


class AnalyzeTypesParams(DetailArguments, CodeArguments):
    cursor_position: Position | None = Field(None, description="Only names in scope here, and the types here")


def run(call: Call[AnalyzeTypesParams]) -> dict[str, Any]:
    file = program(call)
    db, given = call.host.db, call.arguments.cursor_position
    text = source(db, file)
    if given is None:
        locals_here, answer = list(local_types(db, file)), success()
    else:
        try:
            offset = offset_of(text, given.as_dict())
        except ValueError as error:
            raise refusal("cursor_position", f"argument `cursor_position`: {error}") from None
        locals_here, here = list(locals_at(db, file, offset)), type_at(db, file, offset)
        if not locals_here and here is None and unparsed(db, file, offset):
            raise parse_refusal(call, file, offset)
        answer = success(
            type_at_cursor=(here.type if here else "") or None,
            expected_type_at_cursor=(here.expected if here else "") or None,
            cursor_range=place(text, *here.span) if here else None,
        )
    if call.arguments.detail == FULL:
        answer["locals"] = [
            {
                "name": local.name,
                "type": local.type,
                "kind": local.kind.value,
                "function": local.function,
                "range": place(text, *local.span),
            }
            for local in locals_here
        ]
    answer["inferred_types"] = by_name(locals_here)
    symbols = document_symbols(db, file)
    answer["signatures"] = {symbol.name: f"fn {symbol.name}{symbol.detail}" for symbol in symbols if symbol.kind is Kind.FUNCTION}
    if results := dict(inferred_results(db, file)):
        answer["inferred_results"] = results
    if not symbols and (unsound := unsound_chunks(db, file)):
        raise parse_refusal(call, file, text.offsets[unsound[0]])
    return with_freshness(_fitting(answer, budget_of(call.arguments.detail)), call.host, file)


def by_name(locals_here: list[LocalType]) -> dict[str, str]:
    """Types by name; `function.name` where several functions have a local of one name with different types."""
    types: dict[str, dict[str, str]] = defaultdict(dict)
    for local in locals_here:
        types[local.name][local.function] = local.type
    return {
        key: held
        for name, held_in in types.items()
        for key, held in (
            [(name, next(iter(held_in.values())))]
            if len(set(held_in.values())) == 1
            else [(f"{function}.{name}", held) for function, held in held_in.items()]
        )
    }


def _fitting(answer: dict[str, Any], budget: int) -> dict[str, Any]:
    """An answer within its budget: the ends of the longest tables are left out, and that is said."""
    for name in ("locals", "signatures", "inferred_types", "inferred_results"):
        entries = answer.get(name)
        if not entries or size_of(answer) <= budget:
            continue
        left = max(budget - (size_of(answer) - size_of(entries)) - 300, 0)
        kept, parts = [], list(entries.items()) if isinstance(entries, dict) else list(entries)
        for part in parts:
            left -= size_of(list(part) if isinstance(part, tuple) else part) + 1
            if left < 0:
                break
            kept.append(part)
        answer[name] = dict(kept) if isinstance(entries, dict) else kept
        rest = "give `cursor_position`, or list_symbols in pages"
        answer["omitted"] = {"field": name, "shown": len(kept), "left_out": len(parts) - len(kept), "rest": rest}
    return answer


TOOL: Final = Tool(
    name="analyze_types",
    title="Types",
    description=(
        "Types of a program's locals and parameters and the signatures of its functions; with `cursor_position` those in "
        "scope there, the type of the expression there and the expected type."
    ),
    arguments=AnalyzeTypesParams,
    answer_fields={
        "inferred_types": {"type": "object", "description": "Type by name; `_` is an unknown part"},
        "inferred_results": {"type": "object", "description": "Results that are not declared"},
        "type_at_cursor": {"type": ["string", "null"]},
        "expected_type_at_cursor": {"type": ["string", "null"]},
        "cursor_range": {"type": ["object", "null"]},
        "signatures": {"type": "object", "additionalProperties": TEXT},
        "locals": {"type": "array"},
        "omitted": OMITTED,
    },
    run=run,
    example={"path": "app.ax", "cursor_position": {"line": 3, "column": 8}},
)
