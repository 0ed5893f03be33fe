"""Observable events of a run, in order, and the one digest over them (spec chapter 12 section 1).

Values are kept as they are, which costs nothing, since they never change; texts are made on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from analysis.data_classes import dataclass, field
from boruna_ls.runtime.forms import TooLarge, from_tagged, public, tagged
from boruna_ls.runtime.json_text import compact, pretty
from boruna_ls.runtime.strict_json import JsonDefect, read_json
from boruna_ls.runtime.typed_json import described
from boruna_ls.runtime.values import Value

VERSION: Final = 2
TEXT_LIMIT: Final = 256 * 1024 * 1024
"""Characters of the canonical text of a log; beyond it a run has no digest."""
_PUBLIC_NAMES: Final = {
    "CapCall": "cap_call",
    "CapResult": "cap_result",
    "UiEmit": "ui_emit",
    "ContractCheck": "contract_check",
    "ActorSpawn": "actor_spawn",
    "MessageSend": "message_send",
    "MessageReceive": "message_receive",
    "SchedulerTick": "scheduler_tick",
}
_VALUES: Final = frozenset(("result", "tree", "payload"))
"""Fields that hold a value; `args` holds several."""


class LogError(ValueError):
    """The text is not an event log; the message says why."""


class Event(NamedTuple):
    """`fields` in the order of the canonical form, values as the machine has them."""

    kind: str
    fields: tuple[tuple[str, Any], ...]

    def canonical(self) -> dict[str, Any]:
        """The event as in the canonical document."""
        return {self.kind: {name: _shown(name, value, tagged) for name, value in self.fields}}

    def public(self) -> dict[str, Any]:
        """The event as answers show it: a flat object."""
        return {"event": _PUBLIC_NAMES[self.kind], **{name: _shown(name, value, public) for name, value in self.fields}}


def _shown(name: str, value: Any, form: Any) -> Any:
    if name == "args":
        return [form(argument) for argument in value]
    return form(value) if name in _VALUES else value


@dataclass(slots=True)
class EventLog:
    """The log of one run."""

    events: list[Event] = field(default_factory=list)

    def cap_call(self, capability: str, arguments: Sequence[Value]) -> None:
        """An allowed call, before its handler."""
        self.events.append(Event("CapCall", (("capability", capability), ("args", tuple(arguments)))))

    def cap_result(self, capability: str, result: Value) -> None:
        """Record the handler's answer."""
        self.events.append(Event("CapResult", (("capability", capability), ("result", result))))

    def ui_emit(self, tree: Value) -> None:
        """An emitted value."""
        self.events.append(Event("UiEmit", (("tree", tree),)))

    def contract_check(self, function: str, kind: str, index: int, passed: bool) -> None:
        """A clause or a guard: `kind` is "requires", "ensures" or "output", `index` counts from 0 within it."""
        fields = (("function", function), ("kind", kind), ("index", index), ("passed", passed))
        self.events.append(Event("ContractCheck", fields))

    def actor_spawn(self, actor: int, function: str) -> None:
        """The scheduler took a new actor in."""
        self.events.append(Event("ActorSpawn", (("actor_id", actor), ("function", function))))

    def message_send(self, sender: int, target: int, payload: Value) -> None:
        """A message left its round."""
        self.events.append(Event("MessageSend", (("from", sender), ("to", target), ("payload", payload))))

    def message_receive(self, actor: int, payload: Value) -> None:
        """A message reached a mailbox."""
        self.events.append(Event("MessageReceive", (("actor_id", actor), ("payload", payload))))

    def scheduler_tick(self, round_number: int, actor: int) -> None:
        """An actor gets its slice."""
        self.events.append(Event("SchedulerTick", (("round", round_number), ("active_actor", actor))))

    def calls(self) -> list[Event]:
        """The calls of capabilities."""
        return [event for event in self.events if event.kind == "CapCall"]

    def results(self) -> list[Value]:
        """Results of capability calls, in order."""
        return [event.fields[1][1] for event in self.events if event.kind == "CapResult"]

    def pieces(self) -> Iterator[str]:
        """The canonical text in pieces. Raises TooLarge."""
        size = 0
        for piece in pretty({"version": VERSION, "events": [event.canonical() for event in self.events]}):
            size += len(piece)
            if size > TEXT_LIMIT:
                raise TooLarge
            yield piece

    def text(self) -> str:
        """The canonical text. Raises TooLarge."""
        return "".join(self.pieces())

    def digest(self) -> str:
        """SHA-256 of the canonical text in hexadecimal. Raises TooLarge."""
        hashed = sha256()
        for piece in self.pieces():
            hashed.update(piece.encode("utf-8", "surrogatepass"))
        return hashed.hexdigest()


def read_log(text: str) -> EventLog:
    """The log that a canonical text (or other JSON of the same content) holds. Raises LogError."""
    try:
        document = read_json(text, deepest=None)
    except RecursionError:
        raise LogError("invalid event log: nested too deep") from None
    except JsonDefect as defect:
        raise LogError(f"invalid event log: {defect}") from None
    if not isinstance(document, dict) or not isinstance(document.get("events"), list):
        raise LogError("invalid event log: an object with a list `events` is needed")
    version = document.get("version", VERSION)
    if type(version) is not int or version < 0:
        raise LogError(f"invalid event log: invalid type: {described(version)}, expected u32")
    if version > VERSION:
        raise LogError(f"invalid event log: unsupported EventLog version {version}: max supported is {VERSION}")
    return EventLog(list(_read_events(document["events"])))


_FIELDS: Final = {
    "CapCall": ("capability", "args"),
    "CapResult": ("capability", "result"),
    "UiEmit": ("tree",),
    "ContractCheck": ("function", "kind", "index", "passed"),
    "ActorSpawn": ("actor_id", "function"),
    "MessageSend": ("from", "to", "payload"),
    "MessageReceive": ("actor_id", "payload"),
    "SchedulerTick": ("round", "active_actor"),
}
_KINDS: Final = {"capability": str, "function": str, "kind": str, "passed": bool}
"""Types of fields that are no values; all others are numbers."""


def _read_events(entries: Iterable[Any]) -> Iterator[Event]:
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or len(entry) != 1 or next(iter(entry)) not in _FIELDS:
            raise LogError(f"invalid event log: event #{number} is none that is known")
        ((kind, content),) = entry.items()
        try:
            yield _read_event(kind, content)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LogError(f"invalid event log: event #{number}: {error}") from None


def _read_event(kind: str, content: Any) -> Event:
    if not isinstance(content, dict):
        raise ValueError(f"invalid type: {described(content)}, expected the fields of {kind}")
    for name in _FIELDS[kind]:
        if name not in content:
            raise ValueError(f"missing field `{name}`")
    return Event(kind, tuple((name, _read_field(name, content[name])) for name in _FIELDS[kind]))


def _read_field(name: str, value: Any) -> Any:
    if name == "args":
        if not isinstance(value, list):
            raise ValueError(f"`args` is {described(value)}")
        return tuple(from_tagged(argument) for argument in value)
    if name in _VALUES:
        return from_tagged(value)
    if type(value) is not _KINDS.get(name, int):
        raise ValueError(f"`{name}` is {described(value)}")
    return value


def compact_json(event: Event) -> str:
    """An event as differences show it."""
    return compact(event.canonical())
