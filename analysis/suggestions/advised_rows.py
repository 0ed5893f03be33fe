"""Advice on counting loops, patterns and conditional values of other languages: rows of the table in `advised_forms`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

Row = tuple[re.Pattern[str], str, Callable[[re.Match[str]], str]]
"""A pattern for the line of an error, what is wrong, and what to write."""
SUBJECT: Final = "‹subject›"
"""In advice, the name that the `match` around the form looks at."""
_MOST: Final = 60
"""Characters of a piece of the program that advice repeats."""
_HOLE: Final = re.compile(r"\{(\w*)(?::[^{}]*)?\}")
_BEFORE_VALUE: Final = re.compile(r"(?<![=!<>])=(?!=)|\breturn\b|\{|=>")


def cut(piece: str) -> str:
    """The beginning of a piece up to where it ends: at a comma, a semicolon or a bracket that was opened before it."""
    depth, quoted, end = 0, False, len(piece)
    for place, sign in enumerate(piece):
        quoted ^= sign == '"'
        if quoted:
            continue
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (depth == 0 and sign in ",;"):
            end = place
            break
    piece = piece[:end].strip()
    return piece if len(piece) <= _MOST else "…"


# ---- counting -----------------------------------------------------------------------------------------------------------


def _step(name: str, step: str) -> str:
    if "++" in step:
        return f"{name} = {name} + 1"
    if "--" in step:
        return f"{name} = {name} - 1"
    changed = re.fullmatch(r"\w+ *([-+*/])= *([^=]+)", step.strip())
    return f"{name} = {name} {changed[1]} {changed[2].strip()}" if changed else step.strip() or f"{name} = {name} + 1"


COUNTING: Final[tuple[Row, ...]] = (
    (
        re.compile(
            r"\bfor *+\(? *+(?:(?:let|var|int|auto) ++)?+(?:mut ++)?+(?P<name>[a-z_]\w*+) *+:?= *+(?P<first>[^;\n]{1,60}+); *+"
            r"(?P<condition>[^;\n]{1,80}+); *+(?P<step>[^(){}\n]{0,60}+)"
        ),
        "there is no counting `for`",
        lambda match: (
            f"write `let mut {match['name']} = {cut(match['first'])}`, then "
            f"`while {cut(match['condition'])} {{ … {_step(match['name'], match['step'])} }}`"
        ),
    ),
    (
        re.compile(r"(?P<name>\b[a-z_]\w*+)(?P<sign>\+\+|--)(?= *+(?:[;)}]|$))"),
        "there are no `++` and `--` that change a variable",
        lambda match: f"write `{match['name']} = {match['name']} {match['sign'][0]} 1`",
    ),
)


# ---- patterns -----------------------------------------------------------------------------------------------------------


def _list_pattern(match: re.Match[str]) -> str:
    parts = [part.strip() for part in match["parts"].split(",") if part.strip()]
    rest = [part for part in parts if part.startswith("..") or part.endswith("..")]
    named = [part for part in parts if part not in rest]
    count = f"list_len({SUBJECT}) {'>=' if rest else '=='} {len(named)}"
    lets = [f"`let {name} = list_get({SUBJECT}, {at})`" for at, name in enumerate(named) if re.fullmatch(r"[a-z]\w*", name)]
    tail = rest[0].strip(". @_") if rest else ""
    if tail:
        lets.append(f'`let {tail} = list_drop({SUBJECT}, {len(named)})` of `import "std-list"`')
    return f"write `if {count} {{ … }}`" + (f", and in it {', '.join(lets)}" if lets else "")


def _range_pattern(match: re.Match[str]) -> str:
    is_whole = match["dots"] in ("..=", "...")
    return (
        f"write `if {SUBJECT} >= {match['first']} && {SUBJECT} {'<=' if is_whole else '<'} {match['last']} {{ … }} else {{ … }}`"
    )


PATTERNS: Final[tuple[Row, ...]] = (
    (
        re.compile(r"\[(?P<parts>[^\[\]\n]{0,80}+)\] *+=>"),
        "there are no patterns for lists",
        _list_pattern,
    ),
    (
        re.compile(r"(?<![\w.])(?P<first>\w++) *+(?P<dots>\.\.[=.]?+) *+(?P<last>\w++) *+=>"),
        "there are no patterns for ranges",
        _range_pattern,
    ),
    (
        re.compile(
            r"(?<![\w)])(?P<pattern>[A-Za-z_]\w*+(?:\([\w ,]{0,60}+\))?+) ++if ++(?P<condition>[^{}\n]{1,100}?) *+=>"
            r" *+(?P<body>[^,}\n]{0,100}+)"
        ),
        "an arm has no condition",
        lambda match: (
            f"write `{match['pattern']} => if {match['condition'].strip()} {{ {cut(match['body']) or '…'} }} else {{ … }}`, "
            "with what the arms below give in the `else`"
        ),
    ),
)


# ---- values -------------------------------------------------------------------------------------------------------------


def _chosen(match: re.Match[str]) -> str:
    condition = _BEFORE_VALUE.split(match["condition"])[-1].strip() or "…"
    return f"write `if {condition} {{ {cut(match['then'])} }} else {{ {cut(match['other'])} }}`"


def _text(match: re.Match[str]) -> str:
    values = iter([value.strip() for value in match["values"].split(",") if value.strip()])
    pieces: list[str] = []
    position = 0
    names: list[str] = []
    for hole in _HOLE.finditer(match["text"]):
        if hole.start() > position:
            pieces.append(f'"{match["text"][position : hole.start()]}"')
        names.append(hole[1] if hole[1] and not hole[1].isdigit() else next(values, "…"))
        pieces.append(names[-1])
        position = hole.end()
    if position < len(match["text"]):
        pieces.append(f'"{match["text"][position:]}"')
    written = " ++ ".join(pieces) or '""'
    shown = f"`__builtin_debug({written})`" if match["name"] != "format" else f"`{written}`"
    return f"write {shown}" + (f", a number as `__builtin_int_to_string({names[0]})`" if names else "")


VALUES: Final[tuple[Row, ...]] = (
    (
        re.compile(
            r"let ++(?:mut ++)?+(?P<name>[a-z_]\w*+)[^=?\n]{0,60}+= *+(?P<value>[^?\n;]{1,80}+)\?(?![?.:\w])(?! *+[\w(\"])"
        ),
        "there is no `?`",
        lambda match: (
            f"write `match {cut(match['value'])} {{ Some({match['name']}) => …, None => None }}`; "
            f"of a Result, `Ok({match['name']}) => …, Err(error) => Err(error)`"
        ),
    ),
    (
        re.compile(
            r"(?P<condition>[^?\n]{1,120}+)\?(?![?.:]) *+(?P<then>[^?:\n]{1,80}+)(?<!:):(?!:) *+(?P<other>[^?:\n]{1,80}+)"
        ),
        "there is no `? :`",
        _chosen,
    ),
    (
        re.compile(
            r"(?<![\w\"])(?P<name>e?print(?:ln)?|dbg|format|write(?:ln)?)!\(\"(?P<text>[^\"\\\n]{0,120}+)\"(?P<values>[^\"\n()]{0,120}+)\)?"
        ),
        "there are no macros",
        _text,
    ),
)
