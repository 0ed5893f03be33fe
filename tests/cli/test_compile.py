"""compile, inspect, size, caps: the recorded command lines, and what ours do beyond them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import run
from tests.support.corpus import CONFORMANCE

COMMANDS = ("compile", "inspect", "size", "lang")
OTHERWISE = {
    # Imports are tokens, transitive, never paths; positions are those of the file itself (chapter 26 S14).
    "import_no_libs_dir_quoted": (1, "library 'geo-lib' not found"),
    "import_prefix_word": (0, "StoreLocal(0)"),
    "import_trailing_comment": (0, "#1: perimeter(arity=2, locals=2, ops=6)"),
    "import_transitive": (0, "#2: outer_fn(arity=0, locals=0, ops=4)"),
    "import_error_line_shift": (1, "parse error at line 3: expected identifier, found Eq"),
    "import_dot_escape": (1, "not found"),
    "import_brace_in_main_string": (0, "#0: keep(arity=0, locals=0, ops=2)"),
    "import_empty_name": (1, "error: "),
    # Words of the system and of the JSON reader are ours, and they name the file.
    "compile_missing_file": (1, "nope.ax"),
    "inspect_missing": (1, "unit.axbc"),
    "load_too_short": (1, "invalid bytecode: too short"),
    "load_empty": (1, "invalid bytecode: too short"),
    "load_bad_magic": (1, "invalid magic bytes"),
    "load_version_2": (1, "unsupported version: 2"),
    "load_truncated": (1, "invalid bytecode: truncated payload"),
    "load_not_json": (1, "serialization error: "),
    "load_missing_field": (1, "serialization error: missing field `constants`"),
    "load_unknown_opcode": (1, "serialization error: unknown variant `Teleport`, expected one of `PushConst`, `LoadLocal`"),
    "load_wrong_type": (1, 'serialization error: invalid type: string "zero", expected u32'),
}
"""Cases that must go otherwise than recorded: exit status, and a text that the output holds."""


def cases() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (CONFORMANCE / "bytecode" / "cli_cases.jsonl").read_text().splitlines()]
    return [row for row in rows if row["argv"][0] in COMMANDS]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_recorded_command_lines(case: dict[str, Any], tmp_path: Path) -> None:
    lay_out(case, tmp_path)
    argv = case["argv"][1:] if case["argv"][0] == "lang" else case["argv"]
    done = run(*argv, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    status, wanted = OTHERWISE.get(case["id"], (case["exit"], None))
    assert done.returncode == status, done.stderr
    if wanted is not None:
        assert wanted in done.stdout + done.stderr
        return
    if "--json" in argv:
        assert covers(json.loads(done.stdout), json.loads(case["stdout"]))
    else:
        assert done.stdout == case["stdout"]
    assert done.stderr.startswith(case["stderr"])
    for name, size in case.get("wrote", {}).items():
        assert (tmp_path / name).stat().st_size == size


def lay_out(case: dict[str, Any], folder: Path) -> None:
    for name, text in case["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, newline="")
    for name, data in case["hex_files"].items():
        (folder / name).write_bytes(bytes.fromhex(data))
    # A marker of a workspace, so that the folder's own `libs/` are seen.
    (folder / "boruna.toml").write_text("")


def covers(given: Any, recorded: Any) -> bool:
    """True if an answer contains at least the recorded content."""
    if isinstance(recorded, dict):
        return isinstance(given, dict) and all(key in given and covers(given[key], value) for key, value in recorded.items())
    if isinstance(recorded, list):
        return isinstance(given, list) and len(given) == len(recorded) and all(map(covers, given, recorded))
    return bool(given == recorded)


def test_all_errors_are_told_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "bad.ax").write_text("fn f() -> Int { one }\nfn main() -> Int { f(1) + list_len }\n")
    done = run("compile", "bad.ax", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert lines[:2] == ["error: type error: undefined variable: one", "  --> bad.ax:1:17"]
    assert "error: codegen error: undefined: list_len" in lines
    assert "error: type error: function 'f' expects 0 arguments, got 1" in lines
    assert not (tmp_path / "bad.axbc").exists()


def test_what_is_compiled_can_be_inspected(tmp_path: Path) -> None:
    (tmp_path / "one.ax").write_text('fn main() -> String { "é\\n" }\n')
    assert run("compile", "one.ax", cwd=tmp_path).returncode == 0
    from_source, from_file = run("inspect", "one.ax", cwd=tmp_path), run("inspect", "one.axbc", cwd=tmp_path)
    assert from_source.stdout == from_file.stdout
    assert '#0: "é\n"' in from_file.stdout
    answers = [json.loads(run("inspect", name, "--json", cwd=tmp_path).stdout) for name in ("one.ax", "one.axbc")]
    assert answers[0]["axbc_sha256"] == answers[1]["axbc_sha256"]
    assert answers[0]["axbc_bytes"] == (tmp_path / "one.axbc").stat().st_size
    assert answers[0]["source_map"][0]["places"][0] == [1, 23, 1, 29]


def test_a_program_is_never_overwritten(tmp_path: Path) -> None:
    program = tmp_path / "one.axbc"
    program.write_text("fn main() -> Int { 1 }\n")
    done = run("compile", "one.axbc", cwd=tmp_path)
    assert done.returncode == 1
    assert program.read_text() == "fn main() -> Int { 1 }\n"


def test_standard_input_needs_a_name_for_the_result(tmp_path: Path) -> None:
    assert run("compile", "-", cwd=tmp_path, stdin="fn main() -> Int { 1 }").returncode == 1
    done = run("compile", "-", "-o", "out.axbc", cwd=tmp_path, stdin="fn main() -> Int { 1 }")
    assert (done.returncode, (tmp_path / "out.axbc").exists()) == (0, True)


def test_capabilities_that_callers_forget_are_named(tmp_path: Path) -> None:
    (tmp_path / "one.ax").write_text('fn get() -> String { step_input("a") }\nfn main() -> String { get() }\n')
    done = run("caps", "one.ax", cwd=tmp_path)
    assert done.returncode == 0
    assert "  missing: step.input\n" in done.stdout
    assert "minimal" not in done.stdout
