"""The answers of `boruna_validate_app` and `boruna_framework_test` (spec chapter 13, chapter 26 section 3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from analysis.codegen.compile import compile_file
from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from boruna_ls.answers.ast import items_of
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import RawValue, failure, success
from boruna_ls.answers.hints import hint_for
from boruna_ls.answers.places import Places
from boruna_ls.answers.positions import place
from boruna_ls.answers.run import DeepList
from boruna_ls.framework.job import packed_app
from boruna_ls.framework.validation import Shape, Violation, message_type, shape_of

MOST_WARNINGS: Final = 50
SERIOUS: Final = frozenset((Severity.ERROR, Severity.WARNING))
FRAMEWORK_ERROR: Final = "framework_error"


def validate_answer(db: Database, file: FileId) -> dict[str, Any]:
    """Result of validating a file that parses as an application, with the check's warnings."""
    shape = app_shape(db, file)
    warnings = check_warnings(db, file)
    if shape.violations:
        errors = [_placed(db, file, violation) for violation in shape.violations]
        message = f"validation: {shape.message}"
        return failure(error_kind=FRAMEWORK_ERROR, message=message, errors=errors, warnings=warnings)
    flags = {f"has_{name}": name in shape.has for name in ("init", "update", "view", "policies")}
    types = {"state_type": shape.state_type, "message_type": shape.message_type}
    return success(**flags, **types, errors=[], valid=True, warnings=warnings)


def app_shape(db: Database, file: FileId) -> Shape:
    """The shape of a file's own items."""
    return shape_of(items_of(db, file))


@dataclass(frozen=True, slots=True)
class CompiledApp:
    """An application that compiles: its module as tasks carry it, and what is wrong with its shape although it runs."""

    module: bytes
    message_type: int | None
    places: Places
    warnings: list[str]


def compiled_app(db: Database, file: FileId) -> CompiledApp | dict[str, Any]:
    """The application in a file, or the answer that says why it does not compile."""
    compiled = compile_file(db, file, "app")
    if compiled.module is None:
        return refused(db, file, compiled)
    shape = app_shape(db, file)
    return CompiledApp(
        packed_app(compiled.module),
        message_type(compiled.module, shape.update),
        Places(db, file, compiled.module),
        [violation.message for violation in shape.violations],
    )


def check_warnings(db: Database, file: FileId, severities: Collection[Severity] = SERIOUS) -> list[str]:
    """Diagnostics of a check, one line each; errors and warnings unless other severities are requested."""
    text = source(db, file)
    lines = []
    for start, diagnostic in check_file(db, file).placed(text):
        if diagnostic.severity in severities:
            where = place(text, start + diagnostic.span[0], start + diagnostic.span[1])
            lines.append(f"{where['line']}:{where['col']} {diagnostic.code}: {diagnostic.message}")
    left = len(lines) - MOST_WARNINGS
    return lines if left <= 0 else [*lines[:MOST_WARNINGS], f"… and {left} more: call boruna_check"]


def _placed(db: Database, file: FileId, violation: Violation) -> dict[str, Any]:
    shown: dict[str, Any] = {"severity": "error", "function": violation.function, "message": violation.message}
    if violation.item is None:
        return shown
    text = source(db, file)
    for chunk, offset in zip(text.chunks, text.offsets, strict=True):
        if any(item is violation.item for item in chunk_tree(db, chunk.text).items):
            start = offset + violation.item.at
            return shown | place(text, start, start + len(violation.function))
    return shown


# ---- sessions -------------------------------------------------------------------------------------------------------


def session_answer(outcome: dict[str, Any], places: Places, offset: int, warnings: Sequence[str]) -> dict[str, Any]:
    """The outcome of a session: its cycles up to the first that failed."""
    error = outcome.get("error")
    if error is not None and "cycles" not in outcome:
        return _start_failure(error, places) | _warned(warnings)
    fields: dict[str, Any] = {
        "init_state": RawValue(outcome["init_state"], outcome["depth"]),
        "init_state_text": outcome["init_text"],
        "cycles": _cycles(outcome),
        "steps": outcome["steps"],
    }
    shown = offset + len(outcome["cycles"])
    if shown < outcome["sent"]:
        left = outcome["sent"] - shown
        rest = f"call again with `offset` {shown} for the next cycles"
        fields["omitted"] = {"field": "cycles", "shown": len(outcome["cycles"]), "left_out": left, "rest": rest}
    if error is None:
        fields |= {
            "final_state": RawValue(outcome["final_state"], outcome["depth"]),
            "final_state_text": outcome["final_text"],
            "view": outcome["view"],
            "total_cycles": outcome["total_cycles"],
        }
        return success(**fields) | _warned(warnings)
    message = f"cycle {outcome['cycle']} failed: {error['message']}"
    details = {"cycle": outcome["cycle"], "message": error["message"]} | where_failed(error, places)
    return failure(**_kind(error), message=message, error=details, **fields) | _warned(warnings)


def recording_answer(outcome: dict[str, Any], places: Places, name: str) -> dict[str, Any]:
    """The test that was made of a session; `success` is false if there is none."""
    error = outcome.get("error")
    fields: dict[str, Any] = {"test_name": name}
    fields |= {key: outcome[key] for key in ("messages", "cycles", "trace_hash", "minimized") if key in outcome}
    if error is not None:
        fields["error"] = {"cycle": error.get("cycle"), "message": error["message"]} | where_failed(error, places)
    warned = _warned(outcome.get("notes", ()))
    if outcome.get("test") is not None:
        return success(test=outcome["test"], **fields) | warned
    if error is not None and "trace_hash" not in outcome:
        return _start_failure(error, places)
    return failure(error_kind="not_expressible", message=outcome["notes"][0], **fields) | warned


def _start_failure(error: dict[str, Any], places: Places) -> dict[str, Any]:
    return failure(**_kind(error), message=error["message"], **where_failed(error, places))


def _kind(error: dict[str, Any]) -> dict[str, Any]:
    """A limit of the host is none of the application's errors."""
    if "limit_kind" in error:
        return {"error_kind": "limit_exceeded", "limit_kind": error["limit_kind"], "limit": error["limit"], "phase": "execution"}
    return {"error_kind": FRAMEWORK_ERROR}


def where_failed(error: dict[str, Any], places: Places) -> dict[str, Any]:
    """The place of a run-time error, and what it means in plain words."""
    shown = places.stack(error.get("stack") or [])
    hint = hint_for(error["message"].removeprefix("runtime error: "))
    return shown | ({"hint": hint} if hint is not None else {})


def _cycles(outcome: dict[str, Any]) -> DeepList:
    cycles = DeepList(outcome["cycles"])
    cycles.depth = outcome["depth"] + 2
    return cycles


def _warned(warnings: Sequence[str]) -> dict[str, Any]:
    return {"warnings": list(warnings)} if warnings else {}
