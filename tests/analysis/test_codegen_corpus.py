"""Every module of the corpus: bytes, disassembly, errors; functions that a correction touches may be other ones."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from analysis.bytecode import axbc
from analysis.bytecode.disassembly import disassembly
from analysis.bytecode.module import Constant, Op
from analysis.codegen.compile import CompileError
from tests.support.compiled import compiled, unbalanced
from tests.support.corpus import CONFORMANCE, programs

FOLDER = CONFORMANCE / "bytecode"
CORRECTED: dict[str, dict[str, Any]] = {
    row["id"]: row for row in map(json.loads, (FOLDER / "corrected.jsonl").read_text().splitlines())
}
RECORDED = sorted(FOLDER.glob("*.out.json"))


def test_all_modules_are_there() -> None:
    assert len(RECORDED) > 150


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name)
def test_modules_are_those_of_the_reference(file: Path) -> None:
    recorded = json.loads(file.read_text())
    name = file.name.removesuffix(".out.json")
    made = compiled((FOLDER / f"{name}.ax").read_bytes().decode(), name)
    row = CORRECTED.get(file.name)
    if row is not None:
        assert made.module is not None, made.errors
        # Of a name that is defined twice another definition counts: then all numbers differ.
        if recorded["ok"] and "S12" not in row["why"]:
            same = [function for function in made.module.functions if function.name not in row["functions"]]
            wanted = [function for function in recorded["module"]["functions"] if function["name"] not in row["functions"]]
            constants = [axbc.constant_from_json(value) for value in recorded["module"]["constants"]]
            assert len(same) == len(wanted)
            for function, other in zip(same, wanted, strict=True):
                code = [axbc.op_from_json(op) for op in other["code"]]
                assert by_value(function.code, made.module.constants) == by_value(tuple(code), tuple(constants))
                assert (function.name, function.arity, function.locals) == (other["name"], other["arity"], other["locals"])
        return
    if not recorded["ok"]:
        assert made.module is None
        assert sentence(made.errors[0]) == recorded["error"]
        return
    assert made.module is not None, made.errors
    data = axbc.encode(made.module)
    assert json.loads(data[10:]) == recorded["module"]
    assert (len(data), hashlib.sha256(data).hexdigest()) == (recorded["axbc_bytes"], recorded["axbc_sha256"])
    assert disassembly(made.module) == recorded["inspect"]


def by_value(code: tuple[Op, ...], constants: tuple[Constant, ...]) -> list[Op]:
    """Code with constants instead of their numbers."""
    return [(op[0], constants[op[1]], *op[2:]) if op[0] in ("PushConst", "Assert") else op for op in code]


def sentence(error: CompileError) -> str:
    """An error in the reference's words for the command line."""
    place = f"lexer error at line {error.line}, col {error.column}: " if error.code == "E001" else ""
    prefixes = {"E001": place, "E002": f"parse error at line {error.line}: ", "E008": "codegen error: ", "E009": "type error: "}
    return prefixes[error.code] + error.message


@pytest.mark.parametrize("file", programs(), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_function_leaves_one_value(file: Path) -> None:
    made = compiled(file.read_bytes().decode())
    assert made.errors or made.module
    for function in made.module.functions if made.module else ():
        assert unbalanced(function) is None
        assert len(function.spans) == len(function.code)
    if made.module is not None and not any("Float" in constant for constant in made.module.constants):
        assert axbc.encode(axbc.decode(axbc.encode(made.module))) == axbc.encode(made.module)
