"""`--libs-dir` holds for every way in which a call can bring its program."""

from __future__ import annotations

from pathlib import Path

from tests.support.daemon import Agent
from tests.support.mcp_lines import call

PROGRAM = 'import "shop"\n\nfn main() -> Int {\n    price()\n}\n'


def test_try_edits_with_code_sees_the_libraries_of_its_connection(place: Path, tmp_path: Path) -> None:
    (tmp_path / "mine" / "shop" / "src").mkdir(parents=True)
    (tmp_path / "mine" / "shop" / "src" / "core.ax").write_text("export fn price() -> Int {\n    7\n}\n")
    (tmp_path / "work").mkdir()
    agent = Agent(tmp_path / "work", "--libs-dir", str(tmp_path / "mine")).open()
    edit = {"label": "x", "edits": [{"old_text": "price()", "new_text": "price() + 1"}]}
    answer = agent.ask(call(1, "try_edits", code=PROGRAM, candidates=[edit], run={}))["result"]["structuredContent"]
    assert answer["candidates"][0]["remaining_count"] == 0
    assert answer["candidates"][0]["run"]["result"] == 8
    agent.leave()
