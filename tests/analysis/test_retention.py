"""Of the pipeline's answers those about texts that are gone are evicted: every query says what its answers are about."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import analysis
import boruna_ls
from analysis.codegen.compile import compile_file
from analysis.database import Database, retain
from analysis.database.declaration import Declaration
from analysis.database.retention import RECENT, RECENT_CHARACTERS, VARIANTS
from analysis.diagnostics.check import check_file
from analysis.inputs import source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.parser import ChunkTree
from analysis.text.source import Source
from tests.support.marked import MAIN, opened

FUNCTIONS = 100
EDITS = 60
PROGRAM = "".join(f'fn f{n}(a: Int) -> String {{\n    let b = a + {n}\n    "{n}"\n}}\n\n' for n in range(FUNCTIONS))


PIECES = frozenset(("analysis.documents.kinds.workflow._step", "analysis.documents.json_reader._step"))
"""Queries about parts of a document's text, which are no chunks: their limits bound them."""


def queries() -> dict[str, Declaration]:
    """The declarations of all queries and inputs, by module and name."""
    found: dict[str, Declaration] = {}
    names = [module.name for module in pkgutil.walk_packages(analysis.__path__, "analysis.")]
    root = Path(boruna_ls.__path__[0])
    views = [path.relative_to(root.parent) for path in root.rglob("*.py") if "@query" in path.read_text("utf-8")]
    names += [".".join(path.with_suffix("").parts) for path in views]
    for name in names:
        for value in vars(importlib.import_module(name)).values():
            declaration = getattr(value, "declaration", None)
            if isinstance(declaration, Declaration):
                found[f"{value.__module__}.{value.__qualname__}"] = declaration
    return found


def test_every_query_declares_its_subject() -> None:
    declared = queries()
    assert len(declared) > 30
    without = [name for name, each in declared.items() if not (each.is_input or each.subjects or name in PIECES)]
    assert declared.keys() >= {*PIECES, "boruna_ls.answers.digest.digest"}
    assert without == [], "add subject=… to @query: see analysis/inputs.py"


def test_functions_that_get_other_numbers_leave_no_code_behind() -> None:
    db = opened(PROGRAM)
    for number in range(EDITS):
        # Each new function gives all functions behind it other numbers and other first constants.
        source.set(db, MAIN, source(db, MAIN).edited(0, 0, f'fn added{number}() -> String {{ "{number}" }}\n\n'))
        assert compile_file(db, MAIN, "program").module is not None
        check_file(db, MAIN)
    for _ in retain(db):
        pass
    most = (FUNCTIONS + EDITS) * VARIANTS + RECENT
    assert {name: counts.live for name, counts in db.statistics().items() if counts.live > most} == {}


def test_an_evicted_answer_is_computed_again() -> None:
    db = opened(PROGRAM)
    before = compile_file(db, MAIN, "program")
    for _ in retain(db, recent=0, variants=0):
        pass
    assert db.statistics()["generated"].live == 0
    source.set(db, MAIN, source(db, MAIN).edited(0, 0, "// note\n"))
    assert len(compile_file(db, MAIN, "program").module.functions) == len(before.module.functions)  # type: ignore[union-attr]


def test_texts_of_a_file_that_is_gone_leave_nothing() -> None:
    db = Database()
    opened(PROGRAM, db=db)
    check_file(db, MAIN)
    source.remove(db, MAIN)
    for _ in retain(db, recent=0):
        pass
    assert {name for name, counts in db.statistics().items() if counts.live} <= {"source", "libraries", "settings", "defect"}


def test_of_texts_that_are_gone_few_characters_stay() -> None:
    db = opened("fn main() -> Int { 1 }\n")
    for number in range(5):
        large = "".join(f"    let a{n} = {n + number}\n" for n in range(10_000))
        source.set(db, MAIN, Source.from_text(f"fn main() -> Int {{\n{large}    1\n}}\n"))
        check_file(db, MAIN)
    source.set(db, MAIN, Source.from_text("fn main() -> Int { 1 }\n"))
    check_file(db, MAIN)
    for _ in retain(db):
        pass
    long = [memo for table in db.tables() for key, memo in table.items() if isinstance(key, str) and len(key) > RECENT_CHARACTERS]
    assert long == []


def test_a_step_evicts_few_characters() -> None:
    """What follows from a text is freed in the step: of a thousand long ones that would take a tenth of a second."""
    db = Database()
    texts = [f"fn f{number}() -> Int {{ 1 }} // {'x' * 5_000}" for number in range(400)]
    for text in texts:
        chunk_tree(db, text)
    most = before = len(texts)
    evicted = []
    for _ in retain(db, recent=0):
        live = db.statistics()["chunk_tree"].live
        evicted.append(before - live)
        before = live
    assert sum(evicted) == most
    assert max(evicted) * 5_000 < 30_000


def test_of_very_many_texts_that_are_gone_the_last_ones_stay() -> None:
    db = Database()
    texts = [f"fn f{number}() -> Int {{ 1 }}" for number in range(3_000)]
    for text in (*texts, *texts[500 : 500 + RECENT]):
        chunk_tree(db, text)
    for _ in retain(db):
        pass
    (kept,) = [table for table in db.tables() if texts[500] in table and isinstance(table[texts[500]].value, ChunkTree)]
    assert set(kept) == set(texts[500 : 500 + RECENT])
