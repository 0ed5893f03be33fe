"""Programs that executions are started of: checked, compiled, described; or what is wrong with one."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from analysis.bytecode.axbc import encode
from analysis.bytecode.module import Module
from analysis.bytecode.required_capabilities import needs
from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import failure, success
from boruna_ls.executions.places import places_of
from boruna_ls.executions.records import NewVersion
from boruna_ls.runtime.job import packed, unpacked

_MOST_SHOWN: Final = 50


def new_version(db: Database, file: FileId, program: str, name: str, workspace: str) -> NewVersion | dict[str, Any]:
    """The program checked and compiled, or the answer that says what is wrong with it."""
    diagnostics = check_answer(db, file, name)["diagnostics"]
    compiled = compile_file(db, file, "module")
    errors = [entry for entry in diagnostics if entry["severity"] == "error"]
    module = compiled.module
    if module is None or errors:
        problems = refused(db, file, compiled)["errors"] if module is None and not errors else []
        count = len(errors) or len(problems)
        message = f"the program has {count} error{'s' * (count != 1)}, so it was not loaded: fix them and load it again"
        shown: dict[str, Any] = {"programId": program, "diagnostics": diagnostics[:_MOST_SHOWN], "errors": problems[:_MOST_SHOWN]}
        return failure(error_kind="program_has_errors", message=message, **{key: value for key, value in shown.items() if value})
    if problem := _problem_of_main(module):
        return failure(error_kind="no_main", programId=program, message=problem)
    files = {function.origin.file for function in module.functions if function.origin is not None}
    places = places_of(module, {each: source(db, each) for each in files}, file)
    warnings = tuple(_sentence(entry) for entry in diagnostics if entry["severity"] == "warning")[:_MOST_SHOWN]
    fingerprint = hashlib.sha256(encode(module)).hexdigest()
    # A path that is not UTF-8 is shown as well as it can be, and has no ceiling.
    name, workspace = name.encode("utf-8", "replace").decode(), workspace if _is_text(workspace) else ""
    return NewVersion(program, name, source(db, file).text, packed(module), fingerprint, places, workspace, warnings)


def described(new_version: NewVersion, version: int, replaced: bool) -> dict[str, Any]:
    """The answer about a program that was loaded."""
    module = unpacked(new_version.module)
    own = [function for function in module.functions if function.origin is not None]
    first = own[0].origin.file if own and own[0].origin is not None else None
    functions = [
        {"name": function.name, "parameters": list(function.parameters)}
        for function in own
        if function.origin is not None and function.origin.file == first
    ]
    return success(
        programId=new_version.program_id,
        name=new_version.name,
        version=version,
        replaced=replaced,
        fingerprint=new_version.fingerprint,
        functions=functions,
        capabilities=list(needs(module)[module.entry].needed),
        **({"warnings": list(new_version.warnings)} if new_version.warnings else {}),
        next="Call start with this programId and a new executionId",
    )


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sentence(diagnostic: dict[str, Any]) -> str:
    return f"line {diagnostic['location']['line']}: {diagnostic['id']} {diagnostic['message']}"


def _problem_of_main(module: Module) -> str:
    if not 0 <= module.entry < len(module.functions):
        return "the program has no function `main`, so nothing can be started: add one and load it again"
    if module.functions[module.entry].arity:
        return "`main` has parameters: an execution calls it without any; read inputs by `step_input(name)` (`args` of start)"
    return ""
