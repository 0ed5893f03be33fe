"""Types as interned values: two types are the same exactly if they are the same object. Text is made for display only.

`UNKNOWN` is the dynamic type of gradual typing: it is consistent with everything, and a value that can be one of several types
has it. `NEVER` is the empty type: that of code that does not come to an end, and of the parts that `[]`, `None`, `Ok(…)`,
`Err(…)` and `map_new()` leave open. Values are immutable, so every constructor is covariant, and joining with `NEVER` is all
the solving that an open part needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias
from weakref import WeakValueDictionary

from analysis.database.caches import cached

MAX_DEPTH: Final = 24
"""Levels of a type; what lies deeper is unknown, so that every function here may be recursive."""
MAX_SIZE: Final = 400
"""Constructors in a type; a larger one is unknown."""


class Ty:
    """`head` is the constructor; `name` that of a record or enum; for `Fn` the result is the last of `arguments`.

    `is_known`: something is known of the outermost constructor. `is_declared`: it is a record or an enum.
    """

    __slots__ = ("__weakref__", "arguments", "depth", "head", "is_declared", "is_known", "name", "size")

    head: str
    name: str
    arguments: tuple[Ty, ...]
    depth: int
    size: int
    is_known: bool
    is_declared: bool

    def __repr__(self) -> str:
        return f"<Ty {text_of(self)}>"


_Key: TypeAlias = tuple[str, str, tuple[Ty, ...]]
_INTERNED: Final[WeakValueDictionary[_Key, Ty]] = WeakValueDictionary()


def _interned(head: str, name: str = "", arguments: tuple[Ty, ...] = ()) -> Ty:
    key = (head, name, arguments)
    existing = _INTERNED.get(key)
    if existing is not None:
        return existing
    depth = 1 + max((argument.depth for argument in arguments), default=0)
    size = 1 + sum(argument.size for argument in arguments)
    if depth > MAX_DEPTH or size > MAX_SIZE:
        return UNKNOWN
    new = Ty()
    new.head, new.name, new.arguments, new.depth, new.size = head, name, arguments, depth, size
    new.is_known, new.is_declared = head not in ("?", "!"), head in ("record", "enum")
    _INTERNED[key] = new
    return new


UNKNOWN: Final = _interned("?")
NEVER: Final = _interned("!")
INT: Final = _interned("Int")
FLOAT: Final = _interned("Float")
STRING: Final = _interned("String")
BOOL: Final = _interned("Bool")
UNIT: Final = _interned("Unit")
ACTOR: Final = _interned("ActorId")
PLAIN: Final = {plain.head: plain for plain in (INT, FLOAT, STRING, BOOL, UNIT)}
_ARITIES: Final = {"List": 1, "Option": 1, "Result": 2, "Map": 2}


def list_of(item: Ty) -> Ty:
    """`List<item>`."""
    return _interned("List", "", (item,))


def option_of(item: Ty) -> Ty:
    """`Option<item>`."""
    return _interned("Option", "", (item,))


def result_of(value: Ty, error: Ty) -> Ty:
    """`Result<value, error>`."""
    return _interned("Result", "", (value, error))


def function_of(parameters: Iterable[Ty], result: Ty) -> Ty:
    """`Fn(parameters) -> result`."""
    return _interned("Fn", "", (*parameters, result))


def record(name: str) -> Ty:
    """The record type of a name."""
    return _interned("record", name)


def enum(name: str) -> Ty:
    """The enum of a name."""
    return _interned("enum", name)


def applied(name: str, arguments: tuple[Ty, ...], declared: Callable[[str], Ty | None]) -> Ty:
    """The type that a written name with arguments means; `declared` finds records and enums."""
    if name == "Fn":
        return _interned("Fn", "", arguments) if arguments else UNKNOWN
    if _ARITIES.get(name) == len(arguments):
        return _interned(name, "", arguments)
    if arguments:
        return UNKNOWN
    own = declared(name)
    if name in PLAIN:
        # A program may declare a type of this name: then the meaning is ambiguous.
        return PLAIN[name] if own is None else UNKNOWN
    return own or UNKNOWN


# ---- relations ------------------------------------------------------------------------------------------------------


def join(first: Ty, second: Ty) -> Ty:
    """The type of a value that has one of two types: the parts that both agree on."""
    if first is second or second is NEVER:
        return first
    if first is NEVER:
        return second
    if (
        first.head != second.head
        or len(first.arguments) != len(second.arguments)
        or first.name != second.name
        or not first.arguments
    ):
        return UNKNOWN
    if first.head == "Fn":
        pairs = zip(first.arguments[:-1], second.arguments[:-1], strict=True)
        parameters = [mine if mine is theirs else UNKNOWN for mine, theirs in pairs]
        return function_of(parameters, join(first.arguments[-1], second.arguments[-1]))
    parts = tuple([join(mine, theirs) for mine, theirs in zip(first.arguments, second.arguments, strict=True)])
    return _interned(first.head, "", parts)


def likelier(first: Ty, second: Ty) -> Ty:
    """The likelier of two types of a value: the first, its open parts filled from the second."""
    if not first.is_known or first is second:
        return second if second.is_known else first
    if (
        first.head != second.head
        or len(first.arguments) != len(second.arguments)
        or first.name != second.name
        or not first.arguments
    ):
        return first
    parts = tuple([likelier(mine, theirs) for mine, theirs in zip(first.arguments, second.arguments, strict=True)])
    return _interned(first.head, "", parts)


def fits(given: Ty, wanted: Ty) -> bool:
    """True if a value of type `given` may fit where `wanted` is declared; False only if it certainly has another type."""
    if given is wanted or not given.is_known or not wanted.is_known:
        return True
    if given.head != wanted.head or given.name != wanted.name or len(given.arguments) != len(wanted.arguments):
        return False
    if given.head == "Fn":
        parameters = zip(wanted.arguments[:-1], given.arguments[:-1], strict=True)
        return all(fits(mine, theirs) for mine, theirs in parameters) and fits(given.arguments[-1], wanted.arguments[-1])
    return all(fits(mine, theirs) for mine, theirs in zip(given.arguments, wanted.arguments, strict=True))


def without_numbers(held: Ty) -> Ty:
    """A type with `Float` for `Int`: equal results mean that two types differ in number types only."""
    if held is INT:
        return FLOAT
    if not held.arguments:
        return held
    return _interned(held.head, held.name, tuple([without_numbers(argument) for argument in held.arguments]))


def is_complete(held: Ty) -> bool:
    """True if no part of a type is unknown or open."""
    return held.is_known and all(map(is_complete, held.arguments))


# ---- text -----------------------------------------------------------------------------------------------------------


@cached(1_024)
def text_of(held: Ty, unknown: str = "_") -> str:
    """A type as it is written, `unknown` for parts that are not known."""
    if not held.is_known:
        return unknown
    if held.is_declared:
        return held.name
    if not held.arguments:
        return held.head if held.head != "Fn" else unknown
    parts = [text_of(argument, unknown) for argument in held.arguments]
    if held.head == "Fn":
        return f"Fn({', '.join(parts[:-1])}) -> {parts[-1]}"
    return f"{held.head}<{', '.join(parts)}>"


def partial_text(held: Ty) -> str | None:
    """The text of a type, `?` for its unknown parts; None if it is unknown."""
    return text_of(held, "?") if held.is_known else None


@cached(1_024)
def named(held: Ty) -> str:
    """A type with its article, for sentences: `an Int`, `a List<Int>`, `Unit`."""
    text = text_of(held)
    if held.head != "Fn" and held.arguments and not any(argument.is_known for argument in held.arguments):
        text = held.head
    if text == "Unit":
        return text
    return f"an {text}" if text[0] in "AEIO" else f"a {text}"
