"""Which package's daemon is started where several are installed: the newest that was ever seen and still exists.

`newest.json` remembers its version and command line, so that an older client does not start an older daemon after a newer one.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple

from boruna_ls.rendezvous import places

_PHASES = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "rc": -1, "c": -1, "": 0, "post": 1}


class Package(NamedTuple):
    """A version and the command line that starts its daemon; `is_broken`: it did not come up when it was tried."""

    version: str
    command: list[str]
    is_broken: bool = False

    def exists(self) -> bool:
        """Whether the files are there that the command line names first: interpreter and script."""
        return len(self.command) >= 2 and all(os.path.isfile(self.command[at]) for at in (0, -1))


def is_newer(version: str, than: str) -> bool:
    """Whether a version comes after another one; what is no version comes after nothing."""
    first, second = _key(version), _key(than)
    return first is not None and second is not None and first > second


def newest(folder: str) -> Package | None:
    """The newest package that was ever seen here; None if there is none or it is not readable."""
    try:
        with open(places.newest_path(folder), encoding="utf-8") as file:
            return package_of(json.load(file))
    except (OSError, ValueError, RecursionError):
        return None


def remember(folder: str, package: Package) -> None:
    """Makes a package the newest one. Raises OSError."""
    from boruna_ls.rendezvous.listening import write_whole

    write_whole(places.newest_path(folder), package._asdict())


def package_of(found: Any) -> Package | None:
    """A package that was written or sent as JSON; None if it is not understood."""
    if not isinstance(found, dict):
        return None
    version, command = found.get("version"), found.get("command")
    if not isinstance(version, str) or not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return None
    return Package(version, command, bool(found.get("is_broken")))


def package_of_client(hello: dict[str, Any]) -> Package | None:
    """The package of the client that said a hello."""
    return package_of({"version": hello.get("version"), "command": hello.get("start")})


def to_start(folder: str, own: Package) -> Package:
    """The package whose daemon a client of package `own` starts."""
    recorded = newest(folder)
    if recorded is None or recorded.is_broken or not is_newer(recorded.version, own.version) or not recorded.exists():
        return own
    return recorded


def _key(version: str) -> tuple[tuple[int, ...], int, int] | None:
    """What versions are ordered by: the release, whether it comes before or after that, and the number of this."""
    found = re.match(r"v?(\d+(?:\.\d+)*)[-_.]?(dev|alpha|a|beta|b|rc|c|post|)[-_.]?(\d*)", version.strip().lower())
    if found is None:
        return None
    release = [int(part) for part in found[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), _PHASES[found[2]], int(found[3] or 0)
