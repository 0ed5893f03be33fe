"""`workspace_diagnostics`: what is wrong with all files of the workspace, or with those that changed since an answer."""

from __future__ import annotations

import fnmatch
import os
from hashlib import sha256
from typing import Any, Final

from analysis.check import check_file
from analysis.findings import Severity
from analysis.inputs import FileId, source
from boruna_ls.answers.analysis import finding_entries
from boruna_ls.answers.envelope import as_text, success
from boruna_ls.mcp.arguments import Argument, refusal
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, RefusedCall, Tool
from boruna_ls.mcp.tools.located import CURSOR, LIMIT, paged, roots
from boruna_ls.workspace import FileUnavailable

_SEVERITIES: Final = tuple(severity.value for severity in Severity)
_PATHS: Final = Argument("paths", list, "Files, folders or patterns such as `libs/*.ax` (default: all)", least=1, most=1000)
_SEVERITY: Final = Argument("severity", str, f"Least to show: {', '.join(_SEVERITIES)} (default warning)", default="warning")
_SINCE: Final = Argument("since", str, "`revision` of an answer before: only files whose diagnostics changed", least=1, most=200)
_KEPT: Final = 8
"""Revisions of which a client may ask what changed since."""
Digests = dict[str, str]


def run(call: Call) -> dict[str, Any]:
    arguments, host = call.arguments, call.host
    if arguments["severity"] not in _SEVERITIES:
        raise refusal("severity", f"argument `severity` must be one of {', '.join(_SEVERITIES)}")
    shown = _SEVERITIES[: _SEVERITIES.index(arguments["severity"]) + 1]
    paths = [path for root in roots(call) for path in host.files(root) if _is_wanted(call, root, path)]
    files, unreadable = _read(call, paths)
    entries: list[dict[str, Any]] = []
    digests: Digests = {}
    for file in files:
        found = [one for one in check_file(host.db, file).placed(source(host.db, file)) if one[1].severity.value in shown]
        entry = {"file": file.path, "diagnostics": finding_entries(host.db, file, found)}
        digests[file.path] = sha256(as_text(entry).encode("utf-8", "surrogatepass")).hexdigest()
        entries.append(entry)
    entries += [{"file": path, "diagnostics": [], "unreadable": reason} for path, reason in unreadable.items()]
    fresh = _freshness(call, files, len(paths))
    revision = fresh["revision"]
    answer = success(freshness=fresh, revision=revision, counts=_counts(entries))
    if (since := arguments["since"]) is not None:
        before = _kept(call, shown).get(since)
        if before is None:
            message = f"revision `{since}` is not known any more: call without `since`; the present one is {revision}"
            raise RefusedCall("ValidationError", message, field="since", accepted=_SINCE.meaning)
        entries = [entry for entry in entries if before.get(entry["file"]) != digests.get(entry["file"])]
        answer["removed"] = sorted(path for path in before if path not in digests)
    else:
        entries = [entry for entry in entries if entry["diagnostics"] or "unreadable" in entry]
    _keep(call, shown, revision, digests)
    return paged(call, answer, "files", entries, revision)


def _is_wanted(call: Call, root: str, path: str) -> bool:
    wanted = call.arguments["paths"]
    if wanted is None:
        return True
    short = os.path.relpath(path, root).replace(os.sep, "/")
    for given in wanted:
        pattern = given.replace(os.sep, "/").rstrip("/").removeprefix("./")
        if pattern in (path, short, "", ".") or short.startswith(f"{pattern}/") or path.startswith(f"{pattern}/"):
            return True
        if fnmatch.fnmatchcase(short, pattern):
            return True
    return False


def _read(call: Call, paths: list[str]) -> tuple[list[FileId], dict[str, str]]:
    """The files, all read before the first is looked at, and why others cannot be."""
    files, unreadable = [], {}
    for path in paths:
        try:
            files.append(call.file(path))
        except FileUnavailable as error:
            unreadable[path] = error.reason
    return files, unreadable


def _freshness(call: Call, files: list[FileId], total: int) -> dict[str, Any]:
    each = [call.host.freshness(file).as_dict() for file in files]
    workspaces = sorted({file.workspace for file in files} | (set() if files else set(roots(call))))
    digest = sha256("".join(one["sha256"] for one in each).encode()).hexdigest()
    return {
        "revision": "+".join(call.host.revision(workspace) for workspace in workspaces),
        "source": "editor" if any(one["source"] == "editor" for one in each) else "disk",
        "sha256": digest,
        "unsaved": any(one["unsaved"] for one in each),
        "coverage": {"checked": len(files), "total": total},
    }


def _counts(entries: list[dict[str, Any]]) -> dict[str, int]:
    severities = [one["severity"] for entry in entries for one in entry["diagnostics"]]
    return {severity: severities.count(severity) for severity in _SEVERITIES if severity in severities}


def _kept(call: Call, shown: tuple[str, ...]) -> dict[str, Digests]:
    """By revision, what the client was told of each file; apart for each choice of files and severities."""
    choice = as_text([call.arguments["paths"], shown])
    kept: dict[str, dict[str, Digests]] = call.memory.setdefault("workspace_diagnostics", {})
    if choice not in kept and len(kept) >= _KEPT:
        del kept[next(iter(kept))]
    return kept.setdefault(choice, {})


def _keep(call: Call, shown: tuple[str, ...], revision: str, digests: Digests) -> None:
    kept = _kept(call, shown)
    kept.pop(revision, None)
    kept[revision] = digests
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]


TOOL: Final = Tool(
    name="workspace_diagnostics",
    title="Diagnostics of the workspace",
    schema_title="WorkspaceDiagnosticsParams",
    description=(
        "Diagnostics of all files of the workspace, as editors have them, saved or not. With `since`, only of files whose "
        "diagnostics changed since that revision; a file that is clean now has an empty list."
    ),
    arguments=(_PATHS, _SEVERITY, _SINCE, LIMIT, CURSOR),
    answer_fields={
        "files": {
            "type": "array",
            "items": {"type": "object", "description": "file, diagnostics"},
        },
        "revision": TEXT,
        "counts": {"type": "object"},
        "removed": {"type": "array", "items": TEXT},
        "total": INTEGER,
        "next_cursor": TEXT,
    },
    run=run,
    shorten=lambda answer, limit, call: answer,
    needs_program=False,
    group="analysis",
    example={"paths": ["src"], "severity": "error"},
)
