"""Values of a kind in places of another, in a text of `.ax`: what the types of the translation know and a check does not tell."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.fixes.dialect.reading.grammar_items import Parser
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.effort import MOST_CHARACTERS
from analysis.fixes.dialect.tree.types import Type, head, written
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.typing.inference import Inference
from analysis.fixes.dialect.typing.program import Program, declared


def contradictions(text: str) -> tuple[tuple[int, str], ...]:
    """Offsets and what is wrong there, in order: calls of builtins and operators that fail when they run, and doubts."""
    if len(text) > MOST_CHARACTERS:
        return ()
    try:
        parser = Parser(text)
        program = declared(parser.program())
        inference = Inference(program)
        inference.program_types(list(program.definitions.values()))
    except (Untranslatable, RecursionError):
        return ()
    failing = dict(_results(program))
    failing |= {at: f"{message}: it fails when it runs" for at, message in inference.contradictions.items()}
    doubtful = [*parser.scanner.divisions, *parser.scanner.doubtful_remarks]
    divisions = dict.fromkeys(doubtful, "text after `//` is a comment here; it may be meant as a divisor")
    return tuple(sorted({**failing, **divisions}.items()))


def _results(program: Program) -> Iterator[tuple[int, str]]:
    """Functions whose value holds parts of another type than their result, which a check of lists does not ask."""
    own = {*program.records, *program.enums, "Option", "Result", "List", "Map"}
    for function in program.definitions.values():
        last = function.body.statements[-1] if function.body.statements else None
        if not isinstance(last, n.Evaluate) or head(last.value.ty) != head(function.result):
            continue
        if _differ(last.value.ty, function.result, own):
            yield last.start, f"a value of type {written(last.value.ty)} where {written(function.result)} is declared"


def _differ(held: Type | None, wanted: Type | None, own: set[str]) -> bool:
    """True if some part of two types is another type in each: one of the program, an Option or a collection."""
    if held is None or wanted is None:
        return False
    left, right = held.resolved(), wanted.resolved()
    if left.name != right.name:
        return bool(left.name and right.name) and bool({left.name, right.name} & own) and "Fn" not in (left.name, right.name)
    return any(_differ(first, second, own) for first, second in zip(left.arguments, right.arguments, strict=False))
