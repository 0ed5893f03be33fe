"""Constants of types where a program names them: `Dir::ALL`, `Self::ALL`, `Dir.ALL`."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below


def settle_type_constants(items: list[n.Item], constants: Mapping[tuple[str, str], str]) -> None:
    """Writes them as the constants of the file that they have become."""
    if not constants:
        return
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        own = item.owner if isinstance(item, n.Implementation) else ""
        if isinstance(item, n.Constant):
            own = next((owner for (owner, _), written in constants.items() if written == item.name), "")

        def change(node: n.Node, own: str = own) -> n.Node:
            owner = node.owner if isinstance(node, n.Path) else ""
            if isinstance(node, n.Member) and isinstance(node.object, n.Name):
                owner = node.object.name
            if not isinstance(node, (n.Path, n.Member)) or not owner:
                return node
            written = constants.get((own if owner == "Self" else owner, node.name))
            return n.Name(written, start=node.start, end=node.end) if written is not None else node

        replace_below(item, change)
