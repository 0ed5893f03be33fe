"""Parameters that are declared as numbers and hold characters: `c: u8` beside `c >= '0'`, in languages where both are one."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import CHAR, head
from analysis.fixes.dialect.tree.walking import walk

_QUOTED: Final = re.compile(r"'(?:[^'\\\n]|\\.)'")
_MOST_ROUNDS: Final = 8
"""Maximum number of functions through which a character is passed on."""
_COMPARING: Final = ("==", "!=", "<", "<=", ">", ">=", "-")


def settle_characters(items: list[n.Item], text: str) -> None:
    """Gives such parameters the type of a character: those that a function compares with a character, or hands on as one."""
    if _QUOTED.search(text) is None:
        return
    functions = {item.name: item for item in items if isinstance(item, n.Function)}
    characters: set[tuple[str, int]] = set()
    for _ in range(_MOST_ROUNDS):
        more = {
            (name, place)
            for name, function in functions.items()
            for place, part in enumerate(function.parameters)
            if head(part.type) == "Int" and _holds_character(part.name, function.body, text, characters)
        }
        if more <= characters:
            break
        characters |= more
    for name, place in characters:
        functions[name].parameters[place].type = CHAR


def _holds_character(name: str, body: n.Block, text: str, characters: set[tuple[str, int]]) -> bool:
    def is_it(node: n.Node) -> bool:
        return isinstance(node, n.Name) and node.name == name

    def is_sign(node: n.Node | None) -> bool:
        return isinstance(node, n.Literal) and _QUOTED.match(text, node.start) is not None

    for node in walk(body):
        if isinstance(node, n.Binary) and node.operator in _COMPARING:
            if (is_it(node.left) and is_sign(node.right)) or (is_it(node.right) and is_sign(node.left)):
                return True
        elif isinstance(node, n.Match) and is_it(node.value):
            if any(is_sign(part) for arm in node.arms for part in walk(arm.pattern)):
                return True
        elif isinstance(node, n.Call) and isinstance(node.function, n.Name):
            called = node.function.name
            if any(is_it(each.value) and (called, place) in characters for place, each in enumerate(node.arguments)):
                return True
    return False


__all__ = ["settle_characters"]
