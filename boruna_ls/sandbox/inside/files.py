"""Files of the sandbox, read and written from inside it: whatever a link says, it leads to a place of the sandbox."""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import errno
import json
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, Final

from boruna_ls.sandbox.messages import MOST_BODY

MOST_ENTRIES: Final = 1000
"""Maximum number of entries of a folder in one answer."""
_MOST_WALKED: Final = 20_000
_MOST_CHANGED: Final = 200
_LONGEST_SHOWN: Final = 262_144
"""Maximum size in bytes of a changed file whose text is sent."""
_MOST_TOLD: Final = 2 << 20
_PART: Final = 1 << 20
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST: Final = 100
"""Folders in one another that are copied: one is open for each."""


class Refused(Exception):
    """A path cannot be used; the message is a sentence."""


def absolute(path: str, home: str) -> str:
    """A path of a call; relative ones count from the home."""
    if "\0" in path:
        raise Refused("a path cannot hold a NUL")
    return os.path.normpath(os.path.join(home, path)) if ".." not in path.split("/") else os.path.join(home, path)


def read(path: str, offset: int, limit: int) -> tuple[dict[str, Any], bytes]:
    """A part of a regular file, and its size in bytes. Raises Refused, OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        _check_regular(path, status)
        parts, left = [], limit
        while left > 0 and (data := os.pread(descriptor, left, offset + limit - left)):
            parts.append(data)
            left -= len(data)
        return {"size": status.st_size}, b"".join(parts)
    finally:
        os.close(descriptor)


def write(path: str, content: bytes, mode: int | None) -> dict[str, Any]:
    """Replaces a file, whole or not at all; folders above it are made. Raises Refused, OSError."""
    with contextlib.suppress(FileNotFoundError):
        _check_regular(path, os.stat(path))
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    if mode is None:
        mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o644
    temporary = os.path.join(folder, f".boruna-{os.urandom(6).hex()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, mode & 0o777)
        os.rename(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    finally:
        os.close(descriptor)
    return {"size": len(content)}


def listed(path: str, offset: int) -> tuple[dict[str, Any], bytes]:
    """The entries of a folder in order of their names. Raises OSError."""
    with os.scandir(path) as entries:
        names = sorted(entry.name for entry in entries)
    listing = []
    for name in names[offset : offset + MOST_ENTRIES]:
        try:
            status = os.lstat(os.path.join(path, name))
        except OSError:
            continue
        entry: dict[str, Any] = {"name": shown(name), "kind": _kind(status), "size": status.st_size, "modified": status.st_mtime}
        if stat.S_ISLNK(status.st_mode):
            with contextlib.suppress(OSError):
                entry["target"] = shown(os.readlink(os.path.join(path, name)))[:256]
        listing.append(entry)
    return {"total": len(names)}, json.dumps(listing).encode()


def changes(home: str, before: dict[str, str]) -> tuple[dict[str, Any], bytes]:
    """Differences to the files that the sandbox began with: `before` is the digest of each by path.

    Texts of new or changed files follow one another in the second part; `length` None: too long, or no text.
    """
    import hashlib  # now: every sandbox waits for what is imported above

    changed: list[dict[str, Any]] = []
    texts: list[bytes] = []
    sent, walked, seen = 0, 0, set()
    for path in _walked(home):
        walked += 1
        name = shown(os.path.relpath(path, home))
        seen.add(name)
        try:
            size = os.lstat(path).st_size
            content = read(path, 0, _LONGEST_SHOWN)[1]
        except (OSError, Refused):
            continue
        if size <= _LONGEST_SHOWN and hashlib.sha256(content).hexdigest() == before.get(name):
            continue
        is_told = size <= _LONGEST_SHOWN and sent + size <= _MOST_TOLD and _is_text(content)
        changed.append({"path": name, "size": size, "new": name not in before, "length": len(content) if is_told else None})
        if is_told:
            texts.append(content)
            sent += len(content)
        if len(changed) >= _MOST_CHANGED or walked >= _MOST_WALKED:
            break
    cut = len(changed) >= _MOST_CHANGED or walked >= _MOST_WALKED
    removed = [] if cut else sorted(before.keys() - seen)
    return {"changes": changed, "removed": removed, "cut": cut}, b"".join(texts)


def given_out(home: str, send: Callable[[dict[str, Any], bytes], None]) -> int:
    """Sends every folder, file and link of the home, files in parts; how many there were."""
    count = 0
    for folder, folders, names in os.walk(home):
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, home)
            try:
                status = os.lstat(path)
                entry = {"path": relative, "mode": stat.S_IMODE(status.st_mode)}
                if stat.S_ISLNK(status.st_mode):
                    send({**entry, "kind": "link", "target": os.readlink(path)}, b"")
                elif stat.S_ISDIR(status.st_mode):
                    send({**entry, "kind": "folder"}, b"")
                elif stat.S_ISREG(status.st_mode):
                    _send_file(path, entry, send)
                else:
                    continue
            except OSError:
                continue
            count += 1
    return count


def _send_file(path: str, entry: dict[str, Any], send: Callable[[dict[str, Any], bytes], None]) -> None:
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        first = True
        while (data := file.read(_PART)) or first:
            send({**entry, "kind": "file", "first": first}, data)
            first = False


def taken_in(home: str, entry: dict[str, Any], data: bytes) -> None:
    """Makes one folder, file or link that another sandbox has given out. Raises OSError."""
    path = os.path.join(home, entry["path"])
    if entry["kind"] == "link":
        os.symlink(entry["target"], path)
    elif entry["kind"] == "folder":
        os.makedirs(path, exist_ok=True)
        os.chmod(path, entry["mode"] | 0o700)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb" if entry["first"] else "ab") as file:
            file.write(data)
        os.chmod(path, entry["mode"] | 0o600)


def copied(source: int, home: str) -> int:
    """Copies the home of another sandbox, an open folder, into ours; how many entries there were. Raises Refused, OSError.

    What runs there may change it meanwhile: no link is followed, no pipe waited for, and our own limits hold.
    """
    target = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _copied(os.open(".", _FOLDER, dir_fd=source), target, 0)
    finally:
        os.close(target)


def _copied(source: int, target: int, depth: int) -> int:
    """One folder with all below it; closes `source`."""
    count = 0
    with contextlib.closing(_Descriptor(source)), os.scandir(source) as entries:
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    os.symlink(os.readlink(entry.name, dir_fd=source), entry.name, dir_fd=target)
                elif stat.S_ISDIR(status.st_mode):
                    if depth >= _DEEPEST:
                        raise Refused(f"the folders of that sandbox nest deeper than {_DEEPEST}: it cannot be copied")
                    count += _copied_folder(entry.name, status, source, target, depth)
                elif stat.S_ISREG(status.st_mode):
                    _copied_file(entry.name, source, target)
                else:
                    continue
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EMFILE):
                    raise
                # Removed meanwhile, or unreadable.
                continue
            count += 1
    return count


def _copied_folder(name: str, status: os.stat_result, source: int, target: int, depth: int) -> int:
    below = os.open(name, _FOLDER, dir_fd=source)
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=target)
    with contextlib.closing(_Descriptor(os.open(name, _FOLDER, dir_fd=target))) as folder:
        os.fchmod(folder.number, stat.S_IMODE(status.st_mode) | 0o700)
        return _copied(below, folder.number, depth + 1)


def _copied_file(name: str, source: int, target: int) -> None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with contextlib.closing(_Descriptor(os.open(name, flags, dir_fd=source))) as read:
        status = os.fstat(read.number)
        if not stat.S_ISREG(status.st_mode):
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with contextlib.closing(_Descriptor(os.open(name, flags, 0o600, dir_fd=target))) as write:
            left = status.st_size
            while left > 0 and (sent := os.sendfile(write.number, read.number, None, left)):
                left -= sent
            os.fchmod(write.number, stat.S_IMODE(status.st_mode) & 0o777 | 0o600)


class _Descriptor:
    """An open file that is closed with its block."""

    def __init__(self, number: int) -> None:
        self.number = number

    def close(self) -> None:
        os.close(self.number)


def shown(name: str) -> str:
    """A name as text; bytes that are none become marks."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _walked(home: str) -> Iterator[str]:
    for folder, folders, names in os.walk(home):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(folder, name)


def _is_text(content: bytes) -> bool:
    if b"\0" in content:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _kind(status: os.stat_result) -> str:
    kinds = {stat.S_IFDIR: "directory", stat.S_IFREG: "file", stat.S_IFLNK: "symlink"}
    return kinds.get(stat.S_IFMT(status.st_mode), "other")


def _check_regular(path: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise Refused(f"'{shown(path)}' is a directory: list_directory shows what is in it")
    if not stat.S_ISREG(status.st_mode):
        raise Refused(f"'{shown(path)}' is not a regular file")
    if status.st_dev == os.stat("/proc").st_dev:
        raise Refused(f"'{shown(path)}' is a view of the kernel, not a file: read it with run_command")


assert _LONGEST_SHOWN < MOST_BODY
