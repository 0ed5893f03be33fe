"""Figures of a chaos session (`chaos.py`), and how they are judged."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

ALONE = 0.005
"""Seconds that a key takes at most, in the median, while nobody else does anything and the machine is not busy."""
AFTER_RESTART = 0.6
"""Seconds from when a new daemon listens until a key that waited for it has its diagnostics, in the median."""
LONGEST_AFTER_RESTART = 1.2
"""The same for every key, also for one typed when the new daemon listens already, and loads the library of the protocol."""
MANY = 100
UNSETTLED = 5.0
"""Seconds for which a new daemon is new: everybody comes back to it at once."""
MEMORY_LIMIT = 700 << 20
"""Bytes that the daemon may take at any moment, worker processes not counted."""
GROWTH = 1.5
"""The memory at the end against that after the warm-up."""
WARM = 4
"""Pauses of the warm-up. Every daemon begins small: the largest of them counts."""


class Key(NamedTuple):
    """A key: when it was typed and answered (monotonic time), and for how long it waited while the machine ran."""

    began: float
    ended: float
    took: float
    is_shared: bool
    """In a file that both editors have open."""


class Kill(NamedTuple):
    """An end of a daemon: when it was killed, and when the next one listened."""

    began: float
    ended: float


@dataclass
class Figures:
    """Measurements, and failures. `key_limit`: seconds that a key may wait while no daemon ends or is new."""

    key_limit: float
    least_strain: float = 1.0
    """How much slower the machine is at least, where others begin to use it only later."""
    keys: list[Key] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    """Seconds that keys waited before everybody began."""
    answers: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    """Bytes at each pause."""
    peak: int = 0
    wrong: list[str] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    pauses: int = 0

    def kill_of(self, key: Key) -> Kill | None:
        """The last kill that a key waited for, or came shortly after."""
        near = [kill for kill in self.kills if key.ended >= kill.began and key.began <= kill.ended + UNSETTLED]
        return near[-1] if near else None

    @property
    def strain(self) -> float:
        """How much slower the machine is than one that does nothing else: limits are that much longer."""
        return max(statistics.median(self.alone) / ALONE if self.alone else 1.0, self.least_strain)

    def judge(self) -> None:
        """Judges the whole session."""
        self._judge_keys()
        self._judge_memory()

    def _judge_keys(self) -> None:
        for key in self.keys:
            kill = self.kill_of(key)
            start = 0.0 if kill is None else kill.ended - key.began
            near = max(start, 0.0) + LONGEST_AFTER_RESTART
            limit = self.key_limit if kill is None else max(near, self.key_limit)
            if key.took > limit * self.strain:
                when = (
                    ""
                    if kill is None
                    else f" {key.began - kill.began:+.2f} s from a kill, {max(start, 0.0):.2f} s of it for a daemon"
                )
                self.wrong.append(f"a key waited for {key.took:.3f} s{when}{' in a shared file' if key.is_shared else ''}")

        waited = [key.ended - kill.ended for key in self.keys if (kill := self.kill_of(key)) and key.began < kill.ended]
        if waited and statistics.median(waited) > AFTER_RESTART * self.strain:
            self.wrong.append(f"keys waited for {statistics.median(waited):.3f} s after a daemon listened, in the median")
        soon = sorted(key.took for key in self.keys if (kill := self.kill_of(key)) and key.began >= kill.ended)
        if len(soon) > MANY and soon[len(soon) * 95 // 100] > self.key_limit * self.strain:
            self.wrong.append(
                f"of the keys typed soon after a restart 5 % waited for {soon[len(soon) * 95 // 100]:.3f} s and more"
            )

    def _judge_memory(self) -> None:
        """Whether it grows can be told only of a session that was long enough."""
        if self.peak > MEMORY_LIMIT:
            self.wrong.append(f"the daemon took {self.peak >> 20} MB")
        if len(self.memory) >= 2 * WARM and self.memory[-1] > GROWTH * max(self.memory[:WARM]):
            self.wrong.append(f"the memory grew from {max(self.memory[:WARM]) >> 20} to {self.memory[-1] >> 20} MB")

    def summary(self) -> str:
        """One line for each."""
        near = [(key, kill) for key in self.keys if (kill := self.kill_of(key)) is not None]
        quiet = [key for key in self.keys if self.kill_of(key) is None]
        lines = [
            f"keys alone {spread(self.alone)}",
            f"keys {spread(key.took for key in quiet)}",
            f"of these in files that both editors have open {spread(key.took for key in quiet if key.is_shared)}",
            f"keys that waited for a new daemon {spread(key.took for key, kill in near if key.began < kill.ended)}",
            f"keys typed soon after {spread(key.took for key, kill in near if key.began >= kill.ended)}",
            f"from a kill until a daemon listens {spread(kill.ended - kill.began for kill in self.kills)}",
            f"answers {spread(self.answers)}",
            f"pauses {self.pauses}",
            f"memory at the pauses, MB: {[size >> 20 for size in self.memory]}, peak {self.peak >> 20}",
        ]
        return "\n".join([*lines, *(f"WRONG: {one}" for one in self.wrong)])


def spread(values: Iterable[float]) -> str:
    """The number of some seconds, and how they are spread."""
    ordered = sorted(values)
    if not ordered:
        return "0"
    p50, p95 = (ordered[int(len(ordered) * part)] for part in (0.5, 0.95))
    return f"{len(ordered)}: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms, max {ordered[-1] * 1000:.0f} ms"
