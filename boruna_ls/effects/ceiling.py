"""The owner's ceiling: which live effects the programs of a workspace may have at all (`trust.toml`).

The model of one workspace's section, and what its entries allow. Reading and writing the file is `trust.py`. Nothing that
arrives in a call, and nothing in a workspace, changes a ceiling.
"""

from __future__ import annotations

import os
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict

from boruna_ls.effects.addresses import ascii_name, is_listed
from boruna_ls.effects.roots import refusal_of_root

Section = Literal["net_hosts", "fs_read", "fs_write", "databases", "mcp_servers"]
SECTIONS: Final[tuple[Section, ...]] = get_args(Section)
CAPABILITIES: Final[dict[Section, str]] = {
    "net_hosts": "net.fetch",
    "fs_read": "fs.read",
    "fs_write": "fs.write",
    "databases": "db.query",
    "mcp_servers": "mcp.call",
}
"""The capability that each section bounds."""
_FINGERPRINT: Final = 16
_HEX: Final = frozenset("0123456789abcdef")
_FOLDERS: Final = ("fs_read", "fs_write")
PATHS: Final = (*_FOLDERS, "databases")
"""Sections whose entries are paths."""


def _host(text: str) -> str:
    bare = text[2:] if text.startswith("*.") else text
    if not bare or bare.strip(".") == "" or set(bare) & set("/@*? \t\r\n") or not bare.isprintable():
        raise ValueError(f"{text!r} is not a host name: write api.example.org, or *.example.org")
    return ascii_name(text)


def _place(path: str) -> str:
    if not path.isprintable():
        raise ValueError(f"{path!r} contains characters that cannot be shown")
    if not os.path.isabs(path) or os.path.normpath(path) != path or "\0" in path:
        raise ValueError(f"{path!r} is not an absolute path without '.' and '..'")
    if (reason := refusal_of_root(path)) is not None:
        raise ValueError(reason)
    return path


def _server(name: str) -> str:
    if not name or not name.isprintable():
        raise ValueError(f"{name!r} is not a server name")
    return name


def pinned(name: str, fingerprint: str) -> str:
    """The entry that allows a server as it is configured now."""
    return f"{name}#{fingerprint}"


def pinned_name(entry: str) -> str:
    """The server's name in an entry."""
    name, mark, fingerprint = entry.rpartition("#")
    return name if mark and len(fingerprint) == _FINGERPRINT and set(fingerprint) <= _HEX else entry


def _is_allowed_by_name(name: str, entries: tuple[str, ...]) -> bool:
    """True if an entry allows a server in any configuration.

    A workspace chooses its servers' names: one that is spelled like the pinned entry of another server needs a pin of its own.
    """
    return name in entries and pinned_name(name) == name


class Ceiling(BaseModel):
    """Owner's ceiling: all that the programs of one workspace may reach; nothing by default."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    net_hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = ()
    fs_read: tuple[Annotated[str, AfterValidator(_place)], ...] = ()
    fs_write: tuple[Annotated[str, AfterValidator(_place)], ...] = ()
    databases: tuple[Annotated[str, AfterValidator(_place)], ...] = ()
    mcp_servers: tuple[Annotated[str, AfterValidator(_server)], ...] = ()
    sandbox_network: bool = False

    def entries(self, section: Section) -> tuple[str, ...]:
        """The entries of a section."""
        listed: tuple[str, ...] = getattr(self, section)
        return listed

    def allows(self, section: Section, value: str) -> bool:
        """True if an entry covers a host, a canonical path, or the name of a server."""
        entries = self.entries(section)
        if section == "net_hosts":
            return is_listed(value, entries)
        if section in _FOLDERS:
            return any(value == entry or value.startswith(entry.rstrip(os.sep) + os.sep) for entry in entries)
        return value in entries or (section == "mcp_servers" and _is_allowed_by_name(pinned_name(value), entries))

    def with_entry(self, section: Section, value: str) -> Ceiling:
        """The ceiling with one entry more. Raises ValueError for an entry that no ceiling may have."""
        entries = dict.fromkeys((*self.entries(section), value))
        return Ceiling.model_validate({**self.model_dump(), section: list(entries)})

    def without_entry(self, section: Section, value: str) -> Ceiling:
        """The ceiling without an entry."""
        entries = [entry for entry in self.entries(section) if entry != value]
        return Ceiling.model_validate({**self.model_dump(), section: entries})


NOTHING: Final = Ceiling()
