"""Disks that ignore case: all spellings of a file are one file, and its name is the one that its folder lists."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis import inputs
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId
from boruna_ls.workspace import Change, Client, Host, Kind
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.roots import DiskView
from boruna_ls.workspace.uris import path_of, uri_of
from tests.support.folding import DISKS, REASON, can_mount
from tests.workspace.test_watching import eventually

GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"
USES = 'import "greet"\n\nfn main() -> Int {\n    greeting()\n}\n'
GREET = "fn greeting() -> Int {\n    1\n}\n"
MOUNTED = [pytest.param(kind, marks=pytest.mark.skipif(not can_mount(kind), reason=REASON)) for kind in ("exfat", "ntfs")]
PRESERVING = [MOUNTED[0], "make_believe"]


@pytest.fixture(params=[*MOUNTED, "make_believe"])
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk that ignores case, with a workspace `Project`."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with DISKS[request.param](folder):
        (folder / "Project" / "Src").mkdir(parents=True)
        (folder / "Project" / "boruna.toml").write_text("")
        (folder / "Project" / "Src" / "Main.ax").write_text(GOOD)
        yield folder


@pytest.fixture
def host(disk: Path) -> Iterator[Host]:
    host = Host()
    yield host
    host.worker.stop()


def listed(path: Path) -> str:
    """The path as the folders list it, by the slow and sure way."""
    found = path.parents[len(path.parts) - 2]
    for name in path.parts[1:]:
        same = [one for one in os.listdir(found) if one.lower() == name.lower()]
        found /= name if name in same else same[0] if same else name
    return str(found)


def text(host: Host, file: FileId) -> str:
    return inputs.source(host.db, file).text


def of(host: Host, client: Client, path: str | Path) -> FileId:
    buffer = host.buffer(client, str(path))
    assert buffer is not None
    return buffer.file


def test_all_spellings_are_the_listed_one(host: Host, disk: Path) -> None:
    expected = listed(disk / "Project" / "Src" / "Main.ax")
    for name in ("Project/Src/Main.ax", "project/src/main.ax", "PROJECT/SRC/MAIN.ax", "pROJECT/../Project/sRC//mAIN.ax"):
        assert host.canonical(str(disk / name)) == expected, name
        file = host.file_for_agent(str(disk / name))
        assert (file.path, file.workspace, text(host, file)) == (expected, listed(disk / "Project"), GOOD), name
    assert host.files(str(disk / "pROJECT")) == [expected]
    assert host.canonical(str(disk / "PROJECT" / "")) == listed(disk / "Project")


def test_an_agent_sees_the_buffer_whatever_its_spelling(host: Host, disk: Path) -> None:
    editor, other = host.connect([str(disk / "PROJECT")]), host.connect()
    named = path_of(uri_of(str(disk / "PROJECT" / "src" / "mAin.ax")))
    opened = host.open(editor, named, BAD)
    assert opened.path == listed(disk / "Project" / "Src" / "Main.ax")
    for name in ("Project/Src/Main.ax", "project/src/main.ax"):
        assert host.file_for_agent(str(disk / name)) == opened
        assert host.file_for_editor(editor, str(disk / name)) == opened
    # Each client is told its own spelling.
    assert host.spelled(editor, opened.path) == named
    beside = os.path.join(os.path.dirname(opened.path), "b.ax")
    assert host.spelled(editor, beside) == str(disk / "PROJECT" / os.path.relpath(beside, listed(disk / "Project")))
    assert host.spelled(other, opened.path) == opened.path
    assert list(host.open_texts([str(disk / "project" / "SRC" / "main.ax")])) == [str(disk / "project" / "SRC" / "main.ax")]
    host.open(other, str(disk / "project" / "src" / "main.ax"), GOOD)
    assert text(host, host.file_for_agent(named)) == GOOD


def test_a_file_that_is_not_there_yet(host: Host, disk: Path) -> None:
    first, second = host.connect(), host.connect()
    names = [disk / "Project" / "Src" / "New.ax", disk / "project" / "src" / "NEW.ax"]
    host.open(first, str(names[0]), BAD)
    host.open(second, str(names[1]), GOOD)
    assert of(host, first, names[0]).path == of(host, second, names[1]).path
    for name in names:
        assert text(host, host.file_for_agent(str(name))) == GOOD
    assert len(host.files(str(disk / "Project"))) == 2
    # Somebody saves it with a third spelling: that is its name now.
    (disk / "Project" / "Src" / "neW.ax").write_text("// saved\n")
    expected = listed(disk / "Project" / "Src" / "neW.ax")
    for name in names:
        found = host.file_for_agent(str(name))
        assert (found.path, text(host, found)) == (expected, GOOD)
    assert {of(host, first, names[0]).path, of(host, second, names[1]).path} == {expected}
    assert sorted(host.files(str(disk / "Project"))) == sorted([expected, listed(disk / "Project" / "Src" / "Main.ax")])
    host.close(second, str(names[1]))
    host.close(first, str(names[0]))
    assert text(host, host.file_for_agent(str(names[0]))) == "// saved\n"
    # One that was deleted keeps the name it had, so that an editor that still has it is found.
    Path(expected).unlink()
    host.open(first, str(names[1]), BAD)
    assert of(host, first, names[1]).path == expected == host.file_for_agent(str(names[0])).path


def test_folders_that_are_not_there_yet(host: Host, disk: Path) -> None:
    (disk / "Project" / "Empty").mkdir()
    for one, other in (("Empty/A.ax", "empty/a.ax"), ("Neu/Deep/A.ax", "neu/deep/a.ax")):
        assert host.canonical(str(disk / "Project" / one)) == host.canonical(str(disk / "project" / other)), one


@pytest.mark.parametrize("disk", PRESERVING, indirect=True)
def test_a_rename_that_changes_only_the_case(host: Host, disk: Path) -> None:
    folder = Path(listed(disk / "Project" / "Src"))
    editor = host.connect([str(disk / "Project")])
    told: list[Change] = []
    host.listeners.append(told.append)
    (folder / "Other.ax").write_text(GOOD)
    assert len(host.files(str(disk / "Project"))) == 2
    for name in ("Main.ax", "Other.ax"):
        host.file_for_agent(str(folder / name))
    host.open(editor, str(folder / "Main.ax"), BAD)
    os.rename(folder / "Main.ax", folder / "main.ax")
    os.rename(folder / "Other.ax", folder / "other.ax")
    expected = [str(folder / "main.ax"), str(folder / "other.ax")]
    assert host.files(str(disk / "Project")) == expected
    assert text(host, host.file_for_agent(expected[0])) == BAD
    assert of(host, editor, folder / "Main.ax").path == expected[0]
    assert host.spelled(editor, expected[0]) == str(folder / "Main.ax")
    # What had the old name is gone.
    assert {file.path for file in host.state.texts.files() if "Src" in file.path and file.layer == "disk"} <= set(expected)
    assert {change.path for change in told if change.kind is Kind.DISK} >= {str(folder / "Other.ax")}
    # The editor goes along.
    host.close(editor, str(folder / "Main.ax"))
    assert host.open(editor, expected[0], GOOD).path == expected[0]
    os.rename(folder, folder.with_name("SRC"))
    host.upkeep.settle()
    assert of(host, editor, expected[0]).path == str(folder.with_name("SRC") / "main.ax")
    assert [os.path.basename(os.path.dirname(path)) for path in host.files(str(disk / "Project"))] == ["SRC", "SRC"]


@pytest.mark.parametrize("disk", ["make_believe"], indirect=True)
def test_unicode_forms_that_the_disk_takes_for_one(host: Host, disk: Path) -> None:
    composed, separate = (unicodedata.normalize(form, "Caf\u00e9") for form in ("NFC", "NFD"))
    (disk / "Project" / separate).mkdir()
    (disk / "Project" / separate / f"{separate}.ax").write_text(BAD)
    expected = str(disk / "Project" / separate / f"{separate}.ax")
    for name in (f"{composed}/{composed}.ax", f"{separate}/{composed}.ax", f"{composed.upper()}/{separate.lower()}.AX"):
        assert host.canonical(str(disk / "Project" / name)) == expected, name
    editor = host.connect()
    host.open(editor, str(disk / "Project" / composed / f"{composed}.ax"), GOOD)
    assert text(host, host.file_for_agent(expected)) == GOOD
    # A file that is not there yet, whose folder decides.
    one, other = (str(disk / "Project" / separate / f"Neu{form}.ax") for form in (composed, separate))
    assert host.canonical(one) == host.canonical(other)


def test_events_name_files_in_any_way(host: Host, disk: Path) -> None:
    path = disk / "Project" / "Src" / "Main.ax"
    file = host.file_for_agent(str(path))
    path.write_text(BAD)
    host.upkeep.look_again(str(disk / "PROJECT" / "SRC" / "MAIN.ax"))
    assert text(host, file) == BAD
    Path(listed(path)).unlink()
    host.upkeep.look_again(str(disk / "PROJECT" / "SRC" / "MAIN.ax"))
    assert text(host, file) == ""


def test_links_libraries_and_settings(host: Host, disk: Path) -> None:
    library = disk / "Project" / "Libs" / "greet" / "Src" / "Core.ax"
    library.parent.mkdir(parents=True)
    library.write_text(GREET)
    (disk.parent / "link").symlink_to(disk / "PROJECT")
    (disk / "Project" / "Src" / "Main.ax").write_text(USES)
    file = host.file_for_agent(str(disk.parent / "link" / "src" / "main.ax"))
    assert file.path == listed(disk / "Project" / "Src" / "Main.ax")
    assert [found.code for _, found in check_file(host.db, file).entries] == []
    editor = host.connect()
    host.open(editor, str(disk / "project" / "libs" / "GREET" / "src" / "core.ax"), GREET.replace("greeting", "welcome"))
    assert "E003" in [found.code for _, found in check_file(host.db, file).entries]


@pytest.mark.parametrize("disk", MOUNTED, indirect=True)
def test_a_watched_disk(disk: Path) -> None:
    host = Host(watch=True)
    client = host.connect()
    path = disk / "project" / "src" / "main.ax"
    try:
        file = host.file_for_agent(str(path))
        assert file.path == listed(path)
        eventually(lambda: host.watching(listed(disk / "project")) != "")
        Path(listed(path)).write_text(BAD)
        eventually(lambda: text(host, file) == BAD)
    finally:
        host.disconnect(client)
        host.worker.stop()


def test_a_disk_where_case_counts_costs_one_more_look_for_each_folder(tmp_path: Path) -> None:
    (tmp_path / "A.ax").write_text("")
    (tmp_path / "a.ax").write_text("")
    (tmp_path / "7").mkdir()
    asked: list[str] = []
    real = os.lstat
    names = Names()

    def counted(path: str) -> os.stat_result:
        asked.append(os.path.basename(path))
        return real(path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "lstat", counted)
        for name in ("A.ax", "a.ax", "A.ax", "7/new.ax"):
            assert DiskView(names).canonical(str(tmp_path / name)) == str(tmp_path / name)
        assert [asked.count(name) for name in ("A.ax", "a.ax", "a.AX")] == [2, 1, 1]
    assert not names.ignores(str(tmp_path))
    assert names.is_settled(str(tmp_path / "a.ax"))
    assert not names.is_settled(str(tmp_path / "é.ax"))


def test_a_folder_that_ignores_case_inside_of_one_that_does_not(tmp_path: Path) -> None:
    names = Names()
    (tmp_path / "inner" / "Sub").mkdir(parents=True)
    with DISKS["make_believe"](tmp_path / "inner"):
        assert DiskView(names).canonical(str(tmp_path / "inner" / "SUB")) == str(tmp_path / "inner" / "Sub")
        assert DiskView(names).canonical(str(tmp_path / "INNER" / "SUB")) == str(tmp_path / "INNER" / "SUB")
    assert names.ignores(str(tmp_path / "inner"))
    assert names.ignores(str(tmp_path / "inner" / "Sub"))
    assert not names.ignores(str(tmp_path))
