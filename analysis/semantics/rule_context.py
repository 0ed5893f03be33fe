"""Context of rules and suggestions: a chunk's text and summary, and the facts about the names that the chunk mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar, overload

from analysis.database import checkpoint, paced
from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.environment import FreeNames, ItemScope
from analysis.semantics.infer.result import Inference
from analysis.semantics.occurrences import Resolved
from analysis.semantics.tool_names import Tool
from analysis.semantics.ty import partial_text
from analysis.semantics.uses import Summary
from analysis.syntax.lexer import Tokens, lex
from analysis.syntax.tree import Function, Node, walk

_Found = TypeVar("_Found")
_One = TypeVar("_One", bound=Node)
_Two = TypeVar("_Two", bound=Node)
_Three = TypeVar("_Three", bound=Node)
_MANY: Final = 2_000
"""Nodes that a rule can look at without asking whether to stop."""


class Nodes(list[Node]):
    """The nodes of a function, parents first, in source order; walks through many check for cancellation."""

    __slots__ = ("_kept",)

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__(nodes)
        self._kept: dict[Any, Any] = {}

    def __iter__(self) -> Iterator[Node]:
        return super().__iter__() if len(self) < _MANY else paced(super().__iter__())

    @overload
    def of(self, kind: type[_One], /) -> Sequence[_One]: ...

    @overload
    def of(self, kind: type[_One], other: type[_Two], /) -> Sequence[_One | _Two]: ...

    @overload
    def of(self, kind: type[_One], other: type[_Two], third: type[_Three], /) -> Sequence[_One | _Two | _Three]: ...

    @overload
    def of(self, *kinds: type[Node]) -> Sequence[Node]: ...

    def of(self, *kinds: type[Node]) -> Sequence[Node]:
        """Those of these classes, found once for all rules: most rules are about few nodes."""
        found: list[Node] | None = self._kept.get(kinds)
        if found is None:
            # Of few nodes without the detour through `__iter__`.
            nodes = self if len(self) >= _MANY else list.__iter__(self)
            found = self._kept[kinds] = [node for node in nodes if type(node) in kinds]
        return found

    def once(self, find: Callable[[Nodes], _Found]) -> _Found:
        """What a function finds among them, found once for all who ask."""
        if find not in self._kept:
            self._kept[find] = find(self)
        found: _Found = self._kept[find]
        return found


class TextContext:
    """A chunk, and which of the names in it functions of the program have: all that rules about a text's form look at."""

    __slots__ = ("_own", "_tokens", "_walked", "names", "summary", "text")

    def __init__(self, text: str, summary: Summary, names: Resolved, own: Iterable[str]) -> None:
        self.text = text
        self.summary = summary
        self.names = names
        self._own = frozenset(own)
        self._tokens: Tokens | None = None
        self._walked: list[tuple[Function, Nodes]] | None = None

    @property
    def tokens(self) -> Tokens:
        """The tokens of the chunk, made once for all rules."""
        if self._tokens is None:
            self._tokens = lex(self.text)
        return self._tokens

    @property
    def walked(self) -> list[tuple[Function, Nodes]]:
        """Each function with all nodes of its body, parents first, in source order: one walk for all rules."""
        if self._walked is None:
            functions = [item for item in self.summary.items if isinstance(item, Function)]
            self._walked = [(item, Nodes(walk(item.body))) for item in functions]
        return self._walked

    def is_function(self, name: str) -> bool:
        """True if a function of the program has a name that the chunk mentions."""
        return name in self._own


class RuleContext(TextContext):
    """A chunk and the slice of the environment that it depends on."""

    __slots__ = ("_fields", "_functions", "_tools", "_types", "_variants", "inference", "scope")

    def __init__(
        self, text: str, summary: Summary, names: Resolved, own: Iterable[str], given: ItemScope, inference: Inference
    ) -> None:
        super().__init__(text, summary, names, own)
        self.scope = given
        self.inference = inference
        free_names = summary.free_names
        self._functions = dict(zip(free_names.values, given.functions, strict=True))
        self._types = dict(zip(free_names.types, given.types, strict=True))
        if given.reached:
            self._types.update((fact.name, fact) for fact in given.reached)
        self._variants = dict(zip(free_names.variants, given.variants, strict=True))
        self._fields = dict(zip(free_names.fields, given.fields, strict=True))
        self._tools = dict(zip(free_names.tools, given.tools, strict=True)) if given.tools else {}

    def function(self, name: str) -> FunctionFact | None:
        return self._functions.get(name)

    def type(self, name: str) -> TypeFact | None:
        return self._types.get(name)

    def enums_with(self, variant: str) -> tuple[TypeFact, ...]:
        return self._variants.get(variant, ())

    def records_with(self, field: str) -> tuple[TypeFact, ...]:
        return self._fields.get(field, ())

    def tool(self, name: str) -> Tool | None:
        """Meaning of a tool's or method's name; None for a name unrelated to tools."""
        return self._tools.get(name)

    def is_doubtful(self, name: str) -> bool:
        """True if a broken item may declare the name: then it is not reported."""
        return name in self.scope.doubtful

    def type_of(self, node: Node) -> str | None:
        """The text of an expression's type; None where it is unknown."""
        return partial_text(self.inference.of(node))

    def function_names(self, like: str) -> Sequence[str]:
        """The functions' names that a misspelt one is compared with."""
        return self.scope.function_names.near.of(like) if self.scope.function_names else ()

    def type_names(self, like: str) -> Sequence[str]:
        """The types' names that a misspelt one is compared with."""
        return self.scope.type_names.near.of(like) if self.scope.type_names else ()

    def guesses(self, most: int) -> Iterator[int]:
        """A budget of guesses at the meaning of a misspelt name; each checks for cancellation."""
        for number in range(most):
            checkpoint()
            yield number


def own_functions(names: FreeNames, given: ItemScope) -> tuple[str, ...]:
    """The names that are functions of the program."""
    return tuple([name for name, fact in zip(names.values, given.functions, strict=True) if fact is not None])
