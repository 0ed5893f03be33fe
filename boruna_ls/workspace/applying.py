"""Writes changes of several files, all or none: through the editor that has a file open, else to the disk.

A file whose text is another one than the change was made for is refused. On disk each file is replaced as a whole, by a new one
beside it that gets its name; what was written is taken back if a later file or the editor refuses.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.text.edits import Edit
from boruna_ls import no_follow
from boruna_ls.rendezvous import atomic
from boruna_ls.workspace.buffers import Client
from boruna_ls.workspace.disk import SIZE_LIMIT, read_regular
from boruna_ls.workspace.host import FileUnavailable, Host

SUFFIX: Final = ".ax"
_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0) if os.rename in os.supports_dir_fd else 0


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file's text before and after; `before` is None for a file that is made. `edits` are between the two."""

    path: str
    before: str | None
    after: str
    edits: Sequence[Edit] = ()


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor that can be sent edits; `apply` runs on `loop` and says whether all of them were made."""

    loop: asyncio.AbstractEventLoop
    apply: Callable[[Mapping[str, FileChange]], Awaitable[bool]]


@contextmanager
def editor_of(host: Host, client: Client, apply: Callable[[Mapping[str, FileChange]], Awaitable[bool]]) -> Iterator[None]:
    """While the block runs, changes of documents that a client has open are made by its editor, on this event loop."""
    editors = host.shared.editors
    editors[client.id] = Editor(asyncio.get_running_loop(), apply)
    try:
        yield
    finally:
        editors.pop(client.id, None)


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was changed; `how` is "editor" (its buffer, not saved) or "disk"."""

    path: str
    how: str


async def apply(host: Host, client: Client, changes: Sequence[FileChange], apart: Callable[..., Awaitable[Any]]) -> list[Written]:
    """Makes all changes or none. Raises FileUnavailable with the reason.

    `apart` calls functions on threads of the client: a disk that hangs keeps nobody else's threads.
    """
    for change in changes:
        await apart(_check_place, host, client, change)
    in_editor, owner = _open_files(host, changes)
    on_disk = [change for change in changes if change.path not in in_editor]
    done = await apart(_write_all, on_disk)
    try:
        if in_editor and owner is not None and not await _in_editor(owner, in_editor):
            raise FileUnavailable(next(iter(in_editor)), "is open in an editor, which refused the edit")
    except BaseException:
        await apart(_take_back, done)
        raise
    for change in on_disk:
        await apart(host.upkeep.look_again, change.path)
    return [Written(change.path, "editor" if change.path in in_editor else "disk") for change in changes]


def _check_place(host: Host, client: Client, change: FileChange) -> None:
    """Raise FileUnavailable unless a client may write this change: an .ax file in its folders, of allowed size, new if it creates
    one."""
    path = change.path
    if not path.endswith(SUFFIX) or not host.is_in_folders(client, path):
        raise FileUnavailable(path, "is not an .ax file in this client's folders, so it is not written")
    if change.before is None and os.path.lexists(path):
        raise FileUnavailable(path, "exists already")
    if len(change.after.encode("utf-8", "surrogatepass")) > SIZE_LIMIT:
        raise FileUnavailable(path, f"would have more than {SIZE_LIMIT} bytes")


def _open_files(host: Host, changes: Sequence[FileChange]) -> tuple[dict[str, FileChange], Editor | None]:
    """The files that an editor has open, and that editor."""
    opened: dict[str, FileChange] = {}
    owners: set[int] = set()
    for change in changes:
        buffers = list(host.state.buffers.at(change.path))
        if not buffers:
            continue
        if any(buffer.source.text != change.before for buffer in buffers):
            raise FileUnavailable(change.path, "has changed since it was analysed: call again")
        opened[change.path] = change
        owners |= {buffer.client.id for buffer in buffers}
    if not opened:
        return opened, None
    editor = host.shared.editors.get(next(iter(owners))) if len(owners) == 1 else None
    if editor is None:
        reason = "is open in several editors" if len(owners) > 1 else "is open in an editor that takes no edits"
        raise FileUnavailable(next(iter(opened)), f"{reason}: make the edits there, or close it")
    return opened, editor


async def _in_editor(editor: Editor, changes: Mapping[str, FileChange]) -> bool:
    async def send() -> bool:
        return await editor.apply(changes)

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(send(), editor.loop))


# ---- the disk, on a thread of its own -----------------------------------------------------------------------------


def _write_all(changes: Sequence[FileChange]) -> list[FileChange]:
    """Writes files, all or none; gives those that were written."""
    done: list[FileChange] = []
    try:
        for change in changes:
            if change.before is not None and _text_of(change.path) != change.before:
                raise FileUnavailable(change.path, "has changed since it was analysed: call again")
        for change in changes:
            _write(change)
            done.append(change)
    except OSError as error:
        _take_back(done)
        raise FileUnavailable(error.filename or changes[len(done)].path, f"cannot be written: {error.strerror}") from error
    except FileUnavailable:
        _take_back(done)
        raise
    return done


def _take_back(done: Sequence[FileChange]) -> None:
    """Restores the former text of files that have not changed since."""
    for change in reversed(done):
        with suppress(OSError, FileUnavailable):
            if change.before is None:
                if _text_of(change.path) == change.after:
                    os.unlink(change.path)
            elif _text_of(change.path) == change.after:
                _write(FileChange(change.path, change.after, change.before))


def _text_of(path: str) -> str:
    try:
        return read_regular(path, SIZE_LIMIT)[0].decode("utf-8")
    except (OSError, ValueError) as error:
        raise FileUnavailable(path, f"cannot be read: {error}") from error


def _write(change: FileChange) -> None:
    """Replaces a file by another one with its name and rights, or makes one. Raises OSError (ELOOP for a link)."""
    data = change.after.encode("utf-8", "surrogatepass")
    folder, name = os.path.split(change.path)
    if change.before is None:
        _make_folders(folder)
    # Where the system can, all operations are relative to the open folder, so that no link can replace it meanwhile.
    inside = no_follow.opened(folder, os.O_RDONLY | _DIRECTORY) if _DIRECTORY else None
    path = name if inside is not None else change.path
    try:
        if change.before is None:
            atomic.write(path, data, None, is_durable=True, is_new=True, inside=inside)
        else:
            mode = stat.S_IMODE(os.stat(path, dir_fd=inside, follow_symlinks=False).st_mode)
            atomic.write(path, data, mode, is_durable=True, inside=inside)
    finally:
        if inside is not None:
            os.close(inside)


def _make_folders(folder: str) -> None:
    missing: list[str] = []
    existing = folder
    while not os.path.isdir(existing):
        existing, name = os.path.split(existing)
        missing.insert(0, name)
    if missing:
        no_follow.make_folders_below(existing, missing)
