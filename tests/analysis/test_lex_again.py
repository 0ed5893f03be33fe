"""Tokens of a text that was edited, read again only where it was, against those of the whole text."""

from __future__ import annotations

import gc
import random

from analysis.syntax.lexer import Tokens, lex, lex_again
from analysis.syntax.parser import parse, parse_again

PIECES = (
    *("a", "fn", "_", "1", "12345678901234567890", ".", "..", "1.5", "-", "->", "=", "==", "=>", "&", "&&", "|", "/", "//", "+"),
    *('"', '"text"', "\\", "\\n", "\\q", "\n", "\r\n", " ", "  ", "{", "}", "(", ")", ",", ":", "::", ";", "!", "\u00e9", "#"),
)


def _seen(tokens: Tokens) -> object:
    return tokens.text, tokens.kinds, tokens.starts, tokens.ends, [(each.cause, each.start, each.end) for each in tokens.errors]


def test_the_tokens_are_those_of_the_whole_text(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(4_000):
        text = "".join(draw.choices(PIECES, k=draw.randrange(60)))
        start, end = sorted(draw.randint(0, len(text)) for _ in range(2))
        end = min(end, start + draw.choice((0, 1, 3, 40)))
        new = "".join(draw.choices(PIECES, k=draw.choice((0, 1, 2, 30))))
        changed = text[:start] + new + text[end:]
        assert _seen(lex_again(lex(text), changed, start, end)) == _seen(lex(changed)), (text, start, end, new)


def test_the_tree_is_that_of_the_whole_text() -> None:
    text = "fn f(a: Int) -> Int {\n    let b = a +\n    b * 2\n}\n"
    start = text.index("+")
    changed = text.replace("+", "+ 1")
    again, whole = parse_again(parse(text), changed, start, start + 1), parse(changed)
    assert repr(again.items) == repr(whole.items)
    assert again.is_sound


def test_a_text_may_become_long_or_short() -> None:
    long = "let a = 1\n" * 4_000
    short = long[:200]
    for text, changed, start, end in ((long, short, 100, len(long) - 100), (short, long, 100, 100)):
        assert _seen(lex_again(lex(text), changed, start, end)) == _seen(lex(changed))


def test_the_collector_has_no_offsets_of_a_long_text_to_look_at() -> None:
    tokens = lex("let a = 1\n" * 4_000)
    assert len(tokens.starts) == len(tokens.ends) == 16_001
    assert len(gc.get_referents(tokens.starts, tokens.ends)) <= 2
