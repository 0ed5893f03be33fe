"""The facts of an item scope by name, made once for all who read a chunk: inference and the rules."""

from __future__ import annotations

from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.environment import FreeNames, ItemScope
from analysis.semantics.tool_names import Tool


class ScopeFacts:
    """Tables of an item scope. `functions` and `types` hold None for what is not declared; `types` has those reached, too."""

    __slots__ = ("fields", "functions", "scope", "tools", "types", "variants")

    def __init__(self, free_names: FreeNames, scope: ItemScope) -> None:
        self.scope = scope
        self.functions: dict[str, FunctionFact | None] = dict(zip(free_names.values, scope.functions, strict=True))
        self.types: dict[str, TypeFact | None] = dict(zip(free_names.types, scope.types, strict=True))
        if scope.reached:
            self.types.update((fact.name, fact) for fact in scope.reached)
        # Few chunks have the others.
        self.variants: dict[str, tuple[TypeFact, ...]] = (
            dict(zip(free_names.variants, scope.variants, strict=True)) if scope.variants else {}
        )
        self.fields: dict[str, tuple[TypeFact, ...]] = (
            dict(zip(free_names.fields, scope.fields, strict=True)) if scope.fields else {}
        )
        self.tools: dict[str, Tool | None] = dict(zip(free_names.tools, scope.tools, strict=True)) if scope.tools else {}
