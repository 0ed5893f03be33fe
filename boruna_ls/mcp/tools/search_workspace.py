"""`search_workspace`: declarations by what they are, in the whole workspace."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from pydantic import Field

from analysis.config.git_pattern import Pattern, pattern_of
from analysis.ide.structure_search import Hit, conditions_of, hits
from analysis.inputs import FileId, source
from analysis.text.source import Source
from boruna_ls.answers.analysis import line_around
from boruna_ls.answers.envelope import success
from boruna_ls.answers.positions import place
from boruna_ls.mcp.schemas import INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, RefusedCall, Tool
from boruna_ls.mcp.tools.detail import SUMMARY, DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import roots
from boruna_ls.workspace import FileUnavailable, Priority


class SearchWorkspaceParams(DetailArguments):
    query: str = Field(
        description='Name, `functions returns T`, `takes T`, `uses CAPABILITY`, `calls NAME`, `mentions "TEXT"`, `in GLOB`',
        min_length=1,
        max_length=2000,
    )
    file_pattern: str | None = Field(None, description="Only files like `libs/*.ax`", min_length=1, max_length=1000)
    limit: int = Field(50, description="Most matches", ge=1, le=1000)


def run(call: Call[SearchWorkspaceParams]) -> dict[str, Any]:
    arguments, host = call.arguments, call.host
    wanted = conditions_of(arguments.query)
    globs = [*wanted.globs, *([arguments.file_pattern] if arguments.file_pattern else [])]
    fits = _fitting(globs)
    files, total = _files(call, fits)
    ranked: list[tuple[tuple[int, int, str], FileId, Hit]] = []
    for file in files:
        host.checkpoint()
        ranked += [((hit.score, len(hit.name), hit.name), file, hit) for hit in hits(host.db, file, wanted)]
    ranked.sort(key=lambda row: row[0])
    left = budget_of(arguments.detail) - 1_500
    by_file: dict[str, list[dict[str, Any]]] = {}
    shown = 0
    for _, file, hit in ranked[: arguments.limit]:
        entry = _entry(source(host.db, file), hit, arguments.detail == SUMMARY)
        left -= size_of(entry) + (0 if file.path in by_file else len(file.path) + 40)
        if left < 0:
            break
        by_file.setdefault(file.path, []).append(entry)
        shown += 1
    answer = success(
        results=[{"file": path, "matches": matches} for path, matches in by_file.items()],
        match_count=len(ranked),
        why=wanted.description,
    )
    if shown < len(ranked):
        rest = "raise `limit`, or narrow the search: more conditions, `file_pattern`, `detail` summary"
        answer["omitted"] = {"field": "results", "shown": shown, "left_out": len(ranked) - shown, "rest": rest}
    first = host.freshness(files[0], len(files), total).as_dict() if files else None
    answer["freshness"] = first or {"revision": host.latest(), "coverage": {"checked": 0, "total": total}}
    return answer


def _entry(text: Source, hit: Hit, is_short: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "signature": hit.signature,
        "score": round(1 / (1 + hit.score), 3),
        "line": text.position(hit.name_span[0])[0] + 1,
    }
    if is_short:
        return entry
    entry |= {"range": place(text, *hit.name_span), "kind": hit.kind.value}
    if hit.why:
        entry["why"] = hit.why
    lines = [{"line": text.position(span[0])[0] + 1, "text": line_around(text, span).strip()} for span in hit.spans]
    return entry | ({"context": lines} if lines else {})


def _fitting(globs: list[str]) -> Callable[[str], bool]:
    """Predicate: True if a path below its root matches one of the patterns, by the rules of `.gitignore`, in linear time."""
    patterns: list[Pattern] = []
    for glob in globs:
        pattern = pattern_of(glob.removeprefix("./").removeprefix("!").encode("utf-8", "surrogatepass"))
        if pattern is None:
            raise RefusedCall(
                "ValidationError", f"`{glob[:200]}` is not a file pattern", field="file_pattern", accepted="`libs/*.ax`"
            )
        patterns.append(pattern)

    def fits(path: str) -> bool:
        data = path.encode("utf-8", "surrogatepass")
        name = data.rpartition(b"/")[2]
        parts = data.split(b"/")
        folders = [b"/".join(parts[:end]) for end in range(1, len(parts))]
        return all(
            pattern.matches(data, name, False)
            or any(pattern.matches(folder, folder.rpartition(b"/")[2], True) for folder in folders)
            for pattern in patterns
        )

    return fits


def _files(call: Call[Any], fits: Callable[[str], bool]) -> tuple[list[FileId], int]:
    files, total = [], 0
    for root in roots(call):
        for path in call.host.files(root):
            call.host.checkpoint()
            if fits(os.path.relpath(path, root).replace(os.sep, "/")):
                total += 1
                with suppress(FileUnavailable):
                    files.append(call.file(path))
    return files, total


TOOL: Final = Tool(
    name="search_workspace",
    title="Search declarations",
    description=(
        "Finds functions, records and enums of the workspace: name (fuzzy), kind, result, parameters, capabilities, "
        "what they call or mention. Plain English is read as these conditions; `why` says how."
    ),
    arguments=SearchWorkspaceParams,
    answer_fields={
        "results": {"type": "array", "items": {"type": "object", "description": "file, matches"}},
        "match_count": INTEGER,
        "why": TEXT,
        "omitted": OMITTED,
    },
    run=run,
    priority=Priority.WORKSPACE,
    example={"query": "functions that return Int and call total"},
)
