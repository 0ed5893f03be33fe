"""Content that must not be in the repository: traces of one machine, unfinished places."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
COPIED = re.compile(r"^tests/(bench/|conformance/(replay\.py|README\.md|[a-z]+/))")
"""The corpus is copied byte for byte; what it holds is not ours to change."""
UNFINISHED = ("TODO", "FIXME", "XXX", "HACK", "NotImplementedError")
MACHINE_PATH = re.compile(r"(^|[^A-Za-z0-9_.~])/(work|root|farm|home|Users)/")
REGISTRY_HOST = re.compile(
    r"(pypi|pythonhosted|npmjs|crates|debian|maven)\.(org|com|io)|--(extra-)?index-url|registry\.npm", re.I
)
BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f]")


def tracked() -> list[Path]:
    """The files of the repository that are ours; in an unpacked archive without git, the files on disk."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, encoding="utf-8")
    names = listed.stdout.split("\0") if listed.returncode == 0 else [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")]
    return [ROOT / name for name in sorted(names) if name and not COPIED.match(name) and (ROOT / name).is_file()]


FILES = tracked()
PYTHON = [file for file in FILES if file.suffix == ".py"]


@cache
def text_of(file: Path) -> str:
    """The text of a file; "" of one that holds none."""
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return ""


def matching_lines(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    """("path:line: text") of every line of the files, this one left out, in which a pattern matches."""
    this = Path(__file__).resolve()
    # Few files have any: only these are read by line.
    suspicious = [file for file in files if file != this and pattern.search(text_of(file))]
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for file in suspicious
        for number, line in enumerate(text_of(file).split("\n"), 1)
        if pattern.search(line)
    ]


def test_the_repository_is_seen() -> None:
    assert {"pyproject.toml", "Makefile", "README.md"} <= {file.name for file in FILES}
    assert len(PYTHON) > 10


def test_nothing_that_is_built_or_downloaded() -> None:
    """Wheels, extensions, other archives and databases are made or fetched; in the history they weigh on every clone for ever."""
    assert [
        str(file.relative_to(ROOT)) for file in FILES if file.suffix in {".whl", ".vsix", ".mcpb", ".zip", ".so", ".db"}
    ] == []


def test_no_paths_of_a_machine() -> None:
    assert matching_lines(MACHINE_PATH, FILES) == []


def test_no_registry_hosts() -> None:
    """Whoever installs the project decides where packages come from."""
    assert matching_lines(REGISTRY_HOST, [file for file in FILES if file.suffix != ".svg"]) == []


def test_nothing_unfinished() -> None:
    # The reference's own rationale and stub text says TODO; it is a text of the language here, not a note of ours. What a
    # platform lacks is caught, not left undone.
    allowed = re.compile(r"TODO marker|/\* TODO \*/|(?:except|suppress) ?\(.*NotImplementedError\)")
    places = matching_lines(re.compile(rf"\b({'|'.join(UNFINISHED)})\b"), PYTHON)
    assert [place for place in places if not allowed.search(place)] == []


def test_no_test_is_switched_off() -> None:
    pattern = re.compile(r"pytest\.(skip|xfail)\(|@pytest\.mark\.(skip|xfail)\b")
    assert matching_lines(pattern, [file for file in PYTHON if "tests" in file.parts]) == []


def test_no_invisible_reordering_of_text() -> None:
    assert matching_lines(BIDIRECTIONAL, FILES) == []


@pytest.mark.parametrize("package", ["analysis", "boruna_ls"])
def test_modules_open_with_what_they_are_for(package: str) -> None:
    silent = [
        str(file.relative_to(ROOT))
        for file in PYTHON
        if file.relative_to(ROOT).parts[0] == package
        and file.read_text("utf-8").strip()
        and not file.read_text("utf-8").lstrip().startswith(('"""', "#!"))
    ]
    assert silent == []


DIALECT = ROOT / "analysis/fixes/dialect"
ROOMS = sorted(str(package.parent.relative_to(DIALECT)) for package in DIALECT.rglob("__init__.py"))


@pytest.mark.parametrize("name", ROOMS)
def test_each_module_of_the_translation_has_one_row_in_the_table_of_its_package(name: str) -> None:
    package = DIALECT / name
    rows = " ".join(re.findall(r"^\| (`[^|]*`) \|", text_of(package / "__init__.py"), re.M))
    assert sorted(re.findall(r"`(\w+)`", rows)) == sorted(m.stem for m in package.glob("*.py") if m.stem != "__init__")
    packages = [found.parent.name for found in package.glob("*/__init__.py")]
    assert sorted(re.findall(r"`(\w+)/`", rows)) == sorted(packages)


def test_the_lock_pins_every_package() -> None:
    rows = [
        row for row in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if row and not row.lstrip().startswith("#")
    ]
    assert len(rows) > 20
    assert [row for row in rows if not re.match(r"[a-z0-9][a-z0-9._-]*==[0-9][^ ]*( ; .+)?$", row)] == []


def test_the_lock_satisfies_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = re.findall(r"^([a-z0-9._-]+)==([^ \n]+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE)
    locked = dict(rows)
    for text in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(locked[requirement.name]), text


def test_every_lock_has_its_place_in_the_order() -> None:
    unordered = re.compile(r"threading\.(R?Lock\(|Condition\(\))")
    ours = [file for file in PYTHON if file.relative_to(ROOT).parts[0] == "boruna_ls" and file.name != "lock_order.py"]
    assert matching_lines(unordered, ours) == []
