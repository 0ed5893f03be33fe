"""The answer of `boruna_compile` (spec chapter 06 section 8, chapter 26 section 3).

Tools that run programs answer with `refused` if theirs does not compile.
"""

from __future__ import annotations

from typing import Any

from analysis.codegen.compile import VERSION, Compiled, CompileError, compile_file, module_size
from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.positions import place


def compile_answer(db: Database, file: FileId, name: str) -> dict[str, Any]:
    """Counts of the module, or what keeps the program from compiling."""
    size = module_size(db, file)
    if size is None:
        return refused(db, file, compile_file(db, file, name))
    return success(module={"name": name, "version": VERSION, **size._asdict()})


def refused(db: Database, file: FileId, compiled: Compiled) -> dict[str, Any]:
    """The answer for a program that does not compile: the reference's error first, then all others."""
    return failure(errors=[_error(db, file, error) for error in compiled.errors])


def _error(db: Database, file: FileId, error: CompileError) -> dict[str, Any]:
    shown: dict[str, Any] = {"severity": "error", "code": error.code, "message": error.message}
    where = place(source(db, error.file), error.start, error.end)
    if error.line is None or error.line == where["line"]:
        shown |= {key: where[key] for key in ("line", "col", "span_len", "end_line", "end_col")}
    else:
        shown["line"] = error.line
    if error.column is not None:
        shown["col"] = error.column
    if error.help:
        shown["help"] = error.help
    if error.file != file:
        shown["file"] = error.file.path
    return shown
