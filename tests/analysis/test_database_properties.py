"""Random graphs of queries, random edits: every answer is that of a database built from scratch.

A node's body is a little program in an input, so that edits change which queries exist, what they read and in which
order, whether they fail, and who waits for whom.  Answers are compared with `expected`, an evaluator of a few lines
that knows nothing of memos and takes the rule for cycles literally, for every node as the entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.database import CycleError, Database, Durability, input, query

NODES = 6
NUMBERS = 3
Step = tuple[str, int]
Body = tuple[Step, ...]


@input(limit=2)
def body(db: Database, node: int) -> Body:
    return ()


@input(durability=Durability.MEDIUM)
def number(db: Database, which: int) -> int:
    return 0


@query(limit=3)
def square(db: Database, value: int) -> int:
    return value * value


def perform(steps: Body, number: Callable[[int], int], call: Callable[[int], int], square: Callable[[int], int]) -> int:
    """The meaning of a body; `call` asks another node."""
    value = 0
    skip = False
    for step, operand in steps:
        if skip:
            skip = False
        elif step == "number":
            value += number(operand % NUMBERS)
        elif step == "call":
            value = (value * 3 + call(operand)) % 11
        elif step == "try":
            try:
                value += call(operand)
            except (ValueError, CycleError):
                value += 1
        elif step == "skip if":
            skip = value % 3 == operand % 3
        elif step == "halve":
            value //= 4
        elif step == "fail if" and value % 3 == operand % 3:
            raise ValueError(f"{operand}, {value}")
        elif step == "square":
            value = square(value % 5)
    return value


@query(limit=4)
def plain(db: Database, node: int) -> int:
    return run(db, node)


def run(db: Database, node: int) -> int:
    return perform(
        body(db, node), lambda which: number(db, which), lambda other: plain(db, other), lambda value: square(db, value)
    )


def outcome(db: Database, node: int) -> object:
    try:
        return plain(db, node)
    except (ValueError, CycleError) as error:
        return type(error).__name__, str(error)


class _Waits(BaseException):
    def __init__(self, node: int) -> None:
        self.node = node


def expected(bodies: dict[int, Body], numbers: dict[int, int]) -> dict[int, object]:
    """All outcomes by the definition: nodes with an outcome grow; rings of waiting nodes get an error."""
    known: dict[int, object] = {}

    def call(node: int) -> int:
        answer = known.get(node)
        if answer is None:
            raise _Waits(node)
        if isinstance(answer, int):
            return answer
        assert isinstance(answer, Exception)
        raise answer

    while len(known) < NODES:
        waits: dict[int, int] = {}
        progress = False
        for node in range(NODES):
            if node in known:
                continue
            try:
                known[node] = perform(
                    bodies.get(node, ()), lambda which: numbers.get(which, 0), call, lambda value: value * value
                )
                progress = True
            except (ValueError, CycleError) as error:
                known[node] = error
                progress = True
            except _Waits as wait:
                waits[node] = wait.node
        if not progress:
            node = next(iter(waits))
            for _ in range(NODES):
                node = waits[node]
            ring = [node]
            while waits[ring[-1]] != node:
                ring.append(waits[ring[-1]])
            pairs = [("plain", one) for one in ring]
            first = pairs.index(min(pairs))
            failure = CycleError(tuple(pairs[first:] + pairs[:first]))
            known.update(dict.fromkeys(ring, failure))
    return {
        node: (type(answer).__name__, str(answer)) if isinstance(answer, Exception) else answer for node, answer in known.items()
    }


steps = st.tuples(
    st.sampled_from(["number", "call", "call", "try", "skip if", "halve", "fail if", "square"]),
    st.integers(0, NODES - 1),
)
bodies = st.lists(steps, max_size=4).map(tuple)
commands = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.integers(0, NODES - 1), st.none()),
        st.tuples(st.just("ask"), st.integers(0, NODES - 1), st.none()),
        st.tuples(st.just("body"), st.integers(0, NODES - 1), bodies),
        st.tuples(
            st.just("number"),
            st.integers(0, NUMBERS - 1),
            st.tuples(st.integers(0, 3), st.sampled_from([None, Durability.LOW, Durability.HIGH])),
        ),
        st.tuples(st.just("forget"), st.integers(0, NODES - 1), st.none()),
        st.tuples(st.just("branch"), st.integers(0, 3), st.none()),
        st.tuples(st.just("go to"), st.integers(0, 3), st.none()),
        st.tuples(st.just("drop"), st.integers(0, 3), st.none()),
    ),
    max_size=25,
)
World = tuple[Database, dict[int, Body], dict[int, int]]


def play(start: dict[int, Body], script: list[tuple[str, int, Any]], small: bool, branching: bool, pure: bool) -> None:
    limits = {"plain": 1, "square": 1, "body": 0, "number": 0} if small else {}
    worlds: list[World] = [(Database(limits=limits, check_purity=pure), {}, {})]
    here = 0
    for node, steps_of_node in start.items():
        body.set(worlds[0][0], node, steps_of_node)
        worlds[0][1][node] = steps_of_node
    for command, which, what in script:
        db, known_bodies, known_numbers = worlds[here]
        if command == "ask":
            assert outcome(db, which) == expected(known_bodies, known_numbers)[which]
        elif command == "body":
            body.set(db, which, what)
            known_bodies[which] = what
        elif command == "number":
            number.set(db, which, what[0], durability=what[1])
            known_numbers[which] = what[0]
        elif command == "forget":
            body.remove(db, which)
            known_bodies.pop(which, None)
        elif not branching:
            continue
        elif command == "branch":
            db, known_bodies, known_numbers = worlds[which % len(worlds)]
            worlds.append((db.branch(), dict(known_bodies), dict(known_numbers)))
            here = len(worlds) - 1
        elif command == "go to":
            here = which % len(worlds)
        elif command == "drop" and len(worlds) > 1:
            del worlds[which % len(worlds)]
            here = 0
    for db, known_bodies, known_numbers in worlds:
        answers = expected(known_bodies, known_numbers)
        assert {node: outcome(db, node) for node in range(NODES)} == answers
        assert db._stack == []
        assert db._reads is None
        assert db._unwinding is None


starts = st.dictionaries(st.integers(0, NODES - 1), bodies)


@settings(max_examples=300)
@given(starts, commands)
def test_answers_are_those_of_the_definition(start: dict[int, Body], script: list[tuple[str, int, Any]]) -> None:
    play(start, script, small=False, branching=False, pure=False)


@settings(max_examples=200)
@given(starts, commands)
def test_eviction_changes_no_answer(start: dict[int, Body], script: list[tuple[str, int, Any]]) -> None:
    play(start, script, small=True, branching=False, pure=False)


@settings(max_examples=300)
@given(starts, commands, st.booleans())
def test_branches_answer_for_their_own_inputs(start: dict[int, Body], script: list[tuple[str, int, Any]], small: bool) -> None:
    play(start, script, small=small, branching=True, pure=False)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(starts, commands)
def test_pure_queries_never_fail_the_purity_check(start: dict[int, Body], script: list[tuple[str, int, Any]]) -> None:
    play(start, script, small=False, branching=True, pure=True)


@settings(max_examples=200)
@given(starts, st.permutations(range(NODES)))
def test_an_answer_does_not_depend_on_where_its_cycle_was_entered(start: dict[int, Body], order: list[int]) -> None:
    together = Database()
    for node, steps_of_node in start.items():
        body.set(together, node, steps_of_node)
    answers = {node: outcome(together, node) for node in order}
    for entry in order:
        alone = Database()
        for node, steps_of_node in start.items():
            body.set(alone, node, steps_of_node)
        assert outcome(alone, entry) == answers[entry]
    assert answers == expected(start, {})
