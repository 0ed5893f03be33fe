"""What rules and suggestions may look at: a chunk's text and summary, and the facts about the names that the chunk mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.environment import ItemScope
from analysis.semantics.infer.result import Inference
from analysis.semantics.tool_names import Tool
from analysis.semantics.ty import told
from analysis.semantics.uses import Summary
from analysis.syntax.tree import Function, Node, walk

_Row = TypeVar("_Row")
_OFTEN: Final = 256
"""Rows between two looks at whether to stop."""


class _Paced(list[Node]):
    """Nodes whose walks look at whether to stop."""

    __slots__ = ("checkpoint",)
    checkpoint: Callable[[], None]

    def __iter__(self) -> Iterator[Node]:
        for number, node in enumerate(super().__iter__()):
            if number % _OFTEN == 0:
                self.checkpoint()
            yield node


class RuleContext:
    """A chunk and the slice of the environment that it depends on."""

    __slots__ = (
        "_fields", "_functions", "_tools", "_types", "_variants",
        "_walked", "checkpoint", "inference", "scope", "summary", "text",
    )  # fmt: skip

    def __init__(
        self, text: str, summary: Summary, given: ItemScope, inference: Inference, checkpoint: Callable[[], None]
    ) -> None:
        self.text = text
        self.summary = summary
        self.scope = given
        self.inference = inference
        self.checkpoint = checkpoint
        self._walked: list[tuple[Function, list[Node]]] | None = None
        free_names = summary.free_names
        self._functions = dict(zip(free_names.values, given.functions, strict=True))
        self._types = dict(zip(free_names.types, given.types, strict=True))
        self._types.update((fact.name, fact) for fact in given.reached)
        self._variants = dict(zip(free_names.variants, given.variants, strict=True))
        self._fields = dict(zip(free_names.fields, given.fields, strict=True))
        self._tools = dict(zip(free_names.tools, given.tools, strict=True)) if given.tools else {}

    @property
    def walked(self) -> list[tuple[Function, list[Node]]]:
        """Each function with all nodes of its body, parents first, in source order: one walk for all rules."""
        if self._walked is None:
            functions = [item for item in self.summary.items if isinstance(item, Function)]
            self._walked = [(item, self._nodes(item)) for item in functions]
        return self._walked

    def _nodes(self, item: Function) -> list[Node]:
        nodes = _Paced(self.paced(walk(item.body)))
        nodes.checkpoint = self.checkpoint
        return nodes

    def function(self, name: str) -> FunctionFact | None:
        return self._functions.get(name)

    def type(self, name: str) -> TypeFact | None:
        return self._types.get(name)

    def enums_with(self, variant: str) -> tuple[TypeFact, ...]:
        return self._variants.get(variant, ())

    def records_with(self, field: str) -> tuple[TypeFact, ...]:
        return self._fields.get(field, ())

    def tool(self, name: str) -> Tool | None:
        """What a name of a tool or method means; None for one that has nothing to do with tools."""
        return self._tools.get(name)

    def is_doubtful(self, name: str) -> bool:
        """Whether a broken item may declare the name: then nothing is said about it."""
        return name in self.scope.doubtful

    def type_of(self, node: Node) -> str | None:
        """The text of an expression's type; None where it is unknown."""
        return told(self.inference.of(node))

    def function_names(self, like: str) -> Sequence[str]:
        """The functions' names that a misspelt one is compared with."""
        return self.scope.function_names.near.of(like) if self.scope.function_names else ()

    def type_names(self, like: str) -> Sequence[str]:
        """The types' names that a misspelt one is compared with."""
        return self.scope.type_names.near.of(like) if self.scope.type_names else ()

    def guesses(self, most: int) -> Iterator[int]:
        """A budget of guesses at what a misspelt name means, with a look at whether to stop before each."""
        for number in range(most):
            self.checkpoint()
            yield number

    def paced(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        """The rows of a list, with looks at whether to stop."""
        for number, row in enumerate(rows):
            if number % _OFTEN == 0:
                self.checkpoint()
            yield row
