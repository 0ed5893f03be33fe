"""Statements: `let` without its colon, foreign declarations, compound assignment, branches without braces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.suggestions.broken.error_site import CLOSERS, OPENERS, OPERATORS, Proposal, Rule, Site, deletion, insert
from analysis.suggestions.broken.keywords import SURPLUS_WORDS
from analysis.syntax.lexer import EOF, IDENT
from analysis.syntax.parser import Production
from analysis.text.edits import Confidence, Edit

_DECLARING: Final = {
    "var": "let mut",
    "const": "let",
    "val": "let",
    "auto": "let",
    "final": "let",
    "static": "let",
    "local": "let",
    "lett": "let",
}
_COMPOUND: Final = frozenset(("+", "-", "*", "/", "%", "++"))
_DEFAULTS: Final = {"Int": "0", "String": '""', "Bool": "false", "Float": "0.0", "List": "[]", "Option": "None"}


def let_colon(site: Site) -> Iterator[Proposal]:
    """`let x Int = 1`, `let x := 1`, `let x`, `let x: Int`, `let mut` the other way round."""
    at = site.at
    head = _let_head(site, at)
    if head is None:
        return
    name = head + 1 + (site.kind(head + 1) == "mut")
    if site.wants("="):
        yield from _let_signs(site, name)
        yield from _let_without_value(site, name)
    if site.wants(IDENT) and at == name + 2 and site.kind(at) == "=" and site.kind(at - 1) == ":":
        yield Proposal(
            "let-equals",
            site.span(at - 1, at),
            "`:=` is no sign",
            "write `=`",
            (Edit((site.ends[name], site.ends[at]), " ="),),
        )
    if site.wants(IDENT) and at == head + 1:
        if site.kind(at) == "_":
            yield Proposal(
                "let-name",
                site.span(at),
                "`_` cannot be a name here",
                "write `_unused`",
                (Edit(site.span(at), "_unused"),),
            )
        if site.kind(at) == "let":
            yield Proposal(
                "let-twice",
                site.span(at),
                "repeated `let`",
                "remove one",
                (Edit((site.starts[at], site.starts[at + 1]), ""),),
            )
    if site.wants_expression and site.kind(at - 1) == "=" and (site.begins_line(at) or site.kind(at) in ("}", EOF)):
        declared = site.word(name + 2) if site.kind(name + 1) == ":" else ""
        default = _DEFAULTS.get(declared, "0")
        message, advice = f"`{site.word(name)}` gets no value", f"add a value: `{default}`"
        edit = insert(site.ends[at - 1], f" {default}")
        yield Proposal("let-value", site.span(name), message, advice, (edit,), Confidence.LOW, is_placeholder=True)


def _let_signs(site: Site, name: int) -> Iterator[Proposal]:
    """The `:` before a type, the `=` before a value; `name` is the index of the declared name."""
    at = site.at
    if at == name + 1 and site.kind(at) in (IDENT, "(", "[") and not site.begins_line(at):
        place = site.ends[name]
        yield Proposal(
            "let-colon",
            site.span(at),
            "write a colon between a name and its type",
            "add `:`",
            (insert(place, ":"),),
        )
        place = site.starts[at]
        yield Proposal(
            "let-equals",
            site.span(at),
            "write `=` before the value",
            "add `=`",
            (insert(place, "= "),),
            Confidence.MEDIUM,
        )
    if site.kind(at) in ("==", ":", "=>", "->", "<", "::"):
        span = site.span(at)
        end = site.ends[at + 1] if (site.kind(at), site.kind(at + 1)) in ((":", "="), ("<", "-")) else span[1]
        yield Proposal("let-equals", (span[0], end), "write `=` before the value", "write `=`", (Edit((span[0], end), "="),))
    elif not site.begins_line(at) and site.kind(at) not in (*CLOSERS, EOF) and (at > name + 1 or site.kind(at) != IDENT):
        yield Proposal("let-equals", site.span(at), "write `=` before the value", "add `=`", (insert(site.starts[at], "= "),))


def _let_without_value(site: Site, name: int) -> Iterator[Proposal]:
    at = site.at
    if site.begins_line(at) or site.kind(at) in ("}", EOF):
        declared = site.word(name + 2) if site.kind(name + 1) == ":" else ""
        default = _DEFAULTS.get(declared, "0")
        message = f"`{site.word(name)}` gets no value"
        confidence = Confidence.MEDIUM if declared in _DEFAULTS else Confidence.LOW
        yield Proposal(
            "let-value",
            site.span(name),
            message,
            f"add a value: `= {default}`",
            (insert(site.ends[at - 1], f" = {default}"),),
            confidence,
            is_placeholder=True,
        )


def _let_head(site: Site, at: int) -> int | None:
    """The `let` of the statement in which an error lies, if it lies before the value."""
    for index in range(at - 1, max(-1, at - 16), -1):
        kind = site.kind(index)
        if kind == "let":
            return index
        if kind in ("{", "}", ";") and index < at:
            return None
    return None


def declarations(site: Site) -> Iterator[Proposal]:
    """`var x: Int = 1`, `const x: Int = 1`, `x: Int = 1`, `x := 1`, `mut x = 1`, `Int x = 1` next to an error."""
    at = site.at
    if site.kind(at) == "mut" and site.kind(at + 1) == IDENT and site.kind(at - 1) != "let":
        yield Proposal(
            "let",
            site.span(at),
            "a variable is declared with `let mut`",
            "write `let mut`",
            (Edit(site.span(at), "let mut"),),
        )
    if site.kind(at) == ":" and site.kind(at - 1) == IDENT:
        previous = at - 2
        word = site.word(previous)
        if word == "mut" and site.word(previous - 1) in _DECLARING:
            previous -= 1
            word = site.word(previous)
        if word in _DECLARING and site.kind(previous) == IDENT:
            every = [
                Edit(site.span(i), _DECLARING[word])
                for i in site.all_of(IDENT)
                if site.word(i) == word and site.kind(i + 1) == IDENT
            ]
            message = f"there is no `{word}`"
            yield Proposal(f"keyword-{word}", site.span(previous), message, f"write `{_DECLARING[word]}`", tuple(every))
        elif site.begins_line(at - 1) or previous < 0 or site.kind(previous) in ("{", "}", ";"):
            name = site.span(at - 1)
            if site.kind(at + 1) == "=":
                edits = (insert(name[0], "let "), Edit((name[1], site.ends[at + 1]), " ="))
                yield Proposal("let", site.span(at - 1, at + 1), "a variable is declared with `let`", "write `let … =`", edits)
            else:
                yield Proposal("let", name, "a variable is declared with `let`", "add `let`", (insert(name[0], "let "),))


def compound(site: Site) -> Iterator[Proposal]:
    """`x += 1`, `x++`, `++x`, `x--`: all of the chunk at once."""
    edits: list[Edit] = []
    first: int | None = None
    last = 0
    for index in paced(range(1, len(site.kinds) - 1), 1_000):
        kind, after = site.kinds[index], site.kinds[index + 1]
        # What an edit changes, no other one can.
        if index <= last or site.kinds[index - 1] != IDENT:
            continue
        begins = site.begins_line(index - 1) or site.kind(index - 2) in ("{", "}", ";", "=>", ")", "")
        name = site.word(index - 1)
        if begins and kind in _COMPOUND and after == "=" and site.touches(index + 1):
            last = site.end_of_expression(index + 2)
            value = site.slice(index + 2, last) if last >= index + 2 else ""
            if kind not in ("+", "++") and any(site.kinds[i] in OPERATORS for i in range(index + 2, last + 1)):
                value = f"({value})"
            if value:
                edits.append(Edit((site.starts[index], site.ends[last]), f"= {name} {kind} {value}"))
                first = _nearer(site, first, index)
        elif kind == "++" and site.touches(index) and begins and _ends_statement(site, index + 1):
            edits.append(Edit(site.span(index), f" = {name} + 1"))
            first = _nearer(site, first, index)
        elif (
            kind == "-"
            and after == "-"
            and site.touches(index)
            and site.touches(index + 1)
            and begins
            and _ends_statement(site, index + 2)
        ):
            edits.append(Edit(site.span(index, index + 1), f" = {name} - 1"))
            first = _nearer(site, first, index)
    for index in paced(range(1, len(site.kinds) - 1), 1_000):
        if (
            site.kinds[index] == "++"
            and site.kinds[index + 1] == IDENT
            and site.touches(index + 1)
            and site.kinds[index - 1] in ("{", "}", ";")
        ):
            name = site.word(index + 1)
            edits.append(Edit(site.span(index, index + 1), f"{name} = {name} + 1"))
            first = _nearer(site, first, index)
    if first is not None and edits:
        sign = site.text[site.starts[first] : site.ends[first]] + ("=" if site.kind(first + 1) == "=" else "")
        span = site.span(first, first + 1) if site.kind(first + 1) == "=" else site.span(first)
        yield Proposal("compound", span, f"there is no `{sign}` statement", "write `x = x + …`", tuple(edits))


def _nearer(site: Site, first: int | None, index: int) -> int:
    return index if first is None or abs(index - site.at) < abs(first - site.at) else first


def _ends_statement(site: Site, index: int) -> bool:
    return site.kind(index) in ("}", EOF, ";", ",", ")") or site.begins_line(index)


def assignments(site: Site) -> Iterator[Proposal]:
    """`r.f = v` becomes an assignment of a changed record, `xs[i] = v` has no equal; `a = b = 1` becomes two."""
    if site.production is not Production.ASSIGNMENT:
        return
    start, end = site.error.start, site.error.end
    target = site.text[start:end]
    match = re.fullmatch(r"([A-Za-z_]\w*)\.([A-Za-z_]\w*)", target)
    equals = site.at - 1
    if match and site.kind(equals) == "=":
        name, field = match.groups()
        last = site.end_of_expression(site.at)
        value = site.slice(site.at, last)
        type_name = _type_of(site, name)
        if type_name:
            new = f"{name} = {type_name} {{ ..{name}, {field}: {value} }}"
            edit = Edit((start, site.ends[last]), new)
            yield Proposal(
                "field-update",
                (start, end),
                "a field cannot be assigned: records do not change",
                f"write `{new}`",
                (edit,),
                Confidence.MEDIUM,
            )
    if site.kind(equals) == "=":
        yield Proposal(
            "double-equals",
            site.span(equals),
            "only a variable can be assigned",
            "write `==` to compare",
            (Edit(site.span(equals), "=="),),
            Confidence.LOW,
        )


def _type_of(site: Site, name: str) -> str | None:
    """The type of a variable as its declaration or its first value shows it."""
    word = re.escape(name)
    match = re.search(rf"\b{word}\s*:\s*([A-Z]\w*)\b(?!\s*<)", site.text) or re.search(
        rf"\blet\s+(?:mut\s+)?{word}\s*=\s*([A-Z]\w*)\s*\{{", site.text
    )
    return match[1] if match else None


def bodies_without_braces(site: Site) -> Iterator[Proposal]:
    """`if c return 1`, `if (c) a else b`, `else x`: the branch on its line gets its braces."""
    at = site.at
    if not site.wants("{") or not at or site.kind(at) in (*CLOSERS, EOF, "=", ":", "=>"):
        return
    first = at
    edits: list[Edit] = []
    if site.word(at) in SURPLUS_WORDS:
        return
    if site.begins_line(at) and len(site.indent(site.starts[at])) <= len(site.indent(site.starts[at - 1])):
        return
    stop = site.line_last(first)
    split = next((i for i in range(first, stop + 1) if site.kinds[i] == "else"), None)
    end = split - 1 if split is not None else stop
    depth = 0
    for index in range(first, end + 1):
        depth += (site.kinds[index] in OPENERS) - (site.kinds[index] in CLOSERS)
        if depth < 0:
            end = index - 1
            break
    edits += [insert(site.starts[first], "{ "), insert(site.ends[end], " }")]
    following = split if split is not None else end + 1
    if site.kind(following) == "else" and site.kind(following + 1) not in ("{", "if"):
        last = site.end_of_expression(following + 1)
        edits += [insert(site.starts[following + 1], "{ "), insert(site.ends[last], " }")]
    yield Proposal("braces", site.span(first, end), "write a branch between braces", "write `{ … }`", tuple(edits))


def colon_blocks(site: Site) -> Iterator[Proposal]:
    """Blocks as Python writes them: a colon, then deeper lines. The whole function is rewritten by its indentation."""
    at = site.at
    if site.kind(at) != ":" or not site.begins_line(at + 1):
        return
    lines = site.text.split("\n")
    edits: list[Edit] = []
    stack: list[int] = []
    offset = 0
    last_end = 0
    for line in lines:
        content = line.split("//")[0].rstrip()
        stripped = content.strip()
        column = len(line) - len(line.lstrip())
        if stripped:
            while stack and column <= stack[-1]:
                blanks = " " * stack.pop()
                if column == len(blanks) and stripped.startswith("}"):
                    # Only its opening brace is missing.
                    break
                joins = stripped.startswith(("else", "elif")) and column == len(blanks) and (not stack or column > stack[-1])
                edits.append(insert(offset + column, "} ") if joins else insert(last_end, f"\n{blanks}}}"))
            last_end = offset + len(line.rstrip())
            if content.endswith(":") and re.match(r"(if|else|elif|while|for|def|fn|match|export)\b", stripped):
                edits.append(Edit((offset + len(content) - 1, offset + len(content)), " {"))
                stack.append(column)
                if stripped.startswith("elif "):
                    edits.append(Edit((offset + column, offset + column + 4), "else if"))
        offset += len(line) + 1
    while stack:
        edits.append(insert(last_end, f"\n{' ' * stack.pop()}}}"))
    merged: dict[tuple[int, int], str] = {}
    for edit in edits:
        merged[edit.span] = merged.get(edit.span, "") + edit.new_text
    yield Proposal(
        "braces", site.span(at), "write blocks between braces", "write `{ … }`",
        tuple(Edit(span, new) for span, new in merged.items()), Confidence.MEDIUM,
    )  # fmt: skip


def commas(site: Site) -> Iterator[Proposal]:
    """A statement that a comma ends."""
    opened = site.open_before(site.at)
    if site.kind(site.at) == "," and site.wants_expression and opened and site.role(opened[-1]) == "block":
        yield Proposal("surplus-comma", site.span(site.at), "statements have no commas", "remove `,`", (deletion(site, site.at),))


RULES: Final[tuple[Rule, ...]] = (
    let_colon, declarations, compound, assignments, bodies_without_braces, colon_blocks, commas,
)  # fmt: skip
