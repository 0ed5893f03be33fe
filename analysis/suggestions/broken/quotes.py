"""Strings whose quote is missing: looked for on the first line with an odd number of quotes, not where the lexer gave up.

Every place on that line where a person could have meant the quote is proposed, the most natural one first: an end before a
comma, a closing bracket or the line's end, a beginning behind a bracket, a comma or a blank.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.suggestions.broken.error_site import Proposal, Rule, Site, insert
from analysis.syntax.lexer import KEYWORDS, Cause
from analysis.text.edits import Confidence, Edit

_QUOTE: Final = re.compile(r'(?<!\\)(?:\\\\)*"')
_CODE_PIECE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+("|\\?$)|//.*', re.MULTILINE)
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?')
_FIELD: Final = re.compile(r", [a-z_][a-z0-9_]*: ")
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST: Final = 24
_MOST_PLACES: Final = 60
_MOST_LINES: Final = 4
_LONGEST_LINE: Final = 2_000
"""Characters of a line whose quotes are guessed: every guess is judged by all strings of the line."""


def open_strings(site: Site) -> Iterator[Proposal]:
    """A quote that is missing."""
    errors = site.tree.tokens.errors
    lexical = any(error.cause in (Cause.STRING, Cause.LINE_END) for error in paced(errors, 1_000))
    if not lexical and not any("\n" in site.word(i) for i in site.all_of("STRING")):
        return
    lines = [line for line in _odd_lines(site.text) if line[0] <= site.place or lexical]
    if not lines:
        return
    left_open = _left_open(site.text, lines)
    open_lines = set(left_open)
    others = [line for line in lines if line not in open_lines]
    guesses = [_for_line(site, *line) for line in (*left_open, *others)[:_MOST_LINES]]
    # Quotes that are missing hide each other: the best guess for each line, together.
    firsts = [guess[0] for guess in guesses[: len(left_open)] if guess]
    if 1 < len(firsts) == len(left_open):
        edits = tuple(edit for guess in firsts for edit in guess.edits)
        yield Proposal("quotes", firsts[0].span, firsts[0].message, "close the strings", edits, Confidence.MEDIUM)
    for guess in guesses:
        yield from guess


def _left_open(text: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The odd lines that cannot be the first and the last line of one string: the next odd line begins one, too."""
    quotes: list[tuple[int, int]] = []
    index = 0
    while index < len(lines):
        ends_next = index + 1 < len(lines) and not _begins_string(text, lines[index + 1])
        if ends_next and _begins_string(text, lines[index]):
            index += 2
            continue
        quotes.append(lines[index])
        index += 1
    return quotes


def _begins_string(text: str, line: tuple[int, int]) -> bool:
    """True if the last quote of a line stands where a string begins."""
    before = text[line[0] : text.rfind('"', *line)].rstrip()
    return not before or before[-1] in "=([{,+:>" or before.endswith(("emit", "intent", "return"))


def _odd_lines(text: str) -> list[tuple[int, int]]:
    """Lines that leave a string open, if no string spans lines; with a string that does, its first and its last line."""
    lines: list[tuple[int, int]] = []
    start = 0
    for line in paced(text.split("\n"), 1_000):
        if '"' in line and any(piece[0][0] == '"' and piece[1] != '"' for piece in _CODE_PIECE.finditer(line)):
            lines.append((start, start + len(line)))
        start += len(line) + 1
    return lines


def _for_line(site: Site, start: int, end: int) -> list[Proposal]:
    """Possible places of the missing quote on a line, the most natural first."""
    text = site.text
    if end - start > _LONGEST_LINE:
        return []
    line = text[start:end]
    names = set(_WORD.findall(text[:start])) | set(_WORD.findall(text[end:])) | KEYWORDS
    quotes = _nearest([match.end() - 1 for match in _QUOTE.finditer(line)], site.place - start)
    places = [
        (weight, place)
        for place in paced(_places(line, quotes), 1)
        if (weight := _weight(f'{line[:place]}"{line[place:]}', place, names)) is not None
    ]
    # A quote that should not be there at all.
    extra = [(_oddness(line[:quote] + line[quote + 1 :], names) + 3.5, quote) for quote in paced(quotes, 1)]
    escaped = _nearest([match.start() for match in re.finditer(r'\\"', line)], site.place - start)
    proposals: list[tuple[float, Proposal]] = []
    for weight, place in places:
        at = start + place
        opens = line[:place].count('"') % 2 == 0
        anchor = _anchor(line, place, quotes)
        message = "the string is never opened" if opens else "the string is never closed"
        proposal = Proposal("quote", (start + anchor, at), message, 'add `"`', (insert(at, '"'),), Confidence.HIGH)
        proposals.append((weight, proposal))
    for weight, quote in extra:
        at = start + quote
        gone = Edit((at, at + 1), "")
        proposal = Proposal("stray-quote", (at, at + 1), "a quote that opens nothing", 'remove `"`', (gone,), Confidence.LOW)
        proposals.append((weight, proposal))
    for place in escaped:
        at = start + place
        proposal = Proposal(
            "escaped-quote", (at, at + 2), "the backslash escapes the closing quote", "write `\\\\` for a backslash",
            (insert(at, "\\"),), Confidence.MEDIUM,
        )  # fmt: skip
        rest = line[place + 2 :].strip()
        proposals.append((-0.1 if not rest.strip(",)]};") else 1.6, proposal))
    proposals.sort(key=lambda pair: pair[0])
    return [proposal for _, proposal in proposals[:_MOST]]


def _nearest(offsets: list[int], place: int) -> list[int]:
    """Not more than `_MOST_PLACES` of some offsets, those around a place."""
    first = max(0, min(bisect_left(offsets, place) - _MOST_PLACES // 2, len(offsets) - _MOST_PLACES))
    return offsets[first : first + _MOST_PLACES]


def _anchor(line: str, place: int, quotes: list[int]) -> int:
    """The quote that a new quote at `place` pairs with, for the span of the mistake."""
    before = [quote for quote in quotes if quote < place]
    return before[-1] if len(before) % 2 else place


def _places(line: str, quotes: list[int]) -> list[int]:
    """Offsets at which a quote could be missing."""
    first = len(line) - len(line.lstrip())
    last = len(line.rstrip())
    places = {first, last}
    for index in range(first, last):
        character, before = line[index], line[index - 1 : index]
        # The end of a string, then the beginning of one.
        if character in ",)]};:" or (character == " " and before not in (" ", "")):
            places.add(index)
        if before in ("(", "[", ",", "{", " ", "=") and (character not in " )],}" or line[index + 1 : index + 2] == '"'):
            places.add(index)
    if quotes:
        places.add(quotes[0])
        places.add(quotes[-1] + 1)
    if len(places) > _MOST_PLACES:
        places = set(sorted(places, key=lambda place: min(abs(place - quote) for quote in quotes))[:_MOST_PLACES])
    return sorted(places)


def _weight(line: str, place: int, names: set[str]) -> float | None:
    """Oddness of a line with its new quote at `place`; None if its quotes are still unbalanced."""
    if any(piece[0][0] == '"' and piece[1] != '"' for piece in _CODE_PIECE.finditer(line)):
        return None
    weight = _oddness(line, names)
    before, after = line[:place], line[place + 1 :]
    if before.count('"') % 2 == 1:
        if after[:1].isalnum() or after[:1] == "_":
            return None
        # A string's end before a blank is rarer than before a comma, a bracket or the end of the line.
        if after[:1] == " ":
            weight += 0.2 if after.lstrip()[:1] in "}{=+-|&<>!)" else 1.5
        if after[:1] in ("=", ">", "."):
            weight += 1.0
        if after[:1] == "," and after[1:2] not in ("", " "):
            weight += 1.0
        if not after.strip() and before.endswith((",", ";", "}", " {")):
            weight += 0.9
        weight += 0.01 * len(after) / len(line)
    else:
        if after[:1] in ("", " ") or before[-1:].isalnum() or before[-1:] in ('"', "_"):
            return None
        weight += 0.9 + 0.01 * len(after) / len(line)
    return weight


def _oddness(line: str, names: set[str]) -> float:
    """Strings that look like code, and code that looks like text."""
    weight = 0.0
    code: list[str] = []
    position = 0
    for match in _STRING.finditer(line):
        code.append(line[position : match.start()])
        position = match.end()
        content = match[0][1:-1]
        stripped = content.strip()
        if content and not stripped.strip(",)(]["):
            weight += 0.6 if stripped == content else 1.5
        if content.startswith((", ", ") ", "),", "], ", ",")) and stripped:
            weight += 1.5
        if content.endswith((", ", "(", "[", " ++ ", "= ", ", [")) and stripped:
            weight += 1.0
        if content.count("(") != content.count(")") or _closes_first(content):
            weight += 0.8
        if content.count("{") != content.count("}") or content.count("[") != content.count("]"):
            weight += 0.8
        if stripped.startswith(("for ", "let ", "if ", "match ", "return ", "while ", "emit ", "intent ")):
            weight += 0.8
        if "=>" in content or " ++ " in content or "->" in content:
            weight += 0.8
        if _FIELD.search(content):
            weight += 1.0
        if content.endswith(" ") and stripped and line[match.end() : match.end() + 1] in ("}", ")", "]"):
            weight += 0.4
        # Behind a comma stands what could be an argument of its own: then the string ended before the comma.
        for piece in content.split(", ")[1:]:
            head = piece.strip(" )]}")
            if head.isdigit() or (_WORD.fullmatch(head) and head in names):
                weight += 0.7
        if line[match.start() - 1 : match.start()].isalnum() or line[match.end() : match.end() + 1].isalnum():
            weight += 1.5
    code.append(line[position:])
    for piece in code:
        piece = piece.partition("//")[0]
        for match in _WORD.finditer(piece):
            if match[0] in names or match[0] == "_":
                continue
            # A declaration, a field or a call may name what stands nowhere else.
            after = piece[match.end() : match.end() + 2].lstrip()[:1]
            if after not in ("(", ":", "=") and not piece.endswith((".", "let ", "mut "), 0, match.start()):
                weight += 0.5
    return weight


def _closes_first(content: str) -> bool:
    """True if a text closes a parenthesis that it never opened."""
    depth = 0
    for character in content:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return True
    return False


RULES: Final[tuple[Rule, ...]] = (open_strings,)
