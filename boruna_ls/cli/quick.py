"""`boruna-ls check [--json] FILE`, the command that people and tools start most: by the daemon where one runs, else right here.

Imports only what it needs: neither click nor, on a pipe, rich. Whatever is asked in another way, or by another package than the
daemon's, is answered by `cli/check.py`. Both print the same.
"""

from __future__ import annotations

import os
import sys

from boruna_ls.rendezvous import places, wire
from boruna_ls.rendezvous.ask import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_TIMEOUT = 10.0
"""Seconds that the daemon has; after that this process checks for itself."""


class CheckedFile:
    """Data of a checked file for the report for people (`answers/file_report.py`)."""

    def __init__(self, name: str, reply: dict[str, Any]) -> None:
        self.name = name
        self.diagnostics: list[dict[str, Any]] = reply["answer"].get("diagnostics", [])
        self.messages: list[str] = reply["messages"]
        self.unreadable: str = reply["unreadable"]
        self._lines: dict[str, str] = reply["lines"]

    def line(self, number: int) -> str:
        """A line of the text, from 1."""
        return self._lines[str(number)]


def check(arguments: Sequence[str]) -> int | None:
    """The exit status after a check; None if the whole command line is needed."""
    as_json = "--json" in arguments
    paths = [argument for argument in arguments if argument != "--json"]
    if len(paths) != 1 or len(arguments) > 2 or paths[0].startswith("-") or sys.stdout is None or sys.stderr is None:
        return None
    if not os.path.isfile(paths[0]) or not os.access(paths[0], os.R_OK):
        return None
    try:
        folder = places.folder()
        place = {"name": paths[0], "path": os.path.abspath(paths[0])}
        answer = ask(folder, "check", _TIMEOUT, **place, package=wire.PACKAGE) if os.path.isdir(folder) else None
    except (OSError, ValueError):
        return None
    if answer is None:
        # No daemon runs, so no editor has anything unsaved that could count.
        answer = _checked_here(**place, as_json=as_json)
    return _guarded(paths[0], answer, as_json) if "answer" in answer else None


def _checked_here(name: str, path: str, as_json: bool) -> dict[str, Any]:
    import gc

    # What is imported stays: the collector would look through it again and again.
    gc.disable()
    from boruna_ls.answers.file_report import file_report
    from boruna_ls.workspace.host import Host

    gc.freeze()
    gc.enable()
    return file_report(Host(), name, path, os.getcwd(), as_json)


def _guarded(name: str, answer: dict[str, Any], as_json: bool) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A file name or a text can hold what the terminal's encoding lacks.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _shown(name, answer, as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status


def _shown(name: str, answer: dict[str, Any], as_json: bool) -> int:
    from boruna_ls.cli.output import complain, note, write_exact
    from boruna_ls.cli.totals import total

    checked = CheckedFile(name, answer)
    totals = total([checked])
    if answer["unsaved"]:
        note(f"{name} (unsaved text of an editor)")
    if as_json:
        write_exact(answer["json"] + "\n", "backslashreplace")
    else:
        if checked.unreadable:
            complain(f"{name}: {checked.unreadable}")
        if checked.diagnostics:
            from boruna_ls.cli.report import print_report

            print_report(checked)
        print(totals.sentence())
    for problem in answer["problems"]:
        note(f"warning: {problem}")
    return int(totals.failed)
