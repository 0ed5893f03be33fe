"""Types as other languages write them, and lists of names with types: parameters, fields, variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.suggestions.broken.error_site import Proposal, Rule, Site, insert
from analysis.syntax.lexer import IDENT
from analysis.text.edits import Confidence, Edit

_GUESSES: Final = {
    "Option": ("Int", "String"), "List": ("Int", "String"), "Result": ("Int, String", "String, Int"),
    "Map": ("String, Int", "String, String"),
}  # fmt: skip
"""Types that take arguments, with the arguments that are likeliest to be meant."""
_GENERIC: Final = {
    "Vec": "List", "Array": "List", "Seq": "List", "list": "List", "vector": "List", "Sequence": "List", "Slice": "List",
    "Iterable": "List", "HashMap": "Map", "Dict": "Map", "dict": "Map", "map": "Map", "BTreeMap": "Map", "Dictionary": "Map",
    "Record": "Map", "Maybe": "Option", "Optional": "Option", "option": "Option", "Either": "Result", "result": "Result",
}  # fmt: skip
_BEFORE_TYPE: Final = frozenset((":", "->", "<", ",", "("))


def parameters(site: Site) -> Iterator[Proposal]:
    """`x Int`, `Int x`, `x`, `x: Int = 1`, `mut x`, a trailing comma, in parameters and fields alike; all of the list."""
    opened = site.open_before(site.at)
    if not opened or site.role(opened[-1]) not in ("parameters", "fields"):
        return
    opening = opened[-1]
    at = site.at
    role = site.role(opening)
    if site.wants(":"):
        previous = site.at - 1
        if site.kind(at) in (IDENT, "[", "(", "fn"):
            if site.is_capitalised(previous) and site.kind(at) == IDENT and not site.is_capitalised(at):
                swapped = Edit(site.span(previous, at), f"{site.word(at)}: {site.word(previous)}")
                every = [
                    Edit(site.span(i, i + 1), f"{site.word(i + 1)}: {site.word(i)}")
                    for i in _element_starts(site, opening)
                    if site.is_capitalised(i) and site.kind(i + 1) == IDENT and not site.is_capitalised(i + 1)
                ]
                for edits in (tuple(every), (swapped,)):
                    yield Proposal(
                        "name-first",
                        site.span(previous, at),
                        "write the name before its type",
                        "write `name: Type`",
                        edits,
                    )
            every = [
                insert(site.ends[i], ":")
                for i in _element_starts(site, opening)
                if site.kinds[i] == IDENT and site.kind(i + 1) == IDENT and not site.begins_line(i + 1)
            ]
            for edits in (tuple(every), (insert(site.ends[previous], ":"),)):
                yield Proposal("colon", site.span(previous), "write a colon between a name and its type", "add `:`", edits)
        if site.kind(at) in ("=", "::", "->", ";", "=>", "-"):
            yield Proposal("colon", site.span(at), "write a colon between a name and its type", "write `:`", (_colon(site, at),))
        if site.kind(at) in (",", ")", "}") and role == "parameters":
            name = site.word(previous)
            for guess in ("Int", "String"):
                message, advice = f"the parameter `{name}` has no type", f"add its type: `{name}: {guess}`"
                edit = insert(site.ends[previous], f": {guess}")
                yield Proposal(
                    "parameter-type", site.span(previous), message, advice, (edit,), Confidence.LOW, is_placeholder=True
                )
    if site.wants(",") and site.kind(at) == "=":
        last = site.end_of_expression(at + 1)
        start = site.ends[at - 1]
        what = "parameters" if role == "parameters" else "fields"
        yield Proposal(
            "default",
            site.span(at, last),
            f"{what} have no default value",
            "remove the default value",
            (Edit((start, site.ends[last]), ""),),
            Confidence.MEDIUM,
        )


def _colon(site: Site, index: int) -> Edit:
    start = site.ends[index - 1]
    trail = "" if site.text[site.ends[index] : site.ends[index] + 1] in (" ", "\n") else " "
    return Edit((start, site.ends[index]), ":" + trail)


def _element_starts(site: Site, opening: int) -> Iterator[int]:
    """The first tokens of the elements of a list of names."""
    closing = site.partners.get(opening, len(site.kinds) - 1)
    depth = 0
    for index in range(opening + 1, closing):
        kind = site.kinds[index]
        if depth == 0 and (index == opening + 1 or site.kinds[index - 1] in (",", ";") or site.begins_line(index)):
            yield index
        depth += (kind in "([{<") - (kind in ")]}>")


def elements(site: Site) -> Iterator[Proposal]:
    """Separators in records and enums: `;`, none at the line's end, a value of a variant, modifiers of fields."""
    opened = site.open_before(site.at)
    if not opened or site.role(opened[-1]) not in ("fields", "variants", "capabilities"):
        return
    at, role = site.at, site.role(opened[-1])
    if site.wants(",") and site.kind(at) == IDENT:
        closing = site.partners.get(opened[-1], len(site.kinds) - 1)
        every = [
            insert(site.ends[i - 1], ",")
            for i in range(opened[-1] + 2, closing)
            if site.kinds[i] == IDENT and site.begins_line(i) and site.kinds[i - 1] not in (",", "{", "(", "<", ":")
        ]
        place = site.ends[at - 1]
        for edits in ((insert(place, ","),), tuple(every)):
            yield Proposal("comma", (place, place), "a comma is missing", "add `,`", edits)
    if site.kind(at) == "=" and role == "variants":
        last = site.end_of_expression(at + 1)
        edit = Edit((site.ends[at - 1], site.ends[last]), "")
        yield Proposal("variant-value", site.span(at, last), "variants have no numbers", "remove it", (edit,), Confidence.MEDIUM)
    if (
        site.wants(":")
        and site.kind(at) == IDENT
        and site.word(at - 1) in ("pub", "public", "let", "var", "val", "const", "mut", "private", "readonly")
    ):
        word = site.word(at - 1)
        edits = tuple(
            Edit((site.starts[i], site.starts[i + 1]), "") for i in range(opened[-1], len(site.kinds) - 1)
            if site.word(i) == word and site.kind(i + 1) == IDENT
        )  # fmt: skip
        yield Proposal(f"remove-{word}", site.span(at - 1), f"fields have no `{word}`", f"remove `{word}`", edits)


def type_arguments(site: Site) -> Iterator[Proposal]:
    """`List[Int]`, `List(Int)`, a bare `List`, `Result<Int>`."""
    at = site.at
    kind, previous = site.kind(at), site.word(at - 1)
    if site.wants("<") and previous in _GUESSES:
        closing = site.partners.get(at) if kind in ("[", "(") else None
        if closing is not None:
            edits = (Edit(site.span(at), "<"), Edit(site.span(closing), ">"))
            message = "write type arguments between `<` and `>`"
            yield Proposal("type-arguments", site.span(at, closing), message, "write `<…>`", edits)
        for arguments in _GUESSES[previous]:
            message, advice = f"`{previous}` lacks its type arguments", f"add them: `{previous}<{arguments}>`"
            edit = insert(site.ends[at - 1], f"<{arguments}>")
            yield Proposal("type-arguments", site.span(at - 1), message, advice, (edit,), Confidence.LOW, is_placeholder=True)
    if site.wants(",") and kind == ">" and site.kind(at - 1) in (IDENT, ">"):
        head = next((i for i in range(at - 1, max(0, at - 12), -1) if site.word(i) in ("Result", "Map")), None)
        if head is not None and site.kind(head + 1) == "<":
            edit = (
                insert(site.ends[at - 1], ", String") if site.word(head) == "Result" else insert(site.ends[head + 1], "String, ")
            )
            message = f"`{site.word(head)}` takes two type arguments"
            yield Proposal(
                "type-arguments", site.span(head, at), message, "add the second one", (edit,), Confidence.LOW, is_placeholder=True
            )


def foreign_types(site: Site) -> Iterator[Proposal]:
    """`[Int]`, `Int[]`, `Int?`, `fn(Int) -> Int`, `(Int) -> Int`, `(Int)`, `()`."""
    at = site.at
    kind = site.kind(at)
    closing = site.partners.get(at)
    if site.wants(IDENT) and site.kind(at - 1) in _BEFORE_TYPE:
        if kind == "[" and closing is not None:
            yield _list_type(site, at, closing, (Edit(site.span(at), "List<"), Edit(site.span(closing), ">")), "List<…>")
        if kind == "fn":
            yield _function_type(site, (Edit(site.span(at), "Fn"),))
        if kind == "(" and closing is not None:
            yield from _in_parentheses(site, closing)
    if kind == "[" and site.kind(at + 1) == "]" and site.kind(at - 1) == IDENT:
        new = f"List<{site.word(at - 1)}>"
        yield _list_type(site, at - 1, at + 1, (Edit(site.span(at - 1, at + 1), new),), new)
    if site.lexical and site.text[site.place] == "?" and site.kind(at - 1) == IDENT and site.ends[at - 1] == site.place:
        span = (site.starts[at - 1], site.place + 1)
        if site.kind(at - 2) in _BEFORE_TYPE:
            new = f"Option<{site.word(at - 1)}>"
            yield Proposal("option-type", span, "an optional value's type is `Option<…>`", f"write `{new}`", (Edit(span, new),))


def _in_parentheses(site: Site, closing: int) -> Iterator[Proposal]:
    at = site.at
    span = site.span(at, closing)
    if site.kind(closing + 1) in ("->", "=>"):
        yield _function_type(site, (insert(site.starts[at], "Fn"), Edit(site.span(closing + 1), "->")))
    elif closing == at + 1:
        yield Proposal("unit", span, "there is no `()`: the type is `Unit`", "write `Unit`", (Edit(span, "Unit"),))
    elif closing == at + 2:
        gone = (Edit(site.span(at), ""), Edit(site.span(closing), ""))
        yield Proposal("parentheses", span, "write types without parentheses", "remove them", gone)


def _list_type(site: Site, first: int, last: int, edits: tuple[Edit, ...], new: str) -> Proposal:
    return Proposal("list-type", site.span(first, last), "a list's type is `List<…>`", f"write `{new}`", edits)


def _function_type(site: Site, edits: tuple[Edit, ...]) -> Proposal:
    return Proposal("function-type", site.span(site.at), "a function's type begins with `Fn`", "write `Fn(…) -> …`", edits)


def generic_types(site: Site) -> Iterator[Proposal]:
    """`Vec<Int>`, `Dict[String, Int]`, `Point<Int>`."""
    at = site.at
    kind, previous = site.kind(at), site.word(at - 1)
    if kind not in ("<", "[") or site.kind(at - 1) != IDENT:
        return
    meant = _GENERIC.get(previous)
    closing = closing_angle(site, at) if kind == "<" else site.partners.get(at)
    if closing is None:
        return
    if meant:
        message, advice = f"there is no type `{previous}<…>`", f"write `{meant}`"
        same = [i for i in site.all_of(IDENT) if site.word(i) == previous and site.kind(i + 1) == kind]
        edits = tuple(Edit(site.span(i), meant) for i in same)
        if kind == "[":
            edits = (Edit(site.span(at - 1, at), f"{meant}<"), Edit(site.span(closing), ">"))
        yield Proposal(f"type-{previous}", site.span(at - 1), message, advice, edits)
    elif kind == "<" and site.is_capitalised(at - 1):
        span = site.span(at, closing)
        message = f"`{previous}` takes no type arguments"
        yield Proposal("no-generics", span, message, "remove them", (Edit(span, ""),), Confidence.MEDIUM)


def closing_angle(site: Site, opening: int) -> int | None:
    """The `>` that closes the `<` at a token, if it is near."""
    depth = 0
    for index in range(opening, min(len(site.kinds), opening + 40)):
        depth += (site.kinds[index] == "<") - (site.kinds[index] == ">")
        if depth == 0:
            return index
    return None


RULES: Final[tuple[Rule, ...]] = (parameters, elements, type_arguments, foreign_types, generic_types)
