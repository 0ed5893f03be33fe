"""`list_symbols`: what a file or the whole workspace declares, in pages."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, Literal

from pydantic import Field

from analysis.ide.name_meanings import Kind
from analysis.ide.symbols import Symbol, document_symbols
from analysis.ide.workspace_symbols import rank
from analysis.inputs import FileId, source
from analysis.text.source import Source
from boruna_ls.answers.envelope import success
from boruna_ls.answers.positions import place
from boruna_ls.mcp.kept import PagedArguments, first_page, next_page
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import SUMMARY, DetailArguments, budget_of
from boruna_ls.mcp.tools.located import file_at, roots
from boruna_ls.workspace import FileUnavailable, Priority

_NAME: Final = "list_symbols"
_DECLARING: Final = {Kind.FUNCTION: "fn ", Kind.RECORD: "type ", Kind.ENUM: "enum "}


class ListSymbolsParams(PagedArguments, DetailArguments):
    other_names = {"file": "path"}  # noqa: RUF012

    path: str | None = Field(None, description="File (default: the whole workspace)", min_length=1, max_length=4096)
    kind: Literal["function", "record", "enum", "field", "variant"] | None = Field(None, description="Only these")
    query: str | None = Field(None, description="Part of the name", min_length=1, max_length=200)


_Row = tuple[int, Source, str, Symbol, str]
"""Rank, text, path, symbol, container."""


def run(call: Call[ListSymbolsParams]) -> dict[str, Any]:
    if (page := next_page(call, _NAME)) is not None:
        return page
    arguments, host = call.arguments, call.host
    if arguments.path is not None:
        files = [file_at(call, arguments.path)]
        fresh = host.freshness(files[0]).as_dict()
    else:
        files, total = _all(call)
        if not files:
            fresh = {"revision": host.latest(), "coverage": {"checked": 0, "total": total}}
        else:
            fresh = host.freshness(files[0], len(files), total).as_dict()
    rows = [row for file in files for row in _rows(call, file)]
    if arguments.query is not None:
        rows.sort(key=lambda row: (row[0], len(row[3].name), row[3].name))
    is_short = arguments.detail == SUMMARY
    return first_page(
        call, _NAME, success(freshness=fresh), "symbols", rows, lambda row: _entry(row, is_short), budget_of(arguments.detail)
    )


def _all(call: Call[Any]) -> tuple[list[FileId], int]:
    symbols, total = [], 0
    for root in roots(call):
        for path in call.host.files(root):
            call.host.checkpoint()
            total += 1
            with suppress(FileUnavailable):
                symbols.append(call.file(path))
    return symbols, total


def _rows(call: Call[ListSymbolsParams], file: FileId) -> list[_Row]:
    call.host.checkpoint()
    db, query, kind = call.host.db, call.arguments.query, call.arguments.kind
    text, rows = source(db, file), []
    for symbol in document_symbols(db, file):
        members = [(child, symbol.name) for child in symbol.children]
        for candidate, container in [(symbol, ""), *members]:
            fit = rank(query, candidate.name) if query else 0
            # A list without a query is of what stands at the top; members are with their types.
            is_shown = candidate.kind.value == kind if kind else (not container or query is not None)
            if fit is not None and is_shown and candidate.name:
                rows.append((fit, text, file.path, candidate, container))
    return rows


def _entry(row: _Row, is_short: bool) -> dict[str, Any]:
    _, text, path, symbol, container = row
    entry: dict[str, Any] = {
        "name": symbol.name,
        "kind": symbol.kind.value,
        "file": path,
        "line": text.position(symbol.name_span[0])[0] + 1,
    }
    if container:
        entry["container"] = container
    if is_short:
        return entry
    del entry["line"]
    colon = ": " if symbol.kind is Kind.FIELD else ""
    inner = f"({symbol.detail})" if symbol.kind is Kind.VARIANT and symbol.detail else colon + symbol.detail
    entry |= {"range": place(text, *symbol.name_span), "signature": f"{_DECLARING.get(symbol.kind, '')}{symbol.name}{inner}"}
    if symbol.children:
        entry["members"] = [f"{member.name}: {member.detail}" if member.detail else member.name for member in symbol.children]
    return entry


TOOL: Final = Tool(
    name=_NAME,
    title="Symbols of a file or workspace",
    description="Declarations of a file or of the workspace, by kind and part of a name, with signature and range, in pages.",
    arguments=ListSymbolsParams,
    answer_fields={"symbols": {"type": "array", "items": {"type": "object"}}, "total": INTEGER, "next_cursor": TEXT},
    run=run,
    priority=Priority.WORKSPACE,
    example={"path": "app.ax", "kind": "function"},
)
