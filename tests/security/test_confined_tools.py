"""Every tool that takes the name of a place, called by a client over HTTP with names of places outside of `--root`.

Which tools these are follows from their arguments, so a new tool is attacked, too, or the test says which value it lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2

from boruna_ls.mcp.tools import TOOLS
from tests.support.http_server import JSON, PATIENCE, http_server
from tests.support.mcp_lines import LineServer, call, initialize

SECRET: Final = (
    'export fn leaked_name() -> String {\n    "leaked value"\n}\n\nfn main() -> String {\n    helper() ++ leaked_name()\n}\n'
)
OWN: Final = 'fn helper() -> String {\n    "own"\n}\n\nfn main() -> String {\n    helper()\n}\n'
PLACES: Final = frozenset({"path", "paths", "filePath", "file_name", "file_pattern", "verify_key", "workdir", "preview"})
"""Arguments that name a file or a folder."""
IDS: Final = frozenset(
    {"run_id", "executionId", "programId", "sandbox_id", "handle", "template_name", "library", "copy_of", "names"}
)
"""Arguments that name a thing that may be kept below its name."""
VALUES: Final[dict[str, Any]] = {
    "args": [],
    "candidates": [{"edits": []}],
    "code": OWN,
    "command": "true",
    "content": "x",
    "description": "a function",
    "error": "E003",
    "event_log": "{}",
    "language": "boruna",
    "messages": [],
    "new_name": "renamed",
    "policy_json": "{}",
    "query": "leaked_query",
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
    "result": 1,
    "source": OWN,
    "source_files": {},
    "step": "one",
    "symbol": "helper",
    "toolset": "analysis",
    "workflow_json": "{}",
}
"""What the other arguments are that a call needs, or that lead it further."""
HELPFUL: Final[dict[str, Any]] = {"symbol": "helper", "new_name": "renamed", "apply": True, "detail": "full"}
"""What else has a call show or change as much as it can."""


def attacks(outside: Path, field: str) -> Iterator[str]:
    """Names that lead out of the served folder."""
    secret = outside / "secret.ax"
    yield from (str(secret), "../outside/secret.ax", "way/secret.ax")
    if field in PLACES:
        yield from (secret.as_uri(), "sub/../../outside/secret.ax", "linked.ax", "..", "way", f"/proc/self/root{secret}")


def calls(outside: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each tool and argument with each name."""
    for name, row in TOOLS.items():
        fields = row.load().arguments.model_fields
        required = {field: VALUES.get(field, "x") for field, info in fields.items() if info.is_required()}
        missing = required.keys() - VALUES.keys() - PLACES - IDS
        assert not missing, f"{name}: say in VALUES what {missing} is"
        helpful = {field: value for field, value in HELPFUL.items() if field in fields}
        for field in sorted(fields.keys() & (PLACES | IDS)):
            is_list = field in ("paths", "names")
            sourced = {"source": OWN} if field == "file_name" else {}
            for place in attacks(outside, field):
                yield name, {**required, **helpful, **sourced, field: [place] if is_list else place}


def places(folder: Path) -> tuple[Path, Path]:
    """A served folder with links that lead out of it, and what is outside."""
    served, outside = folder / "served", folder / "outside"
    for made in (served / "sub", outside):
        made.mkdir(parents=True)
    (outside / "secret.ax").write_text(SECRET)
    (served / "boruna.toml").write_text("")
    (served / "main.ax").write_text(OWN)
    (served / "linked.ax").symlink_to(outside / "secret.ax")
    (served / "way").symlink_to(outside)
    return served, outside


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, without a look through its links."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_no_tool_reads_or_writes_outside_of_the_root(tmp_path: Path) -> None:
    served, outside = places(tmp_path)
    before = contents(outside)
    reached: list[Any] = []
    with http_server("--root", str(served), "--toolsets", "all", cwd=served) as server, httpx2.Client(timeout=PATIENCE) as http:
        http.headers.update({**JSON, **server.auth})
        http.headers["mcp-session-id"] = http.post(server.url, json=initialize()).headers["mcp-session-id"]

        def answer(number: int, tool: str, arguments: dict[str, Any]) -> str:
            return http.post(server.url, json=call(number, tool, **arguments)).text

        inside = {"path": "main.ax", "symbol": "helper", "detail": "full"}
        assert r"\"own\"" in answer(0, "get_definition", inside)
        for number, (tool, arguments) in enumerate(calls(outside), 1):
            text = answer(number, tool, arguments)
            assert "internal error" not in text.lower(), (tool, arguments, text)
            if "leaked" in text.replace("leaked_query", ""):
                reached.append((tool, arguments, text[:300]))
        assert number > 400
        assert contents(outside) == before
        assert '"success":true' in answer(0, "boruna_check", {"path": "main.ax"})
    assert reached == []


def test_a_rename_keeps_out_of_linked_files(tmp_path: Path) -> None:
    served, outside = places(tmp_path)
    with LineServer("--toolsets", "all", cwd=str(served)) as agent:
        agent.open()
        asked = {"path": "main.ax", "symbol": "helper", "new_name": "renamed", "apply": True}
        answer = agent.ask(call(1, "rename_symbol", **asked))["result"]["structuredContent"]
    assert answer["success"], answer
    assert "renamed()" in (served / "main.ax").read_text()
    assert (outside / "secret.ax").read_text() == SECRET
    assert (served / "linked.ax").is_symlink()
