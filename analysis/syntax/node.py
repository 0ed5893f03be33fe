"""Common base of all nodes of a syntax tree (`tree.py` has the kinds of nodes)."""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass

REGION: Final = 14
"""Tables about all nodes are split by `end >> REGION`: one dictionary of 500,000 entries takes 30 ms each time that it grows."""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A part of a chunk: code points from `start` to `end`, half-open, counted from the chunk's start."""

    start: int
    end: int

    def __init_subclass__(cls) -> None:
        # `dataclass` would write a signature instead, which takes longer than all the rest of it.
        cls.__doc__ = cls.__doc__ or cls.__name__

    def __repr__(self) -> str:
        # One for all: `dataclass` would compile one for each class, at the start of every process.
        fields = type(self).__dataclass_fields__
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"
