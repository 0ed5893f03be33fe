"""The programs that a command line names: files, folders, standard input; found here, read through the host.

A folder stands for the `.ax` files below it, for `check` also for its documents (`workflow.json`, …); hidden folders and those
of tools (`node_modules`, `venv`, …) are left out.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import click

from analysis import inputs
from analysis.data_classes import dataclass, replace
from analysis.documents.file_names import is_document, is_listed
from analysis.inputs import FileId
from boruna_ls import no_follow
from boruna_ls.cli.editors import looks_at_editors, open_texts, unsaved_texts
from boruna_ls.cli.libs import chosen_libs
from boruna_ls.cli.output import note
from boruna_ls.workspace import FileUnavailable, Host
from boruna_ls.workspace.disk import reason_of
from boruna_ls.workspace.jobs import locked
from boruna_ls.workspace.programs import FILES_LIMIT, LEADS_OUT, SUFFIX, program_files
from boruna_ls.workspace.roots import DiskView, is_inside

_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
STDIN: Final = "-"
STDIN_NAME: Final = "<stdin>"
# The command itself reports unreadable files, as it reports missing ones.
PATH: Final = click.Path(readable=False)


@dataclass(frozen=True, slots=True)
class Program:
    """`name` is what the user wrote, or what it leads to; `path` is absolute, None for standard input."""

    name: str
    path: str | None


@dataclass(frozen=True, slots=True)
class Selection:
    """`single` if one file was named, not a folder: then answers are its alone.

    `empty` are folders without any program, `cut` those with more than are looked at, `closed` sentences about
    those that could not be listed.
    """

    programs: tuple[Program, ...]
    single: bool
    empty: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    def tell_gaps(self) -> None:
        """Says on standard error where less was looked at than one may think."""
        for folder in self.empty:
            note(f"no .ax files in {folder}")
        for sentence in self.closed:
            note(f"warning: {sentence}")
        for folder in self.cut:
            note(f"warning: {folder} has more than {FILES_LIMIT} .ax files; the others were ignored")


def select(paths: Iterable[str], ignoring: bool = True, opened: Iterable[str] = (), documents: bool = False) -> Selection:
    """The programs that arguments mean, each once, in order; no argument means the current folder.

    In folders only what is not ignored counts, unless `ignoring` is false; a file that is named always does. `opened` are
    canonical paths of files that editors have open: one below a folder counts although it is ignored, or not on disk yet.
    With `documents` the documents of known kinds count, too.
    """
    named = tuple(paths)
    programs: dict[str, Program] = {}
    empty: list[str] = []
    cut: list[str] = []
    closed: list[str] = []
    look = DiskView()
    for path in named or (".",):
        if path == STDIN:
            programs.setdefault(STDIN, Program(STDIN_NAME, None))
        elif os.path.isdir(path):
            inside = program_files(os.path.abspath(path), ignoring)
            root = look.canonical(os.path.abspath(path))
            files = (*inside.files, *inside.documents) if documents else inside.files
            listed = frozenset(files)
            new = [file for file in opened if _counts(file, documents) and is_inside(file, root) and file not in listed]
            for file in (*files, *new):
                shown = os.path.relpath(file, root)
                programs.setdefault(file, Program(os.path.normpath(os.path.join(path, shown)), file))
            if not files and not new:
                empty.append(path)
            if inside.is_cut:
                cut.append(path)
            for entry, reason in inside.closed:
                closed.append(f"{entry} {'was left out' if reason == LEADS_OUT else 'could not be listed'}: {reason}")
        else:
            programs.setdefault(look.canonical(os.path.abspath(path)), Program(path, os.path.abspath(path)))
    single = len(named) == 1 and not os.path.isdir(named[0])
    return Selection(tuple(programs.values()), single, tuple(empty), tuple(cut), tuple(closed))


def _counts(file: str, documents: bool) -> bool:
    return file.endswith(SUFFIX) or (documents and is_document(file) and is_listed(file))


class Session:
    """One host for the life of a command, seen from the current folder; it shows what editors have, unless told `--disk`."""

    def __init__(self, portable: bool = False) -> None:
        self._libs_dir = chosen_libs()
        self.host = Host(libs_dir=self._libs_dir)
        self._editor = self.host.connect()
        self._unsaved: dict[str, str] = {}
        self._noted: set[str] = set()
        self._folder = os.getcwd()
        self._portable = portable
        self._stdin: str | None = None
        self._workspaces: set[str] = set()
        self._problems: set[str] = set()

    def select(self, paths: Iterable[str], ignoring: bool = True, documents: bool = False) -> Selection:
        """The programs that arguments mean, with what editors have unsaved now in the place of what is on disk."""
        named = tuple(paths)
        opened = open_texts(_places(named, self._libs_dir)) if looks_at_editors() else {}
        before, self._unsaved = (
            self._unsaved,
            {path: opened_text["text"] for path, opened_text in opened.items() if opened_text.get("unsaved")},
        )
        for path in before.keys() - self._unsaved.keys():
            self.host.close(self._editor, path)
        for path, text in self._unsaved.items():
            if before.get(path) != text:
                self.host.open(self._editor, path, text)
        return select(named, ignoring, opened, documents)

    def is_unsaved(self, program: Program) -> bool:
        """True if an editor has another text of a program than the disk."""
        return program.path is not None and bool(self._unsaved) and self.host.canonical(program.path) in self._unsaved

    def file(self, program: Program) -> FileId:
        """The program as it is now. Raises FileUnavailable."""
        if program.path is None:
            if self._stdin is None:
                self._stdin = read_stdin()
            place = os.path.join(self._folder, STDIN_NAME)
            file = self.inline(self._stdin, STDIN_NAME, place, self)
        else:
            file = self.host.file_for_agent(program.path, [self._folder])
            if file.layer.startswith("editor") and program.path not in self._noted:
                self._noted.add(program.path)
                note(f"{program.name} (unsaved text of an editor)")
        self._workspaces.add(file.workspace)
        if self._portable:
            chosen = inputs.settings(self.host.db, file.workspace)
            inputs.settings.set(self.host.db, file.workspace, replace(chosen, portable=True))
        return file

    def inline(self, text: str, name: str, path: str, connection: object) -> FileId:
        """A text as a file that stands at a path: it sees the libraries that a file there sees."""
        return self.host.inline(text, name, connection=connection, path=path, folders=[self._folder])

    def problems(self) -> list[str]:
        """Faults in the settings of the workspaces of the programs."""
        own = [problem for workspace in sorted(self._workspaces) for problem in self.host.problems(workspace)]
        return [*own, *sorted(self._problems.difference(own))]

    def tell_problems(self) -> None:
        """Says what is wrong with the settings. What they were to choose is then chosen by default."""
        tell_problems(self.problems())

    def add_problems(self, problems: Iterable[str]) -> None:
        """Add faults of settings that other processes have found."""
        self._problems.update(problems)


def tell_problems(problems: Iterable[str]) -> None:
    """Says what is wrong with settings."""
    for problem in problems:
        note(f"warning: {problem}")


def settings_problems(programs: Iterable[Program]) -> list[str]:
    """What is wrong with the settings of the workspaces of programs, for commands without a session."""
    look = DiskView()
    folders = (os.path.join(os.path.dirname(program.path or os.path.abspath(STDIN_NAME)), "_") for program in programs)
    roots = {look.root(look.canonical(folder), (os.getcwd(),)) for folder in folders}
    host = Host()
    for root in roots:
        locked(host.jobs, look, partial(host.settings.refresh, root, look))
    return [problem for root in sorted(roots) for problem in host.problems(root)]


def unsaved_among(paths: Iterable[str]) -> frozenset[str]:
    """The canonical paths of files that editors have unsaved, among those that arguments mean; none with `--disk`."""
    return frozenset(unsaved_texts(_places(tuple(paths)))) if looks_at_editors() else frozenset()


def _places(named: tuple[str, ...], libs_dir: str | None = None) -> list[str]:
    """The folders, and files that stand alone, on which the programs that arguments mean can depend."""
    look = DiskView()
    places = {look.canonical(libs_dir): None} if libs_dir else {}
    for path in named or (".",):
        place = look.canonical(os.path.abspath("." if path == STDIN else path))
        inside = os.path.join(place, "_") if os.path.isdir(place) else place
        places |= {place: None, look.root(inside) or place: None}
    return list(places)


def read_stdin() -> str:
    """Standard input as text. Raises FileUnavailable if it is not UTF-8."""
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileUnavailable(STDIN_NAME, not_utf8(data, error)) from None


def not_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    """The defect of bytes that are not text."""
    return f"not valid UTF-8: byte 0x{data[error.start]:02X} at offset {error.start}"


def write_file(path: str, text: str, expected: bytes) -> None:
    """Replaces a file's text, whole or not at all.

    Raises FileUnavailable if it cannot be written, or does not hold `expected` any more.
    """
    target = _target(path)
    try:
        # Opened for writing, so that a file that is write-protected stays as it is.
        with os.fdopen(no_follow.opened(target, os.O_RDWR), "r+b") as file:
            if not os.fstat(file.fileno()).st_mode & _WRITABLE:
                # The superuser may write all the same, but did not mean to.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            if file.read() != expected:
                raise FileUnavailable(path, "changed during the check, so it was not written")
        _replace(target, text.encode("utf-8"))
    except OSError as error:
        raise FileUnavailable(path, f"cannot be written: {reason_of(error)}") from None


def _target(path: str) -> str:
    """The file that a path means. Raises FileUnavailable for a link out of its workspace: it may have come with a repository."""
    target = os.path.realpath(path)
    if os.path.islink(path):
        look = DiskView()
        folder = look.canonical(os.path.dirname(os.path.abspath(path)))
        workspace = look.root(os.path.join(folder, "_")) or folder
        if not target.endswith(SUFFIX) or not is_inside(target, workspace):
            reason = f"is a link to {target}, outside this workspace: to change that file, name it directly"
            raise FileUnavailable(path, reason)
    return target


def _replace(target: str, data: bytes) -> None:
    from boruna_ls.rendezvous import atomic  # now: most commands write nothing

    with _undisturbed():
        atomic.write(target, data, os.stat(target).st_mode & 0o7777)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Puts off signals that end the process until the file is complete and its temporary one removed."""
    late: list[int] = []
    before = {number: signal.signal(number, lambda number, _: late.append(number)) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for number in late:
            signal.raise_signal(number)
