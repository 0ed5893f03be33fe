"""Common parts of the tools that edit: the answer with edits and delta, and `apply`, which writes all files or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from pydantic import Field

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.ide.refactor.change import Change, Refusal, changed
from analysis.inputs import FileId, source
from analysis.text.edits import Edit
from analysis.text.source import Source
from boruna_ls.answers.code_edits import changes, delta_of, edit_diff
from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.positions import offset_of
from boruna_ls.mcp.arguments import Arguments, refusal
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Hints, RefusedCall
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import CodeArguments, Position, parse_refusal
from boruna_ls.workspace import FileUnavailable
from boruna_ls.workspace.applying import FileChange, apply

EDITS: Final = Hints(read_only=False, destructive=True, idempotent=False, open_world=False)
EDIT_FIELDS: Final = {
    "changes": {"type": "object", "description": "By file: edits"},
    "refactored_code": TEXT,
    "delta": {"type": "object", "description": "Diagnostics introduced, resolved, elsewhere"},
    "applied": {"type": "boolean"},
    "written": {"type": "array", "items": {"type": "object"}},
    "error_kind": TEXT,
    "message": TEXT,
    "omitted": OMITTED,
}


class Range(Arguments):
    """A half-open range of a program."""

    start: Position = Field(description="First")
    end: Position = Field(description="Behind the last")


class EditingArguments(DetailArguments):
    """Arguments of a tool that gives edits."""

    apply: bool | None = Field(None, description="Write the edits, all files or none (default: only return them)")


E = TypeVar("E", bound=EditingArguments)


@dataclass(frozen=True, slots=True)
class Plan:
    """A change as it was found: the answer about it, and the texts that it is for."""

    answer: dict[str, Any]
    files: tuple[FileChange, ...] = ()


def planned(
    call: Call[E],
    file: FileId,
    change: Change | Refusal,
    others: Sequence[FileId] = (),
    base: Database | None = None,
    **facts: Any,
) -> Plan:
    """The answer about a change; a refusal is an answer, too. `base` is where the change is tried, by default the host's.

    Raises RefusedCall where the change needs an item that does not parse.
    """
    host, detail = call.host, call.arguments.detail
    fresh = host.freshness(file, len(others) + 1, len(others) + 1).as_dict()
    if isinstance(change, Refusal):
        if change.unread is not None:
            raise parse_refusal(call, *change.unread)
        return Plan(failure(error_kind="refused", message=change.reason, freshness=fresh))
    db = base or host.db
    answer = success(freshness=fresh, applied=False, delta=delta_of(db, change.edits, others), **change.facts, **facts)
    files = []
    for each, edits in change.edits.items():
        before = source(db, each)
        files.append(FileChange(each.path, before.text, changed(before, edits).text, _own_ends(before, edits)))
    files += [FileChange(new.path, None, new.text) for new in change.new_files]
    if file.layer.partition(":")[0] == "inline":
        answer["refactored_code"] = next(file_change.after for file_change in files if file_change.path == file.path)
    if change.new_files:
        answer["new_files"] = {new.path: new.text for new in change.new_files}
    if detail == SUMMARY:
        answer["changes"] = {each.path: {"edit_count": len(edits)} for each, edits in change.edits.items()}
    else:
        answer["changes"] = changes(db, change.edits)
    if detail == FULL:
        answer["diff"] = edit_diff(db, change.edits)
    answer["files_affected"] = len(files)
    return Plan(_fitting(answer, change, budget_of(detail)), tuple(files))


def _own_ends(text: Source, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    if "\r\n" not in text.text:
        return tuple(edits)
    return tuple(Edit(edit.span, edit.new_text.replace("\r\n", "\n").replace("\n", "\r\n")) for edit in edits)


def _fitting(answer: dict[str, Any], change: Change, budget: int) -> dict[str, Any]:
    if size_of(answer) > budget:
        answer["changes"] = {each.path: {"edit_count": len(edits)} for each, edits in change.edits.items()}
        answer.pop("diff", None)
        rest = "`apply` writes all of them; `detail` full shows more"
        answer["omitted"] = {"field": "changes", "left_out": sum(map(len, change.edits.values())), "rest": rest}
    return answer


async def answered(call: Call[E], plan: Callable[[Call[E]], Plan]) -> dict[str, Any]:
    """Works out the change, and writes it if that is asked for."""
    planned = await call.analyse(plan)
    if not call.arguments.apply or not planned.answer["success"]:
        return planned.answer
    if "refactored_code" in planned.answer:
        raise refusal("apply", "argument `apply` needs `path`: inline code belongs to no file")
    try:
        written = await apply(call.host, call.client, planned.files, call.apart)
    except FileUnavailable as error:
        what = f"nothing was written: {error}"
        raise RefusedCall("ValidationError", what, field="apply", accepted="files that can be written, all of them") from None
    return planned.answer | {"applied": True, "written": [{"file": file.path, "how": file.how} for file in written]}


def span_of(call: Call[Any], file: FileId, given: Range | Position, argument: str) -> tuple[int, int]:
    """The span of a range or a position. Raises MCPError."""
    text = source(call.host.db, file)
    first, last = (given.start, given.end) if isinstance(given, Range) else (given, given)
    try:
        start, end = offset_of(text, first.as_dict()), offset_of(text, last.as_dict())
    except ValueError as error:
        raise refusal(argument, f"argument `{argument}`: {error}") from None
    if start > end:
        raise refusal(argument, f"argument `{argument}`: `end` is before `start`")
    return start, end


class CodeEditingArguments(EditingArguments, CodeArguments):
    """The same about one program."""
