"""The function where a program of C# begins: `Main`, which is `main` here."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk


def settle_entry(items: list[n.Item]) -> None:
    """Writes `Main` with a small letter, unless there is a `main`."""
    functions = [item for item in items if isinstance(item, n.Function)]
    functions += [each for item in items if isinstance(item, n.Implementation) for each in item.functions]
    names = [each.name for each in functions]
    if names.count("Main") != 1 or "main" in names:
        return
    for item in items:
        for node in [item, *walk(item)]:
            if isinstance(node, (n.Function, n.Name)) and node.name == "Main":
                node.name = "main"
