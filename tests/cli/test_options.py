"""The options of `lsp` and `mcp`: the forwarder's reader and click agree about every command line."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boruna_ls.command_options import parse
from boruna_ls.forwarder.options import OPTIONS, defaults, line_of, read

WORDS = [option.written for option in OPTIONS["mcp"]]
VALUES = [
    "/libs",
    "libs",
    "language,run",
    " a , b,,",
    "",
    "5",
    "0",
    "3601",
    "nan",
    "1e3",
    "-1",
    "-",
    "--",
    "--nonsense",
    "--help",
    "é",
]
ARGUMENT = st.sampled_from([*WORDS, *VALUES]) | st.builds("{}={}".format, st.sampled_from(WORDS), st.sampled_from(VALUES))


@given(st.sampled_from(["lsp", "mcp"]), st.lists(ARGUMENT, max_size=6))
def test_what_the_reader_takes_click_takes_alike(protocol: str, line: list[str]) -> None:
    found = read(protocol, line)
    if found is None:
        return
    assert parse(protocol, line, "program") == found
    assert read(protocol, line_of(protocol, found)) == found


@pytest.mark.parametrize(
    "line, name, value",
    [
        (["--read-only"], "read_only", True),
        (["--toolsets", "language, run"], "toolsets", ["language", "run"]),
        (["--toolsets=run", "--toolsets=app"], "toolsets", ["app"]),
        (["--deadline=1.5", "--stdio"], "deadline", 1.5),
        (["--libs-dir", "/srv/../libs"], "libs_dir", "/libs"),
    ],
)
def test_the_usual_forms_are_read_without_click(line: list[str], name: str, value: object) -> None:
    assert read("mcp", line) == {**defaults("mcp"), name: value, **({"stdio": True} if "--stdio" in line else {})}


@pytest.mark.parametrize(
    "line, words",
    [
        (["--nonsense"], "No such option '--nonsense'"),
        (["--deadline", "0"], "must be more than 0 and at most 3600 seconds, not 0"),
        (["--libs-dir"], "Option '--libs-dir' requires an argument"),
        (["file.ax"], "Got unexpected extra argument (file.ax)"),
        (["--read-only=yes"], "does not take a value"),
    ],
)
def test_a_mistake_is_told_by_click(line: list[str], words: str) -> None:
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error), pytest.raises(SystemExit) as ended:
        parse("mcp", line, "boruna-mcp")
    assert (ended.value.code, out.getvalue()) == (2, "")
    assert "Error: " in error.getvalue()
    assert words in error.getvalue()
