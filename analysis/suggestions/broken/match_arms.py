"""Arms of a match as other languages write them: `case A:`, `E::A =>`, `->` for `=>`, `A | B`, guards, negative numbers.

The whole match is read loosely (`_arms`) and every deviation of one match is mended in one patch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.data_classes import dataclass, field
from analysis.database import checkpoint, paced
from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, Proposal, Rule, Site, in_order
from analysis.syntax.lexer import EOF, FLOAT, IDENT, INT, STRING
from analysis.text.edits import Confidence, Edit

_CASE_WORDS: Final = frozenset(("case", "when", "is", "of", "with"))
_DEFAULT_WORDS: Final = frozenset(("default", "otherwise", "else", "otherwise"))
_HEADS: Final = frozenset(("switch", "case", "when", "select", "matches", "inspect"))
_SEPARATORS: Final = frozenset(("=>", ":", "->", "=", ">=", "==", "::"))
_IN_PATTERN: Final = frozenset(
    (IDENT, INT, FLOAT, STRING, *"_ - true false None Some Ok Err else ( ) :: . , || [ ] { ..".split())
)
_NAMED: Final = frozenset((IDENT, "None", "Some", "Ok", "Err"))
_STATEMENTS: Final = frozenset(("let", "return", "while", "for"))


_OFTEN: Final = 1_000
"""Tokens between two checkpoints."""
_MOST_AROUND: Final = 8
"""Matches around an error that are looked at: in a nest of thousands the innermost ones."""
_LONGEST_HEAD: Final = 100
"""Tokens before a brace among which the word is that begins a match."""


@dataclass(slots=True)
class _Arm:
    """Tokens of an arm: the pattern is `first … last`, `separator` follows; the body is `begin … end`."""

    word: int | None
    first: int
    last: int
    separator: int
    begin: int = 0
    end: int = 0
    guard: int | None = None
    cuts: list[int] = field(default_factory=list)
    """First tokens of further alternatives."""


def matches(site: Site) -> Iterator[Proposal]:
    """Every deviation of the innermost match around the error."""
    for opening in _openings(site):
        arms = _arms(site, opening)
        if not arms:
            continue
        head = _head_edit(site, opening)
        yield from _guards_and_numbers(site, opening, arms, head)
        edits: list[Edit] = list(head)
        slugs: list[tuple[str, int, str, str]] = []
        if head:
            index = site.token_at(head[0].span[0])
            slugs.append(("match", index, f"there is no `{site.word(index)}`", "write `match`"))
        for arm in arms:
            for slug, token, message, advice, arm_edits in _deviations(site, arm):
                slugs.append((slug, token, message, advice))
                edits += arm_edits
        ordered = in_order(edits)
        if not slugs or ordered is None:
            continue
        slug, token, message, advice = min(slugs, key=lambda entry: abs(entry[1] - site.at))
        yield Proposal(slug, site.span(min(token, len(site.kinds) - 1)), message, advice, ordered)


def _openings(site: Site) -> Iterator[int]:
    """Braces that could open the match at hand, the innermost first."""
    around = site.open_before(site.at + (site.kind(site.at) == "{"))
    yield from [opening for opening in reversed(around) if site.kinds[opening] == "{"][:_MOST_AROUND]


def _head_edit(site: Site, opening: int) -> list[Edit]:
    """`switch x {` becomes `match x {`."""
    first = max(site.line_first(opening), opening - _LONGEST_HEAD)
    for index in range(opening - 1, first - 1, -1):
        if site.kinds[index] == "match":
            return []
        if site.kinds[index] == IDENT and site.word(index) in _HEADS and index < opening - 1:
            edits = [Edit(site.span(index), "match")]
            if site.word(opening - 1) in ("of", "with") and site.kind(opening - 1) == IDENT:
                edits.append(Edit((site.ends[opening - 2], site.ends[opening - 1]), ""))
            return edits
    return []


def _is_match(site: Site, opening: int) -> bool:
    return site.role(opening) == "match" or bool(_head_edit(site, opening))


def _arms(site: Site, opening: int) -> list[_Arm]:
    """The arms between the braces of a match; empty if this is no match."""
    if not _is_match(site, opening):
        return []
    closing = site.partners.get(opening, len(site.kinds) - 1)
    arms: list[_Arm] = []
    depth = 0
    index = opening + 1
    while index < closing:
        if index % _OFTEN == 0:
            checkpoint()
        kind = site.kinds[index]
        if depth == 0 and (index == opening + 1 or site.kinds[index - 1] in (",", ";", "}") or site.begins_line(index)):
            arm = _read_head(site, index, closing)
            if arm is not None:
                arms.append(arm)
                index = arm.begin
                continue
        depth += (kind in OPENERS) - (kind in CLOSERS)
        index += 1
    for arm, following in zip(arms, [*arms[1:], None], strict=False):
        end = (following.word if following.word is not None else following.first) - 1 if following else closing - 1
        while end >= arm.begin and site.kinds[end] in (",", ";"):
            end -= 1
        arm.end = end
    return arms


def _read_head(site: Site, index: int, closing: int) -> _Arm | None:
    """The pattern and the separator of an arm that begins at a token."""
    word = None
    if site.kinds[index] == IDENT and site.word(index) in _CASE_WORDS and site.kind(index + 1) not in _SEPARATORS:
        word = index
        index += 1
    elif site.kinds[index] in ("|", "||") or site.word(index) == "|":
        index += 1
    first = index
    arm = _Arm(word, first, first, first)
    depth = 0
    while index < closing:
        kind = site.kinds[index]
        if depth == 0 and index > first:
            if kind in _SEPARATORS and not (kind == "::" and site.kind(index + 1) in _NAMED):
                arm.last = index - 1 if arm.guard is None else arm.last
                arm.separator = index
                arm.begin = index + 1
                return arm if arm.begin <= closing else None
            if kind == "if" or (kind == IDENT and site.word(index) in ("when", "where")):
                arm.guard, arm.last = index, index - 1
            elif arm.guard is None and (
                kind in (",", "||") or (kind == IDENT and site.word(index) == "or") or _bar_before(site, index)
            ):
                arm.cuts.append(index if kind not in (",", "||", IDENT) or _bar_before(site, index) else index + 1)
            elif site.begins_line(index) and not arm.cuts:
                return None
        if (depth == 0 and kind in (";", "}", "let", "return", "while", "for")) or kind == EOF:
            return None
        if arm.guard is None and kind != "if" and kind not in _IN_PATTERN:
            return None
        depth += (kind in OPENERS) - (kind in CLOSERS)
        if depth < 0:
            return None
        index += 1
    return None


def _bar_before(site: Site, index: int) -> bool:
    return "|" in site.text[site.ends[index - 1] : site.starts[index]]


def _deviations(site: Site, arm: _Arm) -> Iterator[tuple[str, int, str, str, list[Edit]]]:
    """The mistake in an arm: slug, token, message, advice, edits."""
    if arm.word is not None:
        gone = Edit((site.starts[arm.word], site.starts[arm.first]), "")
        yield "case", arm.word, f"arms have no `{site.word(arm.word)}`", f"remove `{site.word(arm.word)}`", [gone]
    if (
        arm.first == arm.last
        and site.word(arm.first) in _DEFAULT_WORDS
        and (site.kinds[arm.separator] != "=>" or site.kinds[arm.first] == "else")
    ):
        yield (
            "default",
            arm.first,
            f"the arm for everything else is `_`, not `{site.word(arm.first)}`",
            "write `_`",
            [Edit(site.span(arm.first), "_")],
        )
    yield from _qualifiers(site, arm)
    if site.kinds[arm.separator] != "=>":
        span = site.span(arm.separator)
        lead = " " if site.touches(arm.separator) else ""
        trail = "" if site.text[span[1] : span[1] + 1] in (" ", "\n", "\t", "") else " "
        written = site.word(arm.separator)
        yield (
            "fat-arrow",
            arm.separator,
            f"write `=>` between a pattern and its value, not `{written}`",
            "write `=>`",
            [Edit(span, f"{lead}=>{trail}")],
        )
    yield from _alternatives(site, arm)
    yield from _body(site, arm)


def _qualifiers(site: Site, arm: _Arm) -> Iterator[tuple[str, int, str, str, list[Edit]]]:
    for index in range(arm.first, arm.last + 1):
        kind = site.kinds[index]
        if kind not in ("::", ".") or site.kind(index + 1) not in _NAMED:
            continue
        if site.kind(index - 1) == IDENT and index - 1 >= arm.first:
            edit = Edit((site.starts[index - 1], site.starts[index + 1]), "")
            written = site.slice(index - 1, index + 1)
        else:
            edit = Edit((site.starts[index], site.starts[index + 1]), "")
            written = site.slice(index, index + 1)
        name = site.word(index + 1)
        start = index - 1 if site.kind(index - 1) == IDENT and index - 1 >= arm.first else index
        yield (
            "qualified-pattern",
            start,
            f"a pattern names the variant alone, not `{written}`",
            f"write `{name}`",
            [edit],
        )


def _alternatives(site: Site, arm: _Arm) -> Iterator[tuple[str, int, str, str, list[Edit]]]:
    """`A | B => v`: an arm each."""
    if not arm.cuts or arm.guard is not None or arm.end < arm.begin:
        return
    body = site.slice(arm.begin, arm.end)
    edits = []
    laid_out = site.begins_line(arm.word if arm.word is not None else arm.first)
    gap = f",\n{site.indent(site.starts[arm.first])}" if laid_out else ", "
    for cut in arm.cuts:
        last = cut - 1 if site.kinds[cut - 1] not in (",", "||") and site.word(cut - 1) != "or" else cut - 2
        edits.append(Edit((site.ends[last], site.starts[cut]), f" => {body}{gap}"))
    yield "alternatives", arm.cuts[0], "an arm has one pattern", "write an arm for each", edits


def _body(site: Site, arm: _Arm) -> Iterator[tuple[str, int, str, str, list[Edit]]]:
    """Statements as a body get braces; `break` at the end goes; a missing comma is none."""
    if arm.end < arm.begin:
        if arm.begin <= len(site.kinds) - 1:
            place = site.ends[arm.separator]
            yield "arm-value", arm.separator, "the arm has no value", "write `{}`", [Edit((place, place), " {}")]
        return
    begin, end = arm.begin, arm.end
    edits: list[Edit] = []
    if site.kinds[end] == IDENT and site.word(end) == "break" and end > begin:
        start = site.ends[end - 1]
        stop = site.ends[end + 1] if site.kind(end + 1) == ";" else site.ends[end]
        edits.append(Edit((start, stop), ""))
        end -= 1
        yield "break", arm.end, "arms end by themselves: there is no `break`", "remove `break`", edits
    depth = 0
    semicolons: list[int] = []
    statements = site.kinds[begin] in _STATEMENTS
    if site.kinds[begin] == "{" and site.partners.get(begin, end) == end:
        return
    for index in paced(range(begin, end + 1), _OFTEN):
        kind = site.kinds[index]
        if depth == 0:
            if kind == ";":
                semicolons.append(index)
            statements |= kind == "=" or kind in _STATEMENTS
            statements |= kind == ";" and index < end
        depth += (kind in OPENERS) - (kind in CLOSERS)
    while semicolons and semicolons[-1] == end:
        end -= 1
        edits = [Edit((site.ends[end], site.ends[semicolons[-1]]), "")]
        yield "semicolon", semicolons.pop(), "arms have no `;`", "remove `;`", edits
    if statements:
        edits = [Edit((site.starts[begin], site.starts[begin]), "{ "), Edit((site.ends[end], site.ends[end]), " }")]
        edits += [Edit(site.span(i), "") for i in semicolons]
        yield "arm-block", begin, "write a statement as an arm's value between braces", "write `{ … }`", edits


def _guards_and_numbers(site: Site, opening: int, arms: list[_Arm], head: list[Edit]) -> Iterator[Proposal]:
    """Arms that no pattern can say: `-1 =>`, `1.5 =>`, `n if n > 3 =>` become questions in the arm that catches the rest."""
    special = [arm for arm in arms if arm.guard is not None or _is_number(site, arm)]
    if not special or opening not in site.partners:
        return
    catching = next((arm for arm in arms if arm not in special and _catches_all(site, arm)), None)
    scrutinee = site.slice(_scrutinee(site, opening), opening - 1)
    caught = site.word(catching.first) if catching is not None else "_"
    if caught not in ("_", *_DEFAULT_WORDS):
        subject = pattern = caught
    elif scrutinee.isidentifier():
        subject, pattern = scrutinee, "_"
    else:
        subject = pattern = "other"
    if any(arm.guard is not None and not _is_name(site, arm) for arm in special):
        yield from _guards_of_variants(site, arms, catching, head)
        return
    questions = [_question(site, arm, subject) for arm in special]
    answer = _braced(site.slice(catching.begin, catching.end)) if catching is not None else ""
    for condition, body in reversed(questions):
        tail = f" else {answer}" if answer else ""
        answer = f"{{ if {condition} {_braced(body)}{tail} }}"
    # The arm that catches the rest asks; without one the last of the arms does.
    asking = catching if catching is not None else special[-1]
    edits = [*head, Edit((site.starts[asking.first], site.ends[asking.end]), f"{pattern} => {answer[2:-2]}")]
    edits += [_without_arm(site, arm) for arm in special if arm is not asking]
    ordered = in_order(edits)
    if ordered is None:
        return
    numbers = all(arm.guard is None for arm in special)
    slug = "number-pattern" if numbers else "guard"
    message = "no pattern is a negative number or a float" if numbers else "arms have no conditions"
    arm = min(special, key=lambda candidate: abs(candidate.first - site.at))
    advice = "ask with `if` in the arm that catches the rest"
    yield Proposal(slug, site.span(arm.first, arm.last), message, advice, ordered, Confidence.MEDIUM)


def _question(site: Site, arm: _Arm, subject: str) -> tuple[str, str]:
    """The condition under which an arm is meant, and its value."""
    body = site.slice(arm.begin, arm.end)
    if arm.guard is None:
        return f"{subject} == {site.slice(arm.first, arm.last)}", body
    condition = site.slice(arm.guard + 1, arm.separator - 1)
    if not _is_binding(site, arm) or site.word(arm.first) == subject:
        return condition, body
    return _renamed(site, arm, arm.guard + 1, arm.separator - 1, subject), _renamed(site, arm, arm.begin, arm.end, subject)


def _guards_of_variants(site: Site, arms: list[_Arm], catching: _Arm | None, head: list[Edit]) -> Iterator[Proposal]:
    """`Some(n) if n > 3 => 1`: the condition moves into the arm; otherwise the arm of the same variant, or the rest, decides."""
    edits = list(head)
    guarded = [arm for arm in arms if arm.guard is not None]
    for arm in guarded:
        pattern = site.slice(arm.first, arm.last)
        after = [other for other in arms if other.first > arm.first and other.guard is None]
        same = next((other for other in after if site.slice(other.first, other.last) == pattern), None)
        otherwise = same or catching
        if arm.guard is None or otherwise is None or _is_name(site, arm) or otherwise.end < otherwise.begin:
            return
        condition, body = site.slice(arm.guard + 1, arm.separator - 1), site.slice(arm.begin, arm.end)
        answer = f"if {condition} {_braced(body)} else {_braced(site.slice(otherwise.begin, otherwise.end))}"
        edits.append(Edit((site.starts[arm.first], site.ends[arm.end]), f"{pattern} => {answer}"))
        if same is not None:
            edits.append(_without_arm(site, same))
    ordered = in_order(edits)
    if ordered is not None:
        arm = min(guarded, key=lambda candidate: abs(candidate.first - site.at))
        message, advice = "arms have no conditions", "ask with `if` in the arm"
        yield Proposal("guard", site.span(arm.first, arm.last), message, advice, ordered, Confidence.MEDIUM)


def _is_name(site: Site, arm: _Arm) -> bool:
    return arm.first == arm.last and (site.kinds[arm.first] == "_" or _is_binding(site, arm))


def _without_arm(site: Site, arm: _Arm) -> Edit:
    following = arm.end + 1
    following += site.kind(following) == ","
    return Edit((site.starts[arm.first], site.starts[following]), "")


def _is_number(site: Site, arm: _Arm) -> bool:
    kinds = site.kinds[arm.first : arm.last + 1]
    return kinds in (["-", INT], ["-", FLOAT], [FLOAT])


def _is_binding(site: Site, arm: _Arm) -> bool:
    return arm.first == arm.last and site.kinds[arm.first] == IDENT and not site.is_capitalised(arm.first)


def _catches_all(site: Site, arm: _Arm) -> bool:
    return arm.first == arm.last and (site.kinds[arm.first] in ("_", "else") or _is_binding(site, arm)) and arm.end >= arm.begin


def _renamed(site: Site, arm: _Arm, first: int, last: int, new: str) -> str:
    """Tokens with the arm's name replaced by another."""
    old = site.word(arm.first)
    pieces: list[str] = []
    position = site.starts[first]
    for index in range(first, last + 1):
        if site.kinds[index] == IDENT and site.word(index) == old and site.kind(index - 1) != ".":
            pieces += [site.text[position : site.starts[index]], new]
            position = site.ends[index]
    return "".join([*pieces, site.text[position : site.ends[last]]])


def _braced(value: str) -> str:
    return value if value.startswith("{") and value.endswith("}") and value.count("{") == 1 else f"{{ {value} }}"


def _scrutinee(site: Site, opening: int) -> int:
    for index in range(opening - 1, -1, -1):
        if site.kinds[index] == "match" or (site.kinds[index] == IDENT and site.word(index) in _HEADS):
            return index + 1
    return opening - 1


def missing_arrow(site: Site) -> Iterator[Proposal]:
    """A pattern and a value without anything between them."""
    if site.wants("=>") and site.at:
        place = site.ends[site.at - 1]
        yield Proposal(
            "fat-arrow",
            (place, place),
            "write `=>` between a pattern and its value",
            "add `=>`",
            (Edit((place, place), " =>"),),
        )


RULES: Final[tuple[Rule, ...]] = (matches, missing_arrow)
