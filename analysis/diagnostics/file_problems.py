"""What the rules about a whole file find, before its places are looked up."""

from __future__ import annotations

from typing import NamedTuple

from analysis.diagnostics.diagnostic import Place


class Problem(NamedTuple):
    """A diagnostic whose place is not looked up yet; `first` is where a name was defined first."""

    code: str
    place: Place
    message: str
    help: str
    why: str = ""
    first: Place | None = None
    rename: str = ""
