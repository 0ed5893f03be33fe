"""`run`, `trace`, `replay`, `capabilities`, `policy` as processes: output, exit status, JSON, profiles."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.corpus import CONFORMANCE

FIB = """fn fib(n: Int) -> Int {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

fn main() -> Int {
    emit "working"
    fib(10)
}
"""
FAILS = "fn half(n: Int) -> Int {\n    n / 0\n}\n\nfn main() -> Int {\n    emit 1\n    half(4)\n}\n"
ASKS = 'fn main() -> String { step_input("name") }\n'
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("fib", FIB), ("fails", FAILS), ("asks", ASKS)):
        (tmp_path / f"{name}.ax").write_text(text)
    return tmp_path


def test_result_output_and_steps(folder: Path) -> None:
    made = run("run", "fib.ax", cwd=folder)
    assert made.returncode == 0
    assert made.stdout == '55\n\n--- UI Output ---\n{\n  "String": "working"\n}\nsteps: 1863\n'
    assert made.stderr == ""
    assert run("run", "-", stdin=FIB, cwd=folder).stdout == made.stdout


def test_compiled_module_gives_the_same(folder: Path) -> None:
    assert run("compile", "fib.ax", cwd=folder).returncode == 0
    assert run("run", "fib.axbc", cwd=folder).stdout == run("run", "fib.ax", cwd=folder).stdout


def test_compiled_module_dispatches_by_types(folder: Path) -> None:
    text = "type A { x: Int }\ntype B { y: Int }\nfn f(v: Int) -> Int { match v { true => 1, other => 2 } }\n"
    (folder / "typed.ax").write_text(text + "enum E { U, V(Int) }\nfn main() -> Int { emit (f(E::V(7)))\n B { y: 1 }.x }\n")
    assert run("compile", "typed.ax", cwd=folder).returncode == 0
    from_source, from_file = run("run", "typed.ax", cwd=folder), run("run", "typed.axbc", cwd=folder)
    assert from_file.stdout == from_source.stdout
    assert '"Int": 2' in from_file.stdout
    assert from_file.stderr.startswith("runtime error: no field 'x' on B\n")
    data = (folder / "typed.axbc").read_bytes()
    (folder / "typed.axbc").write_bytes(data[:-1])
    cut = run("run", "typed.axbc", cwd=folder)
    assert (cut.returncode, cut.stderr) == (1, "error: typed.axbc: invalid side tables: truncated; compile the program again\n")


def test_failure_tells_place_calls_and_hint(folder: Path) -> None:
    made = run("run", "fails.ax", cwd=folder)
    assert made.returncode == 1
    assert made.stderr.splitlines()[:3] == [
        "runtime error: division by zero",
        "  --> fails.ax:2:5 in half",
        "  from fails.ax:7:5 in main",
    ]
    assert "help: " in made.stderr
    assert '"Int": 1' in made.stdout


def test_json_is_the_tools_answer(folder: Path) -> None:
    made = run("run", "fib.ax", "--json", "--trace", cwd=folder)
    answer = json.loads(made.stdout)
    assert (answer["success"], answer["result"], answer["steps"], len(answer["trace"])) == (True, 55, 1863, 500)
    failed = run("run", "fails.ax", "--json", cwd=folder)
    answer = json.loads(failed.stdout)
    assert failed.returncode == 1
    assert (answer["line"], answer["call_stack"][1]["function"]) == (2, "main")
    (folder / "bad.ax").write_text("fn main() -> Int { nothing }")
    bad = run("run", "bad.ax", "--json", cwd=folder)
    assert bad.returncode == 1
    assert json.loads(bad.stdout)["errors"][0]["code"] == "E009"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["none.ax"], "none.ax"),
        (["notes.txt"], "unknown file extension: txt"),
        (["fib.ax", "--policy", "none.json"], "none.json"),
        (["fib.ax", "--max-steps", "10"], "max execution steps exceeded (10)"),
        (["asks.ax", "--policy", "deny-all"], "capability denied: step.input"),
        (["asks.ax", "--input", "other=1"], "unknown name 'name'"),
    ],
)
def test_what_fails(folder: Path, arguments: list[str], words: str) -> None:
    made = run("run", *arguments, cwd=folder)
    assert made.returncode == 1
    assert words in made.stderr


def test_inputs_are_json_or_texts(folder: Path) -> None:
    assert '{"Int":5}' in run("run", "asks.ax", "--input", "name=5", cwd=folder).stdout
    assert '{"String":"Ann B"}' in run("run", "asks.ax", "--input", "name=Ann B", cwd=folder).stdout
    assert run("run", "asks.ax", "--input", "name", cwd=folder).returncode == 2


def test_live_effects_keep_to_the_policy(folder: Path) -> None:
    (folder / "read.ax").write_text('fn main() -> Result<String, String> { fs_read("fib.ax") }')
    policy = {"default_allow": True, "fs_policy": {"allowed_roots": [str(folder)]}}
    (folder / "policy.json").write_text(json.dumps(policy))
    assert run("run", "read.ax", "--live", "--yes", "--policy", "policy.json", cwd=folder).stdout.startswith('Ok("fn fib')
    refused = run("run", "read.ax", "--live", "--yes", cwd=folder)
    assert refused.returncode == 1
    assert "not allowed by the owner" in refused.stderr
    assert '"fs_policy": {"allowed_roots": […]}' in refused.stderr
    assert run("run", "read.ax", cwd=folder).stdout.startswith('Ok("mock file content')


def test_recorded_run_is_replayed(folder: Path) -> None:
    assert run("run", "asks.ax", "--record", "a.log", cwd=folder).returncode == 0
    made = run("replay", "asks.ax", "a.log", cwd=folder)
    assert (made.returncode, made.stdout) == (0, 'replay result: ""\nreplay verification: Identical\n')
    (folder / "asks.ax").write_text(ASKS.replace("name", "other"))
    diverged = run("replay", "asks.ax", "a.log", cwd=folder)
    assert diverged.returncode == 1
    assert "capability call #0 differs" in diverged.stdout
    (folder / "a.log").write_text("{}")
    assert run("replay", "asks.ax", "a.log", cwd=folder).returncode == 1
    assert run("run", "fails.ax", "--record", "b.log", cwd=folder).returncode == 1
    assert not (folder / "b.log").exists()


def test_trace_shows_every_instruction_with_its_place(folder: Path) -> None:
    made = run("trace", "fib.ax", cwd=folder)
    lines = made.stdout.splitlines()
    assert made.returncode == 0
    assert len(lines) == 1862 + 2
    assert lines[0].split() == ["6:10", "[main:0]", "PushConst(3)", "stack_depth=0"]
    assert lines[-2:] == ["--- 1863 steps ---", "result: 55"]
    assert run("trace", "fails.ax", cwd=folder).returncode == 1


def test_libraries_of_a_folder_that_is_named(folder: Path) -> None:
    (folder / "mine/lib-a/src").mkdir(parents=True)
    (folder / "mine/lib-a/src/core.ax").write_text("fn one() -> Int { 1 }\n")
    (folder / "uses.ax").write_text('import "lib-a"\nfn main() -> Int { one() }\n')
    for name in ("run", "trace", "inspect", "size", "caps", "check", "repair", "stats", "compile"):
        done = run(name, "--libs-dir", "mine", "uses.ax", cwd=folder)
        assert (done.returncode, "not found" in done.stdout) == (0, False), (name, done.stderr)
    assert (
        f"{folder / 'mine/lib-a/src/core.ax'}:1:19  [one:0]" in run("trace", "--libs-dir", "mine", "uses.ax", cwd=folder).stdout
    )
    assert "library 'lib-a' not found" in run("run", "uses.ax", cwd=folder).stderr
    assert run("run", "--libs-dir", "none", "uses.ax", cwd=folder).returncode == 2


def test_profile_is_a_table_and_a_picture(folder: Path) -> None:
    made = run("run", "fib.ax", "--profile", "flames.svg", cwd=folder)
    assert made.returncode == 0
    rows = [line.split() for line in made.stdout.splitlines()]
    assert ["fib", "177", "1855"] in [row[:3] for row in rows]
    assert ["main", "1", "7"] in [row[:3] for row in rows]
    picture = ElementTree.parse(folder / "flames.svg").getroot()
    titles = [title.text or "" for title in picture.iter(f"{SVG}title")]
    assert any(title.startswith("main: 1862 steps (100.0 %), 7 of its own, 1 calls") for title in titles)
    assert len([title for title in titles if title.startswith("fib:")]) > 5
    answer = json.loads(run("run", "fib.ax", "--json", "--profile", "flames.svg", cwd=folder).stdout)
    assert [one["function"] for one in answer["profile"]["functions"]] == ["fib", "main"]
    assert sum(one["steps"] for one in answer["profile"]["lines"]) == 1862


def test_capabilities() -> None:
    made = run("capabilities")
    assert "capabilities (11):" in made.stdout
    assert json.loads(run("capabilities", "--json").stdout)["capability_set_hash"] in made.stdout


@pytest.mark.parametrize("name", sorted(path.name for path in CONFORMANCE.glob("capabilities/policyshow_*.in.json")))
def test_policy_show(name: str, corpus: Callable[[str], Path]) -> None:
    folder = corpus("capabilities")
    expected = (folder / name.replace(".in.json", ".out.txt")).read_text(encoding="utf-8")
    assert run("policy", "show", name, cwd=folder).stdout.strip() == expected.strip()


def test_policy_validate(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text("{}")
    (tmp_path / "bad.json").write_text('{"x": 1}')
    assert run("policy", "validate", "good.json", cwd=tmp_path).stdout == "OK: good.json\n"
    bad = run("policy", "validate", "bad.json", cwd=tmp_path)
    assert (bad.returncode, bad.stderr) == (2, 'error: policy.unknown_field: unknown field "x" at x\n')
    assert run("policy", "validate", "none.json", cwd=tmp_path).returncode == 1
    assert json.loads(run("policy", "validate", "bad.json", "--json", cwd=tmp_path).stdout)["ok"] is False
