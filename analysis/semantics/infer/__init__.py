"""Type inference: `inference` is a query on a chunk's text and the facts about what it mentions."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.database import Database, discard, query
from analysis.inputs import CHUNK
from analysis.semantics.environment import ItemScope
from analysis.semantics.infer.inferring import Engine, TooDeep
from analysis.semantics.infer.result import Inference
from analysis.semantics.infer.scope_types import ScopeTypes
from analysis.semantics.occurrences import Resolved
from analysis.semantics.scope_facts import ScopeFacts
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.semantics.uses import Summary
from analysis.syntax.tree import Function, Item

RESIDENT: int = 1_000
"""Inferences that stay in memory: those of chunks under repair."""
_LONG: int = 10_000
"""Characters of a function from which what was noted on the way is freed piece by piece."""


@query(limit=RESIDENT, subject=CHUNK)
def inference(db: Database, text: str, given: ItemScope) -> Inference:
    """The types in a chunk, as far as they are certain."""
    chunk_summary = summary(db, text)
    return inferred_of(chunk_summary, resolved(db, text), ScopeFacts(chunk_summary.free_names, given))


def inferred_of(chunk_summary: Summary, names: Resolved, facts: ScopeFacts) -> Inference:
    """`inference` without a memo, for a check: it keeps its diagnostics, and evicting the types of 500 callers takes longer
    than computing them."""
    return inferred(chunk_summary.items, names, ScopeTypes.of_scope(facts))


def inferred(items: Iterable[Item], names: Resolved, scope: ScopeTypes) -> Inference:
    """The types in items whose names are resolved."""
    uses = names.uses
    whole: Inference | None = None
    for item in items:
        if isinstance(item, Function):
            engine = Engine(scope, uses)
            try:
                inference = engine.function(item)
            except TooDeep:
                continue
            finally:
                if item.end - item.start > _LONG:
                    discard(engine)
            if whole is None:
                whole = inference
                whole.uses = uses
            else:
                whole.add(inference)
    return whole or Inference(uses)
