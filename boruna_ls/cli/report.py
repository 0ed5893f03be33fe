"""Diagnostics for people: severity, code, message, place, the source line underlined, what to do.

Everything that comes from a program is shown with its invisible characters escaped, so that no text can forge a report.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TextIO

from boruna_ls.cli.output import visible
from boruna_ls.cli.shown import shown

if TYPE_CHECKING:
    from rich.console import Console

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


class _Styled:
    """A text in parts with a style each, "" for none. On a terminal rich, which takes long to import, lays it out."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, str]] = []

    def append(self, text: str, style: str = "") -> _Styled:
        self.parts.append((text, style))
        return self


def print_report(checked: Reported, stream: TextIO | None = None) -> None:
    """All diagnostics of one program: plain text on a pipe, colour on a terminal."""
    stream = stream or sys.stdout
    out = _console(stream) if _may_colour(stream) else None
    for diagnostic, message in shown(checked):
        text = _diagnostic(checked, diagnostic, message)
        if out is not None and out.is_terminal:
            from rich.text import Text

            out.print(Text.assemble(*text.parts), end="\n\n")
        else:
            stream.write("".join(part for part, _ in text.parts) + "\n\n")


def _may_colour(stream: TextIO) -> bool:
    """True if rich must decide about colour: it knows terminals and the variables that switch colour on and off."""
    return stream.isatty() or bool({"FORCE_COLOR", "TTY_COMPATIBLE"} & os.environ.keys())


def _console(stream: TextIO) -> Console:
    """Never wraps, never interprets what it prints."""
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _cells(text: str) -> int:
    """Number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _diagnostic(checked: Reported, diagnostic: dict[str, Any], message: str) -> _Styled:
    place = diagnostic["location"]
    style = STYLES[diagnostic["severity"]]
    first, *more = visible(message).split("\n")
    text = _Styled()
    text.append(f"{diagnostic['severity']}[{diagnostic['id']}]", style).append(f" {first}\n", "bold")
    margin = " " * len(str(place["line"]))
    text.append(f"{margin}--> ", "blue").append(f"{visible(checked.name)}:{place['line']}:{place['col']}\n")
    _quote(text, checked, place, style)
    help = visible(diagnostic.get("help", ""))
    for line in more:
        # The reference's words for a suggestion, which the help repeats.
        if not (line.strip().startswith(_SUGGESTION) and help.startswith(_SUGGESTION)):
            _note(text, margin, "", line.strip())
    if help:
        _note(text, margin, "help: ", help)
    if diagnostic.get("why"):
        _note(text, margin, "why: ", visible(diagnostic["why"]))
    for related in diagnostic.get("related", ()):
        where = related["location"]
        shown = f"{visible(where['file'])}:{where['line']}:{where['col']}: " if where else ""
        _note(text, margin, "note: ", f"{shown}{visible(related['message'])}")
    for fix in diagnostic.get("patches", ()):
        name = f"fix({visible(fix['id'])}): "
        _note(text, margin, name, f"{visible(fix['description'])} [confidence: {fix['confidence'].capitalize()}]")
    return text


def _quote(text: _Styled, checked: Reported, place: dict[str, Any], style: str) -> None:
    line = checked.line(place["line"])
    column = place["column"]
    last = place["end_column"] if place["end_line"] == place["line"] else len(line)
    # Of a very long line only the surroundings are shown.
    first = 0 if _cells(line) <= _MOST_CELLS else max(0, column - _MOST_CELLS // 4)
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
    return _cells(_shown(line))


def _note(text: _Styled, margin: str, label: str, content: str) -> None:
    first, *more = content.split("\n")
    text.append(f"\n{margin} = ", "blue").append(label, "bold").append(first)
    for line in more:
        text.append(f"\n{margin}   {line}")
