"""What the checks of `boruna-ls doctor` give."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """What a check found: `level` is "ok", "warning" or "error"; what is not ok says how to mend it."""

    check: str
    level: str
    message: str
    mend: str = ""
