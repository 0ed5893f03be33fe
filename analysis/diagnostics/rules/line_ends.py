"""W611: texts over several lines where lines end in a carriage return and a line feed, which the text then holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Related
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix

_END: Final = "\r\n"
_MOST_EDITS: Final = 100
"""Line ends that a fix writes another way."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """One diagnostic for a chunk, where its line ends begin: they are those of the whole file."""
    at = context.text.find(_END)
    if at < 0:
        return
    texts = [
        node
        for _, nodes in context.walked
        for node in paced(nodes)
        if isinstance(node, (t.StringLiteral, t.StringPattern)) and _END in node.raw
    ]
    if not texts:
        return
    first = min(texts, key=lambda node: node.start)
    span = (at, at + len(_END)) if at < first.start else (first.start, first.end)
    yield diagnostic(
        "W611",
        span,
        "a string over several lines contains the carriage returns of this file",
        help="write the line breaks of the text as `\\n`, or save the file with line feeds alone",
        why="the string differs from the one in the same file with line feeds only",
        related=(Related("the text", (first.start, first.end)),),
        fixes=tuple(_escaped(context, texts)),
    )


def _escaped(context: TextContext, texts: list[t.StringLiteral | t.StringPattern]) -> Iterator[Fix]:
    """The same texts whatever the line ends of the file are."""
    edits: list[Edit] = []
    for node in sorted(texts, key=lambda node: node.start):
        at = context.text.find(_END, node.start, node.end)
        while at >= 0 and len(edits) <= _MOST_EDITS:
            edits.append(Edit((at, at + len(_END)), "\\n"))
            at = context.text.find(_END, at + len(_END), node.end)
    if len(edits) <= _MOST_EDITS:
        rationale = "`\\n` is always one line feed, whatever line endings the file has"
        yield Fix("W611-escape", "write its line breaks as `\\n`", Confidence.MEDIUM, rationale, tuple(edits))
