"""Runs a module in the interpreter and translated, and compares everything that can be seen of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from analysis.bytecode.module import FunctionCode, Module
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.run import run_module
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


def refused(module: Module) -> list[BaseException]:
    """What CPython did not take of the translations made so far."""
    return [made.refusal for made in Program.of(module).translated.values() if made.refusal is not None]


def difference(module: Module, random: Random, most: int = 20_000, **options: Any) -> str | None:
    """What differs between the two ways, also when the run is cut short: at every step of a short run, at some of a long one."""
    logged = random.random() < 0.5
    limits = [most]
    while limits:
        limit = limits.pop()
        plain = seen(module, logged, max_steps=limit, translate=False, **options)
        quick = seen(module, logged, max_steps=limit, rehearsal_steps=random.choice((0, 0, 7, 100)), **options)
        if plain != quick:
            return f"max_steps {limit}, logged {logged}:\n  interpreted {plain}\n  translated  {quick}"
        if refused(module):
            return f"refused: {refused(module)}"
        if limit == most:
            steps = plain[1]
            limits = list(range(steps + 1)) if steps <= 60 else [random.randrange(steps) for _ in range(6)]
    return None
