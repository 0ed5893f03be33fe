"""Opens files without following symbolic links: content of a repository must not lead us out of it.

A caller that checks a path resolves it first, then opens that path with these functions: each part is opened relative to the
folder before it, so nothing can be exchanged for a link in between. Where the system cannot do that (Windows), the path is
resolved once more just before it is opened.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from boruna_ls.rendezvous import atomic

_WALKS: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FOLDER: Final = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY) | _FLAGS
"""With O_PATH a folder that may be passed but not be listed is no obstacle."""
_ANY: Final = getattr(os, "O_NOFOLLOW_ANY", 0)
"""macOS refuses a link in any part by itself."""


def opened(path: str, flags: int = os.O_RDONLY, mode: int = 0o644) -> int:
    """The descriptor of an absolute path of which no part is a link. Raises OSError (ELOOP for a link)."""
    if _ANY:
        return os.open(path, flags | _ANY | (_FLAGS & ~getattr(os, "O_NOFOLLOW", 0)), mode)
    if not _WALKS:
        return _opened_resolved(path, flags, mode)
    return opened_below(os.sep, [part for part in path.split(os.sep) if part], flags, mode)


def opened_below(folder: str, parts: Sequence[str], flags: int, mode: int = 0o644, make_folders: bool = False) -> int:
    """The descriptor of a file below a folder, which may itself be reached through links; what lies between may not.

    `parts` are names, neither `.` nor `..`. Raises OSError (ELOOP for a link).
    """
    _refuse_no_names(parts)
    if not _WALKS:
        path = os.path.join(os.path.realpath(folder), *parts)
        if make_folders:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        return _opened_resolved(path, flags, mode)
    inside = _walked(folder, parts[:-1], make_folders)
    try:
        return os.open(parts[-1], flags | _FLAGS, mode, dir_fd=inside)
    finally:
        os.close(inside)


def read_below(folder: str, parts: Sequence[str], limit: int) -> bytes:
    """The bytes of a regular file below a folder, `limit` at most.

    Raises OSError: ELOOP for a link, EINVAL for what is not a regular file, EISDIR for a folder, EFBIG for a larger file.
    """
    # Without waiting: a pipe would wait for its writer.
    descriptor = opened_below(folder, parts, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "is not a regular file")
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(content) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def make_folders_below(folder: str, parts: Sequence[str]) -> None:
    """Makes the folders of a path below a folder, as far as they are missing. Raises OSError (ELOOP for a link)."""
    _refuse_no_names(parts)
    if _WALKS:
        os.close(_walked(folder, parts, make=True))
    else:
        os.makedirs(os.path.join(folder, *parts), exist_ok=True)


def write_below(folder: str, parts: Sequence[str], data: bytes, mode: int = 0o600, is_durable: bool = False) -> None:
    """Writes a file below a folder, whole or not at all; its folders are made as needed. Raises OSError (ELOOP for a link)."""
    _refuse_no_names(parts)
    if not _WALKS:
        above = os.path.join(os.path.realpath(folder), *parts[:-1])
        os.makedirs(above, exist_ok=True)
        if os.path.normcase(os.path.realpath(above)) != os.path.normcase(above):
            raise OSError(errno.ELOOP, "a folder of the path is a symbolic link")
        atomic.write(os.path.join(above, parts[-1]), data, mode, is_durable)
        return
    inside = _walked(folder, parts[:-1], make=True)
    try:
        atomic.write(parts[-1], data, mode, is_durable, inside=inside)
    finally:
        os.close(inside)


def is_link_error(error: OSError) -> bool:
    """True if a file was not opened because its path contains a link."""
    return error.errno == errno.ELOOP


def _refuse_no_names(parts: Sequence[str]) -> None:
    if not parts or any(part in ("", os.curdir, os.pardir) or os.sep in part or "\0" in part for part in parts):
        raise OSError(errno.EINVAL, "is not a path below a folder")


def _walked(folder: str, parts: Sequence[str], make: bool) -> int:
    """The descriptor of a folder below another one."""
    inside = os.open(folder, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for part in parts:
            inner = _inner(inside, part, make)
            os.close(inside)
            inside = inner
    except BaseException:
        os.close(inside)
        raise
    return inside


def _inner(folder: int, name: str, make: bool) -> int:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except NotADirectoryError:
        # A link that is not followed is no folder either: only a second look tells which of the two it is.
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a folder of the path is a symbolic link") from None
        raise


def _opened_resolved(path: str, flags: int, mode: int) -> int:
    if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):
        raise OSError(errno.ELOOP, "a part of the path is a symbolic link")
    return os.open(path, flags | (_FLAGS if sys.platform != "win32" else getattr(os, "O_BINARY", 0)), mode)
