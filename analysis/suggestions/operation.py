"""The meaning of a function or a method of another language, as a row of the lexicon."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    """The meaning of a function of another language for a value of a kind: a row of the lexicon.

    `parameters` and `result` mention the kind's type variables. `template` is `.ax` with `{0}` for the value and `{1}` … for the
    arguments, or `@name` for a form that the lowering writes. `mutates`: as a statement it changes its value.
    """

    kind: str
    name: str
    parameters: tuple[str, ...]
    result: str
    template: str
    mutates: bool = False
