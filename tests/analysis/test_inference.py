"""Inferred type of an expression: for checks, which must be right for every value, and for editors, which may guess."""

from __future__ import annotations

import pytest

from analysis.semantics.declarations import FunctionFact, TypeFact
from analysis.semantics.infer import inferred
from analysis.semantics.infer.scope_types import ScopeTypes
from analysis.semantics.scopes import resolve
from analysis.semantics.ty import partial_text
from analysis.syntax.parser import parse

_FUNCTIONS = {
    "point": FunctionFact("point", (), "Point", (), False, False),
    "points": FunctionFact("points", (), "List<Point>", (), False, False),
    "cut": FunctionFact("cut", (), "Point", (), False, True),
}
_TYPES = {
    "Point": TypeFact("Point", False, (("x", "Int"), ("next", "Option<Point>")), False, False),
    "Shape": TypeFact("Shape", True, (("Dot", "Point"), ("Empty", None)), False, False),
}


def _inferred_types(body: str) -> tuple[str | None, str | None]:
    """Types that checks and editors infer for the last local of a body."""
    tree = parse(f"fn f(unknown: Missing, n: Int) {{ {body} }}")
    names = resolve(tree)
    last = [*names.locals][-1]

    def enums_with(variant: str) -> tuple[TypeFact, ...]:
        return tuple(fact for fact in _TYPES.values() if fact.is_enum and fact.has(variant))

    known = [ScopeTypes(_FUNCTIONS.get, _TYPES.get, enums_with, {}, likely=likely) for likely in (False, True)]
    sure, likely = (partial_text(inferred(tree.items, names, each).locals[last]) for each in known)
    return sure, likely


@pytest.mark.parametrize(
    ("body", "sure", "likely"),
    [
        ("let a = point().next", "Option<Point>", "Option<Point>"),
        ("let a = [point(), point()]", "List<Point>", "List<Point>"),
        ("let a = [point(), nobody()]", "List<?>", "List<Point>"),
        ("let a = Some(points())", "Option<List<Point>>", "Option<List<Point>>"),
        ("let a = if n > 1 { point() } else { list_get(points(), 0) }", "Point", "Point"),
        ("let a = if n > 1 { point() } else { 1 }", None, "Point"),
        ("let a = if n > 1 { point() }", None, "Point"),
        ("let a = match n { 0 => None 1 => Some(n) _ => Some(2) }", "Option<Int>", "Option<Int>"),
        ("let a = match nobody() { Dot(p) => p.x Empty => 1 }", None, "Int"),
        ("let a = n + n * 2", "Int", "Int"),
        ("let a = n + nobody()", None, "Int"),
        ("let a = nobody() / 1.5", "Float", "Float"),
        ("let a = nobody() % 2", "Int", "Int"),
        ("let a = -n", "Int", "Int"),
        ("let a = cut()", None, "Point"),
        ("let a = __builtin_list_concat([], points())", "List<Point>", "List<Point>"),
        ("let a = list_push(points(), point())", "List<Point>", "List<Point>"),
        ("let a = list_push(points(), 1)", "List<?>", "List<Point>"),
        ("let a = __builtin_map_get(map_new(), \"a\")", "Option<?>", "Option<?>"),
        ("let a = __builtin_debug(n)", "Int", "Int"),
        ("for a in points() { }", "Point", "Point"),
        ("let mut a = 1 a = nobody()", None, "Int"),
        ("let mut a = [] a = points()", "List<Point>", "List<Point>"),
        ("let mut a = nobody() a = a", None, None),
    ],
)  # fmt: skip
def test_types(body: str, sure: str | None, likely: str | None) -> None:
    assert _inferred_types(body) == (sure, likely)


def test_types_that_share_parts_are_followed_once() -> None:
    steps = " ".join(f"let a{i + 1} = if n > 0 {{ list_push(a{i}, 1) }} else {{ list_push(a{i}, 2) }}" for i in range(200))
    assert _inferred_types(f"let a0 = points() {steps}")[0] in (None, "List<?>")
    sums = " ".join(f"let a{i + 1} = a{i} + a{i}" for i in range(25))
    assert _inferred_types(f"let a0 = point().x {sums}") == ("Int", "Int")


def test_long_chains() -> None:
    assert _inferred_types("let a = n" + " + n" * 5_000) == ("Int", "Int")
    assert _inferred_types("let a = point().x" + " + nobody()" * 5_000)[0] is None


def test_names_that_depend_on_each_other_in_every_way() -> None:
    """Once this took a time that doubled with each name."""
    count = 40
    begin = " ".join(f"let mut a{i} = {'[]' if i % 2 else '[1]'}" for i in range(count))
    mixed = " ".join(f"a{i} = __builtin_list_concat(a{j}, a{(j * 7 + 3) % count})" for i in range(count) for j in range(count))
    assert _inferred_types(f"{begin} {mixed} let last = a0") == ("List<Int>", "List<Int>")
    same = " ".join(f"let mut b{i} = point()" for i in range(count))
    assigned = " ".join(f"b{i} = b{(i + 1) % count}" for i in range(count))
    assert _inferred_types(f"{same} {assigned} let last = b0") == ("Point", "Point")
    assert _inferred_types(f"{same} {assigned} b{count - 1} = 1 let last = b0")[0] is None


def test_no_table_of_types_grows_with_a_long_text() -> None:
    tree = parse(f"fn f() {{ let a = 1{' + 1' * 30_000} }}")
    types = inferred(tree.items, resolve(tree), ScopeTypes(_FUNCTIONS.get, _TYPES.get, lambda name: (), {}, likely=False)).types
    assert sum(map(len, types.values())) > 60_000
    assert max(map(len, types.values())) <= 20_000
