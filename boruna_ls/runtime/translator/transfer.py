"""Transfer functions: the facts after an operation. Used by the inference, and again when code is generated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from analysis.bytecode.module import Op
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.facts import (
    ACTOR,
    ANYTHING,
    BOOL,
    ENUM,
    FLOAT,
    INT,
    LIST,
    MAP,
    NONE,
    NOTHING,
    NUMBER,
    RECORD,
    SIZE,
    TEXT,
    UNIT,
    Fact,
    headed,
    integer,
    items_of,
    join,
    joined,
    list_of,
    of_value,
    only,
)
from boruna_ls.runtime.translator.world import World
from boruna_ls.runtime.values import ERR_HEAD, INT_MAX, INT_MIN, LIST_RECORD, OK_HEAD, SOME_HEAD, enum_head

_BOOL: Final = only(BOOL)
_TEXT: Final = only(TEXT)
_FLOAT: Final = only(FLOAT)
_OPTION: Final = Fact(ENUM | NONE, heads=frozenset((SOME_HEAD,)))
COMPARISONS: Final = frozenset(("Lt", "Lte", "Gt", "Gte", "Eq", "Neq"))


def is_int(fact: Fact) -> bool:
    """True if a value is certainly an Int."""
    return fact.kinds == INT


def field_position(program: Program, function: int, index: int, op: Op, head: int) -> int | None:
    """Index that `GetField` or `GetNamed` reads in a record of a type; None if the type has no such field."""
    if op[0] == "GetNamed":
        return program.position(head, program.constants[op[1]])
    name = program.field_names[function].get(index)
    position: int | None = op[1] if name is None else program.position(head, name)
    return position


def result(world: World, function: int, index: int, op: Op, args: list[Fact]) -> Fact:
    """The fact of the value that an operation pushes."""
    name = op[0]
    fixed = _FIXED.get(name)
    if fixed is not None:
        return fixed
    compute = _COMPUTED.get(name)
    if compute is not None:
        return compute(world, args)
    match name:
        case "PushConst":
            return of_value(world.program.constants[op[1]])
        case "Call":
            return world.call(op[1], args)
        case "CallIndirect":
            return world.call_any(args[:-1])
        case "MakeRecord":
            world.make_record(op[1], args)
            return headed(RECORD, op[1])
        case "MakeAnonymous":
            return Fact(RECORD, heads=None)
        case "MakeEnum":
            head = enum_head(op[1], op[2])
            world.make_enum(head, args[0])
            return headed(ENUM, head)
        case "GetField" | "GetNamed":
            return _field(world, function, index, op, args[0])
        case "CapCall":
            world.receive_foreign()
            return ANYTHING
    return ANYTHING


def _field(world: World, function: int, index: int, op: Op, record: Fact) -> Fact:
    if record.heads is None:
        return ANYTHING
    facts = []
    for head in record.heads:
        if head >= 0:
            position = field_position(world.program, function, index, op, head)
            if position is not None:
                facts.append(world.field(head, position))
    return joined(facts)


def matched(world: World, value: Fact, head: int) -> Fact:
    """Fact about the value that a match hands on for an enum value with a head."""
    return world.payload(head)


# ---- numbers --------------------------------------------------------------------------------------------------------


def _arithmetic(ranges: Callable[[Fact, Fact], tuple[int, int]]) -> Callable[[World, list[Fact]], Fact]:
    def compute(world: World, args: list[Fact]) -> Fact:
        left, right = args
        fact = NOTHING
        if left.kinds & INT and right.kinds & INT:
            fact = integer(*ranges(left, right))
        if (left.kinds | right.kinds) & FLOAT:
            fact = join(fact, _FLOAT)
        return fact

    return compute


def sum_range(left: Fact, right: Fact) -> tuple[int, int]:
    return left.low + right.low, left.high + right.high


def difference_range(left: Fact, right: Fact) -> tuple[int, int]:
    return left.low - right.high, left.high - right.low


def product_range(left: Fact, right: Fact) -> tuple[int, int]:
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return min(corners), max(corners)


def quotient_range(left: Fact, right: Fact) -> tuple[int, int]:
    """The exact range of a quotient, before it is cut to 64 bits."""
    size = max(abs(left.low), abs(left.high))
    if right.low > 0:
        return (0 if left.low >= 0 else -size), (0 if left.high <= 0 else size)
    return -size, size


def _remainder(world: World, args: list[Fact]) -> Fact:
    left, right = args
    if not (left.kinds & INT and right.kinds & INT):
        return NOTHING
    most = max(abs(right.low), abs(right.high), 1) - 1
    low = 0 if left.low >= 0 else max(-most, left.low)
    high = 0 if left.high <= 0 else min(most, left.high)
    return integer(low, high)


def _negation(world: World, args: list[Fact]) -> Fact:
    (value,) = args
    fact = integer(-value.high, -value.low) if value.kinds & INT else NOTHING
    return join(fact, _FLOAT) if value.kinds & FLOAT else fact


# ---- lists and options ----------------------------------------------------------------------------------------------


def may_be_list_record(fact: Fact) -> bool:
    """True if a value can be a record that counts as a list."""
    return bool(fact.kinds & RECORD) and (fact.heads is None or LIST_RECORD in fact.heads)


def _items(fact: Fact) -> Fact:
    if may_be_list_record(fact):
        return ANYTHING
    return items_of(fact) if fact.kinds & LIST else NOTHING


def _pushed(world: World, args: list[Fact]) -> Fact:
    return list_of(join(_items(args[0]), args[1]))


def _first(world: World, args: list[Fact]) -> Fact:
    world.make_enum(SOME_HEAD, _items(args[0]))
    return _OPTION


def _same_list(world: World, args: list[Fact]) -> Fact:
    return list_of(_items(args[0]))


def _both_lists(world: World, args: list[Fact]) -> Fact:
    return list_of(join(_items(args[0]), _items(args[1])))


def _option_of(payload: Fact) -> Callable[[World, list[Fact]], Fact]:
    def compute(world: World, args: list[Fact]) -> Fact:
        world.make_enum(SOME_HEAD, payload)
        return _OPTION

    return compute


def _tried(world: World, args: list[Fact]) -> Fact:
    world.make_enum(OK_HEAD, NUMBER)
    world.make_enum(ERR_HEAD, _TEXT)
    return headed(ENUM, OK_HEAD, ERR_HEAD)


_FIXED: Final[dict[str, Fact]] = {
    **dict.fromkeys(COMPARISONS, _BOOL),
    **dict.fromkeys(("Not", "And", "Or", "ListIsEmpty", "MapContainsKey"), _BOOL),
    **dict.fromkeys(("StrContains", "StringContains", "StrStartsWith", "StringStartsWith", "StringEndsWith"), _BOOL),
    **dict.fromkeys(("Concat", "IntToString", "FloatToString", "BoolToString", "StringToUpper", "StringToLower"), _TEXT),
    **dict.fromkeys(("StringTrim", "StringJoin", "StringReplace", "StringSlice"), _TEXT),
    **dict.fromkeys(("ListLen", "ListLenBuiltin", "StringLen", "MapLen"), SIZE),
    **dict.fromkeys(("StringChars", "StringSplit", "MapKeys"), list_of(_TEXT)),
    "MapValues": list_of(None),
    "MapSet": only(MAP),
    "MapRemove": only(MAP),
    "ParseInt": NUMBER,
    "SpawnActor": only(ACTOR),
    "ReceiveMsg": only(UNIT),
    "LoadGlobal": ANYTHING,
}
_COMPUTED: Final[dict[str, Callable[[World, list[Fact]], Fact]]] = {
    "Add": _arithmetic(sum_range),
    "Sub": _arithmetic(difference_range),
    "Mul": _arithmetic(product_range),
    "Div": _arithmetic(quotient_range),
    "Mod": _remainder,
    "Neg": _negation,
    "MakeList": lambda world, args: list_of(joined(args)),
    "ListGet": lambda world, args: _items(args[0]),
    "ListPush": _pushed,
    "ListAppend": _pushed,
    "ListHead": _first,
    "ListTail": _same_list,
    "ListReverse": _same_list,
    "ListConcat": _both_lists,
    "TryParseInt": _tried,
    "IntParse": _option_of(NUMBER),
    "FloatParse": _option_of(_FLOAT),
    "MapGet": _option_of(ANYTHING),
    "GuardSeal": lambda world, args: args[0],
    "Debug": lambda world, args: args[0],
    "DebugMsg": lambda world, args: args[1],
}

# ---- what a condition says ------------------------------------------------------------------------------------------

Origin = tuple[Any, ...] | None
"""Origin of a value on the stack, as far as conditions need it: ("local", cell, version), ("len", cell, version),
("compare", name, left, right), ("not", entry), ("and", left, right)."""


def narrowed(name: str, left: Fact, right: Fact, holds: bool) -> tuple[Fact, Fact]:
    """Facts about two Ints after a comparison that holds or does not."""
    if not holds:
        name = {"Lt": "Gte", "Lte": "Gt", "Gt": "Lte", "Gte": "Lt", "Eq": "Neq", "Neq": "Eq"}[name]
    if name in ("Gt", "Gte"):
        right, left = narrowed("Lt" if name == "Gt" else "Lte", right, left, True)
        return left, right
    if name == "Eq":
        both = integer(max(left.low, right.low), min(left.high, right.high))
        return both, both
    if name == "Neq":
        return left, right
    less = 1 if name == "Lt" else 0
    return _within(left, INT_MIN, right.high - less), _within(right, left.low + less, INT_MAX)


def _within(fact: Fact, low: int, high: int) -> Fact:
    low, high = max(fact.low, low), min(fact.high, high)
    return Fact(INT, low, high) if low <= high else NOTHING
