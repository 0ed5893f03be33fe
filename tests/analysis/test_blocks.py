"""Blocks: their borders follow the chunks, an edit keeps the others, and items see in their block what they see in the file."""

from __future__ import annotations

import random

from analysis.database import Database
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.semantics.environment import environment
from analysis.semantics.summary import block_scopes, item_index
from analysis.text.blocks import LEAST, MOST, Blocks
from analysis.text.source import Chunk, Source
from tests.support.corpus import programs
from tests.support.marked import MAIN, WORKSPACE, opened
from tests.support.random_edits import edited, rearranged

TEXTS = [f"fn f{number}(n: Int) -> Int {{ n + {number} }}\n" for number in range(1000)]


def _blocks(texts: list[str]) -> Blocks:
    return Blocks.of(_chunks(texts))


def _chunks(texts: list[str]) -> list[Chunk]:
    return [Chunk(text) for text in texts]


def test_blocks_hold_all_chunks_in_order_and_are_neither_small_nor_large() -> None:
    made = _blocks(TEXTS)
    assert [text for block in made.blocks for text in block] == TEXTS
    assert all(LEAST <= len(block) <= MOST for block in made.blocks[:-1])
    assert 30 < len(made.blocks) < 120
    for number, start in enumerate(made.starts):
        assert (made.number(start), made.number(start + len(made.blocks[number]) - 1)) == (number, number)


def test_chunks_that_are_all_alike_make_blocks() -> None:
    assert {len(block) for block in _blocks(["fn f() {}\n"] * 960).blocks} in ({LEAST}, {MOST})
    assert _blocks([""]).blocks == (("",),)


def test_an_item_on_top_changes_the_blocks_around_it(seed: int) -> None:
    chance = random.Random(seed)
    made = _blocks(TEXTS)
    new_blocks = []
    for _ in range(200):
        texts = list(TEXTS)
        place = chance.choice((0, 0, chance.randrange(len(texts)), len(texts)))
        texts.insert(place, f"fn added{chance.random()}() {{}}\n")
        after = made.edited(_chunks(texts), place, place + 1)
        assert (after.blocks, after.starts) == (_blocks(texts).blocks, _blocks(texts).starts)
        new_blocks.append(len(set(after.blocks) - set(made.blocks)))
    # Where the item hides a border, or makes one, the next ones can move: twenty times as seldom with each further block.
    assert max(new_blocks) <= 8
    assert sum(new_blocks) / len(new_blocks) < 1.5


def test_after_any_edits_the_blocks_are_those_of_the_text(seed: int) -> None:
    chance = random.Random(seed)
    text = Source.from_text("".join(TEXTS[:200]))
    for _ in range(300):
        before = text
        text.blocks  # noqa: B018 - from here on they are kept up to date
        text = chance.choice((edited, edited, rearranged))(text, chance)
        new = Source.from_text(text.text)
        assert (text.blocks, text.grouped.starts) == (new.blocks, new.grouped.starts), (before.text, text.text)
        if len(text.chunks) < 20:
            text = Source.from_text("".join(TEXTS[:200]))


def test_items_see_in_their_block_what_they_see_in_the_file(seed: int) -> None:
    """With imports that are there and that are missing, and with items that are broken."""
    chance = random.Random(seed)
    shapes = FileId(WORKSPACE, "library", "/shapes.ax")
    compared = 0
    for path in chance.sample(programs("diagnostics", "run", "framework"), 120):
        text = Source.from_text(path.read_bytes().decode("utf-8", "replace"))
        for _ in range(4):
            head = chance.choice(("", "import shapes\n", 'import "missing-library"\n', "type Point { x: }\n", "fn broken(a: {\n"))
            db = opened(head + text.text)
            source.set(db, shapes, Source.from_text("enum Shape { Round(Int) }\nfn area(s: Shape) -> Int { 1 }\n"))
            libraries.set(db, WORKSPACE, "", Libraries((("shapes", shapes),)))
            compared += _compared(db)
            text = edited(text, chance)
    assert compared > 1000


def _compared(db: Database) -> int:
    whole = environment(db, MAIN)
    count = 0
    blocks = source(db, MAIN).blocks
    for texts, part in zip(blocks, block_scopes(db, MAIN, blocks), strict=True):
        mentioned = [item_index(db, text).free_names for text in texts]
        for text, names, scope in zip(texts, mentioned, part.item_scopes(mentioned, frozenset()), strict=True):
            assert scope == whole.item_scope(names), text
            count += 1
    return count


def test_typing_in_a_body_moves_no_border() -> None:
    made = _blocks(TEXTS)
    for place, text in enumerate(TEXTS[:300]):
        texts = [*TEXTS[:place], "// why\n" + text.replace("{ n", "{ 1 + n"), *TEXTS[place + 1 :]]
        after = made.edited(_chunks(texts), place, place + 1)
        assert after.starts == made.starts
        assert len(set(after.blocks) - set(made.blocks)) == 1
