"""Live `fs.read` and `fs.write`: regular files below the folders that the policy names, reached without any symbolic link.

Each part of a path is opened relative to the folder before it, so that nothing can be exchanged between check and use.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import FsPolicy


def read_text(policy: FsPolicy, path: str) -> str:
    """The text of a file. Raises HandlerFailure."""
    with _opened(policy, path, os.O_RDONLY) as descriptor, os.fdopen(os.dup(descriptor), "rb") as file:
        data = file.read(policy.max_bytes + 1)
    if len(data) > policy.max_bytes:
        raise HandlerFailure(f"'{path}' holds more than {policy.max_bytes} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise HandlerFailure(f"'{path}' is not UTF-8") from None


def write_text(policy: FsPolicy, path: str, text: str) -> None:
    """Replaces the text of a file. Raises HandlerFailure."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > policy.max_bytes:
        raise HandlerFailure(f"a text of more than {policy.max_bytes} bytes")
    with _opened(policy, path, os.O_WRONLY | os.O_CREAT) as descriptor:
        os.ftruncate(descriptor, 0)
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(data)


def placed(policy: FsPolicy, path: str) -> tuple[str, list[str]]:
    """The allowed root that a path lies below, and the parts between. Raises HandlerFailure."""
    if "\0" in path or not path:
        raise HandlerFailure("an empty path, or one with a zero character")
    if ".." in path.replace("\\", "/").split("/"):
        raise HandlerFailure(f"'{path}' holds '..'")
    roots = [os.path.abspath(root) for root in policy.allowed_roots]
    candidates = [os.path.normpath(path)] if os.path.isabs(path) else [os.path.normpath(os.path.join(r, path)) for r in roots[:1]]
    for candidate in candidates:
        for root in roots:
            if candidate.startswith(root.rstrip(os.sep) + os.sep):
                return root, os.path.relpath(candidate, root).split(os.sep)
    raise HandlerFailure(f"'{path}' is not below an allowed folder: [{', '.join(policy.allowed_roots)}]")


@contextmanager
def _opened(policy: FsPolicy, path: str, flags: int) -> Iterator[int]:
    root, parts = placed(policy, path)
    if os.open not in os.supports_dir_fd:
        # Paths cannot be opened part by part (Windows), so a link could lead outside.
        raise HandlerFailure("files cannot be reached safely on this system")
    no_follow = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    folder = -1
    try:
        folder = os.open(root, os.O_RDONLY)
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | no_follow | getattr(os, "O_DIRECTORY", 0), dir_fd=folder)
            os.close(folder)
            folder = inner
        descriptor = os.open(parts[-1], flags | no_follow, 0o644, dir_fd=folder)
    except OSError as error:
        raise HandlerFailure(f"'{path}': {error.strerror or error}") from None
    finally:
        if folder >= 0:
            with suppress(OSError):
                os.close(folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise HandlerFailure(f"'{path}' is no regular file")
        yield descriptor
    except OSError as error:
        raise HandlerFailure(f"'{path}': {error.strerror or error}") from None
    finally:
        os.close(descriptor)
