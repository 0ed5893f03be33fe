"""Lower bounds of dependencies that hold a fix: the table in docs/dependencies.md, pyproject.toml and the lock agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]


def floors() -> dict[str, Version]:
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    table = page.partition("### Lower bounds with a fix")[2].partition("###")[0]
    return {name: Version(version) for name, version in re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", table, re.MULTILINE)}


def test_no_allowed_version_is_older_than_the_fix() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {found.name: found.specifier for found in map(Requirement, project["dependencies"])}
    locked = dict(re.findall(r"^([\w-]+)==([^ ;\n]+)", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE))
    assert floors()
    for name, floor in floors().items():
        lower = [Version(one.version) for one in asked[name] if one.operator == ">="]
        assert lower, name
        assert min(lower) >= floor, name
        assert Version(locked[name]) >= floor, name
