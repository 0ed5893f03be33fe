"""`parse_code`: the syntax tree with the place of every node, also of a program that does not parse whole."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from pydantic import Field

from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t
from analysis.syntax.tree_json import item_with_spans
from analysis.text.source import Source
from boruna_ls.answers.analysis import diagnostic_entry
from boruna_ls.answers.ast import nesting
from boruna_ls.answers.envelope import as_text, success
from boruna_ls.answers.positions import place
from boruna_ls.mcp.kept import PagedArguments, first_page, next_page
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import SUMMARY, DetailArguments, budget_of
from boruna_ls.mcp.tools.located import CodeArguments, program

_NAME: Final = "parse_code"
_NESTING: Final = 80
"""Levels of an item's tree; a deeper one is given as text."""
_MOST_DIAGNOSTICS: Final = 20


class ParseCodeParams(PagedArguments, DetailArguments, CodeArguments):
    include_diagnostics: bool = Field(True, description="Whether to also check the program")


def run(call: Call[ParseCodeParams]) -> dict[str, Any]:
    if (page := next_page(call, _NAME)) is not None:
        return _as_tree(page)
    file = program(call)
    db, detail = call.host.db, call.arguments.detail
    text = source(db, file)
    items = [
        (item, start) for chunk, start in zip(text.chunks, text.offsets, strict=True) for item in chunk_tree(db, chunk.text).items
    ]
    module = next((item.name for item, _ in items if isinstance(item, t.Module)), None)
    head = success(freshness=call.host.freshness(file).as_dict(), module_name=module)
    if call.arguments.include_diagnostics:
        head |= _diagnostics(call, file, text)
    render = partial(_short if detail == SUMMARY else _whole, text)
    shown = [entry for entry in items if not isinstance(entry[0], t.Module)]
    return _as_tree(first_page(call, _NAME, head, "items", shown, render, budget_of(detail)))


def _as_tree(answer: dict[str, Any]) -> dict[str, Any]:
    answer["ast"] = {"module_name": answer.pop("module_name"), "items": answer.pop("items")}
    return answer


def _diagnostics(call: Call[Any], file: FileId, text: Source) -> dict[str, Any]:
    diagnostics = list(check_file(call.host.db, file).shown(text))
    shown = [diagnostic_entry(text, start, diagnostic) for start, diagnostic in diagnostics[:_MOST_DIAGNOSTICS]]
    more = len(diagnostics) - len(shown)
    return {"diagnostics": shown} | ({"diagnostics_omitted": {"left_out": more, "rest": "boruna_check"}} if more else {})


def _short(text: Source, entry: tuple[t.Item, int]) -> dict[str, Any]:
    item, start = entry
    name = {"Function": "Function", "Import": "Import"}.get(type(item).__name__, "TypeDef")
    return {name: {"name": item.name}, "span": place(text, start + item.start, start + item.end)}


def _whole(text: Source, entry: tuple[t.Item, int]) -> Any:
    item, start = entry

    def placed(node: t.Node) -> dict[str, int]:
        span = place(text, start + node.start, start + node.end)
        return {key: span[key] for key in ("line", "col", "column", "end_line", "end_col", "end_column")}

    tree = item_with_spans(item, placed)
    # As a value it would make the whole message unreadable for many JSON readers.
    return {"text": as_text(tree)} if nesting(tree) > _NESTING else tree


TOOL: Final = Tool(
    name=_NAME,
    title="Syntax tree with places",
    description=(
        "Syntax tree of a program (as boruna_ast) with a `span` on every node, in pages of items; text that does not parse is "
        "an `Error` node. `detail` summary lists only the items."
    ),
    arguments=ParseCodeParams,
    answer_fields={
        "ast": {"type": "object", "description": "{module_name, items}"},
        "diagnostics": {"type": "array", "items": {"type": "object"}},
        "total": {"type": "integer", "description": "Number of items"},
        "next_cursor": TEXT,
    },
    run=run,
    example={"code": "fn main() -> Int { 1 }"},
)
