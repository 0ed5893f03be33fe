"""Hover and completion for applications: the functions, records and effect kinds that their host knows."""

from __future__ import annotations

import pytest

from analysis.ide.completion import completions
from analysis.ide.hover import hover
from analysis.ide.offers import Completion
from analysis.semantics.app_shapes import EFFECT_KINDS
from tests.support.apps import COUNTER
from tests.support.marked import MAIN, marked, opened


def shown(text: str) -> str:
    program = marked(text)
    found = hover(opened(program.text), MAIN, program.cursor)
    assert found is not None
    return found.markdown


def offered(text: str) -> dict[str, Completion]:
    program = marked(text)
    return {one.label: one for one in completions(opened(program.text), MAIN, program.cursor).candidates}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("fn update(", "fn <|>update(", "declares effects. Pure: it has no capabilities. Takes 2 parameters (state, msg)."),
        ("fn init(", "fn <|>init(", "Makes the first state."),
        ("type Effect", "type <|>Effect", "A request to the host: declared in the result of `update`, never performed by it."),
        ("type Msg", "type <|>Msg", "What `update` is told"),
        ("callback_tag: String", "<|>callback_tag: String", "tag of the message that brings the outcome"),
        ("{ kind: String", "{ <|>kind: String", "`http_request`, `db_query`"),
        ("msg.payload }", "msg.<|>payload }", "of a message written as text an Int or a String"),
    ],
)  # fmt: skip
def test_hover_tells_what_the_host_does(old: str, new: str, words: str) -> None:
    assert old in COUNTER
    assert words in shown(COUNTER.replace(old, new, 1))


def test_names_mean_nothing_outside_of_an_application() -> None:
    assert "host" not in shown("fn <|>update(state: Int, msg: Int) -> Int { state }\n")
    assert "host" not in shown(COUNTER.replace("fn view(", "fn shown(").replace("type Effect", "type <|>Effect"))


def test_what_an_application_lacks_is_offered() -> None:
    found = offered(COUNTER[: COUNTER.index("fn view")] + "<|>\n")
    assert found["view"].insert == "fn view(state: State) -> UINode {\n    $0\n}"
    assert found["policies"].detail.startswith("Limits the effects")
    assert found["PolicySet"].insert.startswith("type PolicySet {\n    capabilities: List<String>,\n")
    assert not found.keys() & {"init", "update", "Effect", "Msg"}


def test_other_programs_are_offered_no_application() -> None:
    assert {"init", "update"} <= offered("<|>").keys()
    assert not offered("fn main() -> Int { 1 }\n\n<|>\n").keys() & {"init", "update", "Effect"}


def test_effect_kinds_are_offered_where_a_kind_is_written() -> None:
    at_kind = offered(COUNTER.replace('kind: "timer"', "kind: <|>"))
    assert {f'"{kind}"' for kind in EFFECT_KINDS} <= at_kind.keys()
    assert at_kind['"http_request"'].detail == "needs net.fetch; payload: URL"
    assert offered(COUNTER.replace('kind: "timer"', 'kind: "tim<|>"')).keys() == {"timer"}
    assert offered(COUNTER.replace('kind: "timer"', 'kind: "<|>"'))["timer"].insert == "timer"
    assert offered(COUNTER.replace('kind: "timer"', '// kind: "<|>"')) == {}
    assert '"timer"' not in offered(COUNTER.replace('payload: "1"', "payload: <|>"))
    assert '"timer"' not in offered("fn f(kind: Int) -> Int { let kind: <|> = 1 kind }\n")
