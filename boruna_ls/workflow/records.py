"""Records of a run in a store, as plain values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from analysis.data_classes import dataclass, field

if TYPE_CHECKING:
    from boruna_ls.workflow.run_inputs import RunInput

RUNNING: Final = "running"
COMPLETED: Final = "completed"
FAILED: Final = "failed"
PAUSED: Final = "paused"
CANCELLED: Final = "cancelled"
AWAITING_APPROVAL: Final = "awaiting_approval"
AWAITING_EVENT: Final = "awaiting_external_event"
RUN_STATUSES: Final = (RUNNING, PAUSED, COMPLETED, FAILED, CANCELLED)
ENDED: Final = frozenset((COMPLETED, FAILED, CANCELLED))
AWAITING: Final = frozenset((AWAITING_APPROVAL, AWAITING_EVENT))
PLACE: Final = "document"
"""The option of a run that is the path of its definition; it is not shown."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in a list. Times are milliseconds since 1970."""

    run_id: str
    workflow_name: str
    workflow_hash: str
    status: str
    started_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Paused:
    """A run that waits: `document` is the path of its definition, None if a client sent it."""

    run_id: str
    workflow_hash: str
    document: str | None
    updated_at: int

    def is_of(self, path: str, definition: str) -> bool:
        """True if it is a run of the document at a path, whose definition has this hash now."""
        return self.document == path if self.document is not None else self.workflow_hash == definition


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run. `drive` counts how often it was begun or taken up again: only the latest drive may write."""

    summary: Summary
    policy: str
    definition: str
    workflow_dir: str
    options: Mapping[str, Any]
    starter: str
    drive: int
    duration_ms: int

    @property
    def folder(self) -> str:
        """Absolute folder of the definition, independent of the current folder; `workflow_dir` is the folder as it was typed."""
        place = self.options.get(PLACE)
        return os.path.dirname(place) if isinstance(place, str) and self.workflow_dir else self.workflow_dir

    @property
    def run_id(self) -> str:
        return self.summary.run_id

    @property
    def status(self) -> str:
        return self.summary.status


@dataclass(frozen=True, slots=True)
class StepRecord:
    """A step that was reached."""

    step_id: str
    status: str
    output: str | None = None
    output_hash: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    error: str | None = None
    error_class: str | None = None
    attempts: int = 1
    steps_used: int = 0
    withheld: bool = False
    """True if the output contains a secret input: only the run's own steps get it, and nothing does after the run's end."""

    @property
    def public_output(self) -> str | None:
        """The public form of the output."""
        return None if self.withheld else self.output

    @property
    def duration_ms(self) -> int:
        """Milliseconds from start to end, 0 if it has not both; a clock that was set back counts as no time."""
        if self.started_at is None or self.ended_at is None:
            return 0
        return max(self.ended_at - self.started_at, 0)


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision at a gate."""

    step_id: str
    decision: str
    decided_at: int
    reason: str | None
    approver: str
    role: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """The token by which an event is let in, and the event; `payload` is "" until it came."""

    step_id: str
    token: str
    payload: str = ""
    triggered_at: int = 0


@dataclass(frozen=True, slots=True)
class NewRun:
    """Parameters of a new run."""

    workflow_name: str
    workflow_hash: str
    policy: str
    definition: str
    workflow_dir: str
    sources: Mapping[str, str]
    starter: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[RunInput, ...] = ()
