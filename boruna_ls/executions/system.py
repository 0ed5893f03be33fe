"""A program of an execution as it runs: one machine, or a system of actors, that can be suspended at every `llm.call`.

A suspended machine stands at its call: its arguments are off the stack, its value is still to come. Runs in worker processes; it
performs nothing. A program that spawns no actors counts its steps as every other tool does.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

from analysis.bytecode.module import FunctionCode, Module
from boruna_ls.runtime.actors import ROOT, Actor, Message, System
from boruna_ls.runtime.errors import Blocked, StepLimit, VmError
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.gateway import Gateway, HandlerFailure
from boruna_ls.runtime.interpreter import Frame, Machine, Status
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.resuming import resume as resume_machine
from boruna_ls.runtime.values import Value, from_constant, ok

MAX_ROUNDS: Final = 1_000_000
CallHandler = Callable[[int, str, Sequence[Any], bool], Any]
"""(actor, capability, arguments, whether a function of the language asks) → a tagged constant. Raises Awaits."""


class Awaits(Blocked):
    """A capability call whose answer comes later; `task` is its number in the log."""

    def __init__(self, task: int) -> None:
        super().__init__()
        self.task = task


class Running(ABC):
    """A program between its beginning and its end."""

    @property
    @abstractmethod
    def machines(self) -> list[Machine]:
        """All machines, the root's first."""

    @abstractmethod
    def advance(self) -> bool:
        """Run as far as possible without further answers: True at its end. Raises VmError, MemoryError, TooLarge."""

    @abstractmethod
    def deliver(self, task: int, answer: Any) -> None:
        """The value of an open call: a tagged constant, or the HandlerFailure that it has become. Unknown tasks are ignored.
        Raises VmError."""

    @property
    @abstractmethod
    def waiting(self) -> dict[int, Machine]:
        """The machines that wait, by the number of their task."""

    @abstractmethod
    def state(self) -> Any:
        """State for `restore`: plain data and values."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Instead of `advance` from the beginning."""

    @property
    def steps(self) -> int:
        """Steps of all machines."""
        return sum(machine.steps for machine in self.machines)

    @property
    def value(self) -> Value:
        """The root's value."""
        return self.machines[0].result


def running(module: Module, policy: Policy, call: CallHandler, options: Callable[[], Options]) -> Running:
    """A program at its beginning; `options` are those of a machine but for gateway and scheduler. Raises VmError."""
    spawns = any(op[0] == "SpawnActor" for function in module.functions for op in function.code)
    return _Many(module, policy, call, options) if spawns else _One(module, policy, call, options)


class _Gateway(Gateway):
    """The gateway of one machine, which remembers for what call it was suspended."""

    def __init__(self, policy: Policy, actor: int, call: CallHandler) -> None:
        super().__init__(policy, lambda name, arguments, by_function: call(actor, name, arguments, by_function))
        self.awaits: int | None = None

    def call(self, capability: int, args: list[Value], function: FunctionCode) -> Value:
        try:
            return super().call(capability, args, function)
        except Awaits as suspended:
            self.awaits = suspended.task
            raise


class _One(Running):
    def __init__(self, module: Module, policy: Policy, call: CallHandler, options: Callable[[], Options]) -> None:
        self._gateway = _Gateway(policy, 0, call)
        own_options = options()
        own_options.gateway = self._gateway
        self._entry = module.entry
        self._machine = Machine(Program.of(module), own_options)
        self._machine.start(module.entry)

    @property
    def machines(self) -> list[Machine]:
        return [self._machine]

    def advance(self) -> bool:
        if self._gateway.awaits is not None:
            return False
        return resume_machine(self._machine, self._entry) is Status.DONE

    def deliver(self, task: int, answer: Any) -> None:
        if self._gateway.awaits == task:
            self._gateway.awaits = None
            resume(self._machine, answer)

    @property
    def waiting(self) -> dict[int, Machine]:
        return {} if self._gateway.awaits is None else {self._gateway.awaits: self._machine}

    def state(self) -> Any:
        return machine_state(self._machine), self._gateway.awaits, self._gateway.used

    def restore(self, state: Any) -> None:
        machine, self._gateway.awaits, self._gateway.used = state
        restore_machine(self._machine, machine)


class _SilentLog(EventLog):
    """A log without scheduling: an execution's is never read, and would grow with every slice."""

    def scheduler_tick(self, round_number: int, actor: int) -> None: ...

    def actor_spawn(self, actor: int, function: str) -> None: ...

    def message_send(self, sender: int, target: int, payload: Value) -> None: ...

    def message_receive(self, actor: int, payload: Value) -> None: ...


class _Many(Running, System):
    def __init__(self, module: Module, policy: Policy, call: CallHandler, options: Callable[[], Options]) -> None:
        System.__init__(self, module, policy, MAX_ROUNDS)
        self._max_steps = options().max_steps
        self.log = _SilentLog()
        self._call = call
        self._options = options
        self._gateways: dict[int, _Gateway] = {}
        self.begin()

    @property
    def machines(self) -> list[Machine]:
        return [actor.machine for actor in self.actors]

    def options_of(self, actor: Actor) -> Options:
        own_options = self._options()
        # The budget is that of all actors together: an actor that exceeds it must not just fail for its parent.
        own_options.max_steps = sys.maxsize
        own_options.gateway = self._gateways[actor.number] = _Gateway(self.policy, actor.number, self._call)
        own_options.scheduler = actor
        return own_options

    def advance(self) -> bool:
        return System.advance(self)

    def _round(self, number: int) -> None:
        super()._round(number)
        if self.steps > self._max_steps:
            raise StepLimit(self._max_steps)

    def _slice(self, actor: Actor) -> None:
        super()._slice(actor)
        if actor.is_blocked:
            actor.awaits = self._gateways[actor.number].awaits
        elif not actor.is_runnable and not actor.has_failed and actor.number != ROOT:
            # As its failure would reach the parent as Err, its value does as Ok: else its result would be lost.
            self.pending.append(Message(actor.number, actor.parent, ok(actor.machine.result)))

    def deliver(self, task: int, answer: Any) -> None:
        for actor in self.actors:
            if actor.awaits == task:
                actor.awaits = self._gateways[actor.number].awaits = None
                actor.is_blocked, actor.is_runnable = False, True
                try:
                    resume(actor.machine, answer)
                except VmError as error:
                    self._fail(actor, error.message)

    @property
    def waiting(self) -> dict[int, Machine]:
        return {actor.awaits: actor.machine for actor in self.actors if actor.awaits is not None}

    def state(self) -> Any:
        actors = [
            (
                *(actor.parent, list(actor.mailbox), actor.is_runnable, actor.is_blocked, actor.has_failed, actor.awaits),
                *(machine_state(actor.machine), self._gateways[actor.number].used),
            )
            for actor in self.actors
        ]
        return actors, [(message.sender, message.target, message.payload) for message in self.pending], self.rounds

    def restore(self, state: Any) -> None:
        actors, pending, self.rounds = state
        self.actors.clear()
        for parent, mailbox, is_runnable, is_blocked, has_failed, awaits, machine, used in actors:
            self._add(parent, self.module.entry)
            actor = self.actors[-1]
            actor.mailbox.extend(mailbox)
            actor.is_runnable, actor.is_blocked, actor.has_failed, actor.awaits = is_runnable, is_blocked, has_failed, awaits
            self._gateways[actor.number].used, self._gateways[actor.number].awaits = used, awaits
            restore_machine(actor.machine, machine)
        self.pending = [Message(*row) for row in pending]


def resume(machine: Machine, answer: Any) -> None:
    """Gives the call at which a machine stands its value. Raises VmError."""
    frame = machine.frames[-1]
    op = frame.code.code[frame.ip]
    machine.failed_at = frame.ip
    frame.ip += 1
    if isinstance(answer, HandlerFailure):
        raise VmError(f"assertion failed: capability error: {answer}")
    machine.push(from_constant(answer))
    assert op[0] == "CapCall"


def standing(machine: Machine) -> list[tuple[int, int]]:
    """Function and instruction of every frame of a suspended machine, the outermost first."""
    frames = machine.frames
    return [(frame.function, frame.ip - (frame is not frames[-1])) for frame in frames]


def machine_state(machine: Machine) -> Any:
    """A machine as plain data and values."""
    frames = [(frame.function, frame.ip, frame.base, frame.locals) for frame in machine.frames]
    counts = machine.steps, machine.spawned, machine.failed_at, machine.reported
    return frames, machine.stack, machine.globals, machine.ui_output, machine.result, counts


def restore_machine(machine: Machine, state: Any) -> None:
    """Puts a machine of the same module into a state."""
    frames, machine.stack, machine.globals, machine.ui_output, machine.result, counts = state
    machine.steps, machine.spawned, machine.failed_at, machine.reported = counts
    functions = machine.program.module.functions
    machine.frames = []
    for function, ip, base, values in frames:
        frame = Frame(function, functions[function], base, [])
        frame.ip, frame.locals = ip, values
        machine.frames.append(frame)
