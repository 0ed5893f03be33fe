"""States that outlive an edit: values as text with the names of types, fields and variants, read again by another program.

A state is a list in postfix order, so that its depth does not matter: `[1, "a", ["record", "State", 2]]` is a record of two
fields. Beside it stand the declarations of the types that it uses: it fits a program that declares them alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from analysis.bytecode.module import TypeEntry
from boruna_ls.framework.records import Reader
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.values import (
    ERR_HEAD,
    LIST_HEAD,
    NONE,
    NONE_HEAD,
    OK_HEAD,
    SOME_HEAD,
    ActorId,
    AnonymousType,
    FnRef,
    Value,
    enum,
    enum_type,
    enum_variant,
    is_record,
    make_list,
    record,
)

MOST_PARTS: Final = 200_000
"""Values inside a state that is kept."""
MOST_BYTES: Final = 4_000_000
"""Bytes of a state's text."""
_WRAPPERS: Final = {SOME_HEAD: "some", OK_HEAD: "ok", ERR_HEAD: "err"}
_HEADS: Final = {name: head for head, name in _WRAPPERS.items()}


class TooLargeToKeep(Exception):
    """A state that is not kept; the message says why."""


class Misfit(Exception):
    """A state that does not fit a program; the message says why."""


def written(value: Value, program: Program) -> str:
    """A state as text. Raises TooLargeToKeep."""
    return _Writer(program).text(value)


def read(text: str, program: Program, first: Value) -> tuple[Value, str]:
    """The state for another program, and what was changed for it, "" if nothing. Raises Misfit.

    `first` is the program's own first state: a kept one must be of the same kind, and fields that it lacks are taken from there.
    """
    return _Reading(text, program).state(first)


class _Writer:
    def __init__(self, program: Program) -> None:
        self._types = program.module.types
        self._functions = program.module.functions
        self._reader = Reader(program)
        self._used: dict[str, dict[str, Any]] = {}
        self._parts: list[Any] = []
        self._characters = 0

    def text(self, value: Value) -> str:
        todo: list[tuple[bool, Any]] = [(False, value)]
        while todo:
            is_written, item = todo.pop()
            if is_written:
                self._put(item)
                continue
            operation, parts = self._taken_apart(item)
            if operation is None:
                self._put(item)
                continue
            todo.append((True, operation))
            todo.extend((False, part) for part in reversed(parts))
            if len(todo) > MOST_PARTS:
                raise TooLargeToKeep(f"the state has more than {MOST_PARTS:,} parts: the preview does not keep it")
        text = json.dumps({"types": self._used, "parts": self._parts}, separators=(",", ":"))
        if len(text) > MOST_BYTES:
            raise TooLargeToKeep(f"the state takes more than {MOST_BYTES // 1_000_000} MB: the preview does not keep it")
        return text

    def _put(self, part: Any) -> None:
        self._parts.append(part)
        self._characters += len(part) if type(part) is str else 0
        if len(self._parts) > MOST_PARTS or self._characters > MOST_BYTES:
            raise TooLargeToKeep("the state is too large: the preview does not keep it")

    def _taken_apart(self, value: Value) -> tuple[list[Any] | None, Sequence[Value]]:
        """The operation that makes a value of its parts; None for a value without any."""
        kind = type(value)
        if kind is Map:
            entries = value.sorted_items()
            return ["map", [key for key, _ in entries]], [item for _, item in entries]
        if kind is FnRef:
            return ["function", self._functions[value.index].name], ()
        if kind is ActorId:
            return ["actor", value.number], ()
        if kind is not tuple:
            return None, ()
        head = value[0]
        if head == LIST_HEAD:
            return ["list", value[2]], value[1][: value[2]]
        if head == NONE_HEAD:
            return ["none"], ()
        if head in _WRAPPERS:
            return [_WRAPPERS[head]], (value[1],)
        if head >= 0:
            return self._record(value)
        entry = self._declared(enum_type(head))
        return ["enum", entry.name, entry.members[enum_variant(head)][0]], (value[1],)

    def _record(self, value: Value) -> tuple[list[Any], Sequence[Value]]:
        if type(value[0]) is AnonymousType:
            return ["anonymous", list(value[0].names)], value[1:]
        return ["record", self._declared(value[0]).name, len(value) - 1], value[1:]

    def _declared(self, number: int) -> TypeEntry:
        if number >= len(self._types):
            raise TooLargeToKeep("the state has a type that the program does not declare: the preview does not keep it")
        entry = self._types[number]
        if entry.name not in self._used:
            self._used[entry.name] = {"enum": entry.is_enum, "members": [list(member) for member in entry.members]}
        return entry


class _Reading:
    def __init__(self, text: str, program: Program) -> None:
        kept = json.loads(text)
        self._parts: list[Any] = kept["parts"]
        self._used: dict[str, dict[str, Any]] = kept["types"]
        self._program = program
        self._numbers = {entry.name: number for number, entry in enumerate(program.module.types)}
        self._functions = {code.name: index for index, code in enumerate(program.module.functions)}
        self._note = ""

    def state(self, first: Value) -> tuple[Value, str]:
        top = self._parts[-1]
        whole = top[1] if isinstance(top, list) and top[0] == "record" else None
        for name, declared in self._used.items():
            if name != whole:
                self._compare(name, declared)
        stack: list[Value] = []
        for part in self._parts[:-1]:
            self._step(stack, part)
        if whole is None:
            self._step(stack, top)
            value = stack.pop()
        else:
            value = self._whole(whole, stack, first)
        if _kind(value) != _kind(first):
            raise Misfit("init() now returns a state of another type")
        return value, self._note

    def _compare(self, name: str, declared: dict[str, Any]) -> None:
        entry = self._entry(name)
        if entry.is_enum != declared["enum"] or set(entry.members) != {tuple(member) for member in declared["members"]}:
            raise Misfit(f"the type {name} has changed")

    def _entry(self, name: str) -> TypeEntry:
        if name not in self._numbers:
            raise Misfit(f"the type {name} is gone")
        return self._program.module.types[self._numbers[name]]

    def _whole(self, name: str, stack: list[Value], first: Value) -> Value:
        """The state itself: of its fields those stay that are declared as before; the others are those of `first`."""
        entry, number = self._entry(name), self._numbers[name]
        if entry.is_enum or not is_record(first) or first[0] != number:
            raise Misfit("init() now returns a state of another type")
        before = [tuple(member) for member in self._used[name]["members"]]
        kept = dict(zip(before, stack, strict=False))
        fresh = [field for field, declared in entry.members if (field, declared) not in kept]
        if len(fresh) == len(entry.members) and fresh:
            raise Misfit(f"the type {name} has changed")
        if fresh:
            self._note = f"the state was kept; new fields have their values from init(): {', '.join(fresh)}"
        fields = [
            kept[member] if member in kept else first[1 + at] if 1 + at < len(first) else None
            for at, member in enumerate(tuple(member) for member in entry.members)
        ]
        return record(number, fields)

    def _step(self, stack: list[Value], part: Any) -> None:
        if not isinstance(part, list):
            stack.append(part)
            return
        kind = part[0]
        counts = {"list": lambda: part[1], "record": lambda: part[2]} | dict.fromkeys(("map", "anonymous"), lambda: len(part[1]))
        count = counts.get(kind, lambda: 0)()
        inner = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        match kind:
            case "list":
                stack.append(make_list(inner))
            case "record":
                stack.append(self._record(part[1], inner))
            case "anonymous":
                stack.append(record(AnonymousType(tuple(part[1])), inner))
            case "map":
                stack.append(Map(dict(zip(part[1], inner, strict=True))))
            case "none":
                stack.append(NONE)
            case "enum":
                stack.append(self._enum(part[1], part[2], stack.pop()))
            case "function":
                if part[1] not in self._functions:
                    raise Misfit(f"the function {part[1]} is gone")
                stack.append(FnRef(self._functions[part[1]]))
            case "actor":
                stack.append(ActorId(part[1]))
            case _:
                stack.append((_HEADS[kind], stack.pop()))

    def _record(self, name: str, inner: list[Value]) -> Value:
        """The same fields, maybe in another order."""
        before = [member[0] for member in self._used[name]["members"]]
        values = dict(zip(before, inner, strict=False))
        return record(self._numbers[name], [values.get(field) for field, _ in self._entry(name).members])

    def _enum(self, name: str, variant: str, payload: Value) -> Value:
        names = [member for member, _ in self._entry(name).members]
        return enum(self._numbers[name], names.index(variant), payload)


def _kind(value: Value) -> object:
    """Key that is equal for all states that one program can have."""
    if type(value) is not tuple:
        return type(value)
    head = value[0]
    if head in (*_WRAPPERS, NONE_HEAD):
        return head if head in (OK_HEAD, ERR_HEAD) else "option"
    return head if head >= 0 or head == LIST_HEAD else enum_type(head)
