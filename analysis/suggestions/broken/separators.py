"""Separators in calls, lists and literals: commas that are missing or too many, `=` for `:`, named arguments, indexing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, Proposal, Rule, Site, deletion, insert
from analysis.syntax.lexer import EOF, FLOAT, IDENT, INT, STRING
from analysis.text.edits import Confidence, Edit

_VALUE_STARTS: Final = frozenset(
    (IDENT, INT, FLOAT, STRING, "true", "false", "None", "Some", "Ok", "Err", "(", "[", "{", "if", "match", "-", "!")
)
_VALUE_ENDS: Final = frozenset((IDENT, INT, FLOAT, STRING, "true", "false", "None", ")", "]"))
_LISTS: Final = ("arguments", "list", "record", "parameters", "capabilities", "group", "fields", "variants")


def semicolons(site: Site) -> Iterator[Proposal]:
    """`;`: at the ends of lines, between statements, as a comma; all of the chunk at once."""
    if ";" not in site.kinds:
        return
    here = (
        site.at
        if site.kind(site.at) == ";"
        else next((i for i in range(site.at, max(-1, site.at - 6), -1) if site.kind(i) == ";"), None)
    )
    if here is None:
        return
    places = list(site.all_of(";"))
    every = [_without_semicolon(site, i) for i in paced(places, 100)]
    separates = _separates(site, places[0])
    message = "elements are separated by commas" if separates else "statements have no `;`"
    for edits in (tuple(every), (_without_semicolon(site, here),), (deletion(site, here),)):
        advice = "write `,`" if separates else "remove `;`" if len(edits) == 1 else "remove every `;`"
        yield Proposal("semicolon", site.span(here), message, advice, edits)


def _role_around(site: Site, index: int) -> str:
    opening = site.around(index)
    return site.role(opening) if opening >= 0 else ""


def _separates(site: Site, index: int) -> bool:
    """True if a comma is meant by a semicolon."""
    role = _role_around(site, index)
    if role not in (*_LISTS, "match") or site.kind(index - 1) == ",":
        return False
    # A comma may end a list of these kinds, too.
    return site.kind(index + 1) not in CLOSERS or role in ("fields", "variants", "record", "match")


def _without_semicolon(site: Site, index: int) -> Edit:
    if _separates(site, index):
        return Edit((site.ends[index - 1], site.ends[index]), ",")
    if _role_around(site, index) in (*_LISTS, "match") and site.kind(index - 1) != ",":
        return deletion(site, index)
    start = site.ends[index - 1] if index else site.starts[index]
    # Alone on its line it goes with the white space before it, unless a comment stands there.
    if site.text[start : site.starts[index]].strip():
        start = site.starts[index]
    joined = site.kind(index + 1) not in (EOF, "") and not site.begins_line(index + 1)
    return Edit((start, site.ends[index]), " " if joined and site.touches(index + 1) else "")


def commas(site: Site) -> Iterator[Proposal]:
    """A comma that is missing between elements, doubled, leading, or trailing where none may be."""
    at = site.at
    opened = site.open_before(at)
    role = site.role(opened[-1]) if opened else ""
    if site.kind(at) in (*CLOSERS, ",") and site.kind(at - 1) in (",", *OPENERS) and site.kind(at - 1) == ",":
        message = "no comma can come before the closing bracket here" if site.kind(at) != "," else "a comma too many"
        every = [deletion(site, at - 1)]
        if site.kind(at) in CLOSERS:
            every = [deletion(site, i) for i in site.all_of(",") if site.kind(i + 1) == ")"] or every
        for edits in (tuple(every), (deletion(site, at - 1),)):
            yield Proposal("trailing-comma", site.span(at - 1), message, "remove `,`", edits)
    if site.kind(at) == "," and site.kind(at + 1) in CLOSERS and site.wants_only(")"):
        message = "no comma can come before the closing bracket here"
        yield Proposal("trailing-comma", site.span(at), message, "remove `,`", (deletion(site, at),))
    # Between two values of a line a comma means something, whatever that is.
    is_between = site.kind(at - 1) in _VALUE_ENDS and site.kind(at + 1) in _VALUE_STARTS and not site.begins_line(at + 1)
    if site.kind(at) == "," and (site.kind(at - 1) in OPENERS or role == "block") and not is_between:
        yield Proposal("surplus-comma", site.span(at), "a comma too many", "remove `,`", (deletion(site, at),))
    if site.kind(at) in _VALUE_STARTS and site.wants(",", ")") and role in _LISTS:
        place = site.ends[at - 1]
        # On a deeper line the list goes on; on another line a closing bracket is likelier to be missing.
        if not site.begins_line(at) or len(site.indent(site.starts[at])) > len(site.indent(site.starts[opened[-1]])):
            yield Proposal("comma", (place, place), "a comma is missing", "add `,`", (insert(place, ","),))
    if site.wants(",", ")", ":") and site.kind(at) in (":", ".", "=>", "|", "&&", "+") and site.kind(at + 1) in _VALUE_STARTS:
        yield Proposal(
            "comma",
            site.span(at),
            "elements are separated by commas",
            "write `,`",
            (_as_comma(site, at),),
            Confidence.LOW,
        )


def late_commas(site: Site) -> Iterator[Proposal]:
    """A comma that is missing at the end of a line, where a closing bracket is the likelier thing to miss."""
    at = site.at
    if site.kind(at) in _VALUE_STARTS and site.wants(",", ")") and site.begins_line(at):
        place = site.ends[at - 1]
        yield Proposal("comma", (place, place), "a comma is missing", "add `,`", (insert(place, ","),))


def _as_comma(site: Site, index: int) -> Edit:
    return Edit((site.ends[index - 1], site.ends[index]), ",")


def record_literals(site: Site) -> Iterator[Proposal]:
    """`P { x = 1 }`, `P { x }`, `P { ...p }`, `P { x: 1, ..p }`, `P(x: 1)`, `f(name: x)`, `point { x: 1 }`."""
    at = site.at
    opened = site.open_before(at)
    if not opened:
        return
    opening = opened[-1]
    role = site.role(opening)
    closing = site.partners.get(opening)
    if role == "record" and site.wants(":"):
        if site.kind(at) in ("=", "=>", "->", "::"):
            every = [
                _colon(site, i) for i in _level(site, opening) if site.kinds[i] == site.kind(at) and site.kind(i - 1) == IDENT
            ]
            yield Proposal("colon", site.span(at), "write a colon between a field and its value", "write `:`", tuple(every))
        if site.kind(at) in (",", "}"):
            name = site.word(at - 1)
            every = [
                insert(site.ends[i], f": {site.word(i)}")
                for i in _level(site, opening)
                if site.kinds[i] == IDENT and site.kind(i - 1) in (",", "{") and site.kind(i + 1) in (",", "}")
            ]
            message = f"the field `{name}` has no value: there is no short form"
            yield Proposal("field-value", site.span(at - 1), message, f"write `{name}: {name}`", tuple(every))
        if site.kind(at) in _VALUE_STARTS:
            place = site.ends[at - 1]
            yield Proposal(
                "colon",
                (place, place),
                "write a colon between a field and its value",
                "add `:`",
                (insert(place, ":"),),
            )
    if role == "record":
        yield from _spreads(site, opening, closing)
    if site.kind(at) in (":", "=") and role in ("arguments", "group") and site.kind(at - 1) == IDENT:
        if site.is_capitalised(opening - 1) and closing is not None and site.kind(opening - 2) != "::":
            pairs = [_colon(site, i) for i in _level(site, opening) if site.kinds[i] == "="]
            edits = (Edit((site.ends[opening - 1], site.ends[opening]), " { "), *pairs, Edit(site.span(closing), " }"))
            yield Proposal("record-braces", site.span(opening), "a record literal has braces", "write `{ … }`", edits)
        every = [
            Edit((site.starts[i - 1], site.starts[i + 1]), "")
            for i in _level(site, opening)
            if site.kinds[i] == site.kind(at) and site.kind(i - 1) == IDENT and site.kind(i - 2) in ("(", ",")
        ]
        yield Proposal("named-argument", site.span(at - 1, at), "arguments have no names", "remove the names", tuple(every))
    if role == "block" and site.kind(at) == ":" and site.kind(opening - 1) == IDENT and not site.begins_line(opening):
        name = site.word(opening - 1)
        span = site.span(opening - 1)
        upper = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
        if name != upper:
            message = "the type of a record literal begins with a capital letter"
            yield Proposal("capital", span, message, f"write `{upper}`", (Edit(span, upper),), Confidence.MEDIUM)


def _spreads(site: Site, opening: int, closing: int | None) -> Iterator[Proposal]:
    """`P { ...p }`, `P { x: 1, ..p }`."""
    at = site.at
    if site.wants_expression and site.kind(at - 1) == ".." and site.kind(at) == ".":
        yield Proposal("spread", site.span(at - 1, at), "a spread has two dots", "write `..`", (Edit(site.span(at), ""),))
    if site.wants(IDENT) and site.kind(at) == ".." and closing is not None:
        last = site.end_of_expression(at + 1)
        if site.kind(last) == ",":
            last -= 1
        before = site.ends[at - 2] if site.kind(at - 1) == "," else site.ends[at - 1]
        spread = site.text[site.starts[at] : site.ends[last]]
        gap = site.text[site.ends[opening] : site.starts[opening + 1]]
        edits: tuple[Edit, ...] = (insert(site.ends[opening], f"{gap}{spread},"), Edit((before, site.ends[last]), ""))
        yield Proposal("spread", site.span(at, last), "write a spread first", "move it to the front", edits)


def _level(site: Site, opening: int) -> Iterator[int]:
    """Tokens between a bracket and its partner that lie in no further bracket."""
    closing = site.partners.get(opening, len(site.kinds) - 1)
    depth = 0
    for index in range(opening + 1, closing):
        depth -= site.kinds[index] in CLOSERS
        if depth == 0:
            yield index
        depth += site.kinds[index] in OPENERS


def _colon(site: Site, index: int) -> Edit:
    trail = "" if site.text[site.ends[index] : site.ends[index] + 1] in (" ", "\n") else " "
    return Edit((site.ends[index - 1], site.ends[index]), ":" + trail)


def payloads(site: Site) -> Iterator[Proposal]:
    """`Some x`, `E::A()`, `None()`, `send(a, b)`, `return ()`, `()`, `f::<T>(x)`."""
    yield from _wrapped(site)
    yield from _empty_parentheses(site)
    yield from _sent(site)
    yield from _type_arguments(site)


def _wrapped(site: Site) -> Iterator[Proposal]:
    """`Some x` without parentheses."""
    at = site.at
    before = site.kind(at - 1)
    if site.wants("(") and before in ("Some", "Ok", "Err"):
        last = site.end_of_expression(at)
        if site.kind(at) in _VALUE_STARTS and last >= at:
            gap = (site.ends[at - 1], site.starts[at])
            edits = (Edit(gap, "("), insert(site.ends[last], ")"))
            yield Proposal(
                "parentheses",
                site.span(at - 1, last),
                f"`{before}` takes its value in parentheses",
                f"write `{before}(…)`",
                edits,
            )
            if last > at:
                edits = (Edit(gap, "("), insert(site.ends[at], ")"))
                yield Proposal(
                    "parentheses",
                    site.span(at - 1, at),
                    f"`{before}` takes its value in parentheses",
                    f"write `{before}(…)`",
                    edits,
                )
        if before == "Ok":
            yield Proposal(
                "parentheses",
                site.span(at - 1),
                "`Ok` takes a value in parentheses",
                "write `Ok({})`",
                (insert(site.ends[at - 1], "({})"),),
                Confidence.LOW,
                is_placeholder=True,
            )


def _empty_parentheses(site: Site) -> Iterator[Proposal]:
    """`E::A()`, `None()`, `return ()`, `()`."""
    at = site.at
    before = site.kind(at - 1)
    if site.kind(at) == ")" and before == "(":
        span = site.span(at - 1, at)
        owner = site.kind(at - 2)
        if owner in (IDENT, "None") and site.touches(at - 1):
            yield Proposal("empty-payload", span, "empty parentheses are not allowed here", "remove `()`", (Edit(span, ""),))
        if owner == "return":
            yield Proposal("unit", span, "there is no value `()`", "remove `()`", (Edit((site.ends[at - 2], span[1]), ""),))
        if owner in ("Some", "Ok", "Err"):
            yield Proposal(
                "unit",
                span,
                "there is no empty value: an empty block is the nearest thing",
                "write `({})`",
                (insert(site.ends[at - 1], "{}"),),
                Confidence.MEDIUM,
            )
        yield Proposal("unit", span, "there is no value `()`", "write `{}`", (Edit(span, "{}"),))


def _sent(site: Site) -> Iterator[Proposal]:
    """`send(a, b)`."""
    at = site.at
    if (site.kind(at) == "," and site.kind(at - 2) == "(") or site.wants_only(")"):
        opened = site.open_before(at)
        if (
            opened
            and site.kind(opened[-1] - 1) == "send"
            and site.kind(at) == ","
            and (closing := site.partners.get(opened[-1])) is not None
        ):
            second = site.slice(at + 1, closing - 1)
            written = f") ({second})" if closing - 1 > at + 1 else f") {second}"
            yield Proposal(
                "send",
                site.span(opened[-1], closing),
                "`send` takes two operands without a comma",
                "write `send (a) (b)`",
                (Edit((site.starts[at], site.ends[closing]), written),),
            )


def _type_arguments(site: Site) -> Iterator[Proposal]:
    """`f::<T>(x)`."""
    at = site.at
    before = site.kind(at - 1)
    if site.kind(at) == "<" and before == "::":
        depth = 0
        for index in range(at, min(len(site.kinds), at + 40)):
            depth += (site.kinds[index] == "<") - (site.kinds[index] == ">")
            if depth == 0:
                span = site.span(at - 1, index)
                yield Proposal("no-generics", span, "calls have no type arguments", "remove them", (Edit(span, ""),))
                break


def indexing(site: Site) -> Iterator[Proposal]:
    """`xs[i]` is `list_get(xs, i)`."""
    at = site.at
    for opening in [at, *reversed(site.open_before(at))][:3]:
        if site.kind(opening) != "[" or not site.touches(opening) or site.kind(opening - 1) not in (IDENT, ")", "]"):
            continue
        closing = site.partners.get(opening)
        first = opening - 1
        while site.kind(first - 1) == "." and site.kind(first - 2) == IDENT and site.kind(first) == IDENT:
            first -= 2
        if closing is None or site.kind(first) != IDENT:
            continue
        listed, index = site.slice(first, opening - 1), site.slice(opening + 1, closing - 1)
        if ":" in index or ".." in index:
            continue
        new = f"list_get({listed}, {index})"
        yield Proposal(
            "indexing",
            site.span(first, closing),
            "there is no indexing",
            f"write `{new}`",
            (Edit(site.span(first, closing), new),),
        )


RULES: Final[tuple[Rule, ...]] = (semicolons, indexing, commas, record_literals, payloads)
LATE_RULES: Final[tuple[Rule, ...]] = (late_commas,)
