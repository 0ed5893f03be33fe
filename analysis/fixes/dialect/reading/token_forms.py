"""Forms of Groovy, Crystal, ReScript and D as tokens that other languages have: one function for each, and the table of all."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token
from analysis.fixes.dialect.reading.v_tokens import with_v

_CRYSTAL: Final = re.compile(r"^[ \t]*record [A-Z]\w{0,60}, \w", re.MULTILINE)
_GROOVY: Final = re.compile(r"^[ \t]{1,40}def \w{1,60} = ", re.MULTILINE)
_SCALA: Final = re.compile(r"\bcase class\b|\bdef \w{1,60}(?:\([^\n()]{0,200}\))?: ?[A-Z]|\b(?:class|object) \w{1,60} extends\b")
_END: Final = re.compile(r"^[ \t]*end\b", re.MULTILINE)
_RESCRIPT: Final = re.compile(r"\bBelt\.|\bJs\.[A-Z]|->(?:Array|String|Int|Float|Option|List|Map|Dict)\.\w")
_D: Final = re.compile(r"^[ \t]*import std\.\w|\bforeach \(\w+; |\.to!\w", re.MULTILINE)
_MODULES: Final = frozenset(
    "Belt Js Array Array2 String String2 Int Float Option List Map Dict Result Math MutableMap HashMap Set".split()
)
_SCOPES: Final = ("private", "fileprivate", "internal", "public")
_CONVERTED: Final = {"int": "to_int", "long": "to_int", "string": "to_string", "double": "to_float", "float": "to_float"}


def with_groovy(tokens: list[Token], text: str) -> list[Token]:
    """`def cart = []` in a body: a variable; `case { it > 5 }:`: a condition on what is switched over."""
    if _GROOVY.search(text) is not None and _END.search(text) is None and _SCALA.search(text) is None:
        for place in range(len(tokens) - 2):
            word, follows = tokens[place], tokens[place + 1]
            is_local = word.text == "def" and word.kind == NAME and word.column > 0 and follows.kind == NAME
            if is_local and tokens[place + 2].text == "=" and not follows.is_first:
                tokens[place] = word._replace(text="var")
    kept: list[Token] = []
    closing: list[int] = []
    depth = 0
    for place, token in enumerate(tokens):
        if token.kind == OPERATOR and token.text in ("{", "}"):
            depth += 1 if token.text == "{" else -1
            if token.text == "{" and place and tokens[place - 1].text == "case" and _names_it(tokens, place):
                closing.append(depth - 1)
                kept += [token._replace(kind=NAME, text="it"), token._replace(kind=NAME, text="if")]
                continue
            if token.text == "}" and closing and closing[-1] == depth:
                closing.pop()
                continue
        kept.append(token)
    return kept


def _names_it(tokens: list[Token], place: int) -> bool:
    return "it" in [token.text for token in tokens[place + 1 : place + 4]]


def with_crystal(tokens: list[Token], text: str) -> list[Token]:
    """`record Rect, x : Int32, y : Int32`: a record whose fields stand in parentheses."""
    if _CRYSTAL.search(text) is None:
        return tokens
    kept: list[Token] = []
    is_open = False
    for place, token in enumerate(tokens):
        if is_open and token.is_first:
            last = kept[-1]
            kept.append(last._replace(kind=OPERATOR, text=")", start=last.end, is_first=False))
            is_open = False
        if token.text == "," and not is_open and place > 1 and tokens[place - 2].text == "record" and tokens[place - 2].is_first:
            token = token._replace(text="(")
            is_open = True
        kept.append(token)
    return kept


def with_rescript(tokens: list[Token], text: str) -> list[Token]:
    """`xs->Belt.Array.map(f)`, `Js.String2.length(s)`, `x->f(1)`: methods, functions, a pipe."""
    if _RESCRIPT.search(text) is None:
        return tokens
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        is_piped = token.kind == OPERATOR and token.text == "->" and tokens[place + 1].kind == NAME
        behind = _behind_modules(tokens, place + 1 if is_piped else place)
        if is_piped:
            kept.append(token._replace(text="." if behind > place + 1 else "|>"))
            place = behind if behind > place + 1 else place + 1
            continue
        if behind > place and not (kept and kept[-1].text == "."):
            tokens[behind] = tokens[behind]._replace(is_first=token.is_first, spaced=token.spaced)
            place = behind
            continue
        kept.append(token)
        place += 1
    return kept


def _behind_modules(tokens: list[Token], place: int) -> int:
    """The place of the function behind `Belt.Array.`; the place itself where no module of a library stands."""
    start = place
    while place + 2 < len(tokens) and tokens[place].text in _MODULES and tokens[place + 1].text == ".":
        place += 2
    is_function = place > start and tokens[place].kind == NAME and tokens[place].text[0].islower()
    return place if is_function else start


def with_d(tokens: list[Token], text: str) -> list[Token]:
    """`x.to!int`, `xs.sort!((a, b) => a < b)`, `foreach (x; xs)`, `rows ~= x`, `int[string] m` of D."""
    if _D.search(text) is None:
        return tokens
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        follows = [each.text for each in tokens[place + 1 : place + 4]]
        if token.text == "." and follows[:2] == ["to", "!"] and follows[2] in _CONVERTED:
            word = tokens[place + 1]._replace(text=_CONVERTED[follows[2]])
            end = tokens[place + 3]._replace(kind=OPERATOR, spaced=False)
            kept += [token, word, end._replace(text="("), end._replace(text=")")]
            place += 4
            continue
        if token.text == "!" and follows[:1] == ["("] and tokens[place - 1].kind == NAME and tokens[place - 1].end == token.start:
            place += 1
            continue
        if token.text == ";" and place > 2 and [each.text for each in tokens[place - 3 : place - 1]] == ["foreach", "("]:
            token = token._replace(kind=NAME, text="in", spaced=True)
        elif token.text == "~=" and token.kind == OPERATOR:
            token = token._replace(text="+=")
        elif token.text == "~" and token.kind == OPERATOR:
            token = token._replace(text="++")
        elif token.kind == NAME and follows[:1] == ["["] and follows[2:3] == ["]"] and _is_map_type(tokens, place):
            kept += _map_type(tokens, place)
            place += 4
            continue
        kept.append(token)
        place += 1
    return kept


def _is_map_type(tokens: list[Token], place: int) -> bool:
    key, name = tokens[place + 2], tokens[place + 4]
    return key.text in ("string", "int") and key.kind == NAME and name.kind == NAME and not name.is_first


def _map_type(tokens: list[Token], place: int) -> list[Token]:
    value, key = tokens[place], tokens[place + 2]
    sign = value._replace(kind=OPERATOR, is_first=False, spaced=False)
    return [
        value._replace(text="Map"), sign._replace(text="<"), key, sign._replace(text=","), value._replace(is_first=False),
        sign._replace(text=">"),
    ]  # fmt: skip


def without_setters(tokens: list[Token], text: str) -> list[Token]:
    """`private(set) var` of Swift: who may set a field changes nothing here."""
    if "(set)" not in text:
        return tokens
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        if tokens[place].text in _SCOPES and [each.text for each in tokens[place + 1 : place + 4]] == ["(", "set", ")"]:
            first = tokens[place]
            place += 4
            tokens[place] = tokens[place]._replace(is_first=first.is_first, column=first.column, start=first.start)
            continue
        kept.append(tokens[place])
        place += 1
    return kept


FORMS: Final[tuple[Callable[[list[Token], str], list[Token]], ...]] = (
    with_v, with_groovy, with_crystal, with_rescript, with_d, without_setters,
)  # fmt: skip
"""What is done with the tokens of every program, in order."""
