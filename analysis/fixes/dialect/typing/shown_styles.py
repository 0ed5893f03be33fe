"""How languages show collections, tuples and what may be absent as texts: `[1, 2]`, `List(1, 2)`, `[1 2]`, `Some(3)`, `null`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from analysis.fixes.dialect.typing.program import Program


class ShownStyle(NamedTuple):
    """Each form as what stands before, between and behind; `quote` stands around texts inside, `none` for what is absent.

    `keeps_order`: entries of maps come as they were put in, or in no order.
    """

    items: tuple[str, str, str]
    parts: tuple[str, str, str]
    entries: tuple[str, str, str, str]
    quote: str = ""
    some: tuple[str, str] = ("", "")
    none: str = ""
    keeps_order: bool = True
    sets: tuple[str, str, str] | None = None
    has_signs: bool = False
    """True if negative numbers inside of what is there stand in parentheses, as in Haskell."""


_PYTHON: Final = ShownStyle(("[", ", ", "]"), ("(", ", ", ")"), ("{", ": ", ", ", "}"), "'", none="None", sets=("{", ", ", "}"))
_RUBY: Final = ShownStyle(("[", ", ", "]"), ("[", ", ", "]"), ("{", "=>", ", ", "}"), '\\"', none="nil")
_JAVASCRIPT: Final = ShownStyle(("", ",", ""), ("", ",", ""), ("", "", "", ""), none="undefined")
_JSON: Final = ShownStyle(("[", ",", "]"), ("[", ",", "]"), ("{", ":", ",", "}"), '\\"', none="null")
_JVM: Final = ShownStyle(("[", ", ", "]"), ("(", ", ", ")"), ("{", "=", ", ", "}"), none="null")
_SCALA: Final = ShownStyle(
    ("List(", ", ", ")"), ("(", ",", ")"), ("Map(", " -> ", ", ", ")"), some=("Some(", ")"), none="None", sets=("Set(", ", ", ")")
)
_SWIFT: Final = ShownStyle(("[", ", ", "]"), ("(", ", ", ")"), ("[", ": ", ", ", "]"), '\\"', some=("Optional(", ")"), none="nil")
_GO: Final = ShownStyle(("[", " ", "]"), ("{", " ", "}"), ("map[", ":", " ", "]"), none="<nil>", keeps_order=False)
_HASKELL: Final = ShownStyle(
    ("[", ",", "]"), ("(", ",", ")"), ("fromList [(", ",", "),(", ")]"), '\\"', ("Just ", ""), "Nothing", False, has_signs=True
)

_IS_SCALA: Final = re.compile(
    r"\bcase class\b|\bcase object\b|\bs\"[^\"\n]{0,80}\$|\bobject \w+ (?:extends \w+ )?\{|\.mkString\b"
    r"|\bdef \w+(?:\([^\n)]{0,200}\))?: ?[A-Z]"
)
_IS_KOTLIN: Final = re.compile(r"\bfun \w+(?:<\w+>)?\(|\bfun [A-Z]\w*\.|\b(?:mutableL|l)istOf\(|\bdata class\b")
_IS_SWIFT: Final = re.compile(r"\\\([\w$]|\bguard let\b|\bif let\b|\bfunc \w+\([^\n)]{0,200}\)(?: throws)? ->")
_IS_JAVA: Final = re.compile(
    r"\bnew (?:ArrayList|HashMap|TreeMap|LinkedHashMap|HashSet|StringBuilder)\b|\.stream\(\)|\bList\.of\(|\bOptional<"
    r"|\bpublic static [\w<>]{1,40} main\b|\bString\.valueOf\("
)
_IS_GO: Final = re.compile(r"\bfmt\.\w|:= ")
_IS_CSHARP: Final = re.compile(r"\$@?\"|\.ToString\(|\bstring\??(?:\[\])? \w|\.Select\(|\bvar \w+ = new\b|\bIEnumerable\b")
_IS_RUST: Final = re.compile(r"\{:?#?\?\}|\bformat!|\blet mut \w{1,60} = [^\n]{0,80};|: &str\b|\bimpl\b|\.iter\(\)")


def shown_style(program: Program) -> ShownStyle | None:
    """The style of the only language with any marks; None where several have some or none has."""
    source = program.source
    if program.habit in ("python", "ruby", "javascript"):
        return {"python": _PYTHON, "ruby": _RUBY, "javascript": _JAVASCRIPT}[program.habit]
    if program.is_like_haskell:
        return _HASKELL
    return _by_marks(source)


@lru_cache(maxsize=4)
def _by_marks(source: str) -> ShownStyle | None:
    """The style of the only language whose marks a text holds."""
    styles = [
        style
        for mark, style in ((_IS_SCALA, _SCALA), (_IS_KOTLIN, _JVM), (_IS_SWIFT, _SWIFT), (_IS_JAVA, _JVM), (_IS_GO, _GO))
        if mark.search(source) is not None
    ]
    if len(styles) != 1 or _IS_CSHARP.search(source) is not None or _IS_RUST.search(source) is not None:
        return None
    return styles[0]


JSON: Final = _JSON
