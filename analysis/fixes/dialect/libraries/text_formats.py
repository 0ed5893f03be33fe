"""Formats of values in texts (`{x:>8}`, `%05.2f`) as calls that the lexicon knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_SPEC: Final = re.compile(r"(?:(.)?([<>^]))?(\+)?(0)?(\d+)?(,)?(?:\.(\d+))?([dsfFbxXo%]?)$")
_BRACE: Final = re.compile(r"\{\{|\}\}|\{(\w*)(!r)?(?::([^{}]*))?\}")
_PERCENT: Final = re.compile(r"%%|%(\+?)([-0]?)(\d*)(?:\.(\d+))?([dsifvxXobr])")
_BASES: Final = {"b": 2, "x": 16, "X": 16, "o": 8}
_TYPED: Final = re.compile(r"%[-0+]?[0-9]{0,3}(?:\.[0-9]{1,2})?[dsfgxXAOb]\Z")
"""A format at the end of a text."""
_PLAIN: Final = ("%d", "%s", "%A", "%O", "%b", "%g")
"""Formats that show a value as it is."""


def shown(value: n.Expr, spec: str) -> n.Expr | None:
    """A value in a format of Python; None for a format that is not known."""
    match = _SPEC.match(spec)
    if match is None or not spec:
        return None if spec else value
    fill, side, signed, zero, width, comma, decimals, kind = match.groups()
    text = value
    if kind == "%":
        hundredfold = n.Binary("*", value, n.Literal("float", "100.0"), start=value.start, end=value.end)
        text = n.Binary("++", _call(hundredfold, "toFixed", decimals or "6"), n.Literal("string", '"%"'))
    elif comma and decimals:
        text = _call(_call(value, "toFixed", decimals), "group_digits")
    elif comma:
        text = _call(value, "with_commas")
    elif kind in _BASES:
        text = _call(value, "in_base", str(_BASES[kind]), "0")
        text = _call(text, "upper") if kind == "X" else text
    elif decimals is not None:
        text = _call(value, "toFixed", decimals)
    elif kind == "s" and not side and width:
        side = "<"
    if signed:
        if zero or kind in _BASES:
            return None
        text = _call(_call(text, "to_string") if text is value else text, "with_plus")
    if not width:
        return text
    as_text = text if text is not value else _call(value, "to_string")
    if zero:
        return _call(as_text, "zfill", width)
    sign = n.Literal("string", f'"{fill or " "}"')
    if side == "^":
        return _padded(as_text, "center_format", width, sign)
    if side or text is not value or kind == "d":
        return _padded(as_text, "padEnd" if side == "<" else "padStart", width, sign)
    return _call(value, "pad_format", width)


def _call(value: n.Expr, name: str, *numbers: str) -> n.Call:
    arguments = [n.Argument(n.Literal("int", number)) for number in numbers if number != "0" or name != "in_base"]
    return n.Call(n.Member(value, name, start=value.start, end=value.end), arguments, start=value.start, end=value.end)


def _padded(value: n.Expr, name: str, width: str, sign: n.Expr) -> n.Call:
    call = _call(value, name, width)
    call.arguments.append(n.Argument(sign))
    return call


def filled(text: n.Literal, values: list[n.Argument]) -> n.Expr | None:
    """`"{} of {:.2f}".format(a, b)`; None where a hole has no value, or a format is not known."""
    named = {each.name: each.value for each in values if each.name}
    rest = [each.value for each in values if not each.name]
    parts: list[n.Expr] = []
    at, number = 0, 0
    raw = text.text[1:-1]
    for hole in _BRACE.finditer(raw):
        _add(parts, raw[at : hole.start()], text)
        at = hole.end()
        if hole[0] in ("{{", "}}"):
            _add(parts, hole[0][0], text)
            continue
        word = hole[1]
        place = int(word) if word.isdigit() else number
        number += not word
        value = named.get(word) if word and not word.isdigit() else rest[place] if place < len(rest) else None
        if value is not None and hole[2]:
            value = _call(value, "python_repr")
        part = shown(value, hole[3] or "") if value is not None else None
        if part is None:
            return None
        parts.append(part)
    _add(parts, raw[at:], text)
    return n.Interpolated(parts, start=text.start, end=text.end)


def with_percents(text: n.Literal, values: list[n.Expr]) -> n.Expr | None:
    """`"%s: %.2f" % (a, b)`, `sprintf("%d", n)`; None where the values do not fit, or a format is not known."""
    parts: list[n.Expr] = []
    at, number = 0, 0
    raw = text.text[1:-1]
    for hole in _PERCENT.finditer(raw):
        _add(parts, raw[at : hole.start()], text)
        at = hole.end()
        if hole[0] == "%%":
            _add(parts, "%", text)
            continue
        plus, flag, width, decimals, kind = hole.groups()
        if number >= len(values):
            return None
        spec = ("<" if flag == "-" else ">" if width and flag != "0" else "") + plus + ("0" if flag == "0" else "") + width
        spec += f".{decimals or 6}f" if kind == "f" else kind if kind in "xXobc" else ""
        value = _call(values[number], "python_repr") if kind == "r" else values[number]
        part = shown(value, spec)
        if part is None:
            return None
        parts.append(part)
        number += 1
    _add(parts, raw[at:], text)
    return n.Interpolated(parts, start=text.start, end=text.end) if number == len(values) and number else None


def _add(parts: list[n.Expr], piece: str, text: n.Literal) -> None:
    if piece:
        parts.append(n.Literal("string", f'"{piece}"', start=text.start, end=text.end))


_LETTER: Final = re.compile(r"([DdFf])(\d{1,2})|0\.(0{1,9})")


def with_letter(value: n.Expr, form: str, call: n.Call) -> n.Expr | None:
    """`n.ToString("D3")`, `x.ToString("F2")` of C#; None for another format."""
    match = _LETTER.fullmatch(form)
    if match is None:
        return None
    letter, digits, zeros = match.groups()
    owner, name = (value, "toFixed") if letter not in ("D", "d") else (n.Call(n.Member(value, "to_string"), []), "zfill")
    count = n.Literal("int", digits or str(len(zeros)), start=call.start, end=call.end)
    owner.start, owner.end = call.start, call.end
    return n.Call(n.Member(owner, name, start=call.start, end=call.end), [n.Argument(count)], start=call.start, end=call.end)


def with_typed_holes(pieces: Sequence[tuple[bool, str, int]], are_typed: bool) -> list[tuple[bool, str, int]]:
    """`$"%.1f{x}"` of F#: pieces of a text in which the format before a hole belongs to its value, if holes are typed."""
    joined: list[tuple[bool, str, int]] = []
    for is_code, text, start in pieces:
        typed = _TYPED.search(joined[-1][1]) if are_typed and is_code and joined and not joined[-1][0] else None
        if typed is None:
            joined.append((is_code, text, start))
            continue
        joined[-1] = (False, joined[-1][1][: typed.start()], joined[-1][2])
        joined.append((True, text if typed[0] in _PLAIN else f'sprintf("{typed[0]}", {text})', start))
    return joined
