"""What can be told of a type without looking at other items: recipes, which `evaluation` follows in an environment.

A `Type` is a type's text (`Int`, `List<Point>`, with `?` for an unknown part), a `Reference` that needs facts about other items,
a `Flow` for a name that is assigned, or None for unknown. The functions here make them; how the type of an expression follows
from those of its parts stands in `expression_types`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from analysis.semantics.builtins import BUILTINS

UNKNOWN: Final = "?"
VARIABLE: Final = "T"
"""Stands for any type in the signatures of builtin functions."""
ARITHMETIC: Final = frozenset("+-*/")
"""The operators whose result has a type of its operands."""
_HIGHEST: Final = 60
"""How high references may be nested; what leads further is unknown."""
_RESULT_OF_OPERATOR: Final = {
    "==": "Bool", "!=": "Bool", "<": "Bool", "<=": "Bool", ">": "Bool", ">=": "Bool", "&&": "Bool", "||": "Bool",
    "++": "String", "%": "Int",
}  # fmt: skip


class Step(StrEnum):
    """The ways in which a type follows from others."""

    CALL = "result of a function"
    RETURNED = "result of a function value"
    FIELD = "field of a record"
    ELEMENT = "item of a list"
    PAYLOAD = "what a variant, Some, Ok or Err holds"
    LIST = "list of items"
    WRAP = "Some, Ok or Err of a value"
    ARITHMETIC = "sum, difference, product or quotient"
    COMMON = "one of several values"
    MATCHED = "value whose variants the arms of a match name"
    MESSAGE = "second parameter of a function `update`"


class Reference:
    """A type that depends on other items: a step, applied to the types `of`.

    `name` is that of the function, field or variant, or the declared type, `names` are the variants that a match names.
    """

    __slots__ = ("height", "name", "names", "of", "step")

    def __init__(self, step: Step, name: str = "", of: tuple[Type, ...] = (), names: tuple[str, ...] = ()) -> None:
        self.step = step
        self.name = name
        self.of = of
        self.names = names
        self.height = 1 + max(map(_height, of), default=0)


class Flow:
    """The type of a name that is assigned: `first`, as long as every assigned value has it as well."""

    __slots__ = ("assigned", "first", "height")

    def __init__(self, first: Type) -> None:
        self.first = first if _can_nest(first) else None
        self.assigned: list[Type] = []
        self.height = 1 + _height(self.first)


Type: TypeAlias = str | Reference | Flow | None


def _height(held: Type) -> int:
    return 0 if held is None or isinstance(held, str) else held.height


def _can_nest(held: Type) -> bool:
    return held is not None and (isinstance(held, str) or held.height < _HIGHEST)


def _low(parts: Iterable[Type]) -> tuple[Type, ...]:
    return tuple([part if _can_nest(part) else None for part in parts])


def parts_of(types: Iterable[Type]) -> Iterator[str | Reference]:
    """All texts and references that types are made of, each once."""
    seen: set[int] = set()
    stack = list(types)
    while stack:
        part = stack.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Flow):
            stack += (part.first, *part.assigned)
            continue
        yield part
        if isinstance(part, Reference):
            stack += part.of


# ---- what follows from what -----------------------------------------------------------------------------------------


def call_of(name: str, arguments: Iterable[Type] = ()) -> Type:
    """The type of a call of an outer function; the arguments' types count for the builtins of `GENERIC_CALLS`."""
    return Reference(Step.CALL, name, _low(arguments) if name in GENERIC_CALLS else ())


def returned_by(held: Type) -> Type:
    """The type of a call of a value."""
    return _reference(Step.RETURNED, held)


def field_of(held: Type, name: str) -> Type:
    """The type of a field of a value."""
    return _reference(Step.FIELD, held, name)


def element_of(held: Type) -> Type:
    """The type of a list's items."""
    return _reference(Step.ELEMENT, held)


def payload_of(held: Type, variant: str) -> Type:
    """The type of what a pattern `variant(…)` binds."""
    return _reference(Step.PAYLOAD, held, variant)


def _reference(step: Step, held: Type, name: str = "") -> Type:
    return Reference(step, name, (held,)) if _can_nest(held) else None


def list_of(items: Iterable[Type]) -> Type:
    """The type of a list literal with items of these types."""
    common = common_of(items)
    if isinstance(common, str) or not _can_nest(common):
        return f"List<{common if isinstance(common, str) else UNKNOWN}>"
    return Reference(Step.LIST, "", (common,))


def wrapped(kind: str, held: Type) -> Type:
    """The type of `Some(…)`, `Ok(…)` or `Err(…)`."""
    if isinstance(held, str) or not _can_nest(held):
        return wrapped_text(kind, held if isinstance(held, str) else UNKNOWN)
    return Reference(Step.WRAP, kind, (held,))


def wrapped_text(kind: str, held: str) -> str:
    """The text of the type of `Some(…)`, `Ok(…)` or `Err(…)`."""
    return {"Some": f"Option<{held}>", "Ok": f"Result<{held}, ?>", "Err": f"Result<?, {held}>"}[kind]


def operator_of(operator: str, left: Type, right: Type) -> Type:
    """The type of a binary operation."""
    known = _RESULT_OF_OPERATOR.get(operator)
    if known is not None or operator not in ARITHMETIC:
        return known
    if left == right == "Int":
        return "Int"
    if left == "Float" or right == "Float":
        return "Float"
    operands = _low((left, right))
    return Reference(Step.ARITHMETIC, operator, operands) if operands != (None, None) else None


def common_of(held: Iterable[Type]) -> Type:
    """The type of a value that is one of several."""
    parts = tuple(dict.fromkeys(held))
    if len(parts) == 1:
        return parts[0]
    parts = _low(parts)
    return Reference(Step.COMMON, "", parts) if any(part is not None for part in parts) else None


def matched_by(held: Type, variants: tuple[str, ...]) -> Type:
    """The type of a value that is matched by arms which name these variants."""
    if not variants:
        return held
    return Reference(Step.MATCHED, "", _low((held,)), variants)


def message_of(declared: str) -> Type:
    """The type of the second parameter of a function `update`: in an application the framework makes its value."""
    return Reference(Step.MESSAGE, declared)


def flow_of(first: Type) -> Type:
    """The type of a name that begins with a value of type `first` and is assigned."""
    return Flow(first) if _can_nest(first) else None


# ---- texts ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def split_type(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and arguments of a type's text; for `Fn(A) -> R` the result comes last."""
    opening = min((place for place in (text.find("<"), text.find("(")) if place >= 0), default=-1)
    if opening < 0:
        return text, ()
    name, parts, depth, start = text[:opening], [], 0, opening + 1
    for place in range(opening, len(text)):
        character = text[place]
        if character in "<(":
            depth += 1
        elif character == ")" or (character == ">" and text[place - 1] != "-"):
            depth -= 1
            if depth == 0:
                parts.append(text[start:place].strip())
                rest = text[place + 1 :].strip()
                if rest.startswith("->"):
                    parts.append(rest[2:].strip())
                break
        elif character == "," and depth == 1:
            parts.append(text[start:place].strip())
            start = place + 1
    return name, tuple(part for part in parts if part)


def joined_type(name: str, arguments: Iterable[str]) -> str:
    """The text of a type: the reverse of `split_type`."""
    parts = tuple(arguments)
    if name == "Fn" and parts:
        return f"Fn({', '.join(parts[:-1])}) -> {parts[-1]}"
    return f"{name}<{', '.join(parts)}>" if parts else name


def mentions_variable(text: str) -> bool:
    """Whether the type in a builtin's signature depends on its arguments."""
    name, arguments = split_type(text)
    return name == VARIABLE or any(map(mentions_variable, arguments))


def with_variable(text: str, value: str) -> str:
    """The type in a builtin's signature with its variable replaced."""
    name, arguments = split_type(text)
    return value if name == VARIABLE else joined_type(name, (with_variable(argument, value) for argument in arguments))


def value_of_variable(declared: str, given: str) -> str | None:
    """What the variable of a declared type stands for if a value has the type `given`; None if that is not told."""
    name, arguments = split_type(declared)
    if name == VARIABLE:
        return given if given != UNKNOWN else None
    known, parts = split_type(given)
    if name != known or len(arguments) != len(parts):
        return None
    found = (value_of_variable(mine, theirs) for mine, theirs in zip(arguments, parts, strict=True))
    return next((value for value in found if value is not None), None)


GENERIC_CALLS: Final = frozenset(name for name, builtin in BUILTINS.items() if mentions_variable(builtin.result))
"""The builtins whose result's type depends on those of the arguments."""
