"""Type inference: `inference` is a query on a chunk's text and the facts about what it mentions."""

from __future__ import annotations

from analysis.database import Database, query
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import ItemScope
from analysis.semantics.infer.engine import Engine, TooDeep
from analysis.semantics.infer.known import Known
from analysis.semantics.infer.result import Inference
from analysis.semantics.occurrences import GLOBAL, Space
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.syntax.tree import Function

RESIDENT: int = 1_000
"""Inferences that stay in memory: what is asked of one again soon is what somebody types in or looks at."""


@query(limit=RESIDENT, subject=CHUNK)
def inference(db: Database, text: str, given: ItemScope, likely: bool) -> Inference:
    """The types in a chunk. `likely`: as readers take them to be, also where nothing is certain; nothing is reported then."""
    names = resolved(db, text)
    uses = {one.start: one.local for one in names.occurrences if one.space is Space.VALUE and one.local != GLOBAL}
    known = Known(summary(db, text).free_names, given, likely)
    whole = Inference(uses=uses)
    tree = chunk_tree(db, text)
    if not tree.is_sound and not likely:
        # What stands beside a syntax error may be meant otherwise.
        return whole
    for item in tree.items:
        if isinstance(item, Function):
            try:
                whole.add(Engine(known, uses, db.checkpoint).function(item))
            except TooDeep:
                continue
    return whole
