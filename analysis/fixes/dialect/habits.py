"""The language whose habits a program follows, for words that mean different things in different languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from analysis.database import paced
from analysis.fixes.dialect.habit_marks import NEEDED, NEVER, TELLING

_MARKS: Final = {
    "python": re.compile(
        r"""\bf["']|\blen\(|\brange\(|\bstr\(|\belif\b|\bnot in\b|\.append\(|\bTrue\b|\bFalse\b|\blambda\b|\bdef [^\n]{0,60}:$"""
        r"""|[\])] for \w|\w for \w+(?:, \w+)? in |\bsorted\(|\benumerate\(|\.(?:strip|lower|upper|items|isdigit)\(\)"""
        r"""|["']\.join\(|\bis (?:not )?None\b|\bsum\(|\bdict\(|(?<![.\w])set\(|\bexcept\b|\bkey=\w"""
        r"""|\[[\w-]*+:[\w-]*+:?[\w-]*+\]""",
        re.MULTILINE,
    ),
    "javascript": re.compile(
        r"===|!==|`[^`\n]*\$\{|\bconst \w+ =|\((?:\w+|\([^()\n]*\)) => |\.length\b(?!\()|\bconst [\[{]|\bnew \w+\(|\bMath\."
        r"|\?\?|\?\.|\.toString\(|\.forEach\(|\bundefined\b|\bnull\b|\.includes\(|\bObject\.|\bArray\b|\.toUpperCase\("
        r"|\.toLowerCase\(|\bfor \((?:let|const)\b|\+\+;?\s*\)"
    ),
    "ruby": re.compile(
        r"#\{|\bend$|\bdo \||\{ ?\||\belsif\b|\bunless\b|\.each\b|\bputs\b|\.to_i\b|\.to_s\b"
        r"|\.(?:nil|include|start_with|end_with|between)\?|\bwhen\b[^\n]{0,200}?\bthen\b|<<|&:\w",
        re.MULTILINE,
    ),
    "php": re.compile(
        r"\bforeach \([^\n]{0,100} as |\barray_\w+\(|\b(?:im|ex)plode\(|\bstr(?:len|pos|toupper|tolower|rev|cmp)\(|\bstr_\w+\("
        r"|\bisset\(|\w\[\] = |\bucfirst\(|\bnumber_format\(|\bis_(?:numeric|null|string|array)\(|\$\w+ =|\bin_array\("
        r"|\" \. \w|\w \. \"|\w \.= "
    ),
    "others": re.compile(
        r"\.iter\(\)|(?<!\[)::(?![\d-])|\(\||&self\b|\.collect\(|: &|\w!\(|\bvec!|\bval \w|\bfun \w|\bfunc \w|:= |\bimpl\b"
        r"|\bprintln!|\.unwrap\(\)|&mut\b|\|> |\bwhere\b|\blet rec\b|\bpublic\b|\bstatic\b|\bstd::|\bString\.format|\bListOf"
        r"|\blistOf|\bguard\b|\bwhen \(|\bint \w+ =|\bmatch \w+ with\b"
        r"|\b_\._\d|\bs\"[^\"\n]{0,60}\$|\.mkString|\bcase \(\w|\.toList\b(?!\()"
    ),
}
_SHARE: Final = 3
"""Minimum ratio of one language's marks to another's."""

_PIECE: Final = 8_000


_WHOLE: Final = re.compile(r"^(?:def \w+\((?>[^\n]*\))[^\n)]*|class \w++[^\n{]*):$", re.MULTILINE)
_WHOLE_SCRIPT: Final = re.compile(
    r"^(?:export )?(?:async )?function \w+(?:<[^>\n]{0,60}>)?"
    r"\([^()\n]{0,200}(?:\([^()\n]{0,60}\)[^()\n]{0,60}){0,3}\)[^\n()]{0,60}\{",
    re.MULTILINE,
)
_OTHER_SCRIPT: Final = re.compile(r"\$[a-z_]\w*|^[ \t]*end\b|\bfunc \w|\blocal \w", re.MULTILINE)
"""Functions as JavaScript begins them; what PHP, Lua and Julia have besides such functions."""
_OF_FRAME: Final = re.compile(r"^(?:export )?fn \w", re.MULTILINE)
"""Functions as Python and as `.ax` begin them."""


def is_marked(text: str, name: str) -> bool:
    """True if a text holds several things that only programs of a language hold, or nothing but functions of Python."""
    is_whole = (name == "python" and is_of_python(text)) or (name == "javascript" and is_of_javascript(text))
    return is_whole or _counts(text).get(name, 0) > 2


def has_marks(text: str, name: str) -> bool:
    """True if a text holds anything that tells a language."""
    return _counts(text)[name] > 0


def has_any_mark(text: str) -> bool:
    """True if a text has a mark of any other language."""
    return any(marks.search(text) is not None for marks in _MARKS.values())


def is_in_frame(text: str) -> bool:
    """True if functions of a text begin as those of `.ax` do."""
    return _OF_FRAME.search(text) is not None


def is_of_python(text: str) -> bool:
    """True if all functions of a text are of Python."""
    return _WHOLE.search(text) is not None and not is_in_frame(text)


def is_of_javascript(text: str) -> bool:
    """True if all functions of a text are of JavaScript or TypeScript."""
    return _WHOLE_SCRIPT.search(text) is not None and _OTHER_SCRIPT.search(text) is None and not is_in_frame(text)


def _pieces(text: str) -> list[str]:
    """Whole lines of a long text, some thousand characters each: one search takes ten milliseconds for 40,000."""
    pieces, start = [], 0
    while len(text) - start > 2 * _PIECE:
        end = text.find("\n", start + _PIECE, start + 2 * _PIECE) + 1 or start + 2 * _PIECE
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


@lru_cache(maxsize=8)
def _counts(text: str) -> Mapping[str, int]:
    """Number of marks in a text by language. One translation asks for them dozens of times."""
    pieces = _pieces(text)
    return {name: sum(len(marks.findall(piece)) for piece in paced(pieces, 1)) for name, marks in _MARKS.items()}


KEEPING: Final = "keeping"
"""Stands for the languages besides script languages whose maps keep the order in which entries were put in."""
_KEEPING: Final = re.compile(
    r"\bLinkedHash(?:Map|Set)\b|\b(?:mutableMapOf|mapOf|linkedMapOf|buildMap)\b|\bDictionary<"
    r"|\bval \w[^\n]{0,200}\.(?:groupBy|associate)|\.(?:GroupBy|ToDictionary)\("
)


def order_habit(text: str) -> str:
    """The language by whose rules maps have an order: the one that prevails, or the only kind of language with any marks."""
    if _KEEPING.search(text) is not None:
        return KEEPING
    prevailing = habit(text)
    counts = dict(_counts(text))
    if prevailing or counts.pop("others"):
        return prevailing
    first = max(counts, key=lambda name: counts[name])
    return first if counts[first] else ""


def habit(text: str) -> str:
    """The language whose habits prevail in a text: `python`, `javascript`, `ruby`, `php`, one that few marks tell, or none."""
    whole = "python" if is_of_python(text) else "javascript" if is_of_javascript(text) else ""
    if language := _told(text) or whole:
        return language
    counts = _counts(text)
    first, second = sorted(counts, key=lambda name: -counts[name])[:2]
    if counts[first] < 2 and counts[second] > 0:
        return ""
    prevails = counts[first] > 0 and counts[first] >= _SHARE * counts[second]
    return first if prevails and first != "others" else ""


_REMARKS: Final = re.compile(r"^[ \t]*(?:#(?!\{)|--|//)[^\n]*$", re.MULTILINE)


@lru_cache(maxsize=8)
def _told(text: str) -> str:
    """Lua, Julia, Nim or Elixir, where at least two of what tells it are in a text; "" for none."""
    text = _REMARKS.sub("", text)
    counts = {
        name: sum(mark.search(text) is not None for mark in marks)
        for name, marks in TELLING.items()
        if _holds(NEEDED[name], text) and not _holds(NEVER[name], text)
    }
    first = max(counts, key=lambda name: counts[name], default="")
    return first if first and counts[first] > 1 else ""


def _holds(marks: tuple[re.Pattern[str], ...], text: str) -> bool:
    return any(mark.search(text) is not None for mark in paced(marks, 1))


_SHOWING_FRACTIONS: Final = re.compile(
    r"""\bs"[^"\n]{0,80}\$|\bcase class\b|\bval \w|\bfun \w+\([^\n]{0,80}\)(?:: ?\w+)? [={]|"[^"\n]{0,80}\\\(\w|\bfinal \w+ = """
    r"|@[oO]verride\b|\bfinal (?:double|int|String|var) \w"
    r"""|\.stream\(\)|\b(?:mutableL|l)istOf\(|\bString\.valueOf\(|\bnew (?:ArrayList|HashMap)|\bguard let\b|\bfunc \w+\(_ """
)
_HIDING_FRACTIONS: Final = re.compile(
    r"\b(?:format|println|vec|write)!|\bfmt\.|`[^`\n]{0,80}\$\{|\bstd::|\bConsole\.|===|\.Select\(|\.ToString\(|\bsprintf\b|\bstring_of_"
    r"|\$\"|:= "
)


def shows_fractions(text: str, name: str) -> bool | None:
    """True if 2.0 as a text is `2.0`, as in Python and Kotlin, and not `2`, as in Rust and Go; None where habits of both stand.

    `name` is the habit that prevails in the text.
    """
    if name:
        return name in ("python", "ruby", *DIVIDING)
    shown = _SHOWING_FRACTIONS.search(text) is not None
    return None if shown and _HIDING_FRACTIONS.search(text) is not None else shown


COUNTING_FROM_ONE: Final = ("lua", "julia")
"""Languages whose first item has the number 1."""
DIVIDING: Final = ("lua", "julia", "nim", "elixir")
"""Languages whose `/` keeps the fraction."""
_POINTERS: Final = re.compile(r"\]\*([A-Z]\w{0,60})")
_OF_GO: Final = re.compile(r":= |\bfunc\b")


@lru_cache(maxsize=8)
def holds_pointers(text: str) -> bool:
    """True if lists and maps of a program of Go hold pointers, and none holds the values: an item has no copy."""
    pointed = set(_POINTERS.findall(text)) if _OF_GO.search(text) is not None else set()
    return bool(pointed) and not any(f"]{name}" in text for name in pointed)
