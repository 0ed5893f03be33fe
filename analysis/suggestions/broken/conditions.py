"""Conditions and operators: `=` for `==`, `===`, `and`, `not`, signs torn apart, `else if`, a capitalised name before `{`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import checkpoint
from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, Proposal, Rule, Site, deletion, insert
from analysis.syntax.lexer import EOF, IDENT
from analysis.text.edits import Confidence, Edit

_WORDS: Final = {
    "and": "&&", "AND": "&&", "And": "&&", "or": "||", "OR": "||", "Or": "||", "not": "!", "NOT": "!", "Not": "!",
    "mod": "%", "div": "/", "is": "==", "eq": "==", "isnt": "!=", "equals": "==", "xor": "!=",
}  # fmt: skip
_ELSE_IF_WORDS: Final = frozenset(("elif", "elsif", "elseif", "elsefi"))
_JOINED: Final = {
    ("=", "="): "==", ("!", "="): "!=", ("<", "="): "<=", (">", "="): ">=", ("=", ">"): "=>", ("-", ">"): "->",
    (":", ":"): "::", ("+", "+"): "++", ("=", "<"): "<=", ("=", "!"): "!=", ("<", ">"): "!=", ("==", "="): "==",
    ("!=", "="): "!=", ("=>", "="): ">=", ("==", ">"): "=>", (":", "="): "=", ("=", "=="): "==", ("==", "=="): "==",
    ("-", "->"): "->", (">", "=="): ">=", ("<", "=="): "<=", ("=", ":"): "=", ("..", "."): "..", ("=", "=>"): "=>",
    (":", "=>"): "=>", (":", "->"): "->", ("->", ">"): "->",
}  # fmt: skip
"""Signs that are torn apart or written twice."""
_MOST_BRANCHES: Final = 200
"""Branches of one chain that are nested: each one is indented as often as there are branches before it."""


def else_if(site: Site) -> Iterator[Proposal]:
    """`else if`, `elif`: nested, with everything that follows it, in one patch for the whole chain."""
    for index in range(site.at, max(-1, site.at - 400), -1):
        if (site.kind(index) == "if" and site.kind(index - 1) == "else") or (
            site.kind(index) == IDENT and site.word(index) in _ELSE_IF_WORDS and site.kind(index - 1) == "}"
        ):
            first = index
        else:
            continue
        # The head of the chain: an `else if` may follow another one.
        end = _chain_end(site, first)
        if end is None or (end < site.at and site.kind(first) == "if"):
            continue
        nested = _nested(site, first, end, site.indent(site.starts[first]))
        if nested is None:
            continue
        word = site.word(first)
        start = site.starts[first]
        if word != "if":
            nested = f"else {nested}"
        shown = site.starts[first - 1] if word == "if" else start
        written = "else if" if word == "if" else word
        yield Proposal(
            "else-if", (shown, site.ends[first]), f"there is no `{written}`: `else` takes a block",
            "nest the `if`: `else { if … }`", (Edit((start, site.ends[end]), nested),),
        )  # fmt: skip
        return


def _chain_end(site: Site, first: int) -> int | None:
    """The last token of the `if` at a token, its `else` branches included; None if there are too many of them."""
    opening = site.body_brace(first)
    for _ in range(_MOST_BRANCHES):
        if opening is None:
            break
        closing = site.partners.get(opening)
        if closing is None:
            return None
        following = site.kind(closing + 1)
        if following == "else" and site.kind(closing + 2) == "if":
            opening = site.body_brace(closing + 2)
        elif following == IDENT and site.word(closing + 1) in _ELSE_IF_WORDS:
            opening = site.body_brace(closing + 1)
        elif following == "else" and site.kind(closing + 2) == "{":
            return site.partners.get(closing + 2)
        else:
            return closing
    return None


def _nested(site: Site, first: int, end: int, indent: str) -> str | None:
    """`{ if … }` for the `if` at a token, the rest of its chain up to its end nested in the same way."""
    checkpoint()
    opening = site.body_brace(first)
    closing = site.partners.get(opening) if opening is not None else None
    if opening is None or closing is None:
        return None
    rest = ""
    following = closing + 1
    if closing < end:
        nested_at = following + 1 if site.kind(following) == "else" else following
        gap = site.text[site.ends[closing] : site.starts[following]]
        if site.kind(nested_at) == "if" or site.kind(following) == IDENT:
            inner = _nested(site, nested_at, end, indent)
            if inner is None:
                return None
            rest = f"{gap}else {inner}"
        else:
            rest = site.text[site.ends[closing] : site.ends[end]]
    condition = site.text[site.ends[first] : site.ends[closing]]
    written = f"if{condition}{rest}"
    if "\n" not in site.slice(first, end):
        return f"{{ {written} }}"
    lines = written.split("\n")
    inside = _lines_in_strings(site, first, end, written)
    moved = [line if number in inside or not line.strip() else site.unit + line for number, line in enumerate(lines)]
    moved[0] = f"{indent}{site.unit}{lines[0]}"
    return "{\n" + "\n".join(moved) + f"\n{indent}}}"


def _lines_in_strings(site: Site, first: int, end: int, written: str) -> set[int]:
    """Lines of a text that begin inside a string, which must not be moved."""
    if not any(site.kinds[i] == "STRING" and "\n" in site.word(i) for i in range(first, end + 1)):
        return set()
    return set(range(1, written.count("\n") + 1))


def if_let(site: Site) -> Iterator[Proposal]:
    """`if let Some(x) = value { … } else { … }` is a match."""
    head = site.at - 1 if site.kind(site.at) == "let" else -1
    if site.kind(head) != "if":
        return
    equals = next((i for i in range(head + 2, min(head + 16, len(site.kinds))) if site.kinds[i] == "="), None)
    opening = site.body_brace(equals) if equals is not None else None
    closing = site.partners.get(opening) if opening is not None else None
    if equals is None or opening is None or closing is None:
        return
    end, otherwise = closing, "{}"
    if site.kind(closing + 1) == "else" and site.kind(closing + 2) == "{" and closing + 2 in site.partners:
        end = site.partners[closing + 2]
        otherwise = site.slice(closing + 2, end)
    pattern = site.slice(head + 2, equals - 1).rpartition("::")[2]
    value, body = site.slice(equals + 1, opening - 1), site.slice(opening, closing)
    spanning = any(site.kinds[i] == "STRING" and "\n" in site.word(i) for i in range(head, end))
    if "\n" in site.slice(head, end) and not spanning:
        indent = site.indent(site.starts[head])
        gap = f"\n{indent}{site.unit}"
        body, otherwise = (part.replace("\n", f"\n{site.unit}") for part in (body, otherwise))
        written = f"match {value} {{{gap}{pattern} => {body},{gap}_ => {otherwise},\n{indent}}}"
    else:
        written = f"match {value} {{ {pattern} => {body}, _ => {otherwise} }}"
    span = site.span(head, end)
    yield Proposal("if-let", site.span(head, head + 1), "there is no `if let`", "write a `match`", (Edit(span, written),))


def signs(site: Site) -> Iterator[Proposal]:
    """Signs torn apart or of another language: `= =`, `===`, `<>`, `=<`, `:=`, `- >`."""
    for index in (site.at, site.at + 1, site.at - 1):
        pair = (site.kind(index - 1), site.kind(index))
        meant = _JOINED.get(pair)
        if meant is None or index < 1:
            continue
        between = site.text[site.ends[index - 1] : site.starts[index]]
        if between.strip(" "):
            continue
        written = site.slice(index - 1, index)
        span = site.span(index - 1, index)
        if meant == "=" and site.kind(index - 3) != "let" and site.kind(index - 3) != "mut" and pair == (":", "="):
            continue
        if meant == "=" and pair == (":", "="):
            yield Proposal("sign", span, f"`{written}` is no sign here", "write `=`", (_joined(site, index, "="),))
            continue
        same = tuple(
            Edit(site.span(i - 1, i), meant)
            for i in range(1, len(site.kinds))
            if (site.kinds[i - 1], site.kinds[i]) == pair and site.slice(i - 1, i) == written
        )
        yield Proposal("sign", span, f"`{written}` is no sign here", f"write `{meant}`", same)
        yield Proposal("sign", span, f"`{written}` is no sign here", f"write `{meant}`", (Edit(span, meant),))


def _joined(site: Site, index: int, meant: str) -> Edit:
    start, end = site.span(index - 1, index)
    lead = "" if site.text[start - 1 : start] in (" ", "\t") else " "
    return Edit((start, end), lead + meant)


def equals(site: Site) -> Iterator[Proposal]:
    """`=` for `==`: in the condition at hand, everywhere in it."""
    at = site.at
    if site.kind(at) not in ("=", "=>"):
        return
    head = at
    depth = 0
    while head > 0:
        head -= 1
        kind = site.kinds[head]
        if kind in CLOSERS:
            depth += 1
        elif kind in OPENERS:
            depth = max(0, depth - 1)
        elif (kind in ("if", "while", "match", "requires", "ensures", "return", "&&", "||", "let", "==") and depth == 0) or (
            kind in ("{", "}", "=>", EOF) and depth == 0
        ):
            break
    meant = "==" if site.kind(at) == "=" else ">="
    end = at
    while site.kind(end) not in ("{", "}", EOF, "") and not (site.begins_line(end) and end > at):
        end += 1
    span = site.span(at)
    message = f"`{site.kind(at)}` compares nothing"
    every = tuple(Edit(site.span(i), meant) for i in range(at, end) if site.kinds[i] == site.kind(at))
    in_condition = site.kinds[head] in ("if", "while", "requires", "ensures", "&&", "||", "==", "return")
    confidence = Confidence.HIGH if in_condition else Confidence.MEDIUM
    for edits in (every, (Edit(span, meant),)):
        yield Proposal("double-equals" if meant == "==" else "sign", span, message, f"write `{meant}`", edits, confidence)


def words(site: Site) -> Iterator[Proposal]:
    """`and`, `or`, `not`, `mod`, `is`: everywhere in the line."""
    if site.lexical:
        return
    lines = {site.line_first(min(site.at, len(site.kinds) - 2))} if len(site.kinds) > 1 else set()
    if site.at:
        lines.add(site.line_first(site.at - 1))
    for first in sorted(lines, reverse=True):
        edits: list[Edit] = []
        places: list[int] = []
        last = site.line_last(first)
        for index in range(first, last + 1):
            word = site.word(index)
            if site.kinds[index] != IDENT or word not in _WORDS or site.kind(index - 1) in (".", "let", "fn"):
                continue
            meant = _WORDS[word]
            if meant == "!":
                edits.append(_not(site, index))
            elif meant == "==" and site.kind(index + 1) == IDENT and site.word(index + 1) in ("not", "NOT"):
                edits.append(Edit(site.span(index, index + 1), "!="))
            elif not (edits and edits[-1].span[1] > site.starts[index]):
                edits.append(Edit(site.span(index), meant))
            places.append(index)
        overlapping = [e for i, e in enumerate(edits) if i == 0 or e.span[0] >= edits[i - 1].span[1]]
        if places:
            word = site.word(places[0])
            yield Proposal(
                f"operator-{word}",
                site.span(places[0]),
                f"there is no operator `{word}`",
                f"write `{_WORDS[word]}`",
                tuple(overlapping),
            )


def _not(site: Site, index: int) -> Edit:
    """`not x` is `!x`; a comparison behind it stays outside, as the words would have it, only if it is in parentheses."""
    end = site.starts[index + 1] if not site.begins_line(index + 1) else site.ends[index]
    if site.kind(index + 1) == "in":
        end = site.ends[index]
    # `not a == b` means the whole comparison elsewhere.
    last = index + 1
    depth = 0
    compared = False
    while site.kind(last) not in ("{", "}", EOF, "", "&&", "||", ",") and not (site.begins_line(last) and last > index + 1):
        kind = site.kind(last)
        if depth == 0 and (kind == ")" or (kind == IDENT and _WORDS.get(site.word(last)) in ("&&", "||"))):
            break
        depth += (kind in OPENERS) - (kind in CLOSERS)
        compared |= depth == 0 and kind in ("==", "!=", "<", ">", "<=", ">=")
        last += 1
    if compared and last - 1 > index + 1:
        return Edit(site.span(index, last - 1), f"!({site.slice(index + 1, last - 1)})")
    return Edit((site.starts[index], end), "!")


_BEFORE_VALUES = frozenset(
    (
        "if", "while", "match", "in", "requires", "ensures",
        "!", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "++",
    )
)  # fmt: skip


def capitalised_before_brace(site: Site) -> Iterator[Proposal]:
    """`if Ready {` and `match State {` begin a record literal: parentheses help; `True` and `False` are written small."""
    for index in range(site.at, max(0, site.at - 40), -1):
        if site.kind(index) == "{" and site.is_capitalised(index - 1) and site.kind(index - 2) in _BEFORE_VALUES:
            name = site.word(index - 1)
            span = site.span(index - 1)
            if name in ("True", "False"):
                yield Proposal(
                    f"keyword-{name}",
                    span,
                    f"`{name}` is written `{name.lower()}`",
                    f"write `{name.lower()}`",
                    (Edit(span, name.lower()),),
                )
            message = f"`{name} {{` begins a record literal"
            yield Proposal("parentheses", span, message, f"write `({name})`", (insert(span[0], "("), insert(span[1], ")")))


def doubled_operator(site: Site) -> Iterator[Proposal]:
    """An operator without an operand: `a + + b` parses nowhere, `a == == b` neither."""
    if site.wants_expression and site.kind(site.at) in (
        "+",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "&&",
        "||",
        "++",
        "=",
    ):
        word = site.kind(site.at)
        yield Proposal(
            "doubled-operator",
            site.span(site.at),
            f"`{word}` lacks its left operand",
            f"remove `{word}`",
            (deletion(site, site.at),),
            Confidence.LOW,
        )


RULES: Final[tuple[Rule, ...]] = (else_if, if_let, signs, equals, words, capitalised_before_brace)
LATE_RULES: Final[tuple[Rule, ...]] = (doubled_operator,)
