"""Many names, one file: links, Unicode forms, `..`, escapes; and each client is told its own spelling."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from analysis import inputs
from analysis.inputs import FileId
from boruna_ls.workspace import Client, FileUnavailable, Host
from boruna_ls.workspace.roots import DiskView
from boruna_ls.workspace.spelling import resolved
from boruna_ls.workspace.uris import path_of, uri_of

GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace `real`, and a link `link` to it."""
    real = tmp_path / "real"
    real.mkdir()
    (real / "boruna.toml").write_text("")
    (real / "a.ax").write_text(GOOD)
    (tmp_path / "link").symlink_to(real)
    return tmp_path


def text(host: Host, file: FileId) -> str:
    return inputs.source(host.db, file).text


def canonical(path: object) -> str:
    return DiskView().canonical(str(path))


def test_links_and_dots_lead_to_one_file(root: Path) -> None:
    (root / "real" / "b.ax").symlink_to(root / "link" / "a.ax")
    expected = str(root / "real" / "a.ax")
    for name in ("real/a.ax", "link/a.ax", "real/b.ax", "link/b.ax", "real/../link/./a.ax", "link//a.ax", "real/a.ax/"):
        assert canonical(f"{root}/{name}") == expected, name
    assert canonical(f"{root}/link/new/file.ax") == f"{root}/real/new/file.ax"
    assert canonical(f"{root}/link/") == f"{root}/real"
    assert canonical("untitled:1") == "untitled:1"
    assert canonical("/") == "/"
    assert canonical("//tmp/../a.ax") == "/a.ax"


def test_what_exists_on_disk_decides_about_unicode_forms(tmp_path: Path) -> None:
    composed, separate = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
    assert canonical(tmp_path / separate / f"{separate}.ax") == str(tmp_path / composed / f"{composed}.ax")
    (tmp_path / separate).mkdir()
    (tmp_path / separate / f"{composed}.ax").write_text("")
    for folder in (composed, separate):
        for name in (composed, separate):
            assert canonical(tmp_path / folder / f"{name}.ax") == str(tmp_path / separate / f"{composed}.ax")
    # Where the disk holds both, they are two.
    (tmp_path / separate / f"{separate}.ax").write_text("")
    assert canonical(tmp_path / separate / f"{separate}.ax") == str(tmp_path / separate / f"{separate}.ax")


def test_names_of_another_case_are_other_files(root: Path) -> None:
    (root / "real" / "A.ax").write_text(BAD)
    is_one = os.path.samefile(root / "real" / "A.ax", root / "real" / "a.ax")
    assert is_one or canonical(root / "link" / "A.ax") != canonical(root / "link" / "a.ax")


def test_endless_and_very_deep_paths_end(root: Path) -> None:
    (root / "loop").symlink_to(root / "loop")
    (root / "real" / "inside").symlink_to(root / "link")
    assert canonical(root / "real" / "inside" / "inside" / "inside" / "a.ax") == str(root / "real" / "a.ax")
    host = Host()
    for path in (f"{root}/loop/a.ax", "/x" * 3000, f"{root}/{'y' * 5000}", f"{root}/a\x00b", f"{root}/\ud800.ax"):
        with pytest.raises(FileUnavailable):
            host.file_for_agent(path)


def test_an_agent_that_asks_through_a_link_sees_the_editors_buffer(host: Host, root: Path) -> None:
    editor = host.connect([str(root / "link")])
    named = path_of(f"file://{root}/link/a%2Eax")
    opened = host.open(editor, named, BAD)
    assert opened.path == str(root / "real" / "a.ax")
    assert opened.workspace == str(root / "real")
    for name in ("real/a.ax", "link/a.ax", "link/../link/a.ax"):
        assert host.file_for_agent(str(root / name)) == opened
        assert host.file_for_editor(editor, str(root / name)) == opened
    other = host.connect()
    second = host.open(other, str(root / "real" / "a.ax"), GOOD)
    assert text(host, host.file_for_agent(str(root / "link" / "a.ax"))) == GOOD
    assert text(host, host.file_for_editor(editor, str(root / "real" / "a.ax"))) == BAD
    assert second.path == opened.path
    host.close(other, str(root / "real" / "a.ax"))
    host.close(editor, named)
    assert host.file_for_agent(str(root / "link" / "a.ax")).layer == "disk"


def test_each_client_is_told_its_own_spelling(host: Host, root: Path) -> None:
    linked, plain = host.connect([str(root / "link")]), host.connect([str(root / "real")])
    path = str(root / "real" / "sub" / "b.ax")
    assert host.spelled(linked, path) == str(root / "link" / "sub" / "b.ax")
    assert host.spelled(plain, path) == path
    assert host.spelled(linked, str(root / "elsewhere.ax")) == str(root / "elsewhere.ax")
    # What it has open has the name under which it opened it.
    host.open(linked, path, GOOD)
    assert host.spelled(linked, path) == path
    assert uri_of(host.spelled(host.connect([str(root / "link") + "/"]), path)).endswith("/link/sub/b.ax")


def test_one_editor_may_have_a_file_open_under_two_names(host: Host, root: Path) -> None:
    editor = host.connect()
    first = host.open(editor, str(root / "real" / "a.ax"), GOOD)
    second = host.open(editor, str(root / "link" / "a.ax"), BAD)
    assert first != second
    assert (text(host, first), text(host, second)) == (GOOD, BAD)
    assert text(host, host.file_for_agent(str(root / "real" / "a.ax"))) == BAD
    host.close(editor, str(root / "link" / "a.ax"))
    assert text(host, host.file_for_agent(str(root / "link" / "a.ax"))) == GOOD
    assert text(host, second) == ""


def test_a_link_that_is_set_anew_while_served(host: Host, root: Path) -> None:
    other = root / "other"
    other.mkdir()
    (other / "a.ax").write_text("// other\n")
    named = str(root / "link" / "a.ax")
    editor = host.connect([str(root / "link")])
    assert text(host, host.file_for_agent(named)) == GOOD
    host.open(editor, named, BAD)
    (root / "link").unlink()
    (root / "link").symlink_to(other)
    # What the editor saves now is the other file.
    assert host.file_for_agent(named).path == str(other / "a.ax")
    assert text(host, host.file_for_agent(str(other / "a.ax"))) == BAD
    assert text(host, host.file_for_agent(str(root / "real" / "a.ax"))) == GOOD
    buffer = host.buffer(editor, named)
    assert buffer is not None
    assert (buffer.file.path, buffer.source.text) == (str(other / "a.ax"), BAD)
    host.change(editor, named, buffer.source.replaced_by("// typed\n"))
    assert text(host, host.file_for_agent(named)) == "// typed\n"
    host.close(editor, named)
    assert text(host, host.file_for_agent(named)) == "// other\n"
    assert host.roots(editor) == [str(other)]


def relative(host: Host, client: Client, path: str) -> str:
    return host.file_for_agent(resolved(path, client.folders), client.folders).path


def test_relative_paths_count_from_the_folder_that_was_named(host: Host, root: Path) -> None:
    client = host.connect([str(root / "link"), str(root / "real")])
    # Two names of one folder are one root.
    assert relative(host, client, "a.ax") == str(root / "real" / "a.ax")
