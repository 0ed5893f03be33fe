"""Who may import what: the import contracts of pyproject.toml, and what they cannot see in `analysis`."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import command

ROOT = Path(__file__).resolve().parents[2]
ANALYSIS = sorted((ROOT / "analysis").rglob("*.py"))
SIDE_EFFECTS = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}
STARTS_A_THREAD = {"Thread", "Timer", "ThreadPoolExecutor", "start_new_thread"}


def test_import_contracts_hold() -> None:
    """Invariants 1 and 6 of docs/architecture.md: `analysis` is pure; LSP and MCP do not know each other."""
    answer = subprocess.run([command("lint-imports"), "--no-logo"], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_contracts_notice_a_forbidden_import(tmp_path: Path) -> None:
    for package in (
        "analysis",
        "boruna_ls",
        "boruna_ls/runtime",
        "boruna_ls/workspace",
        "boruna_ls/answers",
        "boruna_ls/lsp",
        "boruna_ls/mcp",
    ):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "analysis" / "sly.py").write_text("import socket\n")
    (tmp_path / "boruna_ls" / "mcp" / "sly.py").write_text("import boruna_ls.lsp\n")
    answer = subprocess.run(
        [command("lint-imports"), "--no-logo", "--no-cache", "--config", str(ROOT / "pyproject.toml")],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
    )
    assert answer.returncode == 1
    assert "analysis.sly -> socket" in answer.stdout
    assert "boruna_ls.mcp.sly -> boruna_ls.lsp" in answer.stdout


@pytest.mark.parametrize("module", ANALYSIS, ids=lambda path: str(path.relative_to(ROOT)))
def test_analysis_performs_no_side_effect(module: Path) -> None:
    """An import contract sees modules only: `open` needs none, and `threading` is allowed for its locks."""
    assert side_effects(module.read_text("utf-8")) == set()


def test_side_effects_are_noticed() -> None:
    assert side_effects("text = open('x').read()\nthreading.Thread(target=print).start()\n") == {"open", "Thread"}
    assert side_effects("from analysis.database import input\n@input()\ndef source(): ...\n") == set()


def side_effects(text: str) -> set[str]:
    """The called names that touch the world outside, unless an import gives the name another meaning."""
    nodes = list(ast.walk(ast.parse(text)))
    imported = {alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    called = {name_of(node.func) for node in nodes if isinstance(node, ast.Call)}
    return called & ((SIDE_EFFECTS - imported) | STARTS_A_THREAD)


def name_of(function: ast.expr) -> str:
    """The called name; of a method only if it could start a thread, since `table.open()` would be no harm."""
    if isinstance(function, ast.Attribute):
        return function.attr if function.attr in STARTS_A_THREAD else ""
    return function.id if isinstance(function, ast.Name) else ""
