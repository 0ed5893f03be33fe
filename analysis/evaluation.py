"""What the types that syntax tells (`types`) come to, given the facts about the functions and types that they name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from analysis.builtins import BUILTINS
from analysis.declarations import FunctionFact, TypeFact
from analysis.types import UNKNOWN, Flow, Type, split_type

_DEEPEST: Final = 300
"""How many references and assigned names may lead to each other; what leads further is unknown. Evaluation is recursive."""


class Evaluator:
    """Evaluates the types of one chunk. What a `Flow` comes to is remembered: names can depend on each other in many ways."""

    def __init__(self, function: Callable[[str], FunctionFact | None], declared: Callable[[str], TypeFact | None]) -> None:
        self._function = function
        self._declared = declared
        self._settled: dict[Flow, str | None] = {}
        self._busy: dict[Flow, str] = {}
        self._depth = 0

    def text(self, held: Type) -> str | None:
        """The text of a type; None where it is unknown."""
        if held is None or held == UNKNOWN:
            return None
        if isinstance(held, str):
            return held
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        text = self._flow(held) if isinstance(held, Flow) else self._reference(held)
        self._depth -= 1
        return text

    def _flow(self, flow: Flow) -> str | None:
        if flow in self._settled:
            return self._settled[flow]
        if flow in self._busy:
            # Met again while its own assigned values are looked at: if each keeps the type, the name has it all along.
            return self._busy[flow]
        first = self.text(flow.first)
        if first is None:
            self._settled[flow] = None
            return None
        remembered = len(self._settled)
        self._busy[flow] = first
        text: str | None = first
        for assigned in flow.assigned:
            other = self.text(assigned)
            text = _common(text, other) if text is not None and other is not None else None
            if text is None:
                break
        del self._busy[flow]
        if text != first:
            # What was found while this name was taken to have its first type may rest on that. What is unknown stays so.
            for late in list(self._settled)[remembered:]:
                if self._settled[late] is not None:
                    del self._settled[late]
        self._settled[flow] = text
        return text

    def _reference(self, held: tuple[Any, ...]) -> str | None:
        match held:
            case ("call", name):
                return self._result_of(name)
            case ("message", parameter):
                return self._message(parameter)
            case ("field", of, name):
                fact = self._type(of)
                return fact.member(name) if fact is not None and not fact.is_enum and not fact.broken else None
            case ("element", of):
                name, arguments = self._split(of)
                return _known(arguments[0]) if name == "List" and arguments else None
            case ("returned", of):
                name, arguments = self._split(of)
                return _known(arguments[-1]) if name == "Fn" and arguments else None
            case ("payload", of, variant):
                return self._payload(of, variant)
        return None

    def _result_of(self, name: str) -> str | None:
        fact = self._function(name)
        if fact is not None:
            return fact.result if not fact.broken else None
        builtin = BUILTINS.get(name)
        if builtin is None or builtin.result == "T":
            return None
        return builtin.result.replace("<T>", "<?>").replace("String, T>", "String, ?>")

    def _message(self, parameter: str) -> str | None:
        if not (self._function("init") and self._function("view")):
            return parameter
        # A record of the declared type only if that has the fields of a message (chapter 26 S16).
        fact = self._declared(parameter)
        is_one = fact is not None and not fact.is_enum and fact.has("tag") and fact.has("payload")
        return parameter if is_one else None

    def _payload(self, of: Type, variant: str) -> str | None:
        name, arguments = self._split(of)
        if variant in ("Some", "Ok", "Err"):
            place = 1 if variant == "Err" else 0
            return _known(arguments[place]) if name in ("Option", "Result") and len(arguments) > place else None
        fact = self._declared(name)
        return fact.member(variant) if fact is not None and fact.is_enum and not fact.broken else None

    def _split(self, of: Type) -> tuple[str, tuple[str, ...]]:
        text = self.text(of)
        return split_type(text) if text else ("", ())

    def _type(self, of: Type) -> TypeFact | None:
        text = self.text(of)
        return self._declared(text) if text is not None else None


class HintEvaluator:
    """Evaluates the hints that the reference's warnings go by (spec chapter 04 section 4.4); only names of types that exist."""

    def __init__(self, function: Callable[[str], FunctionFact | None], exists: Callable[[str], bool]) -> None:
        self._function = function
        self._exists = exists
        self._settled: dict[Flow, str | None] = {}
        self._depth = 0

    def name(self, held: Type) -> str | None:
        """The name of a type that a warning may compare, None where it would be doubtful."""
        if isinstance(held, Flow):
            return self._flow(held)
        if isinstance(held, str):
            return held if self._exists(held) else None
        if isinstance(held, tuple) and held[0] == "call":
            fact = self._function(held[1])
            if fact is not None and fact.result is not None and not fact.broken:
                return fact.result if self._exists(fact.result) else None
        return None

    def _flow(self, flow: Flow) -> str | None:
        if flow not in self._settled:
            if self._depth > _DEEPEST:
                return None
            self._depth += 1
            first = self.name(flow.first)
            self._settled[flow] = first
            # The reference goes by the first value; one that is known to be of another type makes its warning doubtful.
            others = {self.name(assigned) for assigned in flow.assigned} - {None, first}
            self._settled[flow] = None if others else first
            self._depth -= 1
        return self._settled[flow]


def _common(one: str, other: str) -> str | None:
    """What two types agree on, `?` for arguments in which they differ."""
    if one == other:
        return one
    name, arguments = split_type(one)
    other_name, other_arguments = split_type(other)
    if name != other_name or len(arguments) != len(other_arguments) or name == "Fn" or not arguments:
        return None
    agreed = (_common(mine, theirs) or UNKNOWN for mine, theirs in zip(arguments, other_arguments, strict=True))
    return f"{name}<{', '.join(agreed)}>"


def _known(text: str) -> str | None:
    return None if text == UNKNOWN else text
