"""What the types that syntax tells (`types`) come to, given the facts about the functions and types that they name.

`Evaluator` answers what holds for every value: checks rest on it. `LikelyEvaluator` answers what a reader would take a type to
be, for features of editors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.type_recipes import (
    UNKNOWN,
    Flow,
    Reference,
    Step,
    Type,
    joined_type,
    mentions_variable,
    split_type,
    value_of_variable,
    with_variable,
    wrapped_text,
)

_DEEPEST: Final = 300
"""How many references and assigned names may lead to each other; what leads further is unknown. Evaluation is recursive."""
_MOST_PASSES: Final = 100
"""How often assigned names that depend on each other are looked at; what changes even then is unknown."""


class Evaluator:
    """Evaluates the types of one chunk. What one comes to is remembered: types can depend on each other in many ways."""

    def __init__(self, function: Callable[[str], FunctionFact | None], declared: Callable[[str], TypeFact | None]) -> None:
        self._function = function
        self._declared = declared
        self._settled: dict[Flow | Reference, str | None] = {}
        self._assumed: dict[Flow, str | None] = {}
        """What the assigned names that are being looked at are taken to have."""
        self._passing: dict[Reference, str | None] = {}
        """What references come to if that holds."""
        self._depth = 0

    def text(self, held: Type) -> str | None:
        """The text of a type; None where it is unknown."""
        if held is None or held == UNKNOWN:
            return None
        if isinstance(held, str):
            return held
        if held in self._settled:
            return self._settled[held]
        if isinstance(held, Reference) and held in self._passing:
            return self._passing[held]
        if self._depth > _DEEPEST:
            return None
        self._depth += 1
        if isinstance(held, Flow):
            text = self._flow(held)
        else:
            text = self._reference(held)
            (self._passing if self._assumed else self._settled)[held] = text
        self._depth -= 1
        return text

    # ---- what it takes to believe something ---------------------------------------------------------------------------

    def _combined(self, parts: Iterable[str | None]) -> str | None:
        """The type of a value that is one of several: what all agree on."""
        common: str | None = None
        for part in parts:
            if part is None:
                return None
            common = part if common is None else _common(common, part)
            if common is None:
                return None
        return common

    def _is_usable(self, fact: FunctionFact | TypeFact) -> bool:
        return not fact.broken

    def _arithmetic(self, operands: tuple[Type, ...]) -> str | None:
        left, right = map(self.text, operands)
        if "Float" in (left, right):
            return "Float"
        return "Int" if left == right == "Int" else None

    def _matched(self, held: Reference) -> str | None:
        return self.text(held.of[0])

    def _flow(self, flow: Flow) -> str | None:
        """Each name is taken to have its first type; whose assigned values have another one has less, until nothing changes."""
        if flow not in self._assumed:
            is_outermost = not self._assumed
            first = self.text(flow.first)
            if flow in self._settled:
                return self._settled[flow]
            self._assumed.setdefault(flow, first)
            if is_outermost:
                self._settle()
                return self._settled[flow]
        return self._assumed[flow]

    def _settle(self) -> None:
        for _ in range(_MOST_PASSES):
            before = dict(self._assumed)
            self._passing.clear()
            # Names that are met on the way are looked at in the next pass.
            for flow in before:
                for assigned in flow.assigned:
                    self._assumed[flow] = self._combined((self._assumed[flow], self.text(assigned)))
                    if self._assumed[flow] is None:
                        break
            if self._assumed == before:
                self._settled |= self._assumed | self._passing
                break
        else:
            self._settled |= dict.fromkeys(self._assumed)
        self._assumed.clear()
        self._passing.clear()

    # ---- references ---------------------------------------------------------------------------------------------------

    def _reference(self, held: Reference) -> str | None:
        match held.step:
            case Step.CALL:
                return self._result_of(held)
            case Step.COMMON:
                return self._combined(map(self.text, held.of))
            case Step.ARITHMETIC:
                return self._arithmetic(held.of)
            case Step.MATCHED:
                return self._matched(held)
            case Step.MESSAGE:
                return self._message(held.name)
        text = self.text(held.of[0])
        if held.step is Step.LIST:
            return f"List<{text or UNKNOWN}>"
        if held.step is Step.WRAP:
            return wrapped_text(held.name, text or UNKNOWN)
        return self._part(held, text) if text is not None else None

    def _part(self, held: Reference, text: str) -> str | None:
        """The type of a part of a value whose type has this text."""
        if held.step is Step.FIELD:
            fact = self._declared(text)
            return fact.member(held.name) if fact is not None and not fact.is_enum and self._is_usable(fact) else None
        name, arguments = split_type(text)
        match held.step:
            case Step.ELEMENT if name == "List" and arguments:
                return _known(arguments[0])
            case Step.RETURNED if name == "Fn" and arguments:
                return _known(arguments[-1])
            case Step.PAYLOAD if held.name in ("Some", "Ok", "Err"):
                place = 1 if held.name == "Err" else 0
                return _known(arguments[place]) if name in ("Option", "Result") and len(arguments) > place else None
            case Step.PAYLOAD:
                fact = self._declared(name)
                return fact.member(held.name) if fact is not None and fact.is_enum and self._is_usable(fact) else None
        return None

    def _result_of(self, call: Reference) -> str | None:
        fact = self._function(call.name)
        if fact is not None:
            return fact.result if self._is_usable(fact) else None
        builtin = BUILTINS.get(call.name)
        if builtin is None:
            return None
        if not mentions_variable(builtin.result):
            return builtin.result
        pairs = zip(builtin.parameters, call.of, strict=False)
        given = [(kind, self.text(held)) for (_, kind), held in pairs if mentions_variable(kind)]
        value = self._combined(value_of_variable(kind, text) if text is not None else None for kind, text in given)
        return _known(with_variable(builtin.result, value or UNKNOWN))

    def _message(self, parameter: str) -> str | None:
        if not (self._function("init") and self._function("view")):
            return parameter
        # A record of the declared type only if that has the fields of a message (chapter 26 S16).
        fact = self._declared(parameter)
        is_one = fact is not None and not fact.is_enum and fact.has("tag") and fact.has("payload")
        return parameter if is_one else None


class LikelyEvaluator(Evaluator):
    """Believes one value of several, and a header that holds an error; `owner` knows the only enum with some variants."""

    def __init__(
        self,
        function: Callable[[str], FunctionFact | None],
        declared: Callable[[str], TypeFact | None],
        owner: Callable[[tuple[str, ...]], str | None],
    ) -> None:
        super().__init__(function, declared)
        self._owner = owner
        self._busy: dict[Flow, str | None] = {}

    def _combined(self, parts: Iterable[str | None]) -> str | None:
        """The first type that is known, its unknown parts as the others tell them."""
        told: str | None = None
        for part in parts:
            told = part if told is None else _filled(told, part) if part is not None else told
            if told is not None and UNKNOWN not in told:
                break
        return told

    def _is_usable(self, fact: FunctionFact | TypeFact) -> bool:
        return True

    def _arithmetic(self, operands: tuple[Type, ...]) -> str | None:
        texts = [text for text in map(self.text, operands) if text in ("Int", "Float")]
        return "Float" if "Float" in texts else next(iter(texts), None)

    def _matched(self, held: Reference) -> str | None:
        return self.text(held.of[0]) or self._owner(held.names)

    def _flow(self, flow: Flow) -> str | None:
        if flow in self._busy:
            return self._busy[flow]
        first = self._busy[flow] = self.text(flow.first)
        text = self._combined((first, *map(self.text, flow.assigned))) if first is None or UNKNOWN in first else first
        del self._busy[flow]
        self._settled[flow] = text
        return text


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
        if isinstance(held, Reference) and held.step is Step.CALL:
            fact = self._function(held.name)
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
    return joined_type(name, (_common(mine, theirs) or UNKNOWN for mine, theirs in zip(arguments, other_arguments, strict=True)))


def _filled(one: str, other: str) -> str:
    """A type whose unknown parts are as another tells them, if that is of the same kind."""
    if one == UNKNOWN:
        return other
    name, arguments = split_type(one)
    other_name, other_arguments = split_type(other)
    if name != other_name or len(arguments) != len(other_arguments):
        return one
    return joined_type(name, map(_filled, arguments, other_arguments))


def _known(text: str) -> str | None:
    return None if text == UNKNOWN else text
