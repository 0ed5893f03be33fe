"""Version of a file that an answer describes: every view shows it, so a stale or partial answer never reads as a clean one."""

from __future__ import annotations

from typing import Any

from analysis.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Freshness:
    """`revision` is EPOCH-N; `source` is editor, disk, inline or speculative; of `total` files `checked` were looked
    at.
    """

    revision: str
    source: str
    sha256: str
    unsaved: bool
    checked: int = 1
    total: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The object `freshness` of the tools' answers."""
        return {
            "revision": self.revision,
            "source": self.source,
            "sha256": self.sha256,
            "unsaved": self.unsaved,
            "coverage": {"checked": self.checked, "total": self.total},
        }
