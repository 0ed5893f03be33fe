"""Files left out of a workspace: .gitignore as git reads it, and the settings."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from boruna_ls.workspace import Host
from boruna_ls.workspace.programs import program_files

ALL = ("a.ax", "gen/b.ax", "gen/keep/c.ax", "src/d.ax", "src/gen/e.ax", "src/deep/f.ax", "build/g.ax", ".hidden/h.ax")


def programs_below(root: Path, rules: dict[str, str], files: tuple[str, ...] = ALL) -> list[str]:
    """The programs below a root with these files, as paths from there."""
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    for name, text in rules.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return found(root)


def found(root: Path) -> list[str]:
    return [os.path.relpath(path, root).replace(os.sep, "/") for path in Host().files(str(root))]


SHOWN = ["a.ax", "gen/b.ax", "gen/keep/c.ax", "src/d.ax", "src/deep/f.ax", "src/gen/e.ax"]


@pytest.mark.parametrize(
    ("rules", "gone"),
    [
        ({}, []),
        ({".gitignore": "gen/\n"}, ["gen/b.ax", "gen/keep/c.ax", "src/gen/e.ax"]),
        ({".gitignore": "/gen/\n"}, ["gen/b.ax", "gen/keep/c.ax"]),
        ({".gitignore": "# gen/\n\n  \n"}, []),
        ({".gitignore": "*.ax\n!a.ax\n"}, SHOWN[1:]),
        # What a folder that is left out holds cannot be taken back.
        ({".gitignore": "gen/\n!gen/keep/c.ax\n"}, ["gen/b.ax", "gen/keep/c.ax", "src/gen/e.ax"]),
        ({".gitignore": "/gen/*\n!/gen/keep/\n"}, ["gen/b.ax"]),
        ({"src/.gitignore": "*.ax\n", "src/deep/.gitignore": "!f.ax\n"}, ["src/d.ax", "src/gen/e.ax"]),
        ({".gitignore": "d.ax\n", "src/.gitignore": "!d.ax\n"}, []),
        ({".gitignore": "src/**/e.ax\nsrc/d.a?\n"}, ["src/d.ax", "src/gen/e.ax"]),
        # A line that is no pattern costs only itself.
        ({".gitignore": "[z-a].ax\n/a.ax\n"}, ["a.ax"]),
        ({".git/info/exclude": "a.ax\n"}, ["a.ax"]),
        ({".git/info/exclude": "a.ax\n", ".gitignore": "!a.ax\n"}, []),
        ({"boruna.toml": '[workspace]\nexclude = ["gen/", "/a.ax"]\n'}, ["a.ax", "gen/b.ax", "gen/keep/c.ax", "src/gen/e.ax"]),
        ({"boruna.toml": '[workspace]\nexclude = ["src/*.ax"]\ninclude = ["src/d.ax"]\n'}, ["src/d.ax"]),
        ({"boruna.toml": '[workspace]\nexclude = "src"\n'}, []),
    ],
)
def test_rules(tmp_path: Path, rules: dict[str, str], gone: list[str]) -> None:
    assert programs_below(tmp_path, rules) == [name for name in SHOWN if name not in gone]


@pytest.mark.parametrize(
    ("include", "more"),
    [
        ('["build/"]', ["build/g.ax"]),
        ('["build"]', ["build/g.ax"]),
        ('["build/*.ax", ".hidden/"]', [".hidden/h.ax", "build/g.ax"]),
        ('["gen/keep/"]', ["gen/keep/c.ax"]),
        ('["gen/**/c.ax"]', ["gen/keep/c.ax"]),
    ],
)
def test_the_settings_can_take_back_what_is_left_out(tmp_path: Path, include: str, more: list[str]) -> None:
    rules = {".gitignore": "/gen/\n", "boruna.toml": f"[workspace]\ninclude = {include}\n"}
    plain = ["a.ax", "src/d.ax", "src/deep/f.ax", "src/gen/e.ax"]
    assert sorted(programs_below(tmp_path, rules)) == sorted(plain + more)


def test_mistakes_in_the_settings_are_told(tmp_path: Path) -> None:
    programs_below(tmp_path, {"boruna.toml": '[workspace]\nexclude = ["[z-", "ok/"]\ninclude = [1]\nexcept = []\n'})
    host = Host()
    host.files(str(tmp_path))
    problems = " ".join(host.problems(str(tmp_path)))
    assert all(word in problems for word in ('`workspace.exclude[0]`: "[z-"', "`workspace.include[0]`", "`workspace.except`"))


def test_rules_that_change_count_at_once(tmp_path: Path) -> None:
    host = Host()
    programs_below(tmp_path, {"boruna.toml": ""})
    root = str(tmp_path)
    names = [os.path.relpath(path, root) for path in host.files(root)]
    revision = host.revision(root)
    for rules, count in (("gen/\n", 3), ("*.ax\n", 0), ("!*.ax\n", 6), ("/a.ax\n", 5)):
        (tmp_path / ".gitignore").write_text(rules)
        assert len(host.files(root)) == count
        assert host.revision(root) != revision
        revision = host.revision(root)
    (tmp_path / ".gitignore").unlink()
    assert [os.path.relpath(path, root) for path in host.files(root)] == names
    (tmp_path / "boruna.toml").write_text('[workspace]\nexclude = ["src"]\n')
    assert len(host.files(root)) == 3


def test_what_is_named_is_looked_at_although_it_is_ignored(tmp_path: Path) -> None:
    programs_below(tmp_path, {".gitignore": "/gen/\n", ".git/HEAD": ""})
    host = Host()
    path = str(tmp_path / "gen" / "b.ax")
    assert host.file_for_agent(path).workspace == str(tmp_path)
    host.open(host.connect(), path, "")
    assert path in host.files(str(tmp_path))
    # A folder that is named is looked into, and what it says of itself counts.
    (tmp_path / "gen" / ".gitignore").write_text("keep/\n")
    assert program_files(str(tmp_path / "gen")).files == (path,)
    assert program_files(str(tmp_path / "src")).files == tuple(
        str(tmp_path / "src" / name) for name in ("d.ax", "deep/f.ax", "gen/e.ax")
    )
    assert len(program_files(str(tmp_path), ignoring=False).files) == 6


def test_another_worktree_inside_is_not_looked_into_twice(tmp_path: Path) -> None:
    programs_below(tmp_path, {"trees/one/.git": f"gitdir: {tmp_path}/.git/worktrees/one\n", ".git/HEAD": ""})
    (tmp_path / "trees" / "one" / "a.ax").write_text("")
    assert found(tmp_path) == SHOWN
    assert found(tmp_path / "trees" / "one") == ["a.ax"]


PATTERNS = (
    *("a.ax", "*.ax", "x/", "/x/", "y", "x/*", "**/y/", "x/**/b.ax", "x/**", "*", "**", "y/**/"),
    *("!a.ax", "!x/", "!y", "!x/**", "!*/", "/y/*", "!/y/x/", "?.ax", "[ab].ax", "[!a].ax", "\\a.ax", "b.ax ", "a.ax\r"),
)


@pytest.mark.parametrize("seed", range(12))
def test_rules_mean_what_they_mean_to_git(tmp_path: Path, seed: int) -> None:
    print("seed", seed)
    chance = random.Random(seed)
    folders = ["", "x", "y", "x/y", "y/x", "x/y/x"]
    names = [f"{folder}/{name}".lstrip("/") for folder in folders for name in ("a.ax", "b.ax")]
    rules = {
        f"{folder}/.gitignore".lstrip("/"): "".join(f"{chance.choice(PATTERNS)}\n" for _ in range(chance.randint(1, 4)))
        for folder in chance.sample(folders, 3)
    }
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, env=environment, check=True)
    shown = programs_below(tmp_path, rules, tuple(names))
    command = ["git", "ls-files", "--others", "--exclude-standard", "--", "*.ax"]
    listed = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    assert sorted(shown) == sorted(listed.split()), rules
