"""Diagnostics as SARIF 2.1.0, the interchange format that code hosts and editors read.

Columns count code points from 1, ends are exclusive; infos and hints are notes, since SARIF knows no lower level.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

from analysis.diagnostics.codes import CODES
from boruna_ls import __version__
from boruna_ls.cli.checking import Checked
from boruna_ls.cli.shown import shown

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note", "hint": "note"}
_RULES: Final = {code: index for index, code in enumerate(CODES)}


def sarif(checked: Sequence[Checked]) -> dict[str, Any]:
    """One log with one run; a program that cannot be read is a notification of the run."""
    unreadable = [_notification(program) for program in checked if program.unreadable]
    invocation: dict[str, Any] = {"executionSuccessful": not unreadable}
    if unreadable:
        invocation["toolExecutionNotifications"] = unreadable
    run = {
        "tool": {"driver": {"name": "boruna-ls", "version": __version__, "rules": [_rule(code) for code in CODES]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(program, diagnostic, message) for program in checked for diagnostic, message in shown(program)],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    row = CODES[code]
    return {
        "id": row.code,
        "name": row.name,
        "shortDescription": {"text": row.summary},
        "defaultConfiguration": {"level": _LEVELS[row.severity.value]},
        "properties": {"category": row.category},
    }


def _result(checked: Checked, diagnostic: dict[str, Any], message: str) -> dict[str, Any]:
    text = "\n".join(part for part in (message, diagnostic.get("help", ""), diagnostic.get("why", "")) if part)
    result: dict[str, Any] = {
        "ruleId": diagnostic["id"],
        "ruleIndex": _RULES[diagnostic["id"]],
        "level": _LEVELS[diagnostic["severity"]],
        "message": {"text": text},
        "locations": [_location(checked, diagnostic["location"])],
    }
    if related := [note for note in diagnostic.get("related", ()) if note["location"]]:
        result["relatedLocations"] = [
            _location(checked, note["location"]) | {"message": {"text": note["message"]}} for note in related
        ]
    if diagnostic.get("patches"):
        result["fixes"] = [_fix(checked, fix) for fix in diagnostic["patches"]]
    return result


def _location(checked: Checked, place: dict[str, Any]) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(checked), "region": _region(place)}}


def _region(place: dict[str, Any]) -> dict[str, Any]:
    return {
        "startLine": place["line"],
        "startColumn": place["column"] + 1,
        "endLine": place["end_line"],
        "endColumn": place["end_column"] + 1,
    }


def _artifact(checked: Checked) -> dict[str, Any]:
    return {"uri": quote(checked.program.name.replace(os.sep, "/"), errors="surrogateescape")}


def _fix(checked: Checked, fix: dict[str, Any]) -> dict[str, Any]:
    replacements = [{"deletedRegion": _region(edit), "insertedContent": {"text": edit["new_text"]}} for edit in fix["edits"]]
    change = {"artifactLocation": _artifact(checked), "replacements": replacements}
    return {"description": {"text": fix["description"]}, "artifactChanges": [change]}


def _notification(checked: Checked) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": f"{checked.program.name}: {checked.unreadable}"},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(checked)}}],
    }
