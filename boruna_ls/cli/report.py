"""Findings for people: severity, code, message, place, the source line underlined, what to do.

Everything that comes from a program is shown with its invisible characters escaped, so that no text can forge a report.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final, Protocol, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from boruna_ls.cli.output import visible
from boruna_ls.cli.shown import shown

STYLES: Final = {"error": "bold red", "warning": "bold yellow", "info": "bold blue", "hint": "bold cyan"}
_MOST_CELLS: Final = 160
"""A line that is longer is shown around the diagnostic only."""
_SUGGESTION: Final = "did you mean"


class Reported(Protocol):
    """A program that was checked; `messages` are those of its diagnostics without what tools add."""

    @property
    def name(self) -> str: ...
    @property
    def diagnostics(self) -> list[dict[str, Any]]: ...
    @property
    def messages(self) -> Sequence[str]: ...

    def line(self, number: int) -> str:
        """A line of the text, from 1."""


def console(stream: TextIO | None = None) -> Console:
    """Plain text on a pipe, colour on a terminal; never wraps, never interprets what it prints."""
    return Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_report(out: Console, checked: Reported) -> None:
    """All diagnostics of one program."""
    for found, message in shown(checked):
        text = _diagnostic(checked, found, message)
        if out.is_terminal:
            out.print(text, end="\n\n")
        else:
            # Plain text needs no layout, which would take as long as the check.
            out.file.write(f"{text.plain}\n\n")


def _diagnostic(checked: Reported, found: dict[str, Any], message: str) -> Text:
    place = found["location"]
    style = STYLES[found["severity"]]
    first, *more = visible(message).split("\n")
    text = Text()
    text.append(f"{found['severity']}[{found['id']}]", style).append(f" {first}\n", "bold")
    margin = " " * len(str(place["line"]))
    text.append(f"{margin}--> ", "blue").append(f"{visible(checked.name)}:{place['line']}:{place['col']}\n")
    _quote(text, checked, place, style)
    help = visible(found.get("help", ""))
    for line in more:
        # The reference's words for a suggestion, which the help repeats.
        if not (line.strip().startswith(_SUGGESTION) and help.startswith(_SUGGESTION)):
            _note(text, margin, "", line.strip())
    if help:
        _note(text, margin, "help: ", help)
    if found.get("why"):
        _note(text, margin, "why: ", visible(found["why"]))
    for related in found.get("related", ()):
        where = related["location"]
        shown = f"{visible(where['file'])}:{where['line']}:{where['col']}: " if where else ""
        _note(text, margin, "note: ", f"{shown}{visible(related['message'])}")
    for fix in found.get("patches", ()):
        name = f"fix({fix['id']}): "
        _note(text, margin, name, f"{visible(fix['description'])} [confidence: {fix['confidence'].capitalize()}]")
    return text


def _quote(text: Text, checked: Reported, place: dict[str, Any], style: str) -> None:
    line = checked.line(place["line"])
    column = place["column"]
    last = place["end_column"] if place["end_line"] == place["line"] else len(line)
    # Of a very long line only the surroundings are shown.
    first = 0 if cell_len(line) <= _MOST_CELLS else max(0, column - _MOST_CELLS // 4)
    shown = line[first : first + _MOST_CELLS]
    before, marked = _width(line[first:column]), _width(line[column : min(last, first + _MOST_CELLS)])
    number = str(place["line"])
    cut = "…" if first else ""
    text.append(f"{' ' * len(number)} |\n", "blue")
    text.append(f"{number} | ", "blue").append(f"{cut}{_shown(shown)}\n")
    text.append(f"{' ' * len(number)} | ", "blue").append(" " * (len(cut) + before)).append("^" * max(1, marked), style)


def _shown(line: str) -> str:
    return visible(line).replace("\t", "    ")


def _width(line: str) -> int:
    return cell_len(_shown(line))


def _note(text: Text, margin: str, label: str, content: str) -> None:
    first, *more = content.split("\n")
    text.append(f"\n{margin} = ", "blue").append(label, "bold").append(first)
    for line in more:
        text.append(f"\n{margin}   {line}")
