"""Puts the functions of a module together as Python code, runs it, and hands over to the interpreter where it cannot go on.

All functions of a run are closures over one budget, `left`. When something fails or the budget is too small for the next
stretch, the exception passes every translated frame; each notes its line and its variables, and from the sites of these lines
the frames of the interpreter are made, which finds out what is wrong, or goes on.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

from boruna_ls.runtime import builtins, operators
from boruna_ls.runtime.errors import Blocked
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.interpreter import (
    MAX_FRAMES,
    Frame,
    Machine,
    capability,
    check_capability,
    contract,
    debug_message,
    emit,
    guard,
    send,
    spawn,
)
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program, chosen, field, handed_on
from boruna_ls.runtime.translator.inference import infer
from boruna_ls.runtime.translator.lines import BETWEEN, EFFECT, Line, Site, Unstructured
from boruna_ls.runtime.translator.structure import write_function, write_rest
from boruna_ls.runtime.translator.unit import Unit
from boruna_ls.runtime.values import ERR_HEAD, LIST_HEAD, NONE_HEAD, OK_HEAD, SOME_HEAD, FnRef, Value, equal, truthy

HELPERS: Final = 50
"""Python's frames that helpers may need on top of the program's."""
SLICE: Final = 100_000
LEAST: Final = 1000
"""Steps between two looks at clock and watch: as many as take this time, since one step can take as long as a million."""
SLICE_SECONDS: Final = 0.003
MOST: Final = 1 << 29
"""The largest budget that is given out at once: CPython compares small integers faster."""


_BUILTINS: Final = {kind.__name__: kind for kind in (Exception, bool, float, int, len, locals, range, str, type)}
"""Python's names that generated code uses. It gets no others: no `open`, no `__import__`."""


class Slow(Exception):
    """Translated code cannot go on."""


class Translation:
    """The code of a module; `sites` by line. `points`: functions and instructions from which suspended frames go on."""

    def __init__(self, program: Program, entry: int, is_open: bool, logged: bool, points: Sequence[tuple[int, int]] = ()) -> None:
        inferred = infer(program, entry, is_open)
        self.make: Callable[..., Any] | None = None
        self.refusal: BaseException | None = None
        """Failure to compile a module that could be translated; tests do not tolerate it."""
        self.sites: dict[int, Site] = {}
        self.source = ""
        self.entry = entry
        self._points = points
        if inferred is None:
            return
        world, facts = inferred
        self.unit = Unit(program, world, facts, entry, logged)
        if facts[entry].graph is None:
            return
        try:
            self._write(program)
        except (Unstructured, SyntaxError, RecursionError, MemoryError) as refusal:
            # CPython has limits of its own; the interpreter has none.
            self.refusal = refusal

    def _write(self, program: Program) -> None:
        lines = [Line(0, "def make(machine, grant):", None), Line(1, "left = 0", None)]
        lines += _lines(1, "def more(need):", "    nonlocal left", "    left += grant(left, need)")
        lines += _lines(1, "def rest():", "    return left")
        for function in sorted(self.unit.facts):
            lines.extend(self._function(function))
        for count in sorted(self.unit.indirect):
            table = ", ".join(f"{function}: f{function}" for function in self._callable(program, count))
            lines.append(Line(1, f"callable{count} = {{{table}}}.get", None))
        written = [point for point in self._points if self._add_rest(lines, *point)]
        rests = ", ".join(f"({function}, {first}): r{function}_{first}" for function, first in written)
        lines.append(Line(1, f"return f{self.entry}, rest, {{{rests}}}", None))
        self.sites = {number: line.site for number, line in enumerate(lines, 1) if line.site is not None}
        self.source = "\n".join(" " * line.indent + line.text for line in lines) + "\n"
        names = self._names(program)
        with warnings.catch_warnings():
            # CPython remarks on conditions that are always the same.
            warnings.simplefilter("ignore", SyntaxWarning)
            # A module that comes from a file may have any name.
            exec(compile(self.source, f"<{program.module.name!r}>", "exec"), names)
        self.make = names["make"]

    def _function(self, function: int) -> list[Line]:
        parameters = [f"l{number}" for number in range(self.unit.parameters(function))]
        if function in self.unit.deep:
            parameters.append("d")
        head = _lines(1, f"def f{function}({', '.join(parameters)}):", " nonlocal left", " try:")
        tail = _lines(2, "except Exception as failure:", f" leave(machine, failure, {function}, locals())", " raise")
        return [*head, *write_function(self.unit, function, 3), *tail]

    def _add_rest(self, lines: list[Line], function: int, first: int) -> bool:
        """Adds what a function does from an instruction on, as one of its cells and operands; False if it cannot be written."""
        try:
            written, operands = write_rest(self.unit, function, first, 3)
        except Unstructured:
            return False
        cells = self.unit.program.module.functions[function].locals
        parameters = [*(f"l{cell}" for cell in range(cells)), *(f"s{slot}" for slot in range(operands)), "d"]
        lines += _lines(1, f"def r{function}_{first}({', '.join(parameters)}):", " nonlocal left", " try:")
        lines += written
        lines += _lines(2, "except Exception as failure:", f" leave(machine, failure, {function}, locals())", " raise")
        return True

    def _callable(self, program: Program, count: int) -> list[int]:
        functions = program.module.functions
        referenced = sorted(self.unit.world.referenced & self.unit.facts.keys())
        return [index for index in referenced if functions[index].arity == count <= functions[index].locals]

    def _names(self, program: Program) -> dict[str, Any]:
        names: dict[str, Any] = {
            "__builtins__": {}, **_BUILTINS,
            "Slow": Slow, "FnRef": FnRef, "leave": leave, "choose": choose,
            "truthy": truthy, "equal": equal, "pushed": builtins.pushed, "truncated": operators.truncated,
            "remainder": operators.remainder, "field": field, "named_field": program.named_field, "emit": emit, "spawn": spawn,
            "send": send, "contract": contract, "guard": guard, "debug": debug, "debug_message": debug_message,
            "capability_call": capability_call, "is_foreign": is_foreign, "functions": program.module.functions,
            "tables": [function.match_tables for function in program.module.functions],
        }  # fmt: skip
        for table in (builtins.UNARY, builtins.BINARY, builtins.TERNARY):
            names.update((f"b_{name}", function) for name, function in table.items())
        names.update((f"K{number}", program.constants[number]) for number in self.unit.constants)
        names.update((f"A{number}", program.anonymous(number)) for number in self.unit.heads)
        return names


def translation_of(program: Program, entry: int, options: Options) -> Translation | None:
    """The translation for such a run, if it was made before or is wanted at once."""
    if not options.rehearsal_steps:
        return translate(program, entry, options)
    translation: Translation | None = program.translated.get(_key(entry, options))
    return translation


def translate(program: Program, entry: int, options: Options) -> Translation:
    """The translation for a run from an entry, with arguments or without, with a log or without."""
    key = _key(entry, options)
    translation: Translation | None = program.translated.get(key)
    if translation is None:
        translation = program.translated[key] = Translation(program, *key)
    return translation


def _key(entry: int, options: Options) -> tuple[int, bool, bool]:
    return entry, bool(options.arguments), options.log is not None


def _lines(indent: int, *texts: str) -> list[Line]:
    return [Line(indent, text, None) for text in texts]


# ---- running --------------------------------------------------------------------------------------------------------


class Budget:
    """Hands out steps in slices, and looks at the clock and the watch between them."""

    def __init__(self, machine: Machine, until: int | None) -> None:
        self.machine = machine
        self.most = machine.options.max_steps if until is None else until
        self.given = 0
        options = machine.options
        self.looks = options.max_wall_ms is not None or options.watch is not None or options.progress is not None
        self._slice = LEAST
        self._last_look = time.monotonic()

    def grant(self, left: int, need: int) -> int:
        """More steps, or the end of translated code."""
        options = self.machine.options
        if self.looks:
            self._look(options, self.given - left)
        size = min(self.most - self.given, max(self._slice if self.looks else MOST, need))
        if left + size < need:
            raise Slow
        self.given += size
        return size

    def _look(self, options: Options, steps: int) -> None:
        now = time.monotonic()
        quick = now - self._last_look < SLICE_SECONDS
        self._slice = min(self._slice * 2, SLICE) if quick else max(self._slice // 2, LEAST)
        self._last_look = now
        self.machine.tell(steps)
        if options.watch is not None:
            options.watch(steps)
        if options.max_wall_ms is not None and int((now - self.machine.started) * 1000) > options.max_wall_ms:
            # The interpreter meets the limit at the next multiple of 1024 steps.
            raise Slow


def execute(translation: Translation, machine: Machine, until: int | None = None) -> None:
    """Run a machine that was started and has not executed anything yet to its end; behind `until` steps, interpreted."""
    if not has_room():
        machine.run()
        return
    budget = Budget(machine, until)
    assert translation.make is not None
    entry, rest, _ = translation.make(machine, budget.grant)
    frame = machine.frames[0]
    args = frame.locals[: translation.unit.parameters(frame.function)]
    if frame.function in translation.unit.deep:
        args = [*args, 1]
    try:
        value = entry(*args)
    except Exception as failure:
        left: list[tuple[int, int, dict[str, Any]]] = getattr(failure, "left_frames", [])
        if not left:
            raise
        machine.frames.clear()
        machine.stack.clear()
        failed_for_good = restore(translation, machine, left, failure, budget.given - rest())
        if failed_for_good:
            raise
    else:
        machine.steps = budget.given - rest()
        machine.frames.clear()
        machine.stack.append(value)
    machine.run()


def has_room() -> bool:
    """True if Python allows as many frames as a program may have."""
    depth = 0
    frame = sys._getframe()
    while (outer := frame.f_back) is not None:
        depth, frame = depth + 1, outer
    return depth + MAX_FRAMES + HELPERS < sys.getrecursionlimit()


def leave(machine: Machine, failure: Any, function: int, variables: dict[str, Any]) -> None:
    """Note a translated frame that an exception passes; the first note of the traceback is its own line."""
    frames = failure.__dict__.setdefault("left_frames", [])
    traceback = failure.__traceback__
    frames.append((function, traceback.tb_lineno, variables))


def restore(
    translation: Translation, machine: Machine, left: list[tuple[int, int, dict[str, Any]]], failure: Exception, charged: int
) -> bool:
    """Make the frames of the interpreter from those that were left, on top of those that it has. True if the run has ended with
    the failure; one that has to wait stands at its call, whose arguments are off the stack."""
    names = translation.make.__globals__ if translation.make is not None else {}
    credit = 0
    ended = not isinstance(failure, Slow)
    functions = machine.program.module.functions
    for number, (function, line, variables) in enumerate(reversed(left)):
        innermost = number == len(left) - 1
        site, is_exact = _site(translation, line)
        code = functions[function]
        frame = Frame(function, code, len(machine.stack), [])
        frame.locals = [variables.get(f"l{cell}") for cell in range(code.locals)]
        if site.cell is not None:
            frame.locals[site.cell[0]] = eval(site.cell[1], names, variables)
        values = [eval(text, names, variables) for text in site.stack]
        credit += site.credit
        frame.ip = site.instruction
        if not innermost:
            # The call was executed.
            credit -= 1
            frame.ip += 1
            values = values[: len(values) - site.args]
        elif ended and (site.kind in (EFFECT, BETWEEN) or not is_exact):
            machine.failed_at = site.instruction
            credit -= site.kind == EFFECT
            if isinstance(failure, Blocked):
                values = values[: len(values) - code.code[site.instruction][2]]
        else:
            # Whatever it was, the interpreter finds it out by executing the instruction again.
            ended = False
        machine.frames.append(frame)
        machine.stack.extend(values)
    machine.steps = charged - credit
    return ended


def _site(translation: Translation, line: int) -> tuple[Site, bool]:
    """The site of a line. Other lines can only run out of memory: then the site of one before it tells about where, and the
    second part is False."""
    at = line
    while at not in translation.sites:
        at -= 1
    return translation.sites[at], at == line


# ---- helpers of translated code -------------------------------------------------------------------------------------


def choose(arms: Any, value: Value) -> tuple[int, Value]:
    """Target of the arm that fits, and what it hands on."""
    arm = chosen(arms, value)
    return arm.target, handed_on(arm, value)


def debug(machine: Machine, value: Value) -> None:
    """`Debug`."""
    machine.options.debug(display(value) + "\n")


def capability_call(machine: Machine, number: int, args: list[Value], function: Any) -> Value:
    """`CapCall` with its checks."""
    check_capability(number, function)
    return capability(machine, number, args, function)


def is_foreign(value: Value) -> bool:
    """True if a value from outside holds records or enums; translated code assumes that it knows all of them."""
    todo = [value]
    while todo:
        item = todo.pop()
        if type(item) is tuple:
            head = item[0]
            if head == LIST_HEAD:
                todo.extend(item[1][: item[2]])
            elif head not in _OPEN_HEADS:
                return True
            else:
                todo.extend(item[1:])
        elif type(item) is Map:
            todo.extend(item.entries().values())
    return False


_OPEN_HEADS: Final = frozenset((LIST_HEAD, NONE_HEAD, SOME_HEAD, OK_HEAD, ERR_HEAD))
