"""Fields that have the name of a keyword here, such as `type`: with a mark behind it."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_WORDS: Final = frozenset(
    "fn let mut if else match return type enum module import export requires ensures intent spawn send receive emit while for "
    "in".split()
)
_MARK: Final = "_"


def settle_reserved_fields(items: list[n.Item]) -> None:
    """Renames such fields in declarations, literals, patterns and where they are read."""
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        called = {id(node.function) for node in walk(item) if isinstance(node, n.Call)}
        for node in walk(item):
            match node:
                case n.Record():
                    node.fields = {_named(name): kind for name, kind in node.fields.items()}
                    node.defaults = {_named(name): value for name, value in node.defaults.items()}
                case n.RecordOf() | n.VariantRecord() | n.RecordPattern():
                    node.fields = {_named(name): part for name, part in node.fields.items()}  # type: ignore[assignment]
                case n.VariantPattern() if node.named is not None:
                    node.named = {_named(name): part for name, part in node.named.items()}
                case n.Variant():
                    node.names = [_named(name) for name in node.names]
                case n.Member() if id(node) not in called:
                    node.name = _named(node.name)


def _named(name: str) -> str:
    return f"{name}{_MARK}" if name in _WORDS else name


def written_name(name: str) -> str:
    """The name of a field as the program writes it."""
    return name[:-1] if name.endswith(_MARK) and name[:-1] in _WORDS else name
