"""Arguments of tools: their JSON schema, and the check of what a client sent (spec chapter 18 section 3.1).

The first wrong type in byte order of the names is reported, then the first required argument that is absent. No value
is converted to another type. Unknown names are accepted and named in warnings.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from boruna_ls.mcp.messages import kind_of

_SCHEMAS: Final[dict[type, dict[str, Any]]] = {
    str: {"type": "string"},
    int: {"type": "integer", "minimum": 0},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    list: {"type": "array"},
    object: {},
}
_EXPECTED: Final = {
    str: "a string",
    int: "an integer from 0 to 2^64 - 1",
    bool: "true or false",
    dict: "an object",
    list: "a list",
    object: "a value",
}
_LARGEST: Final = 2**64 - 1
_SAME: Final = (
    frozenset({"source", "code", "text", "program", "content", "contents"}),
    frozenset({"path", "file", "file_path", "filepath", "filename", "uri"}),
)
"""Names that mean the same thing to those who guess."""
_CERTAIN: Final = 0.8
"""How alike names must be for one to be the other one misspelt, and not a guess."""
_BOUNDS: Final = {str: ("minLength", "maxLength"), list: ("minItems", "maxItems")}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; `meaning` completes "`name` is …" in errors and is the description in the schema.

    The kind `object` takes any JSON value. `fields` are those of an object (`dict`), or of the objects in a list; others in
    them are accepted. A list without `fields` holds texts. `least` and `most` bound characters or items.
    """

    name: str
    kind: type
    meaning: str
    required: bool = False
    default: Any = None
    fields: tuple[Argument, ...] = ()
    least: int = 0
    most: int | None = None
    means: str = ""
    """The argument that this is another name of; the schema leaves it out."""


@dataclass(slots=True)
class Arguments:
    """Values by name, every declared name present, and what the caller should know about the names it used."""

    values: dict[str, Any]
    warnings: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


def refusal(argument: str, message: str) -> MCPError:
    """The protocol error for a call whose argument cannot be used."""
    return MCPError(INVALID_PARAMS, message, {"argument": argument})


def schema_of(title: str, declared: Iterable[Argument]) -> dict[str, Any]:
    """The input schema of a tool."""
    declared = list(declared)
    schema: dict[str, Any] = {
        "title": title,
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in declared if not argument.means},
    }
    if required := [argument.name for argument in declared if argument.required]:
        schema["required"] = required
    return schema


def read_arguments(declared: Iterable[Argument], given: Mapping[str, Any]) -> Arguments:
    """The values of a call. Raises MCPError for a wrong type or a missing argument."""
    by_name = {argument.name: argument for argument in declared}
    values = {argument.name: argument.default for argument in by_name.values()}
    unknown = []
    for name in sorted(given, key=str.encode):
        argument = by_name.get(name)
        if argument is None:
            unknown.append(name)
        elif given[name] is not None or argument.required:
            values[name] = _checked(argument, given[name])
    for argument in by_name.values():
        if argument.means and values[argument.means] is None:
            values[argument.means] = values[argument.name]
        if argument.required and argument.name not in given:
            message = f"argument `{argument.name}` is missing: it must be {_expected(argument)}"
            raise explained(refusal(argument.name, message), [_unknown(name, by_name) for name in unknown])
    return Arguments(values, [*(_unknown(name, by_name) for name in unknown), *_unknown_fields(by_name, values)])


def read_fields(argument: Argument, value: Mapping[str, Any]) -> Arguments:
    """The values of the fields of an object, as `read_arguments` reads those of a call. Raises MCPError."""
    _check_fields(argument, argument.name, value)
    values = {inner.name: inner.default if value.get(inner.name) is None else value[inner.name] for inner in argument.fields}
    return Arguments(values, _unknown_in(argument, argument.name, value))


def explained(error: MCPError, warnings: Iterable[str]) -> MCPError:
    """The refusal of a call with what else was odd about its arguments, which is often the cause."""
    message = "; ".join([error.error.message, *warnings])
    return MCPError(error.error.code, message, error.error.data)


def _unknown_fields(declared: Mapping[str, Argument], values: Mapping[str, Any]) -> list[str]:
    """Warnings about the fields of objects that are declared with theirs."""
    warnings = []
    for name, argument in declared.items():
        # A tool reads the fields of an argument of any kind by itself (`read_fields`).
        value = values[name] if argument.kind is not object and argument.fields else None
        if isinstance(value, dict):
            warnings += _unknown_in(argument, name, value)
        for index, item in enumerate(value if isinstance(value, list) else ()):
            warnings += _unknown_in(argument, f"{name}[{index}]", item)
    return warnings


def _unknown_in(argument: Argument, name: str, value: Mapping[str, Any]) -> list[str]:
    known = {inner.name: inner for inner in argument.fields}
    return [_unknown(other, known, f"{name}.") for other in value if other not in known]


def _property(argument: Argument) -> dict[str, Any]:
    described = {**_SCHEMAS[argument.kind], "description": argument.meaning}
    members = {inner.name: _property(inner) for inner in argument.fields}
    if argument.kind is list:
        described["items"] = {"type": "object", "properties": members} if members else {"type": "string"}
    elif members:
        described["properties"] = members
    if argument.kind in _BOUNDS:
        bounds = zip(_BOUNDS[argument.kind], (argument.least or None, argument.most), strict=True)
        described |= {name: bound for name, bound in bounds if bound is not None}
    return described


def _checked(argument: Argument, value: Any) -> Any:
    if argument.kind is object:
        return value
    # `bool` is a subclass of `int` here, and another type in JSON.
    if type(value) is not argument.kind:
        found = kind_of(value)
        raise refusal(argument.name, f"argument `{argument.name}` must be {_expected(argument)}, not {found}")
    if isinstance(value, int) and not 0 <= value <= _LARGEST:
        raise refusal(argument.name, f"argument `{argument.name}` must be {_expected(argument)}, not {str(value)[:40]}")
    if isinstance(value, str | list):
        _check_size(argument, len(value))
    if isinstance(value, dict):
        _check_fields(argument, argument.name, value)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            name = f"{argument.name}[{index}]"
            kind: type = dict if argument.fields else str
            if type(item) is not kind:
                raise refusal(argument.name, f"argument `{name}` must be {_EXPECTED[kind]}, not {kind_of(item)}")
            if isinstance(item, dict):
                _check_fields(argument, name, item)
    return value


def _check_size(argument: Argument, size: int) -> None:
    unit = "characters" if argument.kind is str else "entries"
    if size < argument.least:
        raise refusal(argument.name, f"argument `{argument.name}` has {size} {unit}; it must have {argument.least} at least")
    if argument.most is not None and size > argument.most:
        raise refusal(argument.name, f"argument `{argument.name}` has {size} {unit}; it may have {argument.most} at most")


def _check_fields(argument: Argument, name: str, value: Mapping[str, Any]) -> None:
    for inner in sorted(argument.fields, key=lambda declared: declared.name):
        if value.get(inner.name) is not None:
            _checked(replace(inner, name=f"{name}.{inner.name}"), value[inner.name])
        elif inner.required:
            raise refusal(argument.name, f"argument `{name}.{inner.name}` is missing: it must be {_expected(inner)}")


def _ratio(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, name, other).ratio()


def _expected(argument: Argument) -> str:
    return f"{_EXPECTED[argument.kind]} ({argument.meaning[0].lower()}{argument.meaning[1:]})"


def _unknown(name: str, known: Mapping[str, Argument], inside: str = "") -> str:
    shown_names = [other for other, argument in known.items() if not argument.means]
    same = [other for names in _SAME if name.lower() in names for other in shown_names if other in names]
    misspelt = difflib.get_close_matches(name, shown_names, n=1, cutoff=0.6)
    close = misspelt if misspelt and _ratio(name, misspelt[0]) > _CERTAIN else same or misspelt
    hint = f"; did you mean `{inside}{close[0]}`?" if close else ""
    shown = name if len(name) <= 80 else name[:80] + "…"
    return f"argument `{inside}{shown}` is unknown and was ignored{hint}"
