"""Which files and folders of a workspace are left out: `.gitignore`, `.git/info/exclude`, the settings, built folders.

Rules are values in a chain from a folder to those above it, made anew only where a file with rules has changed, so that
who remembers what a chain said of a folder need not ask again. Reads files with rules, nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from boruna_ls.workspace.disk import Stamp, read_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE: Final = ".gitignore"
_EXCLUDE_FILE: Final = os.path.join(".git", "info", "exclude")
_BUILT: Final = frozenset({"node_modules", "target", "build", "dist", "venv", "__pycache__"})
_LIMIT: Final = 1 << 20
_MARK: Final = "(?P<ps_d>/)"
Patterns = tuple[tuple[re.Pattern[str], bool], ...]
"""Pairs of a pattern and whether what matches it is left out or taken back; the first that matches counts."""
_WILD: Final = re.compile(r"[*?\[\\]")


class Selection(NamedTuple):
    """The table `[workspace]` of the settings: patterns as in `.gitignore`, counted from the workspace's root."""

    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """The patterns of one file with rules, and the chain above it; `above` is asked where this one says nothing."""

    folder: str
    patterns: Patterns
    above: Rules | None

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """Whether a path below `folder` is left out, if nothing above it is."""
        rules: Rules | None = self
        while rules is not None:
            short = _below(path, rules.folder) + ("/" if is_folder else "")
            for pattern, is_left_out in rules.patterns:
                if pattern.search(short):
                    return is_left_out
            rules = rules.above
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What the settings of a workspace choose; it comes before all other rules, `exclude` before `include`."""

    root: str
    exclude: GitIgnoreSpec | None
    include: GitIgnoreSpec | None
    leading: tuple[tuple[str, bool], ...]
    """Folders in which something included lies, absolute: they are looked into even if other rules leave them out.

    Beside each, whether it may lie in any folder below.
    """

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether a path is chosen; None if the settings do not say."""
        short = _below(path, self.root) + ("/" if is_folder else "")
        if self.exclude is not None and self.exclude.match_file(short):
            return False
        return True if self.include is not None and self.include.match_file(short) else None

    def leads_to(self, folder: str) -> bool:
        """Whether something included may lie below a folder."""
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
        self._known: dict[str, tuple[Stamp, bool, Patterns]] = {}
        self._rules: dict[str, Rules] = {}

    def above(self, root: str) -> Rules | None:
        """The rules around a root, from its repository on; none if they leave out the root: who names it wants to see it."""
        folders = []
        folder = root
        while not os.path.exists(os.path.join(folder, ".git")):
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
        known = self._rules.get(path)
        if known is None or known.patterns is not patterns or known.above is not rules:
            known = self._rules[path] = Rules(folder, patterns, rules)
        return known

    def forget(self, root: str) -> None:
        """Drops what was read below a folder."""
        for path in [path for path in list(self._known) if is_below(path, root)]:
            self._known.pop(path, None)
            self._rules.pop(path, None)

    def _read(self, path: str) -> Patterns:
        known = self._known.get(path)
        try:
            stamp = Stamp.of(os.stat(path))
            if known is not None and known[0] == stamp and not known[1]:
                return known[2]
            data, stamp, is_racy = read_regular(path, _LIMIT)
        except (OSError, ValueError):
            self._known.pop(path, None)
            return ()
        patterns = _patterns(tuple(data[:_LIMIT].decode("utf-8", "surrogateescape").split("\n")))
        self._known[path] = (stamp, is_racy, patterns)
        return patterns


def is_built(name: str) -> bool:
    """Whether a folder of this name is left out unless the settings include it: hidden, or made by tools."""
    return name.startswith(".") or name in _BUILT


def is_below(path: str, folder: str) -> bool:
    """Whether a path lies inside of a folder."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=1000)
def _patterns(lines: tuple[str, ...]) -> Patterns:
    """The patterns of a file, the last first. What they say holds for an entry itself, not for what lies below it: a folder
    that is left out is not looked into, and one that is taken back takes back nothing else.
    """
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    found = []
    for line in lines:
        try:
            # The library takes folders in a folder for that folder.
            pattern = re.sub(r"/\*\*/$", "/**/*/", line)
            regex, is_left_out = GitIgnoreSpecPattern.pattern_to_regex(pattern)
            if isinstance(regex, str) and is_left_out is not None:
                found.append((re.compile(_entry_only(regex)), is_left_out))
        except (ValueError, re.error):
            continue
    return tuple(reversed(found))


def _entry_only(regex: str) -> str:
    """The library's pattern also matches what lies below a folder that matches: behind the slash that it marks."""
    return f"{regex}." if regex.endswith("/") else regex.replace(_MARK, "/$")


@lru_cache(maxsize=1000)
def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec | None:
    """The patterns, None if there are none; a line that is no pattern is passed over, as git does. Equal lines are one object."""
    from pathspec import GitIgnoreSpec

    patterns: list[str] = []
    for line in lines:
        try:
            if any(pattern.include is not None for pattern in GitIgnoreSpec.from_lines([line]).patterns):
                patterns.append(line)
        except (ValueError, re.error):
            continue
    return GitIgnoreSpec.from_lines(patterns) if patterns else None


def _below(path: str, folder: str) -> str:
    return path[len(folder.rstrip(os.sep)) + 1 :].replace(os.sep, "/")


def unknown_patterns(patterns: Iterable[str]) -> list[str]:
    """Those that are no patterns."""
    return [pattern for pattern in patterns if _spec((pattern,)) is None]
