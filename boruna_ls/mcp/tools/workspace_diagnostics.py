"""`workspace_diagnostics`: what is wrong with all files of the workspace, or with those that changed since an answer."""

from __future__ import annotations

import fnmatch
import os
from collections import Counter
from hashlib import sha256
from itertools import islice
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import Field

from analysis.diagnostics.check import FileDiagnostics
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.inputs import FileId, defect, source
from analysis.text.source import Source
from boruna_ls.answers.analysis import diagnostic_entry
from boruna_ls.answers.digest import EVERY, Severities, digest
from boruna_ls.answers.envelope import as_text, success
from boruna_ls.mcp.arguments import FIRST_ERROR, Path
from boruna_ls.mcp.kept import PagedArguments, first_page, next_page
from boruna_ls.mcp.paths import plain_path
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, budget_of
from boruna_ls.mcp.tools.located import roots
from boruna_ls.workspace import FileUnavailable, Priority
from boruna_ls.workspace.programs import FILES_LIMIT, LEADS_OUT

_NAME: Final = "workspace_diagnostics"
_PART: Final = 50
"""Diagnostics of a file in one entry; a file with more has several, each with the number of its `first` one."""
_KEPT: Final = 8
"""Choices of files and severities, and revisions of each, of which a client may ask what changed since."""
Digests = dict[str, str]


class WorkspaceDiagnosticsParams(PagedArguments, DetailArguments):
    paths: Annotated[list[Path], FIRST_ERROR] | None = Field(
        None, description="Files, folders or patterns such as `libs/*.ax` (default: all)", min_length=1, max_length=1000
    )
    severity: Literal["error", "warning", "info", "hint"] = Field("warning", description="Least to show")
    since: str | None = Field(
        None, description="`revision` of an earlier answer: only files whose diagnostics changed", min_length=1, max_length=200
    )


class _File(NamedTuple):
    """A file as it was found: all that its entry is made of. One that cannot be read has a reason only.

    Of very many diagnostics an entry has some, from number `first` on; a summary has their `counts` alone.
    """

    path: str
    text: Source | None = None
    diagnostics: FileDiagnostics | None = None
    shown: Severities = ()
    first: int = 0
    unreadable: str = ""
    is_full: bool = False
    counts: tuple[tuple[str, int], ...] | None = None


def run(call: Call[WorkspaceDiagnosticsParams]) -> dict[str, Any]:
    if (page := next_page(call, _NAME)) is not None:
        return page
    arguments, host, detail = call.arguments, call.host, call.arguments.detail
    shown = EVERY[: EVERY.index(arguments.severity) + 1]
    wanted = _Wanted(call)
    paths = [path for root in roots(call) for path in (*host.files(root), *host.documents(root)) if wanted.has(root, path)]
    listed = [host.upkeep.programs(root) for root in roots(call)]
    is_cut = any(listing.is_cut for listing in listed)
    closed = dict(gap for listing in listed for gap in listing.closed)
    files, unreadable = _read(call, paths)
    digests: Digests = {}
    counts: Counter[str] = Counter()
    for file in files:
        host.checkpoint()
        file_digest = digest(host.db, file, shown)
        digests[file.path] = file_digest.name
        counts.update(dict(file_digest.counts))
    fresh = _freshness(call, files, len(paths) + is_cut + len(closed))
    head = success(freshness=fresh, revision=fresh["revision"], counts=_ordered(counts))
    warnings = [f"`{given}` names no .ax file of the workspace, so nothing of it was checked" for given in wanted.idle]
    if is_cut:
        warnings.append(f"only {FILES_LIMIT} files of the workspace are checked: exclude folders in boruna.toml")
    for entry, reason in closed.items():
        gap = "was left out" if reason == LEADS_OUT else "could not be listed, so nothing below it was checked"
        warnings.append(f"{entry} {gap}: {reason}")
    warnings += dict.fromkeys(problem for root in roots(call) for problem in host.problems(root))
    before = None
    if (since := arguments.since) is not None:
        before = _received_digests(call, shown).get(since)
        if before is None:
            warnings.append(f"revision `{since}` is unknown or has expired, so this is the full answer")
        else:
            head["removed"] = sorted(path for path in before if path not in digests)
    if warnings:
        head["warnings"] = warnings
    entries: list[_File] = []
    for file in files:
        numbers = digest(host.db, file, shown).counts
        number = sum(count for _, count in numbers)
        if number if before is None else before.get(file.path) != digests[file.path]:
            if detail == SUMMARY:
                entries.append(_File(file.path, counts=numbers))
                continue
            whole = _File(file.path, source(host.db, file), file_diagnostics(host.db, file), shown, is_full=detail == FULL)
            entries += [whole._replace(first=first) for first in range(0, max(number, 1), _PART)]
    entries += [_File(path, unreadable=reason) for path, reason in unreadable.items()]
    _keep(call, shown, fresh["revision"], digests)
    return first_page(call, _NAME, head, "files", entries, _entry, budget_of(detail))


def _entry(file: _File) -> dict[str, Any]:
    if file.counts is not None:
        return {"file": file.path, "counts": dict(file.counts)}
    if file.text is None or file.diagnostics is None:
        return {"file": file.path, "diagnostics": [], "unreadable": file.unreadable}
    placed = file.diagnostics.shown(file.text)
    shown = ((start, diagnostic) for start, diagnostic in placed if diagnostic.severity.value in file.shown)
    part = [diagnostic_entry(file.text, *entry, is_full=file.is_full) for entry in islice(shown, file.first, file.first + _PART)]
    return {"file": file.path, "diagnostics": part, **({"first": file.first} if file.first else {})}


class _Wanted:
    """The files, folders and patterns that a call names, and which of them have named nothing so far (`idle`)."""

    def __init__(self, call: Call[WorkspaceDiagnosticsParams]) -> None:
        given = call.arguments.paths
        self._patterns = None if given is None else [(path, _pattern(call, path)) for path in given]
        self.idle = dict.fromkeys(given or ())

    def has(self, root: str, path: str) -> bool:
        """True if a file of a workspace matches the patterns; all files do without patterns."""
        if self._patterns is None:
            return True
        short = os.path.relpath(path, root).replace(os.sep, "/")
        fitting = [given for given, pattern in self._patterns if _fits(pattern, short, path)]
        for given in fitting:
            self.idle.pop(given, None)
        return bool(fitting)


def _pattern(call: Call[WorkspaceDiagnosticsParams], given: str) -> str:
    plain = plain_path(given, call.client)
    place = call.host.canonical(plain) if os.path.isabs(plain) else plain
    return place.replace(os.sep, "/").rstrip("/").removeprefix("./")


def _fits(pattern: str, short: str, path: str) -> bool:
    if pattern in (path, short, "", ".") or short.startswith(f"{pattern}/") or path.startswith(f"{pattern}/"):
        return True
    return fnmatch.fnmatchcase(short, pattern)


def _read(call: Call[WorkspaceDiagnosticsParams], paths: list[str]) -> tuple[list[FileId], dict[str, str]]:
    """The files, all read before the first is looked at, and why others cannot be."""
    files, unreadable = [], {}
    for path in paths:
        call.host.checkpoint()
        try:
            files.append(call.file(path))
        except FileUnavailable as error:
            unreadable[path] = error.reason
    return files, unreadable


def _freshness(call: Call[WorkspaceDiagnosticsParams], files: list[FileId], total: int) -> dict[str, Any]:
    """The state of all files together; those whose text cannot be analysed are not among the checked ones."""
    host = call.host
    each = []
    for file in files:
        host.checkpoint()
        each.append(host.freshness(file))
    workspaces = sorted({file.workspace for file in files} | (set() if files else set(roots(call))))
    return {
        "revision": "+".join(host.revision(workspace) for workspace in workspaces),
        "source": "editor" if any(state.source == "editor" for state in each) else "disk",
        "sha256": sha256("".join(state.sha256 for state in each).encode()).hexdigest(),
        "unsaved": any(state.unsaved for state in each),
        "coverage": {"checked": sum(not defect(host.db, file) for file in files), "total": total},
    }


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return {severity: counts[severity] for severity in EVERY if counts[severity]}


def _received_digests(call: Call[WorkspaceDiagnosticsParams], shown: Severities) -> dict[str, Digests]:
    """Digests of the files that the client has received, by revision; separate for each choice of files and severities."""
    choice = as_text([call.arguments.paths, shown])
    kept: dict[str, dict[str, Digests]] = call.memory.setdefault(_NAME, {})
    if choice not in kept and len(kept) >= _KEPT:
        del kept[next(iter(kept))]
    return kept.setdefault(choice, {})


def _keep(call: Call[WorkspaceDiagnosticsParams], shown: Severities, revision: str, digests: Digests) -> None:
    kept = _received_digests(call, shown)
    kept.pop(revision, None)
    kept[revision] = digests
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]


TOOL: Final = Tool(
    name=_NAME,
    title="Diagnostics of the workspace",
    description=(
        "Diagnostics of all files of the workspace, including unsaved changes in editors. With `since`, only of files whose "
        "diagnostics changed since that revision; a file that is clean now has an empty list."
    ),
    arguments=WorkspaceDiagnosticsParams,
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
    priority=Priority.WORKSPACE,
    example={"paths": ["src"], "severity": "error"},
    task="when_slow",
)
