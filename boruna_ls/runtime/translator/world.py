"""Facts about a whole module: parameters and results of functions, fields of records, payloads of enums.

A closed world is a program that runs from its entry without arguments: then every value comes from its own code. An open one
gets values from a host, which may hold anything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import pairwise
from typing import Final

from analysis.bytecode.module import FunctionCode
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.facts import ANYTHING, NOTHING, Fact, join, of_value, only, stops_of, widened
from boruna_ls.runtime.translator.facts import UNIT as UNIT_KIND
from boruna_ls.runtime.values import ERR_HEAD, LIST_HEAD, OK_HEAD, SOME_HEAD, AnonymousType, FnRef, Value

PATIENCE: Final = 3
"""Number of times a fact may grow before its ranges are widened."""
IMPATIENCE: Final = 8
"""Number of times a fact may grow before its ranges are given up."""
NO_STOPS: Final = stops_of(())
_COMPARISONS: Final = frozenset(("Lt", "Lte", "Gt", "Gte", "Eq", "Neq"))


def compared_numbers(program: Program, function: FunctionCode) -> Iterator[int]:
    """The constants that values are compared with: where ranges are likely to end."""
    for op, after in pairwise(function.code):
        if op[0] == "PushConst" and after[0] in _COMPARISONS and op[1] < len(program.constants):
            value = program.constants[op[1]]
            if type(value) is int:
                yield value


class World:
    """Facts that grow until nothing changes. `stale` are the functions that read a fact which grew since."""

    def __init__(self, program: Program, is_open: bool) -> None:
        self.program = program
        self.functions = program.module.functions
        self.is_open = is_open
        self.examined = -1
        """The function that is being looked at."""
        self.stale: dict[int, None] = {}
        self._readers: dict[Hashable, set[int]] = {}
        self.facts: dict[Hashable, Fact] = {}
        self.sizes: dict[int, set[int]] = {}
        self.reached: set[int] = set()
        self.referenced: set[int] = set()
        self.stops = stops_of(compared for function in self.functions for compared in compared_numbers(program, function))
        self._growth: dict[Hashable, int] = {}
        for constant in program.constants:
            self._read_constant(constant)

    def grow(self, key: Hashable, fact: Fact) -> None:
        """Add what a value can be to a fact."""
        old = self.facts.get(key, NOTHING)
        new = join(old, fact)
        if new == old:
            return
        growth = self._growth[key] = self._growth.get(key, 0) + 1
        if growth > PATIENCE:
            new = widened(old, new, self.stops if growth < IMPATIENCE else NO_STOPS)
        self.facts[key] = new
        self.stale.update(dict.fromkeys(self._readers.get(key, ())))

    def read(self, key: Hashable) -> Fact | None:
        """Read a fact; the reading function is analysed again when the fact grows."""
        readers = self._readers.get(key)
        if readers is None:
            readers = self._readers[key] = set()
        readers.add(self.examined)
        return self.facts.get(key)

    # -- functions --

    def reach(self, function: int) -> None:
        """A function can be called."""
        if function not in self.reached:
            self.reached.add(function)
            self.stale[function] = None

    def open(self) -> None:
        """Some function cannot be followed: from now on anything can be anywhere."""
        if not self.is_open:
            self.is_open = True
            self.stale.update(dict.fromkeys(self.reached))

    def call(self, function: int, args: list[Fact]) -> Fact:
        """Note a call; what it can give so far."""
        self.reach(function)
        code = self.functions[function]
        for number in range(min(code.locals, max(code.arity, len(args)))):
            self.grow(("parameter", function, number), args[number] if number < len(args) else only(UNIT_KIND))
            if number >= code.arity:
                self.grow(("parameter", function, number), only(UNIT_KIND))
        return self.result(function)

    def call_any(self, args: list[Fact]) -> Fact:
        """A call of a function that is only known at run time."""
        result = NOTHING
        for function in sorted(self.referenced):
            result = join(result, self.call(function, args))
        return result

    def parameter(self, function: int, number: int) -> Fact:
        """Fact about a local cell when a function begins; cells that get no argument are Unit."""
        default = NOTHING if number < self.functions[function].arity else only(UNIT_KIND)
        return self.read(("parameter", function, number)) or default

    def result(self, function: int) -> Fact:
        """Fact about the results of a function so far."""
        return self.read(("result", function)) or NOTHING

    def returns(self, function: int, fact: Fact) -> None:
        """Note a result."""
        self.grow(("result", function), fact)

    # -- records and enums --

    def make_record(self, head: int, fields: list[Fact]) -> None:
        """Note a record."""
        if type(head) is AnonymousType:
            return
        self.sizes.setdefault(head, set()).add(len(fields))
        for position, fact in enumerate(fields):
            self.grow(("field", head, position), fact)

    def field(self, head: int, position: int) -> Fact:
        """Fact about a field."""
        return ANYTHING if self.is_open else self.read(("field", head, position)) or NOTHING

    def has_field(self, head: int, position: int) -> bool:
        """True if all records of a type have this field."""
        return not self.is_open and all(position < size for size in self.sizes.get(head, ()))

    def make_enum(self, head: int, payload: Fact) -> None:
        """Note an enum value."""
        self.grow(("payload", head), payload)

    def payload(self, head: int) -> Fact:
        """Fact about the payload of an enum value."""
        return ANYTHING if self.is_open else self.read(("payload", head)) or NOTHING

    def receive_foreign(self) -> None:
        """A value of the outside world: plain data, options and results, but no records or enums of the program's types."""
        for head in (SOME_HEAD, OK_HEAD, ERR_HEAD):
            self.make_enum(head, ANYTHING)

    def _read_constant(self, constant: Value) -> None:
        """Constants of modules made by hand hold records and enums, too."""
        todo = [constant]
        while todo:
            value = todo.pop()
            if type(value) is FnRef:
                self.referenced.add(value.index)
            if hasattr(value, "entries"):
                todo.extend(value.entries().values())
            if type(value) is not tuple:
                continue
            head = value[0]
            if head == LIST_HEAD:
                todo.extend(value[1][: value[2]])
                continue
            todo.extend(value[1:])
            if head >= 0:
                self.make_record(head, [of_value(item) for item in value[1:]])
            elif len(value) > 1:
                self.make_enum(head, of_value(value[1]))
        self.referenced = {function for function in self.referenced if function < len(self.functions)}
