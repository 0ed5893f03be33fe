"""Paths as agents write them: relative, absolute, `~/…`, URIs; which of them a client may name, and what a wrong one meant.

Advice comes from one folder and from what is listed already: a wrong path is no reason to walk over a disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final
from urllib.parse import unquote

from analysis.inputs import FileId
from analysis.semantics.spelling import nearest
from boruna_ls.mounts import MOUNTS
from boruna_ls.workspace import Client, Host, spelling
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.programs import SUFFIX
from boruna_ls.workspace.roots import is_inside
from boruna_ls.workspace.uris import path_of

FILE: Final = "boruna://file/"
"""The resource with the text of a file; what stands behind is its path."""
_PLACE: Final = re.compile(r"(:\d+){1,2}$")
_MOST: Final = 3
"""Paths that are offered."""
_COMPARED: Final = 2_000
"""Names that are compared with the wrong one."""


def program_at(host: Host, client: Client, path: str) -> tuple[str, FileId]:
    """The absolute path that a client means, and the file as agents see it. Raises FileUnavailable, with advice."""
    try:
        requested = resolved(host, client, path)
        return requested, host.file_for_agent(requested, client.folders, client.libs)
    except FileUnavailable as error:
        raise FileUnavailable(error.path, error.reason + _advice(host, client, path, error)) from None


def resolved(host: Host, client: Client, path: str) -> str:
    """The absolute path that a path of a client means. Raises FileUnavailable.

    A confined client has its folders only. One on this machine may name any program, as its user may read that; but
    we are no way around the questions that its host asks before it reads other files elsewhere.
    """
    place = spelling.resolved(plain_path(path, client), client.folders)
    if host.is_in_folders(client, place):
        return place
    if client.confined:
        raise FileUnavailable(path, "is outside of the folders that are served")
    # The target of a link decides: the link may have any name and any author.
    if any(is_inside(place, folder) for folder in (*client.named, *client.folders)):
        raise FileUnavailable(path, "is a link out of this client's folders: name the file itself")
    if not host.canonical(place).endswith(SUFFIX):
        raise FileUnavailable(path, f"is not a {SUFFIX} file, and is outside this client's folders")
    return place


def workspace_paths(host: Host, client: Client) -> list[str]:
    """The files that a client may name, as it would name them."""
    paths = []
    for folder in client.folders:
        paths += [_relative(path, folder) for path in host.files(folder)]
    return paths


def plain_path(path: str, client: Client) -> str:
    """Path for a URI or a path with `~`; any other path unchanged."""
    if path[:5].lower() == "file:":
        return path_of(path)
    if path.startswith(FILE):
        return unquote(path.removeprefix(FILE))
    # The home folder of this process is nothing to a client elsewhere.
    return os.path.expanduser(path) if path.startswith("~/") and not client.confined else path


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _advice(host: Host, client: Client, path: str, error: FileUnavailable) -> str:
    """The end of the sentence about an unusable path."""
    if error.reason.startswith("is a folder"):
        return "; workspace_diagnostics takes folders (`paths`)"
    if not error.reason.startswith("no such file"):
        return ""
    similar = _similar(host, client, path, error.path)
    return f"; did you mean {' or '.join(f'`{name}`' for name in similar)}?" if similar else ""


def _similar(host: Host, client: Client, given: str, path: str) -> list[str]:
    """Programs that a path which names nothing could mean, as the client would name them."""
    requested = _PLACE.sub("", given.strip().lstrip("@")).replace("\\", "/").removeprefix("./")
    candidates = list(dict.fromkeys(_candidates(host, client, path)))
    name = os.path.basename(requested).casefold()
    ends = [
        candidate
        for candidate in candidates
        if candidate == requested or candidate.endswith(f"/{requested}") or requested.endswith(f"/{candidate}")
    ]
    same = ends or [candidate for candidate in candidates if os.path.basename(candidate).casefold() in (name, name + SUFFIX)]
    return same[:_MOST] or nearest(requested, candidates, _MOST)


def _candidates(host: Host, client: Client, path: str) -> Iterator[str]:
    folder = os.path.dirname(path)
    base = (
        next(
            (client_folder for client_folder in client.folders if os.path.commonpath((client_folder, path)) == client_folder), ""
        )
        if os.path.isabs(path)
        else ""
    )
    if base or not client.confined:
        try:
            for place in MOUNTS.call(folder, _programs_in):
                yield _relative(place, base) if base else place
        except (OSError, ValueError):
            pass
    used = host.upkeep.roots_in_use()
    for root in (root for root in host.roots(client) if root in used):
        for candidate in islice(host.files(root), _COMPARED):
            inside = next(
                (
                    client_folder
                    for client_folder in client.folders
                    if os.path.commonpath((client_folder, candidate)) == client_folder
                ),
                "",
            )
            yield _relative(candidate, inside) if inside else candidate


def _programs_in(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.path for entry in islice(entries, _COMPARED) if entry.name.endswith(SUFFIX) and entry.is_file()]
