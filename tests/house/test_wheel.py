"""The wheel as a user gets it: built here, installed into an empty environment elsewhere, its commands run there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import boruna_ls
from boruna_ls import data
from boruna_ls.cli.setup import CLIENTS

ROOT = Path(__file__).resolve().parents[2]
INITIALIZE_MCP = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
TYPO = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel and its dependencies, nothing else."""

    wheel: Path
    binaries: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Neither this checkout nor the tests' own environment may be visible from there."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_", "COVERAGE_"))}
        return kept | {"BORUNA_LS_DIR": str(self.folder / "daemon"), "BORUNA_LS_IDLE": "0"}

    def run(self, *line: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        program = [str(self.binaries / line[0]), *line[1:]]
        return subprocess.run(program, cwd=self.folder, env=self.environment, input=stdin, capture_output=True, timeout=120)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("elsewhere")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(ROOT)]
    succeed(build)
    (wheel,) = (folder / "dist").glob("*.whl")
    # Our own pip installs into it, and what is never imported there need not be compiled.
    venv.create(folder / "venv", with_pip=False)
    binaries = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(binaries / "python"), "install"]
    pip += ["--quiet", "--disable-pip-version-check", "--no-compile"]
    constraints = ["--constraint", str(ROOT / "requirements.lock")]
    install(*pip, *constraints, str(wheel))
    return Installed(wheel, binaries, folder)


def install(*line: str) -> None:
    """Twice if need be: a registry that stops in the middle of an answer holds pip up for minutes."""
    try:
        succeed([*line])
    except subprocess.TimeoutExpired:
        succeed([*line])


def succeed(line: list[str]) -> None:
    done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_holds_what_the_checkout_holds(installed: Installed) -> None:
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    for origin, target in (
        (data.libraries_folder(), "libs"),
        (data.templates_folder(), "templates"),
        (data.diagnostics_folder(), "diagnostics"),
    ):
        files = {
            f"boruna_ls/share/{target}/{file.relative_to(origin).as_posix()}" for file in origin.rglob("*") if file.is_file()
        }
        assert files
        assert files <= names
    texts = {target.text for targets in CLIENTS.values() for target in targets if isinstance(target.text, str)}
    assert {f"boruna_ls/share/editors/{text}" for text in texts} <= names
    assert {"analysis/py.typed", "boruna_ls/py.typed"} <= names
    assert [name for name in names if name.split("/")[0] in ("tests", "benchmarks", "demo")] == []


def test_the_shipped_folders_are_found(installed: Installed) -> None:
    calls = "d.libraries_folder(), d.templates_folder(), d.diagnostics_folder()"
    code = f"from boruna_ls import data as d; print({calls}, sep='\\n')"
    folders = [Path(line) for line in installed.run("python", "-c", code).stdout.decode().splitlines()]
    assert len(folders) == 3
    for folder in folders:
        assert folder.is_dir()
        assert installed.folder in folder.parents


def test_command_line(installed: Installed) -> None:
    version = installed.run("boruna-ls", "--version")
    assert version.returncode == 0
    assert boruna_ls.__version__ in version.stdout.decode()
    (installed.folder / "typo.ax").write_text(TYPO)
    checked = installed.run("boruna-ls", "check", "--json", "typo.ax")
    assert checked.returncode == 1
    found = json.loads(checked.stdout)["diagnostics"]
    assert [diagnostic["id"] for diagnostic in found if diagnostic["severity"] == "error"] == ["E003"]
    (installed.folder / "typo.ax").write_text(TYPO.replace("totl", "total"))
    assert installed.run("boruna-ls", "check", "typo.ax").returncode == 0


def test_mcp_server(installed: Installed) -> None:
    requests: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE_MCP},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    with subprocess.Popen(
        [installed.binaries / "boruna-mcp"],
        cwd=installed.folder,
        env=installed.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        # Standard input stays open until both answers are here: its end stops a server, whatever it still has to say.
        for request in requests:
            server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        answers: dict[int, Any] = {}
        while len(answers) < 2 and (line := server.stdout.readline()):
            message = json.loads(line)
            answers[message.get("id", 0)] = message
        server.stdin.close()
        assert server.wait(60) == 0
    assert answers[1]["result"]["serverInfo"]["version"] == boruna_ls.__version__
    tools = {tool["name"] for tool in answers[2]["result"]["tools"]}
    assert {"boruna_check", "boruna_repair", "boruna_ast", "boruna_symbols"} <= tools


def test_language_server(installed: Installed) -> None:
    initialize: dict[str, Any] = {"processId": None, "rootUri": installed.folder.as_uri(), "capabilities": {}}
    requests: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    answer = installed.run("boruna-lsp", stdin=b"".join(framed(request) for request in requests))
    assert answer.returncode == 0
    bodies = {message["id"]: message for message in unframed(answer.stdout) if "id" in message and "result" in message}
    assert bodies[1]["result"]["capabilities"]["textDocumentSync"]
    assert bodies[2]["result"] is None


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def unframed(stream: bytes) -> list[dict[str, Any]]:
    messages = []
    while found := re.match(rb"(?:[^\r]+\r\n)*?Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n", stream):
        end = found.end() + int(found[1])
        messages.append(json.loads(stream[found.end() : end]))
        stream = stream[end:]
    assert stream == b"", "something but protocol on standard output"
    return messages
