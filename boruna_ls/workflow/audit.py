"""The audit chain: entries that each hold the hash of the one before (spec chapter 17, section 5). Pure.

The text of an event is compact JSON in the canonical order of its fields, so that a reader of the entries can compute the hashes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from analysis.data_classes import dataclass
from analysis.workflow.canonical import compact

NO_HASH: Final = "0" * 64
EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "WorkflowStarted": ("workflow_hash", "policy_hash"),
    "StepStarted": ("step_id", "input_hash"),
    "StepCompleted": ("step_id", "output_hash", "duration_ms"),
    "StepFailed": ("step_id", "error"),
    "CapabilityInvoked": ("step_id", "capability", "allowed"),
    "PolicyEvaluated": ("step_id", "rule", "decision"),
    "BudgetConsumed": ("step_id", "tokens", "remaining"),
    "ApprovalRequested": ("step_id", "role"),
    "ApprovalGranted": ("step_id", "approver"),
    "ApprovalDenied": ("step_id", "reason"),
    "ExternalTriggerReceived": ("step_id", "payload_hash"),
    "WorkflowCompleted": ("result_hash", "total_duration_ms"),
}
"""Names of events and their fields, in canonical order."""
NUMBERS: Final = frozenset({"duration_ms", "total_duration_ms", "tokens", "remaining"})
FLAGS: Final = frozenset({"allowed"})


@dataclass(frozen=True, slots=True)
class Redaction:
    """Record that the content of an entry was removed; the hash of the content stays."""

    content_sha256: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `content_sha256` is "" in chains of the old format, whose entry hash covers the event itself."""

    sequence: int
    prev_hash: str
    content_sha256: str
    event: Mapping[str, Mapping[str, Any]]
    entry_hash: str
    redacted: Redaction | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON, fields in the order of the format."""
        shown: dict[str, Any] = {"sequence": self.sequence, "prev_hash": self.prev_hash}
        if self.content_sha256:
            shown["content_sha256"] = self.content_sha256
        shown["event"] = canonical_event(self.event)
        if self.redacted is not None:
            shown["redacted"] = {"content_sha256": self.redacted.content_sha256}
            if self.redacted.reason is not None:
                shown["redacted"]["reason"] = self.redacted.reason
        return shown | {"entry_hash": self.entry_hash}


def event(name: str, **fields: Any) -> dict[str, dict[str, Any]]:
    """An event with its fields in canonical order. Others are dropped: every reader of the format must get the same hash."""
    return {name: {field: fields[field] for field in EVENTS[name]}}


def canonical_event(content: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """An event as it is hashed."""
    [(name, fields)] = content.items()
    return event(name, **fields)


def event_text(content: Mapping[str, Mapping[str, Any]]) -> str:
    """The text that is hashed."""
    return compact(canonical_event(content))


def digest(text: str | bytes) -> str:
    """SHA-256 in lower-case hex."""
    return sha256(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")).hexdigest()


def linked(sequence: int, prev_hash: str, content: Mapping[str, Mapping[str, Any]]) -> Entry:
    """The entry that follows the one with `prev_hash`."""
    content_sha256 = digest(event_text(content))
    return Entry(sequence, prev_hash, content_sha256, content, _link(sequence, prev_hash, content_sha256))


def log_hash(entries: Sequence[Entry]) -> str:
    """The hash of a whole log."""
    return entries[-1].entry_hash if entries else NO_HASH


def first_broken(entries: Sequence[Entry]) -> int | None:
    """The `sequence` of the first entry that does not follow from the one before, None if all do."""
    before = NO_HASH
    for entry in entries:
        if entry.prev_hash != before or not _is_sound(entry):
            return entry.sequence
        before = entry.entry_hash
    return None


def _is_sound(entry: Entry) -> bool:
    if not entry.content_sha256:
        return entry.entry_hash == _link(entry.sequence, entry.prev_hash, event_text(entry.event))
    if entry.entry_hash != _link(entry.sequence, entry.prev_hash, entry.content_sha256):
        return False
    content = entry.redacted.content_sha256 if entry.redacted is not None else digest(event_text(entry.event))
    return content == entry.content_sha256


def _link(sequence: int, prev_hash: str, content: str) -> str:
    return digest(
        sequence.to_bytes(8, "little") + prev_hash.encode("utf-8", "surrogatepass") + content.encode("utf-8", "surrogatepass")
    )
