"""Runs programs and compares every value that an expression has with the type that inference is certain of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.infer import inference
from analysis.semantics.summary import summary
from analysis.semantics.ty import Ty, text_of
from analysis.syntax import tree as t
from analysis.text.source import Source
from boruna_ls.data import libraries_folder
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.interpreter import Frame, Machine
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.runtime.values import ERR_HEAD, LIST_HEAD, NONE_HEAD, OK_HEAD, SOME_HEAD, Value, type_name

MAIN = FileId("/workspace", "disk", "/workspace/main.ax")
UNTRUE = frozenset(
    ("E005", "E006", "E009", "W101", "W102", "W103", "W106", "W108", "W204", "W302", "W303", "W304", "W305", "W307")
)
"""Diagnostics of programs in which a declared type is not kept to: nothing is certain there."""
_NODES: dict[str, tuple[type[t.Node], ...]] = {
    "PushConst": (t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral),
    "LoadLocal": (t.Name,),
    "Call": (t.Call,),
    "CallIndirect": (t.Call,),
    "MakeRecord": (t.RecordLiteral,),
    "MakeEnum": (t.VariantLiteral, t.Wrap),
    "MakeList": (t.ListLiteral,),
    "GetField": (t.FieldAccess,),
}
"""Kinds of expressions that an instruction computes; all other instructions that give a value compute operators and builtins."""
_OPERATORS = (t.Binary, t.Unary, t.Call)
_SILENT = frozenset(
    ("StoreLocal", "Jmp", "JmpIf", "JmpIfNot", "Match", "Pop", "Dup", "Nop", "Ret", "Assert", "EmitUi", "SendMsg")
)
_DEEP = 3
_MANY = 20


@dataclass
class TypedRun:
    """Observations of a run: `compared` values, and those that are not of their types."""

    outcome: RunOutcome
    compared: int = 0
    wrong: list[str] = field(default_factory=list)


class Checked:
    """An observer of runs: before each instruction it looks at what the one before it left on the stack."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.compared = 0
        self.wrong: list[str] = []
        self._last: dict[int, int] = {}
        self._types: dict[str, dict[int, tuple[Ty, str]]] = {}

    def __call__(self, machine: Machine, frame: Frame, op: object) -> None:
        last = self._last.get(id(frame), -1)
        self._last[id(frame)] = frame.ip
        if last < 0 or last != frame.ip - 1 or len(machine.stack) <= frame.base:
            return
        known = self._of(frame).get(last)
        if known is None:
            return
        held, written = known
        self.compared += 1
        value = machine.stack[-1]
        if not conforms(machine, value, held):
            self.wrong.append(
                f"`{written}` in {frame.code.name} is {text_of(held)}, and was {type_name(value)} {display(value)[:80]}"
            )

    def _of(self, frame: Frame) -> dict[int, tuple[Ty, str]]:
        """The types of what a function's instructions leave, by instruction."""
        code = frame.code
        if code.name not in self._types:
            self._types[code.name] = {}
            origin = code.origin
            assert origin is not None
            file = origin.file
            around = environment(self.db, MAIN if file.layer == "library" else file)
            text = source(self.db, file)
            chunk = text.chunks[text.chunk_at(origin.base)].text
            inferred = inference(self.db, chunk, around.item_scope(summary(self.db, chunk).free_names))
            types = {span: held for region in inferred.types.values() for span, held in region.items()}
            walked = [node for item in chunk_tree(self.db, chunk).items for node in t.walk(item)]
            nodes = {(node.start, node.end): node for node in walked}
            for node in walked:
                if isinstance(node, t.For):
                    # Its counting has the place of what it goes through.
                    nodes.pop((node.iterable.start, node.iterable.end), None)
            for number, (made, span) in enumerate(zip(code.code, code.spans, strict=True)):
                held, node_at = types.get(span), nodes.get(span)
                if held is None or not held.is_known or made[0] in _SILENT:
                    continue
                if isinstance(node_at, _NODES.get(made[0], _OPERATORS)):
                    self._types[code.name][number] = held, chunk[span[0] : span[1]]
        return self._types[code.name]


def conforms(machine: Machine, value: Value, held: Ty, depth: int = 0) -> bool:
    """True if a value is of a type, its parts as far as they are examined."""
    if not held.is_known or depth > _DEEP:
        return held.head != "!"
    kind = type_name(value)
    if kind == "ActorId":
        # No type can be written for it, so programs declare what they like.
        return True
    head = value[0] if type(value) is tuple else None
    match held.head:
        case "record":
            return kind == "Record" and machine.program.type_name(value[0]) == held.name
        case "enum":
            return kind == "Enum" and head not in (SOME_HEAD, OK_HEAD, ERR_HEAD)
        case "Fn":
            return kind == "FnRef"
        case "List":
            items = value[1][: value[2]] if head == LIST_HEAD else ()
            return kind == "List" and all(conforms(machine, item, held.arguments[0], depth + 1) for item in items[:_MANY])
        case "Option":
            if head == NONE_HEAD:
                return True
            return head == SOME_HEAD and conforms(machine, value[1], held.arguments[0], depth + 1)
        case "Result":
            place = 1 if head == ERR_HEAD else 0
            return head in (OK_HEAD, ERR_HEAD) and conforms(machine, value[1], held.arguments[place], depth + 1)
    return kind == held.head


def typed_run(text: str, max_steps: int = 20_000) -> TypedRun | None:
    """Runs a program that compiles and in which every declared type is kept to; None for others."""
    db = Database()
    files = {
        path.parent.parent.name: FileId("", "library", str(path)) for path in sorted(libraries_folder().glob("*/src/core.ax"))
    }
    for file in files.values():
        source.set(db, file, Source.from_text(Path(file.path).read_bytes().decode("utf-8")))
    libraries.set(db, MAIN.workspace, "", Libraries(tuple(sorted(files.items()))))
    source.set(db, MAIN, Source.from_text(text))
    if any(made.code in UNTRUE for _, made in check_file(db, MAIN).entries):
        return None
    module = compile_file(db, MAIN, "main").module
    if module is None or not module.functions or module.functions[module.entry].arity:
        return None
    observer = Checked(db)
    outcome = run_module(module, Options(gateway=Gateway(ALLOW_ALL, Mock(display)), observer=observer, max_steps=max_steps))
    return TypedRun(outcome, observer.compared, observer.wrong)
