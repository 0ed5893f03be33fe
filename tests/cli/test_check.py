"""`boruna-ls check` as a process: the report, the machine-readable forms, exit statuses, --fix and --watch."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.support.commands import AS_ANYBODY, command, run

TYPO = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
MENDED = TYPO.replace("totl", "total")
SHAPE = json.loads((Path(__file__).parent / "sarif-shape.json").read_text())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "typo.ax").write_text(TYPO)
    (tmp_path / "fine.ax").write_text(MENDED)
    return tmp_path


def check_json(*arguments: str, cwd: Path, stdin: str | None = None) -> Any:
    done = run("check", "--json", *arguments, cwd=cwd, stdin=stdin)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_report(folder: Path) -> None:
    done = run("check", "typo.ax", cwd=folder)
    assert done.returncode == 1
    assert done.stderr == ""
    assert "error[E003] undefined variable: totl\n --> typo.ax:3:5\n  |\n3 |     totl\n  |     ^^^^\n" in done.stdout
    assert "fix(E003-rename-totl): rename 'totl' to 'total' [confidence: Medium]" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("1 error")
    assert done.stdout.count("did you mean") == 1


def test_nothing_found(folder: Path) -> None:
    done = run("check", "fine.ax", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "no diagnostics in 1 file\n", "")


def test_a_mistake_whose_error_lies_elsewhere_counts_once(folder: Path) -> None:
    """The reference reports the trailing comma at the parenthesis behind it."""
    (folder / "comma.ax").write_text("fn f(a: Int) -> Int { a }\nfn main() -> Int {\n    f(\n        1,\n    )\n}\n")
    done = run("check", "comma.ax", cwd=folder)
    assert done.stdout.count("error[E002]") == 1
    assert done.stdout.splitlines()[-1] == "1 error in 1 file"


def test_the_totals_count_what_is_shown(folder: Path) -> None:
    """That `apply` is never used is no fault of its own: only tools are told, since its own name may be the misspelt one."""
    misspelt = "fn apply(a: Int) -> Int { a }\nfn main() -> Int { aply(1) }\n"
    (folder / "called.ax").write_text(misspelt)
    for arguments in (("called.ax",), ("called.ax", "--disk"), ("-",)):
        done = run("check", *arguments, cwd=folder, stdin=misspelt)
        assert done.stdout.count("error[E003]") == 1
        assert done.stdout.splitlines()[-1] == "1 error in 1 file"
        answer = check_json(*arguments, cwd=folder, stdin=misspelt)
        assert [(each["id"], each.get("shown", "as it is")) for each in answer["diagnostics"]] == [
            ("W501", None),
            ("E003", "as it is"),
        ]
        assert answer["diagnostics_count"] == 2


def test_documents_of_a_folder_are_checked_like_programs(folder: Path) -> None:
    (folder / "typo.ax").unlink()
    (folder / "other.json").write_text("{")
    assert run("check", ".", cwd=folder).stdout == "no diagnostics in 1 file\n"
    (folder / "workflow.json").write_text('{"name": "w", "version": "1", "steps": 3}')
    done = run("check", ".", "--fix", cwd=folder)
    assert done.returncode == 1
    assert " --> workflow.json:1:" in done.stdout
    assert done.stdout.endswith(" in 2 files\n")


def test_the_underline_stands_below_wide_characters_and_tabs(folder: Path) -> None:
    text = 'fn main() -> String {\n\t"日本" ++ totl\n}\n'
    lines = run("check", "-", stdin=text, cwd=folder).stdout.splitlines()
    quote = next(index for index, line in enumerate(lines) if "日本" in line)
    assert lines[quote] == '2 |     "日本" ++ totl'
    # Each of the two characters takes two columns of a terminal.
    assert lines[quote + 1] == "  | " + " " * (4 + 6 + 4) + "^^^^"
    assert "<stdin>:2:14" in lines[quote - 2]


def test_a_program_cannot_forge_the_report(folder: Path) -> None:
    text = 'fn main() -> String { "\x1b[31m\u202e" ++ totl }\n'
    done = run("check", "-", stdin=text, cwd=folder)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert r'"\u{1b}[31m\u{202e}" ++ totl' in done.stdout


def test_json_of_one_file_is_the_tools_answer(folder: Path) -> None:
    answer = check_json("typo.ax", cwd=folder)
    assert answer["success"] is True
    assert answer["protocol_version"] == 1
    assert answer["file"] == "typo.ax"
    assert answer["diagnostics_count"] == len(answer["diagnostics"])
    assert answer["freshness"]["source"] == "disk"
    (error,) = [found for found in answer["diagnostics"] if found["severity"] == "error"]
    assert error["id"] == "E003"
    assert {key: error["location"][key] for key in ("file", "line", "col", "end_line", "end_col", "span_len")} == {
        "file": "typo.ax",
        "line": 3,
        "col": 5,
        "end_line": 3,
        "end_col": 9,
        "span_len": 4,
    }


def test_json_of_several_files(folder: Path) -> None:
    done = run("check", "--json", cwd=folder)
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert [one["file"] for one in answer["files"]] == ["fine.ax", "typo.ax"]
    assert answer["summary"]["files"] == 2
    assert answer["summary"]["errors"] == 1
    assert answer["summary"]["unreadable"] == 0


def test_standard_input_sees_the_workspace(folder: Path) -> None:
    library = folder / "libs" / "mine" / "src"
    library.mkdir(parents=True)
    (folder / "boruna.toml").write_text("")
    (library / "core.ax").write_text("export fn helper() -> Int { 1 }\n")
    text = 'import "mine"\nfn main() -> Int { helper() }\n'
    assert check_json("-", cwd=folder, stdin=text)["diagnostics"] == []
    unknown = check_json("-", cwd=folder, stdin=text.replace("mine", "yours"))["diagnostics"]
    assert unknown[0]["id"] == "E013"


def test_sarif(folder: Path) -> None:
    done = run("check", "--sarif", ".", "missing.ax", cwd=folder)
    assert done.returncode == 1
    log = json.loads(done.stdout)
    jsonschema.validate(log, SHAPE)
    (one,) = log["runs"]
    assert one["invocations"][0]["executionSuccessful"] is False
    (result,) = [result for result in one["results"] if result["level"] == "error"]
    assert result["ruleId"] == one["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "E003"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "typo.ax"
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9}
    replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert replacement["deletedRegion"] == place["region"]
    assert replacement["insertedContent"] == {"text": "total"}


def test_github(folder: Path) -> None:
    (folder / "a,b%.ax").write_text("fn main() {\n    (\n}\n")
    lines = run("check", "--github", "a,b%.ax", "typo.ax", cwd=folder).stdout.splitlines()
    assert any(line.startswith("::error file=a%2Cb%25.ax,line=") for line in lines)
    typo = next(line for line in lines if "typo.ax" in line and line.startswith("::error"))
    assert typo.startswith("::error file=typo.ax,line=3,endLine=3,col=5,endColumn=9,title=E003::undefined variable: totl")


def test_fix(folder: Path) -> None:
    done = run("check", "--fix", cwd=folder)
    assert done.returncode == 0
    assert (folder / "typo.ax").read_text() == MENDED
    assert done.stdout == "no diagnostics in 2 files\n"


def test_unreadable_files_are_named(folder: Path) -> None:
    done = run("check", "typo.ax", "missing.ax", cwd=folder)
    assert done.returncode == 1
    assert "E003" in done.stdout
    assert done.stderr == "error: missing.ax: no such file or directory\n"
    assert json.loads(run("check", "--json", "missing.ax", cwd=folder).stdout)["success"] is False
    (folder / "bytes.ax").write_bytes(b"fn main() {}\n\xff")
    done = run("check", "bytes.ax", cwd=folder)
    assert done.returncode == 1
    assert "error[E014] file is not valid UTF-8: byte 0xFF at offset 13" in done.stdout
    assert "--> bytes.ax:1:1" in done.stdout
    assert "help: only UTF-8 text of at most 1 MB is checked" in done.stdout


def test_only_warnings_are_no_failure(folder: Path) -> None:
    (folder / "hint.ax").write_text("fn main() -> Int {\n    let unused = 1\n    2\n}\n")
    done = run("check", "hint.ax", cwd=folder)
    assert done.returncode == 0
    assert "hint[W501]" in done.stdout


def test_a_mistake_in_the_settings_is_told(folder: Path) -> None:
    (folder / "boruna.toml").write_text("[check]\nnonsense = 1\n")
    done = run("check", "fine.ax", cwd=folder)
    assert done.returncode == 0
    assert "warning: boruna.toml:2: unknown setting `check.nonsense`" in done.stderr


def test_watch(folder: Path) -> None:
    # A child of a process that ignores SIGINT, as jobs in the background do, would ignore it, too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        watched(folder)
    finally:
        signal.signal(signal.SIGINT, before)


def watched(folder: Path) -> None:
    line = [command("boruna-ls"), "check", "--watch"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert until(process.stdout.readline, "in 2 files").startswith("1 error")
            (folder / "typo.ax").write_text(MENDED)
            assert until(process.stdout.readline, "in 2 files") == "no diagnostics in 2 files\n"
            (folder / "new.ax").write_text(TYPO)
            assert until(process.stdout.readline, "in 3 files").startswith("1 error")
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert run("check", "--watch", "--json", cwd=folder).returncode == 2


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["--json", "--sarif"], "choose one of --json, --sarif"),
        (["--fix", "-"], "--fix cannot be used with standard input; use `boruna-ls repair -`"),
        (["--watch", "-"], "--watch cannot be used with standard input; name files or folders"),
        (["--watch", "--fix"], "--watch cannot be combined with --json, --sarif, --github or --fix"),
        (["--libs-dir", "missing"], "Directory 'missing' does not exist"),
    ],
)
def test_options_that_cannot_be_meant(folder: Path, arguments: list[str], told: str) -> None:
    done = run("check", *arguments, cwd=folder, stdin=TYPO)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert (folder / "typo.ax").read_text() == TYPO


def test_fix_tells_what_it_did(folder: Path) -> None:
    assert run("check", "--fix", cwd=folder).stderr == "typo.ax: applied 1 patch\n"
    assert run("check", "--fix", cwd=folder).stderr == ""


def test_nobody_listens(folder: Path) -> None:
    line = f"exec {command('boruna-ls')} check typo.ax >&-"
    done = subprocess.run(["/bin/sh", "-c", line], cwd=folder, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(AS_ANYBODY is None, reason="the superuser may read every file")
def test_what_may_not_be_read_has_a_finding_and_folders_are_named(folder: Path) -> None:
    assert AS_ANYBODY is not None
    (folder / "fine.ax").chmod(0)
    (folder / "closed").mkdir(0)
    line = [*AS_ANYBODY, command("boruna-ls"), "check"]
    done = subprocess.run([*line, "--json", "fine.ax"], cwd=folder, capture_output=True, text=True)
    (found,) = json.loads(done.stdout)["diagnostics"]
    assert (done.returncode, found["id"], found["message"]) == (1, "E014", "file cannot be read: permission denied")
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True)
    assert f"warning: {folder / 'closed'} could not be listed: permission denied\n" in done.stderr


def until(read: Callable[[], str], part: str) -> str:
    """The first line that holds a text; the test's own time limit ends a wait in vain."""
    while line := read():
        if part in line:
            return line
    raise AssertionError(f"the output ended without {part!r}")


def test_settings_that_do_not_count_are_said_by_every_command(folder: Path) -> None:
    settings = folder / "boruna.toml"
    settings.write_text("[check]\nselekt = []\n")
    for line in (("check", "typo.ax"), ("check", "."), ("fmt", "fine.ax"), ("repair", "fine.ax"), ("run", "fine.ax")):
        assert "unknown setting `check.selekt`: did you mean `select`?" in run(*line, cwd=folder).stderr, line
    assert "error[E003]" in run("check", "typo.ax", cwd=folder).stdout
    (folder / "typo.ax").unlink()
    for place in ("fine.ax", "."):
        assert run("check", place, cwd=folder).returncode == 0
    settings.unlink()
    settings.mkdir()
    done = run("check", "fine.ax", cwd=folder)
    assert "boruna.toml counts as empty" in done.stderr


def test_values_that_a_fix_invents_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.ax").write_text("fn f(a: Int) -> Int { a }\n\nfn main() -> Int { f() }\n", encoding="utf-8")
    done = run("check", "--fix", cwd=tmp_path)
    assert (tmp_path / "a.ax").read_text(encoding="utf-8").endswith("fn main() -> Int { f(0) }\n")
    assert (done.returncode, done.stdout) == (1, "no diagnostics in 1 file\n")
    assert "error: a.ax:3: placeholder (pass `0` for 'a'): replace it\n" in done.stderr
