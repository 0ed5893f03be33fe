"""Answers that are JSON already: large ones are built as bytes, which costs a tenth of converting objects."""

from __future__ import annotations

from analysis.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class RawJson:
    """The bytes of one JSON value (ASCII)."""

    data: bytes
