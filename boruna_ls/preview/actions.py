"""Actions of a preview's page, as JSON: `{"do": "send", "tag": "inc", "payload": 3}`."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

MOST_BYTES: Final = 262_144
"""Bytes of an action."""
MOST_DEPTH: Final = 64
"""Levels of a payload."""


class BadAction(ValueError):
    """An action is invalid; the message is a sentence."""


def _shallow(value: Any) -> Any:
    layer, level = [value], 0
    while layer := [inner for inner in layer if isinstance(inner, dict | list)]:
        level += 1
        if level > MOST_DEPTH:
            raise ValueError(f"may nest {MOST_DEPTH} levels deep at most")
        layer = [inner for outer in layer for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return value


Payload = Annotated[Any, AfterValidator(_shallow)]


class _Action(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, hide_input_in_errors=True)

    def has(self, name: str) -> bool:
        """True if the caller gave the field, even as null."""
        return name in self.model_fields_set


class Send(_Action):
    """A message to the state that is shown; without `payload` an empty one of the declared type."""

    do: Literal["send"]
    tag: str = Field(max_length=10_000)
    payload: Payload = None


class Answer(_Action):
    """Answers an effect of the step that is shown; without `payload` as its mocked capability does."""

    do: Literal["answer"]
    effect: int = Field(ge=0, le=10_000)
    payload: Payload = None


class Go(_Action):
    """Shows the step with a number."""

    do: Literal["go"]
    to: int = Field(ge=0, le=1_000_000)


class Wait(_Action):
    """Waits until something else than `since`, the number of an update, is to be shown; at most for a while."""

    do: Literal["wait"]
    since: int = Field(ge=0, le=2**53)


class Plain(_Action):
    """`restart`: from `init` on; `replay`: all messages again from `init` on; `stop`: what runs; `look`: nothing."""

    do: Literal["restart", "replay", "stop", "look"]


Action = Send | Answer | Go | Wait | Plain
_ADAPTER: Final[TypeAdapter[Action]] = TypeAdapter(Annotated[Action, Field(discriminator="do")])


def action_of(data: Any) -> Action:
    """An action of parsed JSON, or of its text. Raises BadAction."""
    try:
        return _ADAPTER.validate_json(data) if isinstance(data, bytes | str) else _ADAPTER.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        raise BadAction(f"{where}: {first['msg']}" if where else first["msg"]) from None
