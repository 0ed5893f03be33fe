"""Rules are chosen by a text alone, and what they walk through is kept with it: a changed signature elsewhere repeats neither."""

from __future__ import annotations

import pytest

from analysis.database import Database
from analysis.diagnostics.check import RULES, check_file
from analysis.inputs import FileId, source
from analysis.semantics.environment import environment
from analysis.semantics.function_nodes import RESIDENT
from analysis.semantics.infer import inferred_of
from analysis.semantics.rule_context import RuleContext, own_functions
from analysis.semantics.scope_facts import ScopeFacts
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.text.source import Source
from tests.support.corpus import programs

FILE = FileId("", "disk", "/a.ax")
CALLER = "fn caller(n: Int) -> Int {\n    target(n)\n}\n"


def _context(db: Database, file: FileId, text: str) -> RuleContext:
    chunk_summary = summary(db, text)
    given = environment(db, file).item_scope(chunk_summary.free_names)
    facts = ScopeFacts(chunk_summary.free_names, given)
    own = own_functions(chunk_summary.free_names, given)
    return RuleContext(text, chunk_summary, resolved(db, text), own, facts, inferred_of(db, text, facts))


@pytest.mark.parametrize("concerned", [False, True])
def test_rules_that_a_text_does_not_concern_find_nothing_in_it(concerned: bool) -> None:
    found = asked = 0
    for program in programs():
        db = Database()
        source.set(db, FILE, Source.from_text(program.read_text(encoding="utf-8", errors="replace")))
        for chunk in source(db, FILE).chunks:
            context = _context(db, FILE, chunk.text)
            for rule, concerns in RULES:
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
