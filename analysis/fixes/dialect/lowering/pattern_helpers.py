"""The functions in `.ax` that run the steps of a regular expression, written into a program that uses one."""

from __future__ import annotations

from typing import Final

STEP: Final = "PatternStep"
RECORD: Final = f"type {STEP} {{ kind: String, signs: String, least: Int, most: Int }}"
PATTERNS: Final = """
fn pattern_holds(kind: String, signs: List<String>, place: Int) -> Bool {
    let length = list_len(signs)
    let before = if place > 0 { list_get(signs, place - 1) } else { "" }
    let here = if place < length { list_get(signs, place) } else { "" }
    match kind {
        "start" => place == 0,
        "end" => place == length,
        "line start" => place == 0 || before == "\\n",
        "line end" => place == length || here == "\\n",
        "last line end" => place == length || (place == length - 1 && here == "\\n"),
        _ => is_word_sign(before) != is_word_sign(here),
    }
}

fn is_word_sign(sign: String) -> Bool {
    sign != "" && (string_is_alphanumeric(sign) || sign == "_")
}

fn pattern_takes(step: PatternStep, signs: List<String>, place: Int) -> Bool {
    if place >= list_len(signs) { false } else {
        __builtin_string_contains(step.signs, list_get(signs, place)) == (step.kind == "one of")
    }
}

fn pattern_rest(steps: List<PatternStep>, number: Int, signs: List<String>, place: Int) -> List<Int> {
    if number >= list_len(steps) { return [place] }
    let step = list_get(steps, number)
    if step.kind == "jump" { return pattern_rest(steps, step.least, signs, place) }
    if step.kind == "either" {
        let first = pattern_rest(steps, step.least, signs, place)
        return if __builtin_list_is_empty(first) { pattern_rest(steps, step.most, signs, place) } else { first }
    }
    if step.kind == "open" || step.kind == "close" {
        let rest = pattern_rest(steps, number + 1, signs, place)
        let noted = if step.kind == "open" { step.least * 2 } else { step.least * 2 + 1 }
        return if __builtin_list_is_empty(rest) { rest } else { __builtin_list_concat(rest, [noted, place]) }
    }
    if step.kind != "one of" && step.kind != "none of" {
        return if pattern_holds(step.kind, signs, place) { pattern_rest(steps, number + 1, signs, place) } else { [] }
    }
    let mut count = 0
    while count < step.most && pattern_takes(step, signs, place + count) { count = count + 1 }
    let mut found: List<Int> = []
    while count >= step.least && __builtin_list_is_empty(found) {
        found = pattern_rest(steps, number + 1, signs, place + count)
        count = count - 1
    }
    found
}

fn pattern_noted(found: List<Int>, wanted: Int) -> Int {
    let mut place = -1
    let mut at = 1
    while at < list_len(found) {
        if place < 0 && list_get(found, at) == wanted { place = list_get(found, at + 1) }
        at = at + 2
    }
    place
}

fn pattern_parts(steps: List<PatternStep>, groups: Int, text: String) -> List<List<String>> {
    let signs = __builtin_string_chars(text)
    let mut parts: List<List<String>> = []
    let mut behind = 0
    let mut place = 0
    while place <= list_len(signs) {
        let found = pattern_rest(steps, 0, signs, place)
        if __builtin_list_is_empty(found) { place = place + 1 } else {
            let end = list_get(found, 0)
            let mut part = [string_substring(text, behind, place), string_substring(text, place, end)]
            for group in list_range(1, groups + 1) {
                let begin = pattern_noted(found, group * 2)
                let close = pattern_noted(found, group * 2 + 1)
                part = list_push(part, if begin < 0 || close < begin { "" } else { string_substring(text, begin, close) })
            }
            parts = list_push(parts, part)
            behind = end
            place = if end > place { end } else { place + 1 }
        }
    }
    list_push(parts, [string_substring(text, behind, list_len(signs))])
}

fn pattern_is_in(steps: List<PatternStep>, text: String) -> Bool {
    let signs = __builtin_string_chars(text)
    let mut place = 0
    let mut is_found = false
    while !is_found && place <= list_len(signs) {
        is_found = !__builtin_list_is_empty(pattern_rest(steps, 0, signs, place))
        place = place + 1
    }
    is_found
}

fn pattern_first(steps: List<PatternStep>, groups: Int, text: String) -> Option<List<String>> {
    let part = list_get(pattern_parts(steps, groups, text), 0)
    if list_len(part) < 2 { None } else { Some(__builtin_list_tail(part)) }
}

fn pattern_all(steps: List<PatternStep>, groups: Int, text: String) -> List<List<String>> {
    let mut found: List<List<String>> = []
    for part in pattern_parts(steps, groups, text) {
        if list_len(part) > 1 { found = list_push(found, __builtin_list_tail(part)) }
    }
    found
}

fn pattern_texts(steps: List<PatternStep>, text: String) -> List<String> {
    let mut found: List<String> = []
    for part in pattern_parts(steps, 0, text) {
        if list_len(part) > 1 { found = list_push(found, list_get(part, 1)) }
    }
    found
}

fn pattern_split(steps: List<PatternStep>, text: String) -> List<String> {
    let mut pieces: List<String> = []
    for part in pattern_parts(steps, 0, text) { pieces = list_push(pieces, list_get(part, 0)) }
    pieces
}

fn pattern_replace(steps: List<PatternStep>, text: String, new: String) -> String {
    let mut made = ""
    for part in pattern_parts(steps, 0, text) {
        made = made ++ list_get(part, 0) ++ if list_len(part) > 1 { new } else { "" }
    }
    made
}

fn pattern_replace_first(steps: List<PatternStep>, text: String, new: String) -> String {
    let part = list_get(pattern_parts(steps, 0, text), 0)
    if list_len(part) < 2 { text } else {
        let length = __builtin_string_len(list_get(part, 0)) + __builtin_string_len(list_get(part, 1))
        list_get(part, 0) ++ new ++ __builtin_string_slice(text, length, __builtin_string_len(text))
    }
}
"""
