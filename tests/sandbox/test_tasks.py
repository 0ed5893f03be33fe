"""Long commands of clients that understand tasks: they go on as one, can be cancelled, and end with what they started."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest

from boruna_ls.mcp.tasks import IDENTIFIER
from tests.sandbox.places import needs_bubblewrap
from tests.support.mcp_lines import LineServer, envelope, request

pytestmark = needs_bubblewrap


class Client(LineServer):
    """A client of 2026-07-28 that understands tasks."""

    def __init__(self) -> None:
        super().__init__("--toolsets", "sandbox")
        self._numbers = itertools.count(1)

    def asked(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self.send(request(number, method, {**params, "_meta": envelope(IDENTIFIER)}))
        while (message := self.receive()).get("id") != number:
            pass
        return dict(message.get("result") or message["error"])

    def called(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.asked("tools/call", name=tool, arguments=arguments)

    def state(self, task: str, *statuses: str) -> dict[str, Any]:
        deadline = time.monotonic() + 60
        while (found := self.asked("tasks/get", taskId=task))["status"] not in statuses:
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
        return found


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as started:
        yield started


def test_a_long_command_becomes_a_task_and_can_be_cancelled(client: Client) -> None:
    box = client.called("create_sandbox")["structuredContent"]["sandbox_id"]
    endless = client.called("run_command", sandbox_id=box, command="sleep 777 & sleep 888", timeout_s=600)
    assert (endless["resultType"], endless["status"]) == ("task", "working")
    # Other calls are answered meanwhile.
    assert client.called("list_directory", sandbox_id=box)["structuredContent"]["success"]
    client.asked("tasks/cancel", taskId=endless["taskId"])
    client.state(endless["taskId"], "cancelled")
    deadline = time.monotonic() + 30
    count = "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c -e '^777$' -e '^888$'"
    while client.called("run_command", sandbox_id=box, command=count)["structuredContent"]["stdout"] != "0\n":
        assert time.monotonic() < deadline
        time.sleep(0.1)
