"""Texts of records as the languages of their declarations show them: `Point(x=1, y=2)` of Kotlin, `Point[x=1, y=2]` of Java."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import STRING, Type, head

SHOWING: Final = frozenset(("to_string", "to_s", "__str__", "toString", "__repr__", "ToString", "fmt", "description"))
_OF_CSHARP: Final = re.compile(r"\$\"|\bstring \w|\bwith \{|\bIEnumerable\b|\bConsole\.|\{ get;|\.Select\(|\bvar \w+ = new\b")
_DECLARED: Final = re.compile(
    r"(\b(?:data class|case class|record (?:class |struct )?|struct)|@dataclass[^\n]{0,60}\n[ \t]{0,20}class)[ \t]{0,4}"
    r"\b([A-Z]\w{0,60})\b"
)
"""Declarations of records whose text shows their fields."""
_OF_SWIFT: Final = re.compile(r"\\\(|\bfunc \w+\([^\n)]{0,80}\) ->")


class Style(NamedTuple):
    """What stands before the fields, between a name and its value, between fields, at the end; how a text stands in it."""

    opening: str
    equals: str
    comma: str
    closing: str
    quote: str = ""
    method: str = "toString"


_KOTLIN: Final = Style("(", "=", ", ", ")")
_JAVA: Final = Style("[", "=", ", ", "]")
_CSHARP: Final = Style(" { ", " = ", ", ", " }")
_SCALA: Final = Style("(", "", ",", ")")
_PYTHON: Final = Style("(", "=", ", ", ")", "'", "__str__")
_SWIFT: Final = Style("(", ": ", ", ", ")", '\\"')


class Shown(n.Implementation):
    """A function that shows a record, which is left out where nothing calls it."""


def with_shown_records(items: list[n.Item], text: str) -> list[n.Item]:
    """The items with a function for the text of each record whose language shows it by its fields."""
    own = {item.owner for item in items if isinstance(item, n.Implementation) for each in item.functions if each.name in SHOWING}
    styles = _styles(text)
    extended: list[n.Item] = []
    for item in items:
        extended.append(item)
        style = styles.get(item.name) if isinstance(item, n.Record) and item.name not in own else None
        if isinstance(item, n.Record) and style is not None and item.fields and "class_name" not in item.fields:
            extended.append(Shown(item.name, [_function(item, style)], start=item.end, end=item.end))
    return extended


def _styles(text: str) -> dict[str, Style]:
    """The styles of the records of a text, by name."""
    styles: dict[str, Style] = {}
    for marks, name in _DECLARED.findall(text):
        word = marks.split()[0]
        style = {"data": _KOTLIN, "case": _SCALA, "struct": _SWIFT}.get(word, _PYTHON)
        if word == "record":
            style = _CSHARP if _OF_CSHARP.search(text) else _JAVA
        if word != "struct" or _OF_SWIFT.search(text) is not None:
            styles.setdefault(name, style)
    return styles


def _function(record: n.Record, style: Style) -> n.Function:
    at = record.end
    parts: list[n.Expr] = []
    before = f"{record.name}{style.opening}"
    for name, kind in record.fields.items():
        label = f"{name}{style.equals}" if style.equals else ""
        quote = style.quote if head(kind) == "String" else ""
        parts.append(n.Literal("string", f'"{before}{label}{quote}"', start=at, end=at))
        parts.append(n.Member(n.Name("self", start=at, end=at), name, start=at, end=at))
        before = f"{quote}{style.comma}"
    last = f"{before.removesuffix(style.comma)}{style.closing}"
    parts.append(n.Literal("string", f'"{last}"', start=at, end=at))
    body = n.Block([n.Evaluate(n.Interpolated(parts, start=at, end=at), start=at, end=at)], start=at, end=at)
    own = n.Parameter("self", Type(record.name), start=at, end=at)
    return n.Function(style.method, [own], STRING, body, start=at, end=at)
