"""Arguments of tools: one pydantic model a tool gives the validation, the JSON schema and the table in the documentation.

Nothing is converted to another type. `null` for an optional argument equals leaving it out. Unknown names are accepted and
named in warnings. The first wrong type in byte order of the names is reported, then the first required argument that is
absent, then a size (spec chapter 18 section 3.1). The work for a refused call is bounded, whatever it holds.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from heapq import nsmallest
from math import isfinite
from typing import Annotated, Any, ClassVar, Final, TypeVar

import pydantic_core
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from boruna_ls.mcp.argument_schema import Node, described_values, node_at, schema_of
from boruna_ls.mcp.messages import kind_of

SOURCE_LIMIT: Final = 1_048_576
"""Bytes of a program's text."""
MOST_U64: Final = 2**64 - 1
MOST_WARNINGS: Final = 10
"""Unknown arguments that are named; of more only the number is given."""
_MOST_NAME: Final = 80
"""Characters of an unknown name that are compared and shown."""
_ALIKE: Final = (
    frozenset({"source", "code", "text", "program", "content", "contents"}),
    frozenset({"path", "file", "file_path", "filepath", "filename", "uri"}),
)
"""Names that models use for the same thing."""
_CERTAIN: Final = 0.8
"""Similarity from which an unknown name counts as a misspelling."""
_TOO_LARGE: Final = "too_large"
_SIZES: Final = {"string_too_long", "string_too_short", "too_long", "too_short"}


class Arguments(BaseModel):
    """Base of all argument models; the class name is the schema's title."""

    # A tool is imported beside the event loop, where its first call would complete it (`library_models`).
    model_config = ConfigDict(strict=True, extra="allow", frozen=True, hide_input_in_errors=True, defer_build=False)
    other_names: ClassVar[Mapping[str, str]] = {}
    """Accepted names that the schema does not show, each with the argument that it stands for."""
    program_text: ClassVar[str] = ""
    """Name of the argument that holds the text of a program, which may be long; "" if none does."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        named = {**given}
        for other, name in cls.other_names.items():
            value = named.pop(other, None)
            if named.get(name) is None and value is not None:
                named[name] = value
        required = {field.alias or name for name, field in cls.model_fields.items() if field.is_required()}
        return {name: value for name, value in named.items() if value is not None or name in required}


A = TypeVar("A", bound=Arguments)


def _too_large(words: str) -> pydantic_core.PydanticCustomError:
    return pydantic_core.PydanticCustomError(_TOO_LARGE, "{words}", {"words": words})


def _source(text: str) -> str:
    if len(text) * 4 > SOURCE_LIMIT and len(text.encode("utf-8", "surrogatepass")) > SOURCE_LIMIT:
        raise _too_large("source exceeds 1 MB limit")
    return text


def at_most_json(limit: int) -> AfterValidator:
    """Bounds the JSON text of a value of any shape, in bytes."""

    def check(value: Any) -> Any:
        if value is None:
            return value
        text = pydantic_core.to_json(value, inf_nan_mode="constants")
        if len(text) > limit:
            raise ValueError(f"may have {limit} bytes of JSON at most")
        if b"Infinity" in text and _has_infinity(value):
            # No answer could show it: JSON has no such number.
            raise ValueError("has a number that is out of range")
        return value

    return AfterValidator(check)


def _has_infinity(value: Any) -> bool:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, float) and not isfinite(part):
            return True
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return False


def at_most_entries(limit: int) -> BeforeValidator:
    """Bounds an object before its entries are looked at."""

    def check(value: Any) -> Any:
        if isinstance(value, dict) and len(value) > limit:
            raise ValueError(f"has {len(value)} entries; it may have {limit} at most")
        return value

    return BeforeValidator(check)


def _on_or_off(value: Any) -> Any:
    return {} if value is True else None if value is False else value


def switch(model: type[Arguments]) -> BeforeValidator:
    """Validator that reads `true` as an object with all defaults, and `false` as None."""
    return BeforeValidator(_on_or_off, json_schema_input_type=bool | model)


FIRST_ERROR: Final[Any] = Field(fail_fast=True)
"""For lists: one wrong entry refuses the call, the others are not looked at."""
JSON_LIMIT: Final = 1_048_576

Source = Annotated[str, AfterValidator(_source), Field(json_schema_extra={"maxLength": SOURCE_LIMIT})]
Path = Annotated[str, Field(max_length=4096)]
Name = Annotated[str, Field(max_length=200)]
Count = Annotated[int, Field(ge=0, le=MOST_U64)]
"""An integer that the corpus calls u64."""
Offset = Annotated[int, Field(ge=0, le=2**31 - 1)]
Json = Annotated[Any, at_most_json(JSON_LIMIT)]
"""Any JSON value of bounded size."""
JsonObject = Annotated[dict[str, Any], at_most_json(JSON_LIMIT)]


def refusal(argument: str, message: str) -> MCPError:
    """The error for a call whose argument cannot be used."""
    return MCPError(INVALID_PARAMS, message, {"argument": argument})


def explained(error: MCPError, warnings: Iterable[str]) -> MCPError:
    """The refusal of a call together with the warnings about its arguments, which are often the cause."""
    return MCPError(error.error.code, "; ".join([error.error.message, *warnings]), error.error.data)


def read(model: type[A], given: Mapping[str, Any]) -> A:
    """The arguments of a call. Raises MCPError."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        refused = _refusal(model, given, error)
    valid_names = {*_names(model), *model.other_names}
    raise explained(refused, _warnings([(model, [name for name in given if name not in valid_names], "")]))


def warnings_of(arguments: Arguments) -> list[str]:
    """Warnings about the unknown names of a call, at any depth: of the first ones by name, and how many more there are."""
    return _warnings(_unknown_places(arguments, ""))


# ---- refusals ---------------------------------------------------------------------------------------------------------


def _refusal(model: type[Arguments], given: Mapping[str, Any], error: ValidationError) -> MCPError:
    """The refusal for the first thing that is wrong."""
    errors = error.errors(include_url=False)
    chosen = min(errors, key=lambda one: _rank(one["type"], one["loc"]))
    kind, words = chosen["type"], chosen.get("ctx", {}).get("words", chosen["msg"])
    top = str(chosen["loc"][0]) if chosen["loc"] else ""
    if top not in given:
        top = next((other for other, name in model.other_names.items() if name == top and other in given), top)
    steps = _steps(given, (top, *chosen["loc"][1:]), kind == "missing")
    name = _joined(steps)
    # Entries of lists are named in the message only.
    argument = name.partition("[")[0]
    if kind == _TOO_LARGE:
        return refusal(argument, words)
    node = node_at(schema_of(model), (model.other_names.get(top, top), *steps[1:]))
    if kind == "missing":
        return refusal(argument, f"argument `{name}` is missing: it must be {described_values(node)}")
    value = chosen["input"]
    if kind == "value_error":
        return refusal(argument, f"argument `{name}` {words.removeprefix('Value error, ')}")
    if kind in _SIZES:
        return refusal(argument, f"argument `{name}` {_size(kind, value, chosen['ctx'])}")
    return refusal(argument, f"argument `{name}` must be {described_values(node)}, not {_shown(value, node)}")


def _rank(kind: str, location: tuple[int | str, ...]) -> tuple[int, bytes]:
    """Wrong values in byte order of the names, then absent arguments as declared, then sizes."""
    if kind == "missing" and len(location) == 1:
        return 1, b""
    return (2 if kind == _TOO_LARGE else 0), str(location[0] if location else "").encode()


def _steps(given: Any, location: tuple[int | str, ...], is_missing: bool) -> list[int | str]:
    """The place of an error in a call; pydantic's location also names the branches of unions."""
    steps: list[int | str] = []
    for index, step in enumerate(location):
        is_entry = (isinstance(given, Mapping) and step in given) or (
            isinstance(given, list) and isinstance(step, int) and step < len(given)
        )
        if is_entry:
            given = given[step]
            steps.append(step)
        elif is_missing and index == len(location) - 1:
            steps.append(step)
    return steps or list(location[:1])


def _joined(steps: Iterable[int | str]) -> str:
    name = ""
    for step in steps:
        name += f"[{step}]" if isinstance(step, int) else f".{step[:_MOST_NAME]}"
    return name.removeprefix(".")


def _size(kind: str, value: Any, context: Mapping[str, Any]) -> str:
    unit = "characters" if kind.startswith("string") else "entries"
    least, most = context.get("min_length"), context.get("max_length")
    bound = f"it must have {least} at least" if kind.endswith("short") else f"it may have {most} at most"
    return f"has {len(value)} {unit}; {bound}"


def _shown(value: Any, node: Node) -> str:
    """Description of an argument that was given: the value where its type is right, else the type."""
    right_type = (isinstance(value, str) and "enum" in node) or (type(value) is int and node.get("type") == "integer")
    return repr(value)[:40] if right_type else kind_of(value)


# ---- unknown names ----------------------------------------------------------------------------------------------------

_Place = tuple[type[Arguments], Collection[str], str]
"""A model, the unknown names that an object of it was given, and how the names of its arguments begin."""


def _unknown_places(arguments: Arguments, inside: str) -> Iterator[_Place]:
    model = type(arguments)
    yield model, arguments.model_extra or (), inside
    for name in model.model_fields:
        value = getattr(arguments, name)
        for item, where in [(value, name)] if not isinstance(value, list) else _numbered(value, name):
            if isinstance(item, Arguments):
                yield from _unknown_places(item, f"{inside}{where}.")


def _numbered(items: list[Any], name: str) -> list[tuple[Any, str]]:
    return [(item, f"{name}[{index}]") for index, item in enumerate(items)]


def _warnings(places: Iterable[_Place]) -> list[str]:
    shown: list[str] = []
    more = 0
    for model, names, inside in places:
        room = MOST_WARNINGS - len(shown)
        shown += [_unknown(model, name, inside) for name in nsmallest(room, names, key=str.encode)]
        more += max(len(names) - room, 0)
    return [*shown, f"{more} more arguments are unknown and were ignored"] if more else shown


def _names(model: type[Arguments]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _unknown(model: type[Arguments], given: str, inside: str) -> str:
    valid_names, name = _names(model), given[:_MOST_NAME]
    same = [other for names in _ALIKE if name.lower() in names for other in valid_names if other in names]
    misspelt = difflib.get_close_matches(name, valid_names, n=1, cutoff=0.6)
    is_certain = bool(misspelt) and difflib.SequenceMatcher(None, name, misspelt[0]).ratio() > _CERTAIN
    close = misspelt if is_certain else same or misspelt
    hint = f"; did you mean `{inside}{close[0]}`?" if close else ""
    return f"argument `{inside}{name if name == given else name + '…'}` is unknown and was ignored{hint}"
