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
            if isinstance(node, t.StringLiteral) and (hole := _hole(node, own)) is not None:
                name, shown = hole
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
    for match in _HOLE.finditer(node.raw):
        if match[1] in own and own[match[1]] < node.start and match[0] != node.raw:
            return match[1], match[0]
    return None
