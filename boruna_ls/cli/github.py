"""Diagnostics as workflow commands of GitHub Actions, which shows them beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from boruna_ls.cli.checking import Checked
from boruna_ls.cli.output import visible
from boruna_ls.cli.shown import shown

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}


def workflow_commands(checked: Iterable[Checked]) -> Iterator[str]:
    """One line for each diagnostic."""
    for program in checked:
        if program.unreadable:
            yield _line("error", {"file": program.program.name}, program.unreadable)
        for diagnostic, message in shown(program):
            yield _diagnostic(program, diagnostic, message)


def _diagnostic(checked: Checked, diagnostic: dict[str, Any], message: str) -> str:
    place = diagnostic["location"]
    properties = {"file": checked.program.name, "line": place["line"], "endLine": place["end_line"]}
    # Columns are shown only for a place on one line.
    if place["line"] == place["end_line"]:
        properties |= {"col": place["column"] + 1, "endColumn": place["end_column"] + 1}
    properties["title"] = diagnostic["id"]
    return _line(_LEVELS[diagnostic["severity"]], properties, "\n".join(filter(None, (message, diagnostic.get("help", "")))))


def _line(level: str, properties: dict[str, Any], message: str) -> str:
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {written}::{_data(message)}"


def _data(text: str) -> str:
    # The log is read at a terminal, too; a line feed is written as `%0A`.
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
