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

_ENTRIES: Final = frozenset(("main", *REQUIRED, *FUNCTIONS))


def entry_problems(context: FileContext) -> Iterator[Problem]:
    """The problems of the entry functions."""
    file, facts, names = context.file, context.facts, context.names
    starts = block_starts(context.db, file)
    if not any(block.functions for block in names):
        return
    entries: dict[str, tuple[Place, FunctionFact]] = {}
    for block, (start, end) in zip(names, pairwise((*starts, len(facts))), strict=True):
        if block.functions.isdisjoint(_ENTRIES):
            continue
        for chunk in paced(range(start, end)):
            for number, function in enumerate(facts[chunk].functions):
                if function.name in _ENTRIES:
                    entries[function.name] = Place(chunk, FUNCTION, number), function
    if all(name in entries for name in REQUIRED):
        for name, shape in FUNCTIONS.items():
            if name in entries and not entries[name][1].broken and len(entries[name][1].parameters) != shape.arity:
                message = f"'{name}' of an app takes {shape.arity_text}, not {len(entries[name][1].parameters)}"
                yield Problem("W307", entries[name][0], message, "give it these parameters", "the host calls it with these")
        return
    if "main" in entries:
        place, function = entries["main"]
        if function.parameters and not function.broken:
            why = "`main` is called without arguments: its parameters are Unit"
            yield Problem("W307", place, "'main' has parameters", "remove them; `step_input` reads the inputs of a run", why)
        return
    if not (any(name in entries for name in REQUIRED) or _is_a_part(file, facts)):
        message = "there is no 'main': a run begins with the first function"
        yield Problem("W307", _first(facts), message, "name the function `main`; in a library, `export` its functions", "")


def _first(facts: tuple[Declarations, ...]) -> Place:
    """The first function, but for those that a later one of their name replaces."""
    later: set[str] = set()
    first = 0, 0
    for chunk in paced(range(len(facts) - 1, -1, -1)):
        functions = facts[chunk].functions
        for number in range(len(functions) - 1, -1, -1):
            if functions[number].name not in later:
                later.add(functions[number].name)
                first = chunk, number
    return Place(first[0], FUNCTION, first[1])


def _is_a_part(file: FileId, facts: tuple[Declarations, ...]) -> bool:
    """True if a file is used by others: a library, tests."""
    if file.layer == "library" or "/libs/" in file.path:
        return True
    return any(
        fact.doubtful
        or any(function.exported or function.name.startswith("test_") for function in fact.functions)
        or any(declared.exported for declared in fact.types)
        for fact in paced(facts)
    )
