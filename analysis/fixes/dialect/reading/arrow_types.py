"""Where an arrow stands between the parameters and the result of the type of a function."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.fixes.dialect.reading.scanner import NAME, STRING, Token


def is_arrow_of_type(tokens: Sequence[Token], begins: int, at: int, ends: bool) -> bool:
    """`Int -> Bool`, `(n: number) => boolean`, `Int => Boolean` of a parameter, where the type before it begins at `begins`.

    Behind other types `=>` begins a body, an arm or a closure; with `ends` it does so behind every type.
    """
    token = tokens[at]
    if token.is_first or token.kind == STRING:
        return False
    if token.text == "->":
        return True
    if token.text != "=>" or ends:
        return False
    result, behind = tokens[at + 1], tokens[at + 2].text if at + 2 < len(tokens) else ""
    is_parameter = result.kind == NAME and result.text[0].isupper() and behind in (",", ")")
    return is_parameter or (tokens[begins].text == "(" and tokens[at - 1].text == ")")
