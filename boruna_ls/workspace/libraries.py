"""Finds libraries: a folder `NAME` with `src/core.ax` under `--libs-dir`, a workspace's `libs/` or the built-in ones.

The first place that has a name wins. Only folders are listed here; the host reads the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")


def find_libraries(folders: Iterable[str]) -> dict[str, str]:
    """Library name to the path of its source, for folders in order of precedence, names sorted."""
    found: dict[str, str] = {}
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name, "src", "core.ax")
            if name not in found and os.path.isfile(path):
                found[name] = path
    return dict(sorted(found.items()))
