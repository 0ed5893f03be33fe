# ruff: noqa: E501
"""Each refactoring on a program that shows what it does, and what it refuses with which reason."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from analysis.ide.refactor.change import Change, Refusal, changed, tried
from analysis.ide.refactor.change_signature import Wanted, change_signature
from analysis.ide.refactor.move_item import move_item, with_library
from analysis.ide.refactor.table import offered, performed
from analysis.ide.rename import rename
from analysis.inputs import source
from boruna_ls.answers.code_edits import delta_of
from tests.ide import refactorings
from tests.support.marked import MAIN, library, marked, opened

CASES = [
    (
        "add_missing_arms",
        "enum S { On, Off(Int) }\nfn f(s: S) -> Int {\n    match s {<|>\n    }\n}\nfn main() -> Int { f(S::On) }\n",
        "enum S { On, Off(Int) }\nfn f(s: S) -> Int {\n    match s {\n        On => 0,\n        Off(_) => 0,\n    }\n}\nfn main() -> Int { f(S::On) }\n",
    ),
    (
        "add_missing_arms",
        "fn main() -> Int {\n    let o = Some(1)\n    <|>match o { }\n}\n",
        "fn main() -> Int {\n    let o = Some(1)\n    match o { Some(_) => 0, None => 0 }\n}\n",
    ),
    (
        "add_missing_fields",
        "type P { a: Int, b: Int }\nfn main() -> Int {\n    let p = P { a: 1 <|>}\n    p.a\n}\n",
        "type P { a: Int, b: Int }\nfn main() -> Int {\n    let p = P { a: 1, b: 0 }\n    p.a\n}\n",
    ),
    (
        "extract_variable",
        "fn main() -> Int {\n    let a = 2\n    a + «(a * 3)»\n}\n",
        "fn main() -> Int {\n    let a = 2\n    let value = (a * 3)\n    a + value\n}\n",
    ),
    (
        "extract_variable",
        "fn f(o: Option<Int>) -> Int {\n    match o {\n        Some(n) => «n * 2» + 1,\n        None => 0,\n    }\n}\nfn main() -> Int { f(Some(1)) }\n",
        "fn f(o: Option<Int>) -> Int {\n    match o {\n        Some(n) => {\n            let value = n * 2\n            value + 1\n        },\n"
        "        None => 0,\n    }\n}\nfn main() -> Int { f(Some(1)) }\n",
    ),
    (
        "inline_variable",
        "fn main() -> Int {\n    let <|>a = 1 + 2\n    a * 3\n}\n",
        "fn main() -> Int {\n    (1 + 2) * 3\n}\n",
    ),
    (
        "extract_function",
        "fn main() -> Int {\n    let mut sum = 0\n    «for x in [1, 2] {\n        sum = sum + x\n    }»\n    sum\n}\n",
        "fn main() -> Int {\n    let mut sum = 0\n    sum = extracted(sum)\n    sum\n}\n\nfn extracted(sum_before: Int) -> Int {\n"
        "    let mut sum = sum_before\n    for x in [1, 2] {\n        sum = sum + x\n    }\n    sum\n}\n",
    ),
    (
        "extract_function",
        "fn main() -> Int !{time.now} {\n    «let a = time_now()\n    let b = a + 1»\n    a + b\n}\n",
        "fn main() -> Int !{time.now} {\n    let extracted_result = extracted()\n    let a = extracted_result.a\n"
        "    let b = extracted_result.b\n    a + b\n}\n\nfn extracted() -> ExtractedResult !{time.now} {\n    let a = time_now()\n"
        "    let b = a + 1\n    ExtractedResult { a: a, b: b }\n}\n\ntype ExtractedResult { a: Int, b: Int }\n",
    ),
    (
        "inline_function",
        "fn twice(n: Int) -> Int { n * 2 }\nfn main() -> Int {\n    let a = 3\n    <|>twice(a) + twice(1)\n}\n",
        "fn twice(n: Int) -> Int { n * 2 }\nfn main() -> Int {\n    let a = 3\n    { a * 2 } + twice(1)\n}\n",
    ),
    (
        "inline_function",
        "fn f(n: Int) -> Int {\n    let m = n + 1\n    m * 2\n}\nfn main() -> Int {\n    <|>f(3 + 4) + f(1)\n}\n",
        "fn f(n: Int) -> Int {\n    let m = n + 1\n    m * 2\n}\nfn main() -> Int {\n    {\n        let n: Int = 3 + 4\n"
        "        let m = n + 1\n        m * 2\n    } + f(1)\n}\n",
    ),
    (
        "if_to_match",
        'fn f(n: Int) -> String {\n    <|>if n == 1 {\n        "one"\n    } else { if 2 == n { "two" } else { "more" } }\n}\n'
        "fn main() -> String { f(2) }\n",
        'fn f(n: Int) -> String {\n    match n {\n        1 => {\n        "one"\n    },\n        2 => { "two" },\n        _ => { "more" },\n'
        "    }\n}\nfn main() -> String { f(2) }\n",
    ),
    (
        "match_to_if",
        "enum S { On, Off }\nfn f(s: S) -> Int {\n    <|>match s {\n        On => 1,\n        Off => 2,\n    }\n}\nfn main() -> Int { f(S::On) + f(S::Off) }\n",
        "enum S { On, Off }\nfn f(s: S) -> Int {\n    if s == S::On {\n        1\n    } else {\n        2\n    }\n}\nfn main() -> Int { f(S::On) + f(S::Off) }\n",
    ),
    (
        "while_to_for",
        "fn main() -> Int {\n    let xs = [1, 2]\n    let mut sum = 0\n    let mut i = 0\n    <|>while i < list_len(xs) {\n"
        "        let x = list_get(xs, i)\n        sum = sum + x\n        i = i + 1\n    }\n    sum\n}\n",
        "fn main() -> Int {\n    let xs = [1, 2]\n    let mut sum = 0\n    for x in xs {\n        sum = sum + x\n    }\n    sum\n}\n",
    ),
    (
        "for_to_while",
        "fn main() -> Int {\n    let xs = [1, 2]\n    let mut sum = 0\n    <|>for x in xs {\n        sum = sum + x\n    }\n    sum\n}\n",
        "fn main() -> Int {\n    let xs = [1, 2]\n    let mut sum = 0\n    let mut index = 0\n    while index < list_len(xs) {\n"
        "        let x = list_get(xs, index)\n        sum = sum + x\n        index = index + 1\n    }\n    sum\n}\n",
    ),
    ("flip_binary", "fn main() -> Bool { 1 + 2 <|>< 4 }\n", "fn main() -> Bool { 4 > (1 + 2) }\n"),
    (
        "create_function",
        "fn main() -> Int {\n    let n = 4\n    let x: Int = <|>area(n, \"m\")\n    x\n}\n",
        'fn main() -> Int {\n    let n = 4\n    let x: Int = area(n, "m")\n    x\n}\n\nfn area(n: Int, text: String) -> Int {\n    0\n}\n',
    ),
    (
        "create_record",
        "fn main() -> Int {\n    let p = <|>Point { x: 1, y: 2 }\n    p.x + p.y\n}\n",
        "type Point { x: Int, y: Int }\n\nfn main() -> Int {\n    let p = Point { x: 1, y: 2 }\n    p.x + p.y\n}\n",
    ),
    (
        "create_variant",
        "enum Shape { Dot }\n\nexport fn make() -> Shape {\n    Shape::<|>Circle(2)\n}\nfn main() -> Int { 0 }\n",
        "enum Shape { Dot, Circle(Int) }\n\nexport fn make() -> Shape {\n    Shape::Circle(2)\n}\nfn main() -> Int { 0 }\n",
    ),
    (
        "remove_parameter",
        "fn f(<|>a: Int, b: Int) -> Int { b }\nfn main() -> Int { f(1, f(2, 3)) }\n",
        "fn f(b: Int) -> Int { b }\nfn main() -> Int { f(f(3)) }\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize("name, before, after", CASES)
def test_what_a_refactoring_does(name: str, before: str, after: str) -> None:
    program = marked(before)
    db = opened(program.text)
    span = program.spans[0] if program.spans else (program.cursor, program.cursor)
    assert any(one.refactoring.name == name and one.refusal is None for one in offered(db, MAIN, span))
    made = performed(db, MAIN, span, name)
    assert isinstance(made, Change), made
    assert changed(source(db, MAIN), made.edits[MAIN]).text == after


@pytest.mark.parametrize(
    "name, before, reason",
    [
        ("extract_variable", "fn main() -> Int {\n    let mut i = 0\n    while «i + 1» < 3 { i = i + 1 }\n    i\n}\n", "every round"),
        ("extract_variable", "fn f(n: Int) -> Int requires «n + 1» > 0 { n }\nfn main() -> Int { f(1) }\n", "a contract"),
        ("extract_variable", "fn main() -> Int {\n    { emit 1 2 } + «{ emit 2 3 }»\n}\n", ""),
        ("inline_variable", "fn main() -> Int {\n    let mut <|>a = 1\n    a = 2\n    a\n}\n", "assigned again"),
        ("inline_variable", "fn main() -> Int !{time.now} {\n    let <|>a = time_now()\n    a\n}\n", "effects"),
        ("inline_variable", "fn main() -> Int {\n    let <|>a = 1 / 0\n    if 1 > 2 { a } else { 3 }\n}\n", "can fail"),
        ("inline_variable", "fn main() -> Int {\n    let mut b = 1\n    let <|>a = b + 1\n    b = 5\n    a + b\n}\n", "assigned afterwards"),
        ("extract_function", "fn main() -> Int {\n    «return 1»\n}\n", "return"),
        ("extract_function", "fn main() -> Int {\n    let a = «1 + 2 * » 3\n    a\n}\n", "cuts"),
        ("inline_function", "fn f(n: Int) -> Int requires n > 0 { n }\nfn main() -> Int { <|>f(1) }\n", "contracts"),
        ("inline_function", "fn f(n: Int) -> Int { if n > 0 { f(n - 1) } else { 0 } }\nfn main() -> Int { <|>f(1) }\n", "itself"),
        ("match_to_if", "fn f(n: Int) -> Int { <|>match n { 1 => 2, 2 => 3 } }\nfn main() -> Int { f(1) }\n", "add an arm"),
        ("flip_binary", "fn main() -> Int { 3 <|>- 2 }\n", "cannot be swapped"),
        ("while_to_for", "fn main() -> Int {\n    let xs = [1]\n    let mut i = 0\n    <|>while i < list_len(xs) { i = i + 1 }\n    i\n}\n", ""),
        ("remove_parameter", "fn f(<|>a: Int) -> Int { a }\nfn main() -> Int { f(1) }\n", "is used"),
        ("remove_parameter", "fn f(<|>a: Int) -> Int { 1 }\nfn main() -> Int { let g = f g(1) }\n", "as a value"),
    ],
)  # fmt: skip
def test_what_is_refused(name: str, before: str, reason: str) -> None:
    program = marked(before)
    db = opened(program.text)
    span = program.spans[0] if program.spans else (program.cursor, program.cursor)
    made = performed(db, MAIN, span, name)
    assert isinstance(made, Refusal), made
    assert reason in made.reason


LIBRARY = "export fn half(n: Int) -> Int {\n    n / 2\n}\n"
IMPORTER = 'import "shop"\n\nfn helper(n: Int) -> Int {\n    n + 1\n}\n\nfn main() -> Int {\n    half(helper(3))\n}\n'


def test_rename_of_a_workspace_library_from_a_use() -> None:
    db = opened(IMPORTER, {"shop": LIBRARY})
    found = rename(db, MAIN, IMPORTER.index("half"), "halved")
    assert not isinstance(found, Refusal)
    assert {one.file: len(one.edits) for one in found} == {MAIN: 1, library("shop"): 1}


def test_signatures_change_with_their_callers() -> None:
    db = opened(IMPORTER, {"shop": LIBRARY})
    made = change_signature(db, MAIN, IMPORTER.index("half"), [Wanted(0), Wanted(None, "by", "Int", "2")])
    assert isinstance(made, Change)
    # What was just added is not used yet.
    assert isinstance(tried(db, made), Change)
    assert "half(helper(3), 2)" in changed(source(db, MAIN), made.edits[MAIN]).text
    assert "half(n: Int, by: Int)" in changed(source(db, library("shop")), made.edits[library("shop")]).text
    for wanted in (
        [Wanted(3)],
        [Wanted(0), Wanted(0)],
        [Wanted(0), Wanted(None, "x) {", "Int", "1")],
        [Wanted(0), Wanted(None, "n", "Int", "1")],
    ):
        assert isinstance(change_signature(db, MAIN, IMPORTER.index("half"), wanted), Refusal)


def test_a_change_in_a_library_s_own_file_is_tried_with_its_importers() -> None:
    """A library is one file with two names: the document that is edited, and what programs import."""
    text = LIBRARY.replace("n: Int", "n: Int, unused: Int")
    db = opened(IMPORTER.replace("helper(3)", "helper(3), 0"), {"shop": text})
    document = library("shop")._replace(layer="disk")
    source.set(db, document, source(db, library("shop")))
    made = performed(db, document, (text.index("unused"),) * 2, "remove_parameter", lambda: [MAIN])
    assert isinstance(made, Change), made
    assert "half(helper(3))" in changed(source(db, MAIN), made.edits[MAIN]).text
    assert delta_of(db, made.edits, [MAIN])["introduced"] == []


def test_parameters_change_places_with_their_arguments() -> None:
    text = 'fn f(a: Int, b: String, c: Int) -> Int { a - c }\nfn main() -> Int { f(f(1, "x", 2), "y", 3) }\n'
    db = opened(text)

    def moved(name: str, at: str) -> str | None:
        made = performed(db, MAIN, (text.index(at),) * 2, name)
        return changed(source(db, MAIN), made.edits[MAIN]).text if isinstance(made, Change) else None

    right = moved("move_parameter_right", "a: Int")
    assert right is not None
    assert "fn f(b: String, a: Int, c: Int)" in right
    assert 'f("y", f("x", 1, 2), 3)' in right
    assert moved("move_parameter_left", "b: String") == right
    assert moved("move_parameter_left", "a: Int") is None
    assert moved("move_parameter_right", "c: Int") is None


def test_parameters_of_one_name_keep_their_order() -> None:
    db = opened("fn f(a: Int, a: Int) -> Int { a }\nfn main() -> Int { f(2, 1) }\n")
    assert isinstance(change_signature(db, MAIN, 3, [Wanted(1), Wanted(0)]), Refusal)


def test_what_the_host_calls_stays_in_its_file() -> None:
    db = opened(
        "fn init() -> Int { 0 }\nfn update(s: Int, m: Int) -> Int { s }\nfn view(s: Int) -> Int { s }\n", {"shop": LIBRARY}
    )
    moved = move_item(db, MAIN, 3, "shop")
    assert isinstance(moved, Refusal)
    assert "called by the host" in moved.reason


def test_items_move_to_libraries() -> None:
    db = opened(IMPORTER, {"shop": LIBRARY})
    made = move_item(db, MAIN, IMPORTER.index("helper"), "shop")
    assert isinstance(made, Change)
    assert isinstance(tried(db, made), Change)
    assert changed(source(db, library("shop")), made.edits[library("shop")]).text.endswith(
        "export fn helper(n: Int) -> Int {\n    n + 1\n}\n"
    )
    assert "helper(n" not in changed(source(db, MAIN), made.edits[MAIN]).text
    new = move_item(db, MAIN, IMPORTER.index("helper"), "tools")
    assert isinstance(new, Change)
    branch = db.branch()
    with_library(branch, MAIN, new)
    assert isinstance(tried(branch, new), Change)
    assert new.new_files[0].path == "/workspace/libs/tools/src/core.ax"
    for name in ("..", "a/b", ""):
        assert isinstance(move_item(db, MAIN, IMPORTER.index("helper"), name), Refusal)
    assert isinstance(move_item(db, MAIN, IMPORTER.index("main"), "shop"), Refusal)


def test_refactorings_preserve_meaning(seed: int) -> None:
    """A sample; all places: `python -m tests.ide.refactorings`."""
    chosen = random.Random(seed)
    counts: Counter[str] = Counter()
    names = sorted(refactorings.texts())
    for name in chosen.sample(names, 25):
        faults = refactorings.check(name, refactorings.texts()[name], refactorings.NAMES, 20, chosen, counts)
        assert not faults, faults[0]
    assert counts["extract_function"] + counts["extract_variable"] > 50


def test_the_comparison_notices_another_meaning() -> None:
    text = "fn main() -> Int {\n    1 + 2\n}\n"
    module, other = refactorings.module_of(text), refactorings.module_of(text.replace("+", "-"))
    assert module is not None
    assert other is not None
    assert refactorings.outcome(module) != refactorings.outcome(other)
