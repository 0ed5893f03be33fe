"""Names that nobody uses: paths of any length, files that are none, other spellings of a URI."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import time
import tracemalloc
from pathlib import Path

import pytest

from boruna_ls.rendezvous.ask import ask
from boruna_ls.workspace import FileUnavailable, Host
from boruna_ls.workspace.spelling import resolved
from tests.support.commands import command, run
from tests.support.daemon import editor, is_running, status, until
from tests.support.lsp import edit
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, request

PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"
MEGABYTE = 1 << 20


@pytest.mark.parametrize("path", ["a/" * 50_000 + "b.ax", "/" + "a/" * 50_000 + "b.ax", "../" * 40_000 + "b.ax", "x" * 100_000])
def test_a_long_path_costs_nothing(tmp_path: Path, path: str) -> None:
    host = Host()
    client = host.connect([str(tmp_path)])
    tracemalloc.start()
    begun = time.perf_counter()
    with pytest.raises(FileUnavailable, match="no path has more than 4096"):
        resolved(path, client.folders)
    for asked in (path, str(tmp_path / path)):
        with pytest.raises(FileUnavailable):
            host.file_for_agent(asked)
        host.inline(PROGRAM, asked)
        assert host.canonical(asked) == asked
        host.open(client, asked, PROGRAM)
        host.close(client, asked)
    assert time.perf_counter() - begun < 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * MEGABYTE


def test_an_agent_is_told_that_its_path_is_too_long(tmp_path: Path) -> None:
    with LineServer(cwd=str(tmp_path)) as server:
        server.ask(initialize())
        server.send(INITIALIZED)
        path = "a/" * 50_000 + "b.ax"
        for question in (
            call(1, "boruna_check", path=path),
            call(2, "boruna_check", source=PROGRAM, file_name=f"/{path}"),
            call(3, "find_references", path=path, symbol="main"),
            call(4, "workspace_diagnostics", paths=[path]),
            request(5, "resources/read", {"uri": f"boruna://file/{path}"}),
        ):
            answer = server.ask(question)
            assert "internal" not in str(answer)
        assert server.ask(call(6, "boruna_check", source=PROGRAM))["result"]["structuredContent"]["success"]
        children = Path(f"/proc/{server.process.pid}/status").read_text()
        resident = int(children.partition("VmHWM:")[2].split()[0]) * 1024
        assert resident < 400 * MEGABYTE


@pytest.mark.parametrize("path", ["/proc/kmsg", "/dev/zero", "/proc/self/mem", "/sys/kernel/notes"])
def test_files_of_the_system_are_answers(tmp_path: Path, path: str) -> None:
    (tmp_path / "a.ax").write_text(PROGRAM)
    (tmp_path / "k.ax").symlink_to(path)
    for asked in (".", "k.ax", path):
        for _ in range(2):
            done = run("check", asked, cwd=tmp_path)
            assert done.returncode in (0, 1), done
            assert "internal error" not in done.stderr


def crash(place: Path) -> None:
    pid = status(place)["pid"]
    os.kill(pid, signal.SIGKILL)
    until(lambda: not is_running(pid))


def test_another_spelling_of_a_uri_is_the_same_document_after_a_crash(place: Path, tmp_path: Path) -> None:
    file = tmp_path / "pro gram.ax"
    file.write_text(PROGRAM)
    plain, other = file.as_uri(), file.as_uri().replace("/pro", "/./%70ro").replace("file:///", "FILE://localhost/")
    with editor(tmp_path) as client:
        client.initialize()
        client.open(plain, PROGRAM)
        client.published(plain, 1)
        client.change(other, 2, edit((1, 4), (1, 6), "nothing"))

        def shown() -> dict[str, str]:
            found = ask(str(place), "texts", 10, roots=[str(tmp_path)])
            return {path: one["text"] for path, one in (found or {}).get("texts", {}).items()}

        until(lambda: "nothing" in shown().get(str(file), ""))
        for close in (False, True):
            if close:
                client.notify("textDocument/didClose", {"textDocument": {"uri": other}})
                until(lambda: not shown())
            crash(place)
            client.call("workspace/symbol", {"query": ""})
            if close:
                assert shown() == {}
            else:
                until(lambda: "nothing" in shown().get(str(file), ""))


NAMES = ("new\nline.ax", "esc\x1b[31mred.ax", "bidi\u202egnp.ax", "::error file=x,line=1::y.ax", "bell\x07.ax", "c1\x9b31m.ax")


@pytest.mark.parametrize("options", [(), ("--github",), ("--json",), ("--sarif",)], ids=str)
def test_names_of_a_clone_reach_no_terminal_as_they_are(tmp_path: Path, options: tuple[str, ...]) -> None:
    """What a terminal would obey, or what would be another line or another order of the text for its reader."""
    for name in NAMES:
        (tmp_path / name).write_text("fn main() -> Int { missing }\n")
    (tmp_path / os.fsdecode(b"bytes\xff\xfe.ax")).write_text("fn main() -> Int { missing }\n")
    for line in (("check", *options), ("fmt", "--check")):
        said = run(*line, ".", "--disk", cwd=tmp_path) if line[0] == "check" else run(*line, ".", cwd=tmp_path)
        shown = said.stdout + said.stderr
        assert "gnp.ax" in shown
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", shown)
        assert not re.search(r"^::error file=x", shown, re.MULTILINE)
        if options == ("--json",) and line[0] == "check":
            files = {each["file"] for each in json.loads(said.stdout)["files"]}
            assert files == {*NAMES, os.fsdecode(b"bytes\xff\xfe.ax")}


HIDDEN = "\x1b]0;title\x07\x1b[31m\u202e\x9b31m"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


def test_what_programs_and_workflows_hold_reaches_no_terminal_as_it_is(tmp_path: Path) -> None:
    """Text of a clone in listings, in JSON, in ids of fixes and in the names of formatted files."""
    step = {"kind": "source", "source": "a.ax", "capabilities": [HIDDEN]}
    document = {"schema_version": 1, "name": HIDDEN, "version": "1.0.0", "steps": {HIDDEN: step}, "edges": []}
    (tmp_path / "workflow.json").write_text(json.dumps(document))
    program = f'fn main() -> String {{ "{HIDDEN}" }}\n'
    (tmp_path / "a.ax").write_text(program)
    (tmp_path / "debug.ax").write_text(f'fn main() -> String {{ __builtin_debug_msg("{HIDDEN}", "{HIDDEN}") }}\n')
    (tmp_path / "imports.ax").write_text('import "none\x1b[31m"\nfn main() -> Int { 1 }\n')
    (tmp_path / "esc\x1b[31m.ax").write_text("fn main()->Int{1}")
    lines = (
        ("check", "imports.ax", "--disk"),
        ("inspect", "a.ax"),
        ("run", "debug.ax"),
        ("trace", "debug.ax"),
        ("fmt", "esc\x1b[31m.ax"),
        ("fmt", "esc\x1b[31m.ax"),
        ("workflow", "find", ".", "--json"),
        ("workflow", "run", "."),
        ("workflow", "list", "--json"),
        ("workflow", "show", "none\x1b[31m"),
    )
    for line in lines:
        said = run(*line, cwd=tmp_path)
        assert not RAW.search(said.stdout + said.stderr), (line, said)
    assert json.loads(run("workflow", "list", "--json", cwd=tmp_path).stdout)[0]["workflow_name"] == HIDDEN


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals")
@pytest.mark.parametrize(("line", "word"), [(("fmt", "--diff"), b"@@"), (("ast",), b"items")])
def test_what_is_exact_in_a_pipe_is_harmless_on_a_terminal(tmp_path: Path, line: tuple[str, ...], word: bytes) -> None:
    (tmp_path / "a.ax").write_text(f'fn main()->String{{"{HIDDEN}"}}\n')
    assert "\x9b31m" in run(*line, "a.ax", cwd=tmp_path).stdout
    ours, theirs = os.openpty()
    shown = b""
    with subprocess.Popen([command("boruna-ls"), *line, "a.ax"], stdout=theirs, stderr=theirs, cwd=tmp_path):
        os.close(theirs)
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
            while part := os.read(ours, 4096):
                shown += part
    os.close(ours)
    assert word in shown
    assert not RAW.search(shown.decode().replace("\r\n", "\n")), shown


def test_commands_to_copy_are_safe_in_a_shell(tmp_path: Path) -> None:
    # The id of a step comes from the workflow; what is printed to be typed must mean that id and nothing else.
    step = "a; touch $HOME/x `id` 'b'"
    document = {
        "schema_version": 1,
        "name": "w",
        "version": "1.0.0",
        "steps": {step: {"kind": "approval_gate", "required_role": "r"}},
        "edges": [],
    }
    (tmp_path / "workflow.json").write_text(json.dumps(document))
    paused = run("workflow", "run", ".", "--data-dir", "a b", cwd=tmp_path).stderr
    words = shlex.split(paused.partition("Run: ")[2])
    assert (words[:3], words[4:]) == (["boruna-ls", "workflow", "approve"], [step]), paused
    approved = run(*words[1:], "--data-dir", "a b", cwd=tmp_path).stdout
    assert shlex.split(approved.split("`")[-2])[-2:] == ["--data-dir", "a b"], approved
