"""The plain way to execute a module: one instruction a turn, exactly as chapter 08 says. It is the oracle for the translator.

It runs what is traced or observed, actors, code that the translator leaves aside, and the rest of every run that meets a limit
or an error in translated code: then `frames`, `stack` and `steps` are set from outside and `run` goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum
from typing import Final

from analysis.bytecode.module import CAPABILITIES, FunctionCode, Op
from boruna_ls.runtime.builtins import BINARY, TERNARY, UNARY
from boruna_ls.runtime.errors import Blocked, CapabilityDenied, StepLimit, VmError, type_error, wall_clock
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import PROGRESS_EVERY, Options
from boruna_ls.runtime.program import Program, chosen, field, handed_on
from boruna_ls.runtime.values import ActorId, FnRef, Value, enum_head, make_list, record, truthy, type_name

MAX_FRAMES: Final = 256
MAX_OPERANDS: Final = 4096
CLOCK_EVERY: Final = 1024
"""Steps between two looks at the clock: a limit can only be met at a multiple of it."""


class Status(Enum):
    """Reason why `run` returned."""

    DONE = "the program has ended"
    EXHAUSTED = "the slice is used up"
    BLOCKED = "an actor waits for a message"


class Frame:
    """An activation of a function. `ip` is the next instruction, `base` the height of the stack without its operands."""

    __slots__ = ("base", "code", "function", "ip", "locals")

    def __init__(self, function: int, code: FunctionCode, base: int, args: list[Value]) -> None:
        self.function = function
        self.code = code
        self.ip = 0
        self.base = base
        cells = code.locals
        self.locals = args[:cells] + [None] * (cells - len(args))


class Machine:
    """A run: frames, one operand stack for all of them, globals, output, steps."""

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.options = options
        self.frames: list[Frame] = []
        self.stack: list[Value] = []
        self.globals: list[Value] = [None] * len(program.module.globals)
        self.ui_output: list[Value] = []
        self.steps = 0
        self.spawned = 0
        self.result: Value = None
        self.failed_at = 0
        self.reported = 0
        """The steps that were reported last."""
        self.started = time.monotonic()

    def start(self, function: int, args: tuple[Value, ...] = ()) -> None:
        """Make the first frame. Raises `VmError` if there is no such function."""
        functions = self.program.module.functions
        if not 0 <= function < len(functions):
            raise VmError(f"invalid function index: {function}")
        self.frames.append(Frame(function, functions[function], 0, list(args)))

    def call_stack(self) -> tuple[tuple[int, int], ...]:
        """Function and instruction of every frame, the outermost first; of a failed run: where it failed and was called from."""
        calls = [(frame.function, frame.ip - 1) for frame in self.frames]
        if calls:
            # A jump can lead anywhere behind the end.
            calls[-1] = (calls[-1][0], min(self.failed_at, len(self.frames[-1].code.code)))
        return tuple(calls)

    def named_locals(self) -> tuple[tuple[str, Value], ...]:
        """The variables that can be named where the innermost frame stands, with their values; none of a loaded module."""
        if not self.frames:
            return ()
        frame = self.frames[-1]
        names = frame.code.names_at(self.failed_at)
        return tuple([(name, frame.locals[slot]) for name, slot in names.items() if slot < len(frame.locals)])

    def run(self, turns: int | None = None) -> Status:
        """One loop, not parted since a call for each instruction would cost more than the instruction.

        Goes on until the program ends, or for a number of turns, the last of which executes nothing (chapter 10 section 7).
        """
        frames, stack, constants = self.frames, self.stack, self.program.constants
        observer, pop, push = self.options.observer, self.pop, self.push
        due, last = 0, None if turns is None else self.steps + turns
        while True:
            steps = self.steps = self.steps + 1
            if steps >= due:
                due = self._check_limits()
            if last is not None and steps >= last:
                return Status.EXHAUSTED
            if not frames:
                self.result = stack.pop() if stack else None
                return Status.DONE
            frame = frames[-1]
            ip = self.failed_at = frame.ip
            code = frame.code.code
            if ip >= len(code):
                frames.pop()
                del stack[frame.base :]
                stack.append(None)
                continue
            op = code[ip]
            if observer is not None:
                observer(self, frame, op)
            frame.ip, name = ip + 1, op[0]
            if name == "LoadLocal":
                if op[1] >= len(frame.locals):
                    raise VmError(f"invalid local index: {op[1]}")
                push(frame.locals[op[1]])
            elif name == "PushConst":
                if op[1] >= len(constants):
                    raise VmError(f"invalid constant index: {op[1]}")
                push(constants[op[1]])
            elif name in BINARY:
                right, left = pop(), pop()
                push(BINARY[name](left, right))
            elif name == "StoreLocal":
                value = pop()
                if op[1] >= len(frame.locals):
                    raise VmError(f"invalid local index: {op[1]}")
                frame.locals[op[1]] = value
            elif name == "JmpIfNot":
                if not truthy(pop()):
                    frame.ip = op[1]
            elif name == "Jmp":
                frame.ip = op[1]
            elif name in UNARY:
                push(UNARY[name](pop()))
            elif name in TERNARY:
                third, second, value = pop(), pop(), pop()
                push(TERNARY[name](value, second, third))
            elif name == "Halt":
                self.result = stack.pop() if stack else None
                frames.clear()
                return Status.DONE
            else:
                try:
                    _OTHERS[name](self, frame, op)
                except Blocked:
                    # The instruction is executed again, and counted again, when there is a message.
                    frame.ip = ip
                    return Status.BLOCKED

    def _check_limits(self) -> int:
        """Ends the run where a limit is met and reports progress; gives the step at which to look again."""
        steps, options = self.steps, self.options
        if steps > options.max_steps:
            self._fail_between()
            raise StepLimit(options.max_steps)
        if steps % CLOCK_EVERY == 0:
            limit = options.max_wall_ms
            if limit is not None and int((time.monotonic() - self.started) * 1000) > limit:
                self._fail_between()
                raise wall_clock(limit)
            if options.watch is not None:
                self._fail_between()
                options.watch(steps)
        if options.progress is not None and steps >= self.reported + PROGRESS_EVERY:
            self.tell(steps)
        again = min(steps - steps % CLOCK_EVERY + CLOCK_EVERY, options.max_steps + 1)
        return again if options.progress is None else min(again, self.reported + PROGRESS_EVERY)

    def tell(self, steps: int) -> None:
        """Report progress: every multiple once, whichever way executed the steps."""
        while self.options.progress is not None and self.reported + PROGRESS_EVERY <= steps:
            self.reported += PROGRESS_EVERY
            self.options.progress(self.reported)

    def _fail_between(self) -> None:
        """A limit ends the run before the next instruction."""
        if self.frames:
            self.failed_at = self.frames[-1].ip

    def push(self, value: Value) -> None:
        """Put a value on the stack."""
        if len(self.stack) >= MAX_OPERANDS:
            raise VmError(f"stack overflow (max {MAX_OPERANDS})")
        self.stack.append(value)

    def pop(self) -> Value:
        """Take the top of the stack, whichever frame left it there."""
        if not self.stack:
            raise VmError("stack underflow")
        return self.stack.pop()

    def pop_many(self, count: int) -> list[Value]:
        """Take values off the stack; in the order in which they were pushed."""
        if len(self.stack) < count:
            self.stack.clear()
            raise VmError("stack underflow")
        first = len(self.stack) - count
        values, self.stack[first:] = self.stack[first:], []
        return values

    def enter(self, function: int, args: list[Value]) -> None:
        """Make a frame for a call."""
        functions = self.program.module.functions
        if function >= len(functions):
            raise VmError(f"invalid function index: {function}")
        if len(self.frames) >= MAX_FRAMES:
            raise VmError(f"stack overflow (max {MAX_FRAMES})")
        self.frames.append(Frame(function, functions[function], len(self.stack), args))


# ---- the other opcodes ----------------------------------------------------------------------------------------------


def _call(machine: Machine, frame: Frame, op: Op) -> None:
    machine.enter(op[1], machine.pop_many(op[2]))


def _call_indirect(machine: Machine, frame: Frame, op: Op) -> None:
    if type(callee := machine.pop()) is not FnRef:
        raise type_error("function reference", type_name(callee))
    machine.enter(callee.index, machine.pop_many(op[1]))


def _ret(machine: Machine, frame: Frame, op: Op) -> None:
    result = machine.stack.pop() if machine.stack else None
    machine.frames.pop()
    del machine.stack[frame.base :]
    try:
        machine.push(result)
    except VmError:
        machine.frames.append(frame)
        raise


def _jmp_if(machine: Machine, frame: Frame, op: Op) -> None:
    if truthy(machine.pop()):
        frame.ip = op[1]


def _match(machine: Machine, frame: Frame, op: Op) -> None:
    value, tables = machine.pop(), frame.code.match_tables
    if op[1] >= len(tables):
        raise VmError("no match found for value")
    arm = chosen(tables[op[1]], value)
    machine.push(handed_on(arm, value))
    frame.ip = arm.target


def _load_global(machine: Machine, frame: Frame, op: Op) -> None:
    if op[1] >= len(machine.globals):
        raise VmError(f"invalid global index: {op[1]}")
    machine.push(machine.globals[op[1]])


def _store_global(machine: Machine, frame: Frame, op: Op) -> None:
    value = machine.pop()
    if op[1] >= len(machine.globals):
        raise VmError(f"invalid global index: {op[1]}")
    machine.globals[op[1]] = value


def _make_record(machine: Machine, frame: Frame, op: Op) -> None:
    machine.push(record(op[1], machine.pop_many(op[2])))


def _make_anonymous(machine: Machine, frame: Frame, op: Op) -> None:
    machine.push(record(machine.program.anonymous(op[1]), machine.pop_many(op[2])))


def _make_enum(machine: Machine, frame: Frame, op: Op) -> None:
    machine.push((enum_head(op[1], op[2]), machine.pop()))


def _make_list(machine: Machine, frame: Frame, op: Op) -> None:
    machine.push(make_list(machine.pop_many(op[1])))


def _get_field(machine: Machine, frame: Frame, op: Op) -> None:
    value = machine.pop()
    name = machine.program.field_names[frame.function].get(frame.ip - 1)
    machine.push(field(value, op[1]) if name is None else machine.program.named_field(value, name))


def _get_named(machine: Machine, frame: Frame, op: Op) -> None:
    name = machine.program.text(op[1])
    machine.push(machine.program.named_field(machine.pop(), name))


def _dup(machine: Machine, frame: Frame, op: Op) -> None:
    value = machine.pop()
    machine.stack.append(value)
    machine.push(value)


def _pop(machine: Machine, frame: Frame, op: Op) -> None:
    machine.pop()


def _nop(machine: Machine, frame: Frame, op: Op) -> None:
    pass


def _emit_ui(machine: Machine, frame: Frame, op: Op) -> None:
    emit(machine, machine.pop())


def _spawn_actor(machine: Machine, frame: Frame, op: Op) -> None:
    machine.push(spawn(machine, op[1]))


def _send_msg(machine: Machine, frame: Frame, op: Op) -> None:
    message = machine.pop()
    send(machine, machine.pop(), message)


def _receive_msg(machine: Machine, frame: Frame, op: Op) -> None:
    scheduler = machine.options.scheduler
    machine.push(None if scheduler is None else scheduler.receive())


def _cap_call(machine: Machine, frame: Frame, op: Op) -> None:
    check_capability(op[1], frame.code)
    machine.push(capability(machine, op[1], machine.pop_many(op[2]), frame.code))


def _assert(machine: Machine, frame: Frame, op: Op) -> None:
    contract(machine, frame.code, op, machine.pop(), frame.locals)


def _guard_seal(machine: Machine, frame: Frame, op: Op) -> None:
    label = machine.pop()
    guard(machine, machine.pop(), label)


def _debug(machine: Machine, frame: Frame, op: Op) -> None:
    value = machine.pop()
    machine.options.debug(display(value) + "\n")
    machine.push(value)


def _debug_msg(machine: Machine, frame: Frame, op: Op) -> None:
    value, message = machine.pop(), machine.pop()
    debug_message(machine, message, value)
    machine.push(value)


_OTHERS: Final[dict[str, Callable[[Machine, Frame, Op], None]]] = {
    "Call": _call,
    "CallIndirect": _call_indirect,
    "Ret": _ret,
    "JmpIf": _jmp_if,
    "Match": _match,
    "LoadGlobal": _load_global,
    "StoreGlobal": _store_global,
    "MakeRecord": _make_record,
    "MakeAnonymous": _make_anonymous,
    "MakeEnum": _make_enum,
    "MakeList": _make_list,
    "GetField": _get_field,
    "GetNamed": _get_named,
    "Dup": _dup,
    "Pop": _pop,
    "Nop": _nop,
    "EmitUi": _emit_ui,
    "SpawnActor": _spawn_actor,
    "SendMsg": _send_msg,
    "ReceiveMsg": _receive_msg,
    "CapCall": _cap_call,
    "Assert": _assert,
    "GuardSeal": _guard_seal,
    "Debug": _debug,
    "DebugMsg": _debug_msg,
}

# ---- effects, shared with translated code ---------------------------------------------------------------------------


def emit(machine: Machine, value: Value) -> None:
    """`EmitUi`."""
    machine.ui_output.append(value)
    if machine.options.log is not None:
        machine.options.log.ui_emit(value)


def spawn(machine: Machine, function: int) -> ActorId:
    """`SpawnActor`: numbers only, unless a scheduler runs actors."""
    machine.spawned += 1
    scheduler = machine.options.scheduler
    return ActorId(machine.spawned - 1 if scheduler is None else scheduler.spawn(function))


def send(machine: Machine, target: Value, message: Value) -> None:
    """`SendMsg`."""
    if type(target) is not ActorId:
        raise type_error("ActorId", type_name(target))
    if machine.options.scheduler is not None:
        machine.options.scheduler.send(target.number, message)


def check_capability(number: int, function: FunctionCode) -> None:
    """A capability exists, and the executing function declares it."""
    if number >= len(CAPABILITIES):
        raise VmError(f"unknown capability id: {number}")
    kind = CAPABILITIES[number]
    if kind.enum_name not in function.capabilities:
        raise CapabilityDenied(kind.name, f"capability denied: {kind.name}")


def capability(machine: Machine, number: int, args: list[Value], function: FunctionCode) -> Value:
    """`CapCall`, after its checks."""
    gateway = machine.options.gateway
    if gateway is None:
        raise CapabilityDenied(CAPABILITIES[number].name, f"capability denied: {CAPABILITIES[number].name}")
    return gateway.call(number, args, function)


def contract(machine: Machine, function: FunctionCode, op: Op, value: Value, cells: list[Value]) -> None:
    """`Assert`."""
    _, message, kind, index = op
    passed = truthy(value)
    if machine.options.log is not None:
        machine.options.log.contract_check(function.name, kind.lower(), index, passed)
    if not passed:
        constants = machine.program.constants
        text = display(constants[message]) if message < len(constants) else "contract violation"
        raise VmError(f"{text} [counterexample: ({', '.join(map(display, cells[: function.arity]))})]")


def guard(machine: Machine, verdict: Value, label: Value) -> None:
    """`GuardSeal`."""
    text = label if type(label) is str else display(label)
    passed = truthy(verdict)
    if machine.options.log is not None:
        machine.options.log.contract_check(text, "output", 0, passed)
    if not passed:
        raise VmError(f"output guard `{text}` failed [counterexample: ()]")


def debug_message(machine: Machine, message: Value, value: Value) -> None:
    """`DebugMsg`."""
    text = message if type(message) is str else display(message)
    machine.options.debug(f"{text} {display(value)}\n")
