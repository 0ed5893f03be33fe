"""Reads a workspace's `boruna.toml`: the tables `[check]` and `[workspace]`.

A mistake in that file costs the setting it stands in, never the check: it is kept as a sentence for whoever shows it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from analysis.inputs import CheckSettings
from boruna_ls.workspace.ignored import Selection, unknown_patterns

_SEVERITIES: Final = ("error", "warning", "info", "hint", "off")
_CHECK: Final = ("select", "ignore", "severity", "portable")
_WORKSPACE: Final = ("exclude", "include")
_LONGEST: Final = 1 << 16
"""Characters of a `boruna.toml`."""
_MOST_DOTS: Final = 200
"""In one line: each dot of a key is a table."""


class Settings(NamedTuple):
    """What a `boruna.toml` asks for, and what is wrong with it, in sentences."""

    check: CheckSettings = CheckSettings()
    selection: Selection = Selection()
    problems: tuple[str, ...] = ()


def parse_settings(text: str, defect: str = "") -> Settings:
    """The settings in the text of a `boruna.toml`; `defect` says why it cannot be read as it is."""
    defect = defect or _too_much(text)
    if defect:
        return Settings(problems=(f"boruna.toml counts as empty: {defect}",))
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Settings(problems=(f"boruna.toml cannot be read: {error}",))
    problems: list[str] = []
    check = _table(tables, "check", _CHECK, problems)
    portable = check.get("portable", False)
    if not isinstance(portable, bool):
        problems.append("boruna.toml: `check.portable` is neither true nor false")
    workspace = _table(tables, "workspace", _WORKSPACE, problems)
    return Settings(
        CheckSettings(
            select=_texts(check, "check.select", "codes", problems),
            ignore=_texts(check, "check.ignore", "codes", problems),
            severity=_severities(check, problems),
            portable=portable is True,
        ),
        Selection(*(_patterns(workspace, key, problems) for key in _WORKSPACE)),
        tuple(problems),
    )


def _too_much(text: str) -> str:
    """Why a text is not handed to the parser, which takes the square of what it is given for some texts; "" if it is."""
    if len(text) > _LONGEST:
        return f"it has {len(text)} characters, more than {_LONGEST}"
    number = next((number for number, line in enumerate(text.split("\n"), 1) if line.count(".") > _MOST_DOTS), 0)
    return f"line {number} has more than {_MOST_DOTS} dots: write one pattern on a line" if number else ""


def _table(tables: dict[str, Any], name: str, known: Iterable[str], problems: list[str]) -> dict[str, Any]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        problems.append(f"boruna.toml: `{name}` is not a table")
        return {}
    problems += [f"boruna.toml: `{name}.{key}` is no setting; there are {', '.join(known)}" for key in table if key not in known]
    return table


def _texts(table: dict[str, Any], name: str, what: str, problems: list[str]) -> tuple[str, ...]:
    value = table.get(name.rpartition(".")[2], [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        problems.append(f"boruna.toml: `{name}` is not a list of {what}")
        return ()
    return tuple(value)


def _patterns(table: dict[str, Any], key: str, problems: list[str]) -> tuple[str, ...]:
    given = _texts(table, f"workspace.{key}", "patterns", problems)
    wrong = unknown_patterns(given)
    problems += [f"boruna.toml: `{pattern}` in `workspace.{key}` is no pattern as in .gitignore" for pattern in wrong]
    return tuple(pattern for pattern in given if pattern not in wrong)


def _severities(table: dict[str, Any], problems: list[str]) -> tuple[tuple[str, str], ...]:
    value = table.get("severity", {})
    if not isinstance(value, dict):
        problems.append("boruna.toml: `check.severity` is not a table from codes to severities")
        return ()
    pairs = []
    for code, severity in sorted(value.items()):
        if severity in _SEVERITIES:
            pairs.append((code, severity))
        else:
            problems.append(f"boruna.toml: severity of {code} is none of {', '.join(_SEVERITIES)}")
    return tuple(pairs)
