"""The tree-sitter grammar where editors look for it: compiled, for Helix; as a git repository with a known commit, for Zed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from boruna_ls.data import editors_folder
from boruna_ls.rendezvous import atomic

NAME: Final = "tree-sitter-boruna"
FILES: Final = (
    "grammar.js",
    "src/parser.c",
    "src/tree_sitter/alloc.h",
    "src/tree_sitter/array.h",
    "src/tree_sitter/parser.h",
)
_COMPILERS: Final = ("cc", "gcc", "clang")
_IDENTITY: Final = ("boruna-ls", "boruna-ls@localhost", "1000000000 +0000")
_MESSAGE: Final = "The grammar of Boruna\n"


class CannotInstall(Exception):
    """A tool that the grammar needs is missing or failed; the message says what to do."""


def compile_to(target: Path) -> None:
    """Compiles the parser to a library that an editor loads, unless a newer one is there. Raises `CannotInstall`, `OSError`."""
    if os.name == "nt":
        raise CannotInstall("only compiled on Linux and macOS")
    compiler = next(filter(None, map(shutil.which, _COMPILERS)), None)
    if compiler is None:
        raise CannotInstall("no C compiler (cc, gcc or clang) was found; install one and repeat, or there are no colours")
    source = editors_folder() / NAME / "src"
    if target.exists() and target.stat().st_mtime > (source / "parser.c").stat().st_mtime:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        built = Path(folder) / target.name
        _run([compiler, "-O2", "-shared", "-fPIC", "-I", str(source), str(source / "parser.c"), "-o", str(built)])
        os.replace(built, target)


def make_repository(folder: Path) -> None:
    """Makes a git repository of the grammar at `commit()`. Raises `CannotInstall`, `OSError`."""
    git = shutil.which("git")
    if git is None:
        raise CannotInstall("git was not found; install it and repeat, or there are no colours")
    for name, data in _contents().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        atomic.write(folder / name, data, 0o644)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for fact, value in zip(("NAME", "EMAIL", "DATE"), (*_IDENTITY[:2], f"@{_IDENTITY[2]}"), strict=True):
        environment |= {f"GIT_AUTHOR_{fact}": value, f"GIT_COMMITTER_{fact}": value}

    def run(*arguments: str) -> str:
        return _run([git, "-C", str(folder), *arguments], environment)

    run("init", "--quiet")
    run("add", "--", *FILES)
    hashed = run("commit-tree", "-m", _MESSAGE.strip(), run("write-tree"))
    if hashed != commit():
        raise CannotInstall(f"git made the commit {hashed}, {commit()} was expected")
    run("update-ref", "HEAD", hashed)


def commit() -> str:
    """The id of the commit that `make_repository` makes: that of its files."""
    author, address, date = _IDENTITY
    tree = _tree({name: _object("blob", data) for name, data in _contents().items()})
    person = f"{author} <{address}> {date}"
    text = f"tree {tree.hex()}\nauthor {person}\ncommitter {person}\n\n{_MESSAGE}"
    return _object("commit", text.encode()).hex()


def _contents() -> dict[str, bytes]:
    return {name: (editors_folder() / NAME / name).read_bytes() for name in FILES}


def _tree(files: Mapping[str, bytes]) -> bytes:
    """The id of a git tree, given the ids of its files by path."""
    entries: dict[str, tuple[str, bytes]] = {}
    folders: dict[str, dict[str, bytes]] = {}
    for path, name in files.items():
        first, _, rest = path.partition("/")
        if rest:
            folders.setdefault(first, {})[rest] = name
        else:
            entries[first] = ("100644", name)
    # Git sorts a folder as if its name ended in a slash.
    rows = [(name, *row) for name, row in entries.items()]
    rows += [(f"{name}/", "40000", _tree(inner)) for name, inner in folders.items()]
    return _object("tree", b"".join(f"{mode} {name.rstrip('/')}\0".encode() + key for name, mode, key in sorted(rows)))


def _object(kind: str, data: bytes) -> bytes:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).digest()


def _run(line: list[str], environment: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(
            line, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", timeout=120
        )
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"{line[0]} took longer than 2 minutes") from None
    if done.returncode:
        raise CannotInstall(f"{line[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout.strip()
