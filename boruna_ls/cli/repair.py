"""`boruna-ls repair`: applies the patches of diagnostics, in files, or only to look at."""

from __future__ import annotations

from typing import Any

import click

from analysis.data_classes import dataclass
from analysis.diagnostics.check import check_file
from analysis.inputs import defect, source
from analysis.text.diff import unified_diff
from boruna_ls.answers.envelope import failure, with_freshness
from boruna_ls.answers.repair import repair_answer
from boruna_ls.cli.editors import UNSAVED, disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.output import complain, note, visible, with_progress, write_answer, write_exact
from boruna_ls.cli.programs import PATH, Program, Session, write_file
from boruna_ls.workspace import FileUnavailable


@dataclass(frozen=True, slots=True)
class Repaired:
    """`answer` is that of `boruna_repair`.

    `failed` if errors are left, or if the program could not be read or written: `unreadable`, `unwritten` say why.
    """

    program: Program
    before: str
    answer: dict[str, Any]
    failed: bool
    unreadable: str = ""
    unwritten: str = ""

    @property
    def after(self) -> str:
        """The text with the patches applied."""
        text: str = self.answer.get("repaired_source", self.before)
        return text


@click.command(short_help="Repair programs.")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--apply", "choice", default="best", metavar="best|all|ID", help="Which patches (default: best).")
@click.option("--diff", is_flag=True, help="Write nothing; show the changes.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_repair; for several files a list."
)
@libs_option
@click.option("--no-ignore", is_flag=True, help="Include files that .gitignore and the settings exclude.")
@disk_option
def command(paths: tuple[str, ...], choice: str, diff: bool, as_json: bool, no_ignore: bool) -> int:
    """Repairs files, the .ax files below folders (default: the current folder), or standard input (-), in place.

    Every patch is tried first and kept only if it adds no error. `best` applies one patch for each diagnostic until
    nothing improves, `all` applies every applicable patch, an ID (shown by `boruna-ls check`) only that patch. Exit
    status 1 if errors are left.
    """
    session = Session()
    selection = session.select(paths, not no_ignore)
    strategy, patch_id = (choice, None) if choice in ("best", "all") else ("best", choice)
    repaired: list[Repaired] = []
    for program in with_progress(selection.programs, "repairing"):
        result = repair_program(session, program, strategy, patch_id, write=not diff)
        repaired.append(result)
        if result.unreadable or result.unwritten:
            complain(f"{program.name}: {result.unreadable or result.unwritten}")
        if not as_json:
            _show(result, diff)
    selection.tell_gaps()
    session.tell_problems()
    if as_json and selection.single:
        write_answer(repaired[0].answer)
    elif as_json:
        failed = sum(result.failed for result in repaired)
        applied = sum(result.answer.get("patches_applied", 0) for result in repaired)
        summary = {"files": len(repaired), "patches_applied": applied, "files_with_errors": failed}
        write_answer({"files": [{"file": result.program.name, **result.answer} for result in repaired], "summary": summary})
    is_unknown = patch_id is not None and not any(result.answer.get("patches_applied") for result in repaired)
    if is_unknown:
        complain(f"no patch '{choice}' could be applied: `boruna-ls check` lists the patches of each diagnostic")
    return int(is_unknown or any(result.failed for result in repaired))


def repair_program(session: Session, program: Program, strategy: str, patch_id: str | None, write: bool) -> Repaired:
    """Repairs one program, in its file if `write` is set; never raises for what is wrong with it."""
    db = session.host.db
    try:
        file = session.file(program)
        if reason := defect(db, file):
            raise FileUnavailable(program.name, reason)
    except FileUnavailable as error:
        answer = failure(file=program.name, error_kind="unreadable", message=error.reason)
        return Repaired(program, "", answer, True, unreadable=error.reason)
    before = source(db, file).text
    answer = with_freshness(repair_answer(db, file, strategy, patch_id), session.host, file)
    after: str = answer["repaired_source"]
    if write and program.path is not None and after != before:
        if session.is_unsaved(program):
            return Repaired(program, before, answer, True, unwritten=UNSAVED)
        try:
            write_file(program.path, after, before.encode("utf-8"))
        except FileUnavailable as error:
            return Repaired(program, before, answer, True, unwritten=error.reason)
    # As `boruna_check` judges what is there now, not by what the strategy looked at.
    return Repaired(program, before, answer, _has_errors(session, program, after))


def _has_errors(session: Session, program: Program, text: str) -> bool:
    place = program.path or session.file(program).path
    file = session.inline(text, program.name, place, "repaired")
    return check_file(session.host.db, file).has_errors()


def _show(result: Repaired, diff: bool) -> None:
    if result.unreadable or result.unwritten:
        return
    if diff:
        write_exact(unified_diff(result.program.name, result.before, result.after))
        return
    if result.program.path is None:
        write_exact(result.after)
        return
    answer = result.answer
    count = answer["patches_applied"]
    done = f"applied {count} {'patch' if count == 1 else 'patches'}" if count else "no patches applied"
    print(f"{visible(result.program.name)}: {done}")
    for row in answer["applied"]:
        invented = f" (line {row['line']} has a placeholder: replace it)" if row.get("placeholder") else ""
        print(visible(f"  [{row['diagnostic_id']}] {row['patch_id']}: {row['description']}{invented}"))
    for row in answer["skipped"]:
        print(visible(f"  skipped {row['diagnostic_id']}: {row['reason']}"))
    for warning in answer.get("warnings", ()):
        note(f"warning: {warning}")
    print(f"  diagnostics: {answer['diagnostics_before']} -> {answer['diagnostics_after']}")
