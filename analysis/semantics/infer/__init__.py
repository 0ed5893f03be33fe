"""Type inference: `inference` is a query on a chunk's text and the facts about what it mentions."""

from __future__ import annotations

from analysis.data_classes import replace
from analysis.database import Database, discard, query
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import ItemScope
from analysis.semantics.infer.inferring import Engine, TooDeep
from analysis.semantics.infer.result import Inference
from analysis.semantics.infer.scope_types import ScopeTypes
from analysis.semantics.occurrences import Resolved
from analysis.semantics.scope_facts import ScopeFacts
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.syntax.parser import ChunkTree
from analysis.syntax.tree import Function

RESIDENT: int = 1_000
"""Inferences that stay in memory: those of chunks under repair."""
_LONG: int = 10_000
"""Characters of a function from which what was noted on the way is freed piece by piece."""


@query(limit=RESIDENT, subject=CHUNK)
def inference(db: Database, text: str, given: ItemScope) -> Inference:
    """The types in a chunk, as far as they are certain."""
    return inferred_of(db, text, ScopeFacts(summary(db, text).free_names, given))


def inferred_of(db: Database, text: str, facts: ScopeFacts) -> Inference:
    """`inference` without a memo, for a check: it keeps its diagnostics, and evicting the types of 500 callers takes longer
    than computing them."""
    tree = chunk_tree(db, text)
    chunk_summary = summary(db, text)
    # Of a sound tree, too: it may have been parsed anew since, and rules compare the nodes of both answers.
    read = tree if tree.items is chunk_summary.items else replace(tree, items=chunk_summary.items)
    return inferred(read, resolved(db, text), ScopeTypes.of_scope(facts))


def inferred(tree: ChunkTree, names: Resolved, scope: ScopeTypes) -> Inference:
    """The types in a tree whose names are resolved."""
    uses = names.uses
    whole: Inference | None = None
    for item in tree.items:
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
