"""`call_hierarchy`: callers or callees of a function, to a depth, with the capabilities that each brings in."""

from __future__ import annotations

from collections.abc import Callable as Asks
from typing import Any, Final, Literal

from pydantic import Field

from analysis.ide.call_hierarchy import Callable, Calls, callees, callers, capabilities, function_at
from analysis.inputs import FileId, source
from boruna_ls.answers.envelope import success
from boruna_ls.answers.positions import place
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import Call, RefusedCall, Tool
from boruna_ls.mcp.tools.detail import SUMMARY, DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import PlaceArguments, located, others
from boruna_ls.workspace import Priority

_MOST: Final = 500
"""Functions of an answer."""
_MOST_SITES: Final = 10


class CallHierarchyParams(DetailArguments, PlaceArguments):
    direction: Literal["callers", "callees"] = Field("callers", description="Which way")
    depth: int = Field(1, description="Levels", ge=1, le=8)


def run(call: Call[CallHierarchyParams]) -> dict[str, Any]:
    file, offset = located(call)
    host, arguments = call.host, call.arguments
    start = function_at(host.db, file, offset)
    if start is None:
        raise RefusedCall(
            "NotFound", "no function is named there", what="function", field="position", accepted="a function's name"
        )
    looked_at = [file, *others(call, file)] if arguments.direction == "callers" else []
    tree = _Tree(call, looked_at)
    answer = success(
        direction=arguments.direction, function=tree.entry(start, None, None), calls=tree.below(start, arguments.depth, (start,))
    )
    checked = max(len(looked_at), 1)
    answer["freshness"] = host.freshness(file, checked, checked).as_dict()
    if tree.left_out:
        rest = "use a smaller `depth`, or start at one of these functions"
        answer["omitted"] = {"field": "calls", "left_out": tree.left_out, "rest": rest}
    return answer


class _Tree:
    """Makes the tree; what does not fit is counted."""

    def __init__(self, call: Call[CallHierarchyParams], looked_at: list[FileId]) -> None:
        self._call = call
        self._others = looked_at
        self._db = call.host.db
        self._room = budget_of(call.arguments.detail) - 2_000
        self._left = _MOST
        self._calls_of: dict[Any, tuple[Calls, ...]] = {}
        self.left_out = 0

    def below(self, function: Callable, depth: int, path: tuple[Callable, ...]) -> list[dict[str, Any]]:
        """The functions at the other end of calls; one that stands above itself ends there."""
        branches = []
        for calls in self._other_ends(function):
            self._call.host.checkpoint()
            file = calls.function.place.file if self._call.arguments.direction == "callers" else function.place.file
            entry = self.entry(calls.function, file, calls)
            self._room -= size_of(entry)
            self._left -= 1
            if self._room < 0 or self._left < 0:
                self.left_out += 1
                continue
            if any(above.place == calls.function.place for above in path):
                entry["recursive"] = True
            elif depth > 1:
                entry["calls"] = self.below(calls.function, depth - 1, (*path, calls.function))
            branches.append(entry)
        return branches

    def _other_ends(self, function: Callable) -> tuple[Calls, ...]:
        if function.place not in self._calls_of:
            ask: Asks[[], tuple[Calls, ...]] = (
                (lambda: callers(self._db, function, self._others))
                if self._call.arguments.direction == "callers"
                else (lambda: callees(self._db, function))
            )
            self._calls_of[function.place] = ask()
        return self._calls_of[function.place]

    def entry(self, function: Callable, file: FileId | None, calls: Calls | None) -> dict[str, Any]:
        """A function, and where it is called or calls: in `file`."""
        entry: dict[str, Any] = {
            "name": function.name,
            "file": function.place.file.path,
            "signature": f"fn {function.name}{function.detail}",
            "capabilities": sorted(capabilities(self._db, function)),
        }
        if self._call.arguments.detail != SUMMARY:
            entry["range"] = place(source(self._db, function.place.file), *function.place.name_span)
            if file is not None and calls is not None:
                text = source(self._db, file)
                entry["call_sites"] = [{"file": file.path, **place(text, *span)} for span in calls.spans[:_MOST_SITES]]
        if calls is not None:
            entry["call_count"] = len(calls.spans)
        return entry


TOOL: Final = Tool(
    name="call_hierarchy",
    title="Call hierarchy",
    description=(
        "Who calls a function (`callers`, in the whole workspace), or what it calls (`callees`), `depth` levels deep: signature, "
        "call sites, and the capabilities that each function declares."
    ),
    arguments=CallHierarchyParams,
    answer_fields={
        "direction": TEXT,
        "function": {"type": "object"},
        "calls": {"type": "array", "items": {"type": "object"}},
        "omitted": OMITTED,
    },
    run=run,
    priority=Priority.WORKSPACE,
    example={"path": "app.ax", "symbol": "total", "direction": "callers"},
)
