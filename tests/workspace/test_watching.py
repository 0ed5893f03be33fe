"""Watching the disk: what changes under a workspace in use is an input before anybody asks."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analysis import inputs
from analysis.inputs import FileId
from boruna_ls.workspace import Change, FileUnavailable, Host, Kind, watching

GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"
PATIENCE = 60.0


def eventually(condition: Callable[[], bool]) -> None:
    """Waits until something is so."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.02)


class Told:
    """Changes that a host reported; may be filled on any thread."""

    def __init__(self, host: Host) -> None:
        self.changes: list[Change] = []
        host.listeners.append(self.changes.append)

    def of(self, kind: Kind, path: str = "") -> bool:
        """True if there was a change of a kind (and a file)."""
        return any(change.kind is kind and path in ("", change.path) for change in list(self.changes))


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host(watch=True)
    client = host.connect()
    yield host
    host.disconnect(client)
    host.worker.stop()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.ax").write_text(GOOD)
    return tmp_path


def watched(host: Host, root: Path) -> None:
    """Has a workspace watched."""
    host.files(str(root))
    eventually(lambda: host.watching(str(root)) == "events")


def text(host: Host, file: FileId) -> str:
    """Text in the database now; a detected change may still be on its way there."""
    return inputs.source(host.db, file).text


def text_for_agent(host: Host, path: Path) -> tuple[FileId, str]:
    """File and text as a question's job finds them."""

    def job() -> tuple[FileId, str]:
        file = host.file_for_agent(str(path))
        return file, text(host, file)

    return host.worker.submit(job).result(PATIENCE)


def test_what_changes_on_disk_is_an_input_before_anybody_asks(host: Host, root: Path) -> None:
    path = root / "src" / "a.ax"
    file = host.file_for_agent(str(path))
    watched(host, root)
    told = Told(host)
    before = host.revision(str(root))
    path.write_text(BAD)
    eventually(lambda: text(host, file) == BAD)
    eventually(lambda: told.of(Kind.DISK, str(path)))
    assert host.revision(str(root)) != before
    # Editors that save by renaming.
    temporary = root / "src" / ".a.ax.tmp"
    temporary.write_text("// renamed\n")
    temporary.replace(path)
    eventually(lambda: text(host, file) == "// renamed\n")
    path.unlink()
    eventually(lambda: text(host, file) == "")


def test_new_files_and_folders_are_noticed(host: Host, root: Path) -> None:
    watched(host, root)
    told = Told(host)
    (root / "src" / "b.ax").write_text(GOOD)
    eventually(lambda: told.of(Kind.DISK))
    told.changes.clear()
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "c.ax").write_text(GOOD)
    eventually(lambda: told.of(Kind.DISK))
    file = host.file_for_agent(str(root / "new" / "deep" / "c.ax"))
    # The new folder is watched, too.
    eventually(lambda: host.watching(str(root)) == "events")
    ends = time.monotonic() + PATIENCE
    number = 0
    while text(host, file) == GOOD or number == 0:
        assert time.monotonic() < ends
        number += 1
        (root / "new" / "deep" / "c.ax").write_text(f"// {number}\n")
        time.sleep(0.1)


def test_libraries_settings_and_rules_are_noticed(host: Host, root: Path) -> None:
    host.file_for_agent(str(root / "src" / "a.ax"))
    watched(host, root)
    told = Told(host)
    library = root / "libs" / "greet" / "src" / "core.ax"
    library.parent.mkdir(parents=True)
    library.write_text(GOOD)
    eventually(lambda: inputs.libraries(host.db, str(root), "").get("greet") is not None)
    eventually(lambda: told.of(Kind.LIBRARY))
    seen = inputs.libraries(host.db, str(root), "").get("greet")
    assert seen is not None
    eventually(lambda: host.watching(str(root)) == "events")
    library.write_text(BAD)
    eventually(lambda: text(host, seen) == BAD)
    (root / "boruna.toml").write_text('[check]\nignore = ["W5"]\n')
    eventually(lambda: inputs.settings(host.db, str(root)).ignore == ("W5",))
    told.changes.clear()
    (root / ".gitignore").write_text("/src/\n")
    eventually(lambda: told.of(Kind.DISK))
    assert host.files(str(root)) == [str(library)]


def test_what_is_ignored_is_not_watched(host: Host, root: Path) -> None:
    (root / ".gitignore").write_text("made/\n")
    (root / "made").mkdir()
    (root / "node_modules" / "x").mkdir(parents=True)
    assert set(host.upkeep.programs(str(root)).folders) == {str(root), str(root / "src")}


def test_open_buffers_follow_settings_that_come_and_go(host: Host, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / ".git").mkdir()
    editor = host.connect([str(tmp_path)])
    file = host.open(editor, str(inner / "a.ax"), GOOD)
    assert file.workspace == str(tmp_path)
    watched(host, tmp_path)

    def workspace() -> str:
        buffer = host.buffer(editor, str(inner / "a.ax"))
        assert buffer is not None
        return buffer.file.workspace

    (inner / "boruna.toml").write_text('[check]\nignore = ["W5"]\n')
    eventually(lambda: workspace() == str(inner))
    assert text_for_agent(host, inner / "a.ax")[1] == GOOD
    eventually(lambda: text(host, file) == "")
    (inner / "boruna.toml").unlink()
    eventually(lambda: workspace() == str(tmp_path))
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / "boruna.toml").write_text("")
    eventually(lambda: workspace() == str(tmp_path))
    host.disconnect(editor)


def test_a_root_that_is_deleted_and_made_again(host: Host, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "boruna.toml").write_text("")
    (root / "a.ax").write_text(GOOD)
    file = host.file_for_agent(str(root / "a.ax"))
    watched(host, root)
    shutil.rmtree(root)
    eventually(lambda: text(host, file) == "")
    eventually(lambda: host.watching(str(root)) == "polled")
    assert host.files(str(root)) == []
    root.mkdir()
    (root / "boruna.toml").write_text("")
    (root / "a.ax").write_text(BAD)
    assert text_for_agent(host, root / "a.ax") == (file, BAD)
    eventually(lambda: host.watching(str(root)) == "events")
    (root / "a.ax").write_text(GOOD)
    eventually(lambda: text(host, file) == GOOD)


def test_without_events_the_disk_is_looked_at_from_time_to_time(host: Host, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "FOLDERS_LIMIT", 1)
    monkeypatch.setattr(watching, "INTERVAL", 0.1)
    path = root / "src" / "a.ax"
    file = host.file_for_agent(str(path))
    eventually(lambda: host.watching(str(root)) == "polled")
    path.write_text(BAD)
    eventually(lambda: text(host, file) == BAD)
    assert host.watched() == {str(root): "polled"}


def git(root: Path, *arguments: str) -> None:
    """A real repository, nobody's own settings."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=boruna", "-c", "user.email=boruna@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, env=environment, check=True, capture_output=True)


def test_a_branch_switch_of_1000_files(host: Host, tmp_path: Path) -> None:
    git(tmp_path, "init", "--initial-branch=one")
    for number in range(1000):
        folder = tmp_path / f"d{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"f{number}.ax").write_text(f"// one {number}\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    git(tmp_path, "checkout", "-b", "two")
    for number in range(1000):
        (tmp_path / f"d{number % 20}" / f"f{number}.ax").write_text(f"// two {number}\n")
    shutil.rmtree(tmp_path / "d3")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "two")
    files = {path: host.file_for_agent(path) for path in host.files(str(tmp_path))}
    assert len(files) == 950
    watched(host, tmp_path)
    git(tmp_path, "checkout", "one")

    # A file that was looked at when it had just been deleted is let go until somebody asks.
    eventually(lambda: not any(text(host, file).startswith("// two ") for file in files.values()))
    assert len(host.files(str(tmp_path))) == 1000

    def text_at(path: str) -> str:
        try:
            return text_for_agent(host, Path(path))[1]
        except FileUnavailable:
            return ""

    assert all(text_at(path).startswith("// one ") for path in files)
    thread = threading.Thread(target=git, args=(tmp_path, "checkout", "two"))
    thread.start()
    while thread.is_alive():
        for path in list(files)[:50]:
            # Git writes a file in two steps.
            assert text_at(path)[:7] in ("", "// one ", "// two ")
    thread.join()
    assert all(text_at(path).startswith("// two ") for path in files)
    assert sorted(host.files(str(tmp_path))) == sorted(files)


def test_a_storm_of_saves(host: Host, root: Path) -> None:
    paths = [root / "src" / f"s{number}.ax" for number in range(50)]
    for path in paths:
        path.write_text("")
    files = {path: host.file_for_agent(str(path)) for path in paths}
    watched(host, root)
    for turn in range(20):
        for path in paths:
            temporary = path.with_suffix(".tmp")
            temporary.write_text(f"// {turn}\n")
            temporary.replace(path)
    eventually(lambda: all(text(host, file) == "// 19\n" for file in files.values()))


def test_nothing_runs_when_the_last_client_left(root: Path) -> None:
    before = set(threading.enumerate())
    host = Host(watch=True)
    client = host.connect([str(root)])
    watched(host, root)
    host.disconnect(client)
    eventually(lambda: not [one for one in set(threading.enumerate()) - before if one.name.startswith("disk")])
    host.worker.stop()


def test_a_long_file_that_changed_is_split_before_a_job_looks_at_it(root: Path) -> None:
    host = Host()
    path = root / "src" / "a.ax"
    long = "".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(3_000))
    path.write_text(long)
    client = host.connect([str(root)])
    file = host.file_for_agent(str(path), [str(root)])
    path.write_text(long.replace("1 }", "2 }"))
    host.upkeep.read_ahead(str(path))
    read = host.shared.disk.last_read(str(path))
    assert read is not None
    assert read.text == path.read_text()
    host.upkeep.look_again(str(path))
    assert inputs.source(host.db, file) is read, "the job has not split it again"
    path.unlink()
    host.upkeep.read_ahead(str(path))
    host.upkeep.look_again(str(path))
    assert not host.state.texts.at(str(path))
    host.disconnect(client)
    host.worker.stop()
