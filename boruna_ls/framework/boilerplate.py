"""A small application for given types of state and message: it checks without a diagnostic and runs, ready to be filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.formatting.formatter import Refused
from analysis.ide.format_text import format_text
from analysis.semantics.app_shapes import EFFECT, MESSAGE, UI_NODE, UPDATE_RESULT, RecordShape
from analysis.semantics.declarations import TypeFact, declarations
from analysis.suggestions.default_values import value_of_type
from analysis.text.source import Source

STATE: Final = "State { count: Int }"
MESSAGE_TYPE: Final = "Msg { tag: String, payload: Int }"
TAGGED: Final = "Msg { tag: String, payload: String }"
"""The type of messages of which only the tags are given."""
LONGEST: Final = 20_000
"""Characters of the types that are given."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_PLAIN: Final = frozenset(("Int", "String", "Bool", "Float"))
_TEXT_OF: Final = {
    "String": "{}",
    "Int": "__builtin_int_to_string({})",
    "Float": "__builtin_float_to_string({})",
    "Bool": "__builtin_bool_to_string({})",
}


class BadType(ValueError):
    """Types that no application can be made of; `argument` is "state" or "message"."""

    def __init__(self, argument: str, message: str) -> None:
        super().__init__(message)
        self.argument = argument


@dataclass(frozen=True, slots=True)
class _Types:
    text: str
    facts: tuple[TypeFact, ...]

    def named(self, name: str) -> TypeFact | None:
        return next((fact for fact in self.facts if fact.name == name), None)


def boilerplate(db: Database, title: str, state: str = "", message: str = "", tags: Sequence[str] = ()) -> str:
    """The source of an application. Types are `Name`, `field: Type, …`, `Name { … }` or whole declarations. Raises BadType.

    With `tags` the application has an arm for each of these messages, whose payload is a text.
    """
    message = message or (TAGGED if tags else "")
    states = _types(db, "state", _declarations(state or STATE, "State", "count: Int"))
    messages = _types(db, "message", _declarations(_message(message), "Msg", "tag: String, payload: Int"))
    taken = {fact.name for fact in (*states.facts, *messages.facts)}
    if len(taken) < len(states.facts) + len(messages.facts):
        raise BadType("message", "`state` and `message` declare a type of the same name")
    state_type = _record(states, "state", ())
    message_type = _record(messages, "message", MESSAGE.names)
    every = _Types("", states.facts + messages.facts)
    parts = [f"// {_line(title)}: an application.", states.text, messages.text]
    parts += [_declaration(shape, state_type) for shape in (EFFECT, UPDATE_RESULT, UI_NODE) if shape.usual_name not in taken]
    parts += [
        _init(state_type, every),
        _quiet(state_type),
        _update(state_type, message_type, tags),
        _view(state_type),
        _main(state_type, message_type, every),
    ]
    formatted = format_text(db, "\n\n".join(parts) + "\n")
    if isinstance(formatted, Refused):
        raise BadType("state", f"these types do not form a valid application: {formatted.message}")
    return formatted.text


# ---- types ----------------------------------------------------------------------------------------------------------


def _message(given: str) -> str:
    """A plain type stands for the type of the payload."""
    return f"Msg {{ tag: String, payload: {given.strip()} }}" if given.strip() in _PLAIN else given or MESSAGE_TYPE


def _declarations(given: str, name: str, fields: str) -> str:
    """Types as declarations."""
    given = given.strip()
    if re.match(r"(export\s+)?(type|enum)\s", given) or given.startswith("//"):
        return given
    if _NAME.fullmatch(given):
        return f"type {given} {{ {fields} }}"
    if _NAME.match(given) and given.endswith("}"):
        return f"type {given}"
    return f"type {name} {{ {given} }}"


def _types(db: Database, argument: str, text: str) -> _Types:
    if len(text) > LONGEST:
        raise BadType(argument, f"has more than {LONGEST} characters")
    if isinstance(problem := format_text(db, text + "\n"), Refused):
        raise BadType(argument, f"does not declare types: line {problem.line}: {problem.message}")
    declared = [declarations(db, chunk.text) for chunk in Source.from_text(text).chunks]
    if any(part.functions or part.imports for part in declared):
        raise BadType(argument, "may declare types only")
    return _Types(text, tuple(fact for part in declared for fact in part.types))


def _record(types: _Types, argument: str, needed: Iterable[str]) -> TypeFact:
    """The first record, which is the one that is meant; others are its parts."""
    record = next((fact for fact in types.facts if not fact.is_enum), None)
    if record is None:
        raise BadType(argument, "must declare a record, such as `count: Int`")
    missing = [name for name in needed if not record.has(name)]
    if missing:
        raise BadType(argument, f"must have the field `{missing[0]}`: a message has {' and '.join(MESSAGE.names)}")
    return record


def _declaration(shape: RecordShape, state: TypeFact) -> str:
    types = {"state": state.name}
    fields = ", ".join(f"{field.name}: {field.type or types.get(field.name, 'String')}" for field in shape.fields)
    return f"type {shape.usual_name} {{ {fields} }}"


# ---- functions ------------------------------------------------------------------------------------------------------


def _init(state: TypeFact, types: _Types) -> str:
    return f"fn init() -> {state.name} {{ {value_of_type(state.name, types.named)} }}"


def _quiet(state: TypeFact) -> str:
    return f"fn quiet(state: {state.name}) -> UpdateResult {{ UpdateResult {{ state: state, effects: [] }} }}"


def _update(state: TypeFact, message: TypeFact, tags: Sequence[str]) -> str:
    payload = message.member("payload")
    arms = [f'"{tag}" => quiet(state),' for tag in dict.fromkeys(tags)]
    if not tags:
        arms += [
            f'"set_{field}" => quiet({state.name} {{ ..state, {field}: msg.payload }}),'
            for field, declared in state.members
            if declared == payload
        ]
        arms.append('"reset" => quiet(init()),')
    arms.append("_ => quiet(state),")
    return f"fn update(state: {state.name}, msg: {message.name}) -> UpdateResult {{ match msg.tag {{ {' '.join(arms)} }} }}"


def _view(state: TypeFact) -> str:
    field, declared = next(((name, kind) for name, kind in state.members if kind in _TEXT_OF), (None, None))
    shown = '"ready"' if field is None else _TEXT_OF[str(declared)].format(f"state.{field}")
    parameter = "_state" if field is None else "state"
    return f'fn view({parameter}: {state.name}) -> UINode {{ UINode {{ tag: "text", text: {shown} }} }}'


def _main(state: TypeFact, message: TypeFact, types: _Types) -> str:
    values = {name: '"reset"' if name == "tag" else value_of_type(declared, types.named) for name, declared in message.members}
    fields = ", ".join(f"{name}: {value}" for name, value in values.items())
    call = f"let result: UpdateResult = update(init(), {message.name} {{ {fields} }})"
    return f"// A short self test.\nfn main() -> Bool {{ {call} result.state == init() }}"


def _line(title: str) -> str:
    """A title that stays in its comment."""
    return re.sub(r"[^\w .,:-]", " ", title)[:80].strip() or "app"
