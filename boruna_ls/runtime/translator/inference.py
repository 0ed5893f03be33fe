"""Finds out what is known of every block of every function that a run can reach: abstract interpretation to a fixed point."""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass, field
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.translator.facts import ANYTHING, UNIT, join, only, stops_of, widened
from boruna_ls.runtime.translator.graph import Graph, Untranslatable
from boruna_ls.runtime.translator.walk import State, Walk
from boruna_ls.runtime.translator.world import NO_STOPS, World, compared_numbers

PATIENCE: Final = 2
"""Number of changes of the facts at the head of a loop after which ranges are widened."""
IMPATIENCE: Final = 6
"""Number of changes after which ranges are given up."""
MAX_LOOKS: Final = 100
"""Looks at a function on average, before the module is left to the interpreter."""


@dataclass(slots=True)
class FunctionFacts:
    """Facts inferred about a function; `graph` is None if the function is left to the interpreter."""

    graph: Graph | None
    states: dict[int, State] = field(default_factory=dict)


def infer(program: Program, entry: int, is_open: bool) -> tuple[World, dict[int, FunctionFacts]] | None:
    """Facts of all functions that can be reached from the entry; None if they do not come to rest."""
    world = World(program, is_open)
    world.reach(entry)
    arity = program.module.functions[entry].arity
    for number in range(arity):
        world.grow(("parameter", entry, number), ANYTHING if is_open else only(UNIT))
    facts: dict[int, FunctionFacts] = {}
    looks = 0
    while world.stale:
        function, _ = world.stale.popitem()
        if function not in facts:
            facts[function] = _graph(program, function)
        looks += 1
        if looks > MAX_LOOKS * len(facts):
            return None
        world.examined = function
        _examine(world, function, facts[function])
    return world, facts


def _graph(program: Program, function: int) -> FunctionFacts:
    try:
        return FunctionFacts(Graph(program, program.module.functions[function]))
    except Untranslatable:
        return FunctionFacts(None)


def _examine(world: World, function: int, facts: FunctionFacts) -> None:
    """Facts of one function, from what is known of the others so far."""
    graph = facts.graph
    if graph is None:
        # It is not analysed, so its result and the functions it calls are open.
        world.returns(function, ANYTHING)
        _forget(world, function)
        return
    code = graph.function
    stops = stops_of(compared_numbers(world.program, code))
    states = facts.states = {0: State(tuple(world.parameter(function, cell) for cell in range(code.locals)), ())}
    changes: dict[int, int] = {}
    todo = {0}
    while todo:
        start = min(todo, key=lambda start: graph.blocks[start].index)
        todo.remove(start)
        for target, state in outcomes(world, graph, function, start, states[start]):
            old = states.get(target)
            new = state if old is None else _merged(old, state)
            if new == old:
                continue
            if old is not None:
                # Loops with several entries have no head, so every block has to come to rest.
                changes[target] = count = changes.get(target, 0) + 1
                if count > (PATIENCE if graph.blocks[target].back else IMPATIENCE * 2):
                    new = _widened(old, new, stops if PATIENCE < count < IMPATIENCE else NO_STOPS)
            states[target] = new
            todo.add(target)


def state_at(world: World, function: int, facts: FunctionFacts, index: int) -> State | None:
    """State before an instruction, from the inferred facts; None if the instruction is unreachable."""
    graph = facts.graph
    if graph is None:
        return None
    block = next((block for block in graph.blocks.values() if block.start == index or block.start < index < block.end), None)
    state = None if block is None else facts.states.get(block.start)
    if block is None or state is None or block.start == index:
        return state
    walk = Walk(world, graph, function, state)
    for before in range(block.start, index):
        walk.step(before, graph.op(before))
    return walk.state()


def _forget(world: World, function: int) -> None:
    for op in world.functions[function].code:
        if op[0] == "Call" and op[1] < len(world.functions):
            world.call(op[1], [ANYTHING] * op[2])
        elif op[0] == "CallIndirect":
            world.call_any([ANYTHING] * op[1])
    world.open()


def _merged(left: State, right: State) -> State:
    return State(
        tuple(map(join, left.locals, right.locals)),
        tuple(map(join, left.stack, right.stack)),
        left.bounds & right.bounds,
    )


def _widened(old: State, new: State, stops: list[int]) -> State:
    return State(
        tuple(widened(a, b, stops) for a, b in zip(old.locals, new.locals, strict=True)),
        tuple(widened(a, b, stops) for a, b in zip(old.stack, new.stack, strict=True)),
        new.bounds,
    )


def outcomes(world: World, graph: Graph, function: int, start: int, state: State) -> list[tuple[int, State]]:
    """Successors of a block, and the state at each."""
    block = graph.blocks[start]
    if start >= graph.end:
        world.returns(function, only(UNIT))
        return []
    walk = Walk(world, graph, function, state)
    for index in range(block.start, block.end - 1):
        walk.step(index, graph.op(index))
    return _ended(world, graph, function, block.end - 1, walk)


def _ended(world: World, graph: Graph, function: int, index: int, walk: Walk) -> list[tuple[int, State]]:
    op = graph.op(index)
    name = op[0]
    if graph.is_bad(op) or name == "Halt":
        return []
    if name == "Ret":
        world.returns(function, walk.stack[-1].fact if walk.stack else ANYTHING)
        return []
    if name == "Jmp":
        return [(min(op[1], graph.end), walk.state())]
    if name in ("JmpIf", "JmpIfNot"):
        return _branched(graph, index, walk)
    if name == "Match":
        value = walk.stack.pop()
        states: dict[int, State] = {}
        for arm, handed in walk.arm_states(graph.function.match_tables[op[1]], value):
            target = min(arm.target, graph.end)
            state = State(tuple(walk.locals), (*(entry.fact for entry in walk.stack), handed), frozenset(walk.bounds))
            states[target] = _merged(states[target], state) if target in states else state
        return list(states.items())
    walk.step(index, op)
    return [(index + 1, walk.state())]


def _branched(graph: Graph, index: int, walk: Walk) -> list[tuple[int, State]]:
    op = graph.op(index)
    condition = walk.stack.pop()
    before = walk.state()
    ways = []
    for holds in (True, False):
        walk.locals, walk.bounds = list(before.locals), set(before.bounds)
        if walk.assume(condition, holds):
            jumps = holds == (op[0] == "JmpIf")
            ways.append((min(op[1], graph.end) if jumps else index + 1, walk.state()))
    if len(ways) == 2 and ways[0][0] == ways[1][0]:
        return [(ways[0][0], before)]
    return ways
