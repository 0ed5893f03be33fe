"""Functions in `.ax` for what script languages have in their libraries: written into a program that uses them.

`{T}` and `{U}` stand for the item types of the value and of its first argument, `{PAIR}` and `{RESULT}` for the record of the
result's items and for the result's type. `lowering_scripts` fills and names them.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.lowering.number_helpers import ROUNDING
from analysis.fixes.dialect.lowering.pattern_helpers import PATTERNS

_TEXTS: Final = """
fn strip_signs(text: String, signs: String) -> String {
    strip_start_signs(strip_end_signs(text, signs), signs)
}

fn strip_start_signs(text: String, signs: String) -> String {
    let mut kept = ""
    for sign in __builtin_string_chars(text) {
        if kept != "" || !__builtin_string_contains(signs, sign) { kept = kept ++ sign }
    }
    kept
}

fn strip_end_signs(text: String, signs: String) -> String {
    string_reverse(strip_start_signs(string_reverse(text), signs))
}

fn delete_signs(text: String, signs: String) -> String {
    let mut kept = ""
    for sign in __builtin_string_chars(text) {
        if !__builtin_string_contains(signs, sign) { kept = kept ++ sign }
    }
    kept
}

fn translate_signs(text: String, old: String, new: String) -> String {
    let mut made = ""
    for sign in __builtin_string_chars(text) {
        made = made ++ match string_index_of(old, sign) {
            Some(place) => string_substring(new, place, place + 1),
            None => sign,
        }
    }
    made
}

fn squeeze(text: String) -> String {
    let mut kept = ""
    let mut last = ""
    for sign in __builtin_string_chars(text) {
        if sign != last { kept = kept ++ sign }
        last = sign
    }
    kept
}

fn without_prefix(text: String, prefix: String) -> String {
    if str_starts_with(text, prefix) {
        __builtin_string_slice(text, __builtin_string_len(prefix), __builtin_string_len(text))
    } else { text }
}

fn without_suffix(text: String, suffix: String) -> String {
    if __builtin_string_ends_with(text, suffix) {
        __builtin_string_slice(text, 0, __builtin_string_len(text) - __builtin_string_len(suffix))
    } else { text }
}

fn split_at_most(text: String, between: String, count: Int) -> List<String> {
    let parts = __builtin_string_split(text, between)
    if list_len(parts) <= count + 1 { parts } else {
        list_push(list_take(parts, count), __builtin_string_join(list_drop(parts, count), between))
    }
}

fn text_parts(text: String, between: String) -> {RESULT} {
    let parts = __builtin_string_split(text, between)
    if list_len(parts) == 1 { {RESULT} { first: text, second: "", third: "" } } else {
        {RESULT} {
            first: list_get(parts, 0), second: between,
            third: __builtin_string_join(__builtin_list_tail(parts), between),
        }
    }
}

fn text_parts_last(text: String, between: String) -> {RESULT} {
    let parts = __builtin_string_split(text, between)
    let last = list_len(parts) - 1
    if last == 0 { {RESULT} { first: "", second: "", third: text } } else {
        {RESULT} {
            first: __builtin_string_join(list_take(parts, last), between), second: between,
            third: list_get(parts, last),
        }
    }
}

fn center(text: String, width: Int, fill: String) -> String {
    let missing = width - list_len(__builtin_string_chars(text))
    if missing <= 0 { text } else {
        let left = missing / 2 + missing % 2 * (width % 2)
        string_repeat(fill, left) ++ text ++ string_repeat(fill, missing - left)
    }
}

fn center_format(text: String, width: Int, fill: String) -> String {
    let missing = width - list_len(__builtin_string_chars(text))
    if missing <= 0 { text } else { string_repeat(fill, missing / 2) ++ text ++ string_repeat(fill, missing - missing / 2) }
}

fn quoted(text: String) -> String {
    if __builtin_string_contains(text, "'") && !__builtin_string_contains(text, "\\"") {
        return "\\"" ++ text ++ "\\""
    }
    let mut made = "'"
    for sign in __builtin_string_chars(text) {
        made = made ++ match sign {
            "\\n" => "\\\\n",
            "\\t" => "\\\\t",
            "\\\\" => "\\\\\\\\",
            "'" => "\\\\'",
            _ => sign,
        }
    }
    made ++ "'"
}

fn group_digits(text: String) -> String {
    let parts = __builtin_string_split(text, ".")
    let mut rest = without_prefix(list_get(parts, 0), "-")
    let mut grouped = ""
    while __builtin_string_len(rest) > 3 {
        let length = __builtin_string_len(rest)
        grouped = "," ++ __builtin_string_slice(rest, length - 3, length) ++ grouped
        rest = __builtin_string_slice(rest, 0, length - 3)
    }
    let sign = if str_starts_with(text, "-") { "-" } else { "" }
    __builtin_string_join(__builtin_list_concat([sign ++ rest ++ grouped], __builtin_list_tail(parts)), ".")
}

fn rotate_right(items: List<{T}>, count: Int) -> List<{T}> {
    let place = list_len(items) - count
    __builtin_list_concat(list_drop(items, place), list_take(items, place))
}

fn binary_search(items: List<{T}>, wanted: {T}) -> Result<Int, Int> {
    let mut low = 0
    let mut high = list_len(items)
    while low < high {
        let middle = (low + high) / 2
        let item = list_get(items, middle)
        if item == wanted { return Ok(middle) }
        if item < wanted { low = middle + 1 } else { high = middle }
    }
    Err(low)
}

fn text_last_index_of(text: String, part: String) -> Option<Int> {
    let signs = __builtin_string_chars(text)
    let length = list_len(__builtin_string_chars(part))
    let mut found: Option<Int> = None
    let mut place = 0
    while place + length <= list_len(signs) {
        if string_substring(text, place, place + length) == part { found = Some(place) }
        place = place + 1
    }
    found
}

fn text_index_from(text: String, part: String, start: Int) -> Option<Int> {
    match string_index_of(string_substring(text, start, list_len(__builtin_string_chars(text))), part) {
        Some(place) => Some(place + start),
        None => None,
    }
}

fn replace_first(text: String, old: String, new: String) -> String {
    let parts = split_at_most(text, old, 1)
    if list_len(parts) == 1 { text } else { list_get(parts, 0) ++ new ++ list_get(parts, 1) }
}

fn title_words(text: String) -> String {
    let mut made = ""
    let mut is_inside = false
    for sign in __builtin_string_chars(text) {
        made = made ++ if is_inside { __builtin_string_to_lower(sign) } else { __builtin_string_to_upper(sign) }
        is_inside = string_is_letter(sign)
    }
    made
}

fn text_chunks(text: String, size: Int) -> List<String> {
    let mut chunks: List<String> = []
    let mut place = 0
    let length = list_len(__builtin_string_chars(text))
    while place < length {
        chunks = list_push(chunks, string_substring(text, place, place + size))
        place = place + size
    }
    chunks
}
"""
_NUMBERS: Final = """
fn int_of_base(text: String, base: Int) -> Int {
    let mut number = 0
    for sign in __builtin_string_chars(__builtin_string_to_lower(text)) {
        match string_index_of("0123456789abcdefghijklmnopqrstuvwxyz", sign) {
            Some(digit) => { number = number * base + digit },
            None => {},
        }
    }
    if str_starts_with(text, "-") { -number } else { number }
}

fn int_in_base(number: Int, base: Int) -> String {
    let mut rest = int_abs(number)
    let mut digits = ""
    while rest > 0 {
        digits = string_char_at("0123456789abcdefghijklmnopqrstuvwxyz", rest % base) ++ digits
        rest = rest / base
    }
    if number == 0 { "0" } else { if number < 0 { "-" ++ digits } else { digits } }
}

fn with_commas(number: Int) -> String {
    let mut digits = __builtin_int_to_string(int_abs(number))
    let mut grouped = ""
    while __builtin_string_len(digits) > 3 {
        let length = __builtin_string_len(digits)
        grouped = "," ++ __builtin_string_slice(digits, length - 3, length) ++ grouped
        digits = __builtin_string_slice(digits, 0, length - 3)
    }
    if number < 0 { "-" ++ digits ++ grouped } else { digits ++ grouped }
}

fn pow_mod(base: Int, exponent: Int, divisor: Int) -> Int {
    let mut power = 1
    let mut square = base % divisor
    let mut rest = exponent
    while rest > 0 {
        if rest % 2 == 1 { power = power * square % divisor }
        square = square * square % divisor
        rest = rest / 2
    }
    power % divisor
}

fn digits(number: Int) -> List<Int> {
    let mut rest = int_abs(number)
    let mut made = [rest % 10]
    while rest >= 10 {
        rest = rest / 10
        made = list_push(made, rest % 10)
    }
    made
}

fn bit_length(number: Int) -> Int {
    let mut rest = int_abs(number)
    let mut count = 0
    while rest > 0 {
        rest = rest / 2
        count = count + 1
    }
    count
}

fn round_to(number: Float, digits: Int) -> Float {
    if digits < 0 { return float_round(number / int_pow(10, -digits)) * 1.0 * int_pow(10, -digits) }
    let scale = int_pow(10, digits) * 1.0
    float_round(number * scale) * 1.0 / scale
}

fn float_text(number: Float) -> String {
    let text = __builtin_float_to_string(number)
    if __builtin_string_contains(text, ".") || number * 0.0 != 0.0 { text } else { text ++ ".0" }
}

fn floor_div(number: Int, divisor: Int) -> Int {
    (number - int_mod(number, divisor)) / divisor
}

fn ceil_div(number: Int, divisor: Int) -> Int {
    -floor_div(-number, divisor)
}
"""
_LISTS: Final = """
fn combinations(items: List<{T}>, size: Int) -> List<List<{T}>> {
    if size == 0 { return [[]] }
    let mut found: List<List<{T}>> = []
    let mut place = 0
    for item in items {
        place = place + 1
        for rest in combinations(list_drop(items, place), size - 1) {
            found = list_push(found, __builtin_list_concat([item], rest))
        }
    }
    found
}

fn permutations(items: List<{T}>) -> List<List<{T}>> {
    if list_len(items) == 0 { return [[]] }
    let mut found: List<List<{T}>> = []
    let mut place = 0
    for item in items {
        for rest in permutations(list_remove_at(items, place)) {
            found = list_push(found, __builtin_list_concat([item], rest))
        }
        place = place + 1
    }
    found
}

fn cartesian(left: List<{T}>, right: List<{U}>) -> List<{PAIR}> {
    let mut pairs: List<{PAIR}> = []
    for first in left {
        for second in right { pairs = list_push(pairs, {PAIR} { first: first, second: second }) }
    }
    pairs
}

fn running(items: List<{T}>) -> List<{T}> {
    let mut sums: List<{T}> = []
    for item in items {
        sums = list_push(sums, if __builtin_list_is_empty(sums) { item } else { list_get(sums, list_len(sums) - 1) + item })
    }
    sums
}

fn transpose(rows: List<{T}>) -> List<{T}> {
    let mut columns: List<{T}> = []
    let mut place = 0
    while place < list_len(list_get(rows, 0)) {
        let mut column: {T} = []
        for row in rows { column = list_push(column, list_get(row, place)) }
        columns = list_push(columns, column)
        place = place + 1
    }
    columns
}

fn rotate(items: List<{T}>, count: Int) -> List<{T}> {
    let length = list_len(items)
    if length == 0 { items } else {
        let place = int_mod(count, length)
        __builtin_list_concat(list_drop(items, place), list_take(items, place))
    }
}

fn runs(items: List<{T}>) -> List<{PAIR}> {
    let mut found: List<{PAIR}> = []
    let mut run: List<{T}> = []
    for item in items {
        if !__builtin_list_is_empty(run) && (if __builtin_list_is_empty(run) { false } else { list_get(run, 0) != item }) {
            found = list_push(found, {PAIR} { first: list_get(run, 0), second: run })
            run = []
        }
        run = list_push(run, item)
    }
    if __builtin_list_is_empty(run) { found } else { list_push(found, {PAIR} { first: list_get(run, 0), second: run }) }
}

fn most_common(counts: Map<String, Int>, most: Int) -> List<{PAIR}> {
    let mut ranked: List<{PAIR}> = []
    for key in __builtin_map_keys(counts) {
        let count = map_get_or(counts, key, 0)
        let mut merged: List<{PAIR}> = []
        let mut is_placed = false
        for other in ranked {
            if !is_placed && count > other.second {
                merged = list_push(merged, {PAIR} { first: key, second: count })
                is_placed = true
            }
            merged = list_push(merged, other)
        }
        ranked = if is_placed { merged } else { list_push(merged, {PAIR} { first: key, second: count }) }
    }
    if most < 0 { ranked } else { list_take(ranked, most) }
}

fn minmax(items: List<{T}>) -> {RESULT} {
    {RESULT} { first: option_unwrap(list_min(items)), second: option_unwrap(list_max(items)) }
}
"""


_SETS: Final = """
fn common_items(left: List<{T}>, right: List<{T}>) -> List<{T}> {
    let mut common: List<{T}> = []
    for item in left {
        if list_contains(right, item) { common = list_push(common, item) }
    }
    common
}

fn items_without(left: List<{T}>, right: List<{T}>) -> List<{T}> {
    let mut kept: List<{T}> = []
    for item in left {
        if !list_contains(right, item) { kept = list_push(kept, item) }
    }
    kept
}

fn items_of_one(left: List<{T}>, right: List<{T}>) -> List<{T}> {
    __builtin_list_concat(items_without(left, right), items_without(right, left))
}

fn has_all_of(part: List<{T}>, whole: List<{T}>) -> Bool {
    let mut is_inside = true
    for item in part {
        if !list_contains(whole, item) { is_inside = false }
    }
    is_inside
}

fn holds_all(whole: List<{T}>, part: List<{T}>) -> Bool {
    has_all_of(part, whole)
}

fn has_none_of(left: List<{T}>, right: List<{T}>) -> Bool {
    __builtin_list_is_empty(common_items(left, right))
}

fn same_items(left: List<{T}>, right: List<{T}>) -> Bool {
    list_len(left) == list_len(right) && has_all_of(left, right)
}

fn list_times(items: List<{T}>, count: Int) -> List<{T}> {
    let mut repeated: List<{T}> = []
    for round in list_range(0, count) { repeated = __builtin_list_concat(repeated, items) }
    repeated
}
"""


def _functions(text: str) -> dict[str, str]:
    """The functions of a text by name."""
    parts = [part for part in text.strip().split("\n\nfn ") if part]
    return {part.removeprefix("fn ").partition("(")[0]: f"fn {part.removeprefix('fn ')}" for part in parts}


HELPERS: Final = {
    name: text for part in (PATTERNS, _TEXTS, _NUMBERS, ROUNDING, _LISTS, _SETS) for name, text in _functions(part).items()
}
"""By name."""
DEFAULTS: Final = {"center": '" "', "rotate": "1", "int_in_base": "10", "most_common": "-1"}
"""The last argument where a call leaves it out."""
