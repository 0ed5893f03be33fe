"""Libraries that only editors have: never saved, deleted on disk, behind links; open buffers win over the disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from analysis.diagnostics.check import check_file
from analysis.inputs import FileId
from boruna_ls.workspace import Change, Client, Host, Kind

USES = 'import "greet"\n\nfn main() -> Int {\n    greeting()\n}\n'
GREET = "fn greeting() -> Int {\n    1\n}\n"
WELCOME = GREET.replace("greeting", "welcome")


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a program that imports a library which is not there."""
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "boruna.toml").write_text("")
    (tmp_path / "ws" / "a.ax").write_text(USES)
    return tmp_path / "ws"


def library(folder: Path, name: str = "greet") -> Path:
    return folder / name / "src" / "core.ax"


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def works(host: Host, file: FileId) -> bool:
    """True if the program finds its library."""
    return not [diagnostic for _, diagnostic in check_file(host.db, file).entries]


def agent_works(host: Host, root: Path, libs: str | None = None) -> bool:
    return works(host, host.file_for_agent(str(root / "a.ax"), libs=libs))


def editor_works(host: Host, client: Client, root: Path) -> bool:
    return works(host, host.file_for_editor(client, str(root / "a.ax")))


def test_a_library_that_was_never_saved(host: Host, root: Path) -> None:
    editor, other = host.connect([str(root)]), host.connect([str(root)])
    host.open(other, str(root / "a.ax"), USES)
    assert not agent_works(host, root)
    told: list[Change] = []
    host.listeners.append(told.append)
    path = str(library(root / "libs"))
    host.open(editor, path, GREET)
    # Importers hear of it without asking.
    assert (str(root), Kind.LIBRARY) in {(change.workspace, change.kind) for change in told}
    assert agent_works(host, root)
    assert editor_works(host, editor, root)
    assert editor_works(host, other, root)
    buffer = host.buffer(editor, path)
    assert buffer is not None
    host.change(editor, path, buffer.source.replaced_by(WELCOME))
    assert not agent_works(host, root)
    # Each editor sees its own, agents the one edited last.
    host.open(other, path, GREET)
    assert agent_works(host, root)
    assert editor_works(host, other, root)
    assert not editor_works(host, editor, root)
    host.close(other, path)
    assert not editor_works(host, other, root)
    told.clear()
    host.close(editor, path)
    assert not agent_works(host, root)
    assert (str(root), Kind.LIBRARY) in {(change.workspace, change.kind) for change in told}


def test_a_library_that_is_deleted_while_open(host: Host, root: Path) -> None:
    path = written(library(root / "libs"), GREET)
    editor = host.connect([str(root)])
    host.open(editor, str(path), GREET)
    assert agent_works(host, root)
    shutil.rmtree(root / "libs")
    host.upkeep.settle()
    assert agent_works(host, root)
    assert editor_works(host, editor, root)
    # It comes back with another text: the editor has not read that.
    written(path, WELCOME)
    assert agent_works(host, root)
    shutil.rmtree(root / "libs")
    host.close(editor, str(path))
    assert not agent_works(host, root)


def test_one_that_an_editor_begins_hides_one_of_less_precedence(host: Host, root: Path) -> None:
    brought = root.parent / "brought"
    written(library(root / "libs"), GREET)
    client = host.connect([str(root)], str(brought))
    assert agent_works(host, root, client.libs)
    host.open(client, str(library(brought)), WELCOME)
    assert not agent_works(host, root, client.libs)
    assert agent_works(host, root)
    host.close(client, str(library(brought)))
    assert agent_works(host, root, client.libs)


def test_a_library_behind_a_link(host: Host, root: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    (elsewhere / "src").mkdir(parents=True)
    (root / "libs").mkdir()
    (root / "libs" / "greet").symlink_to(elsewhere)
    editor = host.connect([str(root)])
    host.open(editor, str(library(root / "libs")), GREET)
    assert agent_works(host, root)
    host.close(editor, str(library(root / "libs")))
    host.open(editor, str(elsewhere / "src" / "core.ax"), GREET)
    assert agent_works(host, root)


def test_other_files_that_only_editors_have_are_no_libraries(host: Host, root: Path) -> None:
    editor = host.connect([str(root)])
    for name in ("libs/src/core.ax", "libs/greet/core.ax", "other/greet/src/core.ax", "libs/a/greet/src/core.ax"):
        host.open(editor, str(root / name), GREET)
        assert not agent_works(host, root), name
