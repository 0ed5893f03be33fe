"""Reads what an application hands to the host: results of `update`, effects, policy sets, by the names of fields.

A type that lacks the names is read by position (spec chapter 26, S16). Values of other shapes never fail here: they are what
chapter 13 says about them, a missing effect list or a default.
"""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass
from analysis.semantics.app_shapes import (
    CAPABILITIES,
    EFFECT,
    EFFECT_KINDS,
    POLICY_SET,
    UPDATE_RESULT,
    EffectKind,
    RecordShape,
    field_positions,
)
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.values import AnonymousType, Value, is_list, is_record, items_of

_ALL_STEPS: Final = 1 << 64


@dataclass(frozen=True, slots=True)
class Effect:
    """A request of the application that the host knows."""

    kind: EffectKind
    payload: Value
    callback_tag: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item of the effect list that is no effect."""

    value: Value
    reason: str


@dataclass(frozen=True, slots=True)
class PolicySet:
    """Policy of an application for its effects. `max_effects: 0` means unlimited."""

    capabilities: tuple[str, ...] = CAPABILITIES
    max_effects: int = 0
    max_steps: int = DEFAULT_MAX_STEPS

    def violation(self, effects: list[Effect]) -> str | None:
        """Reason why these effects of one update are refused; None if they are allowed."""
        if 0 < self.max_effects < len(effects):
            return f"too many effects: {len(effects)} exceeds limit of {self.max_effects}"
        for effect in effects:
            if effect.kind.capability not in self.capabilities:
                needed = effect.kind.capability
                return f"effect {effect.kind.title} requires capability '{needed}' which is not in the policy"
        return None


@dataclass(frozen=True, slots=True)
class Update:
    """A result of `update`; `read_from` are the names of the fields that held state and effects, "" for one without a name."""

    state: Value
    effects: list[Effect]
    dropped: list[Dropped]
    read_from: tuple[str, str] = ("state", "effects")


class Reader:
    """Reads records of one program."""

    def __init__(self, program: Program) -> None:
        self._types = program.module.types
        self._positions_by_type: dict[tuple[str, object], tuple[int | None, ...]] = {}

    def field_names(self, record: Value) -> tuple[str, ...]:
        """The declared field names of a record's type; empty if it has no declaration."""
        head = record[0]
        if type(head) is AnonymousType:
            return head.names
        if head < len(self._types) and not self._types[head].is_enum:
            return tuple(name for name, _ in self._types[head].members)
        return ()

    def fields(self, shape: RecordShape, record: Value) -> list[Value]:
        """The fields of a shape; Unit for one that the record does not have."""
        return [None if at is None or at + 1 >= len(record) else record[at + 1] for at in self._positions(shape, record)]

    def _positions(self, shape: RecordShape, record: Value) -> tuple[int | None, ...]:
        head = record[0]
        key = (shape.usual_name, head.names if type(head) is AnonymousType else head)
        positions = self._positions_by_type.get(key)
        if positions is None:
            positions = self._positions_by_type[key] = field_positions(
                shape, self.field_names(record) or ("",) * (len(record) - 1)
            )
        return positions

    def update(self, value: Value) -> Update | None:
        """The result of `update`; None if it is none."""
        if not is_record(value) or len(value) < 3:
            return None
        state, listed = self.fields(UPDATE_RESULT, value)
        effects: list[Effect] = []
        dropped: list[Dropped] = []
        for item in items_of(listed) if is_list(listed) else ():
            effect = self._effect(item)
            if isinstance(effect, Effect):
                effects.append(effect)
            else:
                dropped.append(effect)
        return Update(state, effects, dropped, self._names_of(value, listed))

    def state_names(self) -> set[str]:
        """The names that records which look like results of `update` give the state."""
        names = set(UPDATE_RESULT.names)
        fits = any(not entry.is_enum and names <= {name for name, _ in entry.members} for entry in self._types)
        return {UPDATE_RESULT.names[0]} if fits else set()

    def _names_of(self, result: Value, listed: Value) -> tuple[str, str]:
        """The names under which a program reads state and effects of a result; effects that are not a list are not counted."""
        declared = self.field_names(result)
        at = self._positions(UPDATE_RESULT, result)
        names = [declared[index] if index is not None and index < len(declared) else "" for index in at]
        return names[0], names[1] if is_list(listed) else ""

    def _effect(self, item: Value) -> Effect | Dropped:
        if not is_record(item):
            return Dropped(item, "not a record")
        if len(item) < 4:
            return Dropped(item, "a record of fewer than 3 fields")
        kind, payload, callback_tag = self.fields(EFFECT, item)
        if type(kind) is not str:
            return Dropped(item, "its kind is not a String")
        effect_kind = EFFECT_KINDS.get(kind)
        if effect_kind is None:
            return Dropped(item, "unknown kind")
        return Effect(effect_kind, payload, callback_tag if type(callback_tag) is str else "")

    def policies(self, value: Value) -> PolicySet:
        """The policy set that `policies` answered."""
        if not is_record(value):
            return PolicySet(())
        capabilities, max_effects, max_steps = self.fields(POLICY_SET, value)
        names = [name for name in items_of(capabilities) if type(name) is str] if is_list(capabilities) else []
        limit = max_effects if type(max_effects) is int else 0
        # A negative number is read as an unsigned one: in effect no limit.
        limit = limit if limit >= 0 else limit + _ALL_STEPS
        return PolicySet(tuple(names), limit, max_steps if type(max_steps) is int else DEFAULT_MAX_STEPS)
