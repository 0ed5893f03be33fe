"""Forms of other languages that have to be put together anew: spreads, destructuring, conditional expressions, nested and
anonymous functions, a result type in the wrong place, text around the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, Proposal, Rule, Site, insert
from analysis.suggestions.broken.type_notation import closing_angle
from analysis.syntax.lexer import EOF, IDENT, INT, STRING
from analysis.text.edits import Confidence, Edit, Span

_WRAPPERS: Final = ("Some", "Ok", "Err", "None")
_CLAUSES: Final = ("requires", "ensures", "intent")
_IDENTIFIER: Final = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*)"')
_PROSE: Final = re.compile(r"[A-Z*>-][\w'’*`-]*(?:,? [\w'’*`()-]+){2,}[.:!?,]?\s*")
_BEFORE_VALUE: Final = frozenset(("=", "return", "=>", ",", ":", *OPENERS))


def qualified_wrappers(site: Site) -> Iterator[Proposal]:
    """`Option::Some(x)`, `Result.Ok(x)`: the four are keywords and stand alone."""
    if site.kind(site.at) not in _WRAPPERS or site.kind(site.at - 1) not in ("::", ".") or site.kind(site.at - 2) != IDENT:
        return
    every = tuple(
        Edit((site.starts[i - 2], site.starts[i]), "")
        for i in range(2, len(site.kinds))
        if site.kinds[i] in _WRAPPERS and site.kinds[i - 1] in ("::", ".") and site.kinds[i - 2] == IDENT
    )
    word = site.word(site.at)
    message = f"`{word}` is written without a type before it"
    yield Proposal("wrapper", site.span(site.at - 2, site.at), message, f"write `{word}`", every)


def result_order(site: Site) -> Iterator[Proposal]:
    """`fn f() !{…} -> Int`, `fn f() requires … -> Int`: the result's type stands right behind the parameters."""
    at = site.at
    if not site.wants("{") or site.kind(at) != "->":
        return
    head = next((i for i in range(at, -1, -1) if site.kinds[i] == "fn"), None)
    closing = site.partners.get(head + 2) if head is not None else None
    if closing is None:
        return
    last = at
    while site.kind(last + 1) not in ("{", "!", EOF, *_CLAUSES):
        last += 1
    written = site.slice(at, last)
    edits = (insert(site.ends[closing], f" {written}"), Edit((site.ends[at - 1], site.ends[last]), ""))
    message = "write the result's type right after the parameters"
    yield Proposal("result-order", site.span(at, last), message, f"move `{written}` there", edits)


def conditional_expressions(site: Site) -> Iterator[Proposal]:
    """`a if c else b`."""
    at = site.at
    if not site.wants("{") or site.kind(at) != "else":
        return
    word = next((i for i in range(at - 1, site.line_first(at), -1) if site.kinds[i] == "if"), None)
    if word is None:
        return
    first, last = _value_start(site, word - 1), site.end_of_expression(at + 1)
    if first > word - 1 or last == at:
        return
    value, condition, other = site.slice(first, word - 1), site.slice(word + 1, at - 1), site.slice(at + 1, last)
    edit = Edit(site.span(first, last), f"if {condition} {{ {value} }} else {{ {other} }}")
    message = "write the condition before the values"
    yield Proposal("conditional", site.span(word, at), message, "write `if … { … } else { … }`", (edit,))


def _value_start(site: Site, index: int) -> int:
    """The first token of the value that ends with a token: behind `=`, `return`, a comma, a bracket or a line end."""
    depth = 0
    while index >= 0:
        kind = site.kinds[index]
        depth += (kind in CLOSERS) - (kind in OPENERS)
        if depth < 0 or (depth == 0 and kind in _BEFORE_VALUE and kind not in OPENERS):
            return index + 1
        if depth == 0 and site.begins_line(index):
            return index
        index -= 1
    return 0


def destructuring(site: Site) -> Iterator[Proposal]:
    """`let { x, y } = p`, `let P { x, y } = p`: one `let` a field."""
    at = site.at
    word = at - 1 if site.kind(at - 1) == "let" else at - 2
    closing = site.partners.get(at) if site.kind(at) == "{" and site.kind(word) == "let" else None
    if closing is None or site.kind(closing + 1) != "=":
        return
    pairs = []
    for part in site.text[site.ends[at] : site.starts[closing]].split(","):
        field, _, name = (piece.strip() for piece in part.partition(":"))
        if field and re.fullmatch(r"[A-Za-z_]\w*", field):
            pairs.append((name or field, field))
    last = site.end_of_expression(closing + 2)
    value = site.slice(closing + 2, last)
    lines = [] if re.fullmatch(r"[\w.]+", value) else [f"let whole = {value}"]
    held = "whole" if lines else value
    lines += [f"let {name} = {held}.{field}" for name, field in pairs]
    edit = Edit(site.span(word, last), ("\n" + site.indent(site.starts[word])).join(lines))
    message = "a `let` declares one name"
    yield Proposal("destructuring", site.span(word, closing), message, "write one `let` for each field", (edit,))


def list_spreads(site: Site) -> Iterator[Proposal]:
    """`[...xs, 1]`: lists are joined by a builtin."""
    opened = site.open_before(site.at)
    opening = opened[-1] if opened else None
    closing = site.partners.get(opening) if opening is not None else None
    if opening is None or closing is None or site.kind(opening) != "[" or ".." not in site.kinds[opening:closing]:
        return
    borders = [opening, *(i for i in _level(site, opening, closing) if site.kinds[i] == ","), closing]
    parts: list[str] = []
    plain: list[str] = []
    for before, behind in pairwise(borders):
        if behind == before + 1:
            continue
        if site.kinds[before + 1] != "..":
            plain.append(site.slice(before + 1, behind - 1))
            continue
        if plain:
            parts.append(f"[{', '.join(plain)}]")
            plain = []
        parts.append(site.slice(before + 1, behind - 1).lstrip(". "))
    parts += [f"[{', '.join(plain)}]"] if plain else []
    if not all(parts):
        return
    written = parts[0]
    for part in parts[1:]:
        written = f"__builtin_list_concat({written}, {part})"
    span = site.span(opening, closing)
    message = "lists have no spread: `__builtin_list_concat` joins two of them"
    yield Proposal("list-spread", span, message, f"write `{written}`", (Edit(span, written),))


def _level(site: Site, opening: int, closing: int) -> Iterator[int]:
    """The tokens between two brackets that stand in no further ones."""
    depth = 0
    for index in range(opening + 1, closing):
        kind = site.kinds[index]
        depth -= kind in CLOSERS
        if depth == 0:
            yield index
        depth += kind in OPENERS


def unnamed_records(site: Site) -> Iterator[Proposal]:
    """`{ x: 1, y: 2 }` as a value: the record type that has these fields."""
    opened = site.open_before(site.at)
    opening = opened[-1] if opened else None
    closing = site.partners.get(opening) if opening is not None else None
    if opening is None or closing is None or site.kinds[opening] != "{" or site.kind(site.at) not in (":", ","):
        return
    inside = list(_level(site, opening, closing))
    fields = {
        site.word(i) for i in inside if site.kinds[i] == IDENT and site.kind(i + 1) == ":" and site.kind(i - 1) in ("{", ",")
    }
    for name, members in site.records.items():
        if fields and fields == set(members):
            message = f"a record is written with its type: `{name} {{ … }}`"
            place = site.starts[opening]
            yield Proposal("record-type", (place, place + 1), message, f"add `{name}`", (insert(place, f"{name} "),))


def small_forms(site: Site) -> Iterator[Proposal]:
    """`.5`, `P { "x": 1 }`, `case Red` in an enum, `Red { n: Int }` in an enum, `Option<Int, String>`."""
    at = site.at
    opened = site.open_before(at)
    role = site.role(opened[-1]) if opened else ""
    if site.kind(at) == "." and site.kind(at + 1) == INT and site.touches(at + 1):
        message = "a number begins with a digit"
        yield Proposal(
            "number", site.span(at, at + 1), message, f"write `0.{site.word(at + 1)}`", (insert(site.starts[at], "0"),)
        )
    if site.kind(at) == "{" and site.kind(at - 1) == "}" and _ends_branch(site, at - 1):
        place = site.ends[at - 1]
        yield Proposal("else", site.span(at), "the other branch begins with `else`", "add `else`", (insert(place, " else"),))
    if site.kind(at) == STRING and site.kind(at + 1) == ":" and opened:
        keys = [i for i in range(opened[-1], len(site.kinds)) if site.kinds[i] == STRING and site.kind(i + 1) == ":"]
        edits = tuple(Edit(site.span(i), match[1]) for i in keys if (match := _IDENTIFIER.fullmatch(site.word(i))))
        yield Proposal("field-name", site.span(at), "fields are named without quotes", "remove the quotes", edits)
    if role == "variants" and "case" in (site.word(at), site.word(at - 1)):
        words = [i for i in range(opened[-1], len(site.kinds)) if site.word(i) == "case" and site.kind(i + 1) == IDENT]
        edits = tuple(Edit((site.starts[i], site.starts[i + 1]), "") for i in words)
        commas = tuple(insert(site.ends[i - 1], ",") for i in words if site.kind(i - 1) not in ("{", ","))
        for chosen in ((*edits, *commas), edits):
            yield Proposal("remove-case", site.span(at), "variants are listed without `case`", "remove `case`", chosen)
    if role == "variants" and site.kind(at) == "{" and site.kind(at - 1) == IDENT and site.kind(at + 2) == ":":
        closing = site.partners.get(at)
        if closing is not None and "," not in [site.kinds[i] for i in _level(site, at, closing)][:-1]:
            written = f"({site.slice(at + 3, closing - 1).rstrip(', ')})"
            edit = Edit((site.ends[at - 1], site.ends[closing]), written)
            message = "the value of a variant has no name"
            yield Proposal("payload", site.span(at, closing), message, f"write `{site.word(at - 1)}{written}`", (edit,))
    if site.wants(">") and site.kind(at) == ",":
        head = next((i for i in range(at, max(0, at - 12), -1) if site.word(i) in ("Option", "List")), None)
        angle = closing_angle(site, head + 1) if head is not None else None
        if head is not None and angle is not None:
            edit = Edit((site.starts[at], site.starts[angle]), "")
            message = f"`{site.word(head)}` takes one type argument"
            yield Proposal("type-arguments", site.span(at, angle), message, "remove the others", (edit,), Confidence.MEDIUM)


def _ends_branch(site: Site, closing: int) -> bool:
    """True if a brace closes the first branch of an `if`."""
    opening = site.partners.get(closing)
    if opening is None:
        return False
    line = range(opening - 1, max(-1, opening - 40), -1)
    word = next((i for i in line if site.kinds[i] in ("if", "while", "for", "match", "else", "fn", "{", "}")), None)
    return word is not None and site.kinds[word] == "if"


def receivers(site: Site) -> Iterator[Proposal]:
    """`fn f(self, n: Int)`, `fn f(&self)`: functions have no receiver."""
    if site.word(site.at - 1) not in ("self", "this") or not site.wants(":") or site.kind(site.at) not in (",", ")"):
        return
    first = site.at - 1
    while site.kind(first - 1) in ("mut", "&"):
        first -= 1
    end = site.starts[site.at + 1] if site.kind(site.at) == "," else site.ends[site.at - 1]
    word = site.word(site.at - 1)
    message = "functions have no receiver"
    edit = Edit((site.starts[first], end), "")
    yield Proposal(f"remove-{word}", site.span(site.at - 1), message, f"remove `{word}`", (edit,))


# ---- functions in functions -------------------------------------------------------------------------------------------


def nested_functions(site: Site) -> Iterator[Proposal]:
    """`fn` within a body: moved behind the function that it stands in."""
    at = site.at
    opened = site.open_before(at)
    if site.kind(at) != "fn" or site.kind(at + 1) != IDENT or not opened:
        return
    body = _body_of(site, at)
    end = site.partners.get(body) if body is not None else None
    outer = site.partners.get(opened[0])
    if end is None or outer is None or outer < end:
        return
    text = site.text
    start = site.line_start(site.starts[at]) if site.begins_line(at) else site.starts[at]
    is_last = not text[site.ends[end] : site.line_end(site.ends[end])].strip()
    stop = site.next_line(site.ends[end]) if is_last else site.ends[end]
    indent = site.indent(site.starts[at]) if site.begins_line(at) else ""
    moved = site.slice(at, end).replace(f"\n{indent}", "\n")
    edits = (Edit((start, stop), ""), insert(site.ends[outer], f"\n\n{moved}"))
    message = "a function cannot contain another function"
    yield Proposal("nested-function", site.span(at, at + 1), message, "move it after this function", edits, Confidence.MEDIUM)


def _body_of(site: Site, word: int) -> int | None:
    """The brace that opens the body of the `fn` at a token."""
    opening = next((i for i in range(word + 1, min(word + 3, len(site.kinds))) if site.kinds[i] == "("), None)
    closing = site.partners.get(opening) if opening is not None else None
    return next((i for i in range(closing + 1, len(site.kinds)) if site.kinds[i] == "{"), None) if closing is not None else None


def anonymous_functions(site: Site) -> Iterator[Proposal]:
    """`|x| x + 1`, `(x) => x + 1`, `fn(x: Int) -> Int { … }` as a value: a function of its own behind this one."""
    closure = _bars(site) or _arrow(site) or _without_name(site)
    opened = site.open_before(site.at)
    outer = site.partners.get(opened[0]) if opened else None
    if closure is None or outer is None:
        return
    span, parameters, result, body = closure
    typed = [part if ":" in part else f"{part}: Int" for part in map(str.strip, parameters.split(",")) if part]
    name = next(name for number in range(1, 100) if (name := f"lambda_{number}") not in site.text)
    written = f"\n\nfn {name}({', '.join(typed)}){result or ' -> Int'} {body}"
    message = "there are no functions without a name"
    edits = (Edit(span, name), insert(site.ends[outer], written))
    yield Proposal("anonymous-function", span, message, f"make it a function, `{name}` for example", edits, Confidence.LOW)


_Lambda = tuple[Span, str, str, str]
"""Anonymous function: its span, parameters, result with the arrow (or ""), body between braces."""


def _bars(site: Site) -> _Lambda | None:
    if not site.lexical or site.text[site.place] != "|":
        return None
    behind = site.text.find("|", site.place + 1, site.line_end(site.place))
    first = site.token_at(behind) + 1
    if behind < 0 or site.kind(first) in ("", EOF):
        return None
    last = site.end_of_expression(first)
    body = site.slice(first, last)
    return (site.place, site.ends[last]), site.text[site.place + 1 : behind], "", _as_block(body)


def _arrow(site: Site) -> _Lambda | None:
    at = site.at
    opened = site.open_before(at)
    if site.kind(at) == ":" and opened:
        # The parameters have types: the parser gives up at the first of them.
        at = site.partners.get(opened[-1], at) + 1
    opening = site.partners.get(at - 1)
    if site.kind(at) != "=>" or (opening is None and site.kind(at - 1) != IDENT):
        return None
    first = at - 1 if opening is None else opening
    last = site.end_of_expression(at + 1)
    if last == at or (opening is not None and site.kind(opening) != "("):
        return None
    parameters = site.word(first) if opening is None else site.text[site.ends[first] : site.starts[at - 1]]
    return site.span(first, last), parameters, "", _as_block(site.slice(at + 1, last))


def _without_name(site: Site) -> _Lambda | None:
    at = site.at
    closing = site.partners.get(at + 1)
    body = _body_of(site, at)
    end = site.partners.get(body) if body is not None else None
    if site.kind(at) != "fn" or site.kind(at + 1) != "(" or closing is None or body is None or end is None:
        return None
    result = site.text[site.ends[closing] : site.starts[body]].rstrip()
    return site.span(at, end), site.text[site.ends[at + 1] : site.starts[closing]], result, site.slice(body, end)


def _as_block(body: str) -> str:
    return body if body.startswith("{") else f"{{ {body} }}"


def trailing_conditions(site: Site) -> Iterator[Proposal]:
    """`do { … } while c`: the body once, then the loop."""
    at = site.at
    for word in range(at, max(-1, at - 40), -1):
        closing = site.partners.get(word + 1)
        if site.word(word) != "do" or site.kind(word + 1) != "{" or closing is None or site.kind(closing + 1) != "while":
            continue
        last = site.end_of_expression(closing + 2)
        edits = (
            Edit((site.starts[word], site.starts[word + 1]), ""),
            insert(site.ends[last], f" {site.slice(word + 1, closing)}"),
        )
        message = "there is no loop with its condition at the end"
        yield Proposal("do-while", site.span(word), message, "write the body once before a `while`", edits, Confidence.MEDIUM)
        return


def propagation(site: Site) -> Iterator[Proposal]:
    """`f(x)?`: the error is handed on by a match."""
    if not site.lexical or site.text[site.place] != "?":
        return
    last = site.token_at(site.place)
    if last < 0 or site.ends[last] != site.place or site.kind(last) not in (")", IDENT):
        return
    first = _value_start(site, last)
    head = next((i for i in range(first, -1, -1) if site.kinds[i] == "fn"), 0)
    optional = "Option" in (site.word(i) for i in range(head, site.body_brace(head) or head))
    good, bad = ("Some(value)", "None") if optional else ("Ok(value)", "Err(error)")
    value = site.slice(first, last)
    written = f"match {value} {{ {good} => value, {bad} => {{ return {bad} }} }}"
    edit = Edit((site.starts[first], site.place + 1), written)
    message = "there is no `?`: return the error in a match"
    yield Proposal("propagation", (site.place, site.place + 1), message, "write the match", (edit,), Confidence.MEDIUM)


# ---- text around the program --------------------------------------------------------------------------------------------


def prose(site: Site) -> Iterator[Proposal]:
    """Sentences before or behind the program become comments."""
    if site.open_before(site.at) or (not site.wants_item and not site.lexical):
        return
    edits = []
    start = site.line_start(site.place)
    if not _PROSE.fullmatch(site.text, start, site.line_end(start)):
        return
    while start < len(site.text) and (site.line_end(start) == start or _PROSE.fullmatch(site.text, start, site.line_end(start))):
        edits += [insert(start, "// ")] if site.line_end(start) > start else []
        start = site.next_line(start)
    span = site.line_start(site.place), site.line_end(site.place)
    yield Proposal("prose", span, "this line is no program text", "make it a comment", tuple(edits))


def change_marks(site: Site) -> Iterator[Proposal]:
    """`+` at the start of every line: the text was copied out of a list of changes."""
    if site.kind(site.at) != "+" or site.text[site.line_start(site.place) : site.place]:
        return
    starts = [0, *(match.end() for match in re.finditer("\n", site.text))]
    marked = [start for start in starts if site.text.startswith("+", start)]
    edits = tuple(Edit((start, start + 1), "") for start in marked)
    message = "this mark belongs to a list of changes"
    yield Proposal("change-mark", site.span(site.at), message, "remove every `+` at the start of a line", edits)


RULES: Final[tuple[Rule, ...]] = (
    prose,
    change_marks,
    qualified_wrappers,
    result_order,
    conditional_expressions,
    destructuring,
    list_spreads,
    unnamed_records,
    small_forms,
    receivers,
    nested_functions,
    trailing_conditions,
    propagation,
)
LATE_RULES: Final[tuple[Rule, ...]] = (anonymous_functions,)
