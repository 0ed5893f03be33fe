"""E007: functions of an app that must be pure and declare capabilities (spec chapter 04 section 4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.database import paced
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import FUNCTION, FileContext, Problem
from analysis.diagnostics.file_rules.unused_capabilities import annotation_of
from analysis.syntax.tree import Function, Item
from analysis.text.edits import Confidence, Edit, Fix, Span


def purity_problems(context: FileContext) -> Iterator[Problem]:
    """The capabilities of `update` and `view` of an app."""
    if not context.is_app():
        return
    last: dict[str, tuple[Place, tuple[str, ...]]] = {}
    for chunk, fact in enumerate(paced(context.facts)):
        for number, function in enumerate(fact.functions):
            if function.name in ("init", "update", "view"):
                last[function.name] = (Place(chunk, FUNCTION, number), function.capabilities)
    for name in ("update", "view"):
        place, capabilities = last[name]
        if capabilities:
            listed = ", ".join(capabilities)
            yield Problem(
                "E007",
                place,
                f"capability violation: function '{name}' must be pure but is annotated with !{{{listed}}}"
                " — remove the capability annotation",
                "return effects in the list of `update`",
                "the framework may call update and view again at any time",
            )


def purity_fixes(chunk: str, item: Item, span: Span, problem: Problem) -> tuple[Fix, ...]:
    """Removes the annotation."""
    if not isinstance(item, Function) or not item.capabilities:
        return ()
    listed = ", ".join(capability.name for capability in item.capabilities)
    return (
        Fix(
            "E007-remove-caps",
            f"remove capability annotation !{{{listed}}}",
            Confidence.HIGH,
            "update() and view() must be pure functions with no capabilities",
            (Edit(annotation_of(chunk, item), ""),),
        ),
    )
