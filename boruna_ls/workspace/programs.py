"""The `.ax` files of a folder and all below it; folders are listed again only when their status says that they changed.

A look at a workspace that did not change costs one `stat` for each folder. Links to folders are not followed, so a walk
always ends; a link to a program of the same workspace stands for that program, any other link is left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from analysis.data_classes import dataclass, replace
from analysis.documents.file_names import is_document, is_listed
from boruna_ls import bounded
from boruna_ls.mounts import MOUNTS, SILENT
from boruna_ls.workspace.disk import SIZE_LIMIT, Stamp, read_regular, reason_of
from boruna_ls.workspace.ignored import IGNORE_FILE, Chosen, RuleFiles, Rules, Selection, chosen, is_below, is_built
from boruna_ls.workspace.roots import SETTINGS_FILE, DiskView
from boruna_ls.workspace.settings import parse_settings

SUFFIX: Final = ".ax"
FILES_LIMIT: Final = 10_000
"""Maximum number of files that one walk of a workspace lists."""
FOLDERS_LIMIT: Final = 50_000
LEADS_OUT: Final = "it is a link that leads out of the workspace"
"""Reason in `Programs.closed` for a link that was left out."""


@dataclass(frozen=True, slots=True, eq=False)
class _Listing:
    """The content of a folder, names sorted. `links` are links whose name is a program's."""

    stamp: Stamp
    is_racy: bool
    programs: tuple[str, ...]
    links: tuple[str, ...]
    folders: tuple[str, ...]
    has_rules: bool


@dataclass(frozen=True, slots=True)
class _Selected:
    """Entries of a listing that pass some rules: paths."""

    listing: _Listing
    rules: Rules | None
    chosen: Chosen | None
    only_chosen: bool
    programs: tuple[str, ...]
    folders: tuple[tuple[str, bool], ...]
    """Paths, and whether only what the settings include counts there."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Result of a walk, in order: programs, and the folders it entered. `is_cut`: there are more than were listed.

    `closed`: folders that could not be listed and links that were not followed, each with the reason.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    is_cut: bool = False
    closed: tuple[tuple[str, str], ...] = ()
    documents: tuple[str, ...] = ()
    """Documents of a known kind, such as workflows."""


class Walker:
    """Walks through workspaces and remembers what it saw. May be called from any thread.

    No lock: entries of the tables are immutable and replaced as a whole, and one that is out of date is found by its stamp.
    So a walk that gives way, or a disk that does not respond, delays no other job.
    """

    def __init__(self) -> None:
        self._listings: dict[str, _Listing] = {}
        self._selected: dict[str, _Selected] = {}
        self._rule_files = RuleFiles()
        self._chosen: dict[str, tuple[Selection, Chosen | None]] = {}

    def walk(
        self,
        root: str,
        selection: Selection | None = None,
        settings_root: str = "",
        checkpoint: Callable[[], None] = lambda: None,
        ignoring: bool = True,
    ) -> Programs:
        """The programs below a canonical folder. `selection` is what the settings of `settings_root` (default: `root`) choose.

        `checkpoint` is called between two folders and may raise: what was listed until then need not be listed again.
        Without `ignoring` only hidden and built folders are left out.
        """
        if not MOUNTS.answers(root):
            return Programs((), (), closed=((root, SILENT),))
        workspace = settings_root or root
        choice = self._choice(workspace, selection) if ignoring else None
        return self._walk(root, workspace, choice, checkpoint, ignoring)

    def _walk(self, root: str, workspace: str, choice: Chosen | None, checkpoint: Callable[[], None], ignoring: bool) -> Programs:
        rules = self._rule_files.above(root) if ignoring else None
        files: list[str] = []
        folders: list[str] = []
        closed: list[tuple[str, str]] = []
        links: set[str] = set()
        waiting = [(root, rules, False)]
        while waiting:
            folder, rules, only_chosen = waiting.pop()
            checkpoint()
            listing = self._listing(folder)
            if isinstance(listing, Exception):
                # A folder that has just been deleted is no gap; the root is one, because the caller named it.
                if folder == root or not isinstance(listing, FileNotFoundError):
                    closed.append((folder, reason_of(listing)))
                continue
            if folder != root and listing.has_rules and _is_other_checkout(folder):
                continue
            folders.append(folder)
            if ignoring and listing.has_rules:
                rules = self._rule_files.extended(rules, folder)
            selected = self._filtered(folder, listing, rules, choice, only_chosen, checkpoint)
            files += selected.programs
            for name in listing.links:
                target = bounded.real_path(os.path.join(folder, name))
                if not is_below(target, workspace):
                    closed.append((os.path.join(folder, name), LEADS_OUT))
                elif target.endswith(SUFFIX) and bounded.is_regular(target):
                    links.add(target)
            if len(files) > FILES_LIMIT or len(folders) >= FOLDERS_LIMIT:
                return _parted(files[:FILES_LIMIT], folders, closed, is_cut=True)
            waiting += [(path, rules, only) for path, only in reversed(selected.folders)]
        if links:
            files += sorted(links.difference(files))
        return _parted(files, folders, closed)

    def forget(self, root: str) -> None:
        """Drops what is remembered of a folder and all below it."""
        tables: tuple[dict[str, Any], ...] = (self._listings, self._selected, self._chosen)
        self._rule_files.forget(root)
        for table in tables:
            for path in [path for path in list(table) if path == root or is_below(path, root)]:
                table.pop(path, None)

    def _choice(self, root: str, selection: Selection | None) -> Chosen | None:
        if selection is None:
            return None
        entry = self._chosen.get(root)
        if entry is None or entry[0] != selection:
            entry = self._chosen[root] = (selection, chosen(root, selection))
        return entry[1]

    def _listing(self, folder: str) -> _Listing | Exception:
        entry = self._listings.get(folder)
        try:
            if not MOUNTS.answers(folder):
                raise OSError(SILENT)
            stamp = Stamp.of(bounded.status(folder))
            if entry is not None and entry.stamp == stamp and not entry.is_racy:
                return entry
            listing = MOUNTS.call(folder, partial(_listed, stamp=stamp))
        except (OSError, ValueError) as error:
            self._listings.pop(folder, None)
            self._selected.pop(folder, None)
            return error.with_traceback(None)
        if entry is not None and _same(entry, listing):
            # Files came and went that do not matter, or one was written: what the rules say of the rest is known.
            selected = self._selected.get(folder)
            if selected is not None and selected.listing is entry:
                self._selected[folder] = replace(selected, listing=listing)
        self._listings[folder] = listing
        return listing

    def _filtered(
        self,
        folder: str,
        listing: _Listing,
        rules: Rules | None,
        choice: Chosen | None,
        only_chosen: bool,
        checkpoint: Callable[[], None],
    ) -> _Selected:
        selected = self._selected.get(folder)
        if (
            selected is not None
            and selected.listing is listing
            and selected.rules is rules
            and selected.chosen is choice
            and selected.only_chosen == only_chosen
        ):
            return selected
        programs = []
        for name in listing.programs:
            checkpoint()
            if _is_included(path := os.path.join(folder, name), False, rules, choice, only_chosen):
                programs.append(path)
        folders = []
        for name in listing.folders:
            checkpoint()
            path = os.path.join(folder, name)
            if not is_built(name) and _is_included(path, True, rules, choice, only_chosen):
                folders.append((path, False))
            elif choice is not None and choice.verdict(path, True) is not False:
                if choice.verdict(path, True):
                    folders.append((path, False))
                elif choice.leads_to(path):
                    folders.append((path, True))
        selected = self._selected[folder] = _Selected(listing, rules, choice, only_chosen, tuple(programs), tuple(folders))
        return selected


def _parted(files: list[str], folders: list[str], closed: list[tuple[str, str]], is_cut: bool = False) -> Programs:
    programs = tuple(path for path in files if not is_document(path))
    documents = tuple(path for path in files if is_document(path))
    return Programs(programs, tuple(folders), is_cut, tuple(closed), documents)


def _is_included(path: str, is_folder: bool, rules: Rules | None, choice: Chosen | None, only_chosen: bool) -> bool:
    verdict = choice.verdict(path, is_folder) if choice is not None else None
    if verdict is not None:
        return verdict
    return not only_chosen and (rules is None or not rules.leaves_out(path, is_folder))


def _listed(folder: str, stamp: Stamp) -> _Listing:
    read_at = time.time_ns()
    programs, links, folders = [], [], []
    has_rules = False
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            try:
                if entry.is_symlink():
                    if name.endswith(SUFFIX):
                        links.append(name)
                    has_rules |= name == IGNORE_FILE
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                elif entry.is_file(follow_symlinks=False):
                    if name.endswith(SUFFIX) or is_listed(os.path.join(folder, name)):
                        programs.append(name)
                    has_rules |= name in (IGNORE_FILE, ".git")
            except OSError:
                continue
    return _Listing(
        stamp, stamp.is_racy(read_at), tuple(sorted(programs)), tuple(sorted(links)), tuple(sorted(folders)), has_rules
    )


def _same(listing: _Listing, other: _Listing) -> bool:
    return (listing.programs, listing.links, listing.folders) == (other.programs, other.links, other.folders)


def _is_other_checkout(folder: str) -> bool:
    """True if a folder is another worktree of a project, whose files the project already contains."""
    try:
        data, _, _ = read_regular(os.path.join(folder, ".git"), 4096)
    except (OSError, ValueError):
        return False
    return b"/worktrees/" in data


def program_files(folder: str, ignoring: bool = True) -> Programs:
    """The programs below a folder, under the rules of its workspace."""
    look = DiskView()
    root = look.canonical(folder)
    workspace = look.root(os.path.join(root, "_")) or root
    try:
        data, _, _ = read_regular(os.path.join(workspace, SETTINGS_FILE), SIZE_LIMIT)
    except (OSError, ValueError):
        data = b""
    selection = parse_settings(data.decode("utf-8", "replace")).selection
    return Walker().walk(root, selection, workspace, ignoring=ignoring)
