"""Ignored files and folders of a workspace: `.gitignore`, `.git/info/exclude`, the settings, built folders.

Rules are values in a chain from a folder to those above it. They are replaced only where a file with rules has changed, so
results that were cached for a folder under the same chain stay valid. Reads files with rules, nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from analysis.config.git_pattern import Pattern, lines_of, pattern_of
from analysis.data_classes import dataclass
from boruna_ls import bounded
from boruna_ls.workspace.disk import Stamp, read_regular

IGNORE_FILE: Final = ".gitignore"
_EXCLUDE_FILE: Final = os.path.join(".git", "info", "exclude")
_BUILT: Final = frozenset({"node_modules", "target", "build", "dist", "venv", "__pycache__"})
_LIMIT: Final = 1 << 18
_LIMIT_TOGETHER: Final = 1 << 24
"""Bytes of one file with rules, and of all that are remembered; what is more does not count."""
MOST_WILD: Final = 2_000
MOST_WILD_BYTES: Final = 1 << 15
"""Patterns with wildcards in one file, and bytes of them; the ones behind do not count. Others are looked up, not tried."""
_WILD: Final = re.compile(r"[*?\[\\]")


class Selection(NamedTuple):
    """The table `[workspace]` of the settings: patterns as in `.gitignore`, counted from the workspace's root."""

    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


class Patterns:
    """The patterns of one file or setting; the last that is about an entry decides."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._literals: dict[tuple[bool, bytes], list[tuple[int, Pattern]]] = {}
        self._wild: list[tuple[int, Pattern]] = []
        size = 0
        for number, line in enumerate(lines):
            pattern = pattern_of(line)
            if pattern is None:
                continue
            if pattern.wild is None:
                self._literals.setdefault((pattern.is_name, pattern.literal), []).insert(0, (number, pattern))
            elif len(self._wild) < MOST_WILD and (size := size + len(line)) <= MOST_WILD_BYTES:
                self._wild.append((number, pattern))
        self._wild.reverse()

    def __bool__(self) -> bool:
        return bool(self._literals or self._wild)

    def verdict(self, path: bytes, is_folder: bool) -> bool | None:
        """Verdict of the last pattern that matches an entry: True leaves it out, False takes it back; None if no pattern
        matches."""
        name = path.rpartition(b"/")[2]
        best, decision = -1, None
        for key in ((True, name), (False, path)):
            for number, pattern in self._literals.get(key, ()):
                if number > best and (is_folder or not pattern.folders_only):
                    best, decision = number, not pattern.takes_back
        for number, pattern in self._wild:
            if number < best:
                break
            if pattern.matches(path, name, is_folder):
                return not pattern.takes_back
        return decision

    def covers(self, path: bytes, is_folder: bool) -> bool:
        """True if an entry, or a folder that holds it, is left out."""
        end = path.find(b"/")
        while end >= 0:
            if self.verdict(path[:end], is_folder=True):
                return True
            end = path.find(b"/", end + 1)
        return bool(self.verdict(path, is_folder))


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """The patterns of one file with rules, and the chain above it; `above` is asked where this one says nothing."""

    folder: str
    patterns: Patterns
    above: Rules | None

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """True if a path below `folder` is left out, provided nothing above it is."""
        rules: Rules | None = self
        while rules is not None:
            verdict = rules.patterns.verdict(_below(path, rules.folder), is_folder)
            if verdict is not None:
                return verdict
            rules = rules.above
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The settings' selection of a workspace's files; it precedes all other rules, and `exclude` precedes `include`."""

    root: str
    exclude: Patterns
    include: Patterns
    leading: tuple[tuple[str, bool], ...]
    """Folders in which something included lies, absolute: they are looked into even if other rules leave them out.

    Beside each, whether it may lie in any folder below.
    """

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """False if the settings exclude a path, True if they include it, None if they say neither."""
        short = _below(path, self.root)
        if self.exclude and self.exclude.covers(short, is_folder):
            return False
        return True if self.include and self.include.covers(short, is_folder) else None

    def leads_to(self, folder: str) -> bool:
        """True if an included file may lie below a folder."""
        return any(lead == folder or is_below(lead, folder) or (deep and is_below(folder, lead)) for lead, deep in self.leading)


def chosen(root: str, selection: Selection) -> Chosen | None:
    """The settings as rules; None if they choose nothing."""
    if not selection.exclude and not selection.include:
        return None
    anchored = tuple(f"/{pattern.lstrip('/')}" for pattern in selection.include)
    leading = []
    for pattern in anchored:
        head = _WILD.split(pattern)[0].rpartition("/")[0].lstrip("/")
        is_deep = "/" in pattern.strip("/")[len(head) + bool(head) :]
        leading.append((os.path.normpath(os.path.join(root, head)), is_deep))
    return Chosen(root, _spec(selection.exclude), _spec(anchored), tuple(leading))


class RuleFiles:
    """Reads files with rules, again only when they change."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[Stamp, bool, Patterns]] = {}
        self._rules: dict[str, Rules] = {}
        self._sizes: dict[str, int] = {}

    def above(self, root: str) -> Rules | None:
        """The rules around a root, from its repository on; none if they exclude the root itself, because the caller named it."""
        folders = []
        folder = root
        while not bounded.is_there(os.path.join(folder, ".git")):
            folders.append(folder)
            if (folder := os.path.dirname(folder)) == folders[-1]:
                return None
        rules = self.extended(None, folder, os.path.join(folder, _EXCLUDE_FILE))
        for inner in reversed(folders):
            rules = self.extended(rules, folder)
            if rules is not None and rules.leaves_out(inner, is_folder=True):
                return None
            folder = inner
        return rules

    def extended(self, rules: Rules | None, folder: str, path: str = "") -> Rules | None:
        """The chain for a folder: `rules`, and before them those of its `.gitignore`; the same object as long as they say so."""
        path = path or os.path.join(folder, IGNORE_FILE)
        patterns = self._read(path)
        if not patterns:
            return rules
        kept = self._rules.get(path)
        if kept is None or kept.patterns is not patterns or kept.above is not rules:
            kept = self._rules[path] = Rules(folder, patterns, rules)
        return kept

    def forget(self, root: str) -> None:
        """Drops what was read below a folder."""
        for path in [path for path in list(self._files) if is_below(path, root)]:
            self._files.pop(path, None)
            self._rules.pop(path, None)
            self._sizes.pop(path, None)

    def _read(self, path: str) -> Patterns:
        entry = self._files.get(path)
        try:
            stamp = Stamp.of(bounded.status(path))
            if entry is not None and entry[0] == stamp and not entry[1]:
                return entry[2]
            data, stamp, is_racy = read_regular(path, _LIMIT)
        except (OSError, ValueError):
            self._files.pop(path, None)
            self._sizes.pop(path, None)
            return _NONE
        self._sizes[path] = 0
        is_too_much = len(data) > _LIMIT or sum(self._sizes.values()) + len(data) > _LIMIT_TOGETHER
        patterns = _NONE if is_too_much else _patterns(data)
        self._sizes[path] = 0 if is_too_much else len(data)
        self._files[path] = (stamp, is_racy, patterns)
        return patterns


def is_built(name: str) -> bool:
    """True if a folder of this name is left out unless the settings include it: hidden, or generated by tools."""
    return name.startswith(".") or name in _BUILT


def is_below(path: str, folder: str) -> bool:
    """True if a path lies inside of a folder."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=64)
def _patterns(data: bytes) -> Patterns:
    """The patterns of a file. Equal files share one object."""
    return Patterns(lines_of(data))


@lru_cache(maxsize=64)
def _spec(lines: tuple[str, ...]) -> Patterns:
    """The patterns of a setting; a line that is no pattern is passed over, as git does. Equal lines are one object."""
    return Patterns(line.encode("utf-8", "surrogatepass") for line in lines)


_NONE: Final = Patterns(())


def _below(path: str, folder: str) -> bytes:
    """A path from a folder on, as git compares it."""
    short = path[len(folder.rstrip(os.sep)) + 1 :]
    return os.fsencode(short if os.sep == "/" else short.replace(os.sep, "/"))
