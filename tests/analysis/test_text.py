"""The text store: chunks, incremental edits, positions in every encoding.

An edited source must be equal in everything to one made from the edited text; positions are compared with a plain
second implementation that walks the text line by line.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.text.source import Encoding, Source, advance, lines_of, units

SEPARATORS = "\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Everything that Python's splitlines takes for a line end; only LF, CR LF and CR are one for LSP, only LF for the
tools.
"""

PIECES = (
    "fn f(a: Int) -> Int {\n    a + 1\n}\n",
    "fn g() { match x { 1 => { 2 } _ => { 3 } } }\n",
    "type P { x: Int, y: Int }\n",
    "enum E { A, B(Int) }\n",
    'import "std-json"\n',
    'export fn h() -> String { "a { b" }\n',
    "// fn in a comment {\n",
    "// above\n\nfn i() {}\n",
    "\n",
    "{",
    "}",
    '"',
    "\\",
    "//",
    "/",
    "fn",
    "type",
    "export ",
    "  ",
    "let x = 1\n",
    "\ufeff",
    "é",
    "𝄞",
    "\ud800",
    "\x00",
    *SEPARATORS,
    "\r\n",
)

texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(
    alphabet='fn typeumxport{}"/\\\n\r aé𝄞\u2028', max_size=60
)
encodings = st.sampled_from(list(Encoding))


def same(left: Source, right: Source) -> None:
    assert left.text == right.text
    assert [chunk.text for chunk in left.chunks] == [chunk.text for chunk in right.chunks]
    assert [(c.newlines, c.returns) for c in left.chunks] == [(c.newlines, c.returns) for c in right.chunks]
    assert left.offsets == right.offsets
    assert left.first_lines == right.first_lines
    assert left.strict == right.strict
    assert left.lsp_first_lines == right.lsp_first_lines


def width(text: str, encoding: Encoding) -> int:
    size = {Encoding.UTF8: 1, Encoding.UTF16: 2, Encoding.UTF32: 4}[encoding]
    codec = {Encoding.UTF8: "utf-8", Encoding.UTF16: "utf-16-le", Encoding.UTF32: "utf-32-le"}[encoding]
    return len(text.encode(codec, "surrogatepass")) // size


def plain_position(text: str, offset: int, line_end: str, encoding: Encoding) -> tuple[int, int]:
    """Line and column, found by walking over the line ends that lie wholly before the offset."""
    line, start = 0, 0
    for found in re.finditer(line_end, text):
        if found.end() > offset:
            break
        line, start = line + 1, found.end()
    return line, width(text[start:offset], encoding)


def plain_offset(text: str, line: int, column: int, line_end: str, encoding: Encoding) -> int:
    start = 0
    for _ in range(line):
        found = re.compile(line_end).search(text, start)
        if found is None:
            return len(text)
        start = found.end()
    closing = re.compile(line_end).search(text, start)
    stop = closing.start() if closing else len(text)
    used = 0
    for position in range(start, stop):
        used += width(text[position], encoding)
        if used > column:
            return position
    return stop


# ---- chunks ------------------------------------------------------------------------------------------------------


@given(texts)
def test_chunks_are_the_text(text: str) -> None:
    source = Source.from_text(text)
    assert "".join(chunk.text for chunk in source.chunks) == text
    position = 0
    for offset, first_line, chunk in zip(source.offsets, source.first_lines, source.chunks, strict=True):
        assert offset == position
        assert first_line == text.count("\n", 0, offset)
        position += len(chunk.text)
    assert all(chunk.text for chunk in source.chunks) or text == ""


def test_each_item_has_a_chunk_with_the_comments_above_it() -> None:
    parts = [
        "// the file\n\nimport std\n",
        "\n// first\nfn one() {\n  1\n}\n",
        "// second\n// more\nexport fn two() { }\n",
        "type T { a: Int }\n",
        "enum E { A }\n",
    ]
    assert [chunk.text for chunk in Source.from_text("".join(parts)).chunks] == parts


def test_one_typed_quote_does_not_swallow_the_file() -> None:
    items = [f"fn f{n}() {{\n    let a = {n}\n    a\n}}\n" for n in range(20)]
    source = Source.from_text("".join(items))
    assert len(source.chunks) == 20
    for typed in ('"', "{"):
        broken = source.edited(source.offsets[3] + 12, source.offsets[3] + 12, typed)
        assert not broken.strict
        assert len(broken.chunks) == 20
        mended = broken.edited(source.offsets[3] + 12, source.offsets[3] + 13, "")
        same(mended, source)


# ---- edits -------------------------------------------------------------------------------------------------------


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    text = draw(texts)
    length, made = len(text), []
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, length))
        end = draw(st.integers(start, min(length, start + draw(st.sampled_from((0, 0, 1, 3, 40))))))
        new = draw(texts | st.sampled_from(PIECES) | st.just(""))
        made.append((start, end, new))
        length += len(new) - (end - start)
    return text, made


@settings(max_examples=400)
@given(edits())
def test_an_edited_source_equals_a_new_one(case: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, made = case
    source = Source.from_text(text)
    for start, end, new in made:
        source = source.edited(start, end, new)
        text = text[:start] + new + text[end:]
        same(source, Source.from_text(text))


@given(texts, texts)
def test_a_replaced_source_equals_a_new_one(old: str, new: str) -> None:
    same(Source.from_text(old).replaced_by(new), Source.from_text(new))


def test_an_edit_keeps_the_chunks_it_does_not_touch() -> None:
    source = Source.from_text("".join(f"fn f{n}() {{\n    {n}\n}}\n" for n in range(200)))
    edited = source.edited(source.offsets[100] + 15, source.offsets[100] + 16, "7")
    kept = [left is right for left, right in zip(source.chunks, edited.chunks, strict=True)]
    assert kept.count(False) <= 2
    assert all(kept[:99])
    assert all(kept[102:])


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (0, 7), (3, 2), (7, 7)])
def test_an_edit_outside_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="outside"):
        Source.from_text("fn f()").edited(start, end, "x")


# ---- positions ---------------------------------------------------------------------------------------------------

ANY_LINE_END = "\r\n|\n|\r"


@given(texts, st.data(), encodings)
@example("a\r\nb", None, Encoding.UTF16)
def test_lsp_positions_of_every_offset(text: str, data: st.DataObject | None, encoding: Encoding) -> None:
    source = Source.from_text(text)
    for offset in range(len(text) + 1):
        inside_line_end = text[max(0, offset - 1) : offset + 1] == "\r\n"
        line, character = source.lsp_position(offset, encoding)
        if inside_line_end:
            # Between CR and LF there is no position of its own: the end of the line before them.
            line_of_return, column = plain_position(text, offset - 1, ANY_LINE_END, encoding)
            assert line == line_of_return
            assert character >= column
        else:
            assert (line, character) == plain_position(text, offset, ANY_LINE_END, encoding), offset
            assert source.lsp_offset(line, character, encoding) == offset


@given(texts, st.integers(0, 12), st.integers(0, 30), encodings)
def test_lsp_offsets_of_any_position(text: str, line: int, character: int, encoding: Encoding) -> None:
    assert Source.from_text(text).lsp_offset(line, character, encoding) == plain_offset(
        text, line, character, ANY_LINE_END, encoding
    )


@given(texts, encodings)
def test_tool_positions_of_every_offset(text: str, encoding: Encoding) -> None:
    source = Source.from_text(text)
    for offset in range(len(text) + 1):
        line, column = plain_position(text, offset, "\n", Encoding.UTF32)
        assert source.position(offset) == (line, column)
        assert source.byte_position(offset) == (line + 1, plain_position(text, offset, "\n", Encoding.UTF8)[1] + 1)
        assert source.offset_of(line, plain_position(text, offset, "\n", encoding)[1], encoding) == offset


@given(texts, st.integers(0, 12), st.integers(0, 30), encodings)
def test_tool_offsets_of_any_position(text: str, line: int, column: int, encoding: Encoding) -> None:
    assert Source.from_text(text).offset_of(line, column, encoding) == plain_offset(text, line, column, "\n", encoding)


@pytest.mark.parametrize("separator", [*SEPARATORS, "\r\n"], ids=ascii)
@pytest.mark.parametrize("encoding", list(Encoding))
def test_only_three_line_ends_count(separator: str, encoding: Encoding) -> None:
    text = f"fn f() {{ {separator}}}\n// é𝄞{separator}z"
    source = Source.from_text(text)
    ends_line = separator in ("\n", "\r", "\r\n")
    assert source.lsp_position(len(text), encoding)[0] == (3 if ends_line else 1)
    assert source.position(len(text))[0] == (1 if "\n" not in separator else 3)
    assert source.lsp_offset(*source.lsp_position(len(text) - 1, encoding), encoding) == len(text) - 1


@pytest.mark.parametrize(("line", "column"), [(-1, 0), (0, -1)])
def test_negative_positions_are_refused(line: int, column: int) -> None:
    source = Source.from_text("fn f() {}\n")
    with pytest.raises(ValueError, match="from 0"):
        source.lsp_offset(line, column, Encoding.UTF16)
    with pytest.raises(ValueError, match="from 0"):
        source.offset_of(line, column)


def test_absurd_positions_mean_the_end() -> None:
    source = Source.from_text("fn f() {\n}\n")
    assert source.lsp_offset(2**31 - 1, 2**31 - 1, Encoding.UTF16) == len(source.text)
    assert source.lsp_offset(0, 2**31 - 1, Encoding.UTF16) == 8


@pytest.mark.parametrize(
    ("encoding", "characters"),
    [(Encoding.UTF8, (0, 1, 3, 7, 8)), (Encoding.UTF16, (0, 1, 2, 4, 5)), (Encoding.UTF32, (0, 1, 2, 3, 4))],
)
def test_columns_by_encoding(encoding: Encoding, characters: tuple[int, ...]) -> None:
    source = Source.from_text("aé𝄞b")
    assert tuple(source.lsp_position(offset, encoding)[1] for offset in range(5)) == characters
    inside = characters[3] - 1
    # A position inside a character means its start.
    assert source.lsp_offset(0, inside, encoding) == 2


@given(texts, encodings)
def test_units_agree_with_the_codecs(text: str, encoding: Encoding) -> None:
    assert units(text, 0, len(text), encoding) == width(text, encoding)
    assert advance(text, 0, len(text), width(text, encoding), encoding) == len(text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n\nb\u2028c", ["a", "", "b\u2028c"]), ("\n\n", ["", ""])],
)
def test_lines_of(text: str, lines: list[str]) -> None:
    assert list(lines_of(text)) == lines


def test_splitting_a_long_text_as_a_difference_pauses_all_the_time() -> None:
    short = Source.from_text("fn f() -> Int { 1 }\n")
    assert short.blocks
    text = "".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(30_000))
    pauses: list[None] = []
    edited = short.replaced_by(text, lambda: pauses.append(None))
    assert len(pauses) > 90, "words, chunks and blocks"
    assert edited.offsets == Source.from_text(text).offsets
    assert edited.blocks == Source.from_text(text).blocks
