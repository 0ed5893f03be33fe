"""A client over HTTP is confined to `--root`: `path` places its programs, an absolute `file_name` is a label."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from tests.support.commands import command
from tests.support.http_server import http_server

LIBRARY = 'export fn secret() -> String {\n    "leaked"\n}\n'
PROGRAM = 'import "shop"\n\nfn main() -> String {\n    secret()\n}\n'


async def test_a_part_of_a_workspace_is_not_served_until_it_is_one(tmp_path: Path) -> None:
    around, served = tmp_path / "around", tmp_path / "around" / "served"
    served.mkdir(parents=True)
    (around / ".git").mkdir()
    (around / "libs" / "shop" / "src").mkdir(parents=True)
    (around / "libs" / "shop" / "src" / "core.ax").write_text(LIBRARY)
    (served / "main.ax").write_text(PROGRAM)
    line = [command("boruna-ls"), "serve", "--http", "--port", "0", "--root", str(served)]
    refused = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert f"is part of the workspace {around}" in refused.stderr
    settings = served / "boruna.toml"
    settings.write_text("")
    with http_server("--root", str(served), cwd=served) as server:
        async with server.client() as client:
            for step in (lambda: None, settings.unlink, lambda: (served / "main.ax").write_text(f"{PROGRAM}\n")):
                step()
                for tool, more in (("boruna_check", {}), ("get_definition", {"symbol": "secret", "detail": "full"})):
                    arguments = {"path": "main.ax"} | more
                    answer = str((await client.call_tool(tool, arguments)).structured_content)
                    assert "leaked" not in answer
                    assert "core.ax" not in answer


async def test_a_name_does_not_lead_out_of_the_root(tmp_path: Path) -> None:
    served, other = tmp_path / "served", tmp_path / "other"
    served.mkdir()
    (other / "libs" / "shop" / "src").mkdir(parents=True)
    (other / ".git").mkdir()
    (other / "libs" / "shop" / "src" / "core.ax").write_text(LIBRARY)
    (other / "boruna.toml").write_text('[check]\nseverity = { E013 = "off" }\n')
    named: dict[str, Any] = {"source": PROGRAM, "file_name": str(other / "x.ax")}
    with http_server("--root", str(served), cwd=served) as server:
        async with server.client() as client:
            for tool in ("boruna_check", "boruna_run", "boruna_compile", "boruna_inspect", "boruna_trace"):
                answer, plain = [
                    (await client.call_tool(tool, {**named, "file_name": name})).structured_content or {}
                    for name in (named["file_name"], "x.ax")
                ]
                assert answer["success"] == plain["success"]
                assert str(answer).replace(named["file_name"], "x.ax").count("secret") == str(plain).count("secret"), tool
                assert "leaked" not in str(answer), tool
