"""What is kept about signatures and types stays small, however large they are."""

from __future__ import annotations

import gc

from analysis.database import Database, retain
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.semantics.declarations import TypeFact
from analysis.text import Source

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
