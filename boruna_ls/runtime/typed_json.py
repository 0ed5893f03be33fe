"""Reads JSON values into declared shapes and says in fixed words what does not fit (spec chapter 11 section 7.3).

A shape names its fields in order, since an array stands for the fields by position wherever an object is expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from boruna_ls.runtime.quoting import float_text, quoted

Field = str | tuple[str, "Shape"]
"""A kind of value: "a boolean", "u64", "usize", "u64?" (or null), "a string", "strings", ("map", shape), ("optional", shape)."""


class TypeDefect(ValueError):
    """A value does not fit its type; `path` leads to the value."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class Shape:
    """An object with these fields; `required` ones are reported in that order, the first `positional` ones make an array."""

    def __init__(self, name: str, required: tuple[str, ...] = (), positional: int = 99, **fields: Field) -> None:
        self.name: Final = name
        self.positional: Final = tuple(fields)[:positional]
        self.required: Final = required
        self.fields: Final[Mapping[str, Field]] = fields


class Decoder:
    """Reads values; objects of the shapes in `strict` refuse unknown fields, others leave them out."""

    def __init__(self, strict: tuple[Shape, ...] = ()) -> None:
        self._strict = strict

    def read(self, value: Any, shape: Shape, path: str = "") -> dict[str, Any]:
        """The given fields of an object. Raises TypeDefect."""
        if isinstance(value, list):
            return self._positional(value, shape, path)
        if not isinstance(value, dict):
            raise TypeDefect(f"invalid type: {described(value)}, expected {shape.name}", path)
        values = {}
        for name in sorted(value, key=lambda name: name.encode("utf-8", "surrogatepass")):
            if name in shape.fields:
                values[name] = self._field(value[name], shape.fields[name], _inside(path, name))
            elif shape in self._strict:
                expected = ", ".join(f"`{field}`" for field in shape.fields)
                raise TypeDefect(f"unknown field `{name}`, expected one of {expected}", _inside(path, name))
        for name in shape.required:
            if name not in values:
                raise TypeDefect(f"missing field `{name}`", path)
        return values

    def _positional(self, items: list[Any], shape: Shape, path: str) -> dict[str, Any]:
        values = {}
        for name, item in zip(shape.positional, items, strict=False):
            values[name] = self._field(item, shape.fields[name], _inside(path, name))
        if len(values) < len(shape.required):
            count = len(shape.fields)
            raise TypeDefect(f"invalid length {len(items)}, expected {shape.name} with {count} elements", path)
        if len(items) > len(values):
            raise TypeDefect(f"invalid length {len(items)}, expected fewer elements in array", path)
        return values

    def _field(self, value: Any, kind: Field, path: str) -> Any:
        if isinstance(kind, tuple):
            return self._shaped(value, *kind, path)
        if kind == "u64?":
            return None if value is None else _number(value, "u64", path)
        if kind in ("u64", "usize"):
            return _number(value, kind, path)
        if kind == "strings":
            if not isinstance(value, list):
                raise TypeDefect(f"invalid type: {described(value)}, expected a sequence", path)
            return tuple(_plain(item, "a string", str, f"{path}[{index}]") for index, item in enumerate(value))
        if kind == "string lists":
            if not isinstance(value, dict):
                raise TypeDefect(f"invalid type: {described(value)}, expected a map", path)
            return {name: self._field(value[name], "strings", _inside(path, name)) for name in sorted(value)}
        return _plain(value, kind, bool if kind == "a boolean" else str, path)

    def _shaped(self, value: Any, kind: str, shape: Shape, path: str) -> Any:
        if kind == "optional":
            return None if value is None else self.read(value, shape, path)
        if not isinstance(value, dict):
            raise TypeDefect(f"invalid type: {described(value)}, expected a map", path)
        names = sorted(value, key=lambda name: name.encode("utf-8", "surrogatepass"))
        return {name: self.read(value[name], shape, _inside(path, name)) for name in names}


def described(value: Any) -> str:
    """A JSON value in the words of an error."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{'true' if value else 'false'}`"
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return f"integer `{value}`"
        value = float(value)
    if isinstance(value, float):
        return f"floating point `{float_text(value)}`"
    if isinstance(value, str):
        return f"string {quoted(value)}"
    return "sequence" if isinstance(value, list) else "map"


def _number(value: Any, kind: str, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value >= 2**64:
        raise TypeDefect(f"invalid type: {described(value)}, expected {kind}", path)
    if value < 0:
        raise TypeDefect(f"invalid value: integer `{value}`, expected {kind}", path)
    return value


def _plain(value: Any, expected: str, kind: type, path: str) -> Any:
    if type(value) is not kind:
        raise TypeDefect(f"invalid type: {described(value)}, expected {expected}", path)
    return value


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
