"""Number of the corpus' cases that are answered as recorded: collected by the conformance tests, printed at the end."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest


@dataclass
class Score:
    """Result of one replayed area. A difference is a (case, words) pair."""

    total: int = 0
    left_out: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        text = f"{self.total - len(self.differences)}/{self.total} equal"
        return text + (f", {self.left_out} left out" if self.left_out else "")


SCORES = pytest.StashKey[dict[str, Score]]()
