"""Common parts of the commands about one program."""

from __future__ import annotations

from analysis.diagnostics.syntax_errors import SyntaxError_
from analysis.inputs import FileId, defect
from boruna_ls.cli.output import complain
from boruna_ls.cli.programs import Program, Session
from boruna_ls.workspace import FileUnavailable


def program_file(path: str) -> tuple[Session, Program, FileId] | None:
    """The one program that a path names; None, after saying why, if it cannot be read."""
    session = Session()
    selection = session.select([path])
    if not selection.single:
        complain(f"{path}: is a folder; name one file")
        return None
    (program,) = selection.programs
    try:
        file = session.file(program)
    except FileUnavailable as error:
        complain(f"{program.name}: {error.reason}")
        return None
    session.tell_problems()
    if reason := defect(session.host.db, file):
        complain(f"{program.name}: {reason}")
        return None
    return session, program, file


def sentence(problem: SyntaxError_) -> str:
    """A syntax error as command lines have always printed it."""
    if problem.column is None:
        return f"parse error at line {problem.line}: {problem.message}"
    return f"lexer error at line {problem.line}, col {problem.column}: {problem.message}"
