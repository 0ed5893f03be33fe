"""Texts that are lists of characters, as in Haskell: where one stands for the other, it is made the other."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, argument, head, is_char


def text_form(held: Type | None, wanted: Type | None, is_like_haskell: bool) -> str:
    """What makes a list of characters a text or a text a list of them, with a hole for the value; "" where neither is meant."""
    if head(held) == "List" and head(wanted) == "String" and _holds_characters(held, is_like_haskell):
        return '__builtin_string_join({}, "")'
    if head(held) == "String" and head(wanted) == "List" and _holds_characters(wanted, is_like_haskell):
        return "__builtin_string_chars({})"
    return ""


def is_text_and_list(left: Type | None, right: Type | None, is_like_haskell: bool) -> bool:
    """True if of two types one is a text and the other a list of characters."""
    return bool(text_form(left, right, is_like_haskell))


def _holds_characters(kind: Type | None, is_like_haskell: bool) -> bool:
    item = argument(kind)
    return head(item) == "String" and (is_like_haskell or is_char(item))


def list_texts(match: n.Match) -> bool:
    """Makes texts in a matched value lists of characters where patterns of lists are on them; True if something changed."""
    patterns = [arm.pattern for arm in match.arms]
    before = match.value
    match.value = _listed(match.value, patterns)
    for arm, pattern in zip(match.arms, patterns, strict=True):
        arm.pattern = pattern
    return match.value is not before or isinstance(before, n.TupleOf)


def _listed(value: n.Expr, patterns: list[n.Pattern]) -> n.Expr:
    """A matched value as a list of characters where patterns of lists are on a text; changes the patterns."""
    if isinstance(value, n.TupleOf):
        for place, part in enumerate(value.items):
            inner = [each.items[place] for each in patterns if isinstance(each, n.TuplePattern) and len(each.items) > place]
            value.items[place] = _listed(part, inner)
            for each in patterns:
                if isinstance(each, n.TuplePattern) and len(each.items) > place:
                    each.items[place] = inner.pop(0)
        return value
    if head(value.ty) != "String" or not any(isinstance(each, n.ListPattern) for each in patterns):
        return value
    for place, each in enumerate(patterns):
        if isinstance(each, n.LiteralPattern) and isinstance(each.value, n.Literal):
            patterns[place] = _characters_of(each, each.value.text[1:-1])
    return n.Call(n.Member(value, "chars", start=value.start, end=value.end), [], start=value.start, end=value.end)


def _characters_of(pattern: n.LiteralPattern, text: str) -> n.Pattern:
    """The characters of a text as a pattern of a list."""
    signs = [n.LiteralPattern(n.Literal("string", f'"{sign}"', start=pattern.start, end=pattern.end)) for sign in text]
    return n.ListPattern(list(signs), start=pattern.start, end=pattern.end)


__all__ = ["is_text_and_list", "list_texts", "text_form"]
