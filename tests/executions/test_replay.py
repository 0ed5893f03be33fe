"""A suspended program goes on from its state as it would from its log; drivers do not meet; a newer store is refused."""

from __future__ import annotations

import contextlib
import json
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.executions import log_store
from boruna_ls.executions.driver import Driver
from boruna_ls.executions.names import Budgets, ExecutionError
from boruna_ls.executions.records import Execution
from boruna_ls.executions.service import Service, policy_from
from boruna_ls.executions.snapshot import dumped, loaded
from boruna_ls.executions.system import Awaits, CallHandler, Running, running, standing
from boruna_ls.executions.typed_answer import text_of_answer
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL, policy_of, policy_text
from boruna_ls.runtime.workers import WorkerPool
from boruna_ls.state.sql import Sqlite, StoreError
from tests.executions.stories import MIND, begun, driven, service_in
from tests.executions.test_minds import PARALLEL
from tests.support.compiled import module_of
from tests.support.daemon import until

VALUES = """type Note { text: String, marks: List<Int> }
enum Mood { Calm, Loud(Int) }
fn ask(number: Int, notes: List<Note>) -> String !{llm.call} {
    let before = __builtin_int_to_string(number)
    llm_call(before ++ " of " ++ __builtin_int_to_string(__builtin_list_len(notes)))
}
fn main() -> String !{llm.call, random, time.now} {
    let mut notes: List<Note> = []
    let mut seen: Map<String, Int> = map_new()
    let mut mood: Mood = Mood::Calm
    let mut number: Int = 0
    let mut said: String = ""
    while number < 12 {
        let answer = ask(number, notes)
        notes = list_push(notes, Note { text: answer, marks: [number, time_now()] })
        seen = __builtin_map_set(seen, answer, number)
        let chance = random()
        emit answer ++ __builtin_float_to_string(chance)
        mood = match mood {
            Calm => Mood::Loud(number),
            Loud(n) => if n > 4 { Mood::Calm } else { Mood::Loud(n + 1) },
        }
        said = said ++ answer ++ __builtin_int_to_string(__builtin_map_len(seen))
        number = number + 1
    }
    match mood { Calm => said, Loud(n) => said ++ __builtin_int_to_string(n) }
}
"""

KEEPING = """fn main() -> Int !{llm.call} {
    let mut kept: List<String> = []
    while true {
        kept = list_push(kept, llm_call("more?"))
    }
    0
}
"""
COMPUTING = """fn ask(total: Int) -> Int !{llm.call} {
    let answer = llm_call("more " ++ __builtin_int_to_string(total))
    __builtin_string_len(answer) + fib(15)
}
fn fib(n: Int) -> Int { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }
fn main() -> Int !{llm.call} {
    let mut total: Int = 0
    let mut round: Int = 0
    while round < 4 {
        let mut i: Int = 0
        while i < 15000 {
            total = (total * 31 + i) % 1000003
            i = i + 1
        }
        total = total + ask(total)
        round = round + 1
    }
    total
}
"""
"""Computes long enough between its tasks to be translated."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = service_in(tmp_path / "executions")
    yield made
    made.driver.close()


def picture(service: Service, execution: Execution) -> str:
    """All that a drive leaves, but for the times of its tasks."""
    tasks = [(call.number, call.actor, call.arguments) for call in service.store.open_tasks(execution.key)]
    return json.dumps([execution.state, execution.steps, dict(execution.outcome), tasks], sort_keys=True)


@pytest.mark.parametrize("program", [VALUES, PARALLEL, COMPUTING])
def test_a_kept_state_and_a_replay_of_the_log_come_to_the_same(service: Service, program: str, seed: int) -> None:
    rng = random.Random(seed)
    execution = driven(service, begun(service, program, policy="allow-all"))
    while execution.state == "AWAITING_COGNITIVE_RESULT":
        tasks = service.store.open_tasks(execution.key)
        task = rng.choice(tasks)
        service.submit(execution, f"answer {task.number}", execution.task_id(task.number))
        execution = driven(service, execution)
        warm = picture(service, execution)
        if execution.state == "AWAITING_COGNITIVE_RESULT":
            service.driver.forget_states()
            log_store.mark_running(service.store, execution.key)
            assert picture(service, driven(service, execution)) == warm
    assert execution.state == "COMPLETED", execution.outcome
    assert service.driver.warm_drives >= 2
    assert service.driver.cold_drives >= 2


def test_a_program_that_keeps_long_answers_goes_on_from_its_state(service: Service) -> None:
    execution = driven(service, begun(service, KEEPING))
    for number in range(40):
        service.submit(execution, f"{number} {'x' * 100_000}", None)
        execution = driven(service, execution)
        assert execution.state == "AWAITING_COGNITIVE_RESULT", execution.outcome
    assert (service.driver.warm_drives, service.driver.cold_drives) == (40, 1)
    variables = execution.outcome["waiting"][0]["variables"]
    assert variables["kept"] == '["0 ' + "x" * 195 + "…"


def test_what_is_computed_between_tasks_is_translated() -> None:
    """Interpreted and translated come to the same prompts, steps and results, from stored states; only one takes long."""
    module, ways = module_of(COMPUTING), []
    for translate in (True, False):
        asked: list[str] = []

        def call(actor: int, capability: str, arguments: Sequence[Any], by_function: bool, asked: list[str] = asked) -> Any:
            asked.append(arguments[0])
            raise Awaits(len(asked))

        def started(call: CallHandler = call, translate: bool = translate) -> Running:
            return running(module, ALLOW_ALL, call, lambda: Options(translate=translate))

        program, states, begins = started(), [], time.process_time()
        while not program.advance():
            states.append([program.steps, list(asked), [standing(one) for one in program.waiting.values()]])
            stored, program = dumped(program.state()), started()
            program.restore(loaded(stored))
            program.deliver(len(asked), ("String", "x" * len(asked)))
        ways.append((states, program.value, program.steps, time.process_time() - begins))
    assert ways[0][:3] == ways[1][:3]
    assert len(ways[0][0]) == 4
    assert ways[0][3] < ways[1][3] / 4


def test_a_replay_that_leaves_its_log_is_refused(service: Service) -> None:
    execution = driven(service, begun(service, VALUES, policy="allow-all"))
    service.submit(execution, "a", None)
    with service.store.sql.writing() as do:
        do("UPDATE calls SET arguments = '[]' WHERE execution = ?", execution.key)
    service.driver.forget_states()
    ended = driven(service, execution)
    assert (ended.state, ended.outcome["error"]["kind"]) == ("ERROR", "replay_diverged")


def test_an_effect_that_was_interrupted_is_not_repeated(service: Service) -> None:
    text = """fn main() -> String !{llm.call, net.fetch} {
        let first = match net_fetch("http://127.0.0.1:9/") { Ok(text) => text, Err(reason) => reason }
        llm_call(first)
    }
    """
    execution = begun(service, text, policy="allow-all")
    log_store.begin_call(service.store, execution.key, 0, 0, "net.fetch", '[{"String":"http://127.0.0.1:9/"}]', None)
    execution = driven(service, execution)
    (task,) = service.store.open_tasks(execution.key)
    assert task.prompt.startswith("net.fetch: interrupted")


def test_drivers_of_one_execution_get_the_same_task(service: Service, tmp_path: Path) -> None:
    execution = begun(service, VALUES, policy="allow-all")
    other = service_in(tmp_path / "executions")  # as another process has it
    with ThreadPoolExecutor(8) as threads:
        states = list(threads.map(lambda one: driven(one, execution).state, [service, other] * 4))
        assert set(states) == {"AWAITING_COGNITIVE_RESULT"}
        assert [call.number for call in service.store.calls(execution.key)] == [0]

        def submit(number: int) -> bool:
            try:
                (service, other)[number % 2].submit(execution, f"answer {number}", execution.task_id(0))
            except ExecutionError as error:
                return error.kind != "already_answered"
            return True

        assert sum(threads.map(submit, range(8))) == 1
    assert driven(other, execution).state == "AWAITING_COGNITIVE_RESULT"
    other.driver.close()


def test_an_execution_keeps_every_bound_of_its_policy() -> None:
    bounds = {
        "net_policy": {"allowed_domains": ["a.example"], "allowed_methods": ["GET"]},
        "fs_policy": {"allowed_roots": ["/data"], "max_bytes": 7},
        "db_policy": {"path": "/data/a.db", "read_only": True},
        "mcp_policy": {"notes": ["read_*"]},
    }
    given = {"schema_version": 1, "default_allow": False, "rules": {"mcp.call": {"allow": True, "budget": 3}}, **bounds}
    kept = json.loads(policy_text(policy_from(given)))
    assert {name: kept[name] for name in bounds} == {name: json.loads(policy_text(policy_of(given)))[name] for name in bounds}
    assert kept["mcp_policy"] == bounds["mcp_policy"]
    assert kept["rules"]["mcp.call"] == {"allow": True, "budget": 3}
    assert kept["rules"]["llm.call"]["allow"] is True


def test_budgets_of_the_policy_count_over_drives(service: Service) -> None:
    policy = {"schema_version": 1, "default_allow": False, "rules": {"random": {"allow": True, "budget": 2}}}
    text = """fn main() -> Float !{llm.call, random} {
        let a = random()
        let b = llm_call("a")
        let c = random()
        let d = llm_call("b")
        random()
    }
    """
    execution = begun(service, text, policy=policy)
    for _ in range(2):
        execution = driven(service, execution)
        service.driver.forget_states()
        service.submit(execution, "x", None)
    ended = driven(service, execution)
    assert ended.outcome["error"]["message"] == "capability budget exceeded: random"


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    service = service_in(tmp_path)
    execution = begun(service, ASK)
    with service.store.sql.writing() as do:
        do("UPDATE schema_version SET version = 99")
    # A process that runs already writes nothing more.
    with pytest.raises(StoreError, match="has version 99"):
        service.cancel(execution)
    with pytest.raises(StoreError, match="has version 99"):
        driven(service, execution)
    assert (service.store.by_key(execution.key) or execution).state == "READY"
    with pytest.raises(StoreError, match="has version 99, this installation knows 3: upgrade boruna-ls"):
        service_in(tmp_path)
    assert Sqlite(tmp_path / "executions.db").read("SELECT version FROM schema_version") == [(99,)]


def test_a_store_of_the_first_version_is_brought_up_to_date(service: Service, tmp_path: Path) -> None:
    driven(service, begun(service, PARALLEL))
    expected = service.store.executions("local", "", None, None, None, 9)
    assert expected[0].prompt == "one?"
    with service.store.sql.writing() as do:
        do("DROP INDEX open_heads")
        do("ALTER TABLE calls DROP COLUMN head")
        do("ALTER TABLE executions DROP COLUMN is_live")
        do("CREATE INDEX open_tasks ON calls (execution, number) WHERE capability = 'llm.call' AND result IS NULL")
        do("UPDATE schema_version SET version = 1")
    again = service_in(tmp_path / "executions")
    assert again.store.executions("local", "", None, None, None, 9) == expected
    assert not begun(again, PARALLEL, "two").is_live


@pytest.mark.parametrize("schema", ["not JSON", '{\\"type\\": \\"nothing\\"}'])
def test_a_schema_that_nothing_fits_fails_before_anybody_is_asked(service: Service, schema: str) -> None:
    ended = driven(service, begun(service, f'fn main() -> String !{{llm.call}} {{\n    llm_call_as("x", "{schema}")\n}}\n'))
    assert "llm_call_as: the schema cannot be used" in ended.outcome["error"]["message"]
    assert service.store.calls(ended.key) == []


HOG = "fn main() -> Int {\n    let mut n: Int = 0\n    while true { n = n + 1 }\n    n\n}\n"
ASK = 'fn main() -> String !{llm.call} { llm_call("hello?") }\n'


def test_waiting_for_a_process_does_not_count_as_running(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boruna_ls.executions.driver.DRIVE_SECONDS", 1.5)
    with contextlib.closing(WorkerPool(size=1)) as pool, contextlib.closing(Driver(service.store, tmp_path, pool)) as driver:
        endless = begun(service, HOG, "endless", budgets=Budgets(steps=10**12))
        asking = begun(service, ASK, "asking")
        running = driver.drive(endless.key, MIND)
        until(pool.processes)
        waiting = driver.drive(asking.key, MIND)
        running.result(60)
        waiting.result(60)
        assert (service.store.by_key(endless.key) or endless).outcome["error"]["limit_kind"] == "time"
        assert (service.store.by_key(asking.key) or asking).state == "AWAITING_COGNITIVE_RESULT"


def test_a_program_that_runs_until_its_seconds_are_used_up_has_exceeded_its_budget(service: Service) -> None:
    ended = driven(service, begun(service, HOG, budgets=Budgets(seconds=1, steps=10**12)))
    assert (ended.state, ended.outcome["error"]["kind"], ended.outcome["error"]["budget"]) == (
        "ERROR",
        "budget_exceeded",
        "seconds",
    )


def test_actors_share_the_budget_of_steps(service: Service) -> None:
    hogs = HOG.replace("main", "hog") + "fn main() -> Int {\n" + "    spawn hog\n" * 20 + "    receive\n    0\n}\n"
    ended = driven(service, begun(service, hogs, budgets=Budgets(steps=50_000)))
    assert (ended.outcome["error"]["kind"], ended.outcome["error"]["budget"]) == ("budget_exceeded", "steps")
    assert ended.steps < 100_000


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
@pytest.mark.parametrize("is_text", [True, False])
def test_numbers_that_json_does_not_have_are_refused(number: str, is_text: bool) -> None:
    answer = f'{{"x": {number}}}'
    with pytest.raises(ExecutionError) as refused:
        text_of_answer(answer if is_text else json.loads(answer), '{"type": "object"}')
    assert refused.value.kind == "answer_refused"


def test_any_text_that_is_no_json_is_itself_where_any_value_will_do() -> None:
    assert text_of_answer("see [1]", "{}") == '"see [1]"'
    assert text_of_answer("see [1]", '{"type": "array"}') == "[1]"
