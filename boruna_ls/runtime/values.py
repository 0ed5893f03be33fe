"""Representation of values of a running program, chosen for speed; all are immutable to the program, and shared.

Unit is Python's None; Bool, Int, Float and String are Python's own. Everything with parts is a plain tuple whose first item,
the *head*, gives its kind, since tuples are what CPython makes, reads and compares fastest:

    record    (type id, field, field, …)         head 0 or more
    enum      (enum_head(type, variant), payload)  head -16 or less; Some, Ok and Err are enums of reserved types
    None      (NONE_HEAD,)
    list      (LIST_HEAD, items, size)           the first `size` items of a Python list that may be shared and longer

References and maps are small objects. Printed forms are in `forms`, operations in `builtins`.
"""

from __future__ import annotations

from typing import Any, Final

from analysis.bytecode.module import RESULT_TYPE, SOME_TYPE, Constant
from boruna_ls.runtime.maps import Map

Value = Any
"""A value of a program, as described above."""

UNIT: Final = None
LIST_HEAD: Final = -1
NONE_HEAD: Final = -2
_FIRST_ENUM: Final = -16

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1


def enum_head(type_id: int, variant: int) -> int:
    """The head of the enum values of a variant."""
    return _FIRST_ENUM - (type_id << 8 | variant)


def enum_type(head: int) -> int:
    """The type id in the head of an enum value."""
    return (_FIRST_ENUM - head) >> 8


def enum_variant(head: int) -> int:
    """The variant number in the head of an enum value."""
    return (_FIRST_ENUM - head) & 255


SOME_HEAD: Final = enum_head(SOME_TYPE, 1)
OK_HEAD: Final = enum_head(RESULT_TYPE, 0)
ERR_HEAD: Final = enum_head(RESULT_TYPE, 1)
NONE: Final[Value] = (NONE_HEAD,)
LIST_RECORD: Final = 65535
"""Records of this type count as lists in `ListLen`, `ListGet`, `ListPush`; only modules made by hand have them."""


class AnonymousType(int):
    """The head of records of no declared type, which know the names of their fields; outside it shows as type 0."""

    names: tuple[str, ...]

    def __new__(cls, names: tuple[str, ...]) -> AnonymousType:
        head = super().__new__(cls, 1 << 40)
        head.names = names
        return head


class FnRef:
    """A reference to a function of the module."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __repr__(self) -> str:
        return f"Fn#{self.index}"


class ActorId:
    """The number of an actor."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"Actor#{self.number}"


# ---- making and taking apart ----------------------------------------------------------------------------------------


def some(value: Value) -> Value:
    """Some(value)."""
    return (SOME_HEAD, value)


def ok(value: Value) -> Value:
    """Ok(value)."""
    return (OK_HEAD, value)


def err(value: Value) -> Value:
    """Err(value)."""
    return (ERR_HEAD, value)


def record(type_id: int, fields: list[Value] | tuple[Value, ...]) -> Value:
    """A record; `type_id` may be an `AnonymousType`."""
    return (type_id, *fields)


def enum(type_id: int, variant: int, payload: Value = UNIT) -> Value:
    """An enum value."""
    return (enum_head(type_id, variant), payload)


def make_list(items: list[Value]) -> Value:
    """A list of these items; the Python list belongs to it from now on."""
    return (LIST_HEAD, items, len(items))


def items_of(value: Value) -> list[Value]:
    """The items of a list as a Python list of their own."""
    items: list[Value] = value[1][: value[2]]
    return items


def is_list(value: Value) -> bool:
    """True if a value is a List."""
    return type(value) is tuple and value[0] == LIST_HEAD


def is_record(value: Value) -> bool:
    """True if a value is a Record."""
    return type(value) is tuple and value[0] >= 0


def is_enum(value: Value) -> bool:
    """True if a value is an Enum, Some, Ok or Err."""
    return type(value) is tuple and value[0] <= _FIRST_ENUM


def from_constant(constant: Constant) -> Value:
    """The value of a module's constant, without recursion."""
    done: list[Value] = []
    todo: list[tuple[str, Any]] = [("make", constant)]
    while todo:
        action, what = todo.pop()
        if action == "make":
            parts = _parts(what)
            todo.append(("join", (what, len(parts))))
            todo.extend(("make", part) for part in reversed(parts))
        else:
            constant, count = what
            inner = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(_joined(constant, inner))
    return done[0]


def _parts(constant: Constant) -> list[Constant]:
    tag = constant[0]
    if tag == "List":
        return list(constant[1])
    if tag == "Map":
        return [value for _, value in constant[1]]
    if tag == "Record":
        return list(constant[2])
    if tag == "Enum":
        return [constant[3]]
    return [constant[1]] if tag in ("Some", "Ok", "Err") else []


def _joined(constant: Constant, parts: list[Value]) -> Value:
    match constant[0]:
        case "Unit":
            return UNIT
        case "None":
            return NONE
        case "Some":
            return some(parts[0])
        case "Ok":
            return ok(parts[0])
        case "Err":
            return err(parts[0])
        case "List":
            return make_list(parts)
        case "Map":
            return Map(dict(zip((key for key, _ in constant[1]), parts, strict=True)))
        case "Record":
            return record(constant[1], parts)
        case "Enum":
            return enum(constant[1], constant[2], parts[0])
        case "FnRef":
            return FnRef(constant[1])
        case "ActorId":
            return ActorId(constant[1])
        case "Float":
            return float(constant[1])
        case _:
            return constant[1]


# ---- questions that every value answers -----------------------------------------------------------------------------

_TYPE_NAMES: Final = {
    type(None): "Unit",
    bool: "Bool",
    int: "Int",
    float: "Float",
    str: "String",
    Map: "Map",
    FnRef: "FnRef",
    ActorId: "ActorId",
}
_HEAD_NAMES: Final = {LIST_HEAD: "List", NONE_HEAD: "None", SOME_HEAD: "Some", OK_HEAD: "Ok", ERR_HEAD: "Err"}


def type_name(value: Value) -> str:
    """The name of the value's kind as messages show it."""
    if type(value) is tuple:
        head = value[0]
        return "Record" if head >= 0 else _HEAD_NAMES.get(head, "Enum")
    return _TYPE_NAMES[type(value)]


def truthy(value: Value) -> bool:
    """Chapter 08 section 5.4."""
    if type(value) is tuple:
        head = value[0]
        if head == LIST_HEAD:
            return bool(value[2])
        return head not in (NONE_HEAD, ERR_HEAD)
    return bool(value)


def equal(left: Value, right: Value) -> bool:
    """Chapter 08 section 5.2. Pairs that were met before are not compared again, so shared parts cost nothing."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is not tuple and kind is not Map:
        return _equal_plain(left, right)
    todo = [(left, right)]
    met: set[tuple[int, int]] = set()
    while todo:
        left, right = todo.pop()
        kind = type(left)
        if kind is not type(right):
            return False
        if kind is not tuple and kind is not Map:
            if not _equal_plain(left, right):
                return False
            continue
        pair = (id(left), id(right))
        if pair in met:
            continue
        met.add(pair)
        if kind is Map:
            # Versions of one map share a dictionary, which stands at one of them only.
            ours, theirs = left.entries().copy(), right.entries()
            if ours.keys() != theirs.keys():
                return False
            todo.extend((value, theirs[key]) for key, value in ours.items())
            continue
        head = left[0]
        if head != right[0] or len(left) != len(right):
            return False
        if head == LIST_HEAD:
            if left[2] != right[2]:
                return False
            ours, theirs = left[1][: left[2]], right[1][: right[2]]
            kinds = set(map(type, ours))
            if kinds in _EXACT and kinds == set(map(type, theirs)):
                if ours != theirs:
                    return False
            else:
                todo.extend(zip(ours, theirs, strict=True))
        else:
            if type(head) is AnonymousType and head.names != right[0].names:
                return False
            todo.extend(zip(left[1:], right[1:], strict=True))
    return True


_EXACT: Final = ({int}, {str}, {bool})
"""Kinds of items that Python's lists compare as the language does."""


def _equal_plain(left: Value, right: Value) -> bool:
    if type(left) is FnRef:
        return bool(left.index == right.index)
    if type(left) is ActorId:
        return bool(left.number == right.number)
    return bool(left == right)
