"""Patterns of a repository that nobody vouches for: what they mean is what git says, and no pattern makes a match slow."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from analysis.config.git_pattern import lines_of, pattern_of

ALPHABET = (
    *(
        "a",
        "b",
        "é",
        ".",
        "-",
        "!",
        "#",
        " ",
        "\\",
        "\\\\",
        "\\*",
        "\\/",
        "\\ ",
        "\r",
        "/",
        "*",
        "**",
        "***",
        "**/",
        "/**",
        "/**/",
    ),
    *("?", "[ab]", "[!a]", "[^b]", "[]a]", "[a-", "]", "[", "[a-b-]", "[\\]]", "[*-a]", "[!]", "[a/b]", "[b-a]", "[\\a-b]"),
    *("[[:alpha:]]", "[[:punct:]b]", "[![:space:]]", "[[:nope:]]", "[[:x]", "[[:digit:]-b]"),
)
LETTERS = "aab-]![\\ *é.1"
NAMES_EACH = 20
PATTERNS = int(os.environ.get("BORUNA_IGNORE_PATTERNS", "1500"))


def random_name(chance: random.Random) -> str:
    segments = ("".join(chance.choices(LETTERS, k=chance.randint(1, 4))) for _ in range(chance.randint(1, 4)))
    return valid("/".join(segments))


def valid(name: str) -> str:
    """A relative path without parts that would lead elsewhere."""
    return "/".join(part for part in name.split("/") if part not in ("", ".", "..")) or "a"


def git(repository: Path, paths: list[str]) -> list[bool]:
    """Verdict of git on each path: True if a line of a `.gitignore` matches it or a folder above it."""
    told = subprocess.run(
        ["git", "check-ignore", "-z", "--verbose", "--non-matching", "--no-index", "--stdin"],
        cwd=repository,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    assert told.returncode in (0, 1), told.stderr
    return [bool(source) for source in told.stdout.split(b"\0")[0 : 4 * len(paths) : 4]]


def ours(text: str, name: str, is_folder: bool) -> bool:
    patterns = [pattern for line in lines_of(text.encode()) if (pattern := pattern_of(line)) is not None]
    parts = name.encode().split(b"/")
    takes_back = any(pattern.takes_back for pattern in patterns)
    # What is taken back is only itself; what is left out is so with all below it.
    for count in range(len(parts) if takes_back else 1, len(parts) + 1):
        path, is_above = b"/".join(parts[:count]), count < len(parts)
        if any(pattern.matches(path, parts[count - 1], is_folder or is_above) for pattern in patterns):
            return True
    return False


@pytest.mark.parametrize("count, is_folder", [(PATTERNS, False), (PATTERNS // 10, True)])
def test_a_random_pattern_means_what_it_means_to_git(tmp_path: Path, count: int, is_folder: bool, seed: int) -> None:
    chance = random.Random(seed)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    asked: list[tuple[str, str, str]] = []
    for number in range(count):
        # Each pattern has a folder of its own, so that git is asked once about all of them.
        folder, line = f"p{number}", "".join(chance.choices(ALPHABET, k=chance.randint(1, 6))) + "\n"
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ".gitignore").write_bytes(line.encode())
        # Most random names match nothing; one that is made of the pattern often does.
        names = [random_name(chance) for _ in range(NAMES_EACH)] + [valid(line.strip().replace("*", "a").replace("\\", ""))]
        for name in names:
            if is_folder:
                (tmp_path / folder / name).mkdir(parents=True, exist_ok=True)
            asked.append((f"{folder}/{name}", line, name))
    told = git(tmp_path, [path for path, _, _ in asked])
    wrong = [
        (line, name, by_git) for (_, line, name), by_git in zip(asked, told, strict=True) if by_git != ours(line, name, is_folder)
    ]
    assert wrong == []
    assert sum(told) > len(told) // 40


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*a*a*a*a*a*ab", "a" * 250),
        ("*a" * 60 + "b", "a" * 250),
        ("**/a/" * 30 + "b", "a/" * 120 + "a"),
        ("x/" + "**/*a*/" * 12 + "b", "x/" + "aaaa/" * 300 + "a"),
        ("*[ab]*[ab]*[ab]*[ab]*[ab]*[ab]c", "ab" * 120),
        ("?*?*?*?*?*?*?*?*?*?*b", "a" * 250),
        ("**/*a*a*a*a*ab/**/*c", "aaaaaaaaaaaa/" * 200),
        ("\\a*" * 80, "a" * 255 + "b/c"),
    ],
)
def test_no_pattern_is_slow(pattern: str, name: str) -> None:
    made = pattern_of(pattern.encode())
    assert made is not None
    path = name.strip("/").encode()
    begun = time.perf_counter()
    for _ in range(10):
        made.matches(path, path.rpartition(b"/")[2], False)
    assert time.perf_counter() - begun < 0.5
