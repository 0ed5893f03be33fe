"""Items: the arrow of a signature, the bodies of functions, records and enums, imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.suggestions.broken.error_site import Proposal, Rule, Site, deletion, insert, line_deletion
from analysis.suggestions.broken.keywords import FOREIGN_ITEMS
from analysis.suggestions.broken.type_notation import closing_angle
from analysis.syntax.lexer import EOF, IDENT, KEYWORDS, Tokens
from analysis.text.edits import Confidence, Edit, FixKind

_IMPORT_LINE: Final = re.compile(
    r"^[ \t]*(?:import|use|using|include|require|from|open)\b[ \t]*(?:\{[^}\n]*\}[ \t]*from[ \t]*|\([ \t]*)?"
    r"[\"'<]?[./]*([A-Za-z_@][\w.\-:/@]*)[\"'>]?\)?([^\n]*)$"
)


_CONSTANT: Final = re.compile(
    r"(?:const|let|var|val|static|final)[ \t]++(?:mut[ \t]++)?([A-Za-z_]\w*+)[ \t]*+"
    r"(?::[ \t]*+([A-Z]\w*+(?:<[\w<>, ]+>)?)[ \t]*+)?=[ \t]*+"
    r"([^;\n]*[^;\n \t])[ \t]*+;?(?=[ \t]*$)"
)
_LITERALS: Final = ((r"-?\d+", "Int"), (r"-?\d+\.\d+", "Float"), (r'"[^"]*"', "String"), (r"true|false", "Bool"))


def result_arrow(site: Site) -> Iterator[Proposal]:
    """`fn f() Int {`, `fn f(): Int {`, `fn f() => Int {`, a function type without its arrow, `fn f -> Int {`."""
    at = site.at
    before = site.kind(at - 1)
    if site.wants("{") and before == ")" and _is_signature(site, at - 1):
        if site.kind(at) == IDENT or site.kind(at) in ("(", "["):
            place = site.ends[at - 1]
            yield Proposal(
                "arrow", site.span(at), "write `->` before the result's type", "add `->`",
                (Edit((place, site.starts[at]), " -> "),) if not site.begins_line(at) else (insert(place, " ->"),),
            )  # fmt: skip
        elif site.kind(at) in (":", "=>", "=", "-", ">", "::"):
            span = site.span(at)
            lead = "" if site.text[span[0] - 1 : span[0]] in " \t\n" else " "
            end = site.ends[at + 1] if (site.kind(at), site.kind(at + 1)) == ("-", ">") else span[1]
            trail = "" if site.text[end : end + 1] in (" ", "\n") else " "
            message = f"write `->` before the result's type, not `{site.slice(at, at)}`"
            yield Proposal("arrow", span, message, "write `->`", (Edit((span[0], end), f"{lead}->{trail}"),))
    if site.wants("->"):
        place = site.ends[at - 1]
        if site.kind(at) in (":", "=>"):
            yield Proposal(
                "arrow",
                site.span(at),
                "write `->` before a function type's result",
                "write `->`",
                (Edit(site.span(at), "->"),),
            )
        yield Proposal("arrow", site.span(at), "write `->` before a function type's result", "add `->`", (insert(place, " ->"),))
    if site.wants("(") and before == IDENT and site.kind(at - 2) == "fn":
        place = site.ends[at - 1]
        if site.kind(at) == "<":
            closing = closing_angle(site, at)
            if closing is not None:
                span = site.span(at, closing)
                message = "functions have no type parameters"
                yield Proposal("no-generics", span, message, "remove them", (Edit(span, ""),), Confidence.MEDIUM)
        yield Proposal(
            "parentheses",
            (place, place),
            "the parameter list is missing",
            "add `()`",
            (insert(place, "()"),),
        )
        yield Proposal(
            "open-parenthesis",
            (place, place),
            "the parameter list begins with `(`",
            "add `(`",
            (Edit((place, site.starts[at]), "("),),
        )
    if site.wants(IDENT) and before == "->" and site.kind(at) in ("(", "{"):
        if site.kind(at) == "(" and site.kind(at + 1) == ")":
            span = site.span(at, at + 1)
            yield Proposal("unit", span, "there is no `()`: the type is `Unit`", "write `Unit`", (Edit(span, "Unit"),))
        elif site.kind(at) == "{":
            gone = Edit((site.ends[at - 2], site.ends[at - 1]), "")
            yield Proposal("arrow", site.span(at - 1), "no type follows `->`", "remove `->`", (gone,), Confidence.MEDIUM)


def _is_signature(site: Site, closing: int) -> bool:
    opening = site.partners.get(closing)
    return opening is not None and site.kind(opening - 1) == IDENT and site.kind(opening - 2) == "fn"


def expression_bodies(site: Site) -> Iterator[Proposal]:
    """`fn f() -> Int = 1` and `=> 1`: the body stands between braces."""
    at = site.at
    if not site.wants("{") or site.kind(at) not in ("=", "=>", ":"):
        return
    first = site.line_first(at)
    if site.kinds[first] not in ("fn", "export") or any(site.kinds[i] == "{" for i in site.open_before(at)):
        return
    if site.kind(at + 1) == "{":
        yield Proposal("body", site.span(at), f"no `{site.kind(at)}` comes before a body", "remove it", (deletion(site, at),))
        return
    last = site.end_of_expression(at + 1)
    if last > at:
        span = site.span(at)
        yield Proposal(
            "body",
            span,
            "write a body between braces",
            "write `{ … }`",
            (Edit(span, "{"), insert(site.ends[last], " }")),
            Confidence.MEDIUM,
        )


def bodies(site: Site) -> Iterator[Proposal]:
    """`type P = { … }`, `type P(…)`, `enum E = A | B`, `class P: …`."""
    at = site.at
    if not site.wants("{") or site.kind(at - 1) != IDENT or site.kind(at - 2) not in ("type", "enum"):
        return
    kind = site.kind(at)
    if kind in ("=", ":", "::", ":=") and site.kind(at + 1) == "{":
        yield Proposal("body", site.span(at), f"no `{site.word(at)}` comes before the body", "remove it", (deletion(site, at),))
    if kind == "(" and (closing := site.partners.get(at)) is not None:
        edits = (Edit((site.ends[at - 1], site.ends[at]), " { "), Edit(site.span(closing), " }"))
        yield Proposal("body", site.span(at), "write the fields between braces", "write `{ … }`", edits)
    if kind == "<" and (closing := closing_angle(site, at)) is not None:
        yield Proposal(
            "no-generics",
            site.span(at, closing),
            "types have no type parameters",
            "remove them",
            (Edit(site.span(at, closing), ""),),
            Confidence.MEDIUM,
        )
    if kind == "=" and site.is_capitalised(at + 1):
        last = site.line_last(at)
        while site.kind(last + 1) == IDENT and site.text[site.ends[last] : site.starts[last + 1]].strip() == "|":
            last = site.line_last(last + 1)
        text = site.text[site.ends[at] : site.ends[last]]
        if "|" in text:
            variants = ", ".join(part.strip() for part in text.split("|") if part.strip())
            edits = (Edit(site.span(at - 2), "enum"), Edit((site.starts[at], site.ends[last]), f"{{ {variants} }}"))
            yield Proposal("enum", site.span(at), "alternatives are an enum: `enum E { A, B }`", "write an enum", edits)


def imports(site: Site) -> Iterator[Proposal]:
    """`import a.b`, `use a::b`, `from a import b`, `import a as b`, `import { x } from "a"`, two imports in one."""
    offset = site.starts[site.at - 1] if site.at and site.wants_item and site.word(site.at) not in FOREIGN_ITEMS else site.place
    for place in (offset, site.place):
        start, end = site.line_start(place), site.line_end(place)
        match = _IMPORT_LINE.match(site.text, start, end)
        if match is None or site.word(site.token_at(start + len(site.indent(place)))) not in (
            "import",
            *FOREIGN_ITEMS,
            "from",
        ):
            continue
        name, rest = match[1], match[2].strip()
        parts = [name]
        if rest.startswith(","):
            parts += [part.strip() for part in rest.rstrip("; ").split(",") if part.strip()]
        # `from a import b`: the second half begins the next chunk; it becomes a comment.
        if end == len(site.text) and site.text.endswith(" ") and site.word(site.at) == "from":
            message = "an import names one library"
            edit = Edit((start, end), f"import {_imported(name)} // ")
            yield Proposal("import", (start, end), message, f"write `import {_imported(name)}`", (edit,), Confidence.MEDIUM)
            return
        written = "\n".join(f"import {_imported(part)}" for part in parts)
        message = 'an import names one library: `import name` or `import "name"`'
        yield Proposal(
            "import",
            (start, end),
            message,
            f"write `{written.splitlines()[0]}`",
            (Edit((start, end), written),),
            Confidence.MEDIUM,
        )


def _imported(name: str) -> str:
    plain = name.strip("\"'").removeprefix("./").removeprefix("../").removesuffix(".ax").replace("::", ".")
    last = plain.rsplit("/", 1)[-1]
    return last if re.fullmatch(r"[A-Za-z_]\w*(?:-[A-Za-z_]\w*)*", last) and last not in KEYWORDS else f'"{last}"'


def constants(site: Site) -> Iterator[Proposal]:
    """`const X: Int = 1`, `let x = 1` between items: a function without parameters."""
    match = _CONSTANT.match(site.text, site.line_start(site.place), site.line_end(site.place)) if site.wants_item else None
    if match is None:
        return
    name, declared, value = match.groups()
    kind = declared or next((kind for pattern, kind in _LITERALS if re.fullmatch(pattern, value)), None)
    result = f" -> {kind}" if kind else ""
    edit = Edit(match.span(), f"fn {name}(){result} {{ {value} }}")
    calls = [insert(end, "()") for end in values_named(site.tree.tokens, name) if end > match.end()]
    message, advice = "there are no values at the top level", f"make it a function and call it: `{name}()`"
    for edits in ((edit, *calls), (edit,)):
        yield Proposal("constant", match.span(), message, advice, edits, Confidence.MEDIUM, kind=FixKind.CONSTANT, name=name)


def values_named(tokens: Tokens, name: str) -> list[int]:
    """The ends of the tokens that read a value of a name; none where a local has it."""
    kinds = tokens.kinds
    places = [index for index, kind in paced(enumerate(kinds), 1_000) if kind == IDENT and tokens.word(index) == name]
    if any(kinds[index - 1] in ("let", "mut", "for", "fn") or kinds[index + 1] in (":", "=", "=>") for index in places if index):
        return []
    return [tokens.ends[index] for index in places if kinds[index + 1] not in ("(", "::") and kinds[index - 1] not in (".", "::")]


def late_module(site: Site) -> Iterator[Proposal]:
    """`module` behind other items, a lone `;` between items, values at the top level."""
    if not site.wants_item:
        return
    at = site.at
    if site.kind(at) == "module":
        yield Proposal(
            "module",
            site.span(at),
            "`module` can only be the first item",
            "remove it",
            (line_deletion(site, site.place),),
            Confidence.MEDIUM,
        )
    if site.kind(at) in ("let", "return", "if", "while", "for", "match", EOF) and site.begins_line(at):
        last = site.line_last(at)
        yield Proposal(
            "top-level", site.span(at, last), "a statement outside a function: only items can be at the top level",
            "remove it or move it into a function", (line_deletion(site, site.place),), Confidence.LOW,
        )  # fmt: skip


RULES: Final[tuple[Rule, ...]] = (imports, result_arrow, expression_bodies, bodies, constants, late_module)
