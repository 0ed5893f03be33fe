"""Rules are chosen by a text alone, and what they walk through is kept with it: a changed signature elsewhere repeats neither."""

from __future__ import annotations

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.typed import TYPE_RULES
from analysis.inputs import FileId, source
from analysis.semantics.environment import environment
from analysis.semantics.function_nodes import RESIDENT
from analysis.semantics.rule_context import RuleContext, rule_context
from analysis.semantics.summary import summary
from analysis.text.source import Source
from tests.support.corpus import programs

FILE = FileId("", "disk", "/a.ax")
CALLER = "fn caller(n: Int) -> Int {\n    target(n)\n}\n"


def _context(db: Database, file: FileId, text: str) -> RuleContext:
    return rule_context(db, text, environment(db, file).item_scope(summary(db, text).free_names))


@pytest.mark.parametrize("concerned", [False, True])
def test_rules_that_a_text_does_not_concern_find_nothing_in_it(concerned: bool) -> None:
    found = asked = 0
    for program in programs():
        db = Database()
        source.set(db, FILE, Source.from_text(program.read_text(encoding="utf-8", errors="replace")))
        for chunk in source(db, FILE).chunks:
            context = _context(db, FILE, chunk.text)
            for rule, concerns in TYPE_RULES:
                if concerns is not None and concerns(context) == concerned:
                    asked += 1
                    found += len(list(rule(context)))
    assert asked > 1_000
    assert (found > 0) == concerned


def test_a_changed_signature_walks_over_no_caller_again() -> None:
    db = Database()
    source.set(db, FILE, Source.from_text("fn target(a: Int) -> Int { a }\n\n" + CALLER))
    check_file(db, FILE)
    walked = [summary(db, chunk.text).walk.over(()) for chunk in source(db, FILE).chunks if "caller" in chunk.text]
    assert [item.name for item, _ in walked[0]] == ["caller"], "kept since the check: these are no items of the call's"
    source.set(db, FILE, Source.from_text("fn target(a: Int) -> String { a }\n\n" + CALLER))
    check_file(db, FILE)
    again = [summary(db, chunk.text).walk.over(()) for chunk in source(db, FILE).chunks if "caller" in chunk.text]
    assert again[0] is walked[0]


HEADERS = {
    "another name": ("target(n: Int) -> Int", True),
    "a parameter more": ("target(a: Int, b: String) -> Int", True),
    "a capability": ("target(a: Int) -> Int !{time.now}", True),
    "another type of the parameter": ("target(a: Bool) -> Int", False),
    "another result": ("target(a: Int) -> String", False),
    "no result": ("target(a: Int)", False),
    "a type of the program": ("target(a: Int) -> Point", False),
    "a long header": (f"target(a: Int, b: {'List<' * 9}Int{'>' * 9}) -> Int", False),
    "a broken header": ("target(a: Int, b) -> Int", False),
    "no function of this name": ("other(a: Int) -> Int", False),
}
"""Headers of a called function after `target(a: Int) -> Int`, and whether its callers' types stay what they are."""
BODIES = {
    "a call": "target(n)",
    "a call with a wrong argument": 'target("text") + n',
    "a value": "let f = target\n    f(n)",
    "a discarded call": "target(n)\n    let xs = [target(n)]\n    list_len(xs)",
    "a condition": "if target(n) > 0 && target(1) > n { target(n) } else { -target(2) }",
}


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("body", BODIES)
def test_types_are_inferred_again_where_a_changed_signature_means_something_for_them(header: str, body: str) -> None:
    db, others = Database(), "type Point { x: Int }\n\nfn main() -> Int { caller(1) }\n\n"
    caller = f"fn caller(n: Int) -> Int {{\n    {BODIES[body]}\n}}\n"
    source.set(db, FILE, Source.from_text(f"{others}fn target(a: Int) -> Int {{ a }}\n\n{caller}"))
    check_file(db, FILE)
    changed, are_same = HEADERS[header]
    walk = next(summary(db, chunk.text).walk for chunk in source(db, FILE).chunks if "fn caller" in chunk.text)
    before = walk.typed
    text = Source.from_text(f"{others}fn {changed} {{ a }}\n\n{caller}")
    source.set(db, FILE, text)
    fresh = Database()
    source.set(fresh, FILE, text)
    assert check_file(db, FILE) == check_file(fresh, FILE)
    # A message names the parameter, and a value has the type of the whole header.
    tells_of_header = body in ("a call with a wrong argument", "a value")
    assert (walk.typed is before) == (are_same and not tells_of_header)


def test_unknown_types_are_all_the_same_until_they_are_declared() -> None:
    db, answers = Database(), []
    for kind, before in (
        ("Poin", ""),
        ("Pointy", ""),
        ("Pointy", "type Pointy { x: Int }\n\n"),
        ("Poin", "type Pointy { x: Int }\n\n"),
    ):
        text = Source.from_text(f"{before}fn target(a: Int) -> {kind} {{ a }}\n\n{CALLER}")
        source.set(db, FILE, text)
        fresh = Database()
        source.set(fresh, FILE, text)
        assert check_file(db, FILE) == check_file(fresh, FILE)
        answers.append(next(summary(db, chunk.text).walk.typed for chunk in text.chunks if "caller" in chunk.text))
    assert [answer is answers[0] for answer in answers] == [True, True, False, False]


def test_calls_in_contracts_are_compared_with_the_whole_header() -> None:
    db, caller = (
        Database(),
        "fn caller(n: Int) -> Int\n    requires target(n) > 0\n{\n    n\n}\n\nfn main() -> Int { caller(1) }\n",
    )
    for header in ("target(a: Int)", "target(a: Int, b: Int)"):
        text = Source.from_text(f"fn {header} -> Int {{ a }}\n\n{caller}")
        source.set(db, FILE, text)
        fresh = Database()
        source.set(fresh, FILE, text)
        assert check_file(db, FILE) == check_file(fresh, FILE)


def test_the_walk_over_a_long_text_is_not_kept() -> None:
    db = Database()
    text = "fn long(n: Int) -> Int {\n    n" + " + n" * 3_000 + "\n}\n"
    source.set(db, FILE, Source.from_text(text))
    check_file(db, FILE)
    assert [summary(db, chunk.text).walk.over(()) for chunk in source(db, FILE).chunks if chunk.text.strip()] == [()]


def test_only_the_latest_walks_are_kept() -> None:
    db = Database()
    source.set(db, FILE, Source.from_text("".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(RESIDENT + 200))))
    check_file(db, FILE)
    walks = [summary(db, chunk.text).walk for chunk in source(db, FILE).chunks]
    assert all(walk.over(()) for walk in walks[-100:])
    assert not any(walk.over(()) for walk in walks[:100])
