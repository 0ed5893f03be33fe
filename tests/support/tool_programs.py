"""Programs that call tools of MCP servers, run with live effects inside a ceiling: a workspace, its servers, what came out."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from analysis.codegen.compile import compile_file
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId
from boruna_ls.deadline import Deadline
from boruna_ls.effects.ceiling import Ceiling
from boruna_ls.effects.effect import Bounds
from boruna_ls.effects.grants import Grant
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.forms import public_json
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL, Policy
from boruna_ls.runtime.remote import Remote
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.upstream.broker import live_broker
from boruna_ls.workspace import Host
from boruna_ls.workspace.tool_servers import document_path

ODD_SERVER = Path(__file__).parents[1] / "upstream" / "odd_server.py"


class ToolWorkspace:
    """A workspace with servers, `NAME` of which the owner allows."""

    def __init__(self, folder: Path, servers: dict[str, Any]) -> None:
        self.folder = folder
        (folder / "boruna.toml").touch()
        self.host = Host()
        self.allowed: tuple[str, ...] = tuple(servers)
        self.configure(servers)

    def configure(self, servers: dict[str, Any]) -> None:
        """Writes `.mcp.json`."""
        (self.folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))

    def odd(self, mode: str, **rest: Any) -> dict[str, Any]:
        """The configuration of the odd server; `log` gets what it is asked."""
        return {"command": sys.executable, "args": ["-S", "-E", str(ODD_SERVER), mode, str(self.log)], **rest}

    @property
    def log(self) -> Path:
        return self.folder / "asked.jsonl"

    def requests_received(self, method: str) -> list[dict[str, Any]]:
        """Requests that a server received."""
        rows = [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []
        return [row for row in rows if row.get("method") == method]

    def file(self, text: str) -> FileId:
        path = self.folder / "main.ax"
        path.write_text(text)
        return self.host.file_for_agent(str(path))

    def codes(self, text: str) -> list[str]:
        """The diagnostics of a program."""
        return [made.code for _, made in check_file(self.host.db, self.file(text)).entries]

    def document(self, server: str) -> Path:
        """Path of the document about a server's tools."""
        return Path(document_path(self.host.canonical(str(self.folder)), server))

    def run(self, text: str, policy: Policy = ALLOW_ALL, seconds: float = math.inf, log: EventLog | None = None) -> RunOutcome:
        """Runs a program."""
        file = self.file(text)
        compiled = compile_file(self.host.db, file, "main")
        assert compiled.module is not None, compiled.errors
        bounds = Bounds(policy, Ceiling(mcp_servers=self.allowed), file.workspace, file.workspace)
        effects = live_broker(self.host).effects_of(Grant("main.ax", file.workspace, bounds, Deadline.after(seconds)))
        gateway = Gateway(policy, Remote(effects.answer), log)
        return run_module(compiled.module, Options(gateway=gateway, log=log))

    def result(self, text: str, **rest: Any) -> Any:
        """The value of a program as JSON."""
        made = self.run(text, **rest)
        assert made.error is None, made.error
        return json.loads(public_json(made.value))


def main(body: str, server: str = "odd") -> str:
    """A program whose `main` is an expression of any type that uses one server."""
    return f"import mcp.{server}\nfn main() -> String !{{mcp.call}} {{\n    {body}\n}}\n"
