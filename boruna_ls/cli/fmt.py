"""`boruna-ls fmt`: the canonical layout, in place, as a test, or as a difference (spec chapter 03 section 6)."""

from __future__ import annotations

import os
from typing import Final

import click

from analysis.data_classes import dataclass
from analysis.formatting.formatter import Formatted, Refused
from analysis.ide.format_text import format_text
from analysis.text.diff import unified_diff
from analysis.text.source import lines_of
from boruna_ls import given
from boruna_ls.cli.editors import UNSAVED, disk_option
from boruna_ls.cli.output import complain, counted, listed, note, visible, with_progress, write_exact
from boruna_ls.cli.programs import (
    PATH,
    Program,
    Selection,
    not_utf8,
    read_stdin,
    select,
    settings_problems,
    tell_problems,
    unsaved_among,
    write_file,
)
from boruna_ls.workspace import FileUnavailable
from boruna_ls.workspace.disk import reason_of
from boruna_ls.workspace.roots import DiskView

DIFFERENT: Final = 1
UNREADABLE: Final = 1
UNPARSABLE: Final = 2


@click.command(short_help="Format programs.")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 if a file is not formatted.")
@click.option("--diff", is_flag=True, help="Write nothing; show the changes, exit status 1 if there are any.")
@click.option("--no-ignore", is_flag=True, help="Include files that .gitignore and the settings exclude.")
@disk_option
def command(paths: tuple[str, ...], check: bool, diff: bool, no_ignore: bool) -> int:
    """Formats files, the .ax files below folders (default: the current folder), or standard input (-), in place.

    Comments and the meaning of the program are kept: the result is parsed and compared before it is written.
    """
    selection = select(paths, not no_ignore)
    selection.tell_gaps()
    # What is on disk is looked at, as it is what would be written; an editor that saves later would undo it.
    work = _Work(selection, check, diff, frozenset() if check or diff else unsaved_among(paths))
    status = max([work.handle(program) for program in with_progress(selection.programs, "formatting")], default=0)
    work.summarise()
    tell_problems(settings_problems(selection.programs))
    return status


@dataclass(slots=True)
class _Work:
    selection: Selection
    check: bool
    diff: bool
    unsaved: frozenset[str]
    changed: int = 0
    equal: int = 0
    failed: int = 0

    def handle(self, program: Program) -> int:
        """Formats one program and returns its exit status."""
        try:
            data, text = _read(program)
        except FileUnavailable as error:
            self.failed += 1
            is_named = isinstance(error, _SystemMessage) and self.selection.single
            complain(error.reason if is_named else f"{program.name}: {error.reason}")
            return UNREADABLE
        answer = format_text(None, text)
        if isinstance(answer, Refused):
            self.failed += 1
            place = f"line {answer.line}" if answer.column is None else f"line {answer.line}, col {answer.column}"
            note(f"boruna fmt: parse failed in {program.name} at {place}: {answer.message}")
            return UNPARSABLE
        is_equal = answer.text == text
        self.equal += is_equal
        self.changed += not is_equal
        if self.check or self.diff:
            return self._show(program, text, answer)
        if program.path is None:
            write_exact(answer.text)
        elif not is_equal:
            if self.unsaved and DiskView().canonical(program.path) in self.unsaved:
                return self._unwritten(program, UNSAVED)
            try:
                write_file(program.path, answer.text, data)
            except FileUnavailable as error:
                return self._unwritten(program, error.reason)
            print(visible(f"formatted {program.name}"))
        elif self.selection.single:
            print(visible(f"{program.name} already formatted"))
        return 0

    def _unwritten(self, program: Program, reason: str) -> int:
        complain(f"{program.name}: {reason}")
        self.changed -= 1
        self.failed += 1
        return UNREADABLE

    def _show(self, program: Program, text: str, answer: Formatted) -> int:
        if answer.text == text:
            return 0
        if self.diff:
            write_exact(unified_diff(program.name, text, answer.text))
        if self.check:
            message = f"boruna fmt: {program.name} is not formatted."
            if program.path is not None:
                message += f" Run `boruna fmt {program.name}` to fix."
            note(message + first_difference(text, answer.text))
        return DIFFERENT

    def summarise(self) -> None:
        """One line at the end, if more than one file was meant."""
        if self.selection.single or not self.selection.programs:
            return
        verb = "would be formatted" if self.check or self.diff else "formatted"
        parts = (
            f"{counted(self.changed, 'file')} {verb}" if self.changed else "",
            f"{counted(self.equal, 'file')} already formatted" if self.equal else "",
            f"{counted(self.failed, 'file')} skipped" if self.failed else "",
        )
        note(listed(parts))


def first_difference(text: str, formatted: str) -> str:
    """The lines that tell where two texts differ first; "" if only the last line feed is missing."""
    before, after = list(lines_of(text)), list(lines_of(formatted))
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if old != new:
            return f"\n  first diff at line {number}:\n    -{old}\n    +{new}"
    if len(before) == len(after):
        return ""
    return f"\n  first diff at line {min(len(before), len(after)) + 1}:\n    -\n    +"


class _SystemMessage(FileUnavailable):
    """The system's message about a file; alone it is the whole message if only one file was meant."""


def _read(program: Program) -> tuple[bytes, str]:
    """Bytes and text of a program. Raises FileUnavailable with the system's words."""
    if program.path is None:
        return b"", read_stdin()
    try:
        data = given.read(program.path)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise _SystemMessage(program.name, f"{os.strerror(error.errno)} (os error {error.errno})") from None
        raise FileUnavailable(program.name, reason_of(error)) from None
    try:
        return data, data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileUnavailable(program.name, not_utf8(data, error)) from None
