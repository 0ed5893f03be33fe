"""`boruna-ls setup helix` and `setup zed` put the grammar where the editor loads it: a library, a commit to be cloned."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from tree_sitter import Language, Parser, Query, QueryCursor

from tests.support.commands import command

PROGRAM = b"fn main() -> Int { let total = list_len([1]) total } // later"


def setup(client: str, home: Path, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": path or "/usr/local/bin:/usr/bin:/bin"}
    line = [command("boruna-ls"), "setup", client, "--write"]
    return subprocess.run(line, cwd=home, env=environment, capture_output=True, encoding="utf-8", timeout=120)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_helix_loads_grammar_and_queries(tmp_path: Path) -> None:
    done = setup("helix", tmp_path)
    assert done.returncode == 0, done.stderr
    runtime = tmp_path / ".config" / "helix" / "runtime"
    # As Helix does it: the function of the language's name in grammars/NAME.so.
    function = ctypes.CDLL(str(runtime / "grammars" / "boruna.so")).tree_sitter_boruna
    function.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    language = Language(capsule(function(), b"tree_sitter.Language", None))
    tree = Parser(language).parse(PROGRAM)
    assert not tree.root_node.has_error

    def captured(name: str) -> dict[str, set[str]]:
        query = Query(language, (runtime / "queries" / "boruna" / f"{name}.scm").read_text("utf-8"))
        rows = QueryCursor(query).captures(tree.root_node).items()
        return {scope: {(node.text or b"").decode() for node in nodes} for scope, nodes in rows}

    assert captured("highlights")["keyword.function"] == {"fn"}
    assert captured("injections")["injection.content"] == {"// later"}
    assert captured("textobjects")["function.inside"] == {"{ let total = list_len([1]) total }"}


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_zed_can_clone_the_commit_that_its_extension_names(tmp_path: Path) -> None:
    for _ in range(2):
        done = setup("zed", tmp_path)
        assert done.returncode == 0, done.stderr
    extension = tmp_path / ".local" / "share" / "boruna-ls" / "zed"
    source = tomllib.loads((extension / "extension.toml").read_text("utf-8"))["grammars"]["boruna"]
    clone = tmp_path / "clone"
    for line in (
        ["init", "-q", str(clone)],
        ["-C", str(clone), "fetch", "-q", "--depth", "1", source["repository"], source["rev"]],
    ):
        subprocess.run(["git", *line], check=True, timeout=60)
    subprocess.run(["git", "-C", str(clone), "checkout", "-q", source["rev"]], check=True, timeout=60)
    assert (clone / "src" / "parser.c").is_file()
    language = extension / "languages" / "boruna"
    assert tomllib.loads((language / "config.toml").read_text("utf-8"))["grammar"] == "boruna"
    assert {"highlights.scm", "injections.scm", "outline.scm"} <= {path.name for path in language.iterdir()}


def test_without_a_compiler_it_says_so(tmp_path: Path) -> None:
    done = setup("helix", tmp_path, path=str(tmp_path))
    assert done.returncode == 1
    assert "no C compiler" in done.stderr
    assert (tmp_path / ".config" / "helix" / "languages.toml").is_file()
