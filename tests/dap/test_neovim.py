"""The snippet for Neovim in docs/debugging.md, executed by a real Neovim; what it configures starts the real adapter.

nvim-dap itself is replaced by a table that takes the configuration.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.debugger import debugging
from tests.support.neovim import CONFIGURATION, MISSING, PATIENCE, editor

PAGE = Path(__file__).resolve().parents[2] / "docs" / "debugging.md"
PROGRAM = "fn half(n: Int) -> Int {\n    n / 2\n}\n\nfn main() -> Int {\n    let a = half(8)\n    a + 1\n}\n"


@pytest.mark.skipif(editor() is None, reason=MISSING)
def test_the_documented_configuration_debugs_a_program(tmp_path: Path) -> None:
    (tmp_path / "app.ax").write_text(PROGRAM, "utf-8")
    (snippet,) = re.findall(r"```lua\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "snippet.lua").write_text(snippet, "utf-8")
    names = {"SNIPPET": "snippet.lua", "PROGRAM": "app.ax", "RESULT": "seen.json"}
    environment = {**os.environ, **{f"BORUNA_{name}": str(tmp_path / file) for name, file in names.items()}}
    script = Path(__file__).with_name("neovim.lua")
    line = [str(editor()), "--headless", "--clean", "-n", "-u", str(CONFIGURATION), "-c", f"luafile {script}"]
    subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, timeout=PATIENCE, check=True)
    seen = json.loads((tmp_path / "seen.json").read_text("utf-8"))
    assert seen.get("problem") is None
    assert seen["filetype"] == "boruna"
    assert {"continue", "toggle_breakpoint", "step_back", "reverse_continue"} <= seen["mapped"].keys()
    assert seen["adapter"]["type"] == "executable"
    whole, named = seen["launches"]
    adapter = [seen["adapter"]["command"], *seen["adapter"]["args"]]
    with debugging(tmp_path / "app.ax", adapter=adapter) as session:
        session.ask("launch", **whole)
        session.event("initialized")
        session.break_at(2)
        session.ask("configurationDone")
        assert session.stopped() == ("entry", [("main", 6)])
        assert session.go("continue") == ("breakpoint", [("half", 2), ("main", 6)])
        assert session.go("stepBack") == ("step", [("main", 6)])
    with debugging(tmp_path / "app.ax", adapter=adapter) as session:
        assert named["function"] == "main"
        session.ask("launch", **named)
        session.event("initialized")
        session.break_at(7)
        session.ask("configurationDone")
        assert session.stopped() == ("breakpoint", [("main", 7)])
