"""A module made ready to be executed: constants as values, where fields stand, how matches dispatch.

Both ways to execute read these tables, so they cannot disagree about them. `Program.of` keeps the last few, with what the
translator made of them.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from analysis.bytecode.module import CATCH_ALL, TAG_ERR, TAG_NONE, TAG_OK, TAG_SOME, Arm, Module
from boruna_ls.runtime.errors import VmError, type_error
from boruna_ls.runtime.values import (
    ERR_HEAD,
    LIST_HEAD,
    NONE_HEAD,
    OK_HEAD,
    SOME_HEAD,
    AnonymousType,
    FnRef,
    Value,
    enum_type,
    enum_variant,
    from_constant,
    type_name,
)

MAX_KEPT: Final = 64
_kept: OrderedDict[int, Program] = OrderedDict()
_TAGS: Final = {NONE_HEAD: TAG_NONE, SOME_HEAD: TAG_SOME, OK_HEAD: TAG_OK, ERR_HEAD: TAG_ERR}


class Program:
    """A module and what is needed to execute it; `translated`, `rests` and `entrances` belong to the translator."""

    def __init__(self, module: Module) -> None:
        self.module: Final = module
        self.constants: Final = [from_constant(constant) for constant in module.constants]
        self.field_names: Final = [dict(function.field_names) for function in module.functions]
        self.translated: dict[Any, Any] = {}
        self.rests: dict[Any, Any] = {}
        self.entrances: dict[int, frozenset[int]] = {}
        self._positions = [
            {} if entry.is_enum else {name: position for position, (name, _) in enumerate(entry.members)}
            for entry in module.types
        ]
        self._anonymous: dict[int, AnonymousType] = {}

    @classmethod
    def of(cls, module: Module) -> Program:
        """The program of a module, by identity: comparing modules would cost as much as preparing them."""
        program = _kept.get(id(module))
        if program is None:
            program = _kept[id(module)] = cls(module)
            if len(_kept) > MAX_KEPT:
                _kept.popitem(last=False)
        else:
            _kept.move_to_end(id(module))
        return program

    def size(self, entry: int) -> int:
        """Instructions of the functions that a run from an entry can reach."""
        functions, constants = self.module.functions, self.constants
        seen = {entry}
        todo = [entry]
        while todo:
            for op in functions[todo.pop()].code:
                callee = op[1] if op[0] == "Call" else None
                if op[0] == "PushConst" and op[1] < len(constants) and type(constants[op[1]]) is FnRef:
                    callee = constants[op[1]].index
                if callee is not None and callee < len(functions) and callee not in seen:
                    seen.add(callee)
                    todo.append(callee)
        return sum(len(functions[function].code) for function in seen)

    def has_text(self, constant: int) -> bool:
        """True if the module has a constant of this number, and it is a text."""
        return constant < len(self.constants) and type(self.constants[constant]) is str

    def text(self, constant: int) -> str:
        """The constant that names something. Raises VmError: modules made by hand can say anything."""
        if constant >= len(self.constants):
            raise VmError(f"invalid constant index: {constant}")
        if not self.has_text(constant):
            raise type_error("String", type_name(self.constants[constant]))
        text: str = self.constants[constant]
        return text

    def anonymous(self, names: int) -> AnonymousType:
        """The head of anonymous records whose field names are the constant `names`."""
        head = self._anonymous.get(names)
        if head is None:
            text = self.text(names)
            head = self._anonymous[names] = AnonymousType(tuple(text.split(",")) if text else ())
        return head

    def position(self, head: int, name: str) -> int | None:
        """Index of a field in records of a type; None if the type has no such field."""
        if type(head) is AnonymousType:
            return head.names.index(name) if name in head.names else None
        return self._positions[head].get(name) if head < len(self._positions) else None

    def named_field(self, record: Value, name: str) -> Value:
        """The field of a record by its own type."""
        if type(record) is not tuple or record[0] < 0:
            raise type_error("Record", type_name(record))
        position = self.position(record[0], name)
        if position is None:
            raise VmError(f"no field '{name}' on {self.type_name(record[0])}")
        return field(record, position)

    def type_name(self, head: int) -> str:
        """The name of a type of records."""
        if type(head) is AnonymousType:
            return f"{{{', '.join(head.names)}}}"
        return self.module.types[head].name if head < len(self.module.types) else f"Record#{head}"


def field(record: Value, position: int) -> Value:
    """The field of a record at a position."""
    if type(record) is not tuple or record[0] < 0:
        raise type_error("Record", type_name(record))
    if position + 1 >= len(record):
        raise type_error("valid field index", "out of bounds")
    return record[position + 1]


def tag_of(value: Value) -> int:
    """The tag that match tables compare (chapter 06 section 3.2)."""
    if type(value) is tuple:
        head = value[0]
        tag = _TAGS.get(head)
        if tag is not None:
            return tag
        return CATCH_ALL if head >= LIST_HEAD else enum_variant(head)
    return int(value) if type(value) is bool else CATCH_ALL


def chosen(arms: tuple[Arm, ...], value: Value) -> Arm:
    """The first arm that a value fits."""
    tag = tag_of(value)
    for arm in arms:
        if arm.tag == CATCH_ALL or (arm.tag == tag and _has_type(arm, value)):
            return arm
    raise VmError("no match found for value")


def _has_type(arm: Arm, value: Value) -> bool:
    if arm.types is None or arm.tag < 0:
        return True
    if type(value) is bool:
        return not arm.types
    return enum_type(value[0]) in arm.types


def handed_on(arm: Arm, value: Value) -> Value:
    """Value that an arm leaves on the stack: the payload of a value that has one; the value itself for arms that say so."""
    if type(value) is tuple and value[0] < NONE_HEAD and not (arm.tag == CATCH_ALL and arm.types is not None):
        return value[1]
    return value
