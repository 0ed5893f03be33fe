"""Runs a module in the interpreter and translated, and compares everything that can be seen of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from analysis.bytecode.module import FunctionCode, Module
from boruna_ls.runtime.errors import Blocked, VmError
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.interpreter import Machine, Status
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.translator.resuming import resume
from boruna_ls.runtime.values import Value, enum, make_list, ok, record


@dataclass
class World:
    """A gateway and a log that answer by what they were asked so far, and remember it."""

    events: list[Any] = field(default_factory=list)

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        """Numbers mostly, and now and then a value that looks like the program's own."""
        self.events.append(("call", capability, list(map(display, args)), function.name))
        answers: Sequence[Value] = (5, 1, 0, "text", ok(7), make_list([1, "x"]), record(0, (1, "b")), enum(2, 0, 3))
        return answers[len(self.events) % len(answers)] if len(self.events) % 5 == 0 else len(self.events)

    def ui_emit(self, value: Value) -> None:
        """Remember an output."""
        self.events.append(("emit", display(value)))

    def contract_check(self, function: str, kind: str, index: int, passed: bool) -> None:
        """Remember a check."""
        self.events.append(("check", function, kind, index, passed))


def seen(module: Module, logged: bool, **options: Any) -> tuple[Any, ...]:
    """All that can be seen of a run."""
    world, debug = World(), []  # type: World, list[str]
    outcome = run_module(module, Options(gateway=world, log=world if logged else None, debug=debug.append, **options))
    error = outcome.error
    return (
        None if error else display(outcome.value),
        outcome.steps,
        list(map(display, outcome.ui_output)),
        outcome.actor_spawns,
        error and (error.kind, error.message, error.call_stack),
        world.events,
        debug,
    )


class Suspending:
    """A gateway that leaves some calls open, to be answered when the machine stands still."""

    def __init__(self, world: World, random: Random) -> None:
        self._world = world
        self._random = random
        self.open: tuple[int, list[Value], FunctionCode] | None = None

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        """The answer, or none yet."""
        if self._random.random() < 0.5:
            return self._world.call(capability, args, function)
        self.open = capability, args, function
        raise Blocked

    def answer(self, machine: Machine) -> None:
        """Gives the call at which the machine stands its value."""
        assert self.open is not None
        frame = machine.frames[-1]
        assert frame.code.code[frame.ip][0] == "CapCall"
        frame.ip += 1
        machine.push(self._world.call(*self.open))


def seen_resumed(module: Module, logged: bool, random: Random, **options: Any) -> tuple[Any, ...]:
    """The same of a run that is suspended at calls and goes on from where it stands."""
    world, debug = World(), []  # type: World, list[str]
    suspending = Suspending(world, random)
    options["rehearsal_steps"] = random.choice((0, 0, 7, 100))
    made = Options(gateway=suspending, log=world if logged else None, debug=debug.append, **options)
    machine = Machine(Program.of(module), made)
    entry = module.entry if made.entry is None else made.entry
    error = None
    try:
        machine.start(entry, made.arguments)
        while resume(machine, entry) is Status.BLOCKED:
            suspending.answer(machine)
    except VmError as failure:
        error = failure.kind, failure.message, machine.call_stack()
    return (
        None if error else display(machine.result),
        machine.steps,
        list(map(display, machine.ui_output)),
        machine.spawned,
        error,
        world.events,
        debug,
    )


def refused(module: Module) -> list[BaseException]:
    """Errors of CPython when it compiled the translations made so far."""
    program = Program.of(module)
    return [made.refusal for made in (*program.translated.values(), *program.rests.values()) if made.refusal is not None]


def _arity(module: Module, entry: int | None = None, **_: Any) -> int:
    """Parameters of the function that is run; -1 where a damaged module has no such function."""
    number = module.entry if entry is None else entry
    return module.functions[number].arity if 0 <= number < len(module.functions) else -1


def difference(module: Module, random: Random, most: int = 20_000, **options: Any) -> str | None:
    """Difference between the two ways, also when the run is cut short: at every step of a short run, at some of a long one."""
    logged = random.random() < 0.5
    limits = [most]
    while limits:
        limit = limits.pop()
        plain = seen(module, logged, max_steps=limit, translate=False, **options)
        quick = seen(module, logged, max_steps=limit, rehearsal_steps=random.choice((0, 0, 7, 100)), **options)
        if plain != quick:
            return f"max_steps {limit}, logged {logged}:\n  interpreted {plain}\n  translated  {quick}"
        if len(options.get("arguments", ())) <= _arity(module, **options):
            resumed = seen_resumed(module, logged, random, max_steps=limit, **options)
            if plain != resumed:
                return f"max_steps {limit}, logged {logged}:\n  interpreted {plain}\n  suspended   {resumed}"
        if refused(module):
            return f"refused: {refused(module)}"
        if limit == most:
            steps = plain[1]
            limits = list(range(steps + 1)) if steps <= 60 else [random.randrange(steps) for _ in range(6)]
    return None
