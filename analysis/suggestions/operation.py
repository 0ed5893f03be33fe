"""What a function or a method of another language does, as a row of the lexicon."""

from __future__ import annotations

from typing import NamedTuple


class Operation(NamedTuple):
    """What a function of another language does with a value of a kind, as a row of the lexicon says.

    `parameters` and `result` mention the kind's type variables. `template` is `.ax` with `{0}` for the value and `{1}` … for the
    arguments, or `@name` for a form that the lowering writes. `mutates`: as a statement it changes its value.
    """

    kind: str
    name: str
    parameters: tuple[str, ...]
    result: str
    template: str
    mutates: bool = False
