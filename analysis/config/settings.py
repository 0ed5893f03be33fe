"""`boruna.toml`, the settings of a workspace: the table of its fields, and what a text of it asks for.

Plain tables instead of pydantic: every `check FILE` of a workspace with settings would wait 0.15 s for that import, `analysis/`
uses the standard library only, and an invalid setting is to cost itself alone, with its place in the text.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.config.git_pattern import pattern_of
from analysis.config.schema import Field, Flag, ListOf, MapOf, Table, Text
from analysis.config.toml_document import Problem, read_toml
from analysis.diagnostics.codes import CODES
from analysis.inputs import CheckSettings

NAME: Final = "boruna.toml"
_SUMMARIES: Final = {code: row.summary for code, row in CODES.items()}


def _pattern_defect(text: str) -> str:
    return "" if pattern_of(text.encode("utf-8", "surrogatepass")) is not None else "is not a pattern as in .gitignore"


_CODES: Final = ListOf(Text(examples=_SUMMARIES))
_SEVERITY: Final = Text(
    choices={
        "error": "A program with it has no bytecode.",
        "warning": "Probably a mistake.",
        "info": "Worth knowing.",
        "hint": "Shown discreetly.",
        "off": "Not shown.",
    }
)
_PATTERNS: Final = ListOf(Text(defect_of=_pattern_defect))

TABLE: Final = Table(
    {
        "check": Field(
            Table(
                {
                    "select": Field(_CODES, "Only diagnostics whose code starts with one of these; an empty list means all.", []),
                    "ignore": Field(_CODES, "No diagnostics whose code starts with one of these.", []),
                    "severity": Field(MapOf(_SEVERITY, _SUMMARIES), "Another severity for a code; `off` disables it.", {}),
                    "portable": Field(Flag(), "Also report where boruna 3.2.0 computes something else.", False),
                }
            ),
            "Which diagnostics are shown.",
        ),
        "workspace": Field(
            Table(
                {
                    "exclude": Field(_PATTERNS, "Excluded files: patterns as in .gitignore, relative to this folder.", []),
                    "include": Field(_PATTERNS, "Files to include although .gitignore or a folder's name excludes them.", []),
                }
            ),
            "Which files belong to the workspace.",
        ),
    }
)


class Settings(NamedTuple):
    """Settings of a `boruna.toml`. A document that is not TOML (`is_readable` is False) has the defaults."""

    check: CheckSettings = CheckSettings()
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True


def read_settings(text: str) -> Settings:
    """The settings in a text. An invalid setting is ignored and reported."""
    document = read_toml(text, TABLE)
    check, workspace = (document.values.get(name, {}) for name in ("check", "workspace"))
    return Settings(
        CheckSettings(
            select=tuple(check.get("select", ())),
            ignore=tuple(check.get("ignore", ())),
            severity=tuple(sorted(check.get("severity", {}).items())),
            portable=check.get("portable", False),
        ),
        tuple(workspace.get("exclude", ())),
        tuple(workspace.get("include", ())),
        document.problems,
        document.is_readable,
    )
