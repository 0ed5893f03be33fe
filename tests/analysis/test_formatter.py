"""The formatter: the corpus's pairs, the promises of chapter 03 section 1 over many programs, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.database import Database
from analysis.formatting.comment_lines import comments_of
from analysis.formatting.formatter import Formatted, Refused, format_source, formatted_chunk, line_end_of
from analysis.ide.format_text import format_text
from analysis.syntax.equality import same_trees
from analysis.syntax.lexer import Tokens
from analysis.syntax.parser import parse
from analysis.text.source import Source
from tests.support.corpus import CONFORMANCE, programs

FORMAT = CONFORMANCE / "format"
PAIRS = sorted(FORMAT.glob("*.in.ax"))
QUIRKS = sorted((FORMAT / "quirks").glob("*.in.ax"))


def read(path: Path) -> str:
    return path.read_bytes().decode()


def parses(text: str) -> bool:
    return parse(text).is_sound


def formatted(text: str) -> str:
    answer = format_source(None, text)
    assert isinstance(answer, Formatted), answer
    return answer.text


def comment_texts(text: str) -> list[str]:
    return [comment.text for comment in comments_of(parse(text).tokens)]


def assert_promises(text: str) -> str:
    """The same tree, every comment once and in order, and a fixed point: of the whole text, not chunk by chunk."""
    answer = formatted(text)
    assert same_trees(parse(text).items, parse(answer).items)
    before, after = comment_texts(text), comment_texts(answer)
    if line_end_of(text) == "\r\n":
        # The text of a comment ends before the line feed.
        before, after = ([comment.removesuffix("\r") for comment in texts] for texts in (before, after))
    assert before == after
    assert formatted(answer) == answer
    return answer


@pytest.mark.parametrize("source", PAIRS, ids=lambda path: path.name)
def test_pair_of_the_corpus(source: Path) -> None:
    expected = read(source.with_name(source.name.replace(".in.ax", ".out.ax")))
    assert assert_promises(read(source)) == expected


@pytest.mark.parametrize("source", QUIRKS, ids=lambda path: path.name)
def test_where_the_reference_misbehaves_the_promises_hold(source: Path) -> None:
    assert_promises(read(source))


def sound_programs() -> list[str]:
    texts = {read(path) for path in [*programs(), *PAIRS, *QUIRKS]}
    return sorted(text for text in texts if parses(text))


SOUND = sound_programs()


def test_every_program_of_the_corpus_keeps_the_promises() -> None:
    assert len(SOUND) > 300
    for text in SOUND:
        assert_promises(text)


SMALL = [text for text in SOUND if len(text) < 3000]


def is_free(tokens: Tokens, gap: int) -> bool:
    """True if something may precede a token: a name with a dash is one word."""
    return tokens.word(gap) != "-" and tokens.word(gap - 1) != "-"


@given(st.data())
def test_comments_at_random_places(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SMALL))
    tokens = parse(text).tokens
    count = data.draw(st.integers(1, 8))
    gaps = data.draw(st.lists(st.integers(0, len(tokens.starts) - 1), min_size=count, max_size=count))
    for number, gap in enumerate(sorted([gap for gap in gaps if is_free(tokens, gap)], reverse=True)):
        place = tokens.starts[gap]
        before = data.draw(st.sampled_from(["\n", " ", "\n    "]))
        content = data.draw(st.sampled_from(["", " why", ' "quoted" { ', " é 日本 ", " // inner", "/ doc  ", " }"]))
        text = f"{text[:place]}{before}//{number}{content}\n{text[place:]}"
    assert_promises(text)


@given(st.data())
def test_line_breaks_at_random_places_change_nothing(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([text for text in SMALL if "//" not in text and "\r" not in text]))
    tokens = parse(text).tokens
    gaps = data.draw(st.lists(st.integers(0, len(tokens.starts) - 1), min_size=1, max_size=8))
    broken = text
    for gap in sorted({gap for gap in gaps if is_free(tokens, gap)}, reverse=True):
        place = tokens.starts[gap]
        broken = f"{broken[:place]}\n  \n{broken[place:]}"
    assert formatted(broken) == formatted(text)


@given(st.sampled_from([text for text in SMALL if "\r" not in text and '"' not in text and text.count("\n") > 3]))
def test_windows_line_ends_are_kept(text: str) -> None:
    windows = text.replace("\n", "\r\n")
    assert line_end_of(windows) == "\r\n"
    assert formatted(windows) == formatted(text).replace("\n", "\r\n")


LAYOUTS = {
    "clauses in canonical order, comments in theirs": (
        'fn f(n: Int) -> Int\n// late\nensures n > 1\n// early\nrequires n > 0\nintent "x" { n }',
        'fn f(n: Int) -> Int\nintent "x"\nrequires n > 0\n// late\n// early\nensures n > 1 {\n    n\n}\n',
    ),
    "two trailing comments of one line": (
        "fn f() {\n g(1, // one\n 2) // two\n}",
        "fn f() {\n    // one\n    g(1, 2) // two\n}\n",
    ),
    "trailing comment behind an opening brace": (
        "fn f() { // open\n if c { // why\n 1 } // end\n else { // else\n 2 } }",
        "fn f() { // open\n    if c { // why\n        1\n        // end\n    } else { // else\n        2\n    }\n}\n",
    ),
    "comment before else of an empty block": (
        "fn f() {\n if c {\n }\n // no\n else {\n }\n}",
        "fn f() {\n    if c {\n    } else {\n        // no\n    }\n}\n",
    ),
    "comment behind a parenthesis that is dropped": (
        "fn f() {\n    g\n    while c { }\n    ( // why\n    a + b)\n}",
        "fn f() {\n    g\n    while c {\n    }\n    a + b // why\n}\n",
    ),
    "comments at the end stand at column 0": (
        "fn f() {\n}   // trailing\n\n   // last  \n\n\n// very last",
        "fn f() {\n} // trailing\n// last  \n// very last\n",
    ),
    "imports as they are written": (
        'module m import a import std-json export import "std-json" import mcp . files',
        'module m\n\nimport a\n\nimport std-json\n\nimport "std-json"\n\nimport mcp.files\n',
    ),
    "numbers": (
        f"fn f() {{ [007, 0.0000001, 1{'0' * 22}.0, {'9' * 400}.0, 1.10] }}",
        f"fn f() {{\n    [7, 0.0000001, 1{'0' * 22}.0, {'9' * 400}.0, 1.1]\n}}\n",
    ),
    "parentheses of prefixes, actors, capitals, variants": (
        "fn f() { (-a).b((!c)(1)) send (E::A) (Top) { x } spawn (-a) emit (E::A) }",
        "fn f() {\n    (-a).b((!c)(1))\n    send (E::A) (Top)\n    {\n        x\n    }\n    spawn (-a)\n    emit E::A\n}\n",
    ),
    "a string keeps its line feeds": (
        'fn f() { "a\n  b\\n" // c\n }',
        'fn f() {\n    "a\n  b\\n" // c\n}\n',
    ),
    "nothing": ("", "\n"),
    "only blanks": ("  \n\n", "\n"),
    "only comments": ("\n// a\n\n  // b", "// a\n// b\n"),
}


@pytest.mark.parametrize("source, expected", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout(source: str, expected: str) -> None:
    assert assert_promises(source) == expected


def test_mixed_line_ends_become_the_commoner_one() -> None:
    assert formatted("fn f() {\r\n    1\r\n}\n") == "fn f() {\r\n    1\r\n}\r\n"
    assert formatted("fn f() {\r\n    1\n}\n") == "fn f() {\n    1\n}\n"
    assert formatted('fn f() {\r\n "a\nb"\r\n}\r\n// x\r\n') == 'fn f() {\r\n    "a\nb"\r\n}\r\n// x\r\n'


REFUSED = {
    "fn main( -> Int { 0 }": (1, None, "expected identifier, found Arrow"),
    "fn main() {\n  @\n}": (2, 3, 'unexpected character: "@"'),
    'fn main() { "open }\n': (1, 13, 'unexpected character: "\\"open }\\n"'),
    'fn f() { "abc\\\ndef" }': (1, 10, 'unexpected character: "\\"abc"'),
    "fn f() {\n": (2, None, "expected expression, found end of input"),
    "fn f() {": (1, None, "expected expression, found end of input"),
    "fn f() {\n  let a =\n\n\n\n}": (3, None, "expected expression, found RBrace"),
    "fnn main() {}": (1, None, "expected item, found 'fnn'\n  did you mean: 'fn'?"),
    "fn f() {}\nmodule m": (2, None, "expected item, found 'module'"),
    "fn f() { é @ }": (1, 10, 'unexpected character: "é"'),
}


@pytest.mark.parametrize("source", REFUSED)
def test_a_text_with_errors_is_refused(source: str) -> None:
    assert format_source(Database(), source) is None
    answer = format_text(Database(), source)
    assert isinstance(answer, Refused)
    assert (answer.line, answer.column, answer.message) == REFUSED[source]


@pytest.mark.parametrize(
    "body",
    [
        " + ".join(["a"] * 10_000),
        "-" * 900 + "1",
        "[" * 900 + "1" + "]" * 900,
        "{" * 900 + "1" + "}" * 900,
        "a - (" * 490 + "1" + ")" * 490,
        "if a { " * 480 + "1" + " }" * 480,
        "a" + ".b" * 2000,
        "f" + "(1)" * 2000,
        "0" * 5000 + "1",
    ],
    ids=["chain", "prefix", "lists", "blocks", "right", "ifs", "fields", "calls", "zeros"],
)
def test_depth(body: str) -> None:
    formatted(f"fn f() -> Int {{ {body} }}")


def test_one_edit_formats_one_chunk() -> None:
    text = "".join(f"fn f{number}() -> Int {{ {number} }} // note {number}\n" for number in range(200))
    database = Database()
    source = Source.from_text(text)
    answer = format_source(database, source)
    place = text.index("100 }")
    edited = source.edited(place, place + 3, "100 + 1")
    with database.record_events() as events:
        changed = format_source(database, edited)
    assert [name for event, name, _ in events if event == "execute"] == ["chunk_tree", "formatted_chunk"]
    assert isinstance(answer, Formatted)
    assert isinstance(changed, Formatted)
    assert changed.text == answer.text.replace("    100\n", "    100 + 1\n")


def test_a_chunk_is_remembered() -> None:
    database = Database()
    first = formatted_chunk(database, "fn f() { 1 }", "\n")
    assert first is not None
    assert first.text == "fn f() {\n    1\n}\n"
    assert formatted_chunk(database, "fn f() { 1 }", "\n") is first
