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
_WILD: Final = re.compile(r"[*?\[\\]")


class Selection(NamedTuple):
    """The table `[workspace]` of the settings: patterns as in `.gitignore`, counted from the workspace's root."""

    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """The patterns of one file with rules, and the chain above it; `above` is asked where this one says nothing."""

    folder: str
    spec: GitIgnoreSpec
    above: Rules | None

    def leaves_out(self, path: str, is_folder: bool) -> bool:
        """Whether a path below `folder` is left out, if nothing above it is."""
        rules: Rules | None = self
        while rules is not None:
            found = rules.spec.check_file(_below(path, rules.folder) + ("/" if is_folder else "")).include
            if found is not None:
                return found
            rules = rules.above
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What the settings of a workspace choose; it comes before all other rules, `exclude` before `include`."""

    root: str
    exclude: GitIgnoreSpec | None
    include: GitIgnoreSpec | None
    leading: tuple[str, ...]
    """Folders in which something included lies, absolute: they are looked into even if other rules leave them out."""

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether a path is chosen; None if the settings do not say."""
        short = _below(path, self.root) + ("/" if is_folder else "")
        if self.exclude is not None and self.exclude.match_file(short):
            return False
        return True if self.include is not None and self.include.match_file(short) else None

    def leads_to(self, folder: str) -> bool:
        """Whether something included may lie below a folder."""
        return any(lead == folder or lead.startswith(folder + os.sep) for lead in self.leading)


def chosen(root: str, selection: Selection) -> Chosen | None:
    """The settings as rules; None if they choose nothing."""
    if not selection.exclude and not selection.include:
        return None
    anchored = tuple(f"/{pattern.lstrip('/')}" for pattern in selection.include)
    heads = (_WILD.split(pattern)[0].lstrip("/").rpartition("/")[0] for pattern in anchored)
    leading = tuple(os.path.normpath(os.path.join(root, head)) for head in heads)
    return Chosen(root, _spec(selection.exclude), _spec(anchored), leading)


class RuleFiles:
    """Reads files with rules, again only when they change."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Stamp, bool, GitIgnoreSpec | None]] = {}
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
        spec = self._read(path)
        if spec is None:
            return rules
        known = self._rules.get(path)
        if known is None or known.spec is not spec or known.above is not rules:
            known = self._rules[path] = Rules(folder, spec, rules)
        return known

    def _read(self, path: str) -> GitIgnoreSpec | None:
        known = self._known.get(path)
        try:
            stamp = Stamp.of(os.stat(path))
            if known is not None and known[0] == stamp and not known[1]:
                return known[2]
            data, stamp, is_racy = read_regular(path, _LIMIT)
        except (OSError, ValueError):
            self._known.pop(path, None)
            return None
        spec = _spec(tuple(data[:_LIMIT].decode("utf-8", "surrogateescape").splitlines()))
        self._known[path] = (stamp, is_racy, spec)
        return spec


def is_built(name: str) -> bool:
    """Whether a folder of this name is left out unless the settings include it: hidden, or made by tools."""
    return name.startswith(".") or name in _BUILT


def is_below(path: str, folder: str) -> bool:
    """Whether a path lies inside of a folder."""
    return path.startswith(folder.rstrip(os.sep) + os.sep)


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
