"""A real Neovim with `editors/neovim` on its runtime path, with the file for older versions, and with the tree-sitter parser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.editors.layout import LAYOUT
from tests.support.neovim import MISSING, editor, seen_by

EDITORS = Path(__file__).resolve().parents[2] / "editors"
COMPILER = shutil.which("cc")
PROGRAM = "fn main() -> Int {\n    let total = 1\n    totl + total\n}\n"

pytestmark = pytest.mark.skipif(editor() is None, reason=MISSING)


def seen(folder: Path, configuration: str) -> dict[str, Any]:
    """Display of a broken program by Neovim with an init.lua of this text."""
    workspace = folder / "ws"
    (workspace / "src").mkdir(parents=True)
    (workspace / "boruna.toml").touch()
    (workspace / "src" / "a.ax").write_text(PROGRAM)
    (folder / "init.lua").write_text(configuration)
    shown = seen_by(Path(__file__).with_name("neovim_folder.lua"), folder, workspace, folder / "init.lua")
    assert shown["codes"] == ["E003"]
    assert shown["filetype"] == "boruna"
    assert shown["root"] == str(workspace)
    return shown


def test_on_the_runtime_path(tmp_path: Path) -> None:
    runtime = json.dumps(str(EDITORS / "neovim"))
    shown = seen(tmp_path, f"vim.opt.runtimepath:append({runtime})\nvim.cmd('filetype plugin on')\nvim.lsp.enable('boruna')\n")
    assert shown["commentstring"] == "// %s"
    assert shown["shiftwidth"] == 4
    assert "captures" not in shown


def test_indentation_gives_the_layout_of_the_formatter(tmp_path: Path) -> None:
    nvim = editor()
    assert nvim is not None
    file = tmp_path / "a.ax"
    file.write_text("\n".join(line.strip() for line in LAYOUT.split("\n")))
    line = [str(nvim), "--headless", "--clean", "--cmd", f"set rtp^={EDITORS / 'neovim'}", str(file)]
    subprocess.run([*line, "+normal gg=G", "+wq"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert file.read_text() == LAYOUT


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
