"""A run at a terminal: a line for each step with its state, its time and a bar on the time line of the run."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from analysis.workflow.graph import graph_of
from analysis.workflow.reader import read_definition
from boruna_ls.cli.output import visible
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.records import AWAITING, COMPLETED, FAILED, RUNNING, RunRecord, StepRecord
from boruna_ls.workflow.store import Store, now_ms

if TYPE_CHECKING:
    from rich.text import Text

_LOOK: Final = 0.2
_WIDTH: Final = 32
"""Cells of the time line."""
_LONGEST_NAME: Final = 28
_AROUND: Final = 3
"""Lines of the terminal that are not about single steps."""
_SIGNS: Final = {
    RUNNING: ("▶", "cyan"),
    COMPLETED: ("✓", "green"),
    FAILED: ("✗", "red"),
    **dict.fromkeys(AWAITING, ("?", "yellow")),
}
_PENDING: Final = ("○", "dim")


def follow(store: Store, run_id: str) -> str:
    """Shows a run until it ends or waits; its state then. Raises WorkflowError."""
    from rich.console import Console
    from rich.live import Live

    console = Console()
    order: tuple[str, ...] = ()
    with Live(console=console, auto_refresh=False) as live:
        while True:
            record = store.run(run_id)
            if record is None:
                raise WorkflowError(f"run not found: '{run_id}'")
            order = order or graph_of(read_definition(record.definition).definition).order
            live.update(_drawn(record, order, store.steps(run_id), max(console.height - _AROUND, 1)), refresh=True)
            if record.status != RUNNING:
                return record.status
            time.sleep(_LOOK)


def _drawn(record: RunRecord, order: Sequence[str], steps: Mapping[str, StepRecord], room: int) -> Text:
    from rich.text import Text

    begun = [step for step in steps.values() if step.started_at is not None]
    now = now_ms()
    first = min((step.started_at or now for step in begun), default=now)
    last = max((step.ended_at or now for step in begun), default=now)
    shown = _most_telling(order, steps, room)
    lines = Text()
    for name in shown:
        lines.append_text(_line(name, steps.get(name), first, max(last - first, 1), now))
    if len(shown) < len(order):
        lines.append(f"  … and {len(order) - len(shown)} more steps\n", "dim")
    ended = sum(step.status == COMPLETED for step in steps.values())
    lines.append(f"{visible(record.summary.workflow_name)}: {record.status}, {ended} of {len(order)} steps")
    return lines


def _most_telling(order: Sequence[str], steps: Mapping[str, StepRecord], room: int) -> list[str]:
    """As many steps as there is room for, in order: those that something happens to, then the latest, then the next ones."""
    if len(order) <= room:
        return list(order)

    def rank(place: int) -> tuple[int, int]:
        step = steps.get(order[place])
        if step is None:
            return 2, place
        return (1, -place) if step.status == COMPLETED else (0, place)

    return [order[place] for place in sorted(sorted(range(len(order)), key=rank)[:room])]


def _line(name: str, step: StepRecord | None, first: int, all_: int, now: int) -> Text:
    from rich.text import Text

    sign, style = _SIGNS.get(step.status, _PENDING) if step is not None else _PENDING
    label = visible(name)
    label = label if len(label) <= _LONGEST_NAME else f"{label[: _LONGEST_NAME - 1]}…"
    line = Text(f"{sign} ", style).append(f"{label:<{_LONGEST_NAME}} ", style if step is None else "")
    if step is None or step.started_at is None:
        return line.append("\n")
    ended = max(step.ended_at or now, step.started_at)
    left = min((step.started_at - first) * _WIDTH // all_, _WIDTH - 1)
    length = min(max((ended - step.started_at) * _WIDTH // all_, 1), _WIDTH - left)
    line.append(" " * left + "█" * length + " " * (_WIDTH - left - length), style)
    return line.append(f" {(ended - step.started_at) / 1000:8.1f} s  {step.status.replace('_', ' ')}\n", "dim")
