"""`m.remove(key)` as a value: the entry that was there, which Java, Kotlin, Rust and Swift give while they remove it."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head
from analysis.fixes.dialect.typing.program import Program

_GIVING: Final = re.compile(
    r"\b(?:val|var|final) \w|\bnew [A-Z]\w*(?:<[^\n>]{0,60}>)?\(|\bHashMap\b|\bBTreeMap\b|&mut\b|\.remove\(&|\bremoveValue\("
)
"""Marks of languages where removing an entry gives its value."""
_REMOVING: Final = frozenset(("remove", "removeValue", "delete"))


def entry_word(program: Program, node: n.Call, name: str, kind: str, expected: Type | None) -> str:
    """The operation that a removal from a map means where it stands."""
    if kind != "Map" or name not in _REMOVING or len(node.arguments) != 1:
        return name
    wanted = head(expected)
    if wanted in ("Map", "Unit") or (name == "delete" and program.habit != "ruby"):
        return name
    is_value = id(node) not in program.statements and _GIVING.search(program.source) is not None
    return "take_entry" if wanted not in ("", "Bool") or is_value else name
