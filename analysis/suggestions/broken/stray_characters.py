"""Characters that start no token: other white space, typographic signs, other quotes, single `&` and `|`, bad escapes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from analysis.database import checkpoint, paced
from analysis.suggestions.broken.error_site import CLOSERS, Proposal, Rule, Site, insert
from analysis.syntax.lexer import IDENT, Cause, LexicalError
from analysis.text.edits import Confidence, Edit

_INVISIBLE: Final = frozenset(
    "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_LINE_ENDS: Final = frozenset("\u0085\u2028\u2029")
_SPELT: Final = {
    "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‒": "-", "―": "-",
    "→": "->", "⇒": "=>", "⟶": "->", "⟹": "=>", "≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "÷": "/", "∗": "*",
    "∧": "&&", "∨": "||", "¬": "!", "…": "..", "≡": "==", "·": "*",
}  # fmt: skip
_LETTERS: Final = {
    "ß": "ss",
    "æ": "ae",
    "Æ": "Ae",
    "œ": "oe",
    "Œ": "Oe",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "ð": "d",
}
_WORD: Final = re.compile(r"\w+")
_DOUBLE: Final = "“”„‟«»″〝〞＂"
_SINGLE: Final = "‘’‚‛′‹›"
_PAIRED: Final = re.compile(rf'[{_DOUBLE}]([^{_DOUBLE}"\n]*)[{_DOUBLE}]|[{_SINGLE}]([^{_SINGLE}"\n]*)[{_SINGLE}]')
_MIXED: Final = re.compile(rf'[{_DOUBLE}{_SINGLE}]([^{_DOUBLE}{_SINGLE}"\n]*)"|"([^{_DOUBLE}{_SINGLE}"\n]*)[{_DOUBLE}{_SINGLE}]')
_QUOTED: Final = re.compile(r"'((?:[^'\\\n]|\\.){0,100}+)'|`((?:[^`\\\n]|\\.){0,100}+)`")


def white_space(site: Site) -> Iterator[Proposal]:
    """No-break spaces, zero-width characters, a byte-order mark: all of the chunk at once."""
    if not site.lexical:
        return
    edits: list[Edit] = []
    for error in paced(site.bad_characters, 1_000):
        character = site.text[error.start]
        if character in _INVISIBLE:
            edits.append(Edit((error.start, error.end), ""))
        elif character in _LINE_ENDS:
            edits.append(Edit((error.start, error.end), "\n"))
        elif character.isspace():
            edits.append(Edit((error.start, error.end), " "))
    character = site.text[site.place : site.place + 1]
    if not any(edit.span[0] == site.place for edit in edits):
        return
    name = unicodedata.name(character, f"U+{ord(character):04X}").lower()
    word = "invisible characters" if character in _INVISIBLE else "other white space"
    yield Proposal(
        "white-space", (site.place, site.place + 1), f"{word}: U+{ord(character):04X} ({name})",
        "write plain blanks" if word.startswith("other") else "remove the invisible characters", tuple(edits),
    )  # fmt: skip


def typographic(site: Site) -> Iterator[Proposal]:
    """Quotes, dashes and signs that a word processor made: all of the chunk at once."""
    if not site.lexical or site.text[site.place : site.place + 1].isascii():
        return
    text = site.text
    wrong = {error.start for error in paced(site.bad_characters, 1_000)}
    edits: list[Edit] = []
    for pattern in (_PAIRED, _MIXED):
        covered = {offset for edit in edits for offset in range(*edit.span)}
        for match in paced(pattern.finditer(text), 1_000):
            if (match.start() in wrong or match.end() - 1 in wrong) and not covered & {match.start(), match.end() - 1}:
                edits += [Edit((at, at + 1), '"') for at in (match.start(), match.end() - 1) if text[at] != '"']
                # What stood between the quotes is text now, whatever characters it has.
                wrong -= set(range(*match.span()))
    for offset in paced(sorted(wrong), 1_000):
        character = text[offset]
        plain = _SPELT.get(character) or unicodedata.normalize("NFKC", character)
        if character in _DOUBLE + _SINGLE:
            edits.append(Edit((offset, offset + 1), '"'))
        elif plain == "-" and text[offset + 1 : offset + 2] == ">":
            edits.append(Edit((offset, offset + 1), "-"))
        elif plain != character and plain.isascii() and plain.strip():
            edits.append(Edit((offset, offset + 1), plain))
    if not edits:
        return
    character = text[site.place]
    kind = "quotes" if character in _DOUBLE + _SINGLE else "signs"
    yield Proposal(
        f"typographic-{kind}", (site.place, site.place + 1), f"typographic {kind} mean nothing here: {character}",
        'write plain quotes: "…"' if kind == "quotes" else "write the plain ASCII sign", tuple(edits),
    )  # fmt: skip


def other_quotes(site: Site) -> Iterator[Proposal]:
    """`'text'` and `` `text` ``: all of the chunk at once, or only the one at hand."""
    if not site.lexical or site.text[site.place : site.place + 1] not in ("'", "`"):
        return
    wrong = {error.start for error in paced(site.bad_characters, 1_000)}
    every: list[Edit] = []
    single: list[Edit] = []
    position = 0
    while match := _QUOTED.search(site.text, position):
        checkpoint()
        start, end = match.span()
        if start not in wrong:
            position = start + 1
            continue
        inner = match[1] if match[1] is not None else match[2]
        inner = inner.replace("\\'", "'").replace("\\`", "`")
        inner = re.sub(r'(?<!\\)"', lambda _: '\\"', inner)
        edit = Edit((start, end), f'"{inner}"')
        every.append(edit)
        if start == site.place:
            single = [edit]
        position = end
    for edits in (every, single):
        if edits:
            yield Proposal(
                "single-quotes", (site.place, site.place + 1), "write a string between double quotes",
                'write "…"', tuple(edits),
            )  # fmt: skip


def single_signs(site: Site) -> Iterator[Proposal]:
    """A single `&` or `|` between operands, `&x`, and characters that mean nothing."""
    if not isinstance(site.error, LexicalError) or site.error.cause is not Cause.CHARACTER:
        return
    place, text = site.place, site.text
    character = text[place]
    span = (place, place + 1)
    if character in "&|":
        before = site.kind(site.at - 1)
        edits = tuple(
            Edit((error.start, error.end), character * 2)
            for error in paced(site.bad_characters, 1_000)
            if text[error.start] == character and text[error.start - 1 : error.start] != character
        )
        # `|>` is a pipe, `| pattern` an alternative, `[x | rest]` a list, `{ |x| … }` a closure: none of them decides anything.
        opened = site.open_before(site.at)
        is_other = character == "|" and (
            text[place + 1 : place + 2] == ">"
            or not text[:place].rpartition("\n")[2].strip()
            or bool(opened and site.kinds[opened[-1]] == "[")
            or text.count("|", *_line_of(text, place)) == 2
        )
        # Of numbers the bits are meant, for which there is no operator: nothing says so better than the error.
        is_of_bits = {before, site.kind(site.at)} & {"INT", "FLOAT"}
        is_between = before == IDENT or before in CLOSERS or before in ("INT", "FLOAT", "STRING", "true", "false", "None")
        if is_between and not is_of_bits and not is_other:
            yield Proposal("double-sign", span, f"`{character}` alone is no operator", f"write `{character * 2}`", edits)
            yield Proposal(
                "double-sign",
                span,
                f"`{character}` alone is no operator",
                f"write `{character * 2}`",
                (insert(place, character),),
            )
        is_operator = is_between and text[place + 1 : place + 2] in (" ", "\t", "\n")
        if character == "&" and not (is_between and is_of_bits) and not is_operator:
            errors = (error for error in paced(site.bad_characters, 1_000) if text[error.start] == "&")
            gone = tuple(Edit((error.start, _behind_mut(text, error.end)), "") for error in errors)
            yield Proposal(
                "no-reference", span, "values are not borrowed: there is no `&`", "remove `&`", gone, Confidence.MEDIUM
            )
        if is_operator:
            return
    if character == "$" and any(text.startswith('$"', e.start) for e in paced(site.bad_characters, 1_000)):
        # `$"{n} items"`: without the sign the text would say something else.
        return
    if character == "?":
        yield from _ternary(site)
    every = tuple(Edit((e.start, e.end), "") for e in paced(site.bad_characters, 1_000) if text[e.start] == character)
    message = f"`{character}` means nothing here" if character.isprintable() else "a character that means nothing here"
    shown = f"`{character}`" if character.isprintable() else "the character"
    advice = f"remove {shown}" if len(every) == 1 else f"remove every {shown.removeprefix('the ')}"
    yield Proposal("stray-character", span, message, advice, every, Confidence.MEDIUM if character in "@$#?" else Confidence.LOW)
    if len(every) > 1:
        yield Proposal(
            "stray-character", span, message, f"remove this {shown.removeprefix('the ')}", (Edit(span, ""),), Confidence.LOW
        )


def _line_of(text: str, place: int) -> tuple[int, int]:
    """Offsets of a line's start and end."""
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


def foreign_letters(site: Site) -> Iterator[Proposal]:
    """Names with letters that only texts and comments may have: all uses of the name in the chunk at once."""
    if not site.lexical:
        return
    marked = next((word for word in paced(_WORD.finditer(site.text), 1_000) if word.end() > site.place), None)
    if marked is None or marked.start() > site.place or marked[0].isascii():
        return
    name = "".join(_LETTERS.get(letter) or unicodedata.normalize("NFKD", letter) for letter in marked[0])
    name = "".join(letter for letter in name if not unicodedata.combining(letter))
    if not (name.isascii() and name.isidentifier()):
        return
    wrong = {error.start for error in paced(site.bad_characters, 1_000)}
    edits = tuple(
        Edit(word.span(), name)
        for word in paced(_WORD.finditer(site.text), 1_000)
        if word[0] == marked[0] and not wrong.isdisjoint(range(*word.span()))
    )
    message = "names have ASCII letters, digits and underscores only"
    yield Proposal("ascii-name", marked.span(), message, f"write `{name}`", edits, Confidence.MEDIUM)


def _behind_mut(text: str, offset: int) -> int:
    return offset + 4 if text.startswith("mut ", offset) else offset


def _ternary(site: Site) -> Iterator[Proposal]:
    """`c ? a : b` on one line."""
    at = site.at
    first = at
    depth = 0
    while first > 0 and not site.begins_line(first):
        kind = site.kinds[first - 1]
        if kind in CLOSERS:
            depth += 1
        elif kind in ("(", "[", "{"):
            depth -= 1
        if depth < 0 or (depth == 0 and kind in ("=", ",", "return", "=>", ":")):
            break
        first -= 1
    depth = 0
    for colon in range(at, site.line_last(max(first, at - 1)) + 1):
        kind = site.kinds[colon]
        depth += (kind in ("(", "[", "{")) - (kind in CLOSERS)
        if depth < 0:
            return
        if depth == 0 and kind == ":":
            last = site.end_of_expression(colon + 1)
            if first < at < colon < last + 1:
                new = f"if {site.slice(first, at - 1)} {{ {site.slice(at, colon - 1)} }} else {{ {site.slice(colon + 1, last)} }}"
                span = (site.place, site.place + 1)
                yield Proposal(
                    "ternary",
                    span,
                    "there is no `? :`",
                    "write `if … { … } else { … }`",
                    (Edit(site.span(first, last), new),),
                )
            return


def bad_escapes(site: Site) -> Iterator[Proposal]:
    """Escapes that do not exist: all of the chunk at once."""
    if not isinstance(site.error, LexicalError) or site.error.cause is not Cause.ESCAPE:
        return
    edits = []
    for error in paced(site.tree.tokens.errors, 1_000):
        if error.cause is Cause.ESCAPE:
            escaped = site.text[error.start + 1]
            edits.append(Edit((error.start, error.start + 1), "" if escaped in "'`$/ \n" else "\\\\"))
    written = site.text[site.error.start : site.error.end]
    yield Proposal(
        "escape", (site.error.start, site.error.end), f"`{written}` is no escape: there are \\n, \\t, \\r, \\\" and \\\\",
        "write `\\\\` for a backslash", tuple(edits), Confidence.MEDIUM,
    )  # fmt: skip


def big_numbers(site: Site) -> Iterator[Proposal]:
    """An integer beyond 64 bits can only be a mistake of size: the largest one is offered."""
    if isinstance(site.error, LexicalError) and site.error.cause is Cause.INTEGER:
        span = (site.error.start, site.error.end)
        yield Proposal(
            "largest-integer", span, "integers end at 9223372036854775807", "write the largest integer",
            (Edit(span, "9223372036854775807"),), Confidence.LOW, is_placeholder=True,
        )  # fmt: skip


RULES: Final[tuple[Rule, ...]] = (white_space, typographic, foreign_letters, other_quotes, bad_escapes)
LATE_RULES: Final[tuple[Rule, ...]] = (single_signs, big_numbers)
