"""`boruna-ls check`: what is wrong with programs, for people, agents, code hosts; once or on every change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import click

from analysis.documents.file_names import is_document
from boruna_ls.cli.checking import Checked, check_program
from boruna_ls.cli.editors import UNSAVED, disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.output import complain, note, with_progress, write_answer, write_exact, write_state
from boruna_ls.cli.parallel import check_programs
from boruna_ls.cli.programs import PATH, STDIN, Selection, Session
from boruna_ls.cli.totals import total

INTERVAL: Final = 0.3
"""Seconds between two looks at the files of `--watch`; a look at a file that did not change costs a call of `stat`."""


@click.command(short_help="Check programs and report diagnostics.")
@click.argument("paths", nargs=-1, type=PATH)
@click.option(
    "--json",
    "forms",
    flag_value="json",
    multiple=True,
    help="Print JSON: the answer of the tool boruna_check; for several files a list.",
)
@click.option("--sarif", "forms", flag_value="sarif", multiple=True, help="SARIF 2.1.0.")
@click.option("--github", "forms", flag_value="github", multiple=True, help="Annotations for GitHub Actions.")
@click.option("--fix", is_flag=True, help="Apply repairs; report placeholders and what is left.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until interrupted.")
@click.option("--portable", is_flag=True, help="Also report what boruna 3.2.0 computes differently.")
@libs_option
@click.option("--no-ignore", is_flag=True, help="Include files that .gitignore and the settings exclude.")
@disk_option
def command(
    paths: tuple[str, ...],
    forms: tuple[str, ...],
    fix: bool,
    watch: bool,
    portable: bool,
    no_ignore: bool,
) -> int:
    """Checks files, the contents of folders (default: the current folder), or standard input (-).

    In a folder: all .ax files and documents of a known kind, such as workflow.json.

    Exit status 1 for errors and for placeholders inserted by --fix, 0 for warnings, infos and hints only.
    """
    form = _one(forms)
    if STDIN in paths and (fix or watch):
        option, instead = ("--watch", "name files or folders") if watch else ("--fix", "use `boruna-ls repair -`")
        raise click.UsageError(f"{option} cannot be used with standard input; {instead}")
    session = Session(portable)
    if watch:
        if form or fix:
            raise click.UsageError("--watch cannot be combined with --json, --sarif, --github or --fix")
        return _watch(session, paths, not no_ignore)
    selection = session.select(paths, not no_ignore, documents=True)
    is_guessed = False
    if fix:
        from boruna_ls.cli.repair import repair_program

        for program in with_progress(selection.programs, "repairing"):
            if program.path is not None and not is_document(program.path):
                if session.is_unsaved(program):
                    complain(f"{program.name}: {UNSAVED}")
                    continue
                done = repair_program(session, program, "best", None, write=True)
                if done.unwritten:
                    complain(f"{program.name}: {done.unwritten}")
                elif count := done.answer.get("patches_applied", 0):
                    note(f"{program.name}: applied {count} {'patch' if count == 1 else 'patches'}")
                invented = [] if done.unwritten else [row for row in done.answer.get("applied", ()) if row.get("placeholder")]
                is_guessed |= bool(invented)
                for row in sorted(invented, key=lambda row: int(row["line"])):
                    complain(f"{program.name}:{row['line']}: placeholder ({row['description']}): replace it")
    checked = check_programs(session, selection.programs)
    _WRITERS[form or "text"](selection, checked)
    selection.tell_gaps()
    session.tell_problems()
    return int(total(checked).failed or is_guessed)


def _one(forms: Sequence[str]) -> str | None:
    """The requested output form; two are an error."""
    if len(set(forms)) > 1:
        raise click.UsageError(f"choose one of {', '.join(f'--{form}' for form in dict.fromkeys(forms))}")
    return forms[0] if forms else None


def _text(selection: Selection, checked: Sequence[Checked]) -> None:
    for program in checked:
        if program.unreadable:
            complain(f"{program.program.name}: {program.unreadable}")
        if program.diagnostics:
            # What draws takes longer to import than a small program to check.
            from boruna_ls.cli.report import print_report

            print_report(program)
    if checked:
        print(total(checked).sentence())


def _json(selection: Selection, checked: Sequence[Checked]) -> None:
    if selection.single:
        write_answer(checked[0].answer)
        return
    write_answer({"files": [program.answer for program in checked], "summary": total(checked).as_dict()})


def _sarif(selection: Selection, checked: Sequence[Checked]) -> None:
    from boruna_ls.cli.sarif import sarif

    write_state(sarif(checked))


def _github(selection: Selection, checked: Sequence[Checked]) -> None:
    from boruna_ls.cli.github import workflow_commands

    write_exact("".join(f"{line}\n" for line in workflow_commands(checked)))


_WRITERS: Final[dict[str, Callable[[Selection, Sequence[Checked]], None]]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
    "github": _github,
}


def _watch(session: Session, paths: tuple[str, ...], ignoring: bool) -> int:
    """Looks again and again; whatever did not change is remembered by the database, so a look is cheap."""
    shown: list[object] | None = None
    try:
        while True:
            selection = session.select(paths, ignoring, documents=True)
            with session.host.jobs.one_look():
                checked = [check_program(session, program) for program in selection.programs]
            state: list[object] = [
                (entry.program, entry.unreadable, entry.diagnostics, entry.text if entry.diagnostics else "") for entry in checked
            ]
            if state != shown:
                if shown is not None:
                    print(f"── {time.strftime('%H:%M:%S')} ──")
                _text(selection, checked)
                selection.tell_gaps()
                print(end="", flush=True)
                shown = state
            time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return 0
