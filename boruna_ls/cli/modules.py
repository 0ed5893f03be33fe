"""Modules that a command line names: programs that are compiled, `.axbc` files that are loaded."""

from __future__ import annotations

import os
from typing import Any

from analysis.bytecode.axbc import LoadError, decode
from analysis.bytecode.module import Module
from analysis.codegen.compile import Compiled, compile_file
from analysis.inputs import FileId, source
from analysis.text.source import Encoding, units
from boruna_ls import given
from boruna_ls.cli.one import program_file
from boruna_ls.cli.output import complain, note
from boruna_ls.cli.programs import STDIN, Session
from boruna_ls.workspace.disk import reason_of
from boruna_ls.workspace.tool_servers import ToolState


def module_name(path: str) -> str:
    """The name of the module of a file: its name without its last extension."""
    return "module" if path == STDIN else os.path.splitext(os.path.basename(path))[0]


def compiled(path: str, tools: ToolState | None = None) -> tuple[Session, FileId, Compiled] | None:
    """A program, compiled or refused; None, after saying why, if it cannot be read. `tools` are those of servers, if given."""
    opened = program_file(path)
    if opened is None:
        return None
    session, _, file = opened
    if tools is not None:
        session.host.settings.give_tools(file.workspace, tools)
    return session, file, compile_file(session.host.db, file, module_name(path))


def module_of(path: str) -> Module | None:
    """The module of a program or of an `.axbc` file; None after saying why there is none."""
    module = fresh_module(path)
    return None if module is None else module[0]


def fresh_module(path: str) -> tuple[Module, dict[str, Any]] | None:
    """The same, and what an answer says about the state of the program: nothing for an `.axbc` file."""
    if path.endswith(".axbc"):
        module = loaded(path)
        return None if module is None else (module, {})
    compilation = compiled(path)
    if compilation is None:
        return None
    session, file, outcome = compilation
    if outcome.module is None:
        tell(session, path, file, outcome)
        return None
    return outcome.module, {"freshness": session.host.freshness(file).as_dict()}


def loaded(path: str) -> Module | None:
    """The module in a file; None after saying why there is none."""
    try:
        return decode(given.read(path))
    except OSError as error:
        complain(f"{path}: {reason_of(error)}")
    except LoadError as error:
        complain(f"{path}: {error}")
    return None


def tell(session: Session, path: str, file: FileId, outcome: Compiled) -> None:
    """Every error, each with its place."""
    for error in outcome.errors:
        complain(error.sentence)
        text = source(session.host.db, error.file)
        line, column = text.position(error.start)
        if error.column is None:
            start = error.start - column
            column = units(text.text, start, error.start, Encoding.UTF8)
            name = path if error.file == file else error.file.path
            note(f"  --> {name}:{line + 1}:{column + 1}")
