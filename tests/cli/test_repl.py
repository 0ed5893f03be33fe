"""`boruna-ls repl` as a process: what is kept, what is shown, and that nothing that is typed ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import run


def typed(*lines: str, cwd: Path | None = None, arguments: tuple[str, ...] = ()) -> tuple[str, str]:
    """Output on both streams."""
    done = run("repl", *arguments, stdin="\n".join(lines) + "\n", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["1 + 2", "", '"a" ++ "b"'], '3\n"ab"\n'),
        (["let a = 5", "a * 2"], "10\n"),
        (["let mut a = 5", "a = a + 1", "a"], "6\n"),
        (["fn twice(n: Int) -> Int {", "    n * 2", "}", "twice(4)"], "8\n"),
        (["fn one() -> Int { 1 }", "fn one() -> Int { 2 }", "one()"], "2\n"),
        (["type P { x: Int }", "P { x: 3 }.x", ":type P { x: 1 }", ':t "a"'], '3\nP { x: 1 } : P\n"a" : String\n'),
        (["enum E { A, B(Int) }", ":type E::B(1)", ":type Some(1)"], "E::B(1) : E\nSome(1) : Some\n"),
        (['import "std-json"', 'json_ok("1").value'], '"1"\n'),
        (["(1 +", " 2)"], "3\n"),
        (["let a = 1 let b = 2", "a + b"], "3\n"),
        (["if true { 1 } else { 2 }"], "1\n"),
        (["emit 1"], "ui: 1\n1\n"),
        (["fn f() -> Int { 1 }", ":env"], "f\n"),
        ([":q", "1"], ""),
        (["1 +"], ""),
    ],
)
def test_what_is_shown(lines: list[str], shown: str) -> None:
    assert typed(*lines)[0] == shown


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["totl"], "error: undefined variable: totl"),
        (["1 / 0"], "error: runtime error: division by zero"),
        (["fn f( { 1 }", ""], "error: expected identifier"),
        (["fn f() -> Int { g() }"], "error: undefined variable: g"),
        ([")"], "error: expected expression"),
        ([":nothing"], "error: unknown meta-command `:nothing` (try `:help`)"),
        ([":load"], "error: name a file"),
        ([":load none.ax"], "error: none.ax: no such file or directory"),
        ([":reload"], "error: nothing is loaded"),
        (['net_fetch("http://example.org")'], "capability denied: net.fetch"),
        (["let mut i = 0", "while true { i = i + 1 }"], "max execution steps exceeded"),
    ],
)
def test_what_fails_is_said_and_the_next_line_is_read(lines: list[str], words: str) -> None:
    out, err = typed(*lines, "40 + 2", arguments=("--max-steps", "10000"))
    assert words in err
    assert out == "42\n"


def test_what_fails_is_not_kept() -> None:
    assert typed("let a = 1 / 0", "fn f() -> Int { g() }", "1")[0] == "1\n"


def test_a_file_with_its_libraries(tmp_path: Path) -> None:
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    (tmp_path / "boruna.toml").write_text("")
    (tmp_path / "libs/shop/src/core.ax").write_text("fn price() -> Int { 7 }\n")
    (tmp_path / "app.ax").write_text('import "shop"\nfn main() -> Int { price() }\n')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert typed("main() + 1", arguments=(str(tmp_path / "app.ax"),), cwd=elsewhere)[0].endswith("\n8\n")
    out, err = typed(":load ../app.ax", "price()", ":reload", ":reset", "price()", cwd=elsewhere)
    assert out == "loaded ../app.ax\n7\nloaded ../app.ax\n"
    assert "undefined variable: price" in err
    assert run("repl", "none.ax", cwd=tmp_path, stdin="").returncode == 1


def test_texts_see_the_libraries_of_a_folder_without_marks(tmp_path: Path) -> None:
    """Of the current one, as its files do: typed ones, standard input, what a repair has made."""
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    (tmp_path / "libs/shop/src/core.ax").write_text("fn price() -> Int { 7 }\n")
    program = 'import "shop"\nfn main() -> Int { price() }\n'
    (tmp_path / "app.ax").write_text(program)
    (tmp_path / "broken.ax").write_text(program.replace("price()", "pric()"))
    assert typed("price() + 1", arguments=("app.ax",), cwd=tmp_path)[0].endswith("\n8\n")
    assert typed('import "shop"', "price()", cwd=tmp_path)[0] == "7\n"
    assert run("run", "-", cwd=tmp_path, stdin=program).stdout.startswith("7\n")
    assert run("repair", "broken.ax", cwd=tmp_path).returncode == 0
    assert (tmp_path / "broken.ax").read_text() == program


def test_effects_are_mocked_where_a_policy_allows_them() -> None:
    assert typed("time_now()", arguments=("-p", "allow-all"))[0] == "1700000000\n"
