"""An agent's way through a sandbox, by the official client and a real server, over stdio and over HTTP."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from boruna_ls.sandbox.backend import SandboxError
from tests.sandbox.places import needs_bubblewrap, sandboxes
from tests.support.commands import command
from tests.support.http_server import http_server

pytestmark = needs_bubblewrap


@asynccontextmanager
async def over_stdio(folder: Path, **environment: str) -> AsyncIterator[Client]:
    line = ["--standalone", "--toolsets", "sandbox"]
    parameters = StdioServerParameters(command=command("boruna-mcp"), args=line, env={**os.environ, **environment}, cwd=folder)
    async with Client(parameters) as client:
        yield client


@asynccontextmanager
async def over_http(folder: Path) -> AsyncIterator[Client]:
    with http_server("--standalone", "--root", str(folder), cwd=folder) as server:
        async with server.client() as client:
            yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert answer == result.structured_content
    assert result.is_error is not answer["success"] or not answer["success"]
    return dict(answer)


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return str(json.loads(result.content[0].text)["error"]["message"])  # type: ignore[union-attr]


BROKEN = {"main.py": "import sums\nprint(sums.total([1, 2, 3]))\n", "sums.py": "def total(n):\n    return sun(n)\n"}


@pytest.mark.parametrize("way", [over_stdio, over_http])
async def test_an_agents_way_through_a_sandbox(way: Any, tmp_path: Path) -> None:
    """One server for all of it: a start costs more than the calls."""
    async with way(tmp_path) as client:
        await creates_runs_fixes_reads_and_destroys(client)
        await names_sizes_encodings_and_binary_files(client)
        await bad_arguments_are_answers_that_say_what_to_do(client)
        assert (await called(client, "list_sandboxes"))["sandboxes"] == []


async def creates_runs_fixes_reads_and_destroys(client: Client) -> None:
    made = await called(client, "create_sandbox", files=BROKEN)
    box = made["sandbox_id"]
    assert {"python", "bash", "ax"} <= set(made["languages"])
    assert (made["backend"], made["network"], made["seccomp"]) == ("bubblewrap", False, True)
    failed = await called(client, "run_command", sandbox_id=box, command="python3 main.py")
    assert (failed["success"], failed["exit_code"]) == (True, 1)
    assert "NameError" in failed["stderr"]
    await called(client, "write_file", sandbox_id=box, path="sums.py", content=BROKEN["sums.py"].replace("sun", "sum"))
    await called(client, "run_command", sandbox_id=box, command="mkdir empty")
    done = await called(client, "run_command", sandbox_id=box, command="python3 ../main.py", workdir="empty")
    assert done["stdout"] == "6\n"
    await called(client, "run_command", sandbox_id=box, command="mkdir -p out && python3 main.py > out/result")
    assert (await called(client, "read_file", sandbox_id=box, path="out/result"))["content"] == "6\n"
    listed = await called(client, "list_directory", sandbox_id=box, path=".")
    assert [entry["name"] for entry in listed["entries"]] == ["empty", "main.py", "out", "sums.py"]
    patch = await called(client, "sandbox_changes", sandbox_id=box)
    assert patch["changed"] == ["out/result", "sums.py"]
    assert (
        "--- a/sums.py\n+++ b/sums.py\n@@ -1,2 +1,2 @@\n def total(n):\n-    return sun(n)\n+    return sum(n)\n"
        in patch["patch"]
    )
    ours = await called(client, "execute_code", sandbox_id=box, language="ax", code="fn main() -> Int {\n    6 * 7\n}\n")
    assert ours["stdout"].splitlines()[0] == "42", ours
    copy = (await called(client, "create_sandbox", copy_of=box))["sandbox_id"]
    assert (await called(client, "read_file", sandbox_id=copy, path="out/result"))["content"] == "6\n"
    shown = await called(client, "list_sandboxes")
    assert {one["sandbox_id"] for one in shown["sandboxes"]} == {box, copy}
    assert (await called(client, "destroy_sandbox", sandbox_id=box))["success"]
    assert "not found: it was destroyed" in await refused(client, "read_file", sandbox_id=box, path="out/result")
    assert (await called(client, "destroy_sandbox", sandbox_id=copy))["success"]
    assert (await called(client, "list_sandboxes"))["sandboxes"] == []


async def names_sizes_encodings_and_binary_files(client: Client) -> None:
    box = (await called(client, "create_sandbox"))["sandbox_id"]
    data = bytes(range(256)) * 40
    encoded = base64.b64encode(data).decode()
    written = await called(client, "write_file", sandbox_id=box, path="a/b/bin", content=encoded, encoding="base64", mode=0o755)
    assert written["size"] == len(data)
    read = await called(client, "read_file", sandbox_id=box, path="a/b/bin", encoding="base64", offset=100, limit=300)
    assert base64.b64decode(read["content"]) == data[100:400]
    assert (read["truncated"], read["size"], read["bytes"]) == (True, len(data), 300)
    assert (await called(client, "read_file", sandbox_id=box, path="a/b/bin"))["not_utf8"] is True
    name = 'ö "quoted"\n\u202e🎈 -rf'
    await called(client, "write_file", sandbox_id=box, path=name, content="ünï©ode 🎈")
    assert (await called(client, "read_file", sandbox_id=box, path=name))["content"] == "ünï©ode 🎈"
    cut = await called(client, "read_file", sandbox_id=box, path=name, limit=2)
    assert (cut["content"], cut["bytes"]) == ("ü", 2)
    listed = await called(client, "list_directory", sandbox_id=box)
    assert {entry["name"] for entry in listed["entries"]} == {"a", name}
    long = await called(client, "run_command", sandbox_id=box, command="seq 300000; echo end >&2; printf '\\xff'")
    assert (long["truncated"], long["stderr"], long["exit_code"]) == (True, "end\n", 0)
    assert long["stdout"].startswith("1\n2\n")
    assert "300000" in long["stdout_end"]
    piped = await called(client, "execute_code", sandbox_id=box, language="bash", code="tr a-z A-Z", stdin="shout ü")
    assert piped["stdout"] == "SHOUT ü"
    many = "import os\nfor n in range(2500): open(f'f{n:04}', 'w').close()"
    await called(client, "execute_code", sandbox_id=box, language="python", code=many)
    first = await called(client, "list_directory", sandbox_id=box)
    assert (first["total"], len(first["entries"]), first["omitted"]["left_out"]) == (2502, 1000, 1502)
    assert len((await called(client, "list_directory", sandbox_id=box, offset=2000))["entries"]) == 502
    await called(client, "destroy_sandbox", sandbox_id=box)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("read_file", {"sandbox_id": "xyz", "path": "a"}, "Error: Sandbox 'xyz' not found: list_sandboxes shows yours"),
    ("read_file", {"path": "a"}, "`sandbox_id` is missing"),
    ("read_file", {"sandbox_id": "BOX", "path": "nothing"}, "'nothing': No such file"),
    ("read_file", {"sandbox_id": "BOX", "path": "."}, "is a directory: list_directory"),
    ("read_file", {"sandbox_id": "BOX", "path": "a\0b"}, "contains a NUL"),
    ("read_file", {"sandbox_id": "BOX", "path": "\ud800"}, "lone surrogate"),
    ("read_file", {"sandbox_id": "BOX", "path": "a" * 5000}, "5000 characters"),
    ("read_file", {"sandbox_id": "BOX", "path": "a" * 4000}, "File name too long"),
    ("read_file", {"sandbox_id": "BOX", "path": "a", "offset": -1}, "must be an integer from 0"),
    ("read_file", {"sandbox_id": "BOX", "path": "a", "encoding": "latin-1"}, "one of utf-8, base64"),
    ("write_file", {"sandbox_id": "BOX", "path": "a", "content": "?", "encoding": "base64"}, "is not base64"),
    ("write_file", {"sandbox_id": "BOX", "path": "/usr/x", "content": ""}, "Read-only file system"),
    ("write_file", {"sandbox_id": "BOX", "path": ".", "content": ""}, "is a directory"),
    ("write_file", {"sandbox_id": "BOX", "path": "a", "content": "", "mode": 0o4755}, "from 0 to 511"),
    ("list_directory", {"sandbox_id": "BOX", "path": "nowhere"}, "No such file"),
    (
        "execute_code",
        {"sandbox_id": "BOX", "language": "cobol", "code": ""},
        "'cobol' is not installed in this sandbox: there are ax",
    ),
    ("execute_code", {"sandbox_id": "BOX", "language": "python"}, "`code` is missing"),
    ("run_command", {"sandbox_id": "BOX", "command": "ls", "workdir": "nowhere"}, "'nowhere' is not a directory"),
    ("run_command", {"sandbox_id": "BOX", "command": "ls", "timeout_s": 601}, "timeout_s"),
    ("run_command", {"sandbox_id": "BOX", "command": "ls", "timeout_s": "5"}, "timeout_s"),
    ("create_sandbox", {"memory_mib": 8}, "from 16 to 4096"),
    ("create_sandbox", {"vcpu_count": 9}, "from 1 to 8"),
    ("create_sandbox", {"files": {"a": 1}}, "must be a string"),
    ("create_sandbox", {"files": {"/usr/bin/a": "x"}}, "Read-only file system"),
    ("create_sandbox", {"files": {"a/../../../etc/passwd": "x"}}, "Read-only file system"),
    ("create_sandbox", {"network": True}, "boruna-ls trust allow sandbox-network"),
    ("create_sandbox", {"copy_of": "nobody"}, "Sandbox 'nobody' not found"),
    ("destroy_sandbox", {"sandbox_id": ""}, "Sandbox '' not found"),
]


async def bad_arguments_are_answers_that_say_what_to_do(client: Client) -> None:
    box = (await called(client, "create_sandbox"))["sandbox_id"]
    for tool, arguments, words in REFUSED:
        given = {name: box if value == "BOX" else value for name, value in arguments.items()}
        if "\ud800" in str(given.get("path", "")):
            continue  # the official client cannot send it
        assert words in await refused(client, tool, **given), (tool, arguments)
    assert len((await called(client, "list_sandboxes"))["sandboxes"]) == 1
    await called(client, "destroy_sandbox", sandbox_id=box)


async def test_output_is_told_while_a_command_runs_and_settings_count(tmp_path: Path) -> None:
    told: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    environment = {"BORUNA_SANDBOX_MAX": "1", "BORUNA_SANDBOX_MEMORY_MIB": "64", "BORUNA_SANDBOX_OUTPUT_LIMIT": "2000"}
    async with over_stdio(tmp_path, **environment) as client:
        made = await called(client, "create_sandbox")
        assert made["limits"]["memory_mib"] == 64
        assert "BORUNA_SANDBOX_MAX" in await refused(client, "create_sandbox")
        line = "for n in 1 2; do echo line $n; sleep 0.3; done; seq 10000"
        arguments = {"sandbox_id": made["sandbox_id"], "command": line}
        result = await client.call_tool("run_command", arguments, progress_callback=hear)
        answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
        assert len(answer["stdout"]) == 2000
        assert any("line 1" in (message or "") for _, message in told)
        assert [progress for progress, _ in told] == sorted({progress for progress, _ in told})


async def test_without_a_backend_each_tool_says_what_to_install(tmp_path: Path) -> None:
    async with over_stdio(tmp_path, BORUNA_SANDBOX_BACKEND="firecracker") as client:
        assert {"create_sandbox", "read_file"} <= {tool.name for tool in (await client.list_tools()).tools}
        assert "BORUNA_SANDBOX_FIRECRACKER" in await refused(client, "create_sandbox")
        assert "BORUNA_SANDBOX_FIRECRACKER" in await refused(client, "read_file", sandbox_id="x", path="a")


def test_sandboxes_can_be_switched_off() -> None:
    with sandboxes(backend="none") as manager:
        with pytest.raises(SandboxError, match="switched off"):
            manager.create("owner", manager.spec())
        with pytest.raises(SandboxError, match="switched off"):
            manager.find("owner", "x")


def test_principals_do_not_see_each_others_sandboxes() -> None:
    with sandboxes() as manager:
        mine = manager.create("network client a", manager.spec())
        for action in (manager.find, manager.destroy):
            with pytest.raises(SandboxError, match="not found"):
                action("network client b", mine.name)
        assert manager.of("network client b") == []
        assert manager.of("local agent") == []
        manager.destroy("network client a", mine.name)
        # Whose it was, and that there was one, is not told to others either.
        with pytest.raises(SandboxError, match="list_sandboxes shows yours"):
            manager.find("network client b", mine.name)
