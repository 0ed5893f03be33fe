"""Invariants of the analysis of any text whatsoever; each function raises AssertionError where one does not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

from analysis.database import Database
from analysis.diagnostics.check import FileDiagnostics, check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.diagnostics.file_rules.placing import span_of
from analysis.diagnostics.syntax_errors import first_error
from analysis.fixes.candidates import candidate_fixes
from analysis.fixes.repair import fixes_for, repair_file
from analysis.formatting.comment_lines import comments_of
from analysis.formatting.formatter import Formatted, Refused, format_source, line_end_of
from analysis.ide.definition import definition
from analysis.ide.folding import folding_ranges
from analysis.ide.format_text import format_text
from analysis.ide.hover import hover
from analysis.ide.references import highlights, references
from analysis.ide.rename import Refusal, prepare_rename, rename
from analysis.ide.selection import selection_ranges
from analysis.ide.semantic_tokens import tokens
from analysis.ide.symbols import Symbol, document_symbols
from analysis.inputs import source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.lexer import EOF, Cause, Tokens, lex
from analysis.syntax.parser import parse
from analysis.syntax.tree import Node, children
from analysis.syntax.tree_json import program_to_json, program_to_pretty
from analysis.text.edits import Span
from analysis.text.source import Source
from boruna_ls.answers.ast import items_of
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import as_text
from boruna_ls.answers.symbols import symbols_answer
from tests.support.edits import applied
from tests.support.marked import MAIN, opened

_BLANK = re.compile(r"(?:[ \t\r\n]|//[^\n]*)*")
_COMMENT_LINE = re.compile(r"//[^\n]*\n")
_BARE_LINE_FEED = re.compile(r"(?<!\r)\n")


def examine(text: str, chosen: Random) -> None:
    """Everything that is quick; what tries repairs is in `examine_repairs`."""
    db = opened(text)
    examine_tokens(text)
    examine_trees(db)
    examine_diagnostics(db)
    examine_first_error(db)
    examine_tree_json(db)
    examine_formatter(db)
    examine_ide(db, chosen)
    examine_answers(db)


# ---- tokens, trees --------------------------------------------------------------------------------------------------


def examine_tokens(text: str) -> None:
    """Tokens stand in order; what lies between them is white space, comments, or told as an error."""
    found = lex(text)
    assert len(found.kinds) == len(found.starts) == len(found.ends)
    assert found.kinds[-1] == EOF
    assert found.kinds.count(EOF) == 1
    assert found.ends[-1] == len(text)
    errors = {error.start: error.end for error in found.errors if error.cause is Cause.CHARACTER}
    end = 0
    for start, stop in zip(found.starts, found.ends, strict=True):
        assert end <= start <= stop
        assert start < stop or start == len(text)
        _only_blanks(text, end, start, errors)
        end = stop
    assert [error.start for error in found.errors] == sorted(error.start for error in found.errors)
    assert all(0 <= error.start < error.end <= len(text) for error in found.errors)


def _only_blanks(text: str, start: int, end: int, errors: dict[int, int]) -> None:
    while start < end:
        blank = _BLANK.match(text, start, end)
        assert blank is not None
        start = blank.end()
        if start < end:
            assert start in errors, f"{text[start:end]!r} at {start} is no token and no error"
            start = errors[start]


def examine_trees(db: Database) -> None:
    """Chunks make up the text; spans of nodes nest and stand in order; errors lie in their chunk."""
    text = source(db, MAIN)
    assert "".join(chunk.text for chunk in text.chunks) == text.text
    for chunk in text.chunks:
        tree = chunk_tree(db, chunk.text)
        _are_nested(tree.items, (0, len(chunk.text)))
        for error in tree.errors:
            assert 0 <= error.start <= error.end <= len(chunk.text)
            assert 0 <= error.previous_end <= len(chunk.text)
            assert error.message
        assert [error.start for error in tree.errors] == sorted(error.start for error in tree.errors)


def _are_nested(items: tuple[Node, ...], whole: Span) -> None:
    waiting: list[tuple[tuple[Node, ...], Span]] = [(items, whole)]
    while waiting:
        nodes, (start, end) = waiting.pop()
        for node in nodes:
            assert start <= node.start <= node.end <= end, f"{node} leaves {start}..{end}"
            start = node.end
            waiting.append((children(node), (node.start, node.end)))


def examine_first_error(db: Database) -> None:
    """The first error that is put together from chunks is that of the text lexed and parsed in one piece."""
    text = source(db, MAIN)
    told = first_error(db, MAIN)
    found = lex(text.text)
    assert (told is None) == (not found.errors and parse(text.text).is_sound)
    if found.errors:
        assert told is not None
        assert told.code == "E001"
        error = found.errors[0]
        if error.cause is not Cause.STRING and text.strict:
            assert (told.line, told.column) == text.byte_position(error.start)
    elif told is not None:
        first = parse(text.text).errors[0]
        assert told.code == "E002"
        assert told.message.startswith(first.message)
        previous_end, at = first.previous_end, first.start if first.at_end else first.found_at
        line = text.position(at)[0] + 1
        if first.lagging and "\n" in text.text[previous_end:at]:
            line = text.position(previous_end)[0] + 2
        assert first.at_end or told.line == line


def examine_tree_json(db: Database) -> None:
    """The tree of a sound text can be written as JSON, whole and cut."""
    if first_error(db, MAIN) is not None:
        return
    items = items_of(db, MAIN)
    pretty, size = program_to_pretty(items)
    assert size == len(pretty.encode("utf-8", "surrogatepass"))
    assert json.loads(pretty) == program_to_json(items)
    cut, whole = program_to_pretty(items, 50)
    assert whole == size
    assert pretty.startswith(cut)
    assert size <= 50 or 46 < len(cut.encode("utf-8", "surrogatepass")) <= 50


# ---- diagnostics, repairs ----------------------------------------------------------------------------------------------


def examine_diagnostics(db: Database) -> None:
    """Findings stand in order and in the text; where the compiler refuses it, there is an error; patches can be applied."""
    text = source(db, MAIN)
    diagnostics = check_file(db, MAIN)
    starts = []
    for chunk, diagnostic in diagnostics.entries:
        base = text.offsets[chunk]
        starts.append((chunk, diagnostic.span[0]))
        _lies_in(text.text, (base + diagnostic.span[0], base + diagnostic.span[1]))
        assert diagnostic.message
        for note in diagnostic.related:
            if note.place is not None:
                _lies_in(text.text, span_of(db, text, note.place))
            elif note.span is not None:
                _lies_in(text.text, (base + note.span[0], base + note.span[1]))
        for fix in candidate_fixes(db, MAIN, chunk, diagnostic):
            assert fix.edits
            assert applied(text.text, fix.edits) != text.text, f"{fix.id} changes nothing"
            assert fix.description
    assert starts == sorted(starts)
    assert len(set(diagnostics.entries)) == len(diagnostics.entries), "the same finding twice"
    told = first_error(db, MAIN)
    syntax = [diagnostic for _, diagnostic in diagnostics.entries if diagnostic.code in ("E001", "E002")]
    assert bool(syntax) == (told is not None)
    if told is not None:
        assert told.message in [diagnostic.message for diagnostic in syntax if diagnostic.code == told.code]


def examine_repairs(text: str, chosen: Random) -> None:
    """No strategy raises, adds an error, or brings another line end into a file."""
    db = opened(text)
    before = check_file(db, MAIN)
    entries = before.entries
    for chunk, diagnostic in chosen.sample(entries, min(2, len(entries))):
        for fix in fixes_for(db, MAIN, chunk, diagnostic):
            assert _badness(_checked(applied(text, fix.edits))) <= _badness(before), fix
    ids = [fix.id for chunk, diagnostic in entries[:3] for fix in candidate_fixes(db, MAIN, chunk, diagnostic)]
    strategies = [("best", None), ("all", None), ("best", chosen.choice(ids or ["E003-rename-x"]))]
    strategy, patch_id = chosen.choice(strategies)
    outcome = repair_file(db, MAIN, strategy, patch_id)
    assert source(db, MAIN).text == text, "a repair changed the file itself"
    after = _checked(outcome.text)
    assert _badness(after) <= _badness(before), (strategy, patch_id, outcome.applied)
    assert (outcome.before, outcome.after) == (len(entries), len(after.entries))
    assert bool(outcome.applied) == (outcome.text != text)
    assert bool(outcome.diff) == (outcome.text != text)
    assert not outcome.verified or (outcome.applied and not after.has_errors())
    if "\r" not in text:
        assert "\r" not in outcome.text
    elif "\n" in text and not _BARE_LINE_FEED.search(text):
        assert not _BARE_LINE_FEED.search(outcome.text)


def _checked(text: str) -> FileDiagnostics:
    return check_file(opened(text), MAIN)


def _badness(diagnostics: FileDiagnostics) -> tuple[int, int, int]:
    """Lexical errors, syntax errors, others: a text that can be read further may well show more of the latter ones."""
    codes = [diagnostic.code for _, diagnostic in diagnostics.entries if diagnostic.severity is Severity.ERROR]
    lexical, syntax = codes.count("E001"), codes.count("E002")
    return lexical, syntax, len(codes) - lexical - syntax


# ---- formatter ------------------------------------------------------------------------------------------------------


def examine_formatter(db: Database) -> None:
    """A text that parses is formatted: to the same tree, with the same comments and line ends, once and for all."""
    text = source(db, MAIN)
    if first_error(db, MAIN) is not None:
        assert format_source(db, text) is None
        refused = format_text(db, text.text)
        assert isinstance(refused, Refused)
        assert refused.line >= 1
        assert refused.message
        return
    answer = format_source(db, text)
    assert isinstance(answer, Formatted), answer
    again = parse(answer.text)
    assert again.is_sound
    assert program_to_json(again.items) == program_to_json(items_of(db, MAIN))
    assert [c.rstrip("\r") for c in _comments(again.tokens)] == [c.rstrip("\r") for c in _comments(lex(text.text))]
    assert format_source(None, answer.text) == answer
    assert format_source(None, text) == answer
    # Line ends behind comments tell nothing: a comment may end in a carriage return of its own.
    beside_comments = _COMMENT_LINE.sub("", answer.text)
    assert line_end_of(answer.text) == line_end_of(text.text) or "\n" not in beside_comments


def _comments(found: Tokens) -> list[str]:
    return [comment.text for comment in comments_of(found)]


# ---- features for editors, answers ----------------------------------------------------------------------------------


def examine_ide(db: Database, chosen: Random) -> None:
    """Every feature answers at every offset, with spans in the text."""
    text = source(db, MAIN).text
    for symbol in document_symbols(db, MAIN):
        _is_symbol(symbol, (0, len(text)), text)
    for fold in folding_ranges(db, MAIN):
        _lies_in(text, fold.span)
        assert "\n" in text[slice(*fold.span)]
    found = tokens(db, MAIN)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(0 <= token.start < token.end <= len(text) for token in found)
    half = (len(text) // 3, len(text) // 2)
    assert set(tokens(db, MAIN, half)) <= set(found)
    for offset in (0, len(text), -1, len(text) + 1, *(chosen.randrange(len(text) + 1) for _ in range(4))):
        _examine_offset(db, text, offset)


def _examine_offset(db: Database, text: str, offset: int) -> None:
    spans = selection_ranges(db, MAIN, offset)
    assert spans[-1] == (0, len(text))
    for inner, outer in pairwise(spans):
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]
        assert inner != outer
    for place in definition(db, MAIN, offset):
        _lies_in(text, place.name_span)
    for found in (references(db, MAIN, offset), highlights(db, MAIN, offset)):
        for reference in found:
            _lies_in(text, reference.span)
    shown = hover(db, MAIN, offset)
    if shown is not None:
        _lies_in(text, shown.span)
        assert shown.markdown
    prepare_rename(db, MAIN, offset)
    changes = rename(db, MAIN, offset, "fresh")
    if not isinstance(changes, Refusal):
        assert all(change.file == MAIN for change in changes)
        assert all(applied(text, change.edits) != text for change in changes)


def _lies_in(text: str, span: Span) -> None:
    assert 0 <= span[0] <= span[1] <= len(text), f"{span} lies outside of a text of {len(text)} characters"


def _is_symbol(symbol: Symbol, outer: Span, text: str) -> None:
    assert outer[0] <= symbol.span[0] <= symbol.name_span[0] <= symbol.name_span[1] <= symbol.span[1] <= outer[1]
    assert text[slice(*symbol.name_span)] == symbol.name
    for child in symbol.children:
        _is_symbol(child, symbol.span, text)


def examine_answers(db: Database) -> None:
    """The tools' answers are JSON, their positions are those of the text."""
    text = source(db, MAIN)
    lines = text.text.count("\n") + 1
    for answer in (check_answer(db, MAIN, "main.ax"), symbols_answer(db, MAIN)):
        assert json.loads(as_text(answer)) == answer
        for value in _objects(answer):
            if "end_line" in value:
                assert 1 <= value["line"] <= value["end_line"] <= lines
                assert value["col"] >= 1
                assert value["end_col"] >= 1


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


# ---- edits ----------------------------------------------------------------------------------------------------------


def examine_edit(db: Database, start: int, end: int, new: str) -> None:
    """A source that was edited, and all that was remembered about it, is as if it had been read anew."""
    before = source(db, MAIN)
    expected = before.text[:start] + new + before.text[end:]
    after = before.edited(start, end, new)
    fresh = Source.from_text(expected)
    assert after.text == expected
    assert [chunk.text for chunk in after.chunks] == [chunk.text for chunk in fresh.chunks]
    assert (after.offsets, after.first_lines, after.strict) == (fresh.offsets, fresh.first_lines, fresh.strict)
    assert before.replaced_by(expected) == after
    source.set(db, MAIN, after)
    other = opened(expected)
    assert check_file(db, MAIN).entries == check_file(other, MAIN).entries
    assert first_error(db, MAIN) == first_error(other, MAIN)
    assert document_symbols(db, MAIN) == document_symbols(other, MAIN)
    assert tokens(db, MAIN) == tokens(other, MAIN)
    assert folding_ranges(db, MAIN) == folding_ranges(other, MAIN)
    assert format_source(db, after) == format_source(None, fresh)
