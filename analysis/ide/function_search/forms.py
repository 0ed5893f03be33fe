"""Code for operations that have no function: those that take closures, and a few others. The tests run every one of them."""

# ruff: noqa: E501 - a table

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_TABLE: Final = """
List @map
let mut mapped: List<Int> = []
for x in xs {
    mapped = list_push(mapped, x * 2)
}

List @map_indexed
let mut mapped: List<Int> = []
let mut i = 0
for x in xs {
    mapped = list_push(mapped, x * i)
    i = i + 1
}

List @filter
let mut kept: List<Int> = []
for x in xs {
    if x > 1 {
        kept = list_push(kept, x)
    }
}

List @reject
let mut kept: List<Int> = []
for x in xs {
    if !(x > 1) {
        kept = list_push(kept, x)
    }
}

List @filter_map
let mut kept: List<Int> = []
for text in texts {
    match __builtin_int_parse(text) {
        Some(value) => {
            kept = list_push(kept, value)
        },
        None => {},
    }
}

List @flat_map
let mut all: List<Int> = []
for x in xs {
    all = __builtin_list_concat(all, [x, x])
}

List @fold
let mut total = 0
for x in xs {
    total = total + x
}

List @fold_right
let mut text = ""
for x in __builtin_list_reverse(xs) {
    text = text ++ __builtin_int_to_string(x)
}

List @reduce
let mut best = list_get(xs, 0)
for x in __builtin_list_tail(xs) {
    if x > best {
        best = x
    }
}

List @for_each
for x in xs {
    __builtin_debug(x)
}

List @any
let mut is_found = false
for x in xs {
    if x > 1 {
        is_found = true
    }
}

List @all
let mut is_right = true
for x in xs {
    if !(x > 0) {
        is_right = false
    }
}

List @none
let mut is_right = true
for x in xs {
    if x > 5 {
        is_right = false
    }
}

List @count
let mut count = 0
for x in xs {
    if x > 1 {
        count = count + 1
    }
}

List @find
fn first_large(xs: List<Int>) -> Option<Int> {
    for x in xs {
        if x > 1 {
            return Some(x)
        }
    }
    None
}

List @find_index
fn first_large(xs: List<Int>) -> Option<Int> {
    let mut i = 0
    for x in xs {
        if x > 1 {
            return Some(i)
        }
        i = i + 1
    }
    None
}

List @partition
let mut large: List<Int> = []
let mut others: List<Int> = []
for x in xs {
    if x > 1 {
        large = list_push(large, x)
    } else {
        others = list_push(others, x)
    }
}

List @enumerate
let mut i = 0
for x in xs {
    __builtin_debug(i * x)
    i = i + 1
}

List @take_while
let mut taken: List<Int> = []
let mut is_taking = true
for x in xs {
    if x > 2 {
        is_taking = false
    }
    if is_taking {
        taken = list_push(taken, x)
    }
}

List @sum_by
let mut total = 0
for x in xs {
    total = total + x * x
}

List @max_by
let mut best = list_get(xs, 0)
for x in xs {
    if x * x > best * best {
        best = x
    }
}

List @min_by
let mut best = list_get(xs, 0)
for x in xs {
    if x * x < best * best {
        best = x
    }
}

List @sort_by
let mut sorted: List<Int> = []
for x in xs {
    let mut position = 0
    for other in sorted {
        if x * x >= other * other {
            position = position + 1
        }
    }
    sorted = list_insert(sorted, position, x)
}

List @group_by
let mut groups: Map<String, List<Int>> = map_new()
for x in xs {
    let key = __builtin_int_to_string(x % 2)
    groups = __builtin_map_set(groups, key, list_push(map_get_or(groups, key, []), x))
}

List @list_pop
let last = list_last(xs)
let rest = list_take(xs, list_len(xs) - 1)

List @list_shift
let first = __builtin_list_head(xs)
let rest = __builtin_list_tail(xs)

Map @map_entries
for key in __builtin_map_keys(map) {
    match __builtin_map_get(map, key) {
        Some(value) => {
            __builtin_debug(value)
        },
        None => {},
    }
}

Option @option_map
let mapped = match option {
    Some(value) => Some(value + 1),
    None => None,
}

Option @option_and_then
let next = match option {
    Some(value) => list_at(xs, value),
    None => None,
}

Option @is_some
let is_some = match option {
    Some(_) => true,
    None => false,
}

Option @is_none
let is_none = match option {
    Some(_) => false,
    None => true,
}

Result @is_ok
let is_ok = match result {
    Ok(_) => true,
    Err(_) => false,
}

Result @result_map
let mapped = match result {
    Ok(value) => Ok(value + 1),
    Err(error) => Err(error),
}
"""
_NAMES: Final = {
    "List": "xs", "String": "text", "Int": "n", "Float": "x", "Map": "map", "Option": "option", "Result": "result", "Bool": "flag",
}  # fmt: skip
_PLACE: Final = re.compile(r"\{(\d|key)\}")
_MARK: Final = re.compile(r"(?<!&)&(?!&)|\{(?!\d|key)")
"""What only the translation understands in a template."""


def _read() -> dict[tuple[str, str], str]:
    rows: dict[tuple[str, str], str] = {}
    for block in _TABLE.strip().split("\n\n"):
        head, _, code = block.partition("\n")
        kind, template = head.split()
        rows[kind, template] = code
    return rows


FORMS: Final = _read()
"""By kind and template, code about `xs: List<Int>`, `texts: List<String>`, `map: Map<String, Int>`, `option` and `result`."""
OTHER_FORMS: Final = (
    ("count_characters", "String", "count characters rune_count utf8.RuneCountInString mb_strlen", "the length in characters; in bytes it is `__builtin_string_len`",
     "list_len(__builtin_string_chars(text))"),
    ("interpolate", "String", "format f-string interpolation template sprintf fmt.Sprintf string.format printf", "texts are joined by `++`, other values converted before",
     '"n is " ++ __builtin_int_to_string(n)'),
    ("concatenate", "String", "concatenate ++ append_text", "`++` joins texts; lists are joined by `__builtin_list_concat`", "text ++ text2"),
    ("increment", "Int", "increment i++ ++ +=", "assignment: the variable is declared with `let mut`", "n = n + 1"),
    ("conditional", "", "ternary conditional ?: if_expression", "`if` is an expression", "let size = if n > 9 { \"large\" } else { \"small\" }"),
    ("average", "List", "average mean avg arithmetic_mean", "a sum divided by a count: `* 1.0` makes a Float", "list_sum(xs) * 1.0 / list_len(xs)"),
    ("floor_division", "Int", "floor_division floordiv div_floor", "`/` rounds toward zero; this rounds down", "(n - int_mod(n, 2)) / 2"),
    ("for_range", "Int", "for_range for_loop counted_loop", "`for` takes a list", "for i in list_range(0, 10) {\n    __builtin_debug(i)\n}"),
    ("error", "Result", "throw raise exception try catch except raise_error try_catch error_handling", "no exceptions: a function gives `Ok` or `Err`, its caller matches",
     'fn half(n: Int) -> Result<Int, String> {\n    if n % 2 == 0 {\n        Ok(n / 2)\n    } else {\n        Err("odd")\n    }\n}'),
    ("list_of", "List", "comprehension list_comprehension", "a loop that fills a list", FORMS["List", "@map"]),
    ("break", "List", "break continue loop_exit", "no `break`: a function with `return` ends a loop", FORMS["List", "@find"]),
    ("lambda", "", "lambda closure anonymous_function arrow_function", "no closures: a named function, or the loop itself", FORMS["List", "@map"]),
    ("tuple", "", "tuple pair struct", "no tuples: a record with names", "type Pair { first: Int, second: String }"),
)  # fmt: skip
"""Name, kind, words, meaning and code of what no word of the lexicon stands for."""


def filled(template: str, kind: str, parameters: Sequence[str]) -> str:
    """A template with names in its places: `n % 2 == 0`; "" for one that is not written as it stands."""
    names = [_NAMES.get(kind, "value")]
    for parameter in parameters:
        wanted = _NAMES.get(parameter.partition("<")[0], "value")
        names.append(wanted if wanted not in names else f"{wanted}{len(names) + 1}")

    def name(place: re.Match[str]) -> str:
        number = 1 if place[1] == "key" else int(place[1])
        return names[number] if number < len(names) else "value"

    return "" if _MARK.search(template) else _PLACE.sub(name, template)
