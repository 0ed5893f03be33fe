"""Modules that serve many clients touch disks through `bounded`, so that a disk that hangs holds nobody."""

from __future__ import annotations

import ast
from pathlib import Path

WORKSPACE = Path(__file__).resolve().parents[2] / "boruna_ls" / "workspace"
CALLS = {
    "os": {"stat", "lstat", "listdir", "scandir", "readlink"},
    "os.path": {"exists", "lexists", "isfile", "isdir", "islink", "realpath", "samefile", "getsize", "getmtime"},
}
APART = {
    "applying.py": {"stat", "isdir", "lexists"},  # writes files on a thread of its caller
    "programs.py": {"scandir"},  # inside of a bounded call
    "libraries.py": {"realpath"},  # the installation
}
"""Module → calls that need no bound, with the reason."""


def test_the_workspace_waits_for_no_disk_without_a_bound() -> None:
    found = {}
    for path in sorted(WORKSPACE.glob("*.py")):
        calls = {name for name in _disk_calls(ast.parse(path.read_text("utf-8"))) if name not in APART.get(path.name, ())}
        if calls:
            found[path.name] = sorted(calls)
    assert found == {}


def _disk_calls(tree: ast.AST) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in CALLS.get(ast.unparse(node.value), ())
    }
