"""Choice of the installation whose daemon is started where there are several: the newest that has proved to work.

Each installation has a start record in the daemon's folder, a file that only its user can write: version, interpreter, package
and the result of its daemon. The command to start is never taken from a message. A record is about the files that it names:
once they are replaced, it is ignored.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from typing import Any, NamedTuple

from boruna_ls.rendezvous import places

GOOD = "good"
"""Its daemon has served, or has passed its trial."""
TRYING = "trying"
"""Its daemon was started. One that is still in this state when the lock is free has failed."""
BROKEN = "broken"
"""Its daemon did not work. It is not tried again before its files change."""
_PHASES = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "rc": -1, "c": -1, "": 0, "post": 1}
_VERSION = re.compile(r"v?(\d+(?:\.\d+)*)[-_.]?(dev|alpha|a|beta|b|rc|c|post|)[-_.]?(\d*)")
_LARGEST = 1 << 14
_MOST = 64
"""Records that are looked at."""


class Installation(NamedTuple):
    """An installed package, `identity` of whose files was as it is noted here when `state` was true of its daemon."""

    version: str
    interpreter: str
    package: str
    identity: list[int]
    state: str = TRYING
    reason: str = ""

    def command(self) -> list[str]:
        """The command line that starts its daemon, in the environment that `start.environment` makes."""
        return [self.interpreter, "-P", "-X", "utf8", os.path.join(self.package, "daemon", "__main__.py")]

    def is_there(self) -> bool:
        """True if the installation's files are those that the record is about."""
        return bool(self.identity) and self.identity == identity_of(self.package) and os.path.isfile(self.interpreter)


def own(version: str, state: str = TRYING, reason: str = "") -> Installation:
    """The installation that this code belongs to."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return Installation(version, sys.executable, package, identity_of(package), state, reason)


def identity_of(package: str) -> list[int]:
    """Another one once the package was installed anew; empty if it is not there."""
    numbers: list[int] = []
    for name in ("__init__.py", os.path.join("daemon", "__main__.py")):
        try:
            status = os.stat(os.path.join(package, name))
        except OSError:
            return []
        numbers += [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]
    return numbers


def is_newer(version: str, than: str) -> bool:
    """True if a version comes after another one; an invalid version comes after nothing."""
    first, second = _key(version), _key(than)
    return first is not None and second is not None and first > second


def to_start(folder: str, ours: Installation) -> Installation:
    """The installation whose daemon a client of ours starts; to be asked while the folder's lock is held.

    The newest that works; ours if nothing is known against it; else an older one that works.
    """
    present = [installation for installation in recorded(folder) if installation.is_there()]
    working = [
        installation for installation in present if installation.state == GOOD and installation.command() != ours.command()
    ]
    newest = max(working, key=lambda installation: _key(installation.version) or _LOWEST, default=None)
    if newest is None or is_newer(newest.version, ours.version):
        return newest or ours
    failed = any(installation.state != GOOD and installation.command() == ours.command() for installation in present)
    return newest if failed else ours


def has_another(folder: str, ours: Installation) -> bool:
    """True if there is another working installation, whose daemon is started where ours fails."""
    return any(
        installation.state == GOOD and installation.command() != ours.command() and installation.is_there()
        for installation in recorded(folder)
    )


def successor(folder: str, version: str) -> Installation | None:
    """The newest installation that works and is newer than a version; None if there is none."""
    newer = [
        installation
        for installation in recorded(folder)
        if installation.state == GOOD and is_newer(installation.version, version) and installation.is_there()
    ]
    return max(newer, key=lambda installation: _key(installation.version) or _LOWEST, default=None)


def record_of(folder: str, installation: Installation) -> Installation | None:
    """Record of an installation; None if there is none, or it is about files that have been replaced."""
    record = _read(_path(folder, installation))
    return record if record is not None and record.identity == installation.identity else None


def record(folder: str, installation: Installation) -> None:
    """Writes the record of an installation. Raises OSError."""
    from boruna_ls.rendezvous.listening import write_whole

    write_whole(_path(folder, installation), installation._asdict())


def recorded(folder: str) -> list[Installation]:
    """All that is recorded and understood."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.startswith(places.installation_prefix()))
    except OSError:
        return []
    paths = (os.path.join(folder, name) for name in names[:_MOST])
    return [installation for path in paths if (installation := _read(path)) is not None]


def _path(folder: str, installation: Installation) -> str:
    import hashlib

    digest = hashlib.sha256("\0".join(installation.command()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(folder, f"{places.installation_prefix()}{digest}.json")


def _read(path: str) -> Installation | None:
    """A record; None if it is not understood, or another user could have written it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not _is_ours_alone(status):
                return None
            data = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    return _understood(data)


def _is_ours_alone(status: os.stat_result) -> bool:
    return sys.platform == "win32" or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _understood(data: Any) -> Installation | None:
    if not isinstance(data, dict) or set(data) != set(Installation._fields):
        return None
    texts = [data[name] for name in ("version", "interpreter", "package", "state", "reason")]
    if not all(isinstance(text, str) for text in texts) or not isinstance(data["identity"], list):
        return None
    installation = Installation(**data)
    is_absolute = os.path.isabs(installation.interpreter) and os.path.isabs(installation.package)
    return (
        installation
        if is_absolute and _key(installation.version) is not None and installation.state in (GOOD, TRYING, BROKEN)
        else None
    )


def _key(version: str) -> tuple[tuple[int, ...], int, int] | None:
    """Sort key of a version: the release, whether it comes before or after that, and the number of this; None if it is
    invalid."""
    match = _VERSION.match(version.strip().lower()) if len(version) < 100 else None
    if match is None:
        return None
    release = [int(part) for part in match[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), _PHASES[match[2]], int(match[3] or 0)


_LOWEST = ((), 0, 0)
