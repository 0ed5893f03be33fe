"""Braces, parentheses and brackets that are missing or too many, placed as a person would: by the indentation of the lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import paced
from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, OPERATORS, Proposal, Rule, Site, deletion, insert
from analysis.syntax.lexer import EOF, IDENT
from analysis.text.edits import Confidence, Edit

_NAMES: Final = {"(": "parenthesis", ")": "parenthesis", "[": "bracket", "]": "bracket", "{": "brace", "}": "brace"}
_PLACES: Final = 12
_BEFORE: Final = frozenset(("{", "->", "=>", "}", "!", "requires", "ensures", "intent"))
"""Tokens that often follow a bracket that was forgotten on the same line."""


@dataclass(frozen=True, slots=True)
class _Open:
    token: int
    indent: int
    line: int


def wrong_closer(site: Site) -> Iterator[Proposal]:
    """`[1, 2)`: a closer of another kind than the opener."""
    closer = site.kind(site.at)
    if closer not in CLOSERS:
        return
    opened = site.open_before(site.at)
    if opened and site.kinds[opened[-1]] != CLOSERS[closer]:
        if closer != "}" and any(site.kinds[i] == CLOSERS[closer] for i in opened):
            place = site.ends[site.at - 1]
            missing = OPENERS[site.kinds[opened[-1]]]
            message = f"`{site.kinds[opened[-1]]}` is never closed"
            slug = f"close-{_NAMES[missing]}"
            yield Proposal(slug, (place, place), message, f"add `{missing}`", (insert(place, missing),))
        right = OPENERS[site.kinds[opened[-1]]]
        span = site.span(site.at)
        message = f"`{site.kinds[opened[-1]]}` is closed by `{closer}`"
        yield Proposal("wrong-closer", span, message, f"write `{right}`", (Edit(span, right),))


def missing_round(site: Site) -> Iterator[Proposal]:
    """A `)` or `]` that is missing: at the end of a line, before a brace or an arrow, or where the error is."""
    opened = [i for i in site.open_before(site.at) if site.kinds[i] != "{"]
    if not opened:
        return
    # The innermost one that is round; braces opened inside it by mistake (`if f(x {`) are closed elsewhere.
    opening = opened[-1]
    closer = OPENERS[site.kinds[opening]]
    message = f"`{site.kinds[opening]}` is never closed"
    slug, advice = f"close-{_NAMES[closer]}", f"add `{closer}`"
    laid_out = site.line_last(opening) == opening
    previous = _end_by_indent(site, opening)
    if previous is not None and previous > opening:
        place = site.ends[previous]
        indent = site.indent(site.starts[opening])
        blank = site.next_line(place)
        blank_end = site.line_end(blank)
        if blank < blank_end and not site.text[blank:blank_end].strip():
            # A line of blanks is what a closer leaves behind.
            yield Proposal(slug, (blank_end, blank_end), message, advice, (insert(blank_end, closer),))
        if laid_out:
            # The closer gets a line of its own, under the line of its opener.
            shown = site.next_line(place)
            yield Proposal(slug, (shown, shown), message, advice, (insert(place, f"\n{indent}{closer}"),))
        elif site.kinds[previous] == ",":
            place = site.ends[previous - 1]
            yield Proposal(slug, (place, place), message, advice, (insert(place, closer),))
    seen: set[int] = set()
    for place in _round_places(site, opening):
        if place in seen:
            continue
        seen.add(place)
        same_line = site.line_start(place) == site.line_start(site.starts[opening])
        span = (site.starts[opening], place) if same_line else (place, place)
        yield Proposal(slug, span, message, advice, (insert(place, closer),))
        if len(seen) == _PLACES:
            return


def _end_by_indent(site: Site, opening: int) -> int | None:
    """The last token before the first line that lies no deeper than the line of a bracket."""
    column = _column(site, opening)
    for index in range(opening + 1, len(site.kinds)):
        if site.kinds[index] == EOF:
            return index - 1
        if site.begins_line(index) and _column(site, index) <= column:
            return None if site.kinds[index] in CLOSERS and site.kinds[index] != "}" else index - 1
    return None


def _round_places(site: Site, opening: int) -> Iterator[int]:
    """Ends of tokens behind which a `)` or `]` could be missing, the likeliest first."""
    token = site.kind(site.at)
    edge = max(opening, site.at - 1)
    while edge > opening and site.kinds[edge] == ",":
        edge -= 1
    # The end of the opener's line, before what belongs outside: a comma, a brace, an arrow.
    last = site.line_last(opening)
    while last > opening and site.kinds[last] in (",", "{", ";"):
        last -= 1
    following = site.line_last(opening) + 1
    returns = site.kind(following) in (EOF, "") or _column(site, following) <= _column(site, opening)
    if returns:
        yield site.ends[last]
    if token == EOF or site.begins_line(site.at) or token in _BEFORE:
        yield site.ends[edge]
    yield site.ends[last]
    for index in range(opening + 1, site.line_last(opening) + 1):
        if site.kinds[index] in _BEFORE:
            yield site.ends[index - 1]
    yield site.ends[edge]
    # Before each of its own commas: how many arguments the function takes decides between them.
    depth = 0
    for index in range(opening + 1, min(site.at, len(site.kinds))):
        kind = site.kinds[index]
        depth += (kind in OPENERS) - (kind in CLOSERS)
        if kind == "," and depth == 0:
            yield site.ends[index - 1]
    for index in range(min(site.line_last(opening), site.at), opening, -1):
        if site.kinds[index] in OPERATORS or site.kinds[index] in (",", "{") or site.kinds[index] in CLOSERS:
            yield site.ends[index - 1]


def missing_brace(site: Site) -> Iterator[Proposal]:
    """A `}` that is missing, as the indentation shows it; else before `else`, at the end of the line, or where the error is."""
    places = _missing_by_indent(site)
    opened = [i for i in site.open_before(site.at) if site.kinds[i] == "{"]
    for opening in paced(opened):
        if site.kind(opening + 1) == "{" and not site.begins_line(opening + 1):
            span = site.span(opening + 1)
            gone = Edit((site.ends[opening], span[1]), "")
            yield Proposal("doubled-brace", span, "repeated `{`", "remove one", (gone,))
    if places:
        edits = _merged([_closing(site, open_, token) for open_, token in paced(places)])
        first_open = places[0][0]
        start = edits[0].span[0] + edits[0].begins_line
        line = site.text[site.line_start(site.starts[first_open.token]) : site.ends[first_open.token]].strip()
        message = f"the block that begins with `{_shortened(line)}` is never closed"
        start = min(start, len(site.text))
        advice = "add `}`" if len(places) == 1 else f"add {len(places)} `}}`"
        yield Proposal("close-brace", (start, start), message, advice, edits, Confidence.HIGH)
        if len(edits) > 1:
            for edit in edits:
                yield Proposal("close-brace", (edit.span[0], edit.span[0]), message, "add `}`", (edit,), Confidence.MEDIUM)
    for opening in reversed(opened[-3:]):
        place = _line_place(site, opening)
        line = site.text[site.line_start(site.starts[opening]) : site.ends[opening]].strip()
        message = f"the block that begins with `{_shortened(line)}` is never closed"
        if place is not None:
            yield Proposal("close-brace", (place, place), message, "add `}`", (insert(place, " }"),), Confidence.MEDIUM)
    if opened and site.at:
        place = site.ends[site.at - 1]
        yield Proposal("close-brace", (place, place), "a `{` is never closed", "add `}`", (insert(place, " }"),), Confidence.LOW)


def _merged(edits: list[Edit]) -> tuple[Edit, ...]:
    """Insertions at one place as one, the first one first."""
    texts: dict[tuple[int, int], str] = {}
    for edit in edits:
        texts[edit.span] = texts.get(edit.span, "") + edit.new_text
    return tuple(Edit(span, new) for span, new in texts.items())


def _shortened(line: str) -> str:
    return line if len(line) <= 40 else line[:39] + "…"


def _line_place(site: Site, opening: int) -> int | None:
    """Behind the content of a block that begins on one line: before its `else`, before a comma, or at the line's end."""
    last = site.line_last(opening)
    if last == opening:
        return None
    for index in range(opening + 1, last + 1):
        if site.kinds[index] == "else":
            return site.ends[index - 1]
    while last > opening and site.kinds[last] in (",",):
        last -= 1
    return site.ends[last]


def _missing_by_indent(site: Site) -> list[tuple[_Open, int]]:
    """Braces without a closer, each with the token in front of which its closer is missing."""
    missing: list[tuple[_Open, int]] = []
    stack: list[_Open] = []
    open_at: Counter[tuple[str, int]] = Counter()
    """How many brackets of the stack are of a kind and on a line of an indentation."""
    line = 0
    kinds = site.kinds
    for index, kind, begins, column in _laid_out(site):
        if begins and kind != EOF:
            line += 1
            while stack and kinds[stack[-1].token] == "{" and _is_left(site, stack, open_at, index, column, line):
                missing.append((_taken(stack, open_at, kinds), index))
        if kind in OPENERS:
            stack.append(_Open(index, column, line))
            open_at[kind, column] += 1
        elif kind in CLOSERS and stack and kinds[stack[-1].token] == CLOSERS[kind]:
            _taken(stack, open_at, kinds)
    missing += [(open_, len(kinds) - 1) for open_ in reversed(stack) if kinds[open_.token] == "{"]
    return missing


def _taken(stack: list[_Open], open_at: Counter[tuple[str, int]], kinds: list[str]) -> _Open:
    top = stack.pop()
    open_at[kinds[top.token], top.indent] -= 1
    return top


def _laid_out(site: Site) -> Iterator[tuple[int, str, bool, int]]:
    """Each token: its index, its kind, whether it begins a line, and the indentation of its line."""
    column, before = 0, -1
    for index, kind in paced(enumerate(site.kinds)):
        start = site.starts[index]
        if before < 0 or site.text.find("\n", before, start) >= 0:
            column = _column(site, index)
        yield index, kind, site.begins_line(index), column
        before = start


def _is_left(site: Site, stack: list[_Open], open_at: Counter[tuple[str, int]], index: int, column: int, line: int) -> bool:
    """True if a line that begins with token `index` shows that the innermost block should have ended before it."""
    top = stack[-1]
    # Only blocks whose opener ends its line are laid out by lines.
    if top.line >= line or site.line_last(top.token) != top.token:
        return False
    kind = site.kinds[index]
    if kind in CLOSERS:
        return column < top.indent and open_at[CLOSERS[kind], column] > 0
    if kind in OPERATORS or kind in (".", "=>", "->", "!", "{", ","):
        return False
    return column <= top.indent


def _column(site: Site, index: int) -> int:
    return len(site.indent(site.starts[index]).expandtabs(4))


def _closing(site: Site, open_: _Open, token: int) -> Edit:
    """Writes the closer of a block on a line of its own, in front of the line of `token`; or on the last line of code."""
    last = token - 1
    indent = site.indent(site.starts[open_.token])
    if site.kinds[token] == "else":
        return insert(site.starts[token], "} ")
    if last >= 0 and site.line_last(open_.token) >= last and open_.token != last:
        return insert(site.ends[last], " }")
    end = site.next_line(site.ends[last])
    if site.kinds[token] == EOF:
        # Comments that are indented belong to the block.
        while end < len(site.text):
            following = site.text[end : site.line_end(end)]
            if not following.strip() or len(following) - len(following.lstrip()) <= len(indent):
                break
            end = site.next_line(end)
    if site.text[end - 1 : end] == "\n":
        return insert(end, f"{indent}}}\n")
    return insert(end, f"\n{indent}}}")


def surplus(site: Site) -> Iterator[Proposal]:
    """A closer too many: the one that its line's indentation shows, or the one that the parser stumbled over."""
    token = site.kind(site.at)
    if token == "}" or site.kind(site.at - 1) == "}" or site.wants_item:
        for index in _surplus_by_indent(site):
            edit = _without(site, index)
            yield Proposal("surplus-brace", site.span(index), "this `}` closes nothing that is still open", "remove `}`", (edit,))
    if token in CLOSERS:
        message = f"this `{token}` closes nothing"
        yield Proposal(
            f"surplus-{_NAMES[token]}",
            site.span(site.at),
            message,
            f"remove `{token}`",
            (_without(site, site.at),),
            Confidence.MEDIUM,
        )


def _surplus_by_indent(site: Site) -> list[int]:
    stack: list[_Open] = []
    surplus: list[int] = []
    line = 0
    for index, kind, begins, column in _laid_out(site):
        line += begins
        if kind == "{":
            stack.append(_Open(index, column, line))
        elif kind == "}":
            if not stack:
                surplus.append(index)
                continue
            top = stack[-1]
            lined = top.line < line and site.line_last(top.token) == top.token
            wrong = (column != top.indent if begins else lined and site.kind(index - 1) != "{") and lined
            if wrong and (not begins or column > top.indent):
                surplus.append(index)
            else:
                stack.pop()
    return surplus[:3]


def _without(site: Site, index: int) -> Edit:
    """Takes a closer away, with its line if nothing else stands there."""
    start, end = site.span(index)
    line_start, line_end = site.line_start(start), site.line_end(end)
    if site.text[line_start:line_end].strip() == site.text[start:end]:
        return Edit((line_start, site.next_line(end)), "")
    return deletion(site, index)


def missing_opener(site: Site) -> Iterator[Proposal]:
    """`{` before a body, `(` behind a function's name."""
    if site.wants("{") and site.at:
        place = site.ends[site.at - 1]
        message = "the body begins without `{`"
        yield Proposal("open-brace", (place, place), message, "add `{`", (insert(place, " {"),))
        last = site.line_last(site.at)
        if site.kind(site.at) not in CLOSERS and not site.begins_line(site.at):
            both = (insert(place, " {"), insert(site.ends[last], " }"))
            if site.kind(last + 1) == "else" or "else" not in site.kinds[site.at : last + 1]:
                yield Proposal("braces", (place, site.ends[last]), "write a body between braces", "add `{` and `}`", both)
    elif site.wants("{") and not site.at:
        return
    if site.begins_line(site.at) and site.kind(site.at - 1) in ("=", "=>"):
        place = site.ends[site.at - 1]
        yield Proposal("open-brace", (place, place), "a block begins with `{`", "add `{`", (insert(place, " {"),))
    if site.kind(site.at) == ")":
        opened = site.open_before(site.at)
        if not opened or site.kinds[opened[-1]] != "(":
            for index in range(site.at - 1, max(0, site.at - 12), -1):
                if site.kinds[index] == IDENT and not site.begins_line(index + 1) and site.kind(index + 1) != "(":
                    gap = site.ends[index], site.starts[index + 1]
                    if site.kinds[index + 1] not in OPERATORS and site.kinds[index + 1] not in (",", ")", ".", ":"):
                        yield Proposal("open-parenthesis", gap, "`(` is missing", "add `(`", (Edit(gap, "("),))


RULES: Final[tuple[Rule, ...]] = (wrong_closer, missing_opener, missing_round, missing_brace, surplus)
