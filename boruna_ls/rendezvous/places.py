"""The folder in which a user's daemon is found, and the names of the files in it. Writes nothing but the folder.

Names carry the wire version: daemons of two versions live side by side. Paths are strings, for the sake of a quick start.
"""

from __future__ import annotations

import os
import stat
import sys

from boruna_ls.rendezvous.wire import WIRE

VARIABLE = "BORUNA_LS_DIR"
"""The environment variable that names another folder."""


class BadFolder(OSError):
    """The folder cannot be used; the message is a sentence that says why and what to do."""


def folder() -> str:
    """The absolute path of the folder; it need not exist. Raises BadFolder if it cannot be determined."""
    if chosen := os.environ.get(VARIABLE):
        try:
            return os.path.abspath(os.path.expanduser(chosen))
        except OSError:
            raise BadFolder(f"{chosen} is relative to a folder that was deleted: give {VARIABLE} an absolute path") from None
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local"), "boruna-ls")
    # The variable is missing where no session was begun (cron, su): the same folder must be found from there.
    for runtime in (os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{os.getuid()}"):
        if runtime and os.path.isabs(runtime) and is_ours(runtime):
            return os.path.join(runtime, "boruna-ls")
    caches = "~/Library/Caches" if sys.platform == "darwin" else os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    caches = os.path.expanduser(caches)
    if not os.path.isabs(caches):
        return os.path.join(os.environ.get("TMPDIR") or "/tmp", f"boruna-ls-{os.getuid()}")
    # A home may be shared by machines; a socket is not.
    return os.path.join(caches, "boruna-ls", os.uname().nodename)


def is_ours(path: str) -> bool:
    """True if a path is a folder of this user that nobody else may enter or change, where modes say so."""
    if sys.platform == "win32":
        return os.path.isdir(path)
    try:
        status = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def check(path: str) -> None:
    """Raise BadFolder if a folder is another user's or open to others, FileNotFoundError if there is none."""
    link, status = os.lstat(path), os.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise BadFolder(f"{path} is not a folder: remove it, or name another one with {VARIABLE}")
    if sys.platform == "win32":
        return
    # A link that another user can change could lead to that user's daemon.
    if status.st_uid != os.getuid() or link.st_uid != os.getuid():
        raise BadFolder(f"{path} belongs to another user: name another folder with {VARIABLE}")
    if status.st_mode & 0o077:
        raise BadFolder(f"{path} must belong to you alone: chmod 700 it, or name another folder with {VARIABLE}")


def claim(path: str) -> None:
    """Makes the folder if there is none. Raises BadFolder if it cannot be ours alone."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.isdir(path):
            os.mkdir(path, 0o700)
    except OSError as error:
        # Another client may just have made it.
        if not os.path.isdir(path):
            raise BadFolder(f"{path} cannot be created ({error.strerror}): name another folder with {VARIABLE}") from None
    check(path)


def socket_path(path: str) -> str:
    """The Unix socket of the daemon of a folder."""
    return os.path.join(path, f"daemon-{WIRE}.sock")


def endpoint_path(path: str) -> str:
    """Path of the record with the daemon's address and identity."""
    return os.path.join(path, f"daemon-{WIRE}.json")


def lock_path(path: str) -> str:
    """The lock that the daemon holds as long as it lives."""
    return os.path.join(path, f"daemon-{WIRE}.lock")


def log_path(path: str) -> str:
    """The daemon's log; older ones have a number behind the name."""
    return os.path.join(path, f"daemon-{WIRE}.log")


def errors_path(path: str) -> str:
    """Path of the interpreter's standard error, for failures in which logging is impossible."""
    return os.path.join(path, f"daemon-{WIRE}.stderr")


def greetings_path(path: str) -> str:
    """Path of the stored answers to `initialize`; the next daemon answers from them before it is loaded."""
    return os.path.join(path, f"greetings-{WIRE}.json")


def installation_prefix() -> str:
    """Prefix of the names of the start records, one for each installation that was used here."""
    return f"installation-{WIRE}-"
