"""Parts of written calls: what a generic parameter takes, and whether a text is an operand."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.fixes.dialect.tree.types import Type, argument, head


def mentions(kind: Type, names: tuple[str, ...]) -> bool:
    """True if a type holds one of some names below its head."""
    return bool(names) and any(head(part) in names or mentions(part, names) for part in kind.resolved().arguments)


def of_items(given: Type | None, first: Type, wanted: Type) -> Type | None:
    """The type of a list's items for a parameter that takes one: `list_push(xs: List<T>, item: T)`."""
    is_item = head(first) == "List" and head(argument(first)) == head(wanted) and not wanted.resolved().arguments
    return argument(given) if is_item and head(given) == "List" else None


def takes_key(parameters: Sequence[Type]) -> bool:
    """True if a builtin's second value is a key of the map before it."""
    return len(parameters) > 1 and head(parameters[0]) == "Map" and head(parameters[1]) != "Int"


def is_atom(text: str) -> bool:
    """True if a text needs no parentheses as an operand."""
    if text.replace("_", "").replace(".", "").isalnum():
        return True
    if text[:1] in "[" and text.endswith("]"):
        return True
    return text.endswith(")") and text.split("(")[0].replace("_", "").isalnum() and closes_at_end(text)


def closes_at_end(text: str) -> bool:
    """True if the first parenthesis of a text is closed by its last one."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and sign == ")" and place < len(text) - 1:
            return False
    return True


def words(template: str) -> list[str]:
    """The functions that a template names."""
    return [word for word in template.replace("(", " ").replace("{", " ").replace("!", " ").split() if "_" in word]


def shortened(name: str) -> list[str]:
    """`int_to_string` → `to_string`, `string_length` → `length`."""
    forms = []
    if "_to_" in name:
        forms.append("to_" + name.rpartition("_to_")[2])
    if "_" in name:
        forms.append(name.partition("_")[2])
    if name in ("str", "String"):
        forms.append("to_string")
    return forms
