"""Live `fs.read` and `fs.write`: regular files below the folders that policy and ceiling name, reached without any symbolic link.

Each part of a path is opened relative to the folder before it, from the root of the disk on, so that nothing can be exchanged
between check and use, and no link that lies in a workspace leads outside.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, Literal, TypeVar

from analysis.bytecode.module import Constant
from boruna_ls import bounded
from boruna_ls.effects.effect import Bounds, Effect, Target
from boruna_ls.effects.roots import forbidden, is_key_folder, is_ours, refusal_of_root
from boruna_ls.mounts import MOUNTS, SILENT
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import FsPolicy

T = TypeVar("T")
Section = Literal["fs_read", "fs_write"]
_NOT_WRITTEN: Final = frozenset((".git", ".hg", ".svn"))
"""Folders whose files tools execute: a program that could write them could do everything."""
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW


def target_of_read(effect: Effect) -> Target:
    """The file that is read. Raises HandlerFailure for what the policy refuses anyway."""
    return _target("fs_read", effect)


def target_of_write(effect: Effect) -> Target:
    """The file that is written. Raises HandlerFailure for what the policy refuses anyway."""
    return _target("fs_write", effect)


def _target(section: Section, effect: Effect) -> Target:
    place = placed(effect.bounds, section, effect.text(0))
    if bounded.is_folder(place):
        # A person who is asked about a folder would allow all that lies below it.
        raise HandlerFailure(f"'{effect.text(0)}' is a folder: name a file in it")
    return Target(section, place)


def read(effect: Effect) -> Constant:
    """`fs.read(path)`. Raises HandlerFailure."""
    return ("String", _in_time(effect, lambda: read_text(effect.bounds, effect.text(0))))


def write(effect: Effect) -> Constant:
    """`fs.write(path, text)`. Raises HandlerFailure."""
    _in_time(effect, lambda: write_text(effect.bounds, effect.text(0), effect.text(1)))
    return ("Bool", True)


def _in_time(effect: Effect, work: Callable[[], T]) -> T:
    """Does what may wait for a disk; one that hangs keeps none of the broker's threads. Raises HandlerFailure."""
    place = os.path.normpath(os.path.join(effect.bounds.folder, *_policy(effect.bounds).allowed_roots[:1], effect.text(0)))
    try:
        return MOUNTS.call(place, lambda _: work())
    except TimeoutError:
        raise HandlerFailure(f"'{effect.text(0)}': {SILENT}") from None


def read_text(bounds: Bounds, path: str) -> str:
    """The text of a file. Raises HandlerFailure."""
    limit = _policy(bounds).max_bytes
    with _opened(bounds, "fs_read", path, os.O_RDONLY) as descriptor, os.fdopen(os.dup(descriptor), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise HandlerFailure(f"'{path}' holds more than {limit} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise HandlerFailure(f"'{path}' is not UTF-8") from None


def write_text(bounds: Bounds, path: str, text: str) -> None:
    """Replaces the text of a file. Raises HandlerFailure."""
    limit, data = _policy(bounds).max_bytes, text.encode("utf-8", "surrogatepass")
    if len(data) > limit:
        raise HandlerFailure(f"a text of more than {limit} bytes")
    with _opened(bounds, "fs_write", path, os.O_WRONLY | os.O_CREAT) as descriptor:
        os.ftruncate(descriptor, 0)
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(data)


def placed(bounds: Bounds, section: Section, path: str) -> str:
    """The absolute path that is meant, below a root of the policy if it names some. Raises HandlerFailure."""
    if "\0" in path or not path:
        raise HandlerFailure("an empty path, or one with a zero character")
    if ".." in path.replace("\\", "/").split("/"):
        raise HandlerFailure(f"'{path}' holds '..'")
    named = bounds.policy.fs
    if named is None and bounds.ceiling is None:
        raise HandlerFailure('the policy names no folders: add `"fs_policy": {"allowed_roots": ["."]}`')
    roots = _roots(bounds)
    place = os.path.normpath(os.path.join(roots[0][0] if roots else bounds.folder, path))
    if named is not None:
        root = next((root for root in roots if place.startswith(root[0].rstrip(os.sep) + os.sep)), None)
        if root is None:
            raise HandlerFailure(f"'{path}' is not below an allowed folder: [{', '.join(named.allowed_roots)}]")
        place = os.path.join(root[1], os.path.relpath(place, root[0]))
    parts = place.split(os.sep)
    if any(map(is_key_folder, parts)):
        raise HandlerFailure(f"'{path}' is in a folder of keys, which no program may access")
    if section == "fs_write" and _NOT_WRITTEN & {part.casefold() for part in parts}:
        raise HandlerFailure(f"'{path}' is in a folder of version control, which no program may write")
    return place


def _policy(bounds: Bounds) -> FsPolicy:
    return bounds.policy.fs or FsPolicy()


def _roots(bounds: Bounds) -> list[tuple[str, str]]:
    """The roots of the policy as it writes them, and where they lie. Raises HandlerFailure for a forbidden one.

    Where the owner wrote the policy the links in its roots are followed; those of a call are not, and lead nowhere.
    """
    roots = []
    for root in _policy(bounds).allowed_roots:
        path = os.path.normpath(os.path.join(bounds.folder, root))
        if (reason := refusal_of_root(path)) is not None:
            raise HandlerFailure(reason)
        roots.append((path, bounded.real_path(path) if bounds.ceiling is None else path))
    return roots


def _allowed(bounds: Bounds, section: Section, path: str) -> str:
    place = placed(bounds, section, path)
    if bounds.ceiling is not None and not bounds.ceiling.allows(section, place):
        raise HandlerFailure(f"'{path}' is not allowed by the owner")
    return place


@contextmanager
def _opened(bounds: Bounds, section: Section, path: str, flags: int) -> Iterator[int]:
    if os.open not in os.supports_dir_fd:
        # Paths cannot be opened part by part (Windows), so a link could lead outside.
        raise HandlerFailure("files cannot be accessed safely on this system")
    ours = forbidden()
    try:
        descriptor = _walked(_allowed(bounds, section, path), flags, ours, path)
    except OSError as error:
        raise HandlerFailure(f"'{path}': {error.strerror or error}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise HandlerFailure(f"'{path}' is not a regular file")
        if (status.st_dev, status.st_ino) in ours or is_ours(status):
            raise HandlerFailure(f"'{path}' is a file of boruna-ls itself, which no program may access")
        yield descriptor
    except OSError as error:
        raise HandlerFailure(f"'{path}': {error.strerror or error}") from None
    finally:
        os.close(descriptor)


def _walked(place: str, flags: int, ours: frozenset[tuple[int, int]], path: str) -> int:
    """The file, opened part by part; no part is a link, none is one of our own folders."""
    *folders, name = place.strip(os.sep).split(os.sep)
    folder = os.open(os.sep, _FOLDER)
    try:
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
            status = os.fstat(folder)
            if (status.st_dev, status.st_ino) in ours:
                raise HandlerFailure(f"'{path}' is in a folder of boruna-ls itself, which no program may access")
        return os.open(name, flags | _NO_FOLLOW, 0o644, dir_fd=folder)
    finally:
        with suppress(OSError):
            os.close(folder)
