"""Starts of a text's chunks: at item keywords outside strings, comments and braces.

If the text ends inside a string or a brace, at keywords in column 0, whatever stands around them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Final

from analysis.text.blocks import no_pause
from analysis.text.strings import STRING, closing_quote

_COMMENT: Final = r"//[^\n]*+"


def _block(depth: int) -> str:
    """A regular expression for a balanced `{…}` with at most `depth` more levels inside."""
    inner = rf"[^{{}}\"/]++|{STRING}|{_COMMENT}|/" + (rf"|{_block(depth - 1)}" if depth else "")
    return rf"\{{(?:{inner})*+\}}"


_BLOCK: Final = re.compile(_block(5))
_AT_TOP: Final = re.compile(rf'fn|type|enum|import|export|\{{|\}}|{STRING}|{_COMMENT}|"')
_IN_BLOCK: Final = re.compile(rf'\{{|\}}|{STRING}|{_COMMENT}|"')
_STRING_OR_COMMENT: Final = re.compile(rf'{STRING}|{_COMMENT}|"')
_AT_COLUMN_ZERO: Final = ("\nfn", "\ntype", "\nenum", "\nexport", "\nimport")
_EXPORT: Final = re.compile(r"export(?:[ \t\r\n]++|//[^\n]*+)*+")
_NO_ITEM: Final = frozenset("(:,)=.>;]")
_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_OFTEN: Final = 200
"""Words between two pauses of a scan."""
_SHORT: Final = 20_000
"""Characters of a block that a regular expression runs through in one go."""


def strict_starts(
    text: str, position: int, resume: frozenset[int] = frozenset(), pause: Callable[[], None] = no_pause
) -> list[int] | None:
    """Starts of the chunks from `position` on, which must be a chunk's start; None if the text ends inside a string or brace.

    The scan ends at the first border that `resume` contains, which is then the last element.
    """
    starts = [position]
    have_item = after_export = False
    token_end = code_end = position
    line = text.rfind("\n", 0, position) + 1
    line_known_to = position
    search, count = _AT_TOP.search, 0
    while match := search(text, position):
        count += 1
        if count % _OFTEN == 0:
            pause()
        word = match[0]
        first = word[0]
        start, position = match.span()
        if first == "{":
            closed = _end_of_block(text, start, pause)
            if closed is None:
                return None
            position = token_end = closed
            have_item, after_export = True, False
        elif first in "/":
            continue
        elif first == '"':
            if position == start + 1:
                closing = closing_quote(text, start, pause)
                if closing is None:
                    return None
                position = closing + 1
            token_end = position
            after_export = False
        elif first == "}":
            token_end = position
            after_export = False
        else:
            if text[start - 1 : start] in _WORD or text[position : position + 1] in _WORD:
                continue
            # Thousands of words may stand on one line: its start is not searched for each of them.
            line = max(line, text.rfind("\n", line_known_to, start) + 1)
            line_known_to = start
            if text[position : position + 1] in _NO_ITEM and (line < code_end or text[line:start].strip()):
                # A keyword in the place of a name or of a type (`f: fn(Int)`, `type: Int`): a mistake inside an item.
                code_end = position
                continue
            # What stands before the first keyword and is no item gets a chunk of its own.
            if not after_export and (have_item or _is_code(text[starts[-1] : start])):
                border = _border(text, start, token_end, line)
                if border > starts[-1]:
                    starts.append(border)
                    if border in resume:
                        return starts
            have_item = True
            after_export = word == "export"
            token_end = code_end = position
    return starts


def _is_code(text: str) -> bool:
    """True if a text holds anything but white space and comments."""
    return any(line and not line.startswith("//") for line in map(str.strip, text.split("\n")))


def _end_of_block(text: str, start: int, pause: Callable[[], None]) -> int | None:
    """The offset behind the brace that closes the one at `start`, None if there is none."""
    if closed := _BLOCK.match(text, start, start + _SHORT):
        return closed.end()
    depth, position, count = 0, start, 0
    while match := _IN_BLOCK.search(text, position):
        count += 1
        if count % _OFTEN == 0:
            pause()
        position = match.end()
        first = match[0][0]
        if first == "{":
            depth += 1
        elif first == "}":
            depth -= 1
            if depth == 0:
                return position
        elif first == '"' and position == match.start() + 1:
            closing = closing_quote(text, match.start(), pause)
            if closing is None:
                return None
            position = closing + 1
    return None


def _border(text: str, keyword: int, token_end: int, line: int) -> int:
    """Start of the chunk whose item's keyword is at `keyword`: before the comment lines and blank lines above its line.

    `token_end` is a place that certainly belongs to the item before, `line` the start of the keyword's line.
    """
    border = line
    if line < token_end or text[line:keyword].strip():
        return keyword
    while line > token_end:
        above = text.rfind("\n", 0, line - 1) + 1
        content = text[above : line - 1].lstrip()
        if above < token_end or (content and not content.startswith("//")):
            break
        border = line = above
    return border


def recovered_starts(text: str, pause: Callable[[], None]) -> list[int]:
    """Starts of chunks at the item keywords in column 0, whatever stands around them but strings that are closed."""
    keywords = set()
    for word in _AT_COLUMN_ZERO:
        position = text.find(word)
        while position >= 0:
            if text[position + len(word) : position + len(word) + 1] not in _WORD:
                keywords.add(position + 1)
                if len(keywords) % _OFTEN == 0:
                    pause()
            position = text.find(word, position + 1)
    keywords -= _inside_strings(text, keywords, pause)
    starts = [0]
    last = -1
    for number, keyword in enumerate(sorted(keywords), 1):
        if number % _OFTEN == 0:
            pause()
        border = _border(text, keyword, last + 1, keyword)
        if border > starts[-1] and not _is_exported(text, starts[-1], keyword) and _is_code(text[starts[-1] : border]):
            starts.append(border)
        last = keyword
    return starts


def _is_exported(text: str, start: int, keyword: int) -> bool:
    """True if the word before a keyword is `export`, on its line or on one above; searched no further back than `start`."""
    word = text.rfind("export", start, keyword)
    if word < 0 or text[word - 1 : word] in _WORD or not _EXPORT.fullmatch(text, word, keyword):
        return False
    return "//" not in text[text.rfind("\n", 0, word) + 1 : word]


def _inside_strings(text: str, offsets: set[int], pause: Callable[[], None]) -> set[int]:
    """Those offsets that lie in strings; none if a string is left open, since then it is unknown which ones do."""
    inside: set[int] = set()
    ordered = sorted(offsets)
    position = number = 0
    while match := _STRING_OR_COMMENT.search(text, position):
        number += 1
        if number % _OFTEN == 0:
            pause()
        start, position = match.span()
        if text[start] == '"':
            if position == start + 1:
                closing = closing_quote(text, start, pause)
                if closing is None:
                    return set()
                position = closing + 1
            inside.update(ordered[bisect_right(ordered, start) : bisect_left(ordered, position)])
    return inside
