"""Misspelt keywords and the keywords of other languages, at the place where the rest of the statement shows what was meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database.caches import cached
from analysis.suggestions.broken.error_site import OPERATORS, Proposal, Rule, Site, deletion, idents_before
from analysis.syntax.lexer import EOF, IDENT, KEYWORDS
from analysis.text.edits import Confidence, Edit, FixKind

ITEM_WORDS: Final = ("fn", "type", "enum", "import", "export", "module")
FOREIGN_ITEMS: Final = {
    "def": "fn", "func": "fn", "function": "fn", "fun": "fn", "proc": "fn", "procedure": "fn", "sub": "fn", "method": "fn",
    "defn": "fn", "fnc": "fn", "lambda": "fn",
    "struct": "type", "record": "type", "class": "type", "interface": "type", "data": "type", "object": "type", "typedef": "type",
    "union": "enum", "variant": "enum", "enumeration": "enum",
    "use": "import", "using": "import", "include": "import", "require": "import", "open": "import",
    "pub": "export", "public": "export",
}  # fmt: skip
_FOREIGN_STATEMENTS: Final = {
    "var": "let mut", "const": "let", "val": "let", "auto": "let", "final": "let", "static": "let", "local": "let", "my": "let",
    "foreach": "for", "switch": "match", "case": "match", "when": "match", "inspect": "match",
}  # fmt: skip
_STATEMENT_WORDS: Final = ("let", "if", "while", "for", "match", "return")
_MODIFIERS: Final = frozenset("async static private protected internal virtual override inline abstract final unsafe".split())

SURPLUS_WORDS: Final = frozenset(("then", "do", "end", "begin", "new", "mut", "await", "const", "ref"))
_NO_NAMES: Final = frozenset(("true", "false", "None", "Some", "Ok", "Err", "fn", "let", "if", "else", "return", "while", "for"))


@cached(4_096)
def near(word: str, keyword: str) -> bool:
    """True if a word is a slip of the fingers away from a keyword: one edit, a swap counting as one, two in long words."""
    limit = 1 if len(keyword) < 6 else 2
    return word != keyword and abs(len(word) - len(keyword)) <= limit and distance(word, keyword) <= limit


def distance(left: str, right: str) -> int:
    """Edits between two words; swapping two neighbours is one."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def item_keywords(site: Site) -> Iterator[Proposal]:
    """`def`, `struct`, `fucn` where an item begins: the same word everywhere in the chunk."""
    if not site.wants_item:
        return
    if site.kind(site.at) != IDENT:
        yield from _unnamed_items(site)
        return
    at, word = site.at, site.word(site.at)
    span = site.span(at)
    if (word in _MODIFIERS or FOREIGN_ITEMS.get(word) == "export") and site.kind(at + 1) == EOF:
        # The item itself begins the next chunk.
        message = f"there is no `{word}`: `export` marks public items"
        yield Proposal(f"keyword-{word}", span, message, f"remove `{word}`", (Edit((span[0], len(site.text)), ""),))
    if word in _MODIFIERS and site.kind(at + 1) in (IDENT, *ITEM_WORDS):
        message = f"there is no `{word}`"
        yield Proposal(f"keyword-{word}", span, message, f"remove `{word}`", (_removal(site, at),))
    meant = FOREIGN_ITEMS.get(word) or FOREIGN_ITEMS.get(word.lower())
    if meant:
        message = f"`{word}` is no keyword here: it is `{meant}`"
        same = [i for i in site.all_of(IDENT) if site.word(i) == word and _heads_item(site, i)]
        for indices in (same, [at]):
            edits = tuple(Edit(site.span(i), meant) for i in indices)
            yield Proposal(f"keyword-{word}", span, message, f"write `{meant}`", edits)
    for keyword in ITEM_WORDS:
        if near(word, keyword) and site.kind(at + 1) in (IDENT, "STRING", *ITEM_WORDS):
            yield Proposal(f"keyword-{word}", span, f"`{word}` is no keyword", f"write `{keyword}`", (Edit(span, keyword),))
    if site.is_capitalised(at) and site.kind(at + 1) == "{":
        keyword = _item_of(site, at + 1)
        message = f"this item lacks its keyword: `{keyword}`"
        yield Proposal(keyword, span, message, f"add `{keyword}`", (Edit((span[0], span[0]), f"{keyword} "),))
    if site.kind(at + 1) == IDENT and site.kind(at + 2) == "{" and not meant:
        keyword = _item_of(site, at + 2)
        yield Proposal(keyword, span, f"`{word}` is no keyword", f"write `{keyword}`", (Edit(span, keyword),), Confidence.LOW)
    if site.kind(at + 1) == "(":
        yield Proposal("fn", span, "a function begins with `fn`", "add `fn`", (Edit((span[0], span[0]), "fn "),))
    if site.kind(at + 1) == IDENT and site.kind(at + 2) == "(":
        yield Proposal("fn", span, "a function begins with `fn`", "write `fn`", (Edit(span, "fn"),), Confidence.LOW)


def _unnamed_items(site: Site) -> Iterator[Proposal]:
    """Something that is no word where the keyword of an item should stand."""
    at = site.at
    if site.kind(at + 1) == IDENT and site.kind(at + 2) in ("{", "("):
        keyword = _item_of(site, at + 2)
        message = f"an item begins with its keyword, not with `{site.word(at)}`"
        edit = Edit(site.span(at), keyword)
        yield Proposal(keyword, site.span(at), message, f"write `{keyword}`", (edit,), Confidence.MEDIUM)


def _item_of(site: Site, opening: int) -> str:
    """The keyword that an item with such a bracket behind its name has."""
    if site.kinds[opening] == "(":
        return "fn"
    return "type" if site.kind(opening + 2) == ":" else "enum"


def _heads_item(site: Site, index: int) -> bool:
    return site.kind(index + 1) in (IDENT, *ITEM_WORDS) and (
        index == 0 or site.begins_line(index) or site.kind(index - 1) in ("export", IDENT)
    )


def _removal(site: Site, index: int) -> Edit:
    """Takes a word away with the blanks behind it."""
    start = site.starts[index]
    return Edit((start, site.starts[index + 1]), "")


def statement_keywords(site: Site) -> Iterator[Proposal]:
    """Misspelt and foreign words before the error, in its statement."""
    for index in idents_before(site, 24):
        word = site.word(index)
        following = site.kind(index + 1)
        if index < site.at and following in ("(", ".", ",", ")", "=", "]", "::", EOF) and not site.begins_line(index):
            continue
        span = site.span(index)
        meant = _FOREIGN_STATEMENTS.get(word)
        if meant and following in (IDENT, "(", "INT", "STRING"):
            yield Proposal(f"keyword-{word}", span, f"there is no `{word}`", f"write `{meant}`", (Edit(span, meant),))
        for keyword in sorted(KEYWORDS):
            if len(word) > 1 and near(word, keyword) and (len(word) > 2 or index in (site.at, site.at - 1)):
                message = f"`{word}` is no keyword"
                yield Proposal(f"keyword-{word}", span, message, f"write `{keyword}`", (Edit(span, keyword),), Confidence.MEDIUM)


def upper_case_words(site: Site) -> Iterator[Proposal]:
    """`Let`, `IF`, `Fn`: keywords in other letters, `True` and `False` where they break the text."""
    for index in idents_before(site, 12):
        word = site.word(index)
        lower = word.lower()
        if lower != word and (lower in KEYWORDS):
            yield Proposal(
                f"keyword-{word}",
                site.span(index),
                f"`{word}` is written `{lower}`",
                f"write `{lower}`",
                (Edit(site.span(index), lower),),
            )
        elif word in ("none", "some", "ok", "err", "null", "nil", "Null", "Nil", "undefined") and site.kind(index + 1) != ":":
            right = {"none": "None", "some": "Some", "ok": "Ok", "err": "Err"}.get(word, "None")
            yield Proposal(
                f"keyword-{word}",
                site.span(index),
                f"there is no `{word}`",
                f"write `{right}`",
                (Edit(site.span(index), right),),
            )


def keyword_as_name(site: Site) -> Iterator[Proposal]:
    """`type`, `match`, `in`, … as the name of a variable, parameter or field: renamed everywhere in the chunk."""
    if not site.wants(IDENT) and not site.wants_pattern and not site.wants_expression:
        return
    kind = site.kind(site.at)
    if kind not in KEYWORDS or kind in _NO_NAMES:
        return
    new = f"{kind}_"
    edits = tuple(Edit(site.span(i), new) for i in site.all_of(kind) if i == site.at or _names(site, i))
    message = f"`{kind}` is a keyword and cannot be a name"
    yield Proposal(
        f"rename-{kind}",
        site.span(site.at),
        message,
        f"rename it, to `{new}` for example",
        edits,
        Confidence.MEDIUM,
        kind=FixKind.RENAMING,
    )


def _names(site: Site, index: int) -> bool:
    """True if a keyword stands where a name is meant."""
    before, after = site.kind(index - 1), site.kind(index + 1)
    return (
        before in (".", "let", "mut", "for")
        or after in (":", "=", ")", ",", ".", "}", "]", *OPERATORS - {"-", "!"})
        or before in OPERATORS
    )


def surplus_words(site: Site) -> Iterator[Proposal]:
    """`then`, `do`, `end`, `begin`, `mut` of a parameter, `break` at the end of an arm: words that are not needed."""
    for index in (site.at, site.at - 1):
        if site.kind(index) in (IDENT, "mut") and site.word(index) in SURPLUS_WORDS:
            word = site.word(index)
            yield Proposal(
                f"remove-{word}",
                site.span(index),
                f"`{word}` is not needed",
                f"remove `{word}`",
                (deletion(site, index),),
            )


RULES: Final[tuple[Rule, ...]] = (item_keywords, surplus_words, upper_case_words, statement_keywords, keyword_as_name)
