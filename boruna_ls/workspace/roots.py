"""Which workspace a file belongs to, and which `.ax` files a workspace has.

The nearest ancestor with `boruna.toml` is the root, else the nearest with `.git`, else the client's folder that
holds the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Final

SETTINGS_FILE: Final = "boruna.toml"
FILES_LIMIT: Final = 10_000
"""How many files of one workspace are looked at."""
_SKIPPED: Final = frozenset({"node_modules", "target", "build", "dist", "venv", "__pycache__"})


def workspace_root(path: str, folders: Iterable[str] = ()) -> str:
    """The root of the workspace that holds an absolute path; "" if the file stands alone."""
    if not os.path.isabs(path):
        return ""
    repository = ""
    folder = os.path.dirname(path)
    while True:
        if os.path.isfile(os.path.join(folder, SETTINGS_FILE)):
            return folder
        if not repository and os.path.exists(os.path.join(folder, ".git")):
            repository = folder
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    if repository:
        return repository
    holding = [root for root in folders if root and is_inside(path, root)]
    return max(holding, key=len, default="")


def is_inside(path: str, root: str) -> bool:
    """Whether a path lies in a folder (or is it)."""
    return path == root or path.startswith((root.rstrip("/\\") + "/", root.rstrip("\\") + os.sep))


def program_files(root: str) -> Iterator[str]:
    """The `.ax` files under a folder in order of path, at most FILES_LIMIT; hidden and built folders are left out."""
    count = 0
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        inner = []
        for entry in found:
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
            except OSError:
                continue
            if is_folder:
                if not entry.name.startswith(".") and entry.name not in _SKIPPED:
                    inner.append(entry.path)
            elif entry.name.endswith(".ax"):
                yield entry.path
                count += 1
                if count >= FILES_LIMIT:
                    return
        waiting.extend(reversed(inner))
