"""Advice on forms of other languages that no small edit mends: closures, tuples, map literals. With the program's own names.

A row is a pattern for the line of the error, where the error has to lie within it, what is wrong, and what to write.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from analysis.suggestions.advised_rows import COUNTING, PATTERNS, SUBJECT, VALUES, Row, cut
from analysis.text.edits import Span

_LONGEST: Final = 300
"""Characters of a line that is looked at."""
_FAR: Final = 2_000
"""Characters before an error in which its `match` is looked for."""
_MATCH: Final = re.compile(r"\bmatch ++([\w.]++) *+\{")


class Advised(NamedTuple):
    """Where a form stands, what is wrong with it, and what to write instead."""

    span: Span
    message: str
    advice: str


def advised(text: str, start: int) -> Advised | None:
    """The form around an error at `start`; None if the table has none."""
    # Of a long line no more is looked at for each of its errors than tells that it is long.
    first = text.rfind("\n", max(start - _LONGEST, 0), start) + 1
    line = text[first or max(start - _LONGEST, 0) : start + _LONGEST].partition("\n")[0]
    if len(line) >= _LONGEST:
        return None
    for pattern, message, advice in _ROWS:
        around = [match for match in pattern.finditer(line) if match.start() <= start - first <= match.end()]
        if around:
            # Where one form ends and another begins, the error is about the latter.
            match = around[-1]
            written = advice(match)
            if SUBJECT in written:
                written = written.replace(SUBJECT, _matched(text, start))
            return Advised((first + match.start(), first + match.end()), message, written)
    return None


def _matched(text: str, start: int) -> str:
    """The name that the `match` before a place looks at."""
    values = _MATCH.findall(text, max(start - _FAR, 0), start)
    return values[-1] if values else "value"


def _function(match: re.Match[str]) -> str:
    name, parameters, body = match["name"] or "step", match["parameters"].strip(), cut(match["body"])
    typed = ", ".join(part if ":" in part else f"{part.strip()}: …" for part in parameters.split(",") if part.strip())
    return f"write a function, `fn {name}({typed}) -> … {{ {body} }}`, and call it"


def _tuple(match: re.Match[str]) -> str:
    names = [name.strip() for name in match["names"].split(",")]
    values = [value.strip() for value in match["values"].split(",")] if match["values"] else []
    if len(names) == len(values):
        return "write " + ", ".join(f"`let {name} = {cut(value)}`" for name, value in zip(names, values, strict=True))
    return f"give a record with the fields {' and '.join(f'`{name}`' for name in names)}"


_ROWS: Final[tuple[Row, ...]] = (
    *COUNTING,
    *PATTERNS,
    (
        re.compile(r"(?:let +(?:mut +)?(?P<name>[a-z_]\w*) *= *)?(?<![\w)\]] )\|(?P<parameters>[\w ,:]*)\| *(?P<body>[^|\n]+)"),
        "there are no closures",
        _function,
    ),
    (
        re.compile(r"let +(?:mut +)?(?P<name>[a-z_]\w*) *= *+\(?(?P<parameters>[\w ,:]*+)\)? *=> *(?P<body>.+)"),
        "there are no closures",
        _function,
    ),
    (
        re.compile(r"(?:let|var|const) +(?:mut +)?\((?P<names>[a-z_][\w ,]*)\) *= *(?:\((?P<values>[^()]*)\))?"),
        "there are no tuples: a variable holds one value",
        _tuple,
    ),
    (
        re.compile(r"\{ *(?P<key>\"[^\"]*\") *: *(?P<value>[^,{}]+)[^{}]*\}?"),
        "there are no map literals",
        lambda match: f"write `__builtin_map_set(map_new(), {match['key']}, {cut(match['value'])})`",
    ),
    (
        re.compile(r"(?P<list>\b[a-z_]\w*)\[(?P<index>[^\[\]]+)\] *=(?!=) *(?P<value>.+)"),
        "an item cannot be assigned: lists never change",
        lambda match: (
            f"write `{match['list']} = list_set({match['list']}, {cut(match['index'])}, {cut(match['value'])})`, "
            'with `import "std-list"`'
        ),
    ),
    (
        re.compile(r"(?P<name>\b[a-z_]\w*) *(?P<operator>[-+*/%])= *(?P<value>.+)"),
        "there are no compound assignments",
        lambda match: f"write `{match['name']} = {match['name']} {match['operator']} {cut(match['value'])}`",
    ),
    (
        re.compile(r"^ *impl(?:<[^<>]*>)? +(?:\w+ +for +)?(?P<type>[A-Z]\w*)"),
        "there are no methods and no `impl` blocks",
        lambda match: f"write its functions outside, with a parameter `self_: {match['type']}` instead of `self`",
    ),
    *VALUES,
    (
        re.compile(r"(?<![\w\"])(?P<name>e?print(?:ln)?|dbg|format|write(?:ln)?)!\([^()\n]*"),
        "there are no macros",
        lambda match: (
            "join the parts of the text with `++`"
            + ("" if match["name"] == "format" else ", and hand it to `__builtin_debug(…)`")
        ),
    ),
    (
        re.compile(r"^ *(?:trait|interface|protocol) +(?P<type>[A-Z]\w*)"),
        "there are no interfaces",
        lambda match: f"write `type {match['type']} {{ … }}` with a field of type `Fn(…) -> …` for each function",
    ),
    (
        re.compile(r"(?<![\w\"])(?P<value>[\w\"]++) +(?P<not>not +)?in +(?P<list>[a-z_]\w*)"),
        "there is no operator `in`",
        lambda match: (
            f'write `{"!" if match["not"] else ""}list_contains({match["list"]}, {match["value"]})`, with `import "std-list"`'
        ),
    ),
    (
        re.compile(r"\[(?P<value>[^\[\]\n]{1,200}?) for ++(?P<name>\w++) ++in ++(?P<list>[^\[\]\n]{1,200}+)\]"),
        "there are no comprehensions",
        lambda match: f"fill a list in a loop: `for {match['name']} in {cut(match['list'])} {{ … }}`",
    ),
    (
        re.compile(r"(?P<list>\b[a-z_]\w*+)\[(?P<first>[^\[\]:\n]*+):(?P<last>[^\[\]:\n]*+)\]"),
        "there are no slices",
        lambda match: (
            f"write `list_slice({match['list']}, {match['first'].strip() or '0'}, "
            f'{match["last"].strip() or "list_len(" + match["list"] + ")"})`, with `import "std-list"`'
        ),
    ),
    (
        re.compile(r"(?<![\w\")\]])(?P<value>[\w\")\]]++) *+\|> *+(?P<name>[a-z_]\w*)"),
        "there is no operator `|>`",
        lambda match: f"pass the value as an argument: `{match['name']}(…)`",
    ),
    (
        re.compile(r"(?<![\w)])(?P<left>[\w)]++) *+\*\* *+(?P<right>[\w(]++)"),
        "there is no operator `**`",
        lambda match: f'write `int_pow({match["left"]}, {match["right"]})`, with `import "std-math"`',
    ),
    (
        re.compile(r"(?<![\w)])(?P<left>\w++) *+(?P<sign>(?<!&)&(?!&)|\^) *+(?P<right>\w++)"),
        "there are no operators on bits",
        lambda match: (
            f"write `{'int_and' if match['sign'] == '&' else 'int_xor'}({match['left']}, {match['right']})`, "
            'with `import "std-math"`'
        ),
    ),
    (
        re.compile(r"\bunless ++(?P<condition>[^{}\n]{1,200}+)\{[^\n]*"),
        "there is no `unless`",
        lambda match: f"write `if !({cut(match['condition'])}) {{`",
    ),
    (
        re.compile(r"\bswitch *+\(?(?P<value>[^{}()\n]{1,200}+)\)? *+\{[^\n]*"),
        "there is no `switch`",
        lambda match: f"write `match {cut(match['value'])} {{ 1 => …, _ => … }}`",
    ),
    (
        re.compile(r"^ *type +(?P<name>[A-Z]\w*) *= *(?P<type>[^\n]+)"),
        "types have one name",
        lambda match: f"write `{cut(match['type'])}` in its place",
    ),
    (
        re.compile(r"-> *\((?P<first>[A-Z][\w<>]*+) *,[^()\n]*\)"),
        "there are no tuples: a function returns one value",
        lambda match: "declare a record, such as `type Pair { first: …, second: … }`, and return that",
    ),
    (
        re.compile(r"(?<!\w)(?P<name>[A-Z]\w*)\([A-Z][\w<>]*+(?: *, *[A-Z][\w<>]*+)++\)"),
        "a variant holds one value",
        lambda match: f"declare a record for them, and write `{match['name']}(Record)`",
    ),
    (
        re.compile(r"(?:^ *|^ *enum +\w+ *\{(?:[^{}\n]*,)? *)(?P<name>[A-Z]\w*) *\{ *[a-z_]\w* *: *[A-Z][^{}\n]*\}"),
        "a variant holds one value and has no fields",
        lambda match: f"declare a record with these fields, and write `{match['name']}(Record)`",
    ),
    (
        re.compile(r"let +(?:mut +)?[a-z_]\w* *: *(?P<type>[A-Z]\w*) *= *\{ *(?P<field>[a-z_]\w*) *:"),
        "a record begins with the name of its type",
        lambda match: f"write `{match['type']} {{ {match['field']}: … }}`",
    ),
    (
        re.compile(r"^ *export *\{"),
        "there is no list of exports",
        lambda match: "write `export` before each `fn`, `type` and `enum`",
    ),
    (
        re.compile(r"^ *(?:use|using|require|#include) +[\w:<\"]"),
        "there are no modules of other languages",
        lambda match: 'remove it; a library is imported as `import "std-list"`',
    ),
    (
        re.compile(r"^ *from +[\w.]+"),
        "a library is imported as a whole",
        lambda match: 'write `import "…"` with its name, such as `import "std-math"`',
    ),
    (
        re.compile(r"^ *#!?\["),
        "there are no attributes",
        lambda match: "remove it",
    ),
)
