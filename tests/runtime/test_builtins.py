"""The opcodes of chapters 08 and 09, example by example: results, and errors in the order of their checks."""

from __future__ import annotations

import math

import pytest

from boruna_ls.runtime import builtins
from boruna_ls.runtime.builtins import BINARY, TERNARY, UNARY
from boruna_ls.runtime.errors import VmError
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import INT_MAX, INT_MIN, NONE, Value, err, make_list, ok, record, some

XS = make_list([10, 20])
M = Map({"b": 2, "a": 1})
ANSWERED = Map(
    {
        "attachments": NONE,
        "content_types": make_list(["text", "text"]),
        "is_error": False,
        "structured": some('{"n":1}'),
        "texts": make_list(["a", "b"]),
    }
)
"""Answer of a call of an MCP tool."""

RESULTS: list[tuple[str, tuple[Value, ...], str]] = [
    ("Add", (1, 2), "3"),
    ("Add", (1, 2.0), "3"),
    ("Sub", (0.5, 1), "-0.5"),
    ("Mul", (-3, 4), "-12"),
    ("Add", (math.inf, -math.inf), "NaN"),
    ("Mul", (1e308, 10), "inf"),
    ("Div", (-7, 2), "-3"),
    ("Div", (7, -2), "-3"),
    ("Div", (-7, -2), "3"),
    ("Div", (1, 2.0), "0.5"),
    ("Mod", (-7, 2), "-1"),
    ("Mod", (7, -2), "1"),
    ("Mod", (-7, -2), "-1"),
    ("Mod", (6, 3), "0"),
    ("Neg", (5,), "-5"),
    ("Neg", (0.0,), "-0"),
    ("Eq", (1, 1.0), "false"),
    ("Neq", (1, 1.0), "true"),
    ("Not", ("",), "true"),
    ("And", (1, "x"), "true"),
    ("Or", (0, NONE), "false"),
    ("Concat", ("a", "b"), '"ab"'),
    ("ListLen", (XS,), "2"),
    ("ListLenBuiltin", (XS,), "2"),
    ("ListGet", (XS, 1), "20"),
    ("ListPush", (XS, 1), "[10, 20, 1]"),
    ("ListAppend", (make_list([]), make_list([])), "[[]]"),
    ("ListHead", (make_list([NONE]),), "Some(None)"),
    ("ListHead", (make_list([]),), "None"),
    ("ListTail", (XS,), "[20]"),
    ("ListTail", (make_list([]),), "[]"),
    ("ListConcat", (XS, XS), "[10, 20, 10, 20]"),
    ("ListReverse", (XS,), "[20, 10]"),
    ("ListIsEmpty", (XS,), "false"),
    ("ListLen", (record(65535, (1, 2)),), "2"),
    ("ListPush", (record(65535, (1,)), 2), "[1, 2]"),
    ("StringLen", ("é日",), "5"),
    ("StringChars", ("é日",), '["é", "日"]'),
    ("StrContains", ("abc", ""), "true"),
    ("StringStartsWith", ("abc", "ab"), "true"),
    ("StringEndsWith", ("abc", "bc"), "true"),
    ("StringToUpper", ("ßﬁ",), '"SSFI"'),
    ("StringToLower", ("ΑΣ",), '"ας"'),
    ("StringToLower", ("İ",), '"i̇"'),
    ("StringTrim", ("\u2003 a\x1c \u00a0",), '"a\x1c"'),
    ("StringTrim", ("\u200ba\ufeff",), '"\u200ba\ufeff"'),
    ("StringSplit", ("a,b,,c", ","), '["a", "b", "", "c"]'),
    ("StringSplit", ("", ","), '[""]'),
    ("StringSplit", ("", ""), "[]"),
    ("StringSplit", ("é日", ""), '["é", "日"]'),
    ("StringJoin", (make_list(["a", "b"]), "-"), '"a-b"'),
    ("StringReplace", ("abc", "", "-"), '"-a-b-c-"'),
    ("StringReplace", ("", "", "-"), '"-"'),
    ("StringReplace", ("aaa", "aa", "b"), '"ba"'),
    ("StringSlice", ("hello", 1, 3), '"el"'),
    ("StringSlice", ("hello", 3, 99), '""'),
    ("StringSlice", ("héllo", 0, 2), '""'),
    ("StringSlice", ("héllo", 0, 3), '"hé"'),
    ("StringSlice", ("hello", 3, 2), '""'),
    ("StringSlice", ("hello", -1, 2), '""'),
    ("ParseInt", (" -7 ",), "-7"),
    ("ParseInt", ("x",), "0"),
    ("ParseInt", ("9223372036854775808",), "0"),
    ("ParseInt", ("1_0",), "0"),
    ("ParseInt", ("9" * 5000,), "0"),
    ("ParseInt", ("0" * 5000 + "7",), "7"),
    ("ParseInt", ("٣",), "0"),
    ("TryParseInt", ("+12\n",), "Ok(12)"),
    ("TryParseInt", (" x ",), 'Err("invalid integer:  x ")'),
    ("TryParseInt", ("1\x1c",), 'Err("invalid integer: 1\x1c")'),
    ("IntParse", (" 42",), "None"),
    ("IntParse", ("-9223372036854775808",), "Some(-9223372036854775808)"),
    ("IntParse", ("1\n",), "None"),
    ("FloatParse", ("1e400",), "Some(inf)"),
    ("FloatParse", ("5.",), "Some(5)"),
    ("FloatParse", ("-.25",), "Some(-0.25)"),
    ("FloatParse", ("2.e1",), "Some(20)"),
    ("FloatParse", ("+inF",), "Some(inf)"),
    ("FloatParse", ("nan",), "Some(NaN)"),
    *(("FloatParse", (text,), "None") for text in ("", ".", "1e", "e5", ".e1", "0x10", "1_0", " 1", "1\n", "१")),
    ("IntToString", (INT_MIN,), '"-9223372036854775808"'),
    ("FloatToString", (2.0,), '"2"'),
    ("BoolToString", (True,), '"true"'),
    ("MapGet", (M, "a"), "Some(1)"),
    ("MapGet", (M, "z"), "None"),
    ("MapSet", (M, "c", 3), "{a: 1, b: 2, c: 3}"),
    ("MapRemove", (M, "a"), "{b: 2}"),
    ("MapContainsKey", (M, "a"), "true"),
    ("MapKeys", (M,), '["a", "b"]'),
    ("MapValues", (M,), "[1, 2]"),
    ("MapLen", (M,), "2"),
    ("McpText", (ANSWERED,), 'Some("a")'),
    ("McpText", (ANSWERED.with_entry("texts", make_list([])),), "None"),
    ("McpAllText", (ANSWERED,), '"a\nb"'),
    ("McpJson", (ANSWERED,), 'Ok("{"n":1}")'),
    ("McpJson", (ANSWERED.with_entry("structured", NONE),), 'Err("the text is not JSON")'),
    ("McpStructured", (ANSWERED,), 'Some("{"n":1}")'),
    ("McpIsError", (ANSWERED,), "false"),
    ("McpContentTypes", (ANSWERED,), '["text", "text"]'),
    (
        "McpTools",
        (make_list([Map({"name": "add", "description": "Adds.", "schema": "{}"})]),),
        '[Record#0{"add", "Adds.", "{}"}]',
    ),
]

ERRORS: list[tuple[str, tuple[Value, ...], str]] = [
    ("Add", (INT_MAX, 1), "integer overflow in addition"),
    ("Sub", (INT_MIN, 1), "integer overflow in subtraction"),
    ("Mul", (INT_MAX, 2), "integer overflow in multiplication"),
    ("Div", (INT_MIN, -1), "integer overflow in division"),
    ("Mod", (INT_MIN, -1), "integer overflow in remainder"),
    ("Neg", (INT_MIN,), "integer overflow in negation"),
    ("Add", (1, "s"), "type error: expected numeric, got String"),
    ("Add", ("s", 1), "type error: expected numeric, got String"),
    ("Add", (True, 1), "type error: expected numeric, got Bool"),
    ("Div", ("text", 0), "division by zero"),
    ("Div", (1.0, -0.0), "division by zero"),
    ("Mod", (1, 0), "division by zero"),
    ("Mod", (1.0, 0), "type error: expected Int, got Float"),
    ("Mod", (1, 1.0), "type error: expected Int, got Float"),
    ("Neg", ("s",), "type error: expected numeric, got String"),
    ("Concat", ("a", 1), "type error: expected String, got Int"),
    ("Concat", (None, 1), "type error: expected String, got Unit"),
    ("ListGet", (XS, -1), "list index out of bounds: index -1, length 2"),
    ("ListGet", ("ab", "x"), "type error: expected Int, got String"),
    ("ListGet", ("ab", 0), "type error: expected List, got String"),
    ("ListLenBuiltin", (record(65535, (1,)),), "type error: expected List, got Record"),
    ("ListConcat", (1, 2), "type error: expected List, got Int"),
    ("ListConcat", (XS, ok(1)), "type error: expected List, got Ok"),
    ("StringJoin", (make_list(["a", 1]), ","), "type error: expected String, got Int"),
    ("StringJoin", (make_list([1]), 2), "type error: expected String, got Int"),
    ("StringJoin", (1, 2), "type error: expected List, got Int"),
    ("StringReplace", ("a", 1, "b"), "type error: expected String, got non-String"),
    ("StringSlice", ("a", 1.0, 2), "type error: expected String, Int, Int, got wrong types"),
    ("StrContains", (some(1), 2), "type error: expected String, got Some"),
    ("StrContains", ("a", err(2)), "type error: expected String, got Err"),
    ("FloatToString", (1,), "type error: expected Float, got Int"),
    ("IntToString", (True,), "type error: expected Int, got Bool"),
    ("BoolToString", (1,), "type error: expected Bool, got Int"),
    ("MapGet", (1, 2), "type error: expected Map, got Int"),
    ("MapGet", (M, 2), "type error: expected String, got Int"),
    ("MapContainsKey", (NONE, 2), "type error: expected Map, got None"),
    ("MapSet", (M, 1, 2), "type error: expected String, got Int"),
    ("MapKeys", (XS,), "type error: expected Map, got List"),
    ("McpText", (M,), "type error: expected McpResult, got Map"),
    ("McpTools", (M,), "type error: expected List, got Map"),
]


def applied(name: str, args: tuple[Value, ...]) -> Value:
    table = (UNARY, BINARY, TERNARY)[len(args) - 1]
    return table[name](*args)


def test_slices_of_long_texts() -> None:
    """Whole characters only, whatever text was asked for before."""
    texts = ["aé日😀" * 60, "é" * 300, "a" * 300 + "é", "日a" * 150]
    for at in range(0, 700, 7):
        for text in texts:
            data = text.encode()
            assert builtins.string_len(text) == len(data)
            borders = {len(text[:number].encode()) for number in range(len(text) + 1)}
            for size in range(5):
                fits = at in borders and at + size in borders
                wanted = data[at : at + size].decode() if fits else ""
                assert builtins.string_slice(text, at, at + size) == wanted


@pytest.mark.parametrize("name, args, expected", RESULTS)
def test_results(name: str, args: tuple[Value, ...], expected: str) -> None:
    assert display(applied(name, args)) == expected


@pytest.mark.parametrize("name, args, message", ERRORS)
def test_errors(name: str, args: tuple[Value, ...], message: str) -> None:
    with pytest.raises(VmError) as caught:
        applied(name, args)
    assert caught.value.message == message


def test_no_operation_was_left_out() -> None:
    shown = {row[0] for row in RESULTS} | {"Lt", "Lte", "Gt", "Gte"}
    same = {"StringContains": "StrContains", "StrStartsWith": "StringStartsWith"}
    names = {same.get(name, name) for table in (UNARY, BINARY, TERNARY) for name in table}
    assert names == shown
