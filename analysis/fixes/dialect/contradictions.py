"""Values of a kind in places of another, in a text of `.ax`: what the types of the translation know and a check does not tell."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.grammar_items import Parser
from analysis.fixes.dialect.inference import Inference
from analysis.fixes.dialect.program import declared
from analysis.fixes.dialect.untranslatable import Untranslatable

_MOST_CHARACTERS: Final = 100_000


def contradictions(text: str) -> tuple[tuple[int, str], ...]:
    """Offsets and what is wrong there, in order: calls of builtins and operators that fail when they run, and doubts."""
    if len(text) > _MOST_CHARACTERS:
        return ()
    try:
        parser = Parser(text)
        program = declared(parser.program())
        inference = Inference(program)
        inference.program_types(list(program.definitions.values()))
    except (Untranslatable, RecursionError):
        return ()
    failing = {at: f"{message}: it fails when it runs" for at, message in inference.contradictions.items()}
    doubtful = [*parser.scanner.divisions, *parser.scanner.doubtful_remarks]
    divisions = dict.fromkeys(doubtful, "what stands behind `//` is a remark here and may be meant as a divisor")
    return tuple(sorted({**failing, **divisions}.items()))
