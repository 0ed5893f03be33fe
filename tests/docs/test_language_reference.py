"""The language reference: its examples evaluate to what they say, its sentences hold, and it is short."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from boruna_ls.answers.reference import language_page, library_names, library_page, library_text
from boruna_ls.data import language_reference
from tests.mcp.test_run import ask
from tests.support.checked import Checker
from tests.support.commands import run
from tests.support.markdown import sections
from tests.support.mcp_lines import LineServer, line_server

MOST_BYTES = 12_000
PAGE = language_reference().read_text(encoding="utf-8")
EXAMPLES = [block.text for section in sections(PAGE) for block in section.blocks if block.language == "ax"]
EVALUATES = {
    "1 + 2.5": "3.5",
    "1 == 1.0": "false",
    "7 / 2": "3",
    "-7 / 2": "-3",
    "7 / 2.0": "3.5",
    '"abc" < "abd"': "true",
    "15.0": "15",
    "__builtin_float_to_string(15.0)": '"15"',
    "{}": "()",
    "if false { 1 }": "()",
    "{ let x = 5 }": "()",
    '__builtin_string_len("é")': "2",
    '__builtin_string_slice("é", 0, 1)': '""',
    "[1, 2,]": "[1, 2]",
    "{ let x: List<Int> = [] x }": "[]",
    "{ let mut n = 0 for _n in [1, 2] { n = n + 1 } n }": "2",
}
FAILS = {
    "1 < 2.5": "comparable",
    "true < false": "comparable",
    '"a" + "b"': "numeric",
    '1 ++ "a"': "String",
    "7.5 % 2": "expected Int",
    "1.0 / 0.0": "division by zero",
    '{ for c in "abc" { c } 1 }': "expected List",
    "{ for n in 3 { n } 1 }": "expected List",
}
REFUSED = [
    "enum E { A(Int, Int) }",
    "enum E { A(Int,) }",
    "fn f(a: Int,) -> Int { a }",
    "fn f() -> Int { list_len([1],) }",
    "fn f() -> Int !{random,} { 1 }",
    "fn f(m: Map<String, Int,>) -> Int { 1 }",
    "fn f() -> Int { for _ in [1] { 1 } 2 }",
    "fn f() -> Int { if true { 1 } else if false { 2 } else { 3 } }",
]
ACCEPTED = [
    "type P { a: Int, }",
    "enum E { A, B, }",
    "type P { a: Int } fn f() -> P { P { a: 1, } }",
    "fn f(n: Int) -> Int { match n { 1 => 1, _ => 2, } }",
]
FALSE = ["false", "0", "0.0", '""', "[]", "map_new()", "None", 'Err("x")', "{}"]
TRUE = ["true", "3", "0.5", '"x"', "[0]", "Some(false)", "Ok(0)"]


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    with line_server() as started:
        yield started.open()


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_clean_and_evaluates_to_what_it_says(server: LineServer, example: str) -> None:
    expected = re.search(r"\n// (.*)\n$", example)
    assert expected is not None
    assert [str(one) for one in Checker().check(example) if one.severity in ("error", "warning")] == []
    assert ask(server, "boruna_run", source=example)["result"] == json.loads(expected[1])


@pytest.mark.parametrize("expression", EVALUATES)
def test_values(server: LineServer, expression: str) -> None:
    answer = ask(server, "boruna_run", source=f"fn main() {{ let value = {expression} value }}")
    assert answer["result_text"] == EVALUATES[expression]


@pytest.mark.parametrize("expression", FAILS)
def test_what_ends_a_run(server: LineServer, expression: str) -> None:
    answer = ask(server, "boruna_run", source=f"fn main() {{ let value = {expression} value }}")
    assert FAILS[expression] in answer["message"]


@pytest.mark.parametrize("item", [*REFUSED, *ACCEPTED])
def test_what_compiles(server: LineServer, item: str) -> None:
    answer = ask(server, "boruna_compile", source=item + "\nfn main() -> Int { 1 }\n")
    assert answer["success"] is (item in ACCEPTED)


@pytest.mark.parametrize("value", [*FALSE, *TRUE])
def test_what_is_true(server: LineServer, value: str) -> None:
    answer = ask(server, "boruna_run", source=f"fn main() {{ let value = {value} if value {{ 1 }} else {{ 0 }} }}")
    assert answer["result"] == (value in TRUE)


def test_the_page_is_short() -> None:
    assert len(language_page().encode()) <= MOST_BYTES


def test_the_page_names_every_library() -> None:
    page = language_page()
    assert [name for name in library_names() if f"`{name}`" not in page] == []


@pytest.mark.parametrize("name", library_names())
def test_the_page_of_a_library_has_each_of_its_functions_once(name: str) -> None:
    page, text = library_page(name), library_text(name)
    assert page is not None
    assert text is not None
    exported = re.findall(r"^export fn (\w+)", text, re.MULTILINE)
    declared = exported or re.findall(r"^fn (\w+)", text, re.MULTILINE)
    assert re.findall(r"^```ax\nfn (\w+)", page, re.MULTILINE) == [one for one in declared if one != "main"]


def test_the_command_line_prints_the_page() -> None:
    told = run("doc", "std-map")
    assert (told.returncode, told.stdout) == (0, library_page("std-map"))


def test_a_page_has_signatures_with_comments() -> None:
    page = library_page("std-list")
    assert page is not None
    assert (
        "```ax\nfn list_range(start: Int, end: Int) -> List<Int>\n```\n\n"
        "The numbers from start up to end, end left out; none if end is not above start.\n" in page
    )
    assert "fn main" not in page
    assert page.count("Lists: positions") == 1


def test_an_unknown_library_is_refused() -> None:
    one = run("doc", "list_zip").stdout
    assert one.startswith('```ax\nimport "std-list"\n```\n\n```ax\nfn list_zip(')
    assert one.count("fn ") == 1
    told = run("doc", "std-lists")
    assert told.returncode == 1
    assert "std-list" in told.stderr
