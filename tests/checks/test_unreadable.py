"""A file that cannot be read has one diagnostic, E014, and no other."""

from __future__ import annotations

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, defect, source
from analysis.text.source import Source

MAIN = FileId("/workspace", "disk", "/workspace/main.ax")


def test_a_file_that_cannot_be_read_says_so() -> None:
    db = Database()
    source.set(db, MAIN, Source.from_text("fn main() -> Int { nothing }\n"))
    defect.set(db, MAIN, "the file is not UTF-8")
    ((_, told),) = check_file(db, MAIN).entries
    assert (told.code, told.message, told.span) == ("E014", "the file is not UTF-8", (0, 0))


def test_its_findings_come_back_with_it() -> None:
    db = Database()
    source.set(db, MAIN, Source.from_text("fn main() -> Int { nothing }\n"))
    defect.set(db, MAIN, "the file cannot be read")
    assert check_file(db, MAIN).has_errors()
    defect.set(db, MAIN, "")
    assert [made.code for _, made in check_file(db, MAIN).entries] == ["E003"]
