"""Comments of a chunk, and which line of the formatted text each one goes to (spec chapter 03, section 5.1).

A comment alone on its line goes above the line of the next token, one after code to the end of the line that holds the
token before it. The order of the comments is kept whatever happens: where a line would have to take two, all but a last
trailing one stand above it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import paced
from analysis.formatting.layout import INDENT, Line
from analysis.syntax.lexer import EOF, Tokens

_COMMENT: Final = re.compile(r"//[^\n]*")


@dataclass(frozen=True, slots=True)
class Comment:
    """`text` from the slashes on; `token` is the index of the next token; `alone` if none precedes it on its line."""

    text: str
    token: int
    alone: bool


def comments_of(tokens: Tokens) -> list[Comment]:
    """All comments of a text that has no lexical error, in order."""
    text = tokens.text
    comments: list[Comment] = []
    if "//" not in text:
        return comments
    end = 0
    for index, start in enumerate(paced(tokens.starts, 1_000)):
        if start - end > 1 and "//" in (gap := text[end:start]):
            for match in _COMMENT.finditer(gap):
                alone = index == 0 or "\n" in gap[: match.start()]
                comments.append(Comment(match[0], index, alone))
        end = tokens.ends[index]
    return comments


def with_comments(lines: list[Line], tokens: Tokens, comments: list[Comment]) -> tuple[list[str], list[str]]:
    """The lines as they are written, comments among them, and the comments behind the last token."""
    if not comments:
        return [text for line in paced(lines) for text in ([""] if line.blank_before else []) + [line.text]], []
    placed, rest = _placed(lines, tokens, comments)
    written: list[str] = []
    for index, line in enumerate(paced(lines)):
        if line.blank_before:
            written.append("")
        above = placed.get(index, [])
        trailing = f" {above.pop().text}" if above and not above[-1].alone else ""
        indent = INDENT * (line.indent + line.closes)
        written += [indent + comment.text for comment in above]
        written.append(line.text + trailing)
    return written, [comment.text for comment in rest]


def _placed(lines: list[Line], tokens: Tokens, comments: list[Comment]) -> tuple[dict[int, list[Comment]], list[Comment]]:
    """The comments of each line, by its index, and those behind the last token."""
    # Clauses can be printed in another order than they are written in.
    order = sorted(range(len(lines)), key=lambda index: lines[index].first)
    firsts = [lines[index].first for index in order]

    def line_of(token: int) -> int:
        # A parenthesis that begins a statement need not be printed; what it encloses stands on the line.
        while tokens.kinds[token] == "(":
            token += 1
        return order[bisect_right(firsts, tokens.starts[token]) - 1]

    placed: dict[int, list[Comment]] = {}
    last = 0
    for number, comment in enumerate(paced(comments)):
        if not comment.alone:
            index = line_of(comment.token - 1)
        elif tokens.kinds[comment.token] == EOF:
            return placed, comments[number:]
        elif tokens.kinds[comment.token] == "else" or tokens.kinds[comment.token - 1] == "else":
            # First in the block behind `} else {`.
            index = line_of(comment.token) + 1
        else:
            index = line_of(comment.token)
        if index < last:
            # Another comment stands further down already: keep the order, above the line that it is at.
            index, comment = last, Comment(comment.text, comment.token, True)
        last = index
        placed.setdefault(index, []).append(comment)
    return placed, []
