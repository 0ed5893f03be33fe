"""A preview without a browser: what is shown, what is kept over an edit, what bad programs come to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.framework.templates import apply
from boruna_ls.preview.actions import MOST_DEPTH, BadAction, action_of
from boruna_ls.preview.drawing import MOST_NODES
from boruna_ls.preview.session import Preview, Viewer
from boruna_ls.workspace import Host
from tests.support.apps import COUNTER

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (ROOT / "docs" / "examples" / "todo.ax").read_text("utf-8")


class Shown:
    """A preview of a file, and what its page shows."""

    def __init__(self, path: Path, host: Host, text: str) -> None:
        self.path = path
        self.path.write_text(text, "utf-8")
        self.preview = Preview(host, lambda host: host.file_for_agent(str(path)), path.name)
        self.viewer = Viewer(self.preview)

    async def update(self) -> dict[str, Any]:
        made: dict[str, Any] = json.loads(self.viewer.update())
        return made

    async def edit(self, text: str) -> dict[str, Any]:
        self.path.write_text(text, "utf-8")
        await self.preview.refresh()
        return await self.update()

    async def do(self, *actions: dict[str, Any]) -> dict[str, Any]:
        for action in actions:
            await self.preview.act(action_of(action))
        return await self.update()


Script = Callable[[Shown], Awaitable[None]]
Play = Callable[[str, Script], None]


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.worker.stop()


@pytest.fixture
def play(tmp_path: Path, host: Host) -> Play:
    def played(text: str, script: Script) -> None:
        async def all_of_it() -> None:
            shown = Shown(tmp_path / "app.ax", host, text)
            await shown.preview.refresh()
            await script(shown)

        asyncio.run(all_of_it())

    return played


def send(tag: str, *payload: Any) -> dict[str, Any]:
    return {"do": "send", "tag": tag} | ({"payload": payload[0]} if payload else {})


def count(update: dict[str, Any]) -> str:
    return str(update["shown"]["view"]["props"]["text"])


def test_messages_effects_and_the_time_line(play: Play) -> None:
    async def script(shown: Shown) -> None:
        first = await shown.update()
        assert [message["tag"] for message in first["messages"]] == ["draft", "add", "save", "saved", "clear"]
        assert first["messages"][0]["payload"] is True
        assert first["shown"]["view"]["tag"] == "card"
        saved = await shown.do(send("draft", "Buy milk"), send("add"), send("save"))
        assert saved["length"] == 4
        assert saved["labels"] == ['draft: "Buy milk"', "add", "save"]
        assert saved["step"]["diff"] == [{"path": "status", "old": '"ready"', "new": '"saving"'}]
        (effect,) = saved["step"]["effects"]
        assert (effect["kind"], effect["callback_tag"]) == ("http_request", "saved")
        assert "mock" in effect["mock"]
        answered = await shown.do({"do": "answer", "effect": 0, "payload": "done"})
        assert "done" in answered["shown"]["outline"]["text"]
        back = await shown.do({"do": "go", "to": 1})
        assert "Buy milk" in back["shown"]["outline"]["text"]
        assert (back["position"], back["length"]) == (1, 5)
        branched = await shown.do(send("clear"))
        assert (branched["position"], branched["length"]) == (2, 3)
        assert "3 later steps were dropped" in branched["note"]

    play(EXAMPLE, script)


def test_an_edit_keeps_the_state_and_draws_it_anew(play: Play) -> None:
    async def script(shown: Shown) -> None:
        await shown.do(send("inc", 3), send("inc", 4))
        assert count(await shown.edit(COUNTER.replace('"count "', '"total "'))) == "total 7"
        # The steps before it are drawn by the new program, too.
        assert count(await shown.do({"do": "go", "to": 1})) == "total 3"

    play(COUNTER, script)


def test_a_new_field_comes_from_init_and_the_others_stay(play: Play) -> None:
    other = COUNTER.replace("{ count: Int }", "{ name: String, count: Int }").replace("count: 0", 'count: 0, name: "new"')

    async def script(shown: Shown) -> None:
        await shown.do(send("inc", 3))
        update = await shown.edit(other.replace("State { count: state", "State { ..state, count: state"))
        assert update["shown"]["outline"]["text"] == 'State { name: "new", count: 3 }'
        assert "new fields have their values from init(): name" in update["note"]

    play(COUNTER, script)


def test_a_state_that_does_not_fit_gives_way_to_init_and_can_be_replayed(play: Play) -> None:
    async def script(shown: Shown) -> None:
        await shown.do(send("inc", 3), send("inc", 4))
        update = await shown.edit(COUNTER.replace("State", "Other"))
        assert "started again from init(): the type State is gone" in update["note"]
        assert (count(update), update["length"]) == ("count 0", 1)
        again = await shown.do({"do": "replay"})
        assert (count(again), again["length"]) == ("count 7", 3)

    play(COUNTER, script)


def test_a_program_that_does_not_compile_leaves_the_last_one_running(play: Play) -> None:
    async def script(shown: Shown) -> None:
        broken = await shown.edit(COUNTER.replace("fn view(", "fn view"))
        assert broken["problems"][0]["line"] == 11
        assert count(await shown.do(send("inc", 2))) == "count 2"
        assert (await shown.edit(COUNTER))["problems"] == []

    play(COUNTER, script)


def test_a_failing_message_changes_nothing_and_names_its_place(play: Play) -> None:
    async def script(shown: Shown) -> None:
        update = await shown.do(send("inc", 2), send("div", 0))
        assert (update["failure"]["message"], update["failure"]["line"]) == ("runtime error: division by zero", 8)
        assert (count(update), update["length"]) == ("count 2", 2)
        assert (await shown.do(send("inc", 1)))["failure"] is None

    play(COUNTER, script)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"count " ++ __builtin_int_to_string(state.count)', '{ while true { } "" }', "max execution steps exceeded"),
        ("State { count: 0 }\n}", "init()\n}", "stack overflow"),
        ("fn init() -> State {", "fn start() -> State {", "missing required function: init"),
        ("fn view(state: State) -> String", "fn view(state: State) -> String !{net.fetch}", ""),
    ],
)
def test_what_loops_or_explodes_is_told(play: Play, old: str, new: str, words: str) -> None:
    text = COUNTER.replace("State { count: 0 } }", "State { count: 0 }\n}")
    assert old in text

    async def script(shown: Shown) -> None:
        update = await shown.update()
        assert words in (update["failure"] or {"message": ""})["message"]

    play(text.replace(old, new), script)


def test_a_result_of_another_shape_is_told(play: Play) -> None:
    async def script(shown: Shown) -> None:
        update = await shown.do(send("inc", 1))
        assert "update() must return a Record" in update["failure"]["message"]

    play(COUNTER.replace("UpdateResult { state: State { count: state.count + step }, effects: asked }", "7"), script)


def test_a_hundred_thousand_nodes_are_drawn_as_far_as_a_page_can(play: Play) -> None:
    many = """
fn view(state: State) -> List<String> {
    let mut nodes: List<String> = []
    let mut at = 0
    while at < 100000 {
        nodes = list_push(nodes, "</script><img src=x onerror=alert(1)>")
        at = at + 1
    }
    nodes
}
"""

    async def script(shown: Shown) -> None:
        children = (await shown.update())["shown"]["view"]["children"]
        assert len(children) == MOST_NODES
        assert children[-1]["tag"] == "left-out"
        assert "95,001 more are not drawn" in children[-1]["props"]["text"]

    play(COUNTER[: COUNTER.index("fn view")] + many, script)


def test_a_state_too_large_to_keep_is_told(play: Play) -> None:
    grow = "State { count: state.count + step }"
    text = COUNTER.replace("{ count: Int }", "{ count: Int, all: List<Int> }").replace("count: 0", "count: 0, all: []")
    text = text.replace(grow, "State { count: 1, all: grown(msg.payload) }")
    text += """
fn grown(size: Int) -> List<Int> {
    let mut all: List<Int> = []
    while list_len(all) < size {
        all = list_push(all, 1)
    }
    all
}
"""

    async def script(shown: Shown) -> None:
        update = await shown.do(send("inc", 300000))
        assert "the preview does not keep it" in update["failure"]["message"]
        assert update["length"] == 1

    play(text, script)


def test_a_thousand_messages_are_replayed_and_stepped_through(play: Play) -> None:
    async def script(shown: Shown) -> None:
        for number in range(1000):
            await shown.preview.act(action_of(send("inc", number % 3)))
        assert (await shown.update())["length"] == 1001
        await shown.do({"do": "replay"})
        for position in (0, 500, 1000, 999, 250):
            update = await shown.do({"do": "go", "to": position})
            assert count(update) == f"count {sum(number % 3 for number in range(position))}"
            assert update["labels_from"] in (0, 1001)

    play(COUNTER, script)


def test_actions_that_are_none() -> None:
    deep: Any = 1
    for _ in range(MOST_DEPTH + 1):
        deep = [deep]
    for bad in (
        b"{",
        b"[]",
        {"do": "format"},
        {"do": "go", "to": -1},
        {"do": "send"},
        send("x", deep),
        {"do": "look", "more": 1},
    ):
        with pytest.raises(BadAction):
            action_of(bad)


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "templates").iterdir() if path.is_dir()))
def test_a_new_application_of_each_template_is_shown_and_takes_its_messages(play: Play, name: str) -> None:
    arguments = {"app_name": "x", "entity_name": "notes", "fields": "a", "form_name": "f", "feed_name": "news"}
    made = apply(str(ROOT / "templates"), name, arguments).source

    async def script(shown: Shown) -> None:
        first = await shown.update()
        assert (first["failure"], first["problems"]) == (None, [])
        assert first["shown"]["view"]["tag"] not in ("", "div", "left-out")
        assert len(first["messages"]) >= 4
        update = await shown.do(*(send(message["tag"]) for message in first["messages"]))
        assert (update["failure"], update["length"]) == (None, len(first["messages"]) + 1)

    play(made, script)


def test_a_time_line_that_takes_too_much_memory_is_full(play: Play) -> None:
    async def script(shown: Shown) -> None:
        large = "x" * 200_000
        for _ in range(50):
            update = await shown.do(send("draft", large))
            if update["failure"] is not None:
                break
        assert "the time line is full" in update["failure"]["message"]
        assert update["length"] < 50
        restarted = await shown.do({"do": "restart"})
        assert (restarted["failure"], restarted["length"]) == (None, 1)

    play(EXAMPLE, script)
