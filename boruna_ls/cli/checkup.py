"""Result of the checks of `boruna-ls doctor`."""

from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """Result of a check: `level` is "ok", "warning" or "error"; `mend` gives the remedy of what is not ok."""

    check: str
    level: str
    message: str
    mend: str = ""
