"""Ids of steps as names of files: an id may hold anything, a name only what every system takes."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

_PLAIN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}")


def file_name(step: str) -> str:
    """A step's id as the name of a folder; different ids have different names."""
    return step if _PLAIN.fullmatch(step) else "%" + quote(step, safe="")
