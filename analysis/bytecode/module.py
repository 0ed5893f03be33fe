"""Bytecode as plain values: the module, its functions, the table of opcodes (chapter 06 of the spec, sections 2 to 4).

An operation is a tuple of its name and operands: `("Ret",)`, `("PushConst", 3)`, `("Call", 0, 2)`,
`("Assert", msg, kind, index)`.
Made by `codegen`, written and read by `axbc`, shown by `disassembly`, executed by `boruna_ls.runtime`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.inputs import FileId

Op = tuple[Any, ...]
"""Name, then operands; all are integers but the kind of an `Assert`, which is "Requires" or "Ensures"."""

Constant = tuple[Any, ...]
"""A value of any kind, tagged: `("Unit",)`, `("Bool", True)`, `("Int", 3)`, `("Float", 1.5)`, `("String", "s")`, `("None",)`,
`("FnRef", 2)`, `("Map", ())`. Modules made by hand can also hold `("Some", v)`, `("Ok", v)`, `("Err", v)`,
`("List", (v, …))`, `("Map", ((key, v), …))` in order of the keys' bytes, `("Record", type, (v, …))`,
`("Enum", type, variant, v)` and `("ActorId", 7)`."""

CATCH_ALL: Final = -1
TAG_NONE: Final = -2
TAG_SOME: Final = -3
TAG_OK: Final = -4
TAG_ERR: Final = -5
SOME_TYPE: Final = 65534
"""`MakeEnum(65534, 1)` makes a Some."""
RESULT_TYPE: Final = 65533
"""`MakeEnum(65533, 0)` makes an Ok, `MakeEnum(65533, 1)` an Err."""


class Arm(NamedTuple):
    """One row of a match table: where values with a tag go on.

    `types` is known for arms that we compiled and tells what else must hold, since tags alone mix up Bools and variants of all
    enums (chapter 26, S6 and S9). None: nothing else, the rule of chapter 06 (and of the tags -2 to -5, which are unambiguous).
    For a tag of 0 or more: an enum of one of these types; no types at all mean a Bool. For a catch-all: empty, and it pushes the
    value itself, never its payload.
    """

    tag: int
    target: int
    types: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class TypeEntry:
    """A type of a module: `members` are pairs of field and type text, or of variant and payload type text (None without one)."""

    name: str
    is_enum: bool
    members: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a function: `base` is added to its spans to get places in `file` (code points)."""

    file: FileId
    base: int


class LocalName(NamedTuple):
    """A variable of the source: its cell, and the half-open range of instructions in which the name means it."""

    name: str
    slot: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FunctionCode:
    """One function.

    `capabilities` are enum names ("NetFetch"). `spans` holds, for each instruction, the half-open span of the source that it
    comes from, counted from `origin.base`; it is empty for modules that were loaded. `field_names` are pairs of instruction
    and field for each `GetField`: the record's own type must have that field, at whatever position, else the error is
    "no field '{name}' on {type}"; a `GetField` without a name takes its position, the rule of chapter 06. `compiled` tells that
    it was written in the language, where capabilities are functions (`net_fetch` gives a Result); else they are bare.
    `local_names` are in order of their beginning, empty for modules that were loaded.

    All of it counts when two are compared: the database keeps an old answer where a new one is equal, and a run depends on
    the names, its errors on the places.
    """

    name: str
    arity: int
    locals: int
    code: tuple[Op, ...]
    capabilities: tuple[str, ...] = ()
    intent: str | None = None
    match_tables: tuple[tuple[Arm, ...], ...] = ()
    spans: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    field_names: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    parameters: tuple[str, ...] = field(default=(), repr=False)
    origin: Origin | None = field(default=None, repr=False)
    compiled: bool = field(default=False, repr=False)
    local_names: tuple[LocalName, ...] = field(default=(), repr=False)

    def placed(self, origin: Origin) -> FunctionCode:
        """The function with another origin. Copied by hand for speed: a program has a thousand functions."""
        return FunctionCode(
            self.name,
            self.arity,
            self.locals,
            self.code,
            self.capabilities,
            self.intent,
            self.match_tables,
            self.spans,
            self.field_names,
            self.parameters,
            origin,
            self.compiled,
            self.local_names,
        )

    def names_at(self, instruction: int) -> dict[str, int]:
        """The cells of the variables that can be named at an instruction, parameters first; inner ones hide outer ones."""
        return {local.name: local.slot for local in self.local_names if local.start <= instruction < local.end}

    def place(self, instruction: int) -> tuple[FileId, int, int] | None:
        """File, start and end of the source of an instruction; None if it is not known."""
        if self.origin is None or not 0 <= instruction < len(self.spans):
            return None
        start, end = self.spans[instruction]
        return self.origin.file, self.origin.base + start, self.origin.base + end


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Module:
    """A program. `entry` is the index of the function that a run begins with."""

    name: str
    version: int
    constants: tuple[Constant, ...]
    globals: tuple[str, ...]
    types: tuple[TypeEntry, ...]
    functions: tuple[FunctionCode, ...]
    entry: int


# ---- opcodes --------------------------------------------------------------------------------------------------------


class Opcode(NamedTuple):
    """`operands` are pairs of name and type (u8, u32 or "kind")."""

    name: str
    byte: int
    operands: tuple[tuple[str, str], ...] = ()


_TABLE: Final = """
01 PushConst index:u32
02 LoadLocal slot:u32
03 StoreLocal slot:u32
04 LoadGlobal index:u32
05 StoreGlobal index:u32
06 Call function:u32 count:u8
14 CallIndirect count:u8
07 Ret
08 Jmp target:u32
09 JmpIf target:u32
0A JmpIfNot target:u32
0B Match table:u32
0C MakeRecord type:u32 count:u8
0D MakeEnum type:u32 variant:u8
0E GetField index:u8
0F SpawnActor function:u32
10 SendMsg
11 ReceiveMsg
12 Assert msg:u32 kind:kind index:u32
15 GuardSeal
13 CapCall capability:u32 count:u8
20 Add
21 Sub
22 Mul
23 Div
24 Mod
25 Neg
30 Eq
31 Neq
32 Lt
33 Lte
34 Gt
35 Gte
40 Not
41 And
42 Or
50 Concat
60 Pop
61 Dup
70 EmitUi
80 MakeList count:u8
81 ListLen
82 ListGet
83 ListPush
84 ParseInt
85 StrContains
86 StrStartsWith
87 TryParseInt
88 IntToString
89 FloatToString
8A StringLen
8B StringChars
8C StringContains
8D StringStartsWith
8E StringEndsWith
8F StringToUpper
90 StringToLower
91 StringTrim
92 StringJoin
93 ListLenBuiltin
94 ListIsEmpty
95 ListHead
96 ListTail
97 ListAppend
98 ListConcat
99 ListReverse
9A StringSplit
9B StringReplace
9C StringSlice
9D IntParse
9E FloatParse
9F BoolToString
A0 MapGet
A1 MapSet
A2 MapRemove
A3 MapContainsKey
A4 MapKeys
A5 MapValues
A6 MapLen
A7 Debug
A8 DebugMsg
FE Nop
FF Halt
C8 GetNamed name:u32
C9 MakeAnonymous names:u32 count:u8
CA McpText
CB McpAllText
CC McpJson
CD McpStructured
CE McpIsError
CF McpContentTypes
D0 McpTools
"""
# In the reference's order of declaration, which its loader's messages show. From 200 (C8) on they are ours:
# GetNamed: rec → v, the field whose name is the string constant `name`, by the record's own type.
# McpText to McpContentTypes: the methods of `McpResult`, result → v; McpTools: list of maps → list of McpTool.
# MakeAnonymous: f1…fn → rec of no declared type; its field names are the string constant `names`, joined by commas.


def _read(line: str) -> Opcode:
    byte, name, *operands = line.split()
    pairs = (operand.split(":") for operand in operands)
    return Opcode(name, int(byte, 16), tuple((pair[0], pair[1]) for pair in pairs))


OPCODES: Final[dict[str, Opcode]] = {opcode.name: opcode for opcode in map(_read, _TABLE.strip().split("\n"))}
"""All opcodes by name, in the reference's order, ours behind them."""


# ---- capabilities ---------------------------------------------------------------------------------------------------


class CapabilityKind(NamedTuple):
    """A capability: its enum name in modules, canonical name, and the other spelling that sources may use ("" if none)."""

    id: int
    enum_name: str
    name: str
    alias: str


CAPABILITIES: Final[tuple[CapabilityKind, ...]] = (
    CapabilityKind(0, "NetFetch", "net.fetch", "net"),
    CapabilityKind(1, "FsRead", "fs.read", ""),
    CapabilityKind(2, "FsWrite", "fs.write", ""),
    CapabilityKind(3, "DbQuery", "db.query", "db"),
    CapabilityKind(4, "UiRender", "ui.render", "ui"),
    CapabilityKind(5, "TimeNow", "time.now", "time"),
    CapabilityKind(6, "Random", "random", ""),
    CapabilityKind(7, "LlmCall", "llm.call", "llm"),
    CapabilityKind(8, "ActorSpawn", "actor.spawn", "actor_spawn"),
    CapabilityKind(9, "ActorSend", "actor.send", "actor_send"),
    CapabilityKind(10, "StepInput", "step.input", "step_input"),
    CapabilityKind(11, "McpCall", "mcp.call", ""),
)
"""By id; the first eleven are the reference's, `mcp.call` is ours (chapter 26 section 5)."""
REFERENCE_CAPABILITIES: Final = 11
CAPABILITY_BY_ENUM_NAME: Final = {capability.enum_name: capability for capability in CAPABILITIES}
CAPABILITY_BY_SOURCE_NAME: Final = {
    spelling: capability for capability in CAPABILITIES for spelling in (capability.name, capability.alias) if spelling
}
