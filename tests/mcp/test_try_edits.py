"""`try_edits`: what candidates come to when they run, ranks, sizes of answers, and that a trial moves nothing of anybody's."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.mcp.calls import Calls
from boruna_ls.mcp.toolsets import select
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.workspace import Client, Host

LIBRARY = "export fn twice(n: Int) -> Int {\n    n * 2\n}\n"
APP = """import "shop"

fn due(n: Int) -> Int {
    twice(n) + 1
}

fn test_due() -> Bool {
    due(2) == 5
}

fn test_ends() {
    let _n: Int = due(1)
}

fn test_result() -> Result<Int, String> {
    if due(1) > 0 { Ok(1) } else { Err("too small") }
}

fn main() -> Int {
    let left: Int = due(3)
    emit left
    left
}
"""
SLOW = "    let mut i: Int = 0\n    while i >= 0 { i = i + 1 }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    (tmp_path / "libs/shop/src/core.ax").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "app.ax").write_text(APP, encoding="utf-8")
    return tmp_path


class Agent:
    """A client of a host, its calls made as a server makes them."""

    def __init__(self, host: Host, folder: Path, read_only: bool = False, deadline: float = 60.0) -> None:
        self.client: Client = host.connect([str(folder)])
        self._calls = Calls(host, self.client, select(read_only=read_only), deadline)

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads((await self._calls.answer(tool, arguments)).text)
        return answer

    async def trial(self, *candidates: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        answer = await self.ask("try_edits", candidates=list(candidates), **arguments)
        assert answer["success"] is True, answer
        return answer


def replaced(old: str, new: str, label: str = "") -> dict[str, Any]:
    return {"label": label or new, "edits": [{"old_text": old, "new_text": new}]}


async def test_runs_tell_result_steps_and_errors(folder: Path) -> None:
    agent = Agent(Host(), folder)
    answer = await agent.trial(
        replaced("+ 1", "+ 2"),
        replaced("twice(n) + 1", "1 + twice(n)"),
        replaced("+ 1", "/ 0"),
        replaced("+ 1", "+ missing"),
        replaced("twice(n) + 1", SLOW.strip() + "\n    i", "endless"),
        path="app.ax",
        run={"max_steps": 100_000},
    )
    other, same, failing, broken, endless = answer["candidates"]
    assert (answer["base"]["run"]["result"], answer["base"]["run"]["ui_output"]) == (7, [7])
    assert (same["run"]["status"], same["run"]["result"], same["run"]["same_as_base"]) == ("ok", 7, True)
    assert (other["run"]["result"], other["run"]["same_as_base"]) == (8, False)
    assert (failing["run"]["status"], failing["run"]["message"]) == ("failed", "division by zero")
    assert (failing["run"]["function"], failing["run"]["line"]) == ("due", 4)
    assert [one["message"] for one in broken["run"]["errors"]] == ["undefined variable: missing"]
    assert (endless["run"]["error_kind"], endless["run"]["steps"]) == ("step_limit_exceeded", 100_001)
    ranks = [one["rank"] for one in answer["candidates"]]
    assert sorted(ranks) == [1, 2, 3, 4, 5]
    # What fails stands behind what runs, what does not compile behind both.
    assert max(other["rank"], same["rank"]) < min(failing["rank"], endless["rank"]) < broken["rank"]


async def test_tests_pass_and_fail(folder: Path) -> None:
    agent = Agent(Host(), folder)
    answer = await agent.trial(
        replaced("+ 1", "- 9"),
        replaced("twice(n) + 1", "1 + n + n"),
        replaced("fn test_due() -> Bool {\n    due(2) == 5\n}\n", "", "without"),
        path="app.ax",
        test=True,
    )
    worse, good, without = answer["candidates"]
    assert {key: answer["base"]["test"][key] for key in ("status", "passed", "failed")} == {
        "status": "passed",
        "passed": 3,
        "failed": 0,
    }
    assert (worse["test"]["passed"], worse["test"]["failed"]) == (1, 2)
    told = {one["name"]: (one["message"], one["line"]) for one in worse["test"]["not_passed"]}
    assert told["test_due"][0] == "gave false; a test passes with true, Unit or Ok"
    assert told["test_result"][0] == 'gave Err("too small"); a test passes with true, Unit or Ok'
    assert good["test"]["status"] == "passed"
    assert (without["test"]["passed"], without["test"]["missing"]) == (2, ["test_due"])
    assert [one["label"] for one in sorted(answer["candidates"], key=lambda one: int(one["rank"]))] == [
        good["label"],
        "without",
        worse["label"],
    ]
    chosen = await agent.trial(replaced("+ 1", "- 9"), path="app.ax", test={"names": ["test_e*"]}, detail="full")
    assert [one["name"] for one in chosen["candidates"][0]["test"]["tests"]] == ["test_ends"]
    none = await agent.trial(replaced("+ 1", "- 9"), path="app.ax", test={"names": ["check_*"]})
    assert none["candidates"][0]["test"]["status"] == "no_tests"


async def test_a_library_is_tested_through_those_that_import_it(folder: Path) -> None:
    library = "libs/shop/src/core.ax"
    candidates = [{"label": "wrong", "files": {library: LIBRARY.replace("* 2", "* 3")}}]
    answer = await Agent(Host(), folder).trial(*candidates, run={"path": "app.ax"}, test={"paths": ["app.ax"]})
    (wrong,) = answer["candidates"]
    assert (answer["base"]["run"]["result"], wrong["run"]["result"]) == (7, 10)
    assert [one["name"] for one in wrong["test"]["not_passed"]] == ["test_due"]
    # `app.ax` was never looked at before, and it is unchanged all the same.
    assert (wrong["files_checked"], wrong["introduced_count"], wrong["resolved_count"]) == (2, 0, 0)
    assert answer["freshness"]["coverage"] == {"checked": 2, "total": 2}


async def test_a_run_that_takes_too_long_says_so_and_the_others_are_told(folder: Path) -> None:
    host = Host()
    # The processes are there and the file is known, so that the time is the runs' alone.
    await Agent(host, folder).trial(replaced("+ 1", "+ 2"), path="app.ax", run=True)
    agent = Agent(host, folder, deadline=5.0)
    endless = replaced("twice(n) + 1", SLOW.strip() + "\n    i", "endless")
    answer = await agent.trial(replaced("+ 1", "+ 2"), endless, path="app.ax", run={"max_steps": 2**60})
    good, slow = answer["candidates"]
    assert good["run"]["status"] == "ok"
    assert slow["run"]["status"] in ("failed", "not_run")
    assert slow["rank"] == 2


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"run": 5}, "true or false or an object"),
    ({"run": {"max_steps": "many"}}, "`run.max_steps` must be an integer"),
    ({"run": {"policy": "everything"}}, "`run.policy`"),
    ({"run": {"handlers": "live"}}, "always mocks effects"),
    ({"test": {"names": []}}, "`test.names` has 0 entries"),
    ({"test": {"paths": ["none.ax"]}}, "none.ax"),
    ({"detail": "all"}, "summary, standard, full"),
]


@pytest.mark.parametrize("arguments, words", REFUSED)
async def test_refused_arguments(folder: Path, arguments: dict[str, Any], words: str) -> None:
    answer = await Agent(Host(), folder).ask("try_edits", path="app.ax", candidates=[{"text": APP}], **arguments)
    assert answer["success"] is False
    assert words in answer["error"]["message"]


async def test_unknown_fields_are_named(folder: Path) -> None:
    answer = await Agent(Host(), folder).trial({"text": APP}, path="app.ax", test={"name": ["test_x"]})
    assert answer["warnings"] == ["argument `test.name` is unknown and was ignored; did you mean `test.names`?"]


async def test_a_server_that_only_reads_tries_and_runs_nothing(folder: Path) -> None:
    agent = Agent(Host(), folder, read_only=True)
    assert (await agent.trial({"text": APP}, path="app.ax"))["candidates"][0]["rank"] == 1
    refused = await agent.ask("try_edits", path="app.ax", candidates=[{"text": APP}], run=True)
    assert "only reads" in refused["error"]["message"]


def test_runs_need_the_scope_of_runs() -> None:
    host = Host()
    calls = Calls(host, host.connect(), select())
    every: tuple[dict[str, Any], ...] = ({"candidates": []}, {"run": False, "test": None}, {"run": True})
    for arguments in every:
        # The tool alone decides, whatever it is called with: it can run programs.
        assert calls.scopes("try_edits", arguments) == {"run"}


async def test_what_a_candidate_introduces_is_what_a_check_of_it_says(folder: Path) -> None:
    agent = Agent(Host(), folder)
    worse = APP.replace("due(3)", "deu(3)").replace("twice(n) + 1", 'twice("a") + 1')
    answer = await agent.trial({"label": "worse", "text": worse}, path="app.ax")
    (tried,) = answer["candidates"]
    checked = await agent.ask("boruna_check", source=worse, file_name=str(folder / "app.ax"))
    rows = {json.dumps(row, sort_keys=True) for row in checked["diagnostics"]}
    assert {row["id"] for row in tried["introduced"]} >= {"E003", "E009"}
    assert [row for row in tried["introduced"] if json.dumps(row, sort_keys=True) not in rows] == []
    assert any(row.get("patches") for row in tried["introduced"])


async def test_long_answers_tell_the_best_and_where_the_rest_is(folder: Path) -> None:
    agent = Agent(Host(), folder)
    many = [replaced("+ 1", "+ " + " + ".join(f"absent{one}_{n}" for n in range(20)), f"c{one}") for one in range(99)]
    sizes = {}
    for detail in ("summary", "standard", "full"):
        text = json.dumps(await agent.trial(replaced("+ 1", "+ 2", "good"), *many, path="app.ax", run=True, detail=detail))
        sizes[detail] = len(text)
        answer = json.loads(text)
        assert len(answer["candidates"]) == 100
        assert {one["introduced_count"] for one in answer["candidates"]} == {0, 20}
        assert answer["best"] == "good"
        if detail != "summary":
            assert answer["omitted"]["left_out"] + answer["omitted"]["shown"] == 100
            shown = [one["label"] for one in answer["candidates"] if one.get("introduced")]
            assert len(shown) == answer["omitted"]["shown"] - 1
            # What is not shown is not shown as nothing.
            assert all(one.get("introduced") != [] or one["introduced_count"] == 0 for one in answer["candidates"])
    assert sizes["summary"] < sizes["standard"] < 45_000 < sizes["full"] < 110_000


def state(host: Host, folder: Path) -> dict[str, Any]:
    """The disk, and what the host would say of it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    disk = {str(path): (sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}
    return {"disk": disk, "revision": host.revision(str(folder))}


async def test_a_hundred_candidates_move_nothing(folder: Path) -> None:
    host = Host()
    agent, other = Agent(host, folder), Agent(host, folder)
    editor = host.connect([str(folder)])
    unsaved = APP.replace("+ 1", "+ absent")
    host.open(editor, str(folder / "app.ax"), unsaved, 1)
    questions: list[tuple[str, dict[str, Any]]] = [
        ("boruna_check", {"path": "app.ax"}),
        ("workspace_diagnostics", {"severity": "hint"}),
        ("find_references", {"path": "app.ax", "symbol": "due"}),
        ("boruna_run", {"path": "libs/shop/src/core.ax"}),
    ]
    for name, arguments in questions:
        # What is read for the first time is a new state of the workspace.
        await other.ask(name, **arguments)
    expected = [await other.ask(name, **arguments) for name, arguments in questions]
    before, edits = state(host, folder), host.buffer(editor, str(folder / "app.ax"))
    assert edits is not None
    number = edits.edited
    library = "libs/shop/src/core.ax"
    candidates = [
        {"label": str(one), "files": {"app.ax": APP.replace("+ 1", f"+ {one}"), library: LIBRARY.replace("2", str(one % 7))}}
        for one in range(100)
    ]
    heard: list[dict[str, Any]] = []

    async def listen() -> None:
        while not trial.done():
            for name, arguments in questions:
                heard.append(await other.ask(name, **arguments))

    trial = asyncio.ensure_future(agent.trial(*candidates, path="app.ax", run=True, test=True))
    await asyncio.gather(trial, listen())
    results = [one["run"]["result_text"] for one in trial.result()["candidates"]]
    assert results == [str(3 * (one % 7) + one) for one in range(100)]
    assert trial.result()["base"]["run"]["status"] == "not_compiled"
    assert state(host, folder) == before
    for place, answer in enumerate(heard):
        assert answer == expected[place % len(questions)]
    buffer = host.buffer(editor, str(folder / "app.ax"))
    assert buffer is not None
    assert (buffer.source.text, buffer.edited) == (unsaved, number)


async def test_a_trial_ends_while_somebody_types(folder: Path) -> None:
    """It is about the text of one moment, which its freshness names, however often that is edited meanwhile."""
    host = Host()
    editor = host.connect([str(folder)])
    path = str(folder / "app.ax")
    functions = "".join(f"fn helper{number}(n: Int) -> Int {{\n    n + {number}\n}}\n\n" for number in range(300))
    text = APP + functions
    host.open(editor, path, text, 1)
    seen = {sha256(text.encode()).hexdigest()}
    stop = threading.Event()

    def type_on() -> None:
        number = 1
        while not stop.is_set():
            number += 1
            buffer = host.buffer(editor, path)
            assert buffer is not None
            changed = f"{text}// {number}\n"
            seen.add(sha256(changed.encode()).hexdigest())
            host.change(editor, path, buffer.source.replaced_by(changed), number)
            time.sleep(0.002)

    typist = threading.Thread(target=type_on)
    typist.start()
    try:
        candidates = [
            replaced("fn helper7(n: Int) -> Int {\n    n", f"fn helper7(n: Int) -> Int {{\n    x{one}") for one in range(70)
        ]
        answer = await Agent(host, folder).trial(*candidates, path="app.ax", detail="full")
    finally:
        stop.set()
        typist.join()
    introduced = [[made["message"] for made in one["introduced"] if made["id"] == "E003"] for one in answer["candidates"]]
    assert introduced == [[f"undefined variable: x{one}"] for one in range(70)]
    assert answer["freshness"]["sha256"] in seen


async def test_a_cancelled_trial_stops_its_runs(folder: Path) -> None:
    endless = f"fn main() -> Int {{\n{SLOW}    i\n}}\n"
    (folder / "endless.ax").write_text(endless, encoding="utf-8")
    candidates = [{"text": f"{endless}// {one}\n"} for one in range(20)]
    trial = asyncio.ensure_future(Agent(Host(), folder).trial(*candidates, path="endless.ax", run={"max_steps": 2**60}))
    deadline = time.monotonic() + 60
    while not shared_pool().waiting:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    # One of them alone would go on for ten seconds.
    while shared_pool().waiting:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    again = await Agent(Host(), folder).trial({"text": APP}, path="app.ax", run=True)
    assert again["candidates"][0]["run"]["status"] == "ok"
