"""`try_edits`: what each of many edits would do to the findings, tried in a branch of the database that nobody else sees."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from analysis.database import Database
from analysis.findings import Severity
from analysis.ide.declaration_text import capabilities_of
from analysis.ide.delta import delta
from analysis.inputs import FileId, libraries, source
from analysis.text import Source
from boruna_ls.answers.analysis import finding_entries
from boruna_ls.answers.envelope import success
from boruna_ls.answers.positions import POSITION_RULE, offset_of
from boruna_ls.mcp.arguments import Argument, refusal
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.located import CODE, PATH, file_at
from boruna_ls.workspace import FileUnavailable

_MOST: Final = 100
_SHOWN: Final = 20
"""Findings of one candidate that are shown of each sort; they are counted all."""
_CANDIDATES: Final = Argument(
    "candidates",
    list,
    "Edits to try, each from the present text",
    required=True,
    least=1,
    most=_MOST,
    fields=(
        Argument("label", str, "Your name for it", most=200),
        Argument("edits", object, "List of {start, end, new_text} or {old_text, new_text}, with `path` for other files"),
        Argument("text", str, "Or the whole new text", most=1_000_000),
        Argument("files", dict, "Or whole new texts by path"),
    ),
)
_WEIGHTS: Final = {Severity.ERROR: 1000, Severity.WARNING: 10, Severity.INFO: 1, Severity.HINT: 1}


@dataclass(slots=True)
class _Trial:
    """The branch in which candidates are tried one after the other, and what it is compared with."""

    call: Call
    branch: Database
    main: FileId | None

    def run(self, candidate: Mapping[str, Any], where: str) -> dict[str, Any]:
        """What a candidate does. Raises RefusedCall."""
        db, texts = self.call.host.db, self._texts(candidate, where)
        changed = {file: Source.from_text("") for file in texts}
        try:
            for file, text in texts.items():
                changed[file] = source(db, file)
                for same in self._spellings(file):
                    source.set(self.branch, same, source(db, file).replaced_by(text))
            return self._outcome(candidate, where, list(texts))
        finally:
            for file in changed:
                for same in self._spellings(file):
                    source.set(self.branch, same, source(db, same))

    def _outcome(self, candidate: Mapping[str, Any], where: str, files: list[FileId]) -> dict[str, Any]:
        db = self.call.host.db
        looked_at = files + [file for file in self._importers(files) if file not in files]
        introduced, resolved, moved, weight, remaining = [], [], 0, 0, 0
        gained: set[str] = set()
        for file in looked_at:
            change = delta(db, self.branch, file)
            moved += bool(change.introduced or change.resolved)
            introduced += [{"file": file.path, **one} for one in finding_entries(self.branch, file, change.introduced)]
            resolved += [{"file": file.path, **one} for one in finding_entries(db, file, change.resolved)]
            weight += sum(_WEIGHTS[made.severity] for _, made in change.introduced)
            weight -= sum(_WEIGHTS[made.severity] for _, made in change.resolved)
            remaining += change.remaining
            gained |= capabilities_of(self.branch, file) - capabilities_of(db, file)
        return {
            "label": candidate.get("label") or where,
            "introduced": introduced[:_SHOWN],
            "introduced_count": len(introduced),
            "resolved": resolved[:_SHOWN],
            "resolved_count": len(resolved),
            "remaining_count": remaining,
            "capabilities_gained": sorted(gained),
            "files_checked": len(looked_at),
            "files_unchanged": len(looked_at) - moved,
            "weight": weight,
        }

    def _texts(self, candidate: Mapping[str, Any], where: str) -> dict[FileId, str]:
        given = [name for name in ("edits", "text", "files") if candidate.get(name) is not None]
        if len(given) != 1:
            raise refusal("candidates", f"argument `{where}` needs one of `edits`, `text`, `files`")
        if given == ["text"]:
            return {self._file(None, where): candidate["text"]}
        if given == ["files"]:
            for path, text in candidate["files"].items():
                if not isinstance(text, str):
                    raise refusal("candidates", f"argument `{where}.files` must hold texts; `{path}` is none")
            return {self._file(path, where): text for path, text in candidate["files"].items()}
        return self._edited(candidate["edits"], f"{where}.edits")

    def _edited(self, edits: Any, where: str) -> dict[FileId, str]:
        """The texts after edits; an edit may say which file it is for, and places mean the text before all of them."""
        if not isinstance(edits, list) or not edits or not all(isinstance(edit, dict) for edit in edits):
            raise refusal("candidates", f"argument `{where}` must be a list of objects, one at least")
        by_file: dict[FileId, list[tuple[int, int, str]]] = {}
        for index, edit in enumerate(edits):
            file = self._file(edit.get("path"), f"{where}[{index}]")
            by_file.setdefault(file, []).append(self._span(file, edit, f"{where}[{index}]"))
        return {file: self._applied(file, spans, where) for file, spans in by_file.items()}

    def _span(self, file: FileId, edit: Mapping[str, Any], where: str) -> tuple[int, int, str]:
        text, new, old = source(self.call.host.db, file), edit.get("new_text"), edit.get("old_text")
        if not isinstance(new, str):
            raise refusal("candidates", f"argument `{where}.new_text` must be a string")
        if isinstance(edit.get("start"), dict) and isinstance(edit.get("end"), dict):
            try:
                start, end = offset_of(text, edit["start"]), offset_of(text, edit["end"])
            except ValueError as error:
                raise refusal("candidates", f"argument `{where}`: {error}") from None
            if start > end or (isinstance(old, str) and text.text[start:end] != old):
                raise refusal("candidates", f"argument `{where}`: `old_text` does not stand there, or `end` lies before `start`")
            return start, end, new
        if not isinstance(old, str) or not old:
            raise refusal("candidates", f"argument `{where}` needs `start` and `end` ({POSITION_RULE}), or `old_text`")
        count = text.text.count(old)
        if count != 1:
            raise refusal(
                "candidates", f"argument `{where}.old_text` stands {count} times in {file.path}; it must stand there once"
            )
        start = text.text.index(old)
        return start, start + len(old), new

    def _applied(self, file: FileId, spans: list[tuple[int, int, str]], where: str) -> str:
        text, pieces, at = source(self.call.host.db, file).text, [], 0
        for start, end, new in sorted(spans, key=lambda span: span[:2]):
            if start < at:
                raise refusal("candidates", f"argument `{where}`: two edits of {file.path} overlap")
            pieces += [text[at:start], new]
            at = end
        return "".join([*pieces, text[at:]])

    def _file(self, path: Any, where: str) -> FileId:
        if path is None:
            if self.main is None:
                raise refusal("candidates", f"argument `{where}` names no `path`, and the call has neither `path` nor `code`")
            return self.main
        if not isinstance(path, str):
            raise refusal("candidates", f"argument `{where}.path` must be a string")
        return file_at(self.call, path)

    def _spellings(self, file: FileId) -> list[FileId]:
        """A file, and the same one as the library that others import."""
        known = libraries(self.call.host.db, file.workspace, file.libs).files
        return [file, *(library for _, library in known if library.path == file.path and library != file)]

    def _importers(self, files: list[FileId]) -> list[FileId]:
        """All files of the workspace, if one of those is a library: their findings may depend on it."""
        found: list[FileId] = []
        for workspace in sorted({file.workspace for file in files if len(self._spellings(file)) > 1}):
            for path in self.call.host.files(workspace) if workspace else ():
                with suppress(FileUnavailable):
                    found.append(self.call.file(path))
        return found


def run(call: Call) -> dict[str, Any]:
    host, code, path = call.host, call.arguments["code"], call.arguments["path"]
    if code is not None and path is not None:
        raise refusal("path", "arguments `code` and `path` exclude each other: give one of them")
    main = None
    if code is not None:
        main = host.inline(code, "<code>", call.client.id, libs=call.client.libs)
    elif path is not None:
        main = file_at(call, path)
    # Every file is read before the branch begins: it has the inputs of that moment.
    candidates = call.arguments["candidates"]
    for candidate in candidates:
        for named in _paths(candidate):
            file_at(call, named)
    trial = _Trial(call, host.db.branch(), main)
    outcomes = [trial.run(candidate, f"candidates[{index}]") for index, candidate in enumerate(candidates)]
    order = sorted(range(len(outcomes)), key=lambda index: (outcomes[index]["weight"], index))
    for rank, index in enumerate(order, 1):
        outcomes[index]["rank"] = rank
        del outcomes[index]["weight"]
    answer = success(candidates=outcomes, best=outcomes[order[0]]["label"], written=False)
    file = main or file_at(call, next(named for candidate in candidates for named in _paths(candidate)))
    fresh = host.freshness(file).as_dict()
    answer["freshness"] = fresh | {"source": "speculative", "base": fresh["source"]}
    return answer


def _paths(candidate: Mapping[str, Any]) -> list[str]:
    files, edits = candidate.get("files"), candidate.get("edits")
    found = list(files) if isinstance(files, dict) else []
    if isinstance(edits, list):
        found += [edit["path"] for edit in edits if isinstance(edit, dict) and isinstance(edit.get("path"), str)]
    return found


TOOL: Final = Tool(
    name="try_edits",
    title="Try edits without making them",
    schema_title="TryEditsParams",
    description=(
        "Tries up to 100 candidate edits, each on its own, and tells for each the diagnostics that it introduces and resolves, "
        "also in files that import what it changes, the capabilities gained, and its rank. Nothing is written or shown to others."
    ),
    arguments=(CODE, PATH, _CANDIDATES),
    answer_fields={
        "candidates": {
            "type": "array",
            "items": {
                "type": "object",
                "description": "label, rank, introduced, resolved, capabilities_gained, …",
            },
        },
        "best": {"type": "string"},
        "written": {"type": "boolean"},
    },
    run=run,
    shorten=lambda answer, limit, call: answer,
    needs_program=False,
    group="analysis",
    example={"path": "app.ax", "candidates": [{"label": "fix", "edits": [{"old_text": "totl", "new_text": "total"}]}]},
)
