"""Clients that others have written: both TypeScript SDKs and the command line of the MCP Inspector, over stdio and HTTP.

They come with `make test-typescript`; without them these tests are counted as skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command
from tests.support.http_server import HttpServer, http_server

ROOT = Path(__file__).resolve().parents[2]
MODULES = Path(os.environ.get("BORUNA_TYPESCRIPT") or ROOT / ".mcp-typescript") / "node_modules"
NODE, INSPECTOR = MODULES / ".bin" / "node", MODULES / ".bin" / "mcp-inspector"
SCRIPT = Path(__file__).with_name("typescript") / "client.mjs"
FAULTY = "fn main() -> Int {\n    five + 6\n}\n"
TOKEN = "a long enough secret"
SDKS = pytest.mark.parametrize("sdk", ["v1", "v2", "v2-legacy"])

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="no TypeScript clients: run `make test-typescript`")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("typescript")


@pytest.fixture
def program(folder: Path) -> Path:
    path = folder / "program.ax"
    path.write_text(FAULTY, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpServer]:
    (folder / "token").write_text(TOKEN, encoding="utf-8")
    with http_server("--token-file", str(folder / "token"), cwd=folder) as started:
        yield started


def talk(sdk: str, program: Path, **way: Any) -> dict[str, Any]:
    """Results of an SDK's client; the program is repaired as soon as the client waits for changes of it."""
    wanted = {
        "modules": str(MODULES),
        "sdk": sdk,
        "path": program.name,
        "uri": "boruna://diagnostics/E003",
        "watch": f"boruna://file-diagnostics/{program}",
        **way,
    }
    process = subprocess.Popen(
        [str(NODE), str(SCRIPT), json.dumps(wanted)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    limit = threading.Timer(120, process.kill)
    limit.start()
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        complaints = []
        for line in process.stderr:
            complaints.append(line)
            if line == "subscribed\n":
                program.write_text(FAULTY.replace("five", "5"), encoding="utf-8")
        said = process.stdout.read()
        assert process.wait() == 0, "".join(complaints)
    finally:
        limit.cancel()
        process.kill()
        process.wait()
    told: dict[str, Any] = json.loads(said)
    return told


def judge(told: dict[str, Any], program: Path) -> None:
    assert told["server"]["name"] == "boruna-mcp"
    assert {"boruna_check", "try_edits"} <= set(told["tools"])
    assert [one["id"] for one in told["check"]["diagnostics"]] == ["E003"]
    assert (told["run"]["result"], told["steps"] > 0) == (1000000, True)
    assert (told["refused"]["code"], "`source` is missing" in told["refused"]["message"]) == (-32602, True)
    assert told["resources"] > 10
    assert told["text"].startswith("# E003")
    assert "debug_error" in told["prompts"]
    assert told["stopped"] is not None
    assert told["after"] == 7
    assert told["updated"] == f"boruna://file-diagnostics/{program}"


@SDKS
def test_sdk_over_stdio(sdk: str, program: Path, folder: Path) -> None:
    judge(talk(sdk, program, command=[command("boruna-mcp")], cwd=str(folder)), program)


@SDKS
def test_sdk_over_http(sdk: str, program: Path, server: HttpServer) -> None:
    judge(talk(sdk, program, url=server.url, token=TOKEN), program)


def inspect(*arguments: str, cwd: Path) -> dict[str, Any]:
    """Output of the Inspector."""
    environment = {**os.environ, "MCP_CATALOG_PATH": str(cwd / "catalog.json"), "PATH": f"{NODE.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [str(NODE), str(INSPECTOR), "--cli", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_inspector(way: str, program: Path, folder: Path, server: HttpServer) -> None:
    http = ["--server-url", server.url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}"]
    target = [command("boruna-mcp")] if way == "stdio" else http
    tools = inspect(*target, "--method", "tools/list", cwd=folder)["tools"]
    assert "boruna_run" in {tool["name"] for tool in tools}
    call = ["--method", "tools/call", "--tool-name", "boruna_check", "--tool-arg", f"path={program.name}"]
    checked = inspect(*target, *call, cwd=folder)
    assert [one["id"] for one in checked["structuredContent"]["diagnostics"]] == ["E003"]
    read = inspect(*target, "--method", "resources/read", "--uri", "boruna://diagnostics/E003", cwd=folder)
    assert read["contents"][0]["text"].startswith("# E003")
