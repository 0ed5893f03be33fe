"""The exceptions of the translation."""

from __future__ import annotations


class Untranslatable(Exception):
    """A form that has no counterpart in `.ax`, or a text that no dialect knows; `start` is its offset."""

    def __init__(self, reason: str, start: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start


class OtherMeaning(Untranslatable):
    """A form that `.ax` reads, too, and that means something else there: a repair that leaves it is not verified."""
