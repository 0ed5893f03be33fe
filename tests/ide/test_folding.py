"""Folding: every kind of fold in one program; text that is not closed."""

from __future__ import annotations

from analysis.ide.folding import FoldKind, folding_ranges
from tests.support.marked import MAIN, marked, opened


def _folds(text: str, kind: FoldKind) -> None:
    program = marked(text)
    found = [fold.span for fold in folding_ranges(opened(program.text), MAIN) if fold.kind is kind]
    assert [program.text[start:end] for start, end in found] == program.words()


CODE = """type P «{
  x: Int,
}»
enum E { A }
fn f«(
)» {}
fn g(x: Int) «{
  if x > 1 «{
    1
  }» else «{
    2
  }»
  match x «{
    1 => g«([
      1,
    ])»,
  }»
}»
"""
COMMENTS = """«// About
// the file.»

// One line.
fn f() { // not a run
  // nor this
  1
  «// but
  // this»
}
«// and
// this»"""


def test_code() -> None:
    _folds(CODE, FoldKind.CODE)


def test_comments() -> None:
    _folds(COMMENTS, FoldKind.COMMENT)
    _folds('fn f() {\n  "a\n// in a string\n// is no comment"\n}', FoldKind.COMMENT)
    _folds("«// Windows\r\n// too»\r\nfn f() {}", FoldKind.COMMENT)


def test_imports() -> None:
    _folds(
        '// Head.\n«import a\nimport "b"\n\nimport c-d»\nfn f() {}\nimport alone\nfn g() {}\n«import x\nimport y»',
        FoldKind.IMPORTS,
    )


def test_what_is_not_closed_is_not_folded_and_spoils_nothing() -> None:
    _folds("fn f() «{\n  g(1\n  h(\n}»\n\nfn g() «{\n  1\n}»\nfn h() {\n", FoldKind.CODE)
    text = "{" + "(" * 20_000 + ")}" * 20_000
    assert folding_ranges(opened(text), MAIN) == ()
