"""Steps and limits of chapter 08, in both ways of execution, and what a host can see and do during a run."""

from __future__ import annotations

import time
from typing import Any

import pytest

from analysis.bytecode.module import FunctionCode, Module
from boruna_ls.runtime import builtins
from boruna_ls.runtime.errors import LimitExceeded
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.interpreter import Machine, Status
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.runtime.values import Value, items_of, make_list, record
from tests.support.both_ways import World
from tests.support.compiled import module_of

LOOP = "fn main() -> Int { let mut i = 0\n while i < 5 { i = i + 1 }\n i }"
ENDLESS = "fn main() -> Int { let mut i = 0\n while true { i = (i + 1) % 7 }\n i }"
WAYS: list[dict[str, Any]] = [{"translate": False}, {"rehearsal_steps": 0}, {"rehearsal_steps": 10}]


@pytest.fixture(params=WAYS, ids=["interpreted", "translated", "rehearsed"])
def way(request: pytest.FixtureRequest) -> dict[str, Any]:
    options: dict[str, Any] = request.param
    return options


def run(text: str, way: dict[str, Any], **options: Any) -> RunOutcome:
    return run_module(module_of(text), Options(**way, **options))


@pytest.mark.parametrize(
    "text, result, steps",
    [
        ("fn main() -> Int { 1 + 2 }", "3", 5),
        ("fn main() -> Int { if true { 4 } else { 5 } }", "4", 6),
        (LOOP, "5", 9 * 5 + 9),
        ("fn f(n: Int) -> Int { f(n + 1) }\nfn main() -> Int { f(0) }", "stack overflow (max 256)", 1022),
        ("fn main() -> Int { 7 / 0 }", "division by zero", 3),
    ],
)
def test_worked_step_counts(text: str, result: str, steps: int, way: dict[str, Any]) -> None:
    outcome = run(text, way)
    assert (outcome.error.message if outcome.error else display(outcome.value)) == result
    assert outcome.steps == steps


def test_every_limit_of_steps(way: dict[str, Any]) -> None:
    module = module_of(LOOP)
    needed = run_module(module, Options()).steps
    for limit in range(needed):
        outcome = run_module(module, Options(max_steps=limit, **way))
        assert outcome.error is not None
        assert outcome.error.kind == "step_limit_exceeded"
        assert outcome.error.message == f"max execution steps exceeded ({limit})"
        assert outcome.steps == limit + 1
    assert run_module(module, Options(max_steps=needed, **way)).value == 5


def test_limits_beyond_machine_words(way: dict[str, Any]) -> None:
    assert run(LOOP, way, max_steps=2**64 - 1).value == 5


@pytest.mark.parametrize("depth, ends", [(253, True), (254, False)])
def test_frames(depth: int, ends: bool, way: dict[str, Any]) -> None:
    outcome = run(f"fn f(n: Int) -> Int {{ if n == 0 {{ 0 }} else {{ f(n - 1) }} }}\nfn main() -> Int {{ f({depth + 1}) }}", way)
    assert (outcome.error is None) is ends
    if outcome.error is not None:
        assert outcome.error.message == "stack overflow (max 256)"
        assert len(outcome.error.call_stack) == 256


def test_versions_of_a_map_differ(way: dict[str, Any]) -> None:
    fill = """fn fill(m: Int, n: Int) -> Int {
      let mut i = 0
      while i < n { m = __builtin_map_set(m, __builtin_int_to_string(i), i)
        i = i + 1 }
      m
    }
    """
    for size in (1, 30):
        text = f"""{fill}fn main() -> Int {{
          let old = fill(map_new(), {size})
          let new = __builtin_map_set(old, "0", 7)
          [old == new, new == old, old == old, [old, new] == [new, old], new == __builtin_map_set(old, "0", 7), map_new() == old]
        }}"""
        assert display(run(text, way).value) == "[false, false, true, false, true, false]"


@pytest.mark.parametrize("op", [("GetNamed", 9), ("GetNamed", 0), ("MakeAnonymous", 9, 1), ("MakeAnonymous", 0, 1)])
def test_names_that_are_none(op: Any, way: dict[str, Any]) -> None:
    code = (("PushConst", 0), op, ("Ret",))
    outcome = run_module(Module("m", 1, (("Int", 1),), (), (), (FunctionCode("main", 0, 0, code),), 0), Options(**way))
    assert outcome.error is not None
    assert outcome.error.message == ("invalid constant index: 9" if op[1] else "type error: expected String, got Int")
    assert outcome.steps == 2


def test_operands_of_all_frames(way: dict[str, Any]) -> None:
    pending = "1 + (" * 20
    text = f"fn f(n: Int) -> Int {{ {pending} f(n + 1) {')' * 20} }}\nfn main() -> Int {{ f(0) }}"
    outcome = run(text, way)
    assert outcome.error is not None
    assert outcome.error.message == "stack overflow (max 4096)"


def test_an_error_knows_its_call_stack(way: dict[str, Any]) -> None:
    module = module_of(
        "fn bad(n: Int) -> Int { 10 / n }\nfn mid(n: Int) -> Int { 1 + bad(n) }\nfn main() -> Int { mid(1) + mid(0) }"
    )
    outcome = run_module(module, Options(**way))
    assert outcome.error is not None
    names = [
        (module.functions[function].name, module.functions[function].code[at][0]) for function, at in outcome.error.call_stack
    ]
    assert names == [("main", "Call"), ("mid", "Call"), ("bad", "Div")]
    assert (outcome.error.function, outcome.error.instruction) == outcome.error.call_stack[-1]


def test_no_function_at_all(way: dict[str, Any]) -> None:
    outcome = run_module(Module("m", 1, (), (), (), (), 0), Options(max_steps=0, **way))
    assert outcome.error is not None
    assert (outcome.error.message, outcome.steps) == ("invalid function index: 0", 0)


def test_wall_clock(way: dict[str, Any]) -> None:
    outcome = run(ENDLESS, way, max_wall_ms=30, max_steps=10**12)
    assert outcome.error is not None
    assert isinstance(outcome.error.cause, LimitExceeded)
    assert outcome.error.cause.limit_kind == "wall_ms"
    assert outcome.steps % 1024 == 0
    assert outcome.error.message == "wall-clock execution limit of 30 ms exceeded"


def test_a_watch_looks_often_while_steps_are_slow(way: dict[str, Any]) -> None:
    """Every round copies a large text."""
    looks: list[float] = []
    text = 'let mut s = "0123456789abcdef"\n let mut i = 0\n while i < 14 { s = s ++ s\n i = i + 1 }\n'
    text += "let mut n = 0\n while n < 1500 { n = n + __builtin_string_len(__builtin_string_to_upper(s)) / 262144 }\n n"
    outcome = run(f"fn main() -> Int {{ {text} }}", way, watch=lambda steps: looks.append(time.monotonic()))
    assert outcome.value == 1500
    assert len(looks) >= outcome.steps // 2048


def test_a_short_run_never_meets_the_wall_clock(way: dict[str, Any]) -> None:
    assert run(LOOP, way, max_wall_ms=0).error is None


def test_a_watch_can_end_a_run(way: dict[str, Any]) -> None:
    def watch(steps: int) -> None:
        if steps > 300_000:
            raise LimitExceeded("deadline", 1, "too late")

    started = time.monotonic()
    outcome = run(ENDLESS, way, watch=watch, max_steps=10**12)
    assert outcome.error is not None
    assert outcome.error.message == "too late"
    assert 300_000 < outcome.steps < 600_000
    assert outcome.error.call_stack[0][0] == 0
    assert time.monotonic() - started < 10


def test_progress_changes_nothing(way: dict[str, Any]) -> None:
    seen: list[int] = []
    quiet, told = run(ENDLESS, way, max_steps=350_000), run(ENDLESS, way, max_steps=350_000, progress=seen.append)
    assert seen == [100_000, 200_000, 300_000]
    assert (quiet.steps, quiet.error and quiet.error.call_stack) == (told.steps, told.error and told.error.call_stack)


@pytest.mark.parametrize(
    "body",
    [
        'let mut s = "0123456789abcdef"\n while true { s = s ++ s }\n 0',
        'let mut s = "0123456789abcdef"\n while true { s = "x" ++ s ++ s }\n 0',
        "let mut xs = [1, 2, 3, 4]\n while true { xs = __builtin_list_concat(xs, xs) }\n 0",
        'let mut s = "ab"\n while true { s = __builtin_string_replace(s, "a", s) }\n 0',
        'let mut s = "0123456789abcdef"\n while true { s = __builtin_string_join([s, s, s], s) }\n 0',
    ],
)
def test_memory_bombs(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same end for both ways; the ceiling is low, since filling memory takes long."""
    monkeypatch.setattr(builtins, "MAX_BYTES", 1 << 22)
    ends = [run(f"fn main() -> Int {{ {body} }}", way) for way in WAYS]
    for outcome in ends:
        assert outcome.error is not None
        assert isinstance(outcome.error.cause, LimitExceeded)
        assert outcome.error.cause.limit_kind == "memory"
    assert len({(outcome.steps, outcome.error and outcome.error.call_stack) for outcome in ends}) == 1


def test_a_rehearsal_asks_the_outside_world_once() -> None:
    first = 'let a = step_input("n")\n __builtin_debug(a)\n emit a\n'
    module = module_of(f'fn main() -> Int {{ {first} let mut i = 0\n while i < 100 {{ i = i + 1 }}\n step_input("m")\n i }}')
    events, printed = [], []
    for way in WAYS:
        world, texts = World(), []  # type: World, list[str]
        run_module(module, Options(gateway=world, log=world, debug=texts.append, **way))
        events.append(world.events)
        printed.append(texts)
    assert events[0] == events[1] == events[2]
    assert [event[0] for event in events[0]] == ["call", "emit", "call"]
    assert printed[0] == printed[1] == printed[2]
    assert len(printed[0]) == 1


def test_any_function_with_arguments(way: dict[str, Any]) -> None:
    module = module_of(
        "type P { a: Int, b: Int }\nfn add(p: P, xs: List<Int>) -> Int { p.b + list_get(xs, 1) }\nfn main() -> Int { 0 }"
    )
    arguments: tuple[Value, ...] = (record(0, (1, 20)), make_list([0, 3]))
    assert run_module(module, Options(entry=0, arguments=arguments, **way)).value == 23
    outcome = run_module(module, Options(entry=0, arguments=(5, arguments[1]), **way))
    assert outcome.error is not None
    assert outcome.error.message == "type error: expected Record, got Int"


def test_an_observer_sees_every_instruction() -> None:
    seen: list[tuple[int, str]] = []
    outcome = run_module(module_of(LOOP), Options(observer=lambda machine, frame, op: seen.append((frame.ip, op[0]))))
    assert len(seen) == outcome.steps - 1
    assert seen[0] == (0, "PushConst")
    assert seen[-1][1] == "Ret"


def test_a_machine_runs_in_slices() -> None:
    """As actors do: the last turn of a slice is counted and executes nothing."""
    module = module_of(LOOP)
    whole = run_module(module, Options()).steps
    machine = Machine(Program.of(module), Options())
    machine.start(module.entry)
    slices = 1
    while machine.run(10) is Status.EXHAUSTED:
        slices += 1
    assert machine.result == 5
    assert machine.steps == whole + slices - 1


def test_a_constant_list_is_the_same_in_every_run(way: dict[str, Any]) -> None:
    function = FunctionCode("main", 0, 0, (("PushConst", 0), ("PushConst", 1), ("ListPush",), ("Ret",)))
    module = Module("m", 1, (("List", (("Int", 1),)), ("Int", 2)), (), (), (function,), 0)
    for _ in range(3):
        assert items_of(run_module(module, Options(**way)).value) == [1, 2]


@pytest.mark.parametrize("text", [LOOP, ENDLESS, "fn main() -> Int { let mut i = 3000\n while i > 0 { i = i - 1 }\n 7 / i }"])
def test_traces_of_long_runs(text: str) -> None:
    """The first lines and the last are the same, although what lies between them is not interpreted."""
    plain, quick = (run(text, way, trace_lines=50, max_steps=40_000) for way in WAYS[:2])
    assert (plain.trace, plain.trace_truncated, plain.steps) == (quick.trace, quick.trace_truncated, quick.steps)
    assert plain.error == quick.error or (plain.error and quick.error and plain.error.call_stack == quick.error.call_stack)
    if plain.error is not None:
        assert plain.last_trace == quick.last_trace
        assert len(plain.last_trace) == 20
