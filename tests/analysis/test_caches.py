"""Caches of signatures and types stay small, however large their entries are."""

from __future__ import annotations

import gc

from analysis.database import Database, caches, retain
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.semantics.declarations import TypeFact
from analysis.semantics.environment import BlockScope
from analysis.semantics.spelling import closest
from analysis.text.source import Source

FILE = FileId("", "inline", "long.ax")


def test_long_types_that_are_gone_are_not_kept() -> None:
    db = Database()
    for number in range(20):
        fields = ", ".join(f"f{field}: Int" for field in range(1_000 + number))
        source.set(db, FILE, Source.from_text(f"type R {{ {fields} }}\nfn f(r: R) -> Int {{ r.f0 }}\n"))
        assert check_file(db, FILE)
    source.remove(db, FILE)
    for _ in retain(db, 0):
        pass
    gc.collect()
    long = [fact for fact in gc.get_objects() if isinstance(fact, TypeFact) and len(fact.members) >= 1_000]
    assert len(long) < 10


def test_keystrokes_leave_few_scopes_behind() -> None:
    db = Database()
    gc.collect()
    before = sum(isinstance(value, BlockScope) for value in gc.get_objects())
    for number in range(500):
        source.set(db, FILE, Source.from_text(f"fn f() -> Int {{ missing_{number} }}\n"))
        assert check_file(db, FILE)
    for _ in retain(db, 0):
        pass
    gc.collect()
    assert sum(isinstance(value, BlockScope) for value in gc.get_objects()) - before < 100


def test_names_of_programs_that_are_gone_are_forgotten() -> None:
    names = [f"name_{number:04}_of_a_function" for number in range(2_000)]
    assert closest("name_0001_of_a_functoin", names) == names[1]
    assert sum(cache.cache_info().currsize for cache in caches._CACHES) >= 2_000
    caches.empty_caches()
    assert sum(cache.cache_info().currsize for cache in caches._CACHES) == 0
    assert closest("name_0001_of_a_functoin", names) == names[1]
