"""A client over HTTP is confined to `--root`: `path` places its programs, an absolute `file_name` is a label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.http_server import http_server

LIBRARY = 'export fn secret() -> String {\n    "leaked"\n}\n'
PROGRAM = 'import "shop"\n\nfn main() -> String {\n    secret()\n}\n'


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
