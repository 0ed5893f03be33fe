"""Words of functional languages that stand for others: `max_int`, `System.Math`, `foldl'`, `let open List in`."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token
from analysis.suggestions.lexicon import FREE

_LIMITS: Final = {"max_int": "max", "min_int": "min", "maxBound": "max", "minBound": "min"}
_PLAIN: Final = {
    "break": "break_at", "delete": "delete_first", "union": "union_of", "intersect": "intersection_of", "until": "until_true",
}  # fmt: skip
"""Functions of Haskell whose names are words of other languages."""
_SPACES: Final = ("System", "Collections", "Generic", "Text", "Linq", "Data", "Stdlib")
"""Parts of names of libraries that say nothing beside the module's own name."""
_LONGEST_IMPORT: Final = 9
"""Tokens of a line that gives a module another name."""
_OPENED: Final = 4
"""Tokens of `let open Name in`."""


def with_settled_words(tokens: list[Token], is_like_haskell: bool) -> list[Token]:
    """The tokens with plain words in the place of those."""
    tokens = _without_aliases(tokens)
    declared = {follows.text for token, follows in pairwise(tokens) if token.text in ("let", "fn", "def")}
    kept: list[Token] = []
    skipped = 0
    for place, token in enumerate(tokens):
        follows = tokens[min(place + 1, len(tokens) - 1)]
        if skipped:
            skipped -= 1
        elif token.kind != NAME or token.text in declared:
            kept.append(token)
        elif token.text in _LIMITS and follows.text not in ("(", ".", "="):
            sign = token._replace(kind=OPERATOR, text=".", spaced=False, is_first=False)
            word = token._replace(text=_LIMITS[token.text], spaced=False, is_first=False)
            kept += [token._replace(text="Int"), sign, word]
        elif _opens(tokens, place):
            skipped = _OPENED - 1
        elif token.text in _SPACES and _begins_name(tokens, place, kept):
            skipped = 1
        elif token.text[-1] == "'" and token.text[:-1] in FREE:
            kept.append(token._replace(text=token.text[:-1]))
        elif is_like_haskell and token.text in _PLAIN and follows.text not in (".", "=", ";") and not follows.is_first:
            is_part = bool(kept) and kept[-1].text == "."
            kept.append(token if is_part else token._replace(text=_PLAIN[token.text]))
        else:
            kept.append(token)
    return kept


def _without_aliases(tokens: list[Token]) -> list[Token]:
    """The tokens with the modules' own names for those that `module M = Map.Make(String)` and `import … as M` give them."""
    names: dict[str, str] = {}
    for place, token in enumerate(tokens):
        if token.kind != NAME or token.text not in ("module", "import"):
            continue
        texts = [each.text for each in tokens[place + 1 : place + _LONGEST_IMPORT]]
        if token.text == "module" and texts[1:2] == ["="] and texts[2:5] in (["Map", ".", "Make"], ["Set", ".", "Make"]):
            keys = next((word for word in texts[5:8] if word in ("Int", "Char")), "String")
            names[texts[0]] = keys + texts[2]
        elif texts[:1] == ["qualified"] and "as" in texts[:-1]:
            place_of_name = texts.index("as")
            owner = next((word for word in ("Map", "Set") if word in texts[:place_of_name]), "")
            if owner and texts[place_of_name + 1] not in ("M", "S"):
                names[texts[place_of_name + 1]] = owner
    if not names:
        return tokens
    return [token._replace(text=names[token.text]) if token.kind == NAME and token.text in names else token for token in tokens]


def _opens(tokens: list[Token], place: int) -> bool:
    """True if `let open Name in` stands at a place."""
    texts = [token.text for token in tokens[place : place + _OPENED]]
    return len(texts) == _OPENED and texts[:2] == ["let", "open"] and texts[3] == "in"


def _begins_name(tokens: list[Token], place: int, kept: list[Token]) -> bool:
    """True if a dot and another name with a capital letter stand behind a word that stands behind none."""
    if len(tokens) < place + 3 or (kept and kept[-1].text == "."):
        return False
    dot, name = tokens[place + 1 : place + 3]
    return dot.text == "." and not dot.spaced and not name.spaced and name.kind == NAME and name.text[0].isupper()


__all__ = ["with_settled_words"]
