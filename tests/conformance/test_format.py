"""The formatter's pairs and command lines of the corpus, judged by the corpus's own check.py."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command
from tests.support.corpus import CONFORMANCE, tool
from tests.support.improvements import improvements
from tests.support.score import SCORES, Score

SUBCOMMANDS = {"fmt", "ast", "literate"}

check = tool(CONFORMANCE / "format" / "check.py")
start_process: Callable[[list[str], list[str], dict[str, str]], dict[str, Any]] = check.run


def test_pairs_and_command_lines(
    corpus: Callable[[str], Path], tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 200 processes would take a minute; the function of the console script is called in this one instead, and
    # test_the_process_does_what_the_function_does holds the two together.
    monkeypatch.setattr(check, "run", in_this_process)
    folder = shutil.copytree(corpus("format"), tmp_path / "format")
    left_out = keep_existing_commands(folder / "cli.jsonl")
    total, bad = check.check(["boruna-ls"], folder)
    differences = [(line.partition(":")[0], line) for line in bad]
    request.config.stash[SCORES]["format"] = Score(total, left_out, differences)
    allowed = improvements("format")
    assert total > 77
    assert [line for case, line in differences if case not in allowed] == []
    assert set(allowed) - {case for case, _ in differences} == set(), "equal by now: take the rows out"


def keep_existing_commands(file: Path) -> int:
    """Drops the command lines of sub-commands that do not exist yet; how many these were."""
    cases = check.read_lines(file)
    kept = [case for case in cases if case["args"][0] in SUBCOMMANDS]
    file.write_text("".join(json.dumps(case) + "\n" for case in kept), encoding="utf-8")
    return len(cases) - len(kept)


def test_the_process_does_what_the_function_does(corpus: Callable[[str], Path]) -> None:
    lines = [case for case in check.read_lines(corpus("format") / "cli.jsonl") if case["args"][0] in SUBCOMMANDS]
    cases = {case["exit"]: case for case in reversed(lines)}
    assert len(cases) >= 3
    for case in cases.values():
        answer = start_process([command("boruna-ls")], case["args"], case["files"])
        assert answer == in_this_process(["boruna-ls"], case["args"], case["files"])


def in_this_process(program: list[str], arguments: list[str], files: dict[str, str]) -> dict[str, Any]:
    """check.py's `run` with `subprocess.run` replaced by a call of the console script's function."""
    original = check.subprocess.run
    check.subprocess.run = call_main
    try:
        return start_process(program, arguments, files)
    finally:
        check.subprocess.run = original


def call_main(line: list[str], cwd: Path, capture_output: bool) -> Finished:
    """The console script does `sys.exit(main())`, so this reads the arguments and the exit status in the same way."""
    assert capture_output
    main = entry_points(group="console_scripts")["boruna-ls"].load()
    before, arguments = Path.cwd(), sys.argv
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    os.chdir(cwd)
    sys.argv = line
    try:
        with redirect_stdout(out), redirect_stderr(err):
            sys.exit(main())
    except SystemExit as stop:
        return Finished(stop.code, out, err)
    finally:
        sys.argv = arguments
        os.chdir(before)


class Finished:
    """The part of `subprocess.CompletedProcess` that check.py reads."""

    def __init__(self, code: str | int | None, out: io.TextIOWrapper, err: io.TextIOWrapper) -> None:
        self.returncode = code if isinstance(code, int) else int(code is not None)
        self.stdout, self.stderr = (written(stream) for stream in (out, err))


def written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()
