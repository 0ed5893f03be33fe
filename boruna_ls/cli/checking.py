"""One program looked at: the answer of `boruna_check`, and beside it what the reports for people and machines need."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from analysis.data_classes import dataclass
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.inputs import source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import failure, with_freshness
from boruna_ls.cli.programs import Program, Session
from boruna_ls.workspace import FileUnavailable


@dataclass(frozen=True, slots=True)
class Checked:
    """`answer` is the tool's; `messages` are the diagnostics' messages without what the tool adds to them.

    A program that cannot be read has no text, and `unreadable` says why.
    """

    program: Program
    text: str
    answer: dict[str, Any]
    messages: tuple[str, ...] = ()
    unreadable: str = ""

    @property
    def name(self) -> str:
        return self.program.name

    def line(self, number: int) -> str:
        """A line of the text, from 1."""
        return _lines(self.text)[number - 1].removesuffix("\r")

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """The diagnostics as the tool gives them, in order of position."""
        entries: list[dict[str, Any]] = self.answer.get("diagnostics", [])
        return entries


@lru_cache(maxsize=1)
def _lines(text: str) -> list[str]:
    return text.split("\n")


def check_program(session: Session, program: Program) -> Checked:
    """Checks a program as it is now; never raises for what is wrong with it."""
    try:
        file = session.file(program)
    except FileUnavailable as error:
        answer = failure(file=program.name, error_kind="unreadable", message=error.reason)
        return Checked(program, "", answer, unreadable=error.reason)
    db = session.host.db
    answer = with_freshness(check_answer(db, file, program.name), session.host, file)
    messages = tuple(diagnostic.message for _, diagnostic in file_diagnostics(db, file).entries)
    return Checked(program, source(db, file).text, answer, messages)
