"""Runs that stand at any of their steps: every state is the one that a plain run has there."""

from __future__ import annotations

import random
from typing import Any

import pytest

from analysis.bytecode.module import Module
from analysis.codegen.compile import compile_file
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.interpreter import Frame, Machine
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.timeline import INTERVAL, LOOKS, Reached, Timeline
from tests.support.corpus import programs
from tests.support.marked import MAIN, opened

LOOP = """fn add(a: Int, b: Int) -> Int { a + b }
fn main() -> Int {
    let mut sum = 0
    let mut n = 0
    while n < ROUNDS {
        sum = add(sum, n)
        n = n + 1
    }
    emit sum
    sum
}
"""


def module_of(text: str) -> Module:
    compiled = compile_file(opened(text), MAIN, "module")
    assert compiled.module is not None, compiled.errors
    return compiled.module


def options() -> Options:
    return Options(gateway=Gateway(ALLOW_ALL, Mock(display, None)), debug=lambda text: None, max_steps=20_000)


def state(machine: Machine) -> Any:
    """Everything that can differ between two moments of a run."""
    frames = [(one.function, one.ip, one.base, list(one.locals)) for one in machine.frames]
    return frames, list(machine.stack), list(machine.globals), list(machine.ui_output), machine.spawned


def anywhere(machine: Machine, frame: Frame) -> bool:
    return True


EVERYWHERE = {number: range(1000) for number in range(10)}


def entries_of(name: str) -> Any:
    def holds(machine: Machine, frame: Frame) -> bool:
        return frame.code.name == name

    return holds, dict.fromkeys(range(10), (0,))


def test_every_step_is_the_same_forward_and_backward() -> None:
    timeline = Timeline(module_of(LOOP.replace("ROUNDS", "40")), options())
    states = [state(timeline.machine)]
    while timeline.forward(anywhere, EVERYWHERE) is Reached.PLACE:
        states.append(state(timeline.machine))
        assert timeline.now == len(states) - 1
    assert timeline.machine.result == sum(range(40))
    for step in [*range(len(states) - 1, -1, -7), *random.Random(3).sample(range(len(states)), 60)]:
        timeline.seek(step)
        assert (timeline.now, state(timeline.machine)) == (step, states[step])


def test_back_to_the_last_place() -> None:
    timeline = Timeline(module_of(LOOP.replace("ROUNDS", "9000")), options_of(1_000_000))
    entered = entries_of("add")
    places = []
    while timeline.forward(*entered) is Reached.PLACE:
        places.append(timeline.now)
    assert len(places) == 9000
    assert places[-1] > 5 * INTERVAL
    for expected in places[:-40:-1]:
        assert timeline.backward(*entered) is Reached.PLACE
        assert timeline.now == expected
    timeline.seek(places[2])
    assert [timeline.backward(*entered), timeline.now] == [Reached.PLACE, places[1]]
    assert [timeline.backward(*entered), timeline.now] == [Reached.PLACE, places[0]]
    assert [timeline.backward(*entered), timeline.now] == [Reached.START, 0]
    assert timeline.forward() is Reached.END
    assert timeline.machine.result == sum(range(9000))
    assert timeline.machine.ui_output == [sum(range(9000))]


def options_of(most: int) -> Options:
    made = options()
    made.max_steps = most
    return made


def test_capabilities_are_asked_once() -> None:
    asked: list[str] = []

    def handler(name: str, arguments: Any, by_function: bool) -> Any:
        asked.append(name)
        return ("Int", len(asked))

    text = "fn main() -> Int !{time.now} {\n    let a = time_now()\n    let b = time_now()\n    a * 10 + b\n}\n"
    timeline = Timeline(module_of(text), Options(gateway=Gateway(ALLOW_ALL, handler)))
    for _ in range(3):
        assert timeline.forward() is Reached.END
        assert timeline.machine.result == 12
        timeline.seek(0)
    assert asked == ["time.now", "time.now"]


def test_a_failure_is_a_place_like_others() -> None:
    timeline = Timeline(module_of("fn main() -> Int {\n    let xs = [1]\n    list_get(xs, 3)\n}\n"), options())
    assert timeline.forward() is Reached.ERROR
    assert timeline.error is not None
    failed = timeline.now
    timeline.seek(1)
    assert timeline.error is None
    assert timeline.forward() is Reached.ERROR
    assert timeline.now == failed


def test_a_run_is_interrupted_and_goes_on() -> None:
    wanted = [False]
    timeline = Timeline(module_of("fn main() -> Int { while true { } 1 }"), options_of(1_000_000), lambda: wanted[0])
    wanted[0] = True
    assert timeline.forward() is Reached.INTERRUPTED
    stopped = timeline.now
    assert 0 < stopped < 10_000
    timeline.seek(stopped - 3)
    assert timeline.now == stopped - 3


def test_an_interruption_skips_no_place() -> None:
    """The places are where the run looks whether it is to stop."""
    wanted = [LOOKS, 3 * LOOKS, 5 * LOOKS]
    timeline = Timeline(module_of(LOOP.replace("ROUNDS", "3000")), options_of(1_000_000), lambda: True)
    found: dict[Reached, list[int]] = {Reached.PLACE: [], Reached.INTERRUPTED: []}
    while (reached := timeline.forward(lambda machine, frame: machine.steps - 1 in wanted, EVERYWHERE)) in found:
        found[reached].append(timeline.now)
    assert reached is Reached.END
    assert found[Reached.PLACE] == wanted
    assert found[Reached.INTERRUPTED]


@pytest.mark.parametrize("program", programs("run")[::5], ids=lambda program: program.name)
def test_a_run_in_pieces_is_the_run(program: Any) -> None:
    """Of the corpus: stopping anywhere and going back changes neither result nor steps nor output."""
    compiled = compile_file(opened(program.read_text("utf-8")), MAIN, "module")
    if compiled.module is None:
        return
    plain = run_module(compiled.module, options())
    timeline = Timeline(compiled.module, options())
    rng = random.Random(program.name)
    for _ in range(6):
        timeline.seek(rng.randrange(1, max(plain.steps, 2)))
    reached = timeline.forward()
    assert (reached is Reached.ERROR) == (plain.error is not None)
    assert timeline.now == plain.steps
    assert tuple(timeline.machine.ui_output) == plain.ui_output
    if plain.error is None:
        assert repr(timeline.machine.result) == repr(plain.value)
    else:
        assert str(timeline.error) == str(plain.error.cause)
