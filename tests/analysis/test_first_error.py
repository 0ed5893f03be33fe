"""The one error that the compile-like tools report, where chunks meet: strings and items that reach over their borders."""

from __future__ import annotations

import pytest

from analysis.diagnostics.syntax_errors import first_error
from tests.support.marked import MAIN, opened


@pytest.mark.parametrize(
    ("text", "line", "column", "offending"),
    [
        # A quote too many: the reference pairs quotes over lines, and what is refused first lies in what it takes for a string.
        ('fn a() {\n"""\nfn\\ ""', 3, 3, "\\\\ "),
        ('"\nfn""""\\q""', 2, 7, "\\\\q"),
        ('"\nfn"9999999999999999999"', 2, 4, "9999999999999999999"),
        ('let a = "open\nfn f() {\n    "x"\n}', 3, 7, '\\"\\n}'),
        ('let a = "open\nfn f() {\n    "it\'s"\n}', 3, 8, "'"),
    ],
)
def test_lexical_errors(text: str, line: int, column: int, offending: str) -> None:
    error = first_error(opened(text), MAIN)
    assert error is not None
    assert (error.code, error.line, error.column) == ("E001", line, column)
    assert error.message == f'unexpected character: "{offending}"'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        # A value was wanted behind `return`: the line after it is told, however far away the next item begins.
        ("fn f() {\n    return\n\n\nfn g() {\n    1\n}\n", 3, "expected expression, found 'fn'"),
        ("fn f() {\n    return\n", 3, "expected expression, found end of input"),
        ("fn f() {\n    1\n\n\nfn g() {\n    1\n}\n", 5, "expected expression, found 'fn'"),
        # `export` belongs to the item below it, wherever on its line it stands.
        ("import a export\ntype {", 2, "expected identifier, found LBrace"),
        (" export // why\n\nfn {", 3, "expected identifier, found LBrace"),
        ("// export\nfn {", 2, "expected identifier, found LBrace"),
        # A string's line is the one that it starts on.
        ('fn f() {\n"\n"', 2, "expected expression, found end of input"),
        ('fn f() {\n"\n"\n', 4, "expected expression, found end of input"),
    ],
)
def test_parse_errors(text: str, line: int, message: str) -> None:
    error = first_error(opened(text), MAIN)
    assert error is not None
    assert (error.code, error.line, error.message) == ("E002", line, message)
