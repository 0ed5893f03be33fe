"""`boruna-ls check FILE`: by the daemon where one runs, else without the command line's libraries; all print the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.diagnostics.diagnostic import Severity
from boruna_ls.cli.totals import SEVERITIES
from boruna_ls.rendezvous import wire
from boruna_ls.rendezvous.ask import ask
from boruna_ls.workspace.uris import uri_of
from tests.support.commands import command, run
from tests.support.lsp import RawClient

BROKEN = 'fn main() -> Int {\n    let total = 1\n    totl + "\u202e🙂"\n}\n\nfn unused(a: Int) {\n'
FINE = "fn main() -> Int {\n    1\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "boruna.toml").write_text("[check]\nselekt = []\n", encoding="utf-8")
    for name, text in (("broken.ax", BROKEN), ("fine.ax", FINE), ("crlf.ax", BROKEN.replace("\n", "\r\n"))):
        (tmp_path / "work" / name).write_bytes(text.encode())
    (tmp_path / "work" / "bytes.ax").write_bytes(b"fn main() -> Int { 1 }\xff\n")
    return tmp_path / "work"


@pytest.fixture
def editor(place: Path, folder: Path) -> Iterator[RawClient]:
    """An editor of a daemon of its own, which is loaded when it has answered."""
    with RawClient(folder, [command("boruna-ls"), "lsp"]) as client:
        client.initialize(rootUri=uri_of(str(folder)))
        client.open(uri_of(str(folder / "fine.ax")), FINE, 1)
        client.published(uri_of(str(folder / "fine.ax")), 1)
        yield client


def checked(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = run("check", *arguments, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def without_state(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer without what names the process that gave it."""
    return {
        **answer,
        "freshness": {key: answer["freshness"][key] for key in answer["freshness"].keys() - {"revision", "coverage"}},
    }


def test_the_daemon_prints_what_this_process_prints(place: Path, folder: Path) -> None:
    names = ("broken.ax", "fine.ax", "crlf.ax", "bytes.ax", "./broken.ax", "missing.ax")
    alone = {name: checked(folder, name) for name in names}
    for name in ("broken.ax", "bytes.ax"):
        assert checked(folder, "--no-ignore", name) == alone[name]  # by the whole command line
    with RawClient(folder, [command("boruna-ls"), "lsp"]) as client:
        client.initialize(rootUri=uri_of(str(folder)))
        client.open(uri_of(str(folder / "other.ax")), FINE, 1)
        client.published(uri_of(str(folder / "other.ax")), 1)
        for name in names:
            assert checked(folder, name) == alone[name]
            by_daemon = json.loads(checked(folder, "--json", name)[1])
            by_process = json.loads(checked(folder, "--disk", "--json", name)[1])
            if name == "missing.ax":
                assert by_daemon["error_kind"] == by_process["error_kind"]
            else:
                assert without_state(by_daemon) == without_state(by_process)


@pytest.mark.usefixtures("editor")
def test_nothing_of_the_analysis_is_imported(folder: Path) -> None:
    line = [sys.executable, "-X", "importtime", command("boruna-ls"), "check", "fine.ax"]
    done = subprocess.run(line, cwd=folder, capture_output=True, timeout=60)
    assert done.returncode == 0
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    assert "boruna_ls.cli.quick" in imported
    assert not any(name.startswith(("analysis", "boruna_ls.workspace", "click", "rich")) for name in imported)


def test_without_a_daemon_neither_click_nor_rich_is_imported(place: Path, folder: Path) -> None:
    line = [sys.executable, "-X", "importtime", command("boruna-ls"), "check", "broken.ax"]
    done = subprocess.run(line, cwd=folder, capture_output=True, timeout=60)
    assert (done.returncode, b"undefined" in done.stdout) == (1, True)
    imported = {row.rpartition(b"|")[2].strip().decode() for row in done.stderr.splitlines() if b"|" in row}
    slow = ("click", "rich.console", "rich.text", "pydantic", "asyncio", "concurrent", "analysis.documents.kinds")
    assert "boruna_ls.answers.file_report" in imported
    assert not any(name.startswith(slow) for name in imported)


def test_the_screen_and_the_disk_count(editor: RawClient, folder: Path) -> None:
    assert "no diagnostics" not in checked(folder, "broken.ax")[1]
    (folder / "broken.ax").write_text(FINE, encoding="utf-8")
    assert checked(folder, "broken.ax")[1] == "no diagnostics in 1 file\n"
    uri = uri_of(str(folder / "fine.ax"))
    editor.change(uri, 2, {"text": BROKEN})
    editor.published(uri, 2)
    status, out, told = checked(folder, "fine.ax")
    assert (status, "fine.ax:" in out, told.startswith("fine.ax (unsaved text of an editor)\n")) == (1, True, True)
    assert checked(folder, "--disk", "fine.ax")[0] == 0


@pytest.mark.usefixtures("editor")
def test_another_package_and_nonsense_are_refused(place: Path, folder: Path) -> None:
    path = str(folder / "fine.ax")
    wrong: tuple[dict[str, Any], ...] = (
        {"version": "0.0.1"},
        {"package": "/elsewhere/boruna_ls"},
        {"path": 7},
        {"name": None},
        {"cwd": []},
    )
    for more in wrong:
        arguments: dict[str, Any] = {"name": "fine.ax", "path": path, "package": wire.PACKAGE, **more}
        answer = ask(str(place), "check", **arguments)
        assert answer is not None
        assert set(answer) == {"error"}
    assert ask(str(place), "status") is not None


def test_severities() -> None:
    assert tuple(severity.value for severity in Severity) == SEVERITIES
