"""Shapes of applications (spec chapter 13): the protocol functions, and the records that the host reads by field name.

A table of plain data. The app framework runs by it; checks, completion and hover read it. It knows no syntax and no values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from analysis.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class FieldShape:
    """A field that the host reads. `type` is the type text that apps usually declare, "" if any type will do."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class RecordShape:
    """A record that the host makes or reads; `usual_name` is a convention, only the field names count."""

    usual_name: str
    meaning: str
    fields: tuple[FieldShape, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The field names, in the order in which they are read from a type that lacks them."""
        return tuple(field.name for field in self.fields)


@dataclass(frozen=True, slots=True)
class FunctionShape:
    """A function of the protocol. `result` is None where any value will do; `parameters` are names for messages and snippets."""

    name: str
    parameters: tuple[str, ...]
    result: RecordShape | None
    pure: bool
    required: bool
    meaning: str

    @property
    def arity(self) -> int:
        """Number of parameters of the function."""
        return len(self.parameters)

    @property
    def arity_text(self) -> str:
        """The parameters as messages show them: `update() must take 2 parameters (state, msg), got 1`."""
        count = self.arity
        if not count:
            return "0 parameters"
        return f"{count} parameter{'' if count == 1 else 's'} ({', '.join(self.parameters)})"


@dataclass(frozen=True, slots=True)
class EffectKind:
    """A kind of effect that the host knows. `callback` is the type text of the value that comes back, "" if none does."""

    kind: str
    title: str
    capability: str
    payload: str
    callback: str


MESSAGE: Final = RecordShape(
    "Msg",
    "What `update` is told: the host makes one for each message.",
    (
        FieldShape("tag", "String", "which message it is"),
        FieldShape("payload", "", "its value; of a message written as text an Int or a String"),
    ),
)
EFFECT: Final = RecordShape(
    "Effect",
    "A request to the host: declared in the result of `update`, never performed by it.",
    (
        FieldShape("kind", "String", "one of the effect kinds; others are dropped"),
        FieldShape("payload", "", "what the effect is about: a URL, a path, a query"),
        FieldShape("callback_tag", "String", "tag of the message that brings the outcome"),
    ),
)
UPDATE_RESULT: Final = RecordShape(
    "UpdateResult",
    "What `update` answers.",
    (
        FieldShape("state", "", "the new state"),
        FieldShape("effects", f"List<{EFFECT.usual_name}>", "effects for the host"),
    ),
)
POLICY_SET: Final = RecordShape(
    "PolicySet",
    "What an app allows its own effects.",
    (
        FieldShape("capabilities", "List<String>", "capabilities that effects may need; empty: no effect at all"),
        FieldShape("max_effects", "Int", "most effects of one update; 0: any number"),
        FieldShape("max_steps", "Int", "most steps of one update"),
    ),
)
UI_NODE: Final = RecordShape(
    "UINode",
    "A node of what `view` draws: the first field is its tag, the others are its properties. A list holds nodes.",
    (
        FieldShape("tag", "String", "which element it is"),
        FieldShape("text", "String", "what it shows"),
    ),
)

FUNCTIONS: Final[Mapping[str, FunctionShape]] = {
    shape.name: shape
    for shape in (
        FunctionShape("init", (), None, False, True, "Makes the first state. May use capabilities."),
        FunctionShape(
            "update",
            ("state", "msg"),
            UPDATE_RESULT,
            True,
            True,
            "Makes the new state and declares effects. Pure: it has no capabilities.",
        ),
        FunctionShape("view", ("state",), None, True, True, "Turns the state into what is shown. Pure: it has no capabilities."),
        FunctionShape("policies", (), POLICY_SET, True, False, "Limits the effects that `update` may declare. Optional."),
    )
}
"""By name, in the order in which missing ones are reported."""

EFFECT_KINDS: Final[Mapping[str, EffectKind]] = {
    row.kind: row
    for row in (
        EffectKind("http_request", "HttpRequest", "net.fetch", "URL", "String"),
        EffectKind("db_query", "DbQuery", "db.query", "SQL text", "List"),
        EffectKind("fs_read", "FsRead", "fs.read", "path", "String"),
        EffectKind("fs_write", "FsWrite", "fs.write", "path", "Bool"),
        EffectKind("timer", "Timer", "time.now", "milliseconds", "Int"),
        EffectKind("random", "Random", "random", "nothing", "Float"),
        EffectKind("spawn_actor", "SpawnActor", "actor.spawn", "name of the actor", "Unit"),
        EffectKind("emit_ui", "EmitUi", "ui.render", "what to show", ""),
        EffectKind("llm_call", "LlmCall", "llm.call", "prompt", "Map"),
        EffectKind("send_to_actor", "SendToActor", "actor.send", "message", "Unit"),
    )
}
"""By kind. Kinds are case sensitive."""

REQUIRED: Final = tuple(name for name, shape in FUNCTIONS.items() if shape.required)
CAPABILITIES: Final = tuple(dict.fromkeys(row.capability for row in EFFECT_KINDS.values()))
"""Capabilities that an app without `policies` may declare."""


def is_app(function_names: Iterable[str]) -> bool:
    """True if a program that declares these functions is an application."""
    return set(REQUIRED) <= set(function_names)


def field_positions(shape: RecordShape, declared: tuple[str, ...]) -> tuple[int | None, ...]:
    """Position of each field of a shape in a record with the declared field names.

    A field is found by its name; one whose name the type lacks at its position in the shape, or, if that is another field of the
    shape, at the first position that is left. None: the record does not have it.
    """
    positions = {name: declared.index(name) for name in shape.names if name in declared}
    for position, name in enumerate(shape.names):
        if name not in positions and position < len(declared) and position not in positions.values():
            positions[name] = position
    for name in shape.names:
        free = [position for position in range(len(declared)) if position not in positions.values()]
        if name not in positions and free:
            positions[name] = free[0]
    return tuple(positions.get(name) for name in shape.names)
