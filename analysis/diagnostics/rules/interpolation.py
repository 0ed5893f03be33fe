"""W610: texts that look as if they held values of variables, as `"${name}"` does in other languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.occurrences import Local
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t

_HOLE: Final = re.compile(
    r"(?<![{$#])[$#]?\{\s*([a-z_][A-Za-z0-9_]*)(?:\.[a-z_][A-Za-z0-9_]*)*(?:\s*[-+*/]\s*[0-9]+)?\s*\}(?!\})"
)


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Every text with a hole that names a variable. A text that is only a hole is a placeholder for another tool."""
    own: dict[str, list[Local]] = {}
    for local in paced(context.names.locals.values()):
        own.setdefault(local.name, []).append(local)
    for _, nodes in context.walked if own else ():
        for node in nodes.of(t.StringLiteral):
            if (hole := _hole(node, own)) is not None:
                name, shown = hole
                yield diagnostic(
                    "W610",
                    (node.start, node.end),
                    f"strings are not interpolated: `{shown}` stays as written",
                    help=f'join the pieces: `"…" ++ {name}`, numbers with `__builtin_int_to_string({name})`',
                    why=f"'{name}' is a variable here, and is not read",
                    name=name,
                )


def _hole(node: t.StringLiteral, own: dict[str, list[Local]]) -> tuple[str, str] | None:
    """The variable of the first hole that names one seen by the text, and the hole."""
    for match in _HOLE.finditer(node.raw):
        if match[0] != node.raw and any(local.is_visible(node.start) for local in own.get(match[1], ())):
            return match[1], match[0]
    return None
