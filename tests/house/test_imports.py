"""Import rules: the import contracts of pyproject.toml, and what they cannot see in `analysis`."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import command
from tests.support.mcp_lines import call, initialize, request

ROOT = Path(__file__).resolve().parents[2]
ANALYSIS = sorted((ROOT / "analysis").rglob("*.py"))
LIGHT = sorted(path for name in ("forwarder", "rendezvous", "wire") for path in (ROOT / "boruna_ls" / name).glob("*.py"))
SLOW = set(
    "argparse asyncio contextvars dataclasses inspect locale logging pathlib secrets socket subprocess tempfile typing".split()
)
AGENT = json.dumps(initialize()).encode() + b"\n"
EDITOR = b"".join(
    b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    for body in (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}',
        b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}',
        b'{"jsonrpc":"2.0","method":"exit"}',
    )
)
SIDE_EFFECTS = {"open", "print", "input", "breakpoint", "exec", "eval", "__import__"}
STARTS_A_THREAD = {"Thread", "Timer", "ThreadPoolExecutor", "start_new_thread"}


def test_import_contracts_hold() -> None:
    """Invariants 1 and 6 of docs/architecture.md: `analysis` is pure; LSP and MCP do not know each other."""
    answer = subprocess.run([command("lint-imports"), "--no-logo"], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_contracts_notice_a_forbidden_import(tmp_path: Path) -> None:
    for package in (
        "analysis",
        "analysis/fixes",
        "analysis/fixes/dialect",
        "analysis/fixes/dialect/rewriting",
        "boruna_ls",
        "boruna_ls/runtime",
        "boruna_ls/effects",
        "boruna_ls/isolation",
        "boruna_ls/workspace",
        "boruna_ls/answers",
        "boruna_ls/lsp",
        "boruna_ls/mcp",
        "boruna_ls/forwarder",
        "boruna_ls/rendezvous",
        "boruna_ls/wire",
        "boruna_ls/daemon",
        "boruna_ls/cli",
        "boruna_ls/serve",
        "boruna_ls/data",
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
    assert "- analysis.sly\n" in answer.stdout, "a module of `analysis` without a layer"
    assert "boruna_ls.mcp.sly -> boruna_ls.lsp" in answer.stdout


@pytest.mark.parametrize("module", LIGHT, ids=lambda path: str(path.relative_to(ROOT)))
def test_forwarders_import_the_standard_library_only(module: Path) -> None:
    allowed = {"boruna_ls", "boruna_ls.forwarder", "boruna_ls.rendezvous", "boruna_ls.wire"}
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names or ".".join(name.split(".")[:2]) in allowed, name


@pytest.mark.parametrize("protocol, first", [("lsp", EDITOR), ("mcp", AGENT)])
def test_a_forwarder_imports_nothing_that_takes_time(protocol: str, first: bytes) -> None:
    """Imports of a real forwarder when its client has been answered."""
    subprocess.run([command("boruna-ls"), protocol], input=first, stdout=subprocess.DEVNULL, timeout=60, check=True)
    code = f"from boruna_ls.client import client; raise SystemExit(client({protocol!r}, []))"
    line = [sys.executable, "-X", "importtime", "-c", code]
    done = subprocess.run(line, input=first, capture_output=True, timeout=60)
    assert b'"capabilities"' in done.stdout
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    assert "boruna_ls.forwarder.pump" in imported
    assert imported & SLOW == set()
    assert {name for name in imported if name.startswith("boruna_ls.")} <= {
        "boruna_ls.client",
        *(str(path.relative_to(ROOT).with_suffix("")).replace("/", ".").removesuffix(".__init__") for path in LIGHT),
    }


def test_a_check_imports_nothing_of_a_server(tmp_path: Path) -> None:
    """Whoever checks a file at a terminal waits for the imports longer than for the check."""
    (tmp_path / "a.ax").write_text("fn main() -> Int {\n    one\n}\n")
    line = [sys.executable, "-X", "importtime", command("boruna-ls"), "check", "--disk", "--json", "a.ax"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=60)
    assert json.loads(done.stdout)["diagnostics_count"] == 1
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    assert "boruna_ls.workspace.host" in imported
    slow = {"asyncio", "concurrent.futures", "logging", "rich", "secrets", "shutil", "socket", "subprocess", "tempfile"}
    assert imported & slow == set()
    assert {name for name in imported if name.startswith(("boruna_ls.lsp", "boruna_ls.mcp", "boruna_ls.runtime"))} == set()


@pytest.mark.parametrize("told, absent", [("exec list", {"pydantic", "asyncio", "http"}), ("workflow list", {"http", "xml"})])
def test_a_list_imports_nothing_that_acts(tmp_path: Path, told: str, absent: set[str]) -> None:
    line = [sys.executable, "-X", "importtime", command("boruna-ls"), *told.split()]
    own = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=60, env=own)
    assert done.returncode == 0, done.stderr
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    assert "boruna_ls.state.sql" in imported
    assert imported & absent == set()


def test_an_agent_waits_for_no_engine_of_repairs(tmp_path: Path) -> None:
    """It is imported for the first repair: a list of tools and the check of a sound program need none of it."""
    source = {"source": "fn main() -> Int {\n    1\n}\n"}
    lines = (initialize(), request(2, "tools/list"), call(3, "boruna_check", **source), call(4, "boruna_check", **source))
    told = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    line = [sys.executable, "-X", "importtime", command("boruna-mcp"), "--standalone", "--toolsets", "all"]
    done = subprocess.run(line, input=told, cwd=tmp_path, capture_output=True, timeout=60)
    answers = {answer.get("id"): answer for answer in map(json.loads, done.stdout.splitlines())}
    assert {"boruna_repair", "suggest_fix", "explain_error"} <= {tool["name"] for tool in answers[2]["result"]["tools"]}
    assert answers[4]["result"]["structuredContent"]["diagnostics_count"] == 0
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    assert "boruna_ls.answers.repair" in imported
    assert {name for name in imported if name.startswith(("analysis.fixes.repair", "analysis.fixes.dialect"))} == set()


def test_a_check_of_a_file_compiles_no_data_classes(tmp_path: Path) -> None:
    """`analysis.data_classes` does it when they are used; `dataclasses` and `inspect` took a third of the time of a check."""
    (tmp_path / "a.ax").write_text("fn main() -> Int {\n    1\n}\n")
    program = "from boruna_ls.entry import main; raise SystemExit(main())"
    line = [sys.executable, "-X", "importtime", "-c", program, "check", "a.ax"]
    alone = {**os.environ, "BORUNA_LS_DIR": str(tmp_path / "no daemon")}
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=60, env=alone)
    assert done.returncode == 0
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    assert "boruna_ls.workspace.host" in imported
    assert imported & {"click", "dataclasses", "inspect"} == set()


@pytest.mark.parametrize("module", ANALYSIS, ids=lambda path: str(path.relative_to(ROOT)))
def test_analysis_performs_no_side_effect(module: Path) -> None:
    """An import contract sees modules only: `open` needs none, and `threading` is allowed for its locks."""
    # The data classes compile methods from the names of their attributes, as `dataclasses` does.
    allowed = {"exec"} if module == ROOT / "analysis" / "data_classes.py" else set()
    assert side_effects(module.read_text("utf-8")) == allowed


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
