"""Context of rules and suggestions: a chunk's text and summary, and the facts about the names that the chunk mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from analysis.database import Database, checkpoint
from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.environment import ItemScope
from analysis.semantics.function_nodes import Walked
from analysis.semantics.infer import inferred_of
from analysis.semantics.infer.result import Inference
from analysis.semantics.occurrences import Resolved
from analysis.semantics.scope_facts import ScopeFacts
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.semantics.tool_names import Tool
from analysis.semantics.ty import partial_text
from analysis.semantics.uses import Summary
from analysis.syntax.lexer import Tokens, lex
from analysis.syntax.tree import Node


class TextContext:
    """A chunk, and which of the names in it functions of the program have: all that rules about a text's form look at."""

    __slots__ = ("_own", "_tokens", "_walked", "names", "own", "summary", "text")

    def __init__(self, text: str, summary: Summary, names: Resolved, own: tuple[str, ...]) -> None:
        self.text = text
        self.summary = summary
        self.names = names
        self.own = own
        """The names in it of functions of the program, in order."""
        self._own = frozenset(own)
        self._tokens: Tokens | None = None
        self._walked: Walked | None = None

    @property
    def tokens(self) -> Tokens:
        """The tokens of the chunk, made once for all rules."""
        if self._tokens is None:
            self._tokens = lex(self.text)
        return self._tokens

    @property
    def walked(self) -> Walked:
        """Each function with all nodes of its body, parents first, in source order: one walk for all rules."""
        if self._walked is None:
            self._walked = self.summary.walk.over(self.summary.items)
        return self._walked

    def is_function(self, name: str) -> bool:
        """True if a function of the program has a name that the chunk mentions."""
        return name in self._own


class RuleContext(TextContext):
    """A chunk and the slice of the environment that it depends on."""

    __slots__ = ("_facts", "_infer", "_inference", "scope")

    def __init__(self, text: str, summary: Summary, names: Resolved, facts: ScopeFacts, infer: Callable[[], Inference]) -> None:
        super().__init__(text, summary, names, tuple([name for name, fact in facts.functions.items() if fact is not None]))
        self.scope = facts.scope
        self._facts = facts
        self._infer = infer
        self._inference: Inference | None = None

    @property
    def inference(self) -> Inference:
        """The types in the chunk, inferred when first asked for."""
        if self._inference is None:
            self._inference = self._infer()
        return self._inference

    def function(self, name: str) -> FunctionFact | None:
        return self._facts.functions.get(name)

    def type(self, name: str) -> TypeFact | None:
        return self._facts.types.get(name)

    def enums_with(self, variant: str) -> tuple[TypeFact, ...]:
        return self._facts.variants.get(variant, ())

    def records_with(self, field: str) -> tuple[TypeFact, ...]:
        return self._facts.fields.get(field, ())

    def tool(self, name: str) -> Tool | None:
        """Meaning of a tool's or method's name; None for a name unrelated to tools."""
        return self._facts.tools.get(name)

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


def rule_context(db: Database, text: str, given: ItemScope) -> RuleContext:
    """The context of a chunk in an item scope; its types are inferred when a rule first asks for them."""
    chunk_summary, names = summary(db, text), resolved(db, text)
    facts = ScopeFacts(chunk_summary.free_names, given)
    infer = partial(inferred_of, chunk_summary, names, facts)
    return RuleContext(text, chunk_summary, names, facts, infer)
