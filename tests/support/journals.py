"""Journals of SQLite as a crash in a transaction over several databases leaves them."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Final

_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
_SECTOR: Final = 512
_PAGE: Final = 4096
_LOCKED_BYTE: Final = 1 << 30


def write_super_journal(database: Path, named: Path) -> None:
    """Writes a journal that changes no page and names a file, which SQLite deletes when it has rolled the database back."""
    name = os.fsencode(named)
    head = _MAGIC + struct.pack(">5I", 0, 0, database.stat().st_size // _PAGE, _SECTOR, _PAGE)
    end = struct.pack(">I", _LOCKED_BYTE // _PAGE + 1) + name + struct.pack(">II", len(name), sum(name)) + _MAGIC
    database.with_name(f"{database.name}-journal").write_bytes(head.ljust(_SECTOR, b"\0") + end)
