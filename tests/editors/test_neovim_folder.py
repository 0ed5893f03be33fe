"""A real Neovim with `editors/neovim` on its runtime path, with the file for older versions, and with the tree-sitter parser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

EDITORS = Path(__file__).resolve().parents[2] / "editors"
SCRIPTS = sysconfig.get_path("scripts")
NEOVIM = shutil.which("nvim", path=SCRIPTS)
COMPILER = shutil.which("cc")
PROGRAM = "fn main() -> Int {\n    let total = 1\n    totl + total\n}\n"

pytestmark = pytest.mark.skipif(NEOVIM is None, reason="no Neovim 0.11 beside the tests' Python: `make setup` installs it")


def seen(folder: Path, configuration: str) -> dict[str, Any]:
    """What Neovim with an init.lua of this text shows of a broken program."""
    assert NEOVIM is not None
    workspace = folder / "ws" / "src"
    workspace.mkdir(parents=True)
    (folder / "ws" / "boruna.toml").touch()
    (workspace / "a.ax").write_text(PROGRAM)
    (folder / "init.lua").write_text(configuration)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([SCRIPTS, os.environ.get("PATH", os.defpath)]),
        "BORUNA_FILE": str(workspace / "a.ax"),
        "BORUNA_RESULT": str(folder / "seen.json"),
        **{f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "STATE", "DATA", "CACHE")},
    }
    script = Path(__file__).with_name("neovim_folder.lua")
    line = [NEOVIM, "--headless", "--clean", "-n", "-u", str(folder / "init.lua"), "-c", f"luafile {script}"]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=120)
    shown: dict[str, Any] = json.loads((folder / "seen.json").read_text("utf-8"))
    assert shown["problem"] is None, f"{shown}\n{done.stderr}"
    assert shown["codes"] == ["E003"]
    assert shown["filetype"] == "boruna"
    assert shown["root"] == str(folder / "ws")
    return shown


def test_on_the_runtime_path(tmp_path: Path) -> None:
    runtime = json.dumps(str(EDITORS / "neovim"))
    shown = seen(tmp_path, f"vim.opt.runtimepath:append({runtime})\nvim.cmd('filetype plugin on')\nvim.lsp.enable('boruna')\n")
    assert shown["commentstring"] == "// %s"
    assert shown["shiftwidth"] == 4
    assert "captures" not in shown


def test_the_file_for_older_versions(tmp_path: Path) -> None:
    seen(tmp_path, (EDITORS / "neovim" / "older" / "boruna.lua").read_text("utf-8"))


@pytest.mark.skipif(COMPILER is None, reason="no C compiler: the tree-sitter parser cannot be built")
def test_with_the_parser(tmp_path: Path) -> None:
    assert COMPILER is not None
    grammar, site = EDITORS / "tree-sitter-boruna", tmp_path / "site"
    (site / "parser").mkdir(parents=True)
    shutil.copytree(grammar / "queries", site / "queries" / "boruna")
    source, target = str(grammar / "src" / "parser.c"), str(site / "parser" / "boruna.so")
    subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", "-I", str(grammar / "src"), source, "-o", target], check=True)
    runtime = "".join(f"vim.opt.runtimepath:append({json.dumps(str(folder))})\n" for folder in (EDITORS / "neovim", site))
    shown = seen(tmp_path, f"{runtime}vim.cmd('filetype plugin on')\nvim.lsp.enable('boruna')\n")
    assert "function" in shown["captures"]
    assert shown["folds"] is True
