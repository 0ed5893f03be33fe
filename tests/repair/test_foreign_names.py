"""Words and forms of other languages that parse here as names that stand for nothing: what a repair makes of them."""

from __future__ import annotations

import pytest

from analysis.diagnostics.check import check_file
from analysis.fixes.repair import fixes_for, repair_file
from analysis.suggestions.foreign_operations import method_advice
from analysis.suggestions.lexicon import operations
from boruna_ls.answers.check import check_answer
from tests.support.marked import MAIN, opened

_TYPES = "type P { x: Int, y: Int }\nenum C { Red, Green(Int) }\n"
REPAIRS = {
    "var": ("var t = 1\n    t = 2\n    t", "let mut t = 1\n    t = 2\n    t"),
    "const": ("const t = 2\n    t", "let t = 2\n    t"),
    "const that is assigned": ("const t = 2\n    t = 3\n    t", "let mut t = 2\n    t = 3\n    t"),
    "type before the name": ("Int t = 2\n    t", "let t: Int = 2\n    t"),
    "foreign type before the name": ("int t = 2\n    t", "let t: Int = 2\n    t"),
    "own type before the name": ("P p = P { x: 1, y: 2 }\n    p.x", "let p: P = P { x: 1, y: 2 }\n    p.x"),
    "missing let": ("t = 1\n    t + 1", "let t = 1\n    t + 1"),
    "missing let, assigned again": ("t = 1\n    t = t + 1\n    t", "let mut t = 1\n    t = t + 1\n    t"),
    "misspelt target": (
        "let mut total = 1\n    totl = total + 1\n    total",
        "let mut total = 1\n    total = total + 1\n    total",
    ),
    "null": ("if n > 1 { Some(n) } else { null }", "if n > 1 { Some(n) } else { None }"),
    "wrapper": ("some(n)", "Some(n)"),
    "not before a parenthesis": ("if not (n == 1) { 1 } else { 2 }", "if !(n == 1) { 1 } else { 2 }"),
    "not in a value": ("let b = n > 1\n    let c = not b\n    c", "let b = n > 1\n    let c = !b\n    c"),
    "and in a value": ("let c = n > 1 and n < 5\n    c", "let c = n > 1 && n < 5\n    c"),
    "new": ("new P { x: 1, y: 2 }", "P { x: 1, y: 2 }"),
    "loop": ("loop { return n }", "while true { return n }"),
    "prefix increment": ("let mut t = 1\n    ++t\n    t", "let mut t = 1\n    t = t + 1\n    t"),
    "digit separators": ("1_000", "1000"),
    "hexadecimal": ("0xFF", "255"),
    "exponent": ("1e3", "1000.0"),
    "negative exponent": ("2.5e-1", "0.25"),
    "suffix": ("2i64", "2"),
    "float suffix": ("2f", "2.0"),
    "raw string": ('r"ab"', '"ab"'),
    "interpolation": ('f"n is {n}!"', '"n is " ++ __builtin_int_to_string(n) ++ "!"'),
    "comment": ("-- the answer\n    2", "// the answer\n    2"),
    "dotted variant": ("C.Red", "C::Red"),
    "dotted variant with a payload": ("C.Green(2)", "C::Green(2)"),
    "dotted variant, misspelt": ("C.Gren(2)", "C::Green(2)"),
    "bare variant": ("Red", "C::Red"),
    "bare variant with a payload": ("Green(2)", "C::Green(2)"),
    "constructor": ("P((1 + 2) * 3, n)", "P { x: (1 + 2) * 3, y: n }"),
    "length of a list": ("len([1])", "list_len([1])"),
    "length of a text": ('len("ab")', '__builtin_string_len("ab")'),
    "text of a number": ("str(n)", "__builtin_int_to_string(n)"),
    "builtin without its prefix": ('string_len("ab")', '__builtin_string_len("ab")'),
    "builtin in camel case": ('toUpperCase("ab")', '__builtin_string_to_upper("ab")'),
    "print": ('print("ab")', '__builtin_debug("ab")'),
    "macro": ('println!("ab")', '__builtin_debug("ab")'),
    "method": ("let xs = [1]\n    xs.len()", "let xs = [1]\n    list_len(xs)"),
    "method with arguments": ('let s = "ab"\n    s.contains("a")', 'let s = "ab"\n    str_contains(s, "a")'),
    "plus between texts": ('let s = "a"\n    s + "b" + "c"', 'let s = "a"\n    s ++ "b" ++ "c"'),
    "plus between a text and a number": ('"n is " + n', '"n is " ++ __builtin_int_to_string(n)'),
    "a number in a concatenation": ('"n is " ++ n ++ "!"', '"n is " ++ __builtin_int_to_string(n) ++ "!"'),
    "numbers in a concatenation": ("n ++ 1", "n + 1"),
    "plus between lists": ("[n] + [1]", "__builtin_list_concat([n], [1])"),
    "a text compared with a number": ('let s = "1"\n    s == n', 'let s = "1"\n    s == __builtin_int_to_string(n)'),
    "property": ('let s = "ab"\n    s.length', 'let s = "ab"\n    __builtin_string_len(s)'),
}


def _program(body: str) -> str:
    return f"{_TYPES}fn go(n: Int) {{\n    {body}\n}}\nfn main() {{ go(1) }}\n"


@pytest.mark.parametrize("name", REPAIRS)
def test_repairs(name: str) -> None:
    broken, repaired = map(_program, REPAIRS[name])
    outcome = repair_file(opened(broken), MAIN)
    assert outcome.text == repaired
    assert not check_file(opened(outcome.text), MAIN).has_errors()
    # The same is offered as a quick fix at the name.
    db = opened(broken)
    offered = [fix for chunk, diagnostic in check_file(db, MAIN).entries for fix in fixes_for(db, MAIN, chunk, diagnostic)]
    assert any(done.fix.description in {fix.description for fix in offered} for done in outcome.applied)


@pytest.mark.parametrize("word", ["break", "continue", "self"])
def test_what_has_no_counterpart_is_explained(word: str) -> None:
    (diagnostic,) = [found for _, found in check_file(opened(_program(f"{word}\n    n")), MAIN).entries if found.code == "E003"]
    assert diagnostic.why == f"there is no `{word}`"
    assert diagnostic.help
    assert not diagnostic.fixes


def test_a_name_of_ones_own_needs_no_explanation() -> None:
    body = "let len = n\n    let not = len\n    let null = not\n    null"
    assert not check_file(opened(_program(body)), MAIN).has_errors()


def test_a_likely_misspelling_is_all_that_a_check_shows() -> None:
    """Other meanings of a name are left to repairs and quick fixes: a reader of the answer applies all fixes in it."""
    db = opened(_program("let total = 1\n    totl = 2\n    total"))
    (shown,) = [found for found in check_answer(db, MAIN, "main.ax")["diagnostics"] if found["id"] == "E003"]
    assert [fix["id"] for fix in shown["patches"]] == ["E003-rename-totl"]
    (entry,) = [row for row in check_file(db, MAIN).entries if row[1].code == "E003"]
    assert {fix.id for fix in fixes_for(db, MAIN, *entry)} == {"E003-rename-totl", "E003-let"}


WHOLE_FILES = {
    "a value at the top level, read by functions": (
        "const LIMIT: Int = 3\n\nfn main() -> Int {\n    double(LIMIT) + LIMIT\n}\n\nfn double(n: Int) -> Int { n + n }\n",
        "fn LIMIT() -> Int { 3 }\n\nfn main() -> Int {\n    double(LIMIT()) + LIMIT()\n}\n\nfn double(n: Int) -> Int { n + n }\n",
    ),
    "a value at the top level that a local hides": (
        "let limit = 3\n\nfn main() -> Int {\n    let limit = 4\n    limit\n}\n",
        "fn limit() -> Int { 3 }\n\nfn main() -> Int {\n    let limit = 4\n    limit\n}\n",
    ),
    "records without their type": (
        "type P { x: Int, y: Int }\nfn f(n: Int) -> P {\n    if n > 1 { return { y: n, x: 1 } }\n    { x: 1, y: 2 }\n}\n",
        "type P { x: Int, y: Int }\nfn f(n: Int) -> P {\n    if n > 1 { return P { y: n, x: 1 } }\n    P { x: 1, y: 2 }\n}\n",
    ),
    "a parenthesis that is missing within a list of calls": (
        "fn one(n: Int) -> Int { n }\nfn f() -> List<Int> {\n    [one(1),\n     one(one(2), one(3), one(4)]\n}\n",
        "fn one(n: Int) -> Int { n }\nfn f() -> List<Int> {\n    [one(1),\n     one(one(2)), one(3), one(4)]\n}\n",
    ),
    "an import of no library that nothing needs": (
        "use std::collections::HashMap;\n\nfn main() -> Int {\n    2\n}\n",
        "\nfn main() -> Int {\n    2\n}\n",
    ),
}


@pytest.mark.parametrize("name", WHOLE_FILES)
def test_whole_files(name: str) -> None:
    broken, repaired = WHOLE_FILES[name]
    outcome = repair_file(opened(broken), MAIN)
    assert outcome.text == repaired
    assert outcome.verified


def test_an_import_whose_names_are_used_stays() -> None:
    text = 'import "mine"\n\nfn main() -> Int {\n    helper(1) + other(2)\n}\n'
    assert repair_file(opened(text), MAIN).text == text


def test_every_operation_of_the_lexicon_gives_advice_or_none() -> None:
    told = 0
    for kind, name, count in operations():
        for loop_braces in ("{", "{key}", "xs"):
            advice = method_advice(name, f"{kind}<Int>", [loop_braces] * (count + 1))
            assert advice == "" or advice.startswith("write ")
        told += bool(method_advice(name, kind, ["xs", "f", "g", "h"][: count + 1]))
    assert told > 100


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("let xs = [1] xs.filter(f)", "write a loop: `for item in xs { if f(item) { out = list_push(out, item) } else {} }`"),
        ('let s = "a" s.words()', 'write `string_words(s)`, with `import "std-text"`'),
        ('let m = map_new() m.get("a")', "write `__builtin_map_get(…)`"),
        ("let xs = [1] sum(xs)", 'write `list_sum(…)`, with `import "std-list"`'),
        ("let xs = [1] list_sort_ints(xs)", 'write `list_sort(…)`, with `import "std-list"`'),
        ('let xs = ["a"] sort_strings(xs)', 'write `list_sort(…)`, with `import "std-list"`'),
        ("let xs = [1] let ys = list_reverse(xs)", "write `__builtin_list_reverse`"),
        ('string_join(["a"], ",")', "write `__builtin_string_join`"),
        ('string_chars("ab")', "write `__builtin_string_chars`"),
        ('string_length("ab")', "write `__builtin_string_len(…)`"),
    ],
)
def test_advice_for_functions_that_are_no_builtins(body: str, advice: str) -> None:
    text = f"fn f(n: Int) -> Bool {{ n > 1 }}\nfn main() -> Int {{ {body} 1 }}\n"
    db = opened(text)
    assert advice in [one.help for _, one in check_file(db, MAIN).entries]
