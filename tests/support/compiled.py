"""Compiles texts for tests, reads listings, and follows code without running it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from analysis.bytecode.disassembly import op_text
from analysis.bytecode.module import FunctionCode, Module, Op
from analysis.codegen.compile import Compiled, compile_file
from analysis.database import Database
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.text.source import Source

MAIN = FileId("/workspace", "disk", "/workspace/main.ax")


def compiled(text: str, name: str = "module", libs: Mapping[str, str] | None = None) -> Compiled:
    """Result of compiling a text in a new database, with libraries by name."""
    db = Database()
    files = {library: FileId("", "library", f"/workspace/libs/{library}/src/core.ax") for library in libs or {}}
    for library, file in files.items():
        source.set(db, file, Source.from_text((libs or {})[library]))
    libraries.set(db, MAIN.workspace, "", Libraries(tuple(sorted(files.items()))))
    source.set(db, MAIN, Source.from_text(text))
    return compile_file(db, MAIN, name)


def module_of(text: str, libs: Mapping[str, str] | None = None) -> Module:
    """The module of a text that compiles."""
    made = compiled(text, libs=libs)
    assert made.module is not None, made.errors
    return made.module


def errors_of(text: str, libs: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    """Codes and messages of the errors of a text that does not compile."""
    return [(error.code, error.message) for error in compiled(text, libs=libs).errors]


def function_of(module: Module, name: str) -> FunctionCode:
    """The last function of a name."""
    return next(function for function in reversed(module.functions) if function.name == name)


def listing(function: FunctionCode) -> list[str]:
    """Instructions as disassemblies show them."""
    return [op_text(op) for op in function.code]


def ops_in(text: str) -> list[str]:
    """The instructions of a hand-written listing: in columns or not, numbers before them are left out."""
    return re.findall(r"(?<!\S)(?:\d{4}: )?([A-Z]\w+(?:\([\d, ]+\)| \{[^}]*\})?)", text)


# ---- heights of the operand stack -----------------------------------------------------------------------------------

_EFFECTS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("PushConst", "LoadLocal", "LoadGlobal", "SpawnActor", "ReceiveMsg"), (0, 1)),
    **dict.fromkeys(("StoreLocal", "StoreGlobal", "JmpIf", "JmpIfNot", "Assert", "EmitUi", "Pop"), (1, 0)),
    **dict.fromkeys(("Jmp", "Nop"), (0, 0)),
    **dict.fromkeys(("Match", "MakeEnum", "GetField", "GetNamed", "Neg", "Not", "Debug"), (1, 1)),
    "SendMsg": (2, 0),
    "GuardSeal": (3, 1),
    "Dup": (1, 2),
    "MapSet": (3, 1),
    "StringReplace": (3, 1),
    "StringSlice": (3, 1),
}
_TWO = (
    "Add Sub Mul Div Mod Eq Neq Lt Lte Gt Gte And Or Concat ListGet ListPush StrContains StrStartsWith StringContains "
    "StringStartsWith StringEndsWith StringJoin ListAppend ListConcat StringSplit MapGet MapRemove MapContainsKey DebugMsg"
)
_EFFECTS.update(dict.fromkeys(_TWO.split(), (2, 1)))


def effect(op: Op) -> tuple[int, int]:
    """Numbers of values that an instruction pops and pushes."""
    match op:
        case ("Call", _, count) | ("CapCall", _, count) | ("MakeRecord", _, count) | ("MakeAnonymous", _, count):
            return count, 1
        case ("CallIndirect", count):
            return count + 1, 1
        case ("MakeList", count):
            return count, 1
    return _EFFECTS.get(op[0], (1, 1))


def unbalanced(function: FunctionCode) -> str | None:
    """Fault of a function's own part of the operand stack, by any way through its code; None if there is none.

    Every instruction must be reached at one height only, take no more than there is, and each way must end in a `Ret`.
    """
    heights: dict[int, int] = {}
    todo = [(0, 0)]
    while todo:
        index, height = todo.pop()
        if index >= len(function.code):
            return f"{function.name} runs off its end"
        if index in heights:
            if heights[index] != height:
                return f"{function.name} reaches {index} at heights {heights[index]} and {height}"
            continue
        heights[index] = height
        op = function.code[index]
        if op[0] == "Ret":
            if height < 1:
                return f"{function.name} returns nothing at {index}"
            continue
        taken, left = effect(op)
        if height < taken:
            return f"{function.name} takes {taken} of {height} at {index}"
        after = height - taken + left
        if op[0] in ("Jmp", "JmpIf", "JmpIfNot"):
            todo.append((op[1], after))
        if op[0] == "Match":
            todo += [(arm.target, after) for arm in function.match_tables[op[1]]]
        elif op[0] != "Jmp":
            todo.append((index + 1, after))
    return None
