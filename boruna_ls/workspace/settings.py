"""A workspace's `boruna.toml` for the host: its settings (`analysis/config/settings.py`), and what is wrong in sentences."""

from __future__ import annotations

from typing import NamedTuple

from analysis.inputs import CheckSettings
from boruna_ls.workspace.ignored import Selection


class Settings(NamedTuple):
    """Settings of a `boruna.toml`, and its faults, one sentence each."""

    check: CheckSettings = CheckSettings()
    selection: Selection = Selection()
    problems: tuple[str, ...] = ()


def parse_settings(text: str, defect: str = "") -> Settings:
    """The settings in the text of a `boruna.toml`; `defect` says why it cannot be read as it is."""
    # Few workspaces have settings: a process that checks one program does not wait for their table.
    from analysis.config.settings import NAME, read_settings

    if defect:
        return Settings(problems=(f"{NAME} counts as empty: {defect}",))
    read = read_settings(text)
    problems = []
    for problem in read.problems:
        place = f"{NAME}:{problem.line}" if problem.line else NAME
        problems.append(f"{place}: {problem.message}" + ("" if read.is_readable else "; the file counts as empty"))
    return Settings(read.check, Selection(read.exclude, read.include), tuple(problems))
