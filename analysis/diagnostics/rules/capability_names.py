"""Capability annotations: W402 for names that no capability has (spec chapters 11 section 1 and 27 section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.renaming import renaming
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import TextContext
from analysis.semantics.spelling import closest
from analysis.syntax.tree import Function
from analysis.text.edits import Confidence, Fix

CAPABILITIES: Final = (
    "net.fetch", "fs.read", "fs.write", "db.query", "ui.render", "time.now", "random", "llm.call", "actor.spawn", "actor.send",
    "step.input", "mcp.call",
)  # fmt: skip
"""By number; the last one is ours (chapter 26 section 5)."""
ALIASES: Final = {
    "net": "net.fetch", "db": "db.query", "ui": "ui.render", "time": "time.now", "llm": "llm.call",
    "actor_spawn": "actor.spawn", "actor_send": "actor.send", "step_input": "step.input",
}  # fmt: skip
_WRITABLE: Final = tuple(name for name in CAPABILITIES if name not in ("actor.spawn", "actor.send")) + tuple(ALIASES)
"""`spawn` and `send` are keywords and cannot stand in an annotation."""

_MOST_GUESSES: Final = 50
"""Unknown capabilities of one chunk that are compared with all that could be meant."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Every annotated capability."""
    guesses = 0
    for item in paced(context.summary.items):
        if not isinstance(item, Function):
            continue
        for capability in paced(item.capabilities):
            if capability.name in CAPABILITIES or capability.name in ALIASES:
                continue
            guesses += 1
            near = closest(capability.name, _WRITABLE) if guesses <= _MOST_GUESSES else None
            span = (capability.start, capability.end)
            fixes: tuple[Fix, ...] = ()
            if near:
                rationale = f"there is no capability '{capability.name}'; closest match is '{near}'"
                fixes = (renaming("W402", capability.name, near, _WRITABLE, span, rationale, Confidence.HIGH),)
            yield diagnostic(
                "W402",
                span,
                f"unknown capability '{capability.name}'",
                help=f"did you mean '{near}'?" if near else f"the capabilities are: {', '.join(CAPABILITIES)}",
                why="an unknown capability is left out of the compiled function",
                name=capability.name,
                fixes=fixes,
            )
