"""W610: texts that look as if they held values of variables, as `"${name}"` does in other languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import RuleContext
from analysis.syntax import tree as t

_HOLE: Final = re.compile(
    r"(?<![{$#])[$#]?\{\s*([a-z_][A-Za-z0-9_]*)(?:\.[a-z_][A-Za-z0-9_]*)*(?:\s*[-+*/]\s*[0-9]+)?\s*\}(?!\})"
)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every text with a hole that names a variable; a text that is one hole alone is a mark that something else replaces."""
    for item, nodes in context.walked:
        own = {local.name: local.at for local in context.summary.locals if local.owner == item.name}
        if not own:
            continue
        for node in nodes:
            if isinstance(node, t.StringLiteral) and (found := _hole(node, own)) is not None:
                name, shown = found
                yield diagnostic(
                    "W610",
                    (node.start, node.end),
                    f"a text holds no values: `{shown}` stays as it is written",
                    help=f'join the pieces: `"…" ++ {name}`, numbers with `__builtin_int_to_string({name})`',
                    why=f"'{name}' is a variable here, and is not read",
                    name=name,
                )


def _hole(node: t.StringLiteral, own: dict[str, int]) -> tuple[str, str] | None:
    """The variable of the first hole that names one declared before the text, and the hole."""
    for found in _HOLE.finditer(node.raw):
        if found[1] in own and own[found[1]] < node.start and found[0] != node.raw:
            return found[1], found[0]
    return None
