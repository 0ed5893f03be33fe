"""`a // b` and `#xs` of Python and Lua, where comments begin: whether an operand or a remark stands behind the sign."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from analysis.fixes.dialect.habit_marks import LUA
from analysis.suggestions.lexicon import FREE

_PIECE: Final = re.compile(
    r"[ \t]*(?:([A-Za-z_][A-Za-z0-9_]*)|([0-9][0-9_.]*)|(==|!=|<=|>=|&&|\|\||[-+*/%<>.:])|([(\[])|([)\]])|([,;{}]))"
)
_HASH_REMARK: Final = re.compile(r"(?<=[\w)\]])[ \t]+#[ \t].*")
"""A remark of Python behind a divisor."""
_LONGEST: Final = 80
"""Characters of a remark; what is longer is no divisor."""
_JOINING: Final = ("and", "or", "if", "else", "then", "do", "in")
_CHOOSING: Final = ("if", "else", "")
"""The words of a choice in their order."""
_GOES_ON: Final = re.compile(
    r"[ \t]*(?:[A-Za-z_]\w*|[0-9][0-9_.]*)(?:[ \t]*(?:[-+*/%<>=!&|)\],;]|\.\w)|[(\[]|[ \t]+(?:if|and|or|else)\b)"
)
_BEFORE_LENGTHS: Final = frozenset(
    "$ < <= > >= == != ~= + - * / // % ++ .. = += -= && || return not and or if elseif while until".split()
)
"""What a value follows, and no comment."""
_LENGTH: Final = re.compile(r"#[A-Za-z_][\w.]{0,60}(?:[)\],]| (?:[-+*/%<>{]|[=~!]=|do\b))")


_DEFAULT: Final = re.compile(
    r"""//[ \t]*(?:"[^"\n]*"|'[^'\n]*'|-?\w+|\[\]|\{\})[ \t]*+(?:\)[^\n]*|[;,}][ \t]*+)?$""", re.MULTILINE
)
_ENTRY: Final = re.compile(r"\w\{[^{}\s]{1,40}\}[ \t]{0,4}$")
_LONGEST_ENTRY: Final = 60


def is_default(text: str, at: int) -> bool:
    """`m{key} // 0` of Perl: a value for an entry that may be absent."""
    return _ENTRY.search(text[max(0, at - _LONGEST_ENTRY) : at]) is not None and _DEFAULT.match(text, at) is not None


def divisor(text: str, opened: int) -> bool | None:
    """True if a line behind `//` goes on with the program: True, or False where it could be a remark as well; None for a remark.

    `opened` counts the brackets that the line leaves open before the sign.
    """
    rest = _HASH_REMARK.sub("", text).strip()
    if not rest or len(rest) > _LONGEST:
        return None
    at, depth, wants_operand = 0, 0, True
    last, count = "", 0
    choice = 0
    while at < len(rest):
        match = _PIECE.match(rest, at)
        if match is None:
            return None
        word, number, sign, opening, closing, ending = match.groups()
        is_spaced = match.start() != match.start(match.lastindex or 0)
        at = match.end()
        count += 1
        last = match[0].strip()
        if word in _JOINING and depth < 0:
            wants_operand = True
        elif word in _CHOOSING and not wants_operand and depth == 0 and word == _CHOOSING[choice]:
            choice += 1
            wants_operand = True
        elif word or number:
            if not wants_operand:
                return None
            wants_operand = False
        elif opening:
            if not wants_operand and is_spaced:
                return None
            depth += 1
            wants_operand = True
        elif closing:
            depth -= 1
            if depth < -opened:
                return None
            wants_operand = False
        elif ending:
            wants_operand = True
            if ending in "{}" and at < len(rest):
                return None
        elif sign:
            if wants_operand and sign != "-":
                return None
            wants_operand = True
    if choice:
        # `a // b if c else d` of Python; half of it is a remark.
        return True if choice == 2 and not wants_operand and not depth else None
    if depth < 0 or (last in (",", ";", "{") and count > 1):
        return True if depth <= 0 else None
    return None if wants_operand or depth else False


def is_named(text: str, rest: str) -> bool:
    """True if what a divisor begins with is a name of the program or of a function of another language."""
    word = re.match(r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*(\(?)", rest)
    if word is None:
        return rest.strip()[:1] in "(0123456789-"
    name = word[1]
    if word[2] and (name in FREE or re.search(rf"\b(?:fn|def|func|fun|function) {name}\b", text)):
        return True
    return re.search(rf"\b{name}[ \t]*(?:=(?!=)|:|,|\))", text) is not None


def may_divide(rest: str) -> bool:
    """True if a remark begins as a divisor does that goes on: an operand, then an operator, a bracket or a joining word."""
    return _GOES_ON.match(rest) is not None


def is_length(text: str, at: int, before: str) -> bool:
    """True if `#` begins a length as in Lua, not a remark; `before` is the token before it on its line."""
    if not text[at + 1 : at + 2].isalpha():
        return False
    if before in _BEFORE_LENGTHS or (before in ("(", "[", ",") and _LENGTH.match(text, at) is not None):
        return True
    return _is_marked(text)


@lru_cache(maxsize=4)
def _is_marked(text: str) -> bool:
    """True for a text in the habits of Lua; one text has many remarks."""
    return LUA.search(text) is not None
