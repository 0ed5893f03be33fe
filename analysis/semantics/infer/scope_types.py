"""Types of outer names for inference: the facts about functions and types, their types read as `Ty`.

In the likely reading, for editors, a header that holds an error is believed as far as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from analysis.database.caches import cached
from analysis.semantics import ty
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.environment import ItemScope, names_in, names_of
from analysis.semantics.scope_facts import ScopeFacts
from analysis.semantics.tool_names import Tool, no_tool
from analysis.semantics.ty import NEVER, UNKNOWN, Ty
from analysis.semantics.type_text import VARIABLE, split_type

MESSAGE_FIELDS: Final = ("tag", "payload")
"""Fields of what the framework hands to `update` (chapter 26 S16)."""
_NO_KINDS: Final[Mapping[str, bool]] = {}


class ScopeTypes:
    """The functions and types in scope, by name. `kinds` are types with only a name, and whether they are enums."""

    __slots__ = (
        "_enums_with",
        "_functions",
        "_is_plain",
        "_kinds",
        "_meanings",
        "_signatures",
        "_tools",
        "_types",
        "doubtful",
        "likely",
    )

    def __init__(
        self,
        function: Callable[[str], FunctionFact | None],
        declared: Callable[[str], TypeFact | None],
        enums_with: Callable[[str], tuple[TypeFact, ...]],
        kinds: Mapping[str, bool],
        doubtful: frozenset[str] = frozenset(),
        likely: bool = False,
        tools: Callable[[str], Tool | None] = no_tool,
        is_plain: bool = False,
    ) -> None:
        self._functions = function
        self._types = declared
        self._enums_with = enums_with
        self._kinds = kinds
        self._signatures: dict[str, Ty | None] = {}
        self._meanings: dict[str, Ty] = {}
        """Types by the texts of type expressions that were read."""
        self.doubtful = doubtful
        self.likely = likely
        self._tools = tools
        self._is_plain = is_plain
        """None of the names in scope is known to be a type of the program, so that none need be looked for."""

    @classmethod
    def of_scope(cls, facts: ScopeFacts) -> ScopeTypes:
        """Types of an item's scope."""
        variants, scope = facts.variants, facts.scope
        kinds = dict(scope.kinds) if scope.kinds else _NO_KINDS
        return cls(
            facts.functions.get,
            facts.types.get,
            lambda name: variants.get(name, ()),
            kinds,
            scope.doubtful,
            tools=facts.tools.get,
            is_plain=is_plain(scope),
        )

    def tool(self, name: str) -> Tool | None:
        """Meaning of a tool's or method's name."""
        return self._tools(name)

    def function(self, name: str) -> FunctionFact | None:
        """The program's function of a name."""
        return self._functions(name)

    def signature(self, name: str) -> Ty | None:
        """The type of the program's function of a name; None if there is none, or its header is unreadable."""
        signatures = self._signatures
        if name not in signatures:
            fact = self._functions(name)
            signature = None
            if fact is not None and (self.likely or not fact.broken):
                if self._is_plain or not any(map(self._declared, names_of(fact))):
                    signature = _plain_signature(fact)
                else:
                    signature = ty.function_of([self.read(kind) for _, kind in fact.parameters], self.read(fact.result))
            signatures[name] = signature
        return signatures[name]

    def type(self, name: str) -> TypeFact | None:
        """The record or enum of a name, if it can be relied upon."""
        fact = self._types(name)
        if fact is None or (not self.likely and (fact.broken or name in self.doubtful)):
            return None
        return fact

    def record(self, held: Ty) -> TypeFact | None:
        """The declaration of a record type."""
        return self.type(held.name) if held.head == "record" else None

    def enum(self, held: Ty) -> TypeFact | None:
        """The declaration of an enum."""
        return self.type(held.name) if held.head == "enum" else None

    def only_enum_with(self, variants: tuple[str, ...]) -> TypeFact | None:
        """The only enum that has all these variants, for the likely reading."""
        facts: set[TypeFact] | None = None
        for name in variants:
            owners = set(self._enums_with(name))
            facts = owners if facts is None else facts & owners
        return next(iter(facts)) if facts and len(facts) == 1 else None

    def read(self, text: str | None) -> Ty:
        """The type that a text means here."""
        if text is None:
            return UNKNOWN
        if self._is_plain:
            return read_plain(text)
        meaning = self._meanings.get(text)
        if meaning is None:
            meaning = ty.PLAIN.get(text)
            if meaning is None or self._declared(text) is not None:
                is_plain = not any(map(self._declared, names_in(text)))
                meaning = read_plain(text) if is_plain else _read(text, self._declared)
            self._meanings[text] = meaning
        return meaning

    def member(self, fact: TypeFact, name: str) -> Ty:
        """The type of a field or payload; `UNKNOWN` if there is none."""
        return self.read(fact.member(name))

    def _declared(self, name: str) -> Ty | None:
        fact = self._types(name)
        if fact is None:
            is_enum = self._kinds.get(name)
            if is_enum is None or name in self.doubtful:
                return UNKNOWN if name in self.doubtful else None
            return ty.enum(name) if is_enum else ty.record(name)
        if fact.broken and not self.likely:
            return UNKNOWN
        return ty.enum(name) if fact.is_enum else ty.record(name)


def is_plain(scope: ItemScope) -> bool:
    """True if none of the names in a scope is known to be a type of the program."""
    return not (scope.kinds or scope.doubtful or scope.reached or any(scope.types))


@cached(1_024)
def _plain_signature(fact: FunctionFact) -> Ty:
    """The type of a function where none of the names in its header is declared. Kept: hundreds of callers ask for it."""
    result = UNKNOWN if fact.result is None else read_plain(fact.result)
    return ty.function_of([read_plain(kind) for _, kind in fact.parameters], result)


@cached(1_024)
def read_plain(text: str) -> Ty:
    """The type that a text means where none of the names in it is declared."""
    return _read(text, lambda name: None)


def _read(text: str, declared: Callable[[str], Ty | None], depth: int = 0) -> Ty:
    name, arguments = split_type(text)
    if depth > ty.MAX_DEPTH:
        return UNKNOWN
    return ty.applied(name, tuple([_read(argument, declared, depth + 1) for argument in arguments]), declared)


# ---- builtins -------------------------------------------------------------------------------------------------------

_VARIABLE: Final = ty.record("builtin variable")
"""Stands for the variable of a builtin's signature; no program can write a type of this name."""


@lru_cache(maxsize=256)
def builtin_signature(name: str) -> Ty:
    """The type of a builtin, its variable as a type of its own (`instantiated` replaces it)."""
    builtin = BUILTINS[name]
    variable = {VARIABLE: _VARIABLE}
    parts = [_read(kind, variable.get) for _, kind in builtin.parameters]
    return ty.function_of(parts, _read(builtin.result, variable.get))


def is_generic(held: Ty) -> bool:
    """True if a part of a builtin's signature depends on its variable."""
    return held is _VARIABLE or any(map(is_generic, held.arguments))


def is_variable(held: Ty) -> bool:
    """True if a part of a builtin's signature is its variable itself."""
    return held is _VARIABLE


def instantiated(held: Ty, value: Ty) -> Ty:
    """A part of a builtin's signature with its variable replaced."""
    if held is _VARIABLE:
        return value
    if not held.arguments:
        return held
    parts = tuple([instantiated(argument, value) for argument in held.arguments])
    return ty.applied(held.head, parts, lambda name: None)


def value_of_variable(declared: Ty, given: Ty) -> Ty:
    """Type that the variable of a declared part stands for if a value has the type `given`."""
    if declared is _VARIABLE:
        return given
    if not is_generic(declared):
        return NEVER
    if given is NEVER:
        return NEVER
    if given.head != declared.head or len(given.arguments) != len(declared.arguments):
        return UNKNOWN
    value = NEVER
    for mine, theirs in zip(declared.arguments, given.arguments, strict=True):
        value = ty.join(value, value_of_variable(mine, theirs))
    return value
