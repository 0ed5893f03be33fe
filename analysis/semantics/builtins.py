"""The functions that every program knows without a declaration (spec chapter 09, and chapter 26 section 5 for our own).

One table; names, arities, conventional types and a line of documentation. A type of one capital letter stands for any type.
"""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Builtin:
    """`parameters` are pairs of name and type; `capability` is what a call needs, "" for a pure function."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    result: str
    documentation: str
    capability: str = ""

    @property
    def arity(self) -> int:
        return len(self.parameters)

    @property
    def signature(self) -> str:
        caps = f" !{{{self.capability}}}" if self.capability else ""
        return f"fn {self.name}({', '.join(f'{name}: {kind}' for name, kind in self.parameters)}) -> {self.result}{caps}"


_TABLE: Final = """
list_len(xs: List<T>) -> Int | number of items
list_get(xs: List<T>, i: Int) -> T | item at position i, counted from 0; fails outside the list
list_push(xs: List<T>, v: T) -> List<T> | a list with v added at the end
__builtin_list_len(xs: List<T>) -> Int | number of items
__builtin_list_is_empty(xs: List<T>) -> Bool | whether there are no items
__builtin_list_head(xs: List<T>) -> Option<T> | the first item, None for an empty list
__builtin_list_tail(xs: List<T>) -> List<T> | all items but the first
__builtin_list_append(xs: List<T>, v: T) -> List<T> | a list with v added at the end
__builtin_list_concat(xs: List<T>, ys: List<T>) -> List<T> | the items of both lists
__builtin_list_reverse(xs: List<T>) -> List<T> | the items in reverse order
__builtin_string_len(s: String) -> Int | length in UTF-8 bytes
__builtin_string_chars(s: String) -> List<String> | one string for each character
str_contains(s: String, t: String) -> Bool | whether t occurs in s
__builtin_string_contains(s: String, t: String) -> Bool | whether t occurs in s
str_starts_with(s: String, t: String) -> Bool | whether s begins with t
__builtin_string_starts_with(s: String, t: String) -> Bool | whether s begins with t
__builtin_string_ends_with(s: String, t: String) -> Bool | whether s ends with t
__builtin_string_to_upper(s: String) -> String | in upper case
__builtin_string_to_lower(s: String) -> String | in lower case
__builtin_string_trim(s: String) -> String | without white space at both ends
__builtin_string_split(s: String, sep: String) -> List<String> | the pieces between separators
__builtin_string_join(xs: List<String>, sep: String) -> String | the items with sep between them
__builtin_string_replace(s: String, from: String, to: String) -> String | with every from replaced by to
__builtin_string_slice(s: String, start: Int, end: Int) -> String | bytes start to end; "" outside the string
parse_int(s: String) -> Int | the number that s spells, 0 if it spells none
try_parse_int(s: String) -> Result<Int, String> | the number that s spells
__builtin_int_parse(s: String) -> Option<Int> | the number that s spells, white space not allowed
__builtin_float_parse(s: String) -> Option<Float> | the number that s spells, white space not allowed
__builtin_int_to_string(n: Int) -> String | decimal digits
__builtin_float_to_string(x: Float) -> String | decimal digits
__builtin_bool_to_string(b: Bool) -> String | true or false
__builtin_map_get(m: Map<String, T>, k: String) -> Option<T> | the value of a key
__builtin_map_set(m: Map<String, T>, k: String, v: T) -> Map<String, T> | a map with the entry added or replaced
__builtin_map_remove(m: Map<String, T>, k: String) -> Map<String, T> | a map without the key
__builtin_map_contains_key(m: Map<String, T>, k: String) -> Bool | whether the key is there
__builtin_map_keys(m: Map<String, T>) -> List<String> | the keys in ascending order
__builtin_map_values(m: Map<String, T>) -> List<T> | the values in the order of the keys
__builtin_map_len(m: Map<String, T>) -> Int | number of entries
__builtin_debug(v: T) -> T | writes v to standard error and returns it
__builtin_debug_msg(msg: String, v: T) -> T | writes msg and v to standard error and returns v
__builtin_guard(v: T, passed: Bool, label: String) -> T | returns v; fails, naming label, unless passed
step_input(name: String) -> String | the input of that name, as tagged JSON text | step.input
llm_call(prompt: String) -> String | a language model's answer to a prompt | llm.call
llm_call_as(prompt: String, schema: String) -> String | a language model's answer, valid against a JSON schema | llm.call
net_fetch(url: String) -> Result<String, String> | the text at a URL | net.fetch
fs_read(path: String) -> Result<String, String> | the text of a file | fs.read
fs_write(path: String, text: String) -> Result<Bool, String> | writes a file | fs.write
db_query(sql: String) -> Result<String, String> | rows as JSON text | db.query
time_now() -> Int | seconds since 1970 | time.now
random() -> Float | a number from 0 up to 1 | random
map_new() -> Map<String, T> | the empty map
"""


def _split_types(text: str) -> list[str]:
    """Parts between commas that stand in no angle brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in (*parts, text[start:].strip()) if part]


def _read(line: str) -> Builtin:
    signature, documentation, *capability = (part.strip() for part in line.split("|"))
    head, result = signature.split(") -> ")
    name, parameters = head.split("(", 1)
    pairs = [tuple(part.split(": ", 1)) for part in _split_types(parameters)]
    return Builtin(name, tuple((pair[0], pair[1]) for pair in pairs), result, documentation, "".join(capability))


BUILTINS: Final[dict[str, Builtin]] = {builtin.name: builtin for builtin in map(_read, _TABLE.strip().split("\n"))}
EXTENSIONS: Final = frozenset("llm_call llm_call_as net_fetch fs_read fs_write db_query time_now random map_new".split())
"""The builtins that the reference does not have (spec chapter 26 section 5)."""
BUILTIN_TYPES: Final = frozenset(("Int", "Float", "String", "Bool", "Unit", "McpResult"))
"""Type names that are never declared; Option, List, Result, Map and Fn are the grammar's."""
