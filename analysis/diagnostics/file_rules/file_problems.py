"""The file-level problems of a file, block by block.

They depend on declarations and used names only, so that an edit inside a body stops before them; the places are looked up
when the diagnostics are put together (`placing.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Final

from analysis.database import Database, paced, query
from analysis.diagnostics.file_rules.app_effects import app_effect_problems
from analysis.diagnostics.file_rules.duplicates import duplicate_problems
from analysis.diagnostics.file_rules.entry_functions import entry_problems
from analysis.diagnostics.file_rules.imported_modules import import_problems
from analysis.diagnostics.file_rules.mutual_recursion import mutual_recursion_problems
from analysis.diagnostics.file_rules.problem import FileContext, Problem, Problems, problems_of
from analysis.diagnostics.file_rules.purity import purity_problems
from analysis.diagnostics.file_rules.unused_capabilities import idle_capability_problems, undeclared_capability_problems
from analysis.inputs import FILE, FileId
from analysis.semantics.declarations import block_starts, file_declarations, file_names

RULES: Final[tuple[Callable[[FileContext], Iterator[Problem]], ...]] = (
    duplicate_problems,
    purity_problems,
    import_problems,
    idle_capability_problems,
    undeclared_capability_problems,
    app_effect_problems,
    entry_problems,
    mutual_recursion_problems,
)
"""Each begins with a cheap test whether it can apply: else it would read all items for nothing."""


@query(subject=FILE)
def file_problems(db: Database, file: FileId) -> tuple[Problems, ...]:
    """The file-level problems, block by block, without unused definitions (W501). Places count from their chunk."""
    context = FileContext(db, file, file_declarations(db, file), file_names(db, file))
    starts = block_starts(db, file)
    blocks: list[list[tuple[int, Problem]]] = [[] for _ in starts]
    for problem in paced((problem for rule in RULES for problem in rule(context)), 500):
        number = bisect_right(starts, problem.place.chunk) - 1
        in_chunk = problem._replace(place=problem.place._replace(chunk=0))
        blocks[number].append((problem.place.chunk - starts[number], in_chunk))
    return tuple([problems_of(tuple(rows)) for rows in blocks])
