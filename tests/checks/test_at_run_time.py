"""Each warning is about something real: a program that reaches the marked place fails there or computes the wrong thing."""

from __future__ import annotations

import pytest

from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.codes import CODES
from analysis.diagnostics.diagnostic import Severity
from analysis.inputs import FileId, source
from analysis.text.source import Source
from boruna_ls.runtime.run import RunOutcome, run_module

FILE = FileId("", "inline", "program.ax")

# Code → program, the error that its run ends with ("" if it ends well), and the value that the author did not mean.
PROGRAMS: dict[str, tuple[str, str, object]] = {
    "W101": ('fn main() -> Int { list_len("three") }', "type error: expected List, got String", None),
    "W102": ('type P { x: Int }\nfn main() -> Int { 1 + P { x: "2" }.x }', "type error: expected numeric, got String", None),
    "W103": ('fn f() -> Int { "text" }\nfn main() -> Int { 1 + f() }', "type error: expected numeric, got String", None),
    "W104": ('fn main() -> String { "n is " ++ 2 }', "type error: expected String, got Int", None),
    "W105": ('fn main() -> Int { if "" { 1 } else { 2 } }', "", 2),
    "W107": ("type P { x: Int }\nfn main() -> Int { P { x: 1 }.y }", "no field 'y' on P", None),
    "W108": ("fn main() -> Int { let x = 5  x(1) }", "type error: expected function reference, got Int", None),
    "W109": ("fn main() -> Int { 1 / 0 }", "division by zero", None),
    "W201": ("fn main() -> Int { match 2 { 1 => 10 } }", "no match found for value", None),
    "W203": ("enum E { Red, Blue }\nfn main() -> Int { match E::Blue { red => 1, Blue => 2 } }", "", 1),
    "W204": ('fn main() -> Int { match 1 { "1" => 1 } }', "no match found for value", None),
    "W302": ("type P { x: Int, y: Int }\nfn main() -> Int { 1 + P { x: 1 }.y }", "type error: expected numeric, got Unit", None),
    "W303": ("type P { x: Int }\nfn main() -> Int { P { x: 1, x: 2 }.x }", "", 2),
    "W305": ("enum E { A, B }\nfn main() -> Int { match E::B { A => 1, C => 2 } }", "no match found for value", None),
    "W608": ("fn main() -> Int { let xs = [1]\nlet y = xs[0]\n1 + y }", "type error: expected numeric, got List", None),
    "W610": ('fn main() -> String { let n = 3\nlet text = "n is ${n}"\ntext }', "", "n is ${n}"),
}


NEEDS_A_SERVER = {"W111"}
"""Fails where the tool of a server is called: `tests/upstream/test_calls.py` has the program."""


def test_every_code_of_severity_warning_has_a_program() -> None:
    assert set(PROGRAMS) | NEEDS_A_SERVER == {code.code for code in CODES.values() if code.severity is Severity.WARNING}


@pytest.mark.parametrize("code", sorted(PROGRAMS))
def test_the_program_fails_or_computes_what_nobody_meant(code: str) -> None:
    text, error, value = PROGRAMS[code]
    db = Database()
    source.set(db, FILE, Source.from_text(text))
    assert code in [made.code for _, made in check_file(db, FILE).entries if made.severity is Severity.WARNING]
    outcome = _run(db)
    if error:
        assert outcome.error is not None
        assert outcome.error.message == error
    else:
        assert outcome.error is None
        assert outcome.value == value


def _run(db: Database) -> RunOutcome:
    module = compile_file(db, FILE, "program").module
    assert module is not None
    return run_module(module)
