"""Disks that ignore case: real ones in an image file, where the tools to mount one are there, and a make-believe one.

The make-believe one answers the calls of `os` below a folder as such a disk does. It is there so that something is tested
everywhere; what processes do needs a real one: `apt-get install exfat-fuse exfatprogs ntfs-3g`, and root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

REASON = "no such disk can be mounted: needs root and apt-get install exfat-fuse exfatprogs ntfs-3g"
_SIZE = 8 << 20


@contextmanager
def exfat(folder: Path) -> Iterator[None]:
    """A disk that ignores case and lists names as they were written; the numbers of its files change with the spelling."""
    with ExitStack() as stack:
        device = _done("losetup", "--find", "--show", str(_image(stack))).strip()
        stack.callback(_done, "losetup", "--detach", device)
        _done("mkfs.exfat", device)
        _done("mount.exfat-fuse", device, str(folder))
        stack.callback(_unmounted, folder)
        yield


@contextmanager
def ntfs(folder: Path) -> Iterator[None]:
    """A disk that ignores case and lists all names in lower case."""
    with ExitStack() as stack:
        image = str(_image(stack))
        _done("mkntfs", "--force", "--quick", "--quiet", image)
        _done("lowntfs-3g", "-o", "ignore_case", image, str(folder))
        stack.callback(_unmounted, folder)
        yield


MOUNTS = {"exfat": exfat, "ntfs": ntfs}


@cache
def can_mount(kind: str) -> bool:
    """True if such a disk can be mounted here: tried once."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with MOUNTS[kind](Path(folder)):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


@contextmanager
def make_believe(folder: Path) -> Iterator[None]:
    """Names below a folder are found in any case and Unicode form by the calls of `os` in this process (not by `open`)."""
    root = str(folder)
    real_listdir, real_lstat = os.listdir, os.lstat

    def listed(path: Any) -> Any:
        if not isinstance(path, str) or not path.startswith(root + os.sep):
            return path
        found = root
        for name in path[len(root) + 1 :].split(os.sep):
            try:
                real_lstat(os.path.join(found, name))
            except OSError:
                try:
                    same = [one for one in real_listdir(found) if _folded(one) == _folded(name)]
                except OSError:
                    same = []
                name = same[0] if same else name
            found = os.path.join(found, name)
        return found

    def folding(call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda path=".", *more, **options: call(listed(path), *more, **options)

    with pytest.MonkeyPatch.context() as patched:
        for name in ("lstat", "stat", "open", "listdir", "scandir", "readlink"):
            patched.setattr(os, name, folding(getattr(os, name)))
        yield


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).lower()


DISKS: dict[str, Callable[[Path], Any]] = {**MOUNTS, "make_believe": make_believe}


def _image(stack: ExitStack) -> Path:
    folder = tempfile.mkdtemp()
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    image = Path(folder, "image")
    with image.open("wb") as file:
        file.truncate(_SIZE)
    return image


def _unmounted(folder: Path) -> None:
    # Somebody may just be looking: then the disk goes when that ends.
    if subprocess.run(["umount", str(folder)], capture_output=True, check=False).returncode:
        _done("umount", "--lazy", str(folder))


def _done(*line: str) -> str:
    return subprocess.run(line, check=True, capture_output=True, encoding="utf-8", timeout=60).stdout
