"""Values of a program as a debugger shows them: a line each, with parts that can be opened."""

from __future__ import annotations

from itertools import islice
from typing import Final

from analysis.bytecode.module import Module, TypeEntry
from analysis.data_classes import dataclass
from boruna_ls.runtime.forms import brief
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import (
    LIST_HEAD,
    NONE_HEAD,
    SOME_HEAD,
    AnonymousType,
    FnRef,
    Value,
    enum_type,
    enum_variant,
    type_name,
)

_MOST_SHOWN: Final = 4
"""Parts that the line of a value names."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A value under a name. `parts` is how many it has; `is_indexed` tells that they are numbered."""

    name: str
    value: Value
    text: str
    type: str
    parts: int = 0
    is_indexed: bool = False


class Values:
    """Display of a module's values: records and variants by their names."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def shown(self, name: str, value: Value) -> Shown:
        """One value under a name."""
        if type(value) is Map:
            return Shown(name, value, self._map(value), "Map", len(value))
        if type(value) is FnRef:
            functions = self._module.functions
            function_name = functions[value.index].name if 0 <= value.index < len(functions) else "?"
            return Shown(name, value, f"fn {function_name}", "Fn")
        if type(value) is not tuple:
            return Shown(name, value, brief(value), type_name(value))
        head = value[0]
        if head == LIST_HEAD:
            return Shown(name, value, self._list(value), "List", value[2], is_indexed=True)
        if head == NONE_HEAD:
            return Shown(name, value, "None", "Option")
        if head >= 0:
            return Shown(name, value, self._record(value), self._type(head) or "Record", len(value) - 1)
        return Shown(name, value, self._variant(value), self._enum(head), int(value[1] is not None))

    def parts(self, value: Value, start: int = 0, count: int = 0) -> list[Shown]:
        """The parts of a value from one on; all of them with a count of 0."""
        end = None if count == 0 else start + count
        if type(value) is Map:
            return [self.shown(key, item) for key, item in islice(value.sorted_items(), start, end)]
        if type(value) is not tuple:
            return []
        head = value[0]
        if head == LIST_HEAD:
            items = value[1][start : value[2] if end is None else min(end, value[2])]
            return [self.shown(str(start + index), item) for index, item in enumerate(items)]
        if head >= 0:
            named = zip(self._fields(head, len(value) - 1), value[1:], strict=True)
            return [self.shown(name, item) for name, item in islice(named, start, end)]
        return [self.shown("value", value[1])] if value[1] is not None else []

    # ---- lines --------------------------------------------------------------------------------------------------

    def _list(self, value: Value) -> str:
        first = ", ".join(self._short(item) for item in value[1][: min(value[2], _MOST_SHOWN)])
        return f"[{first}{', …' if value[2] > _MOST_SHOWN else ''}]" + (f" ({value[2]})" if value[2] > _MOST_SHOWN else "")

    def _map(self, value: Map) -> str:
        first = ", ".join(f"{key}: {self._short(item)}" for key, item in islice(value.sorted_items(), _MOST_SHOWN))
        return f"{{{first}{', …' if len(value) > _MOST_SHOWN else ''}}}"

    def _record(self, value: Value) -> str:
        named = list(zip(self._fields(value[0], len(value) - 1), value[1:], strict=True))
        first = ", ".join(f"{name}: {self._short(item)}" for name, item in named[:_MOST_SHOWN])
        return f"{self._type(value[0])} {{ {first}{', …' if len(named) > _MOST_SHOWN else ''} }}".lstrip()

    def _variant(self, value: Value) -> str:
        inner = "" if value[1] is None else f"({self._short(value[1])})"
        return f"{self._variant_name(value[0])}{inner}"

    def _short(self, value: Value) -> str:
        """A value inside the line of another one."""
        if type(value) is tuple and value[0] >= 0:
            return f"{self._type(value[0])} {{…}}".lstrip()
        if type(value) is tuple and value[0] < NONE_HEAD:
            return self._variant_name(value[0]) + (
                "" if value[1] is None else "(…)" if type(value[1]) is tuple else f"({brief(value[1])})"
            )
        if type(value) is tuple and value[0] == LIST_HEAD:
            return f"[…] ({value[2]})" if value[2] else "[]"
        return "{…}" if type(value) is Map else brief(value)

    # ---- names --------------------------------------------------------------------------------------------------

    def _entry(self, number: int) -> TypeEntry | None:
        return self._module.types[number] if 0 <= number < len(self._module.types) else None

    def _type(self, head: int) -> str:
        entry = None if isinstance(head, AnonymousType) else self._entry(head)
        return "" if entry is None else entry.name

    def _fields(self, head: int, count: int) -> list[str]:
        if isinstance(head, AnonymousType):
            return list(head.names)
        entry = self._entry(head)
        names = [name for name, _ in entry.members] if entry is not None else []
        return [names[index] if index < len(names) else str(index) for index in range(count)]

    def _enum(self, head: int) -> str:
        if head == SOME_HEAD:
            return "Option"
        entry = self._entry(enum_type(head))
        return entry.name if entry is not None else "Result"

    def _variant_name(self, head: int) -> str:
        entry = self._entry(enum_type(head))
        number = enum_variant(head)
        if entry is None:
            return {(True, 1): "Some", (False, 0): "Ok"}.get((head == SOME_HEAD, number), "Err")
        return f"{entry.name}::{entry.members[number][0]}" if number < len(entry.members) else entry.name
