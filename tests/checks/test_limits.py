"""Large programs, which are no reading matter for a page: sizes beyond 255 (E008), deep nesting, long chains of names."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source

MAIN = FileId("", "inline", "main.ax")


def codes(text: str) -> list[str]:
    db = Database()
    source.set(db, MAIN, Source.from_text(text))
    return [made.code for _, made in check_file(db, MAIN).entries]


def refusals(text: str) -> list[tuple[str, str]]:
    """The messages of E008 with the text that each marks."""
    db, whole = Database(), Source.from_text(text)
    source.set(db, MAIN, whole)
    placed = [(start, made) for start, made in check_file(db, MAIN).placed(whole) if made.code == "E008"]
    return [(text[start + made.span[0] : start + made.span[1]], made.message) for start, made in placed]


def listed(count: int, part: str = "{}") -> str:
    return ", ".join(part.format(number) for number in range(count))


def fields(count: int, part: str = "f{}: {}") -> str:
    return ", ".join(part.format(number, number) for number in range(count))


def test_255_of_everything_fit() -> None:
    text = f"""
fn wide({listed(255, "p{}: Int")}) -> Int {{ 1 }}
type Rec {{ {fields(255, "f{}: Int")} }}
enum E {{ {listed(256, "V{}")} }}
fn main() -> Int {{
    let xs = [{listed(255)}]
    let r = Rec {{ {fields(255)} }}
    let s = Rec {{ ..r, f0: 1 }}
    let e = E::V255
    wide({listed(255)})
}}
"""
    assert refusals(text) == []


@pytest.mark.parametrize(
    ("marked", "message", "text"),
    [
        (
            "wide",
            "function `wide` has 256 parameters; max 255",
            f"fn wide({listed(256, 'p{}: Int')}) -> Int {{ 1 }}\n",
        ),
        (
            "wide",
            "call to `wide` has 256 arguments; max 255",
            f"fn wide() -> Int {{ 1 }}\nfn main() -> Int {{ wide({listed(256)}) }}\n",
        ),
        (
            "f",
            "call has 256 arguments; max 255",
            f"fn g(f: Fn(Int) -> Int) -> Int {{ f({listed(256)}) }}\n",
        ),
        ("[", "list literal has 256 elements; max 255", f"fn main() -> Int {{ list_len([{listed(256)}]) }}\n"),
        (
            "Rec",
            "record literal has 256 fields; max 255",
            f"type Rec {{ {fields(256, 'f{}: Int')} }}\nfn main() -> Rec {{ Rec {{ {fields(256)} }} }}\n",
        ),
        (
            "Rec",
            "record literal has 256 fields; max 255",
            f"type Rec {{ {fields(256, 'f{}: Int')} }}\nfn f(r: Rec) -> Rec {{ Rec {{ ..r, f0: 1 }} }}\n",
        ),
        (
            "E::V256",
            "enum has 256 variants; max 255",
            f"enum E {{ {listed(257, 'V{}')} }}\nfn main() -> E {{ E::V256 }}\n",
        ),
    ],
)
def test_256_do_not(marked: str, message: str, text: str) -> None:
    assert refusals(text) == [(marked, message)]


@pytest.mark.parametrize(
    ("first", "assigned"),
    [("v{0}.next", "v{0}.next"), ("v{0}", "v{0}"), ("v{0}", "v{1}"), ("v{0}.next", "step(v{1})"), ("v{0}", "v{2}")],
)
def test_names_that_depend_on_each_other_in_many_ways(first: str, assigned: str) -> None:
    """Without remembering what a name comes to, this takes two to the power of the number of names."""
    names = [(number, max(0, number - 1), number + 1) for number in range(1000)]
    lets = "".join(f"let mut v{name[2]} = {first.format(*name)}\nv{name[2]} = {assigned.format(*name)}\n" for name in names)
    head = "type P { next: P }\nfn step(p: P) -> P { p }\n"
    found = codes(f"{head}fn main(v0: P) -> Int {{\n{lets}v3.nothing\nv1000.nothing\n}}\n")
    assert found.count("W107") == 2


@pytest.mark.parametrize("depth", [100, 5000])
@pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [
        ("if true { ", "1", " } else { 2 }"),
        ("match 1 { 1 => ", "1", ", _ => 2 }"),
        ("{ ", "1", " }"),
        ("list_len(", "[]", ")"),
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("!", "true", ""),
        ("1 + ", "1", ""),
        ("while true { ", "1", "}"),
        ("Some(", "1", ")"),
    ],
)
def test_nesting_is_checked_or_refused_and_ends_nothing(depth: int, opening: str, inner: str, closing: str) -> None:
    found = codes(f"fn main() -> Int {{ {opening * depth}{inner}{closing * depth} }}\nfn f() -> Int {{ unknown }}\n")
    assert found[-1] == "E003"
    assert "E002" not in found or depth > 1000


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "match e { " + ", ".join(f"V{i} => {i}" for i in range(n)) + " }",
        lambda n: "match e { " + ",\n".join(f"V{i} => {i}" for i in range(0, n, 2)) + " }",
        lambda n: "match e { " + ", ".join(f"v{i} => {i}" for i in range(n)) + " }",
        lambda n: "match e { " + ",\n".join(f"V{i} => {{ 1 + }}" if i % 2 else f"V{i} =>" for i in range(n)) + " }",
        lambda n: "if " + " && ".join("list_get([1], 0) == 1" for _ in range(n)) + " { 1 } else { 2 }",
    ],
)
def test_large_items_take_a_time_that_grows_with_their_size(make: Callable[[int], str]) -> None:
    """Once these took a time that grew with the square: 8,000 arms took ten seconds."""
    count = 8_000
    enum = "enum E { " + ", ".join(f"V{i}" for i in range(count)) + " }\n"
    started = time.process_time()
    codes(f"{enum}fn f(e: E) -> Int {{ {make(count)} }}\nfn main() -> Int {{ f(E::V1) }}")
    assert time.process_time() - started < 6 * (5 if sys.gettrace() else 1)
