"""Schema of a document as a table of fields: `Table`, made of the kinds `Flag`, `Text`, `Whole`, `ListOf`, `MapOf`.

One table is the whole definition of a document. `read` checks parsed data against it, keeps valid values and reports the rest;
`json_schema` gives the same as JSON Schema, for editors; completion and hover read names, choices and descriptions from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.semantics.spelling import closest
from analysis.syntax.escaping import quoted

Path = tuple[str | int, ...]
_SHOWN: Final = 60
"""Characters of a value that a message quotes."""


class Defect(NamedTuple):
    """Defect of a value, or of the key that names it (`on_key`)."""

    path: Path
    message: str
    on_key: bool = False
    code: str = "invalid_value"
    near: str = ""
    """The nearest text that would fit."""


class _Invalid:
    """Stands for an invalid value, which counts as absent."""


_INVALID: Final = _Invalid()


class Kind(ABC):
    """The values that a field may have; `wanted` describes one in messages."""

    wanted: str

    @abstractmethod
    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        """The valid part of a value, `_INVALID` if nothing is; adds what is wrong to `defects`."""

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """The kind as JSON Schema."""

    def refused(self, value: Any, path: Path, defects: list[Defect]) -> _Invalid:
        """Reports a value of another kind."""
        defects.append(Defect(path, f"`{dotted(path)}` must be {self.wanted}, not {_kind_of(value)}"))
        return _INVALID


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """True or false."""

    wanted = "a boolean"

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        return value if isinstance(value, bool) else self.refused(value, path, defects)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number within bounds, both included."""

    wanted = "an integer"
    least: int = 0
    most: int = 2**63 - 1

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            return self.refused(value, path, defects)
        if not self.least <= value <= self.most:
            defects.append(Defect(path, f"`{dotted(path)}` must be from {self.least} to {self.most}"))
            return _INVALID
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A text: one of `choices` if there are any, each with what it means. `defect_of` says what is wrong with one, or "".

    `examples` are texts that an editor offers although others are valid, too.
    """

    wanted = "a string"
    choices: Mapping[str, str] = field(default_factory=dict)
    defect_of: Callable[[str], str] | None = None
    examples: Mapping[str, str] = field(default_factory=dict)

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        if not isinstance(value, str):
            return self.refused(value, path, defects)
        if self.choices and value not in self.choices:
            near = closest(value, self.choices)
            end = f": did you mean {quoted(near)}?" if near else f": it must be one of {', '.join(self.choices)}"
            defects.append(Defect(path, f"`{dotted(path)}` is {_shown(value)}{end}", near=near or ""))
            return _INVALID
        if self.defect_of is not None and (reason := self.defect_of(value)):
            defects.append(Defect(path, f"`{dotted(path)}`: {_shown(value)} {reason}"))
            return _INVALID
        return value

    def json_schema(self) -> dict[str, Any]:
        if self.choices:
            return {"type": "string", "enum": list(self.choices)}
        return {"type": "string", "examples": list(self.examples)} if self.examples else {"type": "string"}


@dataclass(frozen=True, slots=True)
class Anything(Kind):
    """Any value."""

    wanted = "any value"

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        return value

    def json_schema(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    """A list; an invalid item is left out."""

    wanted = "an array"
    item: Kind

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        if not isinstance(value, list):
            return self.refused(value, path, defects)
        read = [self.item.accepted(item, (*path, number), defects) for number, item in enumerate(value)]
        return [item for item in read if item is not _INVALID]

    def json_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.json_schema()}


@dataclass(frozen=True, slots=True)
class MapOf(Kind):
    """A map with any keys and values of one kind; an invalid entry is left out. An editor offers `names`."""

    wanted = "a table"
    value: Kind
    names: Mapping[str, str] = field(default_factory=dict)

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        if not isinstance(value, dict):
            return self.refused(value, path, defects)
        read = {name: self.value.accepted(entry, (*path, name), defects) for name, entry in value.items()}
        return {name: entry for name, entry in read.items() if entry is not _INVALID}

    def json_schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object", "additionalProperties": self.value.json_schema()}
        if self.names:
            schema["properties"] = {
                name: {"description": description, **self.value.json_schema()} for name, description in self.names.items()
            }
        return schema


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a table. `description` is one sentence or two for people; `default` is what holds without the field."""

    kind: Kind
    description: str
    default: Any = None
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Table(Kind):
    """A fixed set of fields; an unknown or invalid one is left out."""

    wanted = "a table"
    fields: Mapping[str, Field]

    def accepted(self, value: Any, path: Path, defects: list[Defect]) -> Any:
        if not isinstance(value, dict):
            return self.refused(value, path, defects)
        kept: dict[str, Any] = {}
        for name, given in value.items():
            declared = self.fields.get(name)
            if declared is None:
                defects.append(self._unknown(name, path))
            elif (read := declared.kind.accepted(given, (*path, name), defects)) is not _INVALID:
                kept[name] = read
        for name, declared in self.fields.items():
            if declared.is_required and name not in value:
                defects.append(Defect(path, f"`{dotted((*path, name))}` is missing", True, "missing_field"))
        return kept

    def _unknown(self, name: str, path: Path) -> Defect:
        near = closest(name, self.fields)
        end = f"did you mean `{near}`?" if near else f"known here: {', '.join(self.fields)}"
        inside = (*path, name)
        return Defect(inside, f"unknown setting `{dotted(inside)}`: {end}", True, "unknown_field", near or "")

    def json_schema(self) -> dict[str, Any]:
        properties = {}
        for name, declared in self.fields.items():
            properties[name] = {"description": declared.description, **declared.kind.json_schema()}
            if declared.default is not None:
                properties[name]["default"] = declared.default
        schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
        if required := [name for name, declared in self.fields.items() if declared.is_required]:
            schema["required"] = required
        return schema

    def at(self, path: Path) -> Kind | None:
        """The kind of the value under a path, None if it is unknown."""
        kind: Kind = self
        for part in path:
            if isinstance(kind, Table) and isinstance(part, str) and part in kind.fields:
                kind = kind.fields[part].kind
            elif isinstance(kind, MapOf) and isinstance(part, str):
                kind = kind.value
            elif isinstance(kind, ListOf) and isinstance(part, int):
                kind = kind.item
            else:
                return None
        return kind


def read(table: Table, value: Any) -> tuple[dict[str, Any], list[Defect]]:
    """The valid part of parsed data, and the defects of the rest."""
    defects: list[Defect] = []
    kept = table.accepted(value, (), defects)
    return ({} if kept is _INVALID else kept), defects


def json_schema(table: Table, title: str) -> dict[str, Any]:
    """A table as a JSON Schema document."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **table.json_schema()}


def dotted(path: Path) -> str:
    """A path as people write it: `workspace.exclude[1]`; unprintable characters are escaped."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = _shown(part)[1:-1]
            text += f".{name}" if text else name
    return text


def _shown(text: str) -> str:
    return quoted(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", int: "an integer", float: "a number", list: "an array", dict: "a table", type(None): "null"}
    return names.get(type(value), "a date or time")
