"""`try_edits`: effect of each of many edits, tried in a private branch of the database.

All of a call is about one snapshot, taken at its beginning, however much is typed meanwhile. `candidates.py` reads the edits,
`trial_programs.py` compiles what is to be run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.database import Database, checkpoint
from analysis.diagnostics.diagnostic import Severity
from analysis.ide.declaration_text import capabilities_of
from analysis.ide.delta import Placed, delta
from analysis.inputs import FileId, libraries, source
from boruna_ls.answers import trials
from boruna_ls.answers.accompany import accompanying
from boruna_ls.answers.analysis import diagnostic_entries
from boruna_ls.answers.check import Patches, diagnostic_answer
from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import refusal
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import CODE_NAME, Batch, Call, Tool
from boruna_ls.mcp.tools.candidates import Candidate, CandidateArguments, Reader, Unplaced, check_total, paths_of
from boruna_ls.mcp.tools.detail import FULL, STANDARD, SUMMARY, DetailArguments, budget_of, size_of
from boruna_ls.mcp.tools.located import CodeArguments, file_at
from boruna_ls.mcp.tools.trial_programs import PATTERN, Program, TrialArguments, Wanted, runnable, testable, wanted
from boruna_ls.runtime.pool_run import Died
from boruna_ls.workspace import FileUnavailable, Priority

_SHOWN: Final = {STANDARD: 20, FULL: 200}
"""Diagnostics of one candidate that are shown of each sort; they are counted all."""
_WEIGHTS: Final = {Severity.ERROR: 1000, Severity.WARNING: 10, Severity.INFO: 1, Severity.HINT: 1}
_PATCHED: Final = 40
"""Introduced diagnostics of a call whose patches are listed, those of errors and warnings after a trial."""
_ROOM: Final = 1_500
"""Bytes kept for what an answer holds beside its candidates."""


@dataclass(slots=True)
class _Tried:
    """A candidate: what it does to the diagnostics, the programs still to be run, and their outcomes."""

    entry: dict[str, Any]
    weight: int
    run: Program | None
    tests: list[Program]
    ran: trials.Entry | None = None
    tested: trials.Entry | None = None
    is_placed: bool = True
    """False if its edits do not fit the current text; the entry has the `error`."""

    def order(self) -> tuple[bool, int, int, int]:
        """Failing runs rank below those that were not run, these below passing ones; then the diagnostics decide."""
        worst = max(trials.level(self.ran), trials.level(self.tested))
        return not self.is_placed, worst, trials.failures(self.tested), self.weight


@dataclass(slots=True)
class _Trial:
    """The snapshot that all candidates start from, and what was found out so far."""

    base: Database
    main: FileId | None
    files: dict[str, FileId]
    importers: tuple[FileId, ...]
    """All files of the workspaces in which a library is edited: their diagnostics may depend on it."""
    freshness: dict[str, Any]
    wanted: Wanted
    libraries: dict[str, list[FileId]]
    """Library identities of a file for its importers, by path."""
    diagnostics: dict[str, Any]
    """Errors and warnings of the present texts, as fields of an answer."""
    branch: Database
    changed: list[FileId] = field(default_factory=list)
    """Files that the last candidate has set in the branch."""
    tried: list[_Tried] = field(default_factory=list)
    present: _Tried | None = None
    patched: int = 0
    """Introduced diagnostics so far."""

    def next(self, candidates: list[Candidate], give_way: Callable[[], None]) -> None:
        """Tries one more. Raises MCPError for a candidate that cannot be understood."""
        candidate, where = candidates[len(self.tried)], f"candidates[{len(self.tried)}]"
        try:
            texts = Reader(self.base, self.main, self.files, give_way).texts(candidate, where)
        except Unplaced as error:
            entry = {"label": candidate.label or where, "error": str(error)}
            self.tried.append(_Tried(entry, 0, None, [], is_placed=False))
            return
        branch = self.branch
        # In one branch the next candidate costs what a keystroke costs; the last one is taken back first.
        for file in self.changed:
            source.set(branch, file, source(self.base, file))
        self.changed = [same for file in texts for same in (file, *self.libraries.get(file.path, ()))]
        for file, text in texts.items():
            for same in [file, *self.libraries.get(file.path, ())]:
                source.set(branch, same, source(self.base, file).replaced_by(text, checkpoint))
        self.tried.append(self._outcome(branch, candidate.label or where, list(texts)))

    def look_at_present(self) -> None:
        """The outcomes of the unchanged files, for comparison."""
        run, tests = self._programs(self.base, self.edited())
        self.present = _Tried({}, 0, run, tests)

    def _objects(self, branch: Database, file: FileId, introduced: Iterable[Placed]) -> list[dict[str, Any]]:
        """What `boruna_check` of the candidate's text says; patches are listed for the first of the call."""
        text, patches = source(branch, file), Patches(branch, file)
        rows = []
        for start, diagnostic in introduced:
            self.patched += 1
            tried = patches if diagnostic.severity in (Severity.ERROR, Severity.WARNING) else None
            chunk, lists_patches = text.chunk_at(start), self.patched <= _PATCHED
            rows.append(diagnostic_answer(branch, file, file.path, chunk, diagnostic, tried, lists_patches))
        return rows

    def edited(self) -> list[FileId]:
        """The files that the call is about."""
        return [self.main] if self.main is not None else list(dict.fromkeys(self.files.values()))

    def _outcome(self, branch: Database, label: str, files: list[FileId]) -> _Tried:
        base = self.base
        is_library = any(file.path in self.libraries for file in files)
        looked_at = list(dict.fromkeys([*files, *(self.importers if is_library else ())]))
        introduced: list[dict[str, Any]] = []
        resolved: list[dict[str, Any]] = []
        count, moved, weight, remaining = 0, 0, 0, 0
        gained: set[str] = set()
        for file in looked_at:
            change = delta(base, branch, file)
            moved += bool(change.introduced or change.resolved)
            count += len(change.introduced)
            introduced += self._objects(branch, file, change.introduced[: _SHOWN[FULL] - len(introduced)])
            resolved += [{"file": file.path, **row} for row in diagnostic_entries(base, file, change.resolved)]
            weight += sum(_WEIGHTS[diagnostic.severity] for _, diagnostic in change.introduced)
            weight -= sum(_WEIGHTS[diagnostic.severity] for _, diagnostic in change.resolved)
            remaining += change.remaining
            gained |= capabilities_of(branch, file) - capabilities_of(base, file)
        entry = {
            "label": label,
            "introduced": introduced,
            "introduced_count": count,
            "resolved": resolved,
            "resolved_count": len(resolved),
            "remaining_count": remaining,
            "capabilities_gained": sorted(gained),
            "files_checked": len(looked_at),
            "files_unchanged": len(looked_at) - moved,
        }
        return _Tried(entry, weight, *self._programs(branch, files))

    def _programs(self, db: Database, files: list[FileId]) -> tuple[Program | None, list[Program]]:
        run, test = self.wanted.run, self.wanted.test
        return (
            None if run is None else runnable(db, self._to_run(run.path)),
            [] if test is None else [testable(db, file, test.names or [PATTERN]) for file in self._to_test(test.paths, files)],
        )

    def _to_run(self, path: str | None) -> FileId:
        if path is not None:
            return self.files[path]
        edited = self.edited()
        if len(edited) != 1:
            raise refusal("run", "argument `run.path` is missing: several files are edited, so name the program to run")
        return edited[0]

    def _to_test(self, paths: list[str] | None, files: list[FileId]) -> list[FileId]:
        if paths is not None:
            return list(dict.fromkeys(self.files[path] for path in paths))
        return [self.main] if self.main is not None else files


class TryEditsParams(DetailArguments, TrialArguments, CandidateArguments, CodeArguments):
    pass


def run(call: Call[TryEditsParams]) -> dict[str, Any] | Batch:
    detail, candidates = call.arguments.detail, call.arguments.candidates
    trial: _Trial | None = call.progress.get("trial")
    if trial is None:
        check_total(call.arguments.candidates)
        trial = call.progress["trial"] = _begun(call)
    worker = call.host.worker

    def give_way() -> None:
        if worker.should_yield():
            worker.give_way()

    while len(trial.tried) < len(candidates):
        trial.next(candidates, give_way)
    if not any(tried.is_placed for tried in trial.tried):
        raise refusal("candidates", trial.tried[0].entry["error"])
    if trial.wanted.run is None and trial.wanted.test is None:
        return _answer(trial, detail)
    if trial.present is None:
        trial.look_at_present()
    return _batch(trial, detail)


def _begun(call: Call[TryEditsParams]) -> _Trial:
    """Reads every file that the call can be about, then takes the snapshot. Raises MCPError or RefusedCall."""
    host, code, path = call.host, call.arguments.code, call.arguments.path
    if code is not None and path is not None:
        raise refusal("path", "arguments `code` and `path` exclude each other: give one of them")
    what = wanted(call.arguments)
    main = call.inline(code, CODE_NAME) if code is not None else file_at(call, path) if path is not None else None
    named = [named for candidate in call.arguments.candidates for named in paths_of(candidate)] + what.paths()
    files = {name: file_at(call, name) for name in dict.fromkeys(named)}
    edited = list(dict.fromkeys(([main] if main is not None else []) + list(files.values())))
    if not edited:
        raise refusal("candidates", "the call names no file: give `path`, `code`, or `files` in the candidates")
    spellings: dict[str, list[FileId]] = {}
    for file in edited:
        visible = libraries(host.db, file.workspace, file.libs).files
        if same := [library for _, library in visible if library.path == file.path and library != file]:
            spellings[file.path] = same
    importers: list[FileId] = []
    total = len(edited)
    for workspace in sorted({file.workspace for file in edited if file.path in spellings and file.workspace}):
        paths = host.files(workspace)
        total += len(set(paths) - {file.path for file in edited})
        for importer in paths:
            with suppress(FileUnavailable):
                importers.append(call.file(importer))
    checked = len({*edited, *importers})
    first = main or edited[0]
    fresh = host.freshness(first, checked, max(checked, total))
    # What is computed in it gives way to whatever is more urgent, and goes on.
    base = host.db.branch(host.worker.give_way)
    shown = fresh.as_dict()
    shown |= {"source": "speculative", "base": shown["source"]}
    present = accompanying(base, {file: file.path for file in edited})
    return _Trial(base, main, files, tuple(importers), shown, what, spellings, present, base.branch())


def _batch(trial: _Trial, detail: str) -> Batch:
    assert trial.present is not None
    jobs, programs = [], []
    for tried in (trial.present, *trial.tried):
        for program in ([] if tried.run is None else [tried.run]) + tried.tests:
            if program.module is not None and program.tests != ():
                jobs.append(trial.wanted.job(program))
                programs.append(program)

    def finish(outcomes: list[bytes | Exception]) -> dict[str, Any]:
        by_program = dict(zip(map(id, programs), outcomes, strict=True))
        assert trial.present is not None
        for tried in (trial.present, *trial.tried):
            _conclude(tried, trial.wanted, by_program)
        return _answer(trial, detail)

    return Batch(tuple(jobs), finish)


def _conclude(tried: _Tried, what: Wanted, outcomes: Mapping[int, bytes | Exception]) -> None:
    """Fills in the outcomes of a candidate's programs."""
    if tried.run is not None:
        entry = _program_entry(tried.run, outcomes)
        if "status" not in entry:
            assert tried.run.places is not None
            assert what.run is not None
            entry = trials.ran(entry, tried.run.places, what.run.max_steps)
        tried.ran = entry
    if what.test is not None and tried.is_placed:
        tried.tested = trials.tested([(test.file.path, _program_entry(test, outcomes), test.places) for test in tried.tests])


def _program_entry(program: Program, outcomes: Mapping[int, bytes | Exception]) -> dict[str, Any]:
    """Entry of a program: the worker's, or one with `status` if the program did not run to its end."""
    if program.module is None:
        return trials.not_compiled(program.errors)
    outcome = outcomes.get(id(program))
    if outcome is None:
        return {"tests": []}
    if isinstance(outcome, bytes):
        entry: dict[str, Any] = json.loads(outcome)
        return entry
    if isinstance(outcome, Died):
        return {"status": trials.FAILED, "message": f"its process ended with signal {outcome.signal}"}
    return trials.not_run("the call ran out of time before this program finished: try fewer candidates, or lower `max_steps`")


def _answer(trial: _Trial, detail: str) -> dict[str, Any]:
    if trial.present is not None:
        _compare(trial)
    order = sorted(range(len(trial.tried)), key=lambda index: (trial.tried[index].order(), index))
    for rank, index in enumerate(order, 1):
        trial.tried[index].entry["rank"] = rank
    answer = success(best=trial.tried[order[0]].entry["label"], written=False, freshness=trial.freshness)
    if trial.present is not None:
        answer["base"] = _runs(trial.present, detail)
    if trial.diagnostics and detail != SUMMARY:
        answer["base"] = answer.get("base", {}) | trial.diagnostics
    left = budget_of(detail) - _ROOM - size_of(answer)
    # All have a summary; the best are shown in detail as far as there is room.
    shown = [_shaped(tried, SUMMARY) for tried in trial.tried]
    left -= sum(size_of(row) + 1 for row in shown)
    in_short = 0
    for index in order if detail != SUMMARY else ():
        whole = _shaped(trial.tried[index], detail)
        cost = size_of(whole) - size_of(shown[index])
        if cost <= left and not in_short:
            left -= cost
            shown[index] = whole
        else:
            in_short += 1
    answer["candidates"] = shown
    if in_short:
        rest = f"those from rank {len(order) - in_short + 1} on are described briefly: call again with only these"
        answer["omitted"] = {"field": "candidates", "shown": len(order) - in_short, "left_out": in_short, "rest": rest}
    return answer


def _compare(trial: _Trial) -> None:
    """Add to each candidate whether its run has the same outcome as the current text, and the tests it lacks."""
    present = trial.present
    assert present is not None
    for tried in trial.tried:
        if tried.ran is not None and present.ran is not None:
            tried.ran["same_as_base"] = trials.same(tried.ran, present.ran)
        if tried.tested is not None and present.tested is not None and tried.tested["status"] != trials.NOT_COMPILED:
            trials.note_missing(tried.tested, present.tested, [program.file.path for program in tried.tests])


def _shaped(tried: _Tried, detail: str) -> dict[str, Any]:
    shown = dict(tried.entry)
    for name in ("introduced", "resolved"):
        if detail == SUMMARY:
            # An empty list would read as none.
            shown.pop(name, None)
        elif name in shown:
            shown[name] = shown[name][: _SHOWN[detail]]
    return shown | _runs(tried, detail)


def _runs(tried: _Tried, detail: str) -> dict[str, Any]:
    runs = {}
    if tried.ran is not None:
        runs["run"] = trials.shaped_run(tried.ran, detail)
    if tried.tested is not None:
        runs["test"] = trials.shaped_tests(tried.tested, detail)
    return runs


TOOL: Final = Tool(
    name="try_edits",
    title="Try edits without writing them",
    description=(
        "Tries up to 100 candidate edits, independently: diagnostics introduced and resolved, also in importing files, "
        "capabilities gained, results of runs and tests, rank (`base`: the current text). Nothing is written."
    ),
    arguments=TryEditsParams,
    answer_fields={
        "candidates": {
            "type": "array",
            "items": {
                "type": "object",
                "description": "label, rank, introduced, resolved, capabilities_gained, run or error",
            },
        },
        "best": TEXT,
        "base": {"type": "object"},
        "written": {"type": "boolean"},
        "omitted": OMITTED,
    },
    run=run,
    priority=Priority.WORKSPACE,
    running=("run", "test"),
    example={"path": "app.ax", "candidates": [{"label": "fix", "edits": [{"old_text": "totl", "new_text": "total"}]}]},
    task="when_slow",
)
