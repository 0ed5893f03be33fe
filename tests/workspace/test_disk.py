"""Reading the disk: what counts as changed, and what is there but is no text."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest

from boruna_ls.workspace import FileUnavailable, Host, Priority, programs
from boruna_ls.workspace.disk import SIZE_LIMIT, Disk, Stamp, read_regular
from boruna_ls.workspace.programs import Walker

SECOND = 1_000_000_000
PATIENCE = 60.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.ax"
    path.write_text("// one\n")
    return path


def settled(path: Path) -> None:
    """Waits until a change of a file must be visible in its stamp."""
    ends = time.monotonic() + 30
    while Stamp.of(path.stat()).is_racy(time.time_ns()):
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_an_edit_that_sets_the_time_back_is_seen(file: Path) -> None:
    disk = Disk()
    settled(file)
    first = disk.read(str(file))
    assert not first.is_racy
    before = file.stat()
    file.write_text("// two\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert disk.read(str(file)).source.text == "// two\n"


def test_an_edit_within_the_grain_of_the_clock_is_seen(file: Path) -> None:
    disk = Disk()
    # Written and read at once: the next write may leave the same stamp.
    for number in range(300):
        file.write_text(f"// {number:04}\n")
        assert disk.read(str(file)).source.text == f"// {number:04}\n"
    assert disk.read(str(file)).is_racy
    settled(file)
    assert not disk.read(str(file)).is_racy


def test_a_racy_file_that_did_not_change_keeps_its_text(file: Path) -> None:
    disk = Disk()
    file.write_text("// new\n")
    first = disk.read(str(file))
    assert first.is_racy
    assert disk.read(str(file)).source is first.source


@pytest.mark.parametrize("when", [0, 4_102_444_800 * SECOND])
def test_times_of_another_age_do_no_harm(file: Path, when: int) -> None:
    disk = Disk()
    os.utime(file, ns=(when, when))
    settled(file)
    first = disk.read(str(file))
    assert disk.read(str(file)) is first
    file.write_text("// two\n")
    os.utime(file, ns=(when, when))
    assert disk.read(str(file)).source.text == "// two\n"


def test_what_is_racy() -> None:
    now = time.time_ns()
    changed = {-SECOND: False, -SECOND // 20: True, SECOND: True, 60 * SECOND: True, 86_400 * SECOND: False}
    for distance, expected in changed.items():
        assert Stamp(0, now + distance, 0, 0, 0).is_racy(now) is expected, distance


def test_files_with_the_same_bytes_are_one_text(tmp_path: Path) -> None:
    disk = Disk()
    for name in ("a.ax", "b.ax"):
        (tmp_path / name).write_text("// same\n" * 100)
    first, second = (disk.read(str(tmp_path / name)).source for name in ("a.ax", "b.ax"))
    assert first is second


def test_a_pipe_a_socket_a_folder_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ax")
    (tmp_path / "folder.ax").mkdir()
    (tmp_path / "device.ax").symlink_to("/dev/zero")
    (tmp_path / "loop.ax").symlink_to(tmp_path / "loop.ax")
    (tmp_path / "gone.ax").symlink_to(tmp_path / "nothing.ax")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "socket.ax"))
        host = Host()
        reasons = {}
        for name in ("pipe", "folder", "device", "loop", "gone", "socket"):
            with pytest.raises(FileUnavailable) as refused:
                host.file_for_agent(str(tmp_path / f"{name}.ax"))
            reasons[name] = refused.value.reason
    assert reasons["pipe"] == "is a pipe, not a file"
    assert reasons["folder"] == "is a folder, not a file"
    assert reasons["device"] == "is a device, not a file"
    assert reasons["socket"] == "is a socket, not a file"
    assert "no such file" in reasons["gone"]
    assert reasons["loop"]
    assert host.files(str(tmp_path)) == []
    # Also one that has become a pipe since it was looked at.
    with pytest.raises(OSError, match="is a pipe"):
        read_regular(str(tmp_path / "pipe.ax"), 10)


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may read every file")
def test_a_file_that_may_not_be_read_has_a_defect_until_it_may(file: Path) -> None:
    disk = Disk()
    file.chmod(0)
    read = disk.read(str(file))
    assert (read.defect, disk.read(str(file)).source) == ("file cannot be read: permission denied", read.source)
    file.chmod(0o600)
    assert disk.read(str(file)).defect == ""


def test_a_file_that_is_deleted_between_listing_and_reading_is_one_that_is_gone(tmp_path: Path, file: Path) -> None:
    host = Host()
    (listed,) = host.files(str(tmp_path))
    file.unlink()
    with pytest.raises(FileUnavailable):
        host.file_for_agent(listed)
    assert host.files(str(tmp_path)) == []


def test_a_file_that_grows_too_large_and_small_again(file: Path) -> None:
    disk = Disk()
    assert disk.read(str(file)).defect == ""
    file.write_bytes(b"/" * (SIZE_LIMIT + 1))
    assert "1 MB" in disk.read(str(file)).defect
    file.write_text("// one\n")
    assert disk.read(str(file)).defect == ""


# ---- folders ------------------------------------------------------------------------------------------------------------


def test_a_folder_is_listed_again_when_it_changed(tmp_path: Path) -> None:
    walker = Walker()
    root = str(tmp_path)
    for number in range(50):
        (tmp_path / f"{number:02}.ax").write_text("")
        assert len(walker.walk(root).files) == number + 1
    (tmp_path / "00.ax").unlink()
    (tmp_path / "01.ax").rename(tmp_path / "z.ax")
    assert [os.path.basename(path) for path in walker.walk(root).files] == [*(f"{n:02}.ax" for n in range(2, 50)), "z.ax"]


def test_links_to_folders_end_and_links_to_programs_stand_for_them(tmp_path: Path) -> None:
    inside, outside = tmp_path / "root", tmp_path / "outside"
    (inside / "a" / "b").mkdir(parents=True)
    outside.mkdir()
    for path in (inside / "a" / "one.ax", outside / "two.ax", outside / "three.ax"):
        path.write_text("")
    (inside / "a" / "b" / "up").symlink_to(inside)
    (inside / "a" / "loop").symlink_to(inside / "a" / "loop")
    (inside / "again.ax").symlink_to(inside / "a" / "one.ax")
    (inside / "two.ax").symlink_to(outside / "two.ax")
    (inside / ".#lock.ax").symlink_to("nobody@nowhere.1")
    found = Walker().walk(str(inside))
    assert found.files == (str(inside / "a" / "one.ax"),)
    assert found.closed == ((str(inside / "two.ax"), "it is a link that leads out of the workspace"),)


def test_as_many_files_as_are_looked_at_and_one_more_which_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "FILES_LIMIT", 200)
    for number in range(200):
        folder = tmp_path / f"d{number % 20}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.ax").touch()
    walker = Walker()
    found = walker.walk(str(tmp_path))
    assert (len(found.files), found.is_cut) == (200, False)
    assert walker.walk(str(tmp_path)).files == found.files
    (tmp_path / "d0" / "zzz.ax").touch()
    found = walker.walk(str(tmp_path))
    assert (len(found.files), found.is_cut) == (200, True)


def test_a_walk_that_gives_way_lets_another_one_go_first(tmp_path: Path) -> None:
    for name in ("a/one.ax", "a/b/two.ax", "c/three.ax"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("three.ax\n")
    walker, root = Walker(), str(tmp_path)
    inner: list[tuple[str, ...]] = []
    found = walker.walk(root, checkpoint=lambda: inner.append(walker.walk(root).files))
    assert found.files == (str(tmp_path / "a" / "one.ax"), str(tmp_path / "a" / "b" / "two.ax"))
    assert set(inner) == {found.files}


def test_what_was_read_of_a_file_that_is_gone_is_dropped_when_a_client_leaves(tmp_path: Path) -> None:
    host = Host()
    (tmp_path / "boruna.toml").write_text("")
    gone, kept = (tmp_path / name for name in ("gone.ax", "kept.ax"))
    for path in (gone, kept):
        path.write_text("fn main() -> Int { 1 }\n")
        host.file_for_agent(str(path))
    host.shared.disk.read(str(tmp_path / "boruna.toml"))
    gone.unlink()
    host.upkeep.look_again(str(gone))
    assert host.shared.disk.last_read(str(gone)) is None
    client = host.connect()
    host.disconnect(client)
    assert host.shared.disk.last_read(str(tmp_path / "boruna.toml")) is None
    assert host.shared.disk.last_read(str(kept)) is not None


def test_a_text_that_is_replaced_on_disk_is_handed_over_to_be_freed(file: Path) -> None:
    disk, gone = Disk(), list[str]()
    disk.discard = lambda source: gone.append(source.text)
    for text in ("// first\n", "// second\n"):
        file.write_text(text)
        disk.read(str(file))
    disk.read(str(file))
    assert gone == ["// first\n"]
    disk.forget(str(file))
    assert gone == ["// first\n", "// second\n"]


def test_a_long_file_that_changed_gives_way_to_what_is_more_urgent(tmp_path: Path) -> None:
    host, path, begun, looks = Host(), tmp_path / "long.ax", threading.Event(), list[int]()
    path.write_text("fn main() -> Int { 1 }\n")
    host.file_for_agent(str(path))
    path.write_text("fn f[]" * 150_000 + "\n")

    def look() -> None:
        looks.append(1)
        begun.set()
        host.upkeep.look_again(str(path))

    job = host.worker.submit(look, Priority.BACKGROUND)
    assert begun.wait(PATIENCE)
    host.worker.submit(lambda: None, Priority.TYPING).result(PATIENCE)
    job.result(PATIENCE)
    host.worker.stop()
    # It was made to begin again.
    assert len(looks) > 1
