"""Repairs of what does not parse: a page of examples, programs broken by typical mistakes, and random damage."""

from __future__ import annotations

import os
import random
import time

import pytest

from analysis.suggestions.broken.error_site import applied
from analysis.suggestions.broken_text import candidates, errors_of, mistake
from analysis.syntax.lexer import lex
from analysis.syntax.parser import parse
from tests.repair import breaking, pages

SEED = int(os.environ.get("REPAIR_SEED", "20260"))
PER_KIND = 30
_POOL = (
    "( ) { } [ ] , : = => -> ; :: . .. + - ! ' \" # | & else if match let fn x Foo 1 return \u00a0 “ /* */ // _ mut type in"
    " for @ \\ `"
).split(" ")


@pytest.mark.parametrize("example", pages.examples(), ids=lambda example: example.title)
def test_examples(example: pages.Example) -> None:
    assert breaking.repaired(example.broken, pages.ROUNDS) == example.repaired
    assert breaking.is_sound(example.repaired)
    assert not breaking.is_sound(example.broken)
    assert pages.first_mistake(example.broken) == (example.line, example.patch_id)


@pytest.fixture(scope="module")
def tallies() -> dict[str, breaking.Tally]:
    found = breaking.measure(SEED, PER_KIND)
    print(f"seed {SEED} (set REPAIR_SEED to change it)\n{breaking.table(found)}")
    return found


@pytest.mark.parametrize("kind", breaking.BOUND)
def test_broken_programs_come_back(tallies: dict[str, breaking.Tally], kind: str) -> None:
    tally = tallies[kind]
    assert tally.broken >= 15, "too few programs of the corpus can be broken in this way"
    assert tally.parses >= 0.95 * tally.broken, breaking.table(tallies)
    assert tally.restored >= 0.8 * tally.broken, breaking.table(tallies)


def test_mistakes_are_located(tallies: dict[str, breaking.Tally]) -> None:
    broken = sum(tally.broken for tally in tallies.values())
    assert sum(tally.located for tally in tallies.values()) >= 0.97 * broken, breaking.table(tallies)


def test_all_kinds_together_come_back(tallies: dict[str, breaking.Tally]) -> None:
    broken = sum(tally.broken for tally in tallies.values())
    assert sum(tally.parses for tally in tallies.values()) >= 0.97 * broken, breaking.table(tallies)
    assert sum(tally.restored for tally in tallies.values()) >= 0.93 * broken, breaking.table(tallies)


def _damaged(rng: random.Random, text: str) -> str:
    tokens = lex(text)
    index = rng.randrange(max(1, len(tokens.kinds) - 1))
    start, end = tokens.starts[index], tokens.ends[index]
    kind = rng.randrange(4)
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return f"{text[:start]}{rng.choice(_POOL)} {text[start:]}"
    if kind == 2:
        return text[:start] + rng.choice(_POOL) + text[end:]
    return f"{text[:end]} {text[start:end]}{text[end:]}"


def test_patches_of_random_damage_keep_their_word() -> None:
    """Whatever is broken: every patch removes its error and leaves fewer, ids are unique, spans lie in the chunk."""
    rng = random.Random(SEED)
    texts = breaking.programs()
    patched = damaged = 0
    for _ in range(150):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 3)):
            text = _damaged(rng, text)
        for _, chunk, tree, error in list(breaking.errors(text))[:3]:
            damaged += 1
            before = len(tree.errors) + len(tree.tokens.errors)
            told = mistake(chunk, tree, error)
            if told is not None:
                assert 0 <= told.span[0] <= told.span[1] <= len(chunk), (SEED, chunk)
                assert told.message
                assert told.help
            fixes = candidates(chunk, tree, error)
            patched += bool(fixes)
            assert len({fix.id for fix in fixes}) == len(fixes), (SEED, chunk)
            for fix in fixes:
                ends = [0, *(place for edit in fix.edits for place in edit.span), len(chunk)]
                assert ends == sorted(ends), (SEED, chunk, fix)
                after = parse(applied(chunk, fix.edits))
                assert len(after.errors) + len(after.tokens.errors) < before, (SEED, chunk, fix)
    assert damaged > 100
    assert patched > 0.7 * damaged, f"{patched} of {damaged}, seed {SEED}"


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", '"', "'", "}", "{", "(", "fn", "fn f", "fn f(", "fn f() {", "match", "let", "\ufeff", "/*", "/* */", "#",
        "fn f() { match x {", "E::", "x[", "\\",
    ],
)  # fmt: skip
def test_scraps_have_an_answer(text: str) -> None:
    tree = parse(text)
    for error in errors_of(tree):
        for fix in candidates(text, tree, error):
            assert fix.edits
        mistake(text, tree, error)


@pytest.mark.parametrize(
    "body",
    [
        "    let a = 1;\n", "    if a { 1 } else if b { 2 } else { 3 }\n", "    f(a, b\n", '    f("a)\n', "    x += 1\n",
        "    match a { E::A => 1 }\n",
    ],
)  # fmt: skip
def test_a_long_chunk_is_answered_in_bounded_time(body: str) -> None:
    text = "fn main() -> Int {\n" + body * 2000 + "}\n"
    tree = parse(text)
    error = errors_of(tree)[0]
    begun = time.process_time()
    candidates(text, tree, error)
    mistake(text, tree, error)
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("example", pages.examples(), ids=lambda example: example.title)
def test_line_ends_stay(example: pages.Example) -> None:
    broken, repaired = (text.replace("\n", "\r\n") for text in (example.broken, example.repaired))
    assert breaking.repaired(broken, pages.ROUNDS) == repaired
