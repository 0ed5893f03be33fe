"""The daemon's log: a file that is replaced at a megabyte, with two older ones kept. Its loss is harmless.

A full disk, a deleted file or folder cost the lines that are written meanwhile, nothing else.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import logging
import os
import sys
import threading
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from typing import Final, TextIO

from boruna_ls.rendezvous import places

SIZE: Final = 1 << 20
"""Bytes of one file."""
OLDER: Final = 2
"""Number of older log files that are kept."""
_FORMAT: Final = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def begin(folder: str) -> None:
    """Log to the folder's file from now on; other output to standard error cannot fail."""
    _shorten(places.errors_path(folder))
    sys.stderr = _Harmless(sys.stderr)
    with contextlib.suppress(OSError, ValueError, io.UnsupportedOperation):
        faulthandler.enable(2)
    root = logging.getLogger()
    root.addHandler(handler(folder))
    root.setLevel(logging.WARNING)
    threading.excepthook = _thread_failed
    logging.getLogger("boruna_ls").setLevel(logging.INFO)


def _thread_failed(what: threading.ExceptHookArgs) -> None:
    name = what.thread.name if what.thread is not None else "?"
    failure = what.exc_value or what.exc_type()
    logging.getLogger(__name__).error("the thread %s failed", name, exc_info=failure)


def handler(folder: str) -> logging.Handler:
    """Handler that writes the log file of a daemon's folder."""
    file = _LogFile(places.log_path(folder), maxBytes=SIZE, backupCount=OLDER, encoding="utf-8", delay=True)
    file.setFormatter(logging.Formatter(_FORMAT))
    return file


def tidy(folder: str) -> None:
    """Removes the file of standard error if nothing was written to it; to be called while the folder's lock is held."""
    path = places.errors_path(folder)
    with contextlib.suppress(OSError):
        if not os.path.getsize(path):
            os.unlink(path)


class _LogFile(RotatingFileHandler):
    """Opens its file again when it was deleted or moved; is silent when it cannot be written."""

    def emit(self, record: logging.LogRecord) -> None:
        stream: TextIO | None = self.stream
        if stream is not None and not _is_at(self.baseFilename, stream):
            self._drop()
        super().emit(record)

    def _open(self) -> TextIOWrapper:
        return open(os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding=self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:
        self._drop()

    def _drop(self) -> None:
        stream: TextIO | None = self.stream
        self.stream = None
        if stream is not None:
            # What is still in its buffer would be tried again.
            with contextlib.suppress(OSError, ValueError):
                stream.close()


class _Harmless(io.TextIOBase):
    """Standard error for code that writes to it without asking whether it can be written."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if self._stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 2


def _is_at(path: str, stream: TextIO) -> bool:
    """True if a path still names the open file."""
    try:
        named, opened = os.stat(path), os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def _shorten(path: str) -> None:
    with contextlib.suppress(OSError):
        if os.path.getsize(path) > SIZE:
            os.truncate(path, 0)
