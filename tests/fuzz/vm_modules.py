"""Random modules, as no compiler makes them: any flow between blocks, wrong kinds of operands, wrong numbers of arguments.

Most of them keep the operand stack in order, so that the translator takes them; a few don't, and are left to the interpreter.
"""

from __future__ import annotations

from random import Random
from typing import Any

from analysis.bytecode.module import Arm, FunctionCode, Module, Op, TypeEntry
from boruna_ls.runtime.builtins import BINARY, TERNARY, UNARY
from boruna_ls.runtime.values import INT_MAX, INT_MIN

_INTS = (0, 1, 2, 3, 7, -1, -2, 10, 100, INT_MAX, INT_MIN, INT_MAX - 1, 1 << 31, 3037000500)
_OTHERS = (
    ("Unit",), ("None",), ("Bool", True), ("Bool", False), ("Float", 1.5), ("Float", -0.0), ("Float", 0.0), ("Float", 1e308),
    ("String", ""), ("String", "a"), ("String", "é,b"), ("String", "12"), ("String", "x,y"), ("Some", ("Int", 1)),
    ("Ok", ("String", "s")), ("Err", ("Unit",)), ("List", ()), ("List", (("Int", 1), ("Int", 2), ("Int", 3))),
    ("List", (("String", "p"), ("Int", 5))), ("Map", (("k", ("Int", 1)), ("x", ("String", "v")))), ("Map", ()),
    ("Record", 0, (("Int", 4), ("String", "r"))), ("Record", 0, (("Int", 9), ("String", "q"))),
    ("Enum", 2, 0, ("Int", 6)), ("Enum", 2, 1, ("Unit",)), ("ActorId", 2),
)  # fmt: skip
_TYPES = (
    TypeEntry("P", False, (("a", "Int"), ("b", "String"))),
    TypeEntry("Q", False, (("b", "Int"),)),
    TypeEntry("E", True, (("A", "Int"), ("B", None), ("C", "String"))),
)
_TAGS = {"int": "Int", "bool": "Bool", "float": "Float", "text": "String", "list": "List", "record": "Record", "enum": "Enum"}
_TAGS |= {"map": "Map", "option": "Some"}
KINDS = ("int", "int", "int", "int", "bool", "bool", "float", "text", "list", "record", "enum", "map", "option")
_BY_KIND = {
    kind: [tuple(row.split()) for row in rows.split(", ")]
    for kind, rows in {
        "int": "Add int int, Sub int int, Mul int int, Add int int, Mod int int, Div int int, Neg int, ListLen list, "
        "StringLen text, ListGet list int, GetField record, GetNamed record, ParseInt text, MapLen map, CapCall int, Dup int",
        "bool": "Lt int int, Lte int int, Gt int int, Gte int int, Eq int int, Neq text text, Lt float float, Lte float float, "
        "Not bool, And bool bool, Or bool int, Eq enum enum, ListIsEmpty list, StrContains text text, Lt text text, "
        "Eq list list, Not option, And list option, MapContainsKey map text, Eq record record, Eq option option",
        "float": "Add float float, Mul float int, Sub int float, Div float float, Neg float",
        "text": "Concat text text, Concat text text, IntToString int, FloatToString float, BoolToString bool, StringTrim text, "
        "StringSlice text int int, StringReplace text text text, StringToUpper text, GetField record",
        "list": "ListPush list int, ListPush list any, ListAppend list int, ListTail list, ListConcat list list, "
        "MakeList int int, MakeList, StringSplit text text, StringChars text, ListReverse list, MapKeys map, "
        "MapValues map, MakeList list",
        "record": "MakeRecord int text, MakeRecord int text, MakeRecord any text",
        "enum": "MakeEnum int, MakeEnum text",
        "map": "MapSet map text int, MapRemove map text",
        "option": "ListHead list, IntParse text, Some int, MapGet map text, TryParseInt text, FloatParse text",
        "any": "Add int int, MakeList int, Not any",
    }.items()
}
_TAGS["any"] = "Int"


class ModuleMaker:
    """Makes one module from a source of randomness."""

    def __init__(self, random: Random) -> None:
        self.random = random
        count = random.randint(1, 4)
        self.constants: list[tuple[Any, ...]] = [("Int", random.choice(_INTS[:10])) for _ in range(6)]
        self.constants += [("Int", random.choice(_INTS)), *_OTHERS]
        self.constants += [("FnRef", index) for index in range(count)] + [("String", "a,b")]
        shapes = [(random.randint(0, 3), random.randint(0, 5)) for _ in range(count)]
        self.globals = ("g", "h") if random.random() < 0.3 else ()
        self.shapes = [(arity, max(cells, arity if random.random() < 0.95 else 0)) for arity, cells in shapes]

    def module(self) -> Module:
        """The module."""
        functions = tuple(self._function(number) for number in range(len(self.shapes)))
        return Module("fuzz", 1, tuple(self.constants), self.globals, _TYPES, functions, self.random.randrange(len(functions)))

    def _function(self, number: int) -> FunctionCode:
        random = self.random
        arity, cells = self.shapes[number]
        maker = _FunctionMaker(self, arity, cells, between=random.choice((0, 0, 0, 1, 2)), blocks=random.randint(1, 7))
        code, tables = maker.function()
        capabilities = ("TimeNow",) if random.random() < 0.7 else ()
        fields = tuple((at, random.choice("ab")) for at, op in enumerate(code) if op[0] == "GetField" and random.random() < 0.5)
        return FunctionCode(f"f{number}", arity, cells, code, capabilities, None, tables, (), fields)


class _FunctionMaker:
    """Writes with labels for targets: they are texts between the operations."""

    def __init__(self, module: ModuleMaker, arity: int, cells: int, between: int, blocks: int) -> None:
        self.module = module
        self.random = module.random
        self.cells = cells
        self.between = between
        """Height of the stack where blocks meet."""
        self.blocks = blocks
        self.kinds = [self.random.choice(KINDS) if cell >= arity else "int" for cell in range(cells)]
        self.arity = arity
        self.tables: list[list[tuple[int, str, tuple[int, ...] | None]]] = []

    def function(self) -> tuple[tuple[Op, ...], tuple[tuple[Arm, ...], ...]]:
        """Code and match tables."""
        written: list[Op | str] = []
        for cell in range(self.arity, self.cells):
            if self.random.random() < 0.97:
                written += [("PushConst", self._constant(_TAGS[self.kinds[cell]])), ("StoreLocal", cell)]
        written += [op for _ in range(self.between) for op in self.expression(1)]
        for number in range(self.blocks):
            written.append(f"b{number}")
            written += self._block()
            written += self._ending(number)
        places: dict[str, int] = {}
        code: list[Op] = []
        for item in written:
            if isinstance(item, str):
                places[item] = len(code)
            else:
                code.append(item)
        places[f"b{self.blocks}"] = len(code) + self.random.choice((0, 5))
        resolved = tuple((op[0], places[op[1]]) if op[0].startswith("Jmp") else op for op in code)
        tables = tuple(tuple(Arm(tag, places[label], types) for tag, label, types in table) for table in self.tables)
        return resolved, tables

    def _label(self) -> str:
        return f"b{self.random.randrange(self.blocks)}"

    def _block(self) -> list[Op]:
        """Instructions from one meeting place to the next, without the jump."""
        random = self.random
        code: list[Op] = []
        for _ in range(random.randint(0, 4)):
            code += self._statement()
        if self.between and random.random() < 0.5:
            code += [random.choice((("Pop",), ("EmitUi",))), *self.expression(1)]
        if random.random() < 0.01:
            code.append(("Pop",))
        return code

    def _ending(self, number: int) -> list[Op | str]:
        random = self.random
        following = f"b{number + 1}"
        choice = random.random()
        if choice < 0.3:
            return []
        if choice < 0.4:
            return [("Jmp", self._label())]
        if choice < 0.55:
            return [*self.expression(1, "int"), ("Ret",)]
        if choice < 0.6:
            return [("Jmp", following)]
        if choice < 0.75:
            return self._match(number)
        jump = random.choice(("JmpIf", "JmpIfNot"))
        return [*self.expression(2, "bool"), (jump, random.choice((following, self._label(), self._label())))]

    def _match(self, number: int) -> list[Op | str]:
        random = self.random
        written: list[Op | str] = [
            *self.expression(1, random.choice(("enum", "option", "bool", "enum", "option", ""))),
            ("Match", len(self.tables) if random.random() < 0.98 else 50),
        ]
        table: list[tuple[int, str, tuple[int, ...] | None]] = []
        count = random.randint(1, 4)
        for arm in range(count):
            tag = -1 if arm == count - 1 and random.random() < 0.9 else random.choice((-1, -2, -3, -4, -5, 0, 1, 2))
            types: tuple[int, ...] | None = random.choice((None, None, (2,), (), (2, 7))) if tag >= -1 else None
            label = f"m{number}_{arm}"
            table.append((tag, label, () if types and tag == -1 else types))
            loose = [cell for cell in range(self.cells) if self.kinds[cell] == "option"]
            sink: Op = (
                ("StoreLocal", random.choice(loose))
                if loose and random.random() < 0.3
                else random.choice((("EmitUi",), ("Pop",)))
            )
            written += [label, sink, ("Jmp", self._label())]
        self.tables.append(table)
        return written

    def _statement(self) -> list[Op]:
        random = self.random
        choice = random.random()
        if choice < 0.6 and self.cells:
            cell = random.randrange(self.cells)
            return [*self.expression(2, self.kinds[cell]), ("StoreLocal", cell)]
        if choice < 0.7:
            return [*self.expression(2), ("EmitUi",)]
        if choice < 0.73:
            kind = random.choice(("Requires", "Ensures"))
            check: list[Op] = [*self.expression(1, "bool"), ("PushConst", self._constant("Bool")), ("Or",)]
            return [*check, ("Assert", len(self.module.constants) - 1, kind, 0)]
        if choice < 0.75:
            return [("SpawnActor", 0), *self.expression(0), ("SendMsg",)]
        if choice < 0.77 and self.module.globals:
            return [*self.expression(1), ("StoreGlobal", 0)]
        return [*self.expression(3), ("Pop",)]

    def expression(self, depth: int, kind: str = "") -> list[Op]:
        """Code that leaves one value, nearly always of the kind that is wanted."""
        random = self.random
        kind = kind or random.choice(KINDS)
        if random.random() < 0.01:
            return self._anything(max(depth, 1))
        if depth == 0 or random.random() < 0.2:
            return [self._leaf(kind)]
        if random.random() < 0.12:
            return self._call(depth)
        operation, *operands = random.choice(_BY_KIND[kind])
        code = [op for operand in operands for op in self.expression(depth - 1, operand)]
        if operation == "MakeList":
            return [*code, ("MakeList", len(operands))]
        if operation == "MakeRecord":
            return [*code, ("MakeRecord", 0, 2)]
        if operation == "GetField":
            return [*code, ("GetField", 0 if kind == "int" else 1)]
        if operation == "GetNamed":
            return [*code, ("GetNamed", self.module.constants.index(("String", "a")))]
        if operation == "MakeEnum":
            return [*code, ("MakeEnum", 2, random.randrange(3))]
        if operation == "Some":
            return [*code, ("MakeEnum", 65534, 1)]
        if operation == "CapCall":
            return [*code, ("CapCall", 5, 1)]
        if operation == "Dup":
            return [*code, ("Dup",), ("Add",)]
        return [*code, (operation,)]

    def _anything(self, depth: int) -> list[Op]:
        """Operations with operands of any kind."""
        random = self.random
        count, table = random.choice(((1, UNARY), (2, BINARY), (3, TERNARY)))
        choice = random.random()
        if choice < 0.5:
            return [*(op for _ in range(count) for op in self.expression(depth - 1)), (random.choice(sorted(table)),)]
        names = random.choice((self._names(), self._names(), 0, 9999))
        odd: list[list[Op]] = [
            [*self.expression(depth - 1), ("GetField", random.randrange(3))],
            [*self.expression(depth - 1), ("GetNamed", names)],
            [*self.expression(depth - 1), ("CapCall", random.choice((5, 6, 99)), 1)],
            [*self.expression(depth - 1), ("MakeEnum", *random.choice(((2, 0), (65533, 0), (65533, 1), (7, 0))))],
            [*self.expression(depth - 1), *self.expression(depth - 1), ("MakeAnonymous", names, 2)],
            [*self.expression(0), *self.expression(0), *self.expression(0), ("GuardSeal",)],
            [("LoadGlobal", random.choice((0, 1, 7)))],
            [("ReceiveMsg",)],
            [("LoadLocal", self.cells)],
            [*self.expression(depth - 1), ("CallIndirect", 0)],
            [("Halt",)],
            [*self.expression(depth - 1), ("Debug",)],
            [*self.expression(0), *self.expression(0), ("DebugMsg",)],
        ]
        return random.choice(odd)

    def _names(self) -> int:
        return self.module.constants.index(("String", "a,b"))

    def _call(self, depth: int) -> list[Op]:
        random = self.random
        callee = random.randrange(len(self.module.shapes))
        if random.random() < 0.6:
            callee = max(callee, random.randrange(len(self.module.shapes)))
        count = self.module.shapes[callee][0] if random.random() < 0.95 else random.randint(0, 4)
        args = [op for _ in range(count) for op in self.expression(depth - 1, "int")]
        if random.random() < 0.8:
            return [*args, ("Call", callee, count)]
        return [*args, ("PushConst", self.module.constants.index(("FnRef", callee))), ("CallIndirect", count)]

    def _leaf(self, kind: str) -> Op:
        fitting = [cell for cell in range(self.cells) if self.kinds[cell] == kind]
        if fitting and self.random.random() < 0.6:
            return ("LoadLocal", self.random.choice(fitting))
        return ("PushConst", self._constant(_TAGS[kind]))

    def _constant(self, tag: str) -> int:
        fitting = [index for index, constant in enumerate(self.module.constants) if constant[0] == tag]
        return self.random.choice(fitting)
