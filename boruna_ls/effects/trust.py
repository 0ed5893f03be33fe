"""`trust.toml`, the owner's file of ceilings: read, checked, and edited for `boruna-ls trust` and for the owner's "always".

It lies in the owner's configuration, outside of every workspace. A file that others can write counts for nothing.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import stat
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from boruna_ls.effects.ceiling import NOTHING, SECTIONS, Ceiling, Section
from boruna_ls.effects.roots import config_folder
from boruna_ls.rendezvous import atomic
from boruna_ls.rendezvous.locks import acquire

WORDS: Final[dict[Section, str]] = {
    "net_hosts": "net",
    "fs_read": "read",
    "fs_write": "write",
    "databases": "database",
    "mcp_servers": "mcp-server",
}
"""Names of the sections on the command line."""
_LARGEST: Final = 1024 * 1024
_PATIENCE: Final = 5.0
_MARKS: Final = ("boruna.toml", ".git")
"""Entries that make a folder a workspace."""
_HEAD: Final = (
    "# What live effects programs may have, by workspace: docs/security.md.\n"
    "# `boruna-ls trust allow` and `revoke` write this file anew; comments are not kept.\n"
)


class TrustError(Exception):
    """The owner's file cannot be used; the message is a sentence that says what to do."""


class Trust(BaseModel):
    """The whole file: a ceiling for each workspace, by the canonical path of its root."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    workspace: dict[str, Ceiling] = Field(default_factory=dict)


def path() -> str:
    """Path of the owner's file, which need not exist."""
    return os.path.join(config_folder(), "trust.toml")


def read() -> Trust:
    """The owner's file; an absent one allows nothing. Raises TrustError."""
    file = path()
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return Trust()
    except OSError as error:
        raise TrustError(f"{file} cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as stream:
        _check_place(file)
        _check_owner(file, os.fstat(descriptor))
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise TrustError(f"{file} is larger than {_LARGEST >> 20} MB")
    try:
        return Trust.model_validate(_table(data))
    except ValidationError as error:
        raise TrustError(f"{file}: {reason_of(error)}") from None
    except ValueError as error:
        raise TrustError(f"{file} is not TOML: {error}") from None


@functools.lru_cache(maxsize=1)
def _table(data: bytes) -> dict[str, Any]:
    """The TOML of the file, which each run with live effects reads and hardly ever changes. Raises ValueError.

    Whether its entries may be allowed depends on the disk, too, and is judged anew each time.
    """
    return tomllib.loads(data.decode("utf-8"))


def ceiling_of(workspace: str) -> Ceiling:
    """Ceiling of the programs of a workspace. Raises TrustError if the file cannot be used."""
    return read().workspace.get(workspace, NOTHING)


def allow(workspace: str, section: Section, value: str) -> bool:
    """Adds an entry; False if it was there. Raises TrustError, ValueError for an entry that no ceiling may have."""
    return _edit(workspace, lambda ceiling: ceiling.with_entry(section, value))


def revoke(workspace: str, section: Section | None = None, value: str | None = None) -> bool:
    """Takes an entry, a section or the whole workspace out; False if there was none. Raises TrustError."""

    def edited(ceiling: Ceiling) -> Ceiling:
        if section is None:
            return NOTHING
        if value is not None:
            return ceiling.without_entry(section, value)
        return Ceiling.model_validate({**ceiling.model_dump(), section: ()})

    return _edit(workspace, edited)


def set_sandbox_network(workspace: str, allowed: bool) -> bool:
    """Allow or forbid a network to the sandboxes of a workspace; True if that changed the file. Raises TrustError."""
    return _edit(workspace, lambda ceiling: Ceiling.model_validate({**ceiling.model_dump(), "sandbox_network": allowed}))


def reason_of(error: ValueError) -> str:
    """Fault of an entry or a file, as a sentence."""
    if not isinstance(error, ValidationError):
        return str(error)
    reasons = []
    for defect in error.errors():
        place = ".".join(str(part) for part in defect["loc"] if not isinstance(part, int))
        reasons.append(f"{place}: {str(defect['msg']).removeprefix('Value error, ')}" if place else str(defect["msg"]))
    return "; ".join(reasons)


def _edit(workspace: str, edited: Callable[[Ceiling], Ceiling]) -> bool:
    folder = config_folder()
    _check_place(path())
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        with _locked(folder):
            trust = read()
            before = trust.workspace.get(workspace, NOTHING)
            after = edited(before)
            if after == before:
                return False
            ceilings = {name: ceiling for name, ceiling in trust.workspace.items() if name != workspace}
            if after != NOTHING:
                ceilings[workspace] = after
            _write(_text(ceilings))
    except OSError as error:
        raise TrustError(f"{path()} cannot be written: {error.strerror or error}") from None
    return True


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Edits of several processes follow each other."""
    place, ends = os.path.join(folder, "trust.lock"), time.monotonic() + _PATIENCE
    while (lock := acquire(place)) is None:
        if time.monotonic() > ends:
            raise TrustError(f"{place} is held by another process: try again when it has ended")
        time.sleep(0.02)
    try:
        yield
    finally:
        lock.release()


def _write(text: str) -> None:
    # A link of the owner's stays one.
    atomic.write(os.path.realpath(path()), text.encode(), is_durable=True)


def _text(ceilings: dict[str, Ceiling]) -> str:
    lines = [_HEAD]
    for name in sorted(ceilings):
        ceiling = ceilings[name]
        lines.append(f"[workspace.{_quoted(name)}]")
        entries = {section: ceiling.entries(section) for section in SECTIONS}
        lines += [f"{section} = [{', '.join(map(_quoted, listed))}]" for section, listed in entries.items() if listed]
        if ceiling.sandbox_network:
            lines.append("sandbox_network = true")
        lines.append("")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _check_place(file: str) -> None:
    """Raises TrustError for a file that lies in a workspace: a clone could have brought it along."""
    above = resolved = os.path.realpath(file)
    while (above := os.path.dirname(above)) != os.path.dirname(above):
        if any(os.path.lexists(os.path.join(above, mark)) for mark in _MARKS):
            advice = "keep it outside of every workspace and repository, for example by XDG_CONFIG_HOME"
            raise TrustError(f"{resolved} is in the workspace {above}, so it is ignored: {advice}")


def _check_owner(file: str, status: os.stat_result) -> None:
    """Raises TrustError for a file, or a folder of it, that another user can change."""
    if not stat.S_ISREG(status.st_mode):
        raise TrustError(f"{file} is not a regular file")
    if sys.platform == "win32":
        return
    mine = (0, os.geteuid())
    if status.st_uid not in mine:
        raise TrustError(f"{file} belongs to another user, so it is ignored: make it yours, with mode 600")
    if status.st_mode & 0o022:
        raise TrustError(f"{file} can be written by others, so it is ignored: chmod 600 {file}")
    for folder in dict.fromkeys((os.path.dirname(file), os.path.dirname(os.path.realpath(file)))):
        around = os.stat(folder)
        if around.st_uid not in mine or around.st_mode & 0o022:
            raise TrustError(f"others can write {folder}, so {file} is ignored: chmod 700 {folder}")
        # Who can rename the folder can put another one of this user's in its place, or a link to one.
        parent = os.path.dirname(folder)
        mode = os.stat(parent).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise TrustError(f"everybody can write {parent}, so {file} is ignored: chmod 700 {parent}")
        if os.lstat(folder).st_uid not in mine:
            raise TrustError(f"{folder} is another user's link, so {file} is ignored: make the folder yourself")
