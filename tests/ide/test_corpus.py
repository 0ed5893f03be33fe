"""Invariants for every name of every program of the corpus: definition, references and rename fit together."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.rules.locals import PROTOCOL_FUNCTIONS
from analysis.ide.definition import definition
from analysis.ide.folding import folding_ranges
from analysis.ide.hover import hover
from analysis.ide.name_meanings import Kind, Meaning, Spot, meaning
from analysis.ide.references import references
from analysis.ide.rename import Refusal, prepare_rename, rename
from analysis.ide.selection import selection_ranges
from analysis.ide.semantic_tokens import tokens
from analysis.ide.symbols import Symbol, document_symbols
from analysis.inputs import source
from analysis.semantics.app_shapes import EFFECT, MESSAGE, POLICY_SET, UPDATE_RESULT, is_app
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.scopes import resolved
from analysis.text.edits import Span
from analysis.text.source import Source
from tests.support.corpus import programs
from tests.support.edits import applied
from tests.support.marked import MAIN, opened

_LARGEST = 15_000
_RENAMED_PROGRAMS = 150
_FIXED = (Kind.BUILTIN, Kind.BUILTIN_TYPE, Kind.CAPABILITY, Kind.KEYWORD, Kind.RESULT, Kind.LIBRARY)
_WITHOUT_NAME = (Kind.RESULT, Kind.LIBRARY)
_FIELDS_OF_THE_HOST = {name for shape in (MESSAGE, EFFECT, UPDATE_RESULT, POLICY_SET) for name in shape.names}


@cache
def _texts() -> dict[str, str]:
    found = {}
    for file in programs():
        text = file.read_bytes().decode(errors="replace")
        if len(text) <= _LARGEST:
            found[f"{file.parent.name}/{file.name}"] = text
    assert len(found) > 300
    return found


def _spots(db: Database) -> list[Spot]:
    text = source(db, MAIN)
    return [
        Spot(index, start, names, made)
        for index, (chunk, start) in enumerate(zip(text.chunks, text.offsets, strict=True))
        for names in (resolved(db, chunk.text),)
        for made in names.occurrences
    ]


def _by_meaning(db: Database) -> dict[Meaning, list[Span]]:
    found = defaultdict(list)
    for spot in _spots(db):
        known = meaning(db, MAIN, spot)
        if known is not None:
            found[known].append(spot.span)
    return found


def test_every_name_is_defined_by_a_name_like_it_and_found_from_there() -> None:
    names = 0
    for program, text in _texts().items():
        db = opened(text)
        for known, spans in _by_meaning(db).items():
            for place in known.places:
                if known.kind not in _WITHOUT_NAME:
                    assert text[slice(*place.name_span)] == known.name, program
            assert definition(db, MAIN, spans[0][0]) == known.places, program
            found = [each.span for each in references(db, MAIN, spans[-1][1])]
            assert set(spans) <= set(found), (program, known)
            assert found == sorted(found), program
            assert {"".join(text[start:end].split()) for start, end in found} == {known.name}, program
            names += len(spans)
    assert names > 10_000


def test_rename_there_and_back_restores_the_text_and_keeps_the_findings(seed: int) -> None:
    chosen = random.Random(seed)
    renamed = 0
    texts = _texts()
    for program in chosen.sample(sorted(texts), _RENAMED_PROGRAMS):
        text = texts[program]
        db = opened(text)
        found = _by_meaning(db)
        before = _diagnostics(db)
        if any(code == "W304" for code, _ in before) or any(meaning(db, MAIN, spot) is None for spot in _spots(db)):
            # A name that is defined twice or not at all: with another name it is, so there is no way back.
            continue
        for known in chosen.sample(sorted(found, key=str), min(3, len(found))):
            fresh = known.name[0] + "fresh"
            source.set(db, MAIN, Source.from_text(text))
            there = rename(db, MAIN, found[known][0][0], fresh)
            if isinstance(there, Refusal):
                assert known.kind in _FIXED or len(known.places) > 1, (program, known, there)
                continue
            ((_, edits),) = [(change.file, change.edits) for change in there]
            source.set(db, MAIN, Source.from_text(applied(text, edits)))
            after = _diagnostics(db)
            assert after == _diagnostics(opened(applied(text, edits))), (program, known)
            if not _read_by_the_host(known, found):
                assert after == before, (program, known)
            if known.name in BUILTINS:
                continue
            back = rename(db, MAIN, edits[0].span[0], known.name)
            assert not isinstance(back, Refusal), (program, known, back)
            source.set(db, MAIN, Source.from_text(applied(source(db, MAIN).text, back[0].edits)))
            assert source(db, MAIN).text == text, (program, known)
            assert _diagnostics(db) == before, (program, known)
            renamed += 1
    assert renamed > _RENAMED_PROGRAMS


@pytest.mark.parametrize("field", ["tag", "payload"])
def test_a_message_whose_field_has_another_name_is_of_no_known_type_until_it_is_named_back(field: str) -> None:
    text = _texts()["framework/msg_equality_type_id.ax"]
    db = opened(text)
    found = _by_meaning(db)
    assert _diagnostics(db) == [("W104", 6)]
    fields = [known for known in found if known.name == field]
    assert len(fields) == 2
    # The host makes messages only: another name in `First`, which has such a field too, changes nothing.
    for known in fields:
        renamed = rename(db, MAIN, found[known][0][0], "other")
        assert not isinstance(renamed, Refusal)
        there = applied(text, renamed[0].edits)
        source.set(db, MAIN, Source.from_text(there))
        assert _diagnostics(db) == ([] if "type First { tag: String, payload: Int }" in there else [("W104", 6)])
        source.set(db, MAIN, Source.from_text(text))
        assert _diagnostics(db) == [("W104", 6)]


def _read_by_the_host(known: Meaning, found: Iterable[Meaning]) -> bool:
    """True if a name means something to the host: with another, records are of another type or a program is no application."""
    if known.kind is Kind.FIELD and known.name in _FIELDS_OF_THE_HOST:
        return is_app(other.name for other in found if other.kind is Kind.FUNCTION)
    return known.name in PROTOCOL_FUNCTIONS


def test_a_broken_item_changes_nothing_about_the_others(seed: int) -> None:
    chosen = random.Random(seed)
    texts = _texts()
    compared = 0
    for program in chosen.sample(sorted(texts), 150):
        whole = _by_meaning(opened(texts[program]))
        broken = _by_meaning(opened(texts[program] + "\nfn broken(a: { let = )\n}\ntype Also { : }\n"))
        if texts[program].count('"') % 2 == 0:
            compared += len(whole)
            assert {known: broken.get(known, [])[: len(spans)] for known, spans in whole.items()} == whole, program
    assert compared > 1_000


def _diagnostics(db: Database) -> list[tuple[str, int]]:
    text = source(db, MAIN)
    return sorted(
        (made.code, text.position(start + made.span[0])[0])
        for start, made in check_file(db, MAIN).placed(text)
        # Whether a field or a variant is used is judged by its name alone, which other types and the framework share;
        # and a local with another name may hide nothing any more.
        if made.code not in ("W501", "W308")
    )


def test_outline_folds_tokens_and_selections_lie_in_the_text_and_nest(seed: int) -> None:
    chosen = random.Random(seed)
    for program, text in _texts().items():
        db = opened(text)
        for symbol in document_symbols(db, MAIN):
            _check_symbol(symbol, (0, len(text)), text)
        folds = [fold.span for fold in folding_ranges(db, MAIN)]
        assert folds == sorted(folds), program
        assert all("\n" in text[start:end] for start, end in folds), program
        found = tokens(db, MAIN)
        assert all(left.end <= right.start for left, right in pairwise(found)), program
        assert all(left.start < left.end for left in found), program
        assert not any(set(text[token.start : token.end]) & set("\r\n") for token in found), program
        for offset in {0, len(text), *(chosen.randrange(len(text) + 1) for _ in range(5))}:
            spans = selection_ranges(db, MAIN, offset)
            assert spans[-1] == (0, len(text)), program
            for (start, end), (outer_start, outer_end) in pairwise(spans):
                assert outer_start <= start <= offset <= end <= outer_end, program
                assert (start, end) != (outer_start, outer_end), program
            shown = hover(db, MAIN, offset)
            assert shown is None or (shown.markdown and shown.span[0] <= offset <= shown.span[1]), program


def _check_symbol(symbol: Symbol, outer: Span, text: str) -> None:
    assert outer[0] <= symbol.span[0] <= symbol.name_span[0] < symbol.name_span[1] <= symbol.span[1] <= outer[1]
    assert text[slice(*symbol.name_span)] == symbol.name
    for child in symbol.children:
        _check_symbol(child, symbol.span, text)


def test_nothing_fails_on_damaged_programs(seed: int) -> None:
    chosen = random.Random(seed)
    texts = sorted(_texts().values())
    asked = (definition, references, hover, selection_ranges, prepare_rename)
    for _ in range(150):
        text = chosen.choice(texts)
        for _ in range(chosen.randrange(1, 6)):
            start = chosen.randrange(len(text) + 1)
            removed = chosen.choice((0, 1, 1, 5, 40))
            text = text[:start] + chosen.choice(_DAMAGE) + text[start + removed :]
        db = opened(text)
        assert all(left.end <= right.start for left, right in pairwise(tokens(db, MAIN)))
        document_symbols(db, MAIN)
        folding_ranges(db, MAIN)
        for offset in [chosen.randrange(len(text) + 1) for _ in range(8)]:
            for ask in asked:
                ask(db, MAIN, offset)
            changes = rename(db, MAIN, offset, "NotYetUsed")
            assert isinstance(changes, Refusal) or applied(text, changes[0].edits) != text


_DAMAGE = (
    "",
    "",
    " ",
    "{",
    "}",
    "(",
    ")",
    '"',
    "\n",
    "//",
    "fn ",
    "let ",
    "type X {",
    "::",
    ".",
    ",",
    "=>",
    "é",
    "\0",
    "match x {",
)


@pytest.mark.parametrize("offset", [-5, 10**9])
def test_offsets_outside_of_the_text_are_nothing(offset: int) -> None:
    db = opened("fn f() {}")
    assert definition(db, MAIN, offset) == ()
    assert references(db, MAIN, offset) == ()
    assert hover(db, MAIN, offset) is None
    assert isinstance(rename(db, MAIN, offset, "g"), Refusal)
    assert selection_ranges(db, MAIN, offset)[-1] == (0, 9)
