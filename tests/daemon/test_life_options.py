"""The options of a forwarder's command line: each client's own in a daemon that many share, and refused where they are bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.daemon import Agent
from tests.support.mcp_lines import call

PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


def test_options_are_each_client_s_own(place: Path, tmp_path: Path) -> None:

    library = tmp_path / "libs" / "extra" / "src"
    library.mkdir(parents=True)
    (library / "core.ax").write_text("export fn twice(n: Int) -> Int {\n    n * 2\n}\n")
    program = 'import "extra"\nfn main() -> Int {\n    twice(21)\n}\n'
    with_it = Agent(Path("/"), "--libs-dir", str(tmp_path / "libs"), "--read-only").open()
    without = Agent(Path("/")).open()
    relative = Agent(tmp_path, "--libs-dir", "libs").open()
    found = [agent.check(source=program)["diagnostics_count"] for agent in (with_it, without, relative)]
    assert (found[0], found[1] > 0, found[2]) == (0, True, 0)
    refused = with_it.ask(call(1, "boruna_run", source=PROGRAM))
    assert "error" in refused or refused["result"]["isError"]
    assert without.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["success"]
    for agent in (with_it, without, relative):
        agent.leave()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["mcp", "--tools", "boruna_chek"], "no tool is named 'boruna_chek'"),
        (["mcp", "--deadline", "0"], "must be more than 0 and at most 3600"),
        (["mcp", "--nonsense"], "No such option '--nonsense'"),
        (["lsp", "--nonsense"], "No such option '--nonsense'"),
    ],
)
def test_bad_options_are_refused_as_without_a_daemon(place: Path, arguments: list[str], words: str) -> None:
    for more in ([], ["--standalone"]):
        done = run(*arguments, *more, stdin="")
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_version_and_help_start_nothing(place: Path) -> None:
    for arguments in (["mcp", "--version"], ["lsp", "--version"], ["mcp", "--help"], ["lsp", "--help"]):
        done = run(*arguments, stdin="")
        assert (done.returncode, done.stderr, bool(done.stdout)) == (0, "", True)
    assert not place.exists()
