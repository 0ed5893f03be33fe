"""Runs a machine that may stand anywhere, as one of a suspended program does: interpreted at first, then translated.

What is left of each active function from where it stands is translated as a function of its cells and operands. Machines
are entered at heads of loops and beginnings of functions, so that few places need code, and every long computation passes one.
"""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.runtime.errors import Blocked
from boruna_ls.runtime.interpreter import Machine, Status
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.execution import Budget, Translation, has_room, restore
from boruna_ls.runtime.translator.graph import Graph, Untranslatable

SIZE: Final = 100
"""Instructions whose translation takes as long as some thousand steps of the interpreter."""
PATIENCE: Final = 500
"""Instructions for which a machine is led to a place where translated code can be entered."""
FRAMES: Final = 8
"""Active functions, from the innermost on, whose rest is translated; further ones are when they are reached."""
MOST: Final = 16
"""Translations of a program that are kept."""
MOST_TURNS: Final = 1 << 20
Point = tuple[int, int]


def resume(machine: Machine, entry: int) -> Status:
    """Goes on to the end of a program that began at `entry`, or to a call whose answer is missing. Raises VmError."""
    program, options = machine.program, machine.options
    if not options.translate or options.observer is not None or options.scheduler is not None:
        return machine.run()
    turns = options.rehearsal_steps * (program.size(entry) // SIZE + 1) + 1
    while True:
        status = _interpreted(machine, turns)
        if status is not Status.EXHAUSTED:
            return status
        status = _to_entrance(machine, program)
        if status is not Status.EXHAUSTED:
            return status
        before = machine.steps
        if has_room() and _translated(_translation(program, entry, machine), machine):
            return Status.BLOCKED
        if machine.steps - before < turns:
            # Translated code was left at once: it shall not be tried for every few steps.
            turns = min(2 * turns, MOST_TURNS)


def _interpreted(machine: Machine, turns: int) -> Status:
    status = machine.run(turns)
    if status is Status.EXHAUSTED:
        # The last turn was counted, and nothing was executed.
        machine.steps -= 1
    return status


def _to_entrance(machine: Machine, program: Program) -> Status:
    for _ in range(PATIENCE):
        frame = machine.frames[-1] if machine.frames else None
        if frame is not None and frame.ip in _entrances(program, frame.function):
            break
        status = _interpreted(machine, 2)
        if status is not Status.EXHAUSTED:
            return status
    return Status.EXHAUSTED


def _entrances(program: Program, function: int) -> frozenset[int]:
    """The beginning of a function and the heads of its loops."""
    entrances = program.entrances
    if function not in entrances:
        try:
            entrances[function] = frozenset((0, *Graph(program, program.module.functions[function]).bodies))
        except Untranslatable:
            entrances[function] = frozenset()
    return entrances[function]


def _translation(program: Program, entry: int, machine: Machine) -> Translation:
    points: tuple[Point, ...] = tuple(sorted({(frame.function, frame.ip) for frame in machine.frames[-FRAMES:]}))
    logged = machine.options.log is not None
    kept: dict[Any, Translation] = program.rests
    translation = kept.pop((entry, logged, points), None)
    # Values of a suspended program may come from outside, so nothing is taken as known of records and enums.
    kept[entry, logged, points] = translation = translation or Translation(program, entry, True, logged, points)
    if len(kept) > MOST:
        del kept[next(iter(kept))]
    return translation


def _translated(translation: Translation, machine: Machine) -> bool:
    """Executes active functions from the innermost on, as far as they are translated. True: a call has to wait for its answer;
    False: the interpreter goes on. Raises VmError."""
    if translation.make is None:
        return False
    budget = Budget(machine, None)
    budget.given = machine.steps
    _, rest, rests = translation.make(machine, budget.grant)
    while machine.frames:
        frame, depth = machine.frames[-1], len(machine.frames)
        function = rests.get((frame.function, frame.ip))
        if function is None or depth > translation.unit.depth_limit(frame.function):
            break
        operands = machine.stack[frame.base :]
        machine.frames.pop()
        del machine.stack[frame.base :]
        try:
            value = function(*frame.locals, *operands, depth)
        except Exception as failure:
            left: list[tuple[int, int, dict[str, Any]]] = getattr(failure, "left_frames", [])
            if not left:
                raise
            has_ended = restore(translation, machine, left, failure, budget.given - rest())
            if isinstance(failure, Blocked):
                return True
            if has_ended:
                raise
            return False
        machine.push(value)
    machine.steps = budget.given - rest()
    return False
