"""W611: texts over several lines in files whose lines end in a carriage return and a line feed."""

from __future__ import annotations

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.inputs import FileId, source
from analysis.text.source import Source

FILE = FileId("", "inline", "program.ax")
PROGRAM = 'fn main() -> String {\n    let first = "a"\n    first ++ "two\nlines"\n}\n'


def diagnostics_of(text: str) -> list[Diagnostic]:
    db = Database()
    source.set(db, FILE, Source.from_text(text))
    return [made for _, made in check_file(db, FILE).entries if made.code == "W611"]


def test_it_stands_where_the_line_ends_begin_and_its_fix_keeps_the_text() -> None:
    text = PROGRAM.replace("\n", "\r\n")
    (made,) = diagnostics_of(text)
    assert text[slice(*made.span)] == "\r\n"
    assert text.count("\n", 0, made.span[0]) == 0
    (fix,) = made.fixes
    (edit,) = fix.edits
    mended = text[: edit.span[0]] + edit.new_text + text[edit.span[1] :]
    assert '"two\\nlines"' in mended
    assert diagnostics_of(mended) == []


def test_a_text_with_such_line_ends_among_others_is_marked_itself() -> None:
    text = PROGRAM.replace("two\n", "two\r\n")
    (made,) = diagnostics_of(text)
    assert text[slice(*made.span)] == '"two\r\nlines"'


def test_nothing_is_told_of_other_line_ends_and_texts() -> None:
    assert diagnostics_of(PROGRAM) == []
    assert diagnostics_of(PROGRAM.replace("two\nlines", "two lines").replace("\n", "\r\n")) == []
