"""Cost of an edit to a compilation, asserted query by query; after any edit the module is that of a fresh database."""

from __future__ import annotations

import random

import pytest

from analysis.codegen.compile import Compiled, compile_file, module_size
from analysis.database import Database
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.text.source import Source
from tests.support.compiled import MAIN, function_of, listing
from tests.support.corpus import programs

LIBRARY = FileId("", "library", "/workspace/libs/shapes/src/core.ax")
SHAPES = 'import "numbers"\nfn area(n: Int) -> Int { twice(n) }\nfn main() -> Int { 0 }\n'
NUMBERS = FileId("", "library", "/workspace/libs/numbers/src/core.ax")
PROGRAM = """\
import shapes

type Point { x: Int, y: Int }

fn origin() -> Point { Point { x: 0, y: 0 } }

fn width(p: Point, scale: Int) -> Int {
    let w = p.x
    w * scale
}

fn caller() -> Int { width(origin(), 2) }

fn stranger(n: Int) -> Int { n + area(1) }

fn main() -> Int { caller() + stranger(1) }
"""
OWN = {"mentioned", "generated", "relocated"}
"""Queries about one chunk; the first part of their key is its text."""


class Session:
    """A database with a compiled file; `edit` answers which of the compiler's queries ran afterwards."""

    def __init__(self, text: str = PROGRAM) -> None:
        self.db = Database()
        self.text = Source.from_text(text)
        source.set(self.db, LIBRARY, Source.from_text(SHAPES))
        source.set(self.db, NUMBERS, Source.from_text("fn twice(n: Int) -> Int { n * 2 }\n"))
        libraries.set(self.db, MAIN.workspace, "", Libraries((("numbers", NUMBERS), ("shapes", LIBRARY))))
        source.set(self.db, MAIN, self.text)
        self.made = self.compile()

    def compile(self) -> Compiled:
        return compile_file(self.db, MAIN, "m")

    def edit(self, old: str, new: str) -> list[str]:
        """Replaces the only `old` in the file by `new`."""
        assert self.text.text.count(old) == 1
        start = self.text.text.index(old)
        self.text = self.text.edited(start, start + len(old), new)
        with self.db.record_events() as events:
            source.set(self.db, MAIN, self.text)
            self.made = self.compile()
        ran = []
        for event, query, key in events:
            if event == "execute" and query in OWN:
                chunk = key if isinstance(key, str) else str(key[0])
                ran.append(f"{query} {chunk.strip().partition('(')[0]}")
        return sorted(ran)


def test_an_edited_body_is_the_only_one_that_is_generated() -> None:
    session = Session()
    assert session.edit("w * scale", "w + scale") == ["generated fn width", "mentioned fn width", "relocated fn width"]
    assert session.made.module is not None
    assert listing(function_of(session.made.module, "width"))[-2:] == ["Add", "Ret"]


def test_more_constants_only_move_what_stands_behind() -> None:
    session = Session()
    ran = session.edit("w * scale", "w * scale * 7")
    assert [row for row in ran if row.startswith("generated")] == ["generated fn width"]
    assert session.made.module is not None
    main = function_of(session.made.module, "main")
    assert session.made.module.constants[main.code[1][1]] == ("Int", 1)


def test_a_field_that_moves_is_generated_where_it_is_used() -> None:
    session = Session()
    ran = session.edit("x: Int, y: Int }", "y: Int, x: Int }")
    assert [row for row in ran if row.startswith("generated fn")] == ["generated fn origin", "generated fn width"]


def test_a_comment_costs_its_own_chunk_at_most() -> None:
    session = Session()
    before = session.made
    ran = session.edit("fn stranger", "// a comment\nfn stranger")
    assert {row.partition(" ")[2] for row in ran} <= {"// a comment\nfn stranger"}
    assert session.made.module is not None
    assert before.module is not None
    assert [made.code for made in session.made.module.functions] == [made.code for made in before.module.functions]


def test_what_only_a_run_or_its_errors_see_is_no_old_answer() -> None:
    text = "type Box { width: Int }\n\nfn main() -> Int {\n    Box { width: 1 }.width\n}\n"
    session = Session(text)
    session.edit("}.width", "}.widht")
    assert session.made.module is not None
    (main,) = session.made.module.functions
    assert [name for _, name in main.field_names] == ["widht"]
    session.edit("type Box", "// Moved down.\ntype Box")
    assert session.made.module is not None
    (main,) = session.made.module.functions
    (at,) = [at for at, _ in main.field_names]
    place = main.place(at)
    assert place is not None
    assert session.text.text[place[1] : place[2]].endswith("widht")


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_the_module_is_that_of_a_fresh_database(seed: int) -> None:
    chance = random.Random(seed)
    texts = [PROGRAM, *(file.read_bytes().decode() for file in chance.sample(programs("bytecode", "run"), 4))]
    for text in texts:
        session = Session(text)
        for _ in range(12):
            start = chance.randrange(len(session.text.text) + 1)
            end = min(len(session.text.text), start + chance.randrange(4))
            new = chance.choice(["", "1", " x ", "{", "}", "fn g() { }\n", "+ 1", "\n", '"', "return "])
            session.text = session.text.edited(start, end, new)
            source.set(session.db, MAIN, session.text)
            made = session.compile()
            fresh = Session(session.text.text)
            assert made == fresh.made
            module, size = made.module, module_size(session.db, MAIN)
            assert (size is None) == (module is None)
            if module is not None:
                assert size == (len(module.functions), len(module.types), len(module.constants), module.entry)
            if made.module is not None and fresh.made.module is not None:
                places = [function.place(0) for function in made.module.functions]
                assert places == [function.place(0) for function in fresh.made.module.functions]
