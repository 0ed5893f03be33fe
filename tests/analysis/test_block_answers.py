"""Answers about blocks are kept with them: a keystroke looks no other block up, and no answer outlives an input."""

from __future__ import annotations

from random import Random

import pytest

from analysis.database import Database, query
from analysis.diagnostics.check import check_file
from analysis.inputs import BLOCK, FILE, CheckSettings, FileId, settings, source
from analysis.syntax.block_answers import of_blocks
from analysis.text.blocks import Block
from analysis.text.source import Source
from tests.support.marked import MAIN

TEXT = "".join(f"export fn f{number}(n: Int) -> Int {{ let x = n\n n }}\n" for number in range(300)) + "fn main() -> Int { 1 }\n"


@query(subject=BLOCK)
def _letters(db: Database, texts: Block) -> int:
    return sum(map(len, texts))


@query(subject=BLOCK)
def _letters_of_all(db: Database, texts: Block) -> int:
    return len(source(db, MAIN).text)


@query(subject=FILE)
def _read_whole(db: Database, file: FileId) -> tuple[int, ...]:
    return tuple(of_blocks(db, file, _letters_of_all))


def _opened() -> tuple[Database, Source]:
    db, text = Database(), Source.from_text(TEXT)
    source.set(db, MAIN, text)
    return db, text


def test_the_diagnostics_of_other_blocks_are_not_looked_up() -> None:
    db, text = _opened()
    check_file(db, MAIN)
    before = {name: each.reused for name, each in db.statistics().items()}
    source.set(db, MAIN, text.edited(len(TEXT) - 3, len(TEXT) - 3, " + 1"))
    assert len(check_file(db, MAIN).entries) == 300
    after = db.statistics()
    for name in ("block_diagnostics", "block_unused", "block_names", "block_uses", "block_literals", "block_imports"):
        assert after[name].reused - before[name] <= 1, name


def test_the_letters_of_an_undefined_name_judge_no_other_block() -> None:
    text = "".join(f"fn unused_{number}(n: Int) -> Int {{ n }}\n" for number in range(300)) + "fn main() -> Int { 1 }\n"
    db, typed = Database(), Source.from_text(text)
    source.set(db, MAIN, typed)
    check_file(db, MAIN)
    before = db.statistics()
    for letter in " zzz":
        typed = typed.edited(len(typed.text) - 3, len(typed.text) - 3, letter)
        source.set(db, MAIN, typed)
        assert check_file(db, MAIN).entries
    after = db.statistics()
    for name in ("block_diagnostics", "block_unused"):
        runs = after[name].executed - before[name].executed + after[name].reused - before[name].reused
        assert runs <= 2 * len(" zzz"), name


def test_answers_are_those_of_the_queries() -> None:
    db, text = _opened()
    for _ in range(2):
        assert of_blocks(db, MAIN, _letters) == [len("".join(texts)) for texts in text.blocks]
        text = text.edited(0, 0, "// more\n")
        source.set(db, MAIN, text)


@pytest.mark.parametrize("often", [1, 3])
def test_answers_that_are_taken_over_are_those_of_the_queries(often: int) -> None:
    """Also where nobody asked for those of the text before."""
    db, text = _opened()
    random = Random(often)
    for number in range(60):
        start = random.choice(text.offsets)
        end = min(len(text.text), start + random.choice((0, 0, 40, 4_000)))
        text = text.edited(start, end, random.choice(("", f"fn new_{number}() -> Int {{ 1 }}\n", "x", '"', "}")))
        source.set(db, MAIN, text)
        if number % often == 0:
            assert of_blocks(db, MAIN, _letters) == [len("".join(texts)) for texts in text.blocks]
            assert of_blocks(db, MAIN, _letters) is of_blocks(db, MAIN, _letters)


def test_an_answer_that_depends_on_an_input_is_asked_for_again() -> None:
    db, text = _opened()
    assert set(_read_whole(db, MAIN)) == {len(TEXT)}
    source.set(db, MAIN, text.edited(0, 0, "// more\n"))
    assert set(_read_whole(db, MAIN)) == {len(TEXT) + 8}


def test_other_settings_give_a_block_other_diagnostics() -> None:
    db, _ = _opened()
    assert len(check_file(db, MAIN).entries) == 300
    settings.set(db, MAIN.workspace, CheckSettings(ignore=("W501",)))
    assert check_file(db, MAIN).entries == ()
    settings.remove(db, MAIN.workspace)
    assert len(check_file(db, MAIN).entries) == 300


def test_what_is_known_of_a_block_is_no_part_of_its_value() -> None:
    db, text = _opened()
    of_blocks(db, MAIN, _letters)
    assert text.blocks == tuple(tuple(block) for block in text.blocks) == Source.from_text(TEXT).blocks


def test_what_is_known_of_a_block_is_true_in_another_database() -> None:
    db, text = _opened()
    check_file(db, MAIN)
    other = Database()
    source.set(other, MAIN, text)
    settings.set(other, MAIN.workspace, CheckSettings(ignore=("W501",)))
    assert of_blocks(other, MAIN, _letters) == of_blocks(db, MAIN, _letters)
    assert check_file(other, MAIN).entries == ()
    assert len(check_file(db, MAIN).entries) == 300


def test_a_key_in_a_body_leaves_the_literals_of_the_file_as_they_are() -> None:
    db, text = _opened()
    check_file(db, MAIN)
    with db.record_events() as events:
        source.set(db, MAIN, text.edited(len(TEXT) - 3, len(TEXT) - 3, " + 1"))
        check_file(db, MAIN)
    assert "anonymous_fields" not in {query for event, query, _ in events if event == "execute"}
