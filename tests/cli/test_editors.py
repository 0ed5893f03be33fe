"""The command line beside a live editor: it sees what is on screen, says so, and writes no file behind the editor's back."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.rendezvous import places
from boruna_ls.workspace.uris import uri_of
from tests.support.commands import command, run
from tests.support.daemon import stopped, until
from tests.support.lsp import RawClient

SAVED = "fn main() -> Int {\n    5 + 6\n}\n"
UNSAVED = 'import "shop"\n\nfn main() -> Int {\n    twice(4)+missing\n}\n'
RUNS = UNSAVED.replace("+missing", "")
LIBRARY = "export fn twice(n: Int) -> Int {\n    n * 2\n}\n"
NOTE = "(unsaved text of an editor)"


class Editor:
    """A language client of the user's daemon with a folder open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = RawClient(folder, [command("boruna-ls"), "lsp"])
        self.client.initialize(rootUri=uri_of(str(folder)))
        self._version = 0
        self._opened: set[str] = set()

    def show(self, name: str, text: str) -> None:
        """Opens a file, or changes it, and waits until the server has seen that."""
        self._version += 1
        uri = uri_of(str(self.folder / name))
        if name not in self._opened:
            self._opened.add(name)
            self.client.open(uri, text, self._version)
        else:
            self.client.change(uri, self._version, {"text": text})
        self.client.published(uri, self._version)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    (tmp_path / "libs/shop/src/core.ax").write_text(LIBRARY, encoding="utf-8")
    for name in ("app.ax", "other.ax"):
        (tmp_path / name).write_text(SAVED, encoding="utf-8")
    return tmp_path


@pytest.fixture
def editor(folder: Path) -> Iterator[Editor]:
    made = Editor(folder)
    with made.client:
        yield made


def test_readers_see_what_is_on_screen(editor: Editor, folder: Path) -> None:
    editor.show("app.ax", UNSAVED)
    told = json.loads(run("check", "--json", "app.ax", cwd=folder).stdout)
    assert [one["id"] for one in told["diagnostics"] if one["severity"] == "error"] == ["E003"]
    assert (told["freshness"]["source"], told["freshness"]["unsaved"]) == ("editor", True)
    several = run("check", cwd=folder)
    assert (several.returncode, several.stderr.count(NOTE)) == (1, 1)
    assert f"app.ax {NOTE}" in several.stderr
    assert "undefined variable: missing" in several.stdout
    disk = run("check", "--disk", cwd=folder)
    assert (disk.returncode, disk.stderr) == (0, "")
    disk_told = json.loads(run("check", "--disk", "--json", "app.ax", cwd=folder).stdout)
    assert (disk_told["freshness"]["source"], disk_told["freshness"]["unsaved"]) == ("disk", False)


def test_programs_run_as_they_are_on_screen(editor: Editor, folder: Path) -> None:
    editor.show("app.ax", RUNS)
    assert run("run", "app.ax", cwd=folder).stdout.startswith("8\n")
    assert run("run", "--disk", "app.ax", cwd=folder).stdout.startswith("11\n")
    assert '"shop"' in run("ast", "app.ax", cwd=folder).stdout
    assert "result: 8" in run("trace", "app.ax", cwd=folder).stdout
    # A library that is being edited counts for those that import it.
    editor.show("libs/shop/src/core.ax", LIBRARY.replace("* 2", "* 3"))
    told = run("run", "app.ax", cwd=folder)
    assert (told.stdout.split()[0], told.stderr.count(NOTE)) == ("12", 1)
    for name in ("symbols", "inspect", "size", "caps"):
        done = run(name, "app.ax", cwd=folder)
        assert (done.returncode, NOTE in done.stderr, NOTE in done.stdout) == (0, True, False)
    # What is saved is what is on disk.
    (folder / "app.ax").write_text(RUNS, encoding="utf-8")
    assert NOTE not in run("ast", "app.ax", cwd=folder).stderr


def test_a_file_that_only_an_editor_has(editor: Editor, folder: Path) -> None:
    editor.show("new.ax", UNSAVED)
    done = run("check", cwd=folder)
    assert "--> new.ax:4:" in done.stdout
    assert "new.ax" not in run("check", "--disk", cwd=folder).stdout


def test_another_spelling_of_the_path(editor: Editor, folder: Path) -> None:
    editor.show("app.ax", UNSAVED)
    link = folder.parent / f"{folder.name}-link"
    link.symlink_to(folder)
    done = run("check", str(link / "app.ax"))
    assert (done.returncode, NOTE in done.stderr) == (1, True)


def test_writers_refuse_what_is_unsaved_and_go_on_with_the_rest(editor: Editor, folder: Path) -> None:
    typo = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
    for name in ("app.ax", "other.ax"):
        (folder / name).write_text(typo, encoding="utf-8")
    editor.show("app.ax", typo + "// being written\n")
    words = "app.ax: has unsaved changes in an editor: save them first, or use --disk"
    fixed = run("check", "--fix", "app.ax", "other.ax", cwd=folder)
    assert words in fixed.stderr
    assert (folder / "app.ax").read_text(encoding="utf-8") == typo
    assert "    total\n" in (folder / "other.ax").read_text(encoding="utf-8")
    (folder / "other.ax").write_text("fn main()->Int{1}\n", encoding="utf-8")
    (folder / "app.ax").write_text("fn main()->Int{2}\n", encoding="utf-8")
    formatted = run("fmt", cwd=folder)
    assert (formatted.returncode, words in formatted.stderr) == (1, True)
    assert "1 file formatted" in formatted.stderr
    assert (folder / "app.ax").read_text(encoding="utf-8") == "fn main()->Int{2}\n"
    assert (folder / "other.ax").read_text(encoding="utf-8").startswith("fn main() -> Int {\n")
    repaired = run("repair", "app.ax", cwd=folder)
    assert (repaired.returncode, words in repaired.stderr) == (1, True)
    assert run("fmt", "--disk", "app.ax", cwd=folder).returncode == 0
    assert (folder / "app.ax").read_text(encoding="utf-8").startswith("fn main() -> Int {\n")


def test_watch_follows_the_screen(editor: Editor, folder: Path) -> None:
    line = [command("boruna-ls"), "check", "--watch", "app.ax"]
    process = subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    seen: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: seen.extend(iter(process.stdout.readline, "")))  # type: ignore[union-attr]
    reader.start()
    try:
        until(lambda: any("no diagnostics" in one for one in seen))
        editor.show("app.ax", UNSAVED)
        until(lambda: any("undefined variable: missing" in one for one in seen))
        editor.show("app.ax", SAVED)
        until(lambda: sum("no diagnostics" in one for one in seen) == 2)
    finally:
        process.kill()
        process.wait()
        reader.join()


def test_no_daemon_is_started(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    nowhere = tmp_path_factory.mktemp("none") / "boruna-ls"
    monkeypatch.setenv(places.VARIABLE, str(nowhere))
    assert run("check", cwd=folder).returncode == 0
    assert not nowhere.exists()


def test_a_folder_of_somebody_else_is_not_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shared = tmp_path_factory.mktemp("shared")
    shared.chmod(0o777)
    monkeypatch.setenv(places.VARIABLE, str(shared))
    done = run("check", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets")
def test_a_daemon_that_does_not_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(os.path.realpath(folder)) / "d"
    place.mkdir(mode=0o700)
    monkeypatch.setenv(places.VARIABLE, str(place))
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(places.socket_path(str(place)))
        silent.listen()
        done = run("check", cwd=folder)
    assert (done.returncode, "the daemon does not report unsaved text of editors" in done.stderr) == (0, True)
    stopped(place)


def test_a_file_that_is_open_counts_although_it_is_excluded(editor: Editor, folder: Path) -> None:
    """As in `workspace_diagnostics`: what an editor shows is looked at, saved or not."""
    (folder / "boruna.toml").write_text('[workspace]\nexclude = ["old.ax"]\n', encoding="utf-8")
    (folder / "old.ax").write_text("fn old() -> Int {\n    missing\n}\n", encoding="utf-8")
    assert "old.ax" not in run("check", cwd=folder).stdout
    editor.show("old.ax", (folder / "old.ax").read_text(encoding="utf-8"))
    assert "--> old.ax:2:" in run("check", cwd=folder).stdout
    assert "old.ax" not in run("check", "--disk", cwd=folder).stdout
