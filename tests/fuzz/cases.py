"""Texts to throw at the analysis: noise, token soup, damaged programs, and random edits of any of them.

Everything is drawn from the `random.Random` that is handed in, so a case is made again from its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Final

from analysis.syntax.lexer import KEYWORDS, TOKEN_NAMES, lex
from tests.support.corpus import programs

SEPARATORS = "\n\r\t\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2000\u200b\u2028\u2029\u202f\u3000\ufeff"
"""Characters that Unicode or Python treats as a line end, a blank or a mark, whatever the language says about them."""
STRANGE = "\0\x07\x1b\x7f\ud800\udfff\ufffe\uffff\u0301\u202e\u2066é€𝄞🙂🏳️‍🌈\U0010ffff"
_LARGEST = 6_000
_NAMES = ("a", "b", "main", "x1", "P", "Color", "Red", "Int", "String", "List", "Option", "Fn", "list_len", "result", "_x")
_LITERALS = ("0", "1", "007", "9223372036854775808", "1.5", "1e5", "0x1F", '"s"', '"\\n"', '"\\q"', '"a\nb"', '"🙂"', "true")
_FORMS = (
    "fn f(a: Int) -> Int {\n    a + 1\n}\n",
    "fn g(p: P) -> Option<Int> !{net.fetch} requires p.x > 0 {\n    match p.x { 0 => None, n => Some(n) }\n}\n",
    "type P {\n    x: Int,\n    y: List<String>,\n}\n",
    "enum Color { Red, Green, Blue(Int) }\n",
    'import "std-json"\n',
    "module m\n",
    "export fn h() { let mut i = 0 while i < 3 { i = i + 1 } }\n",
    "    let q = P { ..p, x: 1, x: 2 }\n",
    "    if a == b { c } else { d }\n",
    "    for e in [1, 2, 3,] { f(e)(g) }\n",
    "    return Color::Blue(missing)\n",
    "// a comment\n",
    "// boruna: allow W501\n",
)
_DAMAGE: Final[tuple[str, ...]] = (
    *'{}()[]"\\/,;:.=!<>_\n\r\0é\ud800',
    "//",
    "::",
    "=>",
    "->",
    "fn ",
    "let ",
    "match x {",
    "type ",
    "\r\n",
    "export ",
    "else ",
)


@cache
def corpus() -> tuple[str, ...]:
    """The programs of the corpus that are not too long to be checked many times a second."""
    texts = (file.read_bytes().decode(errors="replace") for file in programs())
    return tuple(text for text in texts if len(text) <= _LARGEST)


def noise(chosen: Random) -> str:
    """Random bytes read as text in one of several ways, or random characters of the whole of Unicode."""
    size = chosen.choice((0, 1, 2, 5, 20, 80, 300))
    match chosen.randrange(4):
        case 0:
            return chosen.randbytes(size).decode("utf-8", chosen.choice(("replace", "surrogateescape", "backslashreplace")))
        case 1:
            return chosen.randbytes(size).decode("latin-1")
        case 2:
            return "".join(chr(chosen.randrange(0x110000)) for _ in range(size))
        case _:
            alphabet = SEPARATORS + STRANGE + 'fn{}()"\\/ a1=.\n'
            return "".join(chosen.choices(alphabet, k=size))


def soup(chosen: Random) -> str:
    """Tokens, forms and blanks of the language in any order."""
    words = (*sorted(KEYWORDS), *sorted(TOKEN_NAMES), *_NAMES, *_LITERALS, *_FORMS)
    blanks = (" ", " ", " ", "", "\n", "\n    ", "\r\n", "\t", " // c\n")
    size = chosen.choice((1, 3, 10, 40, 150))
    # Few different words make repetition and nesting likely.
    few = chosen.sample(words, min(len(words), chosen.choice((2, 5, 12, len(words)))))
    return "".join(chosen.choice(few) + chosen.choice(blanks) for _ in range(size))


def damaged(chosen: Random) -> str:
    """A program of the corpus, spliced, cut and mutated; sometimes with other line ends."""
    text = chosen.choice(corpus())
    if chosen.random() < 0.2:
        other = chosen.choice(corpus())
        text = text[: chosen.randrange(len(text) + 1)] + other[chosen.randrange(len(other) + 1) :]
    for _ in range(chosen.choice((0, 1, 1, 2, 4, 10))):
        text = mutated(text, chosen)
    if chosen.random() < 0.1:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return text


def mutated(text: str, chosen: Random) -> str:
    """One mistake: a line, a token or a character deleted, doubled, swapped or put in."""
    match chosen.randrange(3):
        case 0:
            return "".join(_shuffled(text.splitlines(keepends=True), chosen, "\n"))
        case 1:
            return "".join(_shuffled(_pieces(text), chosen, chosen.choice((*TOKEN_NAMES, *KEYWORDS, *_NAMES, *_LITERALS))))
        case _:
            start = chosen.randrange(len(text) + 1)
            return text[:start] + chosen.choice(("", *_DAMAGE)) + text[start + chosen.choice((0, 0, 1, 1, 3)) :]


def _shuffled(pieces: list[str], chosen: Random, new: str) -> list[str]:
    if not pieces:
        return [new]
    at, other = chosen.randrange(len(pieces)), chosen.randrange(len(pieces))
    match chosen.randrange(5):
        case 0:
            del pieces[at]
        case 1:
            pieces.insert(at, pieces[other])
        case 2:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        case 3:
            pieces.insert(at, f" {new} ")
        case _:
            pieces[at] = new
    return pieces


def _pieces(text: str) -> list[str]:
    """A text cut before each token, so that tokens keep the blanks behind them."""
    starts = lex(text).starts
    return [text[start:end] for start, end in zip([0, *starts], [*starts, len(text)], strict=True) if start < end]


def edit(text: str, chosen: Random) -> tuple[int, int, str]:
    """Random edit by typing, pasting or deleting: the span, and the new text."""
    start = chosen.randrange(len(text) + 1)
    end = min(len(text), start + chosen.choice((0, 0, 0, 1, 1, 2, 7, 60, 700)))
    match chosen.randrange(6):
        case 0:
            new = ""
        case 1:
            new = chosen.choice(corpus())[:1_500]
        case 2:
            new = chosen.choice(_FORMS)
        case 3:
            new = text[chosen.randrange(len(text) + 1) :][:200]
        case _:
            new = chosen.choice((*_DAMAGE, *_NAMES, *_LITERALS, *TOKEN_NAMES))
    return start, end, new


def any_text(chosen: Random) -> str:
    """One of all of these."""
    makers: tuple[Callable[[Random], str], ...] = (noise, soup, damaged, damaged)
    return chosen.choice(makers)(chosen)


def edits(text: str, chosen: Random, count: int) -> Iterator[tuple[int, int, str]]:
    """Edits one after another, each of the text that the one before leaves."""
    for _ in range(count):
        start, end, new = edit(text, chosen)
        yield start, end, new
        text = text[:start] + new + text[end:]
