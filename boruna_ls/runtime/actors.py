"""Actors that really run: rounds of slices, mailboxes, failures that reach the parent (spec chapter 12 section 6).

Executions run programs like this (`boruna_ls/executions/system.py`); for all other tools `spawn` gives a number and messages
vanish. Everything is in one thread and in a fixed order, so that the scheduler's log of one program is always the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass, field
from boruna_ls.runtime.errors import Blocked, VmError
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.forms import TooLarge, display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.interpreter import Machine, Status
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL, Policy
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.values import Value, err

SLICE: Final = 1000
"""Turns of an actor in a round, the last of which executes nothing."""
MAX_ROUNDS: Final = 10_000
ROOT: Final = 0


@dataclass(frozen=True, slots=True)
class Message:
    """A message from one actor to another."""

    sender: int
    target: int
    payload: Value


@dataclass(slots=True)
class Actor:
    """One actor: its machine and what it did in its present slice. It is its machine's `options.scheduler`."""

    number: int
    parent: int
    next_number: Callable[[], int]
    machine: Machine = field(init=False)
    mailbox: deque[Value] = field(default_factory=deque)
    spawned: list[int] = field(default_factory=list)
    sent: list[Message] = field(default_factory=list)
    log: EventLog = field(default_factory=EventLog)
    is_runnable: bool = True
    is_blocked: bool = False
    has_failed: bool = False
    awaits: int | None = None
    """The capability call whose answer it waits for; messages do not wake it up then."""

    def spawn(self, function: int) -> int:
        """The number that the new actor will have when this slice is over."""
        self.spawned.append(function)
        return self.next_number() + len(self.spawned) - 1

    def send(self, target: int, message: Value) -> None:
        """Sent when the round is over."""
        self.sent.append(Message(self.number, target, message))

    def receive(self) -> Value:
        """The oldest message. Raises Blocked if there is none."""
        if not self.mailbox:
            raise Blocked
        return self.mailbox.popleft()


@dataclass(frozen=True, slots=True)
class ActorsOutcome:
    """The root's value, or why the system ended; `log` is the scheduler's, each actor keeps its own."""

    value: Value
    error: str | None
    log: EventLog
    actors: tuple[Actor, ...]


def run_actors(module: Module, policy: Policy = ALLOW_ALL) -> ActorsOutcome:
    """Runs a module with all actors that it spawns."""
    return System(module, policy).run()


class System:
    """All actors of a run, by number."""

    def __init__(self, module: Module, policy: Policy, max_rounds: int | None = None) -> None:
        self.module = module
        self.policy = policy
        self.actors: list[Actor] = []
        self.pending: list[Message] = []
        self.rounds = 0
        self.log = EventLog()
        self._max_rounds = MAX_ROUNDS if max_rounds is None else max_rounds

    def run(self) -> ActorsOutcome:
        """Run the program from its beginning to its end."""
        try:
            self.begin()
            self.advance()
            return self._outcome(None)
        except VmError as error:
            return self._outcome(error.message)

    def begin(self) -> None:
        """Makes the root. Raises VmError."""
        self._add(ROOT, self.module.entry)

    def advance(self) -> bool:
        """Run rounds until no actor can continue: True if all have ended, False if one waits for an answer. Raises VmError."""
        while self.pending or any(actor.is_runnable for actor in self.actors):
            if self.rounds >= self._max_rounds:
                raise VmError(f"max scheduler rounds exceeded ({self._max_rounds})")
            self._round(self.rounds)
            self.rounds += 1
            if not self.pending and not any(actor.is_runnable for actor in self.actors):
                break
            self._deliver()
        if any(actor.awaits is not None for actor in self.actors):
            return False
        if any(actor.is_blocked for actor in self.actors):
            raise VmError("deadlock: all actors blocked with no pending messages")
        return True

    def options_of(self, actor: Actor) -> Options:
        """Options of a new actor's machine."""
        return Options(gateway=Gateway(self.policy, Mock(display), actor.log), log=actor.log, scheduler=actor)

    def _outcome(self, error: str | None) -> ActorsOutcome:
        value = self.actors[ROOT].machine.result if error is None else None
        return ActorsOutcome(value, error, self.log, tuple(self.actors))

    def _add(self, parent: int, function: int) -> None:
        actor = Actor(len(self.actors), parent, lambda: len(self.actors))
        actor.machine = Machine(Program.of(self.module), self.options_of(actor))
        self.actors.append(actor)
        try:
            actor.machine.start(function)
        except VmError as error:
            self._fail(actor, error.message)

    def _round(self, number: int) -> None:
        for actor in [candidate for candidate in self.actors if candidate.is_runnable]:
            # An ancestor may have failed earlier in this round.
            if not actor.has_failed:
                self.log.scheduler_tick(number, actor.number)
                self._slice(actor)

    def _slice(self, actor: Actor) -> None:
        try:
            status = actor.machine.run(SLICE)
        except VmError as error:
            self._fail(actor, error.message)
            return
        except (MemoryError, TooLarge):
            self._fail(actor, "memory limit exceeded")
            return
        actor.is_runnable = status is Status.EXHAUSTED
        actor.is_blocked = status is Status.BLOCKED
        for function in actor.spawned:
            name = self.module.functions[function].name if function < len(self.module.functions) else f"#{function}"
            self.log.actor_spawn(len(self.actors), name)
            self._add(actor.number, function)
        self.pending += actor.sent
        actor.spawned.clear()
        actor.sent.clear()

    def _fail(self, actor: Actor, text: str) -> None:
        if actor.number == ROOT:
            raise VmError(text)
        self.pending.append(Message(actor.number, actor.parent, err(text)))
        # Children have higher numbers than their parents: one pass meets all descendants.
        failed = {actor.number}
        for other in self.actors[actor.number :]:
            if other.number in failed or (other.parent in failed and other.number != ROOT):
                failed.add(other.number)
                other.has_failed, other.is_runnable, other.is_blocked, other.awaits = True, False, False, None
                other.spawned.clear()
                other.sent.clear()

    def _deliver(self) -> None:
        """The end of a round."""
        for message in sorted(self.pending, key=lambda one: (one.target, one.sender)):
            self.log.message_send(message.sender, message.target, message.payload)
            if message.target < len(self.actors) and not self.actors[message.target].has_failed:
                self.log.message_receive(message.target, message.payload)
                self.actors[message.target].mailbox.append(message.payload)
        self.pending.clear()
        for actor in self.actors:
            if actor.is_blocked and actor.mailbox and actor.awaits is None:
                actor.is_blocked, actor.is_runnable = False, True
