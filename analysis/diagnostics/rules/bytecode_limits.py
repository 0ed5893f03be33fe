"""Sizes that bytecode cannot express: E008 for more than 255 of anything (spec chapter 04 section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.syntax.tree import Function

MOST: Final = 255
_HELP: Final = f"at most {MOST} fit into an instruction: split it into parts"


def concerns(context: TextContext) -> bool:
    """True if a text can hold so many of anything, or names a type that can."""
    return len(context.text) > 2 * MOST or bool(context.summary.records or context.summary.variants)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Parameters, arguments, list items and record fields beyond 255."""
    for item in context.summary.items:
        if isinstance(item, Function) and len(item.parameters) > MOST:
            message = f"function `{item.name}` has {len(item.parameters)} parameters; max {MOST}"
            yield diagnostic("E008", (item.at, item.at + len(item.name)), message, help=_HELP)
    for use in context.summary.names:
        if use.call is not None and use.arguments > MOST:
            yield diagnostic(
                "E008",
                (use.start, use.end),
                f"call to `{use.name}` has {use.arguments} arguments; max {MOST}",
                help=_HELP,
            )
    for call in context.summary.indirect_calls:
        message = f"call has {len(call.arguments)} arguments; max {MOST}"
        yield diagnostic("E008", (call.callee.start, call.callee.end), message, help=_HELP)
    for literal in context.summary.lists:
        message = f"list literal has {len(literal.items)} elements; max {MOST}"
        yield diagnostic("E008", (literal.start, literal.start + 1), message, help=_HELP)
    for record in context.summary.records:
        declared = context.type(record.name)
        count = len(declared.members) if record.spread is not None and declared is not None else len(record.fields)
        if count > MOST:
            span = (record.start, record.start + len(record.name))
            yield diagnostic("E008", span, f"record literal has {count} fields; max {MOST}", help=_HELP)
    for variant in context.summary.variants:
        declared = context.type(variant.enum)
        if declared is not None and declared.is_enum:
            index = next((place for place, (name, _) in enumerate(declared.members) if name == variant.variant), 0)
            if index > MOST:
                yield diagnostic("E008", (variant.start, variant.end), f"enum has {index} variants; max {MOST}", help=_HELP)
