"""Modules of the VS Code extension, bundled and called in Node: what they do without an editor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules").is_dir(), reason="no Node packages: run `make vscode`"
)


def bundled(module: str, folder: Path) -> Path:
    """A module of `src` as one file; `vscode` stays outside."""
    bundle = folder / f"{Path(module).stem}.cjs"
    line = [str(FOLDER / "node_modules" / ".bin" / "esbuild"), f"src/{module}.ts", "--bundle", "--platform=node", "--format=cjs"]
    line += ["--external:vscode", "--log-level=error", f"--outfile={bundle}"]
    subprocess.run(line, cwd=FOLDER, check=True, capture_output=True, timeout=60)
    return bundle


def called(bundle: Path, script: str, argument: Any = None, environment: Mapping[str, str] | None = None) -> Any:
    """Output of `script`, parsed as JSON; it sees the module as `made` and the argument as `given`."""
    text = (
        "const made = require(process.argv[1]); const given = JSON.parse(process.argv[2]);"
        "const print = (value) => process.stdout.write(JSON.stringify(value ?? null));"
        f"(async () => {{ {script} }})();"
    )
    line = ["node", "-e", text, str(bundle), json.dumps(argument)]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60, env={**os.environ, **(environment or {})})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
