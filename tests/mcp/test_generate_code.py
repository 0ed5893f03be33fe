"""`generate_code`: patterns typed by the context, the client's model with check-and-retry, and never unchecked code."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from tests.support.agents import agent_server
from tests.support.marked import MAIN, opened

TYPES = "type Order { name: String, cents: Int, weight: Float }"
HELPERS = (
    "fn is_big(order: Order) -> Bool { order.cents > 100 }\n\nfn price(order: Order) -> Int { order.cents }\n\n"
    "fn twice(n: Int) -> Int { n * 2 }"
)
CONTEXT = {"types": [TYPES], "existing_functions": [HELPERS]}
SERVER = agent_server("--toolsets", "analysis")

CASES = [
    ("map price over all orders", None, "map", ["List<Order>", "price(item)"]),
    ("keep only the orders for which is_big", None, "filter", ["if is_big(item)"]),
    ("total of the cents of all orders", None, "fold", ["item.cents"]),
    ("the largest weight of the orders", None, "fold", ["best.weight"]),
    ("sum of floats called add_up", None, "fold", ["fn add_up", "0.0"]),
    ("find an order by name", None, "lookup", ["Option<Order>", "item.name == name"]),
    ("parse an integer from a text", None, "parse", ["Result<Int, String>"]),
    ("validate an Order", None, "validate", ["Err(\"name is empty\")"]),
    ("record Point with x: Int and y: Float", "record", "record with helpers", ["make_point", "with_y"]),
    ("enum called Color with variants Red, Green and Blue", None, "enum", ["enum Color", "color_text"]),
    ("state machine called Light with states Red, Green, Amber", None, "state machine", ["next_light"]),
    ("a counter", "app", "app skeleton", ["fn update"]),
    ("step that reads order_text", "workflow_step", "workflow step", ["step_input(\"order_text\")"]),
    ("test that twice(2) is 4", "test", "test", ["twice(2) == 4", "fn test_twice"]),
]  # fmt: skip


async def answer_of(client: Client, **arguments: Any) -> dict[str, Any]:
    answer = (await client.call_tool("generate_code", arguments)).structured_content
    assert answer is not None
    return dict(answer)


async def test_patterns_are_typed_by_the_context() -> None:
    async with Client(SERVER) as client:
        for description, kind, pattern, texts in CASES:
            given = {"kind": kind} if kind else {}
            context = {} if kind == "app" else {"context": CONTEXT}
            answer = await answer_of(client, description=description, **given, **context)
            assert answer["success"], (description, answer)
            assert (answer["pattern"], answer["how"]) == (pattern, "pattern"), description
            assert all(text in answer["code"] for text in texts), (description, answer["code"])
            whole = answer["code"] if kind in ("app", "workflow_step") else f"{TYPES}\n\n{HELPERS}\n\n{answer['code']}"
            db = opened(whole)
            wrong = [made for _, made in check_file(db, MAIN).entries if made.severity in (Severity.ERROR, Severity.WARNING)]
            assert wrong == [], description
        nothing = await answer_of(client, description="do something marvellous")
        assert nothing["success"] is False
        assert "code" not in nothing


@pytest.mark.parametrize(
    "answers, is_right", [(["fn f() -> Int { one }", "```ax\nfn f() -> Int { 1 }\n```"], True), (["fn f( {"], False)]
)
async def test_the_client_model_is_asked_again_with_what_is_wrong(answers: list[str], is_right: bool) -> None:
    prompts: list[str] = []

    async def sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        content = params.messages[0].content
        assert isinstance(content, types.TextContent)
        prompts.append(content.text)
        text = answers[min(len(prompts), len(answers)) - 1]
        return types.CreateMessageResult(role="assistant", model="test", content=types.TextContent(type="text", text=text))

    async with Client(SERVER, sampling_callback=sample) as client:
        answer = await answer_of(client, description="do something marvellous")
        assert answer["success"] is is_right
        assert len(prompts) == (2 if is_right else 3)
        assert "Your last code was" in prompts[1]
        if is_right:
            assert answer["how"] == "client_model"
            assert answer["code"] == "fn f() -> Int {\n    1\n}\n"
        else:
            assert answer["diagnostics"]
            assert answer["verified"]["check"] is False
