"""One program looked at: the answer of `boruna_check`, and beside it what the reports for people and machines need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.inputs import source
from analysis.text import Source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import failure, with_freshness
from boruna_ls.cli.output import counted, listed
from boruna_ls.cli.programs import Program, Session
from boruna_ls.workspace import FileUnavailable

SEVERITIES: Final = tuple(severity.value for severity in Severity)


@dataclass(frozen=True, slots=True)
class Checked:
    """`answer` is the tool's; `messages` are the findings' messages without what the tool adds to them.

    A program that cannot be read has no text, and `unreadable` says why.
    """

    program: Program
    text: Source
    answer: dict[str, Any]
    messages: tuple[str, ...] = ()
    unreadable: str = ""

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """The diagnostics as the tool gives them, in order of position."""
        found: list[dict[str, Any]] = self.answer.get("diagnostics", [])
        return found


@dataclass(frozen=True, slots=True)
class Totals:
    """How many programs were looked at, how many could not be read, how many diagnostics there are of each severity."""

    files: int
    unreadable: int
    diagnostics: Counter[str]

    @property
    def failed(self) -> bool:
        return bool(self.unreadable or self.diagnostics["error"])

    def as_dict(self) -> dict[str, Any]:
        """The object `summary` of an answer about several programs."""
        return {
            "files": self.files,
            "unreadable": self.unreadable,
            "diagnostics": sum(self.diagnostics.values()),
            **{f"{severity}s": self.diagnostics[severity] for severity in SEVERITIES},
        }

    def sentence(self) -> str:
        """The same for people."""
        found = listed(counted(self.diagnostics[name], name) for name in SEVERITIES if self.diagnostics[name])
        read = counted(self.files - self.unreadable, "file")
        rest = f", {counted(self.unreadable, 'file')} unreadable" if self.unreadable else ""
        return f"{found or 'no diagnostics'} in {read}{rest}"


def check_program(session: Session, program: Program) -> Checked:
    """Checks a program as it is now; never raises for what is wrong with it."""
    try:
        file = session.file(program)
    except FileUnavailable as error:
        answer = failure(file=program.name, error_kind="unreadable", message=error.reason)
        return Checked(program, Source.from_text(""), answer, unreadable=error.reason)
    db = session.host.db
    answer = with_freshness(check_answer(db, file, program.name), session.host, file)
    messages = tuple(diagnostic.message for _, diagnostic in check_file(db, file).entries)
    return Checked(program, source(db, file), answer, messages)


def total(checked: Iterable[Checked]) -> Totals:
    """The totals over programs."""
    every = list(checked)
    diagnostics = Counter(found["severity"] for one in every for found in one.diagnostics)
    return Totals(len(every), sum(bool(one.unreadable) for one in every), diagnostics)
