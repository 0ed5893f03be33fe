"""The command as a whole: usage, start-up, what happens when something goes wrong; and the commands that only look."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import boruna_ls
from analysis.diagnostics.codes import CODES
from boruna_ls.cli.main import COMMANDS
from tests.support.commands import command, run

OWN_HELP = [name for name in COMMANDS if name != "serve"]


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"boruna-ls {boruna_ls.__version__}\n")


def test_without_a_command_the_help_goes_to_standard_error() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    for name, summary in COMMANDS.items():
        assert name in done.stderr
        assert summary in done.stderr


@pytest.mark.parametrize("name", OWN_HELP)
def test_help(name: str) -> None:
    done = run(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.lower().startswith("usage:")


@pytest.mark.parametrize(
    "line", [["nonsense"], ["check", "--nonsense"], ["ast"], ["ast", "a", "b"], ["explain"], ["mcp", "--nonsense"]]
)
def test_wrong_usage(line: list[str]) -> None:
    done = run(*line)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage:" in done.stderr.lower()
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "module, absent",
    [
        ("boruna_ls.cli.main", {"analysis", "rich", "mcp", "pygls", "lsprotocol", "asyncio", "pydantic"}),
        ("boruna_ls.cli.fmt", {"rich", "mcp", "pygls", "lsprotocol", "pydantic"}),
        ("boruna_ls.cli.check", {"rich", "mcp", "pygls", "lsprotocol", "pydantic"}),
        ("boruna_ls.lsp.stdio", {"mcp", "rich"}),
        ("boruna_ls.mcp.main", {"pygls", "lsprotocol", "rich"}),
    ],
)
def test_only_what_is_needed_is_imported(module: str, absent: set[str]) -> None:
    code = f"import sys, {module}; print(*sorted({absent!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert (done.stdout, done.stderr) == ("\n", "")


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    (tmp_path / "big.ax").write_text("".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(3000)))
    line = [command("boruna-ls"), "ast", "big.ax"]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_ast(tmp_path: Path) -> None:
    done = run("ast", "-", stdin="fn f() {}\n", cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["items"][0]["Function"]["name"] == "f"
    answer = json.loads(run("ast", "--json", "-", stdin="fn f( {}\n", cwd=tmp_path).stdout)
    assert answer["errors"][0]["message"] == "expected identifier, found LBrace"
    done = run("ast", "missing.ax", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: missing.ax: no such file or directory\n")
    done = run("ast", ".", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: .: is a folder; name one file\n")


def test_deep_nesting_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "deep.ax").write_text("fn f() { " + "(" * 5_000)
    for name in ("ast", "fmt", "check", "symbols", "repair"):
        done = run(name, "deep.ax", cwd=tmp_path)
        assert done.returncode in (1, 2)
        assert "nesting too deep" in done.stdout + done.stderr or name == "repair"
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr


def test_symbols(tmp_path: Path) -> None:
    (tmp_path / "a.ax").write_text("export type P { x: Int }\n\nfn f(p: P) -> Int { p.x }\n")
    done = run("symbols", "a.ax", cwd=tmp_path)
    assert done.stdout == "a.ax:1: export type P { x: Int }\na.ax:3: fn f(p: P) -> Int\n"
    answer = json.loads(run("symbols", "--json", "a.ax", cwd=tmp_path).stdout)
    assert [symbol["kind"] for symbol in answer["symbols"]] == ["record", "fn"]
    done = run("symbols", "-", stdin="fn", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "error: parse error at line 1: expected identifier, found end of input\n",
    )


def test_codes() -> None:
    done = run("codes")
    assert done.stdout.splitlines()[0] == "CODE   NAME                   CATEGORY         SUMMARY"
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == list(CODES)
    rows = json.loads(run("codes", "--json").stdout)["codes"]
    assert [row["code"] for row in rows] == list(CODES)


def test_explain() -> None:
    done = run("explain", "e003")
    assert done.returncode == 0
    assert "E003" in done.stdout
    done = run("explain", "E0033")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "E003" in done.stderr


def test_stats(tmp_path: Path) -> None:
    (tmp_path / "a.ax").write_text("fn main() -> Int { 1 }\n")
    done = run("stats", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("no diagnostics in 1 file: ")
    answer = json.loads(run("stats", "--json", cwd=tmp_path).stdout)
    row = answer["queries"]["check_file"]
    assert row["executed"] == 1
    assert row["reused"] >= 1


def test_help_of_a_command() -> None:
    assert run("help", "check").stdout == run("check", "--help").stdout
    assert run("help").stdout == run("--help").stdout
    assert run("help", "chek").returncode == 2


def test_misspelt_command() -> None:
    done = run("chek")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such command 'chek': did you mean 'check'?" in done.stderr
