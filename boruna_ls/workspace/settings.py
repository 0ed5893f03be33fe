"""Reads the table `[check]` of a workspace's `boruna.toml`.

A mistake in that file costs the setting it stands in, never the check: it is kept as a sentence for whoever shows it.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final

from analysis.inputs import CheckSettings

_SEVERITIES: Final = ("error", "warning", "info", "hint", "off")


def parse_settings(text: str) -> tuple[CheckSettings, tuple[str, ...]]:
    """The settings that a `boruna.toml` asks for, and what is wrong with it."""
    try:
        table = tomllib.loads(text).get("check", {})
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return CheckSettings(), (f"boruna.toml cannot be read: {error}",)
    if not isinstance(table, dict):
        return CheckSettings(), ("boruna.toml: `check` is not a table",)
    problems: list[str] = []
    portable = table.get("portable", False)
    if not isinstance(portable, bool):
        problems.append("boruna.toml: `check.portable` is neither true nor false")
    problems += [
        f"boruna.toml: `check.{key}` is no setting; there are select, ignore, severity, portable"
        for key in table
        if key not in ("select", "ignore", "severity", "portable")
    ]
    settings = CheckSettings(
        select=_codes(table, "select", problems),
        ignore=_codes(table, "ignore", problems),
        severity=_severities(table, problems),
        portable=portable is True,
    )
    return settings, tuple(problems)


def _codes(table: dict[str, Any], key: str, problems: list[str]) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
        problems.append(f"boruna.toml: `check.{key}` is not a list of codes")
        return ()
    return tuple(value)


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
