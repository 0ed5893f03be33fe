"""Typed JSON: shapes that read one value each and say what does not fit, where, under which path (spec chapter 16, section 3.2).

Shapes are plain values that tables of fields are made of; `reader.py` holds those of a workflow, bundles have their own.
A `Reading` remembers where each value and key stands, so that what is found out later can be located, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.data_classes import dataclass, field
from analysis.syntax.escaping import quoted
from analysis.workflow.json_scanner import JsonError, Path, Scanner
from analysis.workflow.json_steps import EntryReader, Places

_REQUIRED: Final = object()


class Reading(Scanner):
    """A scanner that remembers places: `spans` of values, `keys` of the keys that name them, both by path.

    `unknown` are the fields that no shape has, `repeated` the names that a map has more than once. `read_entry` gives entries
    that were read before; None without such a memory.
    """

    __slots__ = ("keys", "read_entry", "repeated", "spans", "unknown")

    def __init__(self, text: str, read_entry: EntryReader | None = None) -> None:
        super().__init__(text)
        self.read_entry = read_entry
        self.spans = Places()
        self.keys = Places()
        self.unknown: list[Path] = []
        self.repeated: list[Path] = []

    def key(self) -> str:
        """Consumes a key, whose quote is next, and makes it the last part of the path."""
        start = self.pos
        name = self.string()
        self.path.append(name)
        self.keys[tuple(self.path)] = (start, self.pos)
        return name

    def duplicate(self, name: str) -> JsonError:
        """The defect that the key just read was there before."""
        if self.skip_blank() == "}":
            self.pos += 1
        return self.at(f"duplicate field `{name}`")


class Shape(ABC):
    """Expected shape of a value. `wanted` is its name in messages."""

    wanted = "any value"

    def read(self, reading: Reading) -> Any:
        """Consumes a value; raises JsonError."""
        letter = reading.skip_blank()
        start = reading.pos
        value = self._read(reading, letter)
        reading.spans[tuple(reading.path)] = (start, reading.pos)
        return value

    @abstractmethod
    def _read(self, reading: Reading, letter: str) -> Any:
        """Consumes the value that begins with `letter`, "" at the end of the text."""

    def check(self, value: Any) -> Any:
        """The same judgement of a value that was read before its kind was known; raises ValueError."""
        raise TypeError(f"{self.wanted} is read in place only")

    def refuse(self, reading: Reading, letter: str) -> JsonError:
        """The defect that another kind of value is next. A scalar is consumed."""
        if letter == "[":
            return reading.at(f"invalid type: sequence, expected {self.wanted}")
        if letter == "{":
            return reading.at(f"invalid type: map, expected {self.wanted}")
        return reading.at(f"invalid type: {shown(reading.scalar())}, expected {self.wanted}")


def shown(value: Any) -> str:
    """A value as messages name it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{float_shown(value)}`"
    if isinstance(value, str):
        return f"string {quoted(value)}"
    return "sequence" if isinstance(value, list) else "map"


def float_shown(value: float) -> str:
    """The shortest digits, positional for 1e-5 <= |x| < 1e16; Python turns to exponents one power earlier."""
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    power = int(exponent)
    if power == -5:
        sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
        return f"{sign}0.0000{digits.replace('.', '')}"
    return f"{digits}e{power:+d}" if power > 0 else f"{digits}e{power}"


class _Text(Shape):
    wanted = "a string"

    def _read(self, reading: Reading, letter: str) -> str:
        if letter != '"':
            raise self.refuse(reading, letter)
        return reading.string()

    def check(self, value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(f"invalid type: {shown(value)}, expected {self.wanted}")
        return value


class _Flag(Shape):
    wanted = "a boolean"

    def _read(self, reading: Reading, letter: str) -> bool:
        if letter == "" or letter not in "tf":
            raise self.refuse(reading, letter)
        return bool(reading.word(letter))

    def check(self, value: Any) -> Any:
        if not isinstance(value, bool):
            raise ValueError(f"invalid type: {shown(value)}, expected {self.wanted}")
        return value


class _Unsigned(Shape):
    def __init__(self, bits: int) -> None:
        self.wanted = f"u{bits}"
        self._most = 2**bits - 1

    def _read(self, reading: Reading, letter: str) -> int:
        if letter == "" or letter not in "-0123456789":
            raise self.refuse(reading, letter)
        value = reading.number()
        if isinstance(value, float):
            raise reading.at(f"invalid type: {shown(value)}, expected {self.wanted}")
        if not 0 <= value <= self._most:
            raise reading.at(f"invalid value: {shown(value)}, expected {self.wanted}")
        return value


class _Anything(Shape):
    def _read(self, reading: Reading, letter: str) -> Any:
        return reading.any_value()

    def check(self, value: Any) -> Any:
        return value


TEXT: Final[Shape] = _Text()
FLAG: Final[Shape] = _Flag()
U32: Final[Shape] = _Unsigned(32)
U64: Final[Shape] = _Unsigned(64)
ANYTHING: Final[Shape] = _Anything()


class Optional(Shape):
    """A shape, or null."""

    def __init__(self, inner: Shape) -> None:
        self.inner = inner
        self.wanted = inner.wanted

    def _read(self, reading: Reading, letter: str) -> Any:
        return reading.word(letter) if letter == "n" else self.inner.read(reading)

    def check(self, value: Any) -> Any:
        return None if value is None else self.inner.check(value)


class ListOf(Shape):
    """A list of values of one shape."""

    wanted = "a sequence"

    def __init__(self, item: Shape) -> None:
        self._item = item

    def _read(self, reading: Reading, letter: str) -> list[Any]:
        if letter != "[":
            raise self.refuse(reading, letter)
        reading.open()
        items: list[Any] = []
        while reading.another_item(not items):
            reading.path.append(len(items))
            items.append(self._item.read(reading))
            reading.path.pop()
        reading.close()
        return items


class MapOf(Shape):
    """An object from any names to values of one shape; of equal names the last counts, `spans` included."""

    wanted = "a map"

    def __init__(self, item: Shape) -> None:
        self._item = item

    def _read(self, reading: Reading, letter: str) -> dict[str, Any]:
        if letter != "{":
            raise self.refuse(reading, letter)
        reading.open()
        values: dict[str, Any] = {}
        first = True
        while reading.another_key(first):
            first = False
            self._entry(reading, values)
        reading.close()
        return values

    def _entry(self, reading: Reading, values: dict[str, Any]) -> None:
        """Consumes a name and its value."""
        name = reading.key()
        if name in values:
            reading.repeated.append(tuple(reading.path))
        reading.colon()
        values[name] = self._item.read(reading)
        reading.path.pop()


class Pair(Shape):
    """Two texts as a list."""

    wanted = "a tuple of size 2"

    def _read(self, reading: Reading, letter: str) -> tuple[str, str]:
        if letter != "[":
            raise self.refuse(reading, letter)
        reading.open()
        items: list[str] = []
        while len(items) < 2 and reading.another_item(not items):
            reading.path.append(len(items))
            items.append(TEXT.read(reading))
            reading.path.pop()
        close_list(reading)
        if len(items) < 2:
            raise reading.at(f"invalid length {len(items)}, expected {self.wanted}")
        return items[0], items[1]


def close_list(reading: Reading) -> None:
    """Consumes the bracket of a list that has all its items."""
    letter = reading.skip_blank()
    if letter == ",":
        reading.pos += 1
        raise reading.next("trailing comma" if reading.skip_blank() == "]" else "trailing characters")
    if letter != "]":
        raise reading.next("trailing characters" if letter else "EOF while parsing a list")
    reading.close()


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object; without a `default` it is required."""

    shape: Shape
    default: Any = field(default=_REQUIRED)
    by_name: bool = False
    """True if the default holds only where fields are named; a list must give the value."""

    @property
    def required(self) -> bool:
        return self.default is _REQUIRED


class Struct(Shape):
    """An object with these fields, or, if `listed`, a list of their values in this order. Unknown fields are skipped."""

    def __init__(self, name: str, fields: Mapping[str, Field], make: Callable[..., Any] = dict, listed: bool = True) -> None:
        self.wanted = f"struct {name}"
        self.fields = fields
        self._make = make
        self._listed = listed

    def _read(self, reading: Reading, letter: str) -> Any:
        if letter == "{":
            return self._make(**self._named(reading))
        if letter == "[" and self._listed:
            return self._make(**self._positional(reading))
        raise self.refuse(reading, letter)

    def _named(self, reading: Reading) -> dict[str, Any]:
        return self._completed(reading, self._fields(reading, None))

    def _fields(self, reading: Reading, others: list[tuple[str, Any]] | None) -> dict[str, Any]:
        """The values of the fields that are there; those of undeclared names are added to `others`, or skipped without it."""
        reading.open()
        values: dict[str, Any] = {}
        first = True
        while reading.another_key(first):
            first = False
            name = reading.key()
            declared = self.fields.get(name)
            if declared is not None and name in values:
                raise reading.duplicate(name)
            if declared is None and others is None:
                reading.unknown.append(tuple(reading.path))
            reading.colon()
            if declared is not None:
                values[name] = declared.shape.read(reading)
            elif others is not None:
                others.append((name, ANYTHING.read(reading)))
            else:
                reading.skip_value()
            reading.path.pop()
        reading.close()
        return values

    def _completed(self, reading: Reading, values: dict[str, Any]) -> dict[str, Any]:
        for name, declared in self.fields.items():
            if name not in values:
                if declared.required:
                    raise reading.at(f"missing field `{name}`")
                values[name] = declared.default
        return values

    def _positional(self, reading: Reading) -> dict[str, Any]:
        reading.open()
        values: dict[str, Any] = {}
        for name, declared in self.fields.items():
            if not reading.another_item(not values):
                break
            reading.path.append(name)
            values[name] = declared.shape.read(reading)
            reading.path.pop()
        close_list(reading)
        for number, (name, declared) in enumerate(self.fields.items()):
            if name not in values:
                if declared.required or declared.by_name:
                    wanted = f"{self.wanted} with {len(self.fields)} elements"
                    raise reading.at(f"invalid length {number}, expected {wanted}")
                values[name] = declared.default
        return values
