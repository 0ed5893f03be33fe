"""Settings of an editor: `initializationOptions` and `workspace/didChangeConfiguration`.

Settings may be nested in an object `boruna` or not; names with dots (`diagnostics.scope`) mean the same as nested objects.
Unknown settings are ignored: editors send whatever their users wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.data_classes import dataclass, replace

OPEN_FILES: Final = "open"
WORKSPACE: Final = "workspace"
LONGEST_PAUSE: Final = 10_000
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """`scope`: whether the diagnostics of open files are pushed, or those of all files of the workspace; `counts_references`:
    whether declarations have a lens with the number of their references; `pause`: after how many milliseconds without a keystroke
    diagnostics of the statement that is being written are pushed (`pausing.py`), 0 for at once."""

    scope: str = OPEN_FILES
    counts_references: bool = False
    pause: int = 300


def settings_of(given: Any, before: EditorSettings) -> tuple[EditorSettings, str]:
    """The settings that an editor gives, what it does not mention as before; and what is wrong with them, or ""."""
    if not isinstance(given, Mapping):
        return before, ""
    inner = given.get("boruna")
    table = inner if isinstance(inner, Mapping) else given
    scope = _at(table, "diagnostics", "scope")
    counts = _at(table, "lens", "references")
    if counts is not None and not isinstance(counts, bool):
        return before, "the setting boruna.lens.references must be true or false"
    pause = _at(table, "diagnostics", "pause")
    if pause is not None and (type(pause) is not int or not 0 <= pause <= LONGEST_PAUSE):
        return before, f"the setting boruna.diagnostics.pause must be a number of milliseconds from 0 to {LONGEST_PAUSE}"
    settings = before if counts is None else replace(before, counts_references=counts)
    settings = settings if pause is None else replace(settings, pause=pause)
    if scope is None:
        return settings, ""
    if scope not in (OPEN_FILES, WORKSPACE):
        return before, f'the setting boruna.diagnostics.scope must be "{OPEN_FILES}" or "{WORKSPACE}"'
    return replace(settings, scope=scope), ""


def _at(table: Mapping[str, Any], first: str, second: str) -> Any:
    for name in (f"{first}.{second}", f"boruna.{first}.{second}"):
        if name in table:
            return table[name]
    inner = table.get(first)
    return inner.get(second) if isinstance(inner, Mapping) else None
