"""Input and output of every rule: the chunk's text, its tokens and the error to mend (`Site`), and proposals.

A rule may propose too much: each proposal is tried by parsing the changed text before anyone sees it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import paced, paced_sorted
from analysis.database.lazily import lazily
from analysis.syntax.lexer import EOF, IDENT, Cause, LexicalError
from analysis.syntax.parser import ChunkTree, ParseError
from analysis.text.edits import Confidence, Edit, FixKind, Span

OPENERS: Final = {"(": ")", "[": "]", "{": "}"}
CLOSERS: Final = {closer: opener for opener, closer in OPENERS.items()}
OPERATORS: Final = frozenset(("+", "-", "*", "/", "%", "++", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!"))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A possible mending. `message` says what is wrong at `span`, `advice` what to do (an imperative, no full stop)."""

    slug: str
    span: Span
    message: str
    advice: str
    edits: tuple[Edit, ...]
    confidence: Confidence = Confidence.HIGH
    is_placeholder: bool = False
    """True if it invents a value, a type or a meaning."""
    is_surplus: bool = False
    """True if something stands there that does not fit, whatever was meant: a guess."""
    kind: FixKind = FixKind.OTHER
    name: str = ""


_NO_RECORDS: Final[Mapping[str, tuple[str, ...]]] = {}


class Site:
    """A chunk that is broken and the error to be mended; `at` is the index of the token complained about.

    `records` are the fields of the record types that the chunk can name, as far as they are known.
    """

    def __init__(
        self, text: str, tree: ChunkTree, error: ParseError | LexicalError, records: Mapping[str, tuple[str, ...]] = _NO_RECORDS
    ) -> None:
        self.text = text
        self.records = records
        self.tree = tree
        self.error = error
        self.kinds = tree.tokens.kinds
        self.starts = tree.tokens.starts
        self.ends = tree.tokens.ends
        self.lexical = isinstance(error, LexicalError)
        self.place = error.start if isinstance(error, LexicalError) else error.found_at
        self.at = min(bisect_left(self.starts, self.place), len(self.kinds) - 1)
        parse_error = None if isinstance(error, LexicalError) else error
        self.production = parse_error and parse_error.production
        self.expected = parse_error.expected_tokens if parse_error is not None else frozenset()
        """The tokens one of which was expected; empty for a lexical error, and where `wants_…` says what else was."""
        self.wants_item = parse_error is not None and parse_error.expects_item
        self.wants_expression = parse_error is not None and parse_error.expects_expression
        self.wants_pattern = parse_error is not None and parse_error.expects_pattern

    # ---- what was expected --------------------------------------------------------------------------------------

    def wants(self, *kinds: str) -> bool:
        """True if a token of one of these kinds was expected."""
        return not self.expected.isdisjoint(kinds)

    def wants_only(self, kind: str) -> bool:
        """True if nothing but a token of this kind was expected: no list can go on here."""
        return self.expected == {kind}

    # ---- tokens -------------------------------------------------------------------------------------------------

    def kind(self, index: int) -> str:
        """The kind of a token, empty outside the chunk."""
        return self.kinds[index] if 0 <= index < len(self.kinds) else ""

    def word(self, index: int) -> str:
        """The text of a token, empty outside the chunk."""
        return self.text[self.starts[index] : self.ends[index]] if 0 <= index < len(self.kinds) else ""

    def span(self, first: int, last: int | None = None) -> Span:
        """From the start of a token to the end of another."""
        return self.starts[first], self.ends[first if last is None else last]

    def slice(self, first: int, last: int) -> str:
        """The text from token `first` to the end of token `last`."""
        return self.text[self.starts[first] : self.ends[last]]

    def begins_line(self, index: int) -> bool:
        """True if a token is the first one of its line."""
        return index == 0 or "\n" in self.text[self.ends[index - 1] : self.starts[index]]

    def touches(self, index: int) -> bool:
        """True if a token follows the one before it without white space."""
        return index > 0 and self.ends[index - 1] == self.starts[index]

    def token_at(self, offset: int) -> int:
        """The last token that starts at or before an offset (-1 if none does)."""
        return bisect_right(self.starts, offset) - 1

    def is_capitalised(self, index: int) -> bool:
        return self.kind(index) == IDENT and "A" <= self.text[self.starts[index]] <= "Z"

    def line_first(self, index: int) -> int:
        """The first token on the line of a token."""
        return self.line_heads[max(bisect_right(self.line_heads, index) - 1, 0)]

    def line_last(self, index: int) -> int:
        """The last token on the line of a token (the end of the chunk is no token of a line)."""
        following = bisect_right(self.line_heads, index)
        last = (self.line_heads[following] if following < len(self.line_heads) else len(self.kinds)) - 1
        return max(index, last - 1 if self.kinds[last] == EOF else last)

    @lazily
    def bad_characters(self) -> list[LexicalError]:
        """The errors about characters that start no token."""
        return [error for error in paced(self.tree.tokens.errors, 1_000) if error.cause is Cause.CHARACTER]

    def all_of(self, kind: str) -> Iterator[int]:
        """The tokens of a kind."""
        return (index for index, other in paced(enumerate(self.kinds), 1_000) if other == kind)

    @lazily
    def line_heads(self) -> list[int]:
        """The first tokens of all lines: rules ask for lines more often than there are tokens on them."""
        return [index for index in paced(range(len(self.kinds)), 1_000) if self.begins_line(index)]

    # ---- lines --------------------------------------------------------------------------------------------------

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Offset of the end of a line, without its line break."""
        end = self.text.find("\n", offset)
        if end < 0:
            return len(self.text)
        return end - 1 if end > offset and self.text[end - 1] == "\r" else end

    def next_line(self, offset: int) -> int:
        """Offset of the next line's start; the chunk's end if there is none."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end + 1

    def indent(self, offset: int) -> str:
        """The white space at the start of the line of an offset."""
        start = self.line_start(offset)
        end = start
        while end < len(self.text) and self.text[end] in " \t":
            end += 1
        return self.text[start:end]

    @lazily
    def unit(self) -> str:
        """One step of indentation as this chunk has it."""
        for index in range(1, len(self.kinds) - 1):
            if self.kinds[index - 1] == "{" and self.begins_line(index):
                outer, inner = self.indent(self.starts[index - 1]), self.indent(self.starts[index])
                if len(inner) > len(outer):
                    return inner[len(outer) :]
        return "    "

    # ---- brackets -----------------------------------------------------------------------------------------------

    @lazily
    def partners(self) -> dict[int, int]:
        """Opening brackets to their closing ones and the reverse, as far as they fit."""
        partners: dict[int, int] = {}
        stack: list[int] = []
        for index, kind in enumerate(paced(self.kinds, 1_000)):
            if kind in OPENERS:
                stack.append(index)
            elif kind in CLOSERS and stack and self.kinds[stack[-1]] == CLOSERS[kind]:
                partners[index] = stack[-1]
                partners[stack.pop()] = index
        return partners

    @lazily
    def _around(self) -> list[int]:
        """For each token the innermost bracket that is still open in front of it, -1 for none."""
        around: list[int] = []
        stack: list[int] = []
        for index, kind in enumerate(paced(self.kinds, 1_000)):
            around.append(stack[-1] if stack else -1)
            if kind in OPENERS:
                stack.append(index)
            elif kind in CLOSERS:
                opener = CLOSERS[kind]
                while stack and self.kinds[stack[-1]] != opener:
                    stack.pop()
                if stack:
                    stack.pop()
        return around

    def around(self, index: int) -> int:
        """The innermost bracket that is still open in front of a token, -1 if none is."""
        return self._around[min(index, len(self.kinds) - 1)]

    def open_before(self, index: int) -> list[int]:
        """The brackets that are still open in front of a token, outermost first."""
        brackets: list[int] = []
        opening = self.around(index)
        while opening >= 0:
            brackets.append(opening)
            opening = self._around[opening]
        brackets.reverse()
        return brackets

    def role(self, opening: int) -> str:
        """Purpose of a bracket: match, record, fields, variants, capabilities, parameters, arguments, list, group or block."""
        kind, before = self.kind(opening), self.kind(opening - 1)
        if kind == "[":
            return "list"
        if kind == "(":
            if before == IDENT:
                return "parameters" if self.kind(opening - 2) == "fn" else "arguments"
            return "arguments" if before in (")", "Some", "Ok", "Err") else "group"
        if before == "!":
            return "capabilities"
        if before == IDENT and self.kind(opening - 2) in ("type", "enum"):
            return "fields" if self.kind(opening - 2) == "type" else "variants"
        depth = 0
        for index in range(opening - 1, max(-1, opening - 60), -1):
            kind = self.kinds[index]
            if kind in CLOSERS:
                depth += 1
            elif kind in OPENERS:
                depth -= 1
                if depth < 0:
                    break
            elif depth == 0 and kind == "match":
                return "match"
            elif depth == 0 and kind in ("if", "while", "for", "else", "fn", "=>", "let", "return"):
                if kind in ("if", "while", "for", "else", "fn"):
                    return "block"
                break
        return "record" if self.is_capitalised(opening - 1) and self.kind(opening - 2) not in ("->", "::") else "block"

    def end_of_expression(self, index: int) -> int:
        """The last token of the expression that begins at a token, as one line or the brackets around it bound it."""
        depth = 0
        last = index
        for i in paced(range(index, len(self.kinds)), 1_000):
            kind = self.kinds[i]
            if kind == EOF or (depth == 0 and (kind in CLOSERS or kind in (",", ";", "else"))):
                break
            if depth == 0 and i > index and self.begins_line(i) and kind not in OPERATORS and self.kinds[i - 1] not in OPERATORS:
                break
            if kind in OPENERS:
                depth += 1
            elif kind in CLOSERS:
                depth -= 1
            last = i
        return last

    def body_brace(self, index: int) -> int | None:
        """The `{` that opens the body of the `if`, `while`, `for` or `match` at a token."""
        depth = 0
        for i in paced(range(index + 1, len(self.kinds)), 1_000):
            kind = self.kinds[i]
            if kind == "{" and depth == 0 and not self.is_capitalised(i - 1):
                return i
            if kind in OPENERS:
                depth += 1
            elif kind in CLOSERS:
                depth -= 1
                if depth < 0:
                    return None
        return None


Rule = Callable[[Site], Iterable[Proposal]]


def insert(offset: int, new: str) -> Edit:
    return Edit((offset, offset), new)


def replace(span: Span, new: str) -> Edit:
    return Edit(span, new)


def applied(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits that do not overlap and are in order of position."""
    pieces: list[str] = []
    position = 0
    for edit in paced(edits, 1_000):
        pieces.append(text[position : edit.span[0]])
        pieces.append(edit.new_text)
        position = edit.span[1]
    pieces.append(text[position:])
    return "".join(pieces)


def in_order(edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """Edits sorted by position, without repetitions; None if two of them overlap."""
    given = tuple(edits)
    # Most are, and a rule that mends all of a chunk at once makes thousands.
    if all(left.span[1] <= right.span[0] and left.span != right.span for left, right in paced(pairwise(given), 1_000)):
        return given
    ordered = paced_sorted(dict.fromkeys(paced(given, 1_000)), key=lambda edit: edit.span)
    for left, right in paced(pairwise(ordered), 1_000):
        if right.span[0] < left.span[1] or (left.span == right.span):
            return None
    return tuple(ordered)


def deletion(site: Site, index: int) -> Edit:
    """Takes a token away together with the blanks that then are too many."""
    start, end = site.span(index)
    text = site.text
    if site.begins_line(index):
        while end < len(text) and text[end] in " \t":
            end += 1
    else:
        while start and text[start - 1] in " \t":
            start -= 1
        if text[end : end + 1] not in (" ", "\t", "\n", "\r", ")", "]", ",", ";", "(", "") and start < site.starts[index]:
            start += 1
        elif start == site.starts[index] and text[end : end + 1] in (" ", "\t") and text[start - 1 : start] in "([":
            end += 1
    return Edit((start, end), "")


def line_deletion(site: Site, offset: int) -> Edit:
    """Takes the whole line of an offset away."""
    start, end = site.line_start(offset), site.next_line(offset)
    if site.line_end(offset) < end:
        return Edit((start, end), "")
    return Edit((max(0, start - 1), end), "")


def idents_before(site: Site, count: int) -> Iterator[int]:
    """Names among the last tokens before the error, the nearest first, the error's own token included."""
    for index in range(site.at, max(-1, site.at - count), -1):
        if site.kinds[index] == IDENT:
            yield index
