"""`get_file_context`: all that one must know of a file to work in it, in one answer."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from pydantic import Field

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.ide.signature import documentation, signature
from analysis.inputs import FileId, libraries, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.imports import direct_imports, imported_files
from analysis.syntax import tree as t
from boruna_ls.answers.analysis import diagnostic_entry
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.schemas import OMITTED
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import file_at, others
from boruna_ls.workspace import Priority


class GetFileContextParams(DetailArguments):
    other_names = {"file": "path"}  # noqa: RUF012

    path: str = Field(description="File", min_length=1, max_length=4096)


def run(call: Call[GetFileContextParams]) -> dict[str, Any]:
    host, detail = call.host, call.arguments.detail
    file = file_at(call, call.arguments.path)
    db = host.db
    text = source(db, file)
    checked = list(check_file(db, file).shown(text))
    counts = Counter(diagnostic.severity.value for _, diagnostic in checked)
    items = [
        (item, chunk.text, start)
        for chunk, start in zip(text.chunks, text.offsets, strict=True)
        for item in chunk_tree(db, chunk.text).items
    ]
    answer = success(
        file=file.path,
        lines=text.text.count("\n") + 1,
        imports=_imports(call, file),
        dependents=_dependents(call, file),
        exports=[item.name for item, *_ in items if item.exported],
        diagnostics=dict(sorted(counts.items())),
    )
    if detail != SUMMARY:
        errors = [
            diagnostic_entry(text, start, diagnostic) for start, diagnostic in checked if diagnostic.severity is Severity.ERROR
        ]
        answer["errors"] = errors[:10]
    answer["types"] = [
        _entry(item, written, line_of(text, start + item.at), detail)
        for item, written, start in items
        if isinstance(item, t.Record | t.Enum)
    ]
    answer["functions"] = [
        _entry(item, written, line_of(text, start + item.at), detail)
        for item, written, start in items
        if isinstance(item, t.Function)
    ]
    answer["freshness"] = host.freshness(file).as_dict()
    answer["sha256"] = answer["freshness"].get("sha256")
    return _fitting(answer, budget_of(detail))


def line_of(text: Any, offset: int) -> int:
    """The number of a line, from 1."""
    return int(text.position(offset)[0]) + 1


def _entry(item: t.Item, written: str, line: int, detail: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": item.name, "line": line, "signature": signature(item, written)}
    if isinstance(item, t.Function):
        entry["capabilities"] = [capability.name for capability in item.capabilities]
    if detail != SUMMARY and (doc := documentation(written, item.start)):
        entry["doc"] = doc if detail == FULL else doc.split("\n", 1)[0][:200]
    return entry


def _imports(call: Call[Any], file: FileId) -> list[dict[str, Any]]:
    return [
        {"name": imported.fact.name, "file": imported.file.path if imported.file is not None else None}
        for imported in direct_imports(call.host.db, file)
    ]


def _dependents(call: Call[Any], file: FileId) -> list[str]:
    """The files that import this one, directly or not, if it is a library."""
    db = call.host.db
    library_paths = {library.path for _, library in libraries(db, file.workspace, file.libs).files}
    if file.path not in library_paths:
        return []
    dependents = []
    for other in others(call, file):
        call.host.checkpoint()
        if "import" in source(db, other).text and any(imported.path == file.path for imported in imported_files(db, other)):
            dependents.append(other.path)
    return dependents


def _fitting(answer: dict[str, Any], budget: int) -> dict[str, Any]:
    """Functions beyond the budget are left out, the last first."""
    over = size_of(answer) - budget
    if over > 0:
        functions, left_out = answer["functions"], 0
        while functions and over > -300:
            over -= size_of(functions.pop()) + 1
            left_out += 1
        rest = "list_symbols lists them in pages"
        answer["omitted"] = {"field": "functions", "shown": len(functions), "left_out": left_out, "rest": rest}
    return answer


_LIST: Final = {"type": "array"}
TOOL: Final = Tool(
    name="get_file_context",
    title="Context of a file",
    description=(
        "All about a file: imports, who imports it, types, functions with signatures and capabilities, exports, "
        "number of diagnostics, errors, content hash."
    ),
    arguments=GetFileContextParams,
    answer_fields={
        "imports": _LIST,
        "dependents": _LIST,
        "types": _LIST,
        "functions": _LIST,
        "exports": _LIST,
        "errors": _LIST,
        "diagnostics": {"type": "object", "description": "Number by severity"},
        "omitted": OMITTED,
    },
    run=run,
    priority=Priority.WORKSPACE,
    example={"path": "app.ax"},
)
