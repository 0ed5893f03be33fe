"""Rollback journals of SQLite that a clone, or a backup, brought along beside a database.

After a crash SQLite rolls a database back by its journal. If that names a super-journal, which is written for a transaction over
several databases, SQLite then deletes the named file, whatever and wherever it is. We never attach a second database, so no
database of ours has such a journal.
"""

from __future__ import annotations

import os
import stat
from typing import Final

_SUPER_JOURNAL: Final = bytes.fromhex("d9d505f920a163d7")
"""Last bytes of a journal that names a super-journal."""
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
REASON: Final = "its journal names another file, which SQLite would delete: if you trust both files, open it once with sqlite3"


def names_another_file(database: str | os.PathLike[str]) -> bool:
    """True if SQLite would delete a file that the journal of a database names."""
    try:
        descriptor = os.open(f"{os.path.realpath(database)}-journal", _FLAGS)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as journal:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size < len(_SUPER_JOURNAL):
            return False
        journal.seek(-len(_SUPER_JOURNAL), os.SEEK_END)
        return journal.read() == _SUPER_JOURNAL
