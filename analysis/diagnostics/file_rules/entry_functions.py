"""W307: a program without `main`, a `main` with parameters, functions of an app that the host calls otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import FUNCTION, FileContext, Problem
from analysis.inputs import FileId
from analysis.semantics.app_shapes import FUNCTIONS, REQUIRED
from analysis.semantics.declarations import Declarations, FunctionFact, block_starts

_OFTEN: Final = 1_000
"""Chunks or functions between two looks at whether to stop."""
_ENTRIES: Final = frozenset(("main", *REQUIRED, *FUNCTIONS))


def entry_problems(context: FileContext) -> Iterator[Problem]:
    """The problems of the entry functions."""
    file, facts, names = context.file, context.facts, context.names
    starts = block_starts(context.db, file)
    if not any(block.functions for block in names):
        return
    # If an entry exists, only entries are checked.
    has_entry = any("main" in block.functions for block in names)
    places: dict[str, tuple[Place, FunctionFact]] = {}
    for block, (start, end) in zip(paced(names, 5), pairwise((*starts, len(facts))), strict=True):
        if has_entry and block.functions.isdisjoint(_ENTRIES):
            continue
        for chunk in range(start, end):
            for number, function in enumerate(facts[chunk].functions):
                if not has_entry or function.name in _ENTRIES:
                    places[function.name] = Place(chunk, FUNCTION, number), function
    if all(name in places for name in REQUIRED):
        for name, shape in FUNCTIONS.items():
            if name in places and not places[name][1].broken and len(places[name][1].parameters) != shape.arity:
                message = f"'{name}' of an app takes {shape.arity_text}, not {len(places[name][1].parameters)}"
                yield Problem("W307", places[name][0], message, "give it these parameters", "the host calls it with these")
        return
    if "main" in places:
        place, function = places["main"]
        if function.parameters and not function.broken:
            why = "`main` is called without arguments: its parameters are Unit"
            yield Problem("W307", place, "'main' has parameters", "remove them; `step_input` reads the inputs of a run", why)
        return
    if places and not _is_a_part(file, facts, places):
        place, function = min(paced(places.values(), _OFTEN), key=lambda pair: pair[0])
        message = "there is no 'main': a run begins with the first function"
        yield Problem("W307", place, message, "name the function to run `main`; in a library, `export` its functions", "")


def _is_a_part(file: FileId, facts: tuple[Declarations, ...], places: dict[str, tuple[Place, FunctionFact]]) -> bool:
    """True if a file is used by others: a library, a part of an app, tests."""
    if file.layer == "library" or "/libs/" in file.path or any(name in places for name in REQUIRED):
        return True
    if any(fact.doubtful or any(function.exported for function in fact.types) for fact in paced(facts, _OFTEN)):
        return True
    if any(function.exported for fact in paced(facts, _OFTEN) for function in fact.functions):
        return True
    return any(name.startswith("test_") for name in paced(places, _OFTEN))
