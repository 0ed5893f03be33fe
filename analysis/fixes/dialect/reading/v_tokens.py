"""Forms of V as tokens that Go and Rust have: `mut out := …`, `mut:` in a struct, `(mut i Item)`, arms without an arrow."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token

_MARKS: Final = re.compile(r"\bmut \w{1,60} := |^[ \t]*(?:pub )?mut:[ \t]*$|\bfn \(mut \w", re.MULTILINE)
_LONGEST: Final = 40


def with_v(tokens: list[Token], text: str) -> list[Token]:
    """The tokens of a program of V; those of others as they are."""
    if _MARKS.search(text) is None:
        return tokens
    kept: list[Token] = []
    for place, token in enumerate(tokens):
        follows, after = tokens[place + 1 : place + 3] if place + 2 < len(tokens) else (token, token)
        is_word = token.kind == NAME and token.text in ("mut", "pub")
        if is_word and token.is_first and (follows.text == ":" or (follows.text == "mut" and after.text == ":")):
            continue
        if token.text == ":" and kept and tokens[place - 1].text in ("mut", "pub") and tokens[place - 1].kind == NAME:
            continue
        if is_word and follows.kind == NAME and after.text in (":=", ","):
            tokens[place + 1] = follows._replace(is_first=token.is_first, start=token.start, column=token.column)
            continue
        if is_word and kept and kept[-1].text == "(" and follows.kind == NAME and after.kind == NAME:
            # What is received may be changed.
            tokens[place + 1 : place + 3] = [follows, after._replace(text="*" + after.text)]
            continue
        kept.append(token)
    return _with_arrows(_with_pointers(kept))


def _with_pointers(tokens: list[Token]) -> list[Token]:
    kept: list[Token] = []
    for token in tokens:
        if token.kind == NAME and token.text[0] == "*":
            kept.append(token._replace(kind=OPERATOR, text="*", end=token.start))
            token = token._replace(text=token.text[1:], spaced=False)
        kept.append(token)
    return kept


def _with_arrows(tokens: list[Token]) -> list[Token]:
    """`match c { .red { … } else { … } }` with an arrow before the body of each arm."""
    kept: list[Token] = []
    depths: list[int] = []
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind == OPERATOR and token.text == "{":
            is_body = bool(depths) and depth == depths[-1] and not (kept and kept[-1].text == "=>")
            if is_body:
                kept.append(token._replace(text="=>", end=token.start))
            depth += 1
            if not is_body and _opens_match(tokens, place):
                depths.append(depth)
        elif token.kind == OPERATOR and token.text == "}":
            if depths and depth == depths[-1]:
                depths.pop()
            depth -= 1
            if depths and depth == depths[-1]:
                kept.append(token)
                token = token._replace(text=",", start=token.end)
        if token.text == "else" and depths and depth == depths[-1]:
            token = token._replace(text="_")
        kept.append(token)
    return kept


def _opens_match(tokens: list[Token], place: int) -> bool:
    for before in range(place - 1, max(place - _LONGEST, -1), -1):
        token = tokens[before]
        if token.kind == NAME and token.text == "match":
            return True
        if token.text in ("{", "}", ";", "=>") and token.kind == OPERATOR:
            return False
    return False
