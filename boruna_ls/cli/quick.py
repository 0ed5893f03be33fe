"""`boruna-ls check [--json] FILE` where a daemon runs: it has checked the file already, or does so without starting anything.

Imports only what is light; whatever is asked in another way, or by another package than the daemon's, is answered by
`cli/check.py` in this process. Both print the same.
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


class DaemonChecked:
    """What the report for people needs of a file that the daemon has checked."""

    def __init__(self, name: str, found: dict[str, Any]) -> None:
        self.name = name
        self.diagnostics: list[dict[str, Any]] = found["answer"].get("diagnostics", [])
        self.messages: list[str] = found["messages"]
        self.unreadable: str = found["unreadable"]
        self._lines: dict[str, str] = found["lines"]

    def line(self, number: int) -> str:
        """A line of the text, from 1."""
        return self._lines[str(number)]


def check(arguments: Sequence[str]) -> int | None:
    """The exit status after a check by the daemon; None if it is to be done in this process."""
    as_json = "--json" in arguments
    paths = [argument for argument in arguments if argument != "--json"]
    if len(paths) != 1 or len(arguments) > 2 or paths[0].startswith("-") or sys.stdout is None or sys.stderr is None:
        return None
    if not os.path.isfile(paths[0]) or not os.access(paths[0], os.R_OK):
        return None
    try:
        folder = places.folder()
        place = {"name": paths[0], "path": os.path.abspath(paths[0]), "package": wire.PACKAGE}
        found = ask(folder, "check", _TIMEOUT, **place) if os.path.isdir(folder) else None
    except (OSError, ValueError):
        return None
    if found is None or "answer" not in found:
        return None
    return _guarded(paths[0], found, as_json)


def _guarded(name: str, found: dict[str, Any], as_json: bool) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A file name or a text can hold what the terminal's encoding lacks.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _shown(name, found, as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status


def _shown(name: str, found: dict[str, Any], as_json: bool) -> int:
    from boruna_ls.cli.output import complain, note, write_exact
    from boruna_ls.cli.totals import total

    checked = DaemonChecked(name, found)
    totals = total([checked])
    if found["unsaved"]:
        note(f"{name} (unsaved text of an editor)")
    if as_json:
        write_exact(found["json"] + "\n", "backslashreplace")
    else:
        if checked.unreadable:
            complain(f"{name}: {checked.unreadable}")
        if checked.diagnostics:
            from boruna_ls.cli.report import console, print_report

            print_report(console(), checked)
        print(totals.sentence())
    for problem in found["problems"]:
        note(f"warning: {problem}")
    return int(totals.failed)
