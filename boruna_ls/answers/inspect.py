"""The answer of `boruna_inspect` (spec chapter 26 section 3): a module in full, as JSON and as text.

Each instruction's place in the source comes with it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from analysis.bytecode.axbc import encode, module_to_json
from analysis.bytecode.disassembly import disassembly
from analysis.bytecode.module import FunctionCode, Module
from analysis.codegen.compile import compile_file
from analysis.database import Database, paced
from analysis.inputs import FileId, source
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import success
from boruna_ls.answers.positions import place


def inspect_answer(db: Database, file: FileId, name: str) -> dict[str, Any]:
    """Everything about the module of a program, or what keeps it from compiling."""
    compiled = compile_file(db, file, name)
    if compiled.module is None:
        return refused(db, file, compiled)
    return inspected(compiled.module) | {"source_map": source_map(db, file, compiled.module)}


def inspected(module: Module) -> dict[str, Any]:
    """Everything about a module but where it comes from."""
    data = encode(module)
    return success(
        module=module_to_json(module),
        disassembly=disassembly(module),
        axbc_bytes=len(data),
        axbc_sha256=hashlib.sha256(data).hexdigest(),
    )


def source_map(db: Database, file: FileId, module: Module) -> list[dict[str, Any]]:
    """For each function where its instructions come from; `places` holds line, col, end_line, end_col of each."""
    return [_mapped(db, file, function) for function in paced(module.functions)]


def _mapped(db: Database, file: FileId, function: FunctionCode) -> dict[str, Any]:
    places = []
    indexes: dict[tuple[FileId, int, int], list[int]] = {}
    for index in paced(range(len(function.code)), 50):
        spot = function.place(index)
        if spot is None:
            continue
        if spot not in indexes:
            where = place(source(db, spot[0]), spot[1], spot[2])
            indexes[spot] = [where["line"], where["col"], where["end_line"], where["end_col"]]
        places.append(indexes[spot])
    shown: dict[str, Any] = {"function": function.name, "places": places}
    if function.origin is not None and function.origin.file != file:
        shown["file"] = function.origin.file.path
    return shown
