"""Functions by example: `[1, 2, 3] -> 6`. What fits by its types is run, and what answers so is found.

The query's values are read as literals of the language; nothing else of it gets into a program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import permutations
from typing import Final, NamedTuple

from analysis.ide.function_search.known import Known, folded
from analysis.ide.function_search.type_queries import Shape, shapes_of
from analysis.syntax import tree as t
from analysis.syntax.parser import parse

_ARROW: Final = re.compile(r"(?<!\s)\s*(?:->|=>|==|\bgives\b|\breturns\b|\bis\b)\s*")
_CALLED: Final = re.compile(r"^\s*([A-Za-z_][\w.]*)\s*\((.*)\)\s*$", re.DOTALL)
_BETWEEN: Final = re.compile(r"(?<=[\]\"\w)])\s+(?=[\[\"\d-])")
_MOST: Final = 60
_NUMBER: Final = re.compile(r"-?[0-9.]+")


class Trial(NamedTuple):
    """A function to be tried: the call, and the condition that it answers as the query says."""

    known: Known
    call: str
    condition: str


class _Value(NamedTuple):
    text: str
    shape: Shape


def trials(query: str, functions: Sequence[Known]) -> list[Trial]:
    """Calls that may answer as a query says, the likeliest first; none if the query is no example."""
    parts = _ARROW.split(query)
    if len(parts) != 2:
        return []
    called = _CALLED.match(parts[0])
    name = folded(called[1].rpartition(".")[2]) if called else ""
    values, result = _values(called[2] if called else parts[0]), _values(parts[1])
    if not values or result is None or len(result) != 1:
        return []
    rows: list[tuple[int, int, Trial]] = []
    for number, one in enumerate(functions):
        if not one.is_form and not one.has_effect:
            rows += [(rank, number, trial) for rank, trial in _trials(values, result[0], one)]
    rows.sort(key=lambda row: (name not in (folded(row[2].known.name), folded(row[2].known.short)) if name else 0, *row[:2]))
    return [trial for _, _, trial in rows[:_MOST]]


def program(attempts: Sequence[Trial]) -> str:
    """A program with a function `example_N` for each trial, true if the trial answers so."""
    libraries = dict.fromkeys(library for trial in attempts for library in trial.known.libraries)
    imports = [f'import "{library}"' for library in libraries]
    functions = [f"fn example_{number}() -> Bool {{\n    {trial.condition}\n}}" for number, trial in enumerate(attempts)]
    return "\n".join((*imports, "", *functions, "", "fn main() -> Int {", "    0", "}", ""))


def _trials(values: Sequence[_Value], result: _Value, one: Known) -> list[tuple[int, Trial]]:
    shapes = shapes_of(one)
    if shapes is None or len(shapes[0]) != len(values):
        return []
    parameters, given = shapes
    ranked: list[tuple[int, Trial]] = []
    for rank, order in enumerate(permutations(values)) if len(values) <= 2 else [(0, tuple(values))]:
        if all(_accepts(parameter, value.shape) for parameter, value in zip(parameters, order, strict=True)):
            call = f"{one.name}({', '.join(value.text for value in order)})"
            if _accepts(given, result.shape):
                ranked.append((rank, Trial(one, call, f"{call} == {result.text}")))
            elif given.name in ("Option", "Result") and given.arguments and _accepts(given.arguments[0], result.shape):
                good, bad = ("Some", "None") if given.name == "Option" else ("Ok", "Err(_)")
                condition = f"match {call} {{ {good}(value) => value == {result.text}, {bad} => false }}"
                ranked.append((rank + 2, Trial(one, call, condition)))
            if ranked:
                break
    return ranked


def _accepts(declared: Shape, held: Shape) -> bool:
    """Whether a value of a type can be passed; what is empty fits any list."""
    if declared.variable or held.variable:
        return True
    if declared.name != held.name:
        return False
    if declared.arguments is None or held.arguments is None:
        return True
    if declared.name == "Result":
        return True
    return all(_accepts(one, other) for one, other in zip(declared.arguments, held.arguments, strict=True))


def _values(text: str) -> list[_Value] | None:
    """The literals of a text, with commas or blanks between them; None if there is anything else in it."""
    text = text.strip()
    if "'" in text and '"' not in text:
        text = text.replace("'", '"')
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    text = re.sub(r"\b(True|False)\b", lambda word: word[0].lower(), text)
    for written in (text, _BETWEEN.sub(", ", text)):
        program = f"fn main() {{ f({written}) }}"
        parsed = parse(program)
        calls = [node for item in parsed.items for node in t.walk(item) if isinstance(node, t.Call)]
        if parsed.errors or not calls or len(parsed.items) != 1:
            continue
        values = [_value(argument, program) for argument in calls[0].arguments]
        if calls[0].end == len(program) - 2 and None not in values:
            return [value for value in values if value is not None]
    return None


def _value(node: t.Expr, text: str) -> _Value | None:
    shape = _shape(node)
    return None if shape is None else _Value(text[node.start : node.end], shape)


def _shape(node: t.Expr) -> Shape | None:
    """The type of a literal; None for any other expression."""
    match node:
        case t.IntLiteral():
            return Shape("Int")
        case t.FloatLiteral():
            return Shape("Float")
        case t.StringLiteral():
            return Shape("String")
        case t.BoolLiteral():
            return Shape("Bool")
        case t.NoneLiteral():
            return Shape("Option")
        case t.Unary(operand=operand):
            return _shape(operand)
        case t.Wrap(kind=kind, operand=operand):
            inner = _shape(operand)
            return None if inner is None else Shape("Option", (inner,)) if kind == "Some" else Shape("Result", (inner, inner))
        case t.ListLiteral(items=items):
            shapes = [_shape(item) for item in items]
            if None in shapes:
                return None
            return Shape("List", (shapes[0],)) if shapes and shapes[0] is not None else Shape("List")
    return None
