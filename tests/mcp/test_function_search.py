"""`boruna_builtins` with the queries that models write: words, names of other languages, types, examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from analysis.semantics.builtins import BUILTINS
from tests.support.mcp_lines import LineServer, call, initialize

QUERIES = """
len | list_len
length of a string | __builtin_string_len
count characters in a string | count_characters
push | list_push
append to list | __builtin_list_append
add element to list | list_push
parseInt | parse_int
convert string to int | parse_int
string to number | parse_int
int to string | __builtin_int_to_string
toString | __builtin_int_to_string
str() | __builtin_int_to_string
startsWith | str_starts_with
strings.HasPrefix | str_starts_with
endsWith | __builtin_string_ends_with
strings.Split | __builtin_string_split
s.split(",") | __builtin_string_split
",".join(xs) | __builtin_string_join
join strings with a separator | __builtin_string_join
Math.floor | float_floor
Math.max | int_max
math.sqrt | float_sqrt
Math.abs | int_abs
Math.random() | random
round to two decimals | float_format
toFixed | float_format
absolute value | int_abs
power | int_pow
square root | float_sqrt
strconv.Itoa | __builtin_int_to_string
fmt.Println | __builtin_debug
console.log | __builtin_debug
print | __builtin_debug
uppercase | __builtin_string_to_upper
strings.ToUpper | __builtin_string_to_upper
remove whitespace | __builtin_string_trim
strip | __builtin_string_trim
substring | string_substring
s[1:3] | string_substring
replace | __builtin_string_replace
contains | str_contains
check if a list contains a value | list_contains
index of an item | list_index_of
indexOf | list_index_of
first element of a list | __builtin_list_head
last element | list_last
get item at index | list_get
xs[i] | list_get
set item at index | list_set
remove item from list | list_remove_at
reverse a list | __builtin_list_reverse
reverse a string | string_reverse
sort | list_sort
sort a list of strings | list_sort
sorted() | list_sort
sum of a list | list_sum
max of list | list_max
unique | list_unique
slice | __builtin_string_slice
concat lists | __builtin_list_concat
range | list_range
range(n) | list_range
zip | list_zip
dictionary lookup | __builtin_map_get
HashMap.insert | __builtin_map_set
map.get | __builtin_map_get
dict.keys() | __builtin_map_keys
get value or default from map | map_get_or
new map | map_new
has key | __builtin_map_contains_key
unwrap | option_unwrap
unwrap_or | option_or
Option default value | option_or
read a file | fs_read
os.ReadFile | fs_read
http get | net_fetch
fetch(url) | net_fetch
current time | time_now
Date.now() | time_now
random number | random
ask an llm | llm_call
gcd | int_gcd
padStart | string_pad_left
repeat a string | string_repeat
isdigit | string_is_digit
ord | string_code
is_empty | __builtin_list_is_empty
filterMap | filter_map
map | map
filter | filter
reduce | fold
forEach | for_each
enumerate | enumerate
groupBy | group_by
list.map(f) | map
int_pow | int_pow
list_set | list_set
spilt | __builtin_string_split
std-text | string_substring
f-string | interpolate
fmt.Sprintf | interpolate
ternary | conditional
list comprehension | list_of
i++ | increment
xs.filter(x => x > 1) | filter
"hello".toUpperCase() | __builtin_string_to_upper
Object.keys(map) | __builtin_map_keys
str.format | interpolate
text.lower() | __builtin_string_to_lower
list.pop() | pop
std::max | int_max
Integer.parseInt | parse_int
String.valueOf(n) | __builtin_int_to_string
vec.iter().sum() | list_sum
how do I sort a list? | list_sort
convert float to string | __builtin_float_to_string
float to int | float_to_int
list to string | __builtin_string_join
string to list of characters | __builtin_string_chars
parse float | __builtin_float_parse
words in a text | string_words
split text into lines | lines
is the list empty | __builtin_list_is_empty
merge two maps | map_merge
count occurrences of each word | map_counts
clamp a value | int_clamp
nth element | list_get
write to a file | fs_write
process.argv | step_input
SELECT sql query | db_query
average of a list | average
remove duplicates | list_unique
raise Exception | error
2 ** 3 | int_pow
for i in range(10) | for_range
7 // 2 | floor_division
print to stdout | __builtin_debug
how can I split a string into pieces by a comma | __builtin_string_split
get the number of elements in the list | list_len
convert all characters of the text to upper case | __builtin_string_to_upper
check whether a string starts with a given prefix | str_starts_with
round a float number to the nearest integer | float_round
"""
TYPES = """
List<Int> -> Int | list_len
String -> Int | __builtin_string_len
String -> List<String> | __builtin_string_chars
String, String -> Bool | str_contains
(String, String) -> List<String> | __builtin_string_split
List<String>, String -> String | __builtin_string_join
Float -> Int | float_to_int
Int -> String | __builtin_int_to_string
Int -> Float | int_to_float
List<T>, T -> List<T> | list_push
List<T> -> Option<T> | __builtin_list_head
[]string -> string -> string | __builtin_string_join
Vec<i32> -> i32 | list_len
(a: number, b: number) => number | int_min
string -> number | __builtin_string_len
Map<String, Int>, String -> Option<Int> | __builtin_map_get
List<T>, Fn(T) -> Bool -> List<T> | filter
fn(String) -> Result<Int, String> | try_parse_int
"""
EXAMPLES = """
[1,2,3] -> 6 | list_sum
[3, 1, 2] -> [1, 2, 3] | list_sort
"a,b", "," -> ["a", "b"] | __builtin_string_split
("abc", 1) -> "b" | string_char_at
"abc" -> "ABC" | __builtin_string_to_upper
'abc' => 3 | __builtin_string_len
[1, 2, 3] -> Some(3) | list_last
[3, 9, 2] -> 9 | list_max
"12" -> 12 | parse_int
2, 10 -> 1024 | int_pow
2.5 -> 3 | float_ceil
[[1], [2]] -> [1, 2] | list_flatten
f("ab", 3) == "ababab" | string_repeat
[1, 2], 2 -> true | list_contains
"abc" -> "cba" | string_reverse
"7" 3 "0" -> "007" | string_pad_left
"""


def rows(table: str) -> list[tuple[str, str]]:
    return [(query, name) for query, name in (line.split(" | ") for line in table.strip().split("\n"))]


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    with LineServer() as server:
        server.ask(initialize(version="2025-11-25"))
        yield server


def ask(server: LineServer, query: str) -> dict[str, Any]:
    answer: dict[str, Any] = server.ask(call(query, "boruna_builtins", query=query))["result"]["structuredContent"]
    return answer


@pytest.mark.parametrize(("query", "name"), [*rows(QUERIES), *rows(TYPES), *rows(EXAMPLES)])
def test_the_first_row_is_what_was_meant(server: LineServer, query: str, name: str) -> None:
    found = [row["name"] for row in ask(server, query)["builtins"]]
    assert found[:1] == [name], found[:5]


@pytest.mark.parametrize(
    "query",
    [
        "quaternion",
        "log10",
        "sha256",
        "instanceof",
        "quaternion of a list",
        "Quaternion -> Int",
        "[1] -> 99",
        "\"a\" -> { 'x'",
        "->",
    ],
)
def test_nothing_is_invented(server: LineServer, query: str) -> None:
    answer = ask(server, query)
    assert "example" in answer["note"]
    assert (answer["success"], answer["builtins"]) == (True, [])


def test_without_a_query_all_builtins_are_listed(server: LineServer) -> None:
    answer = ask(server, "  ")
    assert {row["name"] for row in answer["builtins"]} == set(BUILTINS)
    assert answer["total"] > len(BUILTINS)


def test_a_function_of_a_library_says_its_import(server: LineServer) -> None:
    row = ask(server, "list_sum")["builtins"][0]
    assert (row["import"], row["signature"]) == ('import "std-list"', "fn list_sum(numbers: List<T>) -> T")
    assert row["meaning"].startswith("The sum of numbers")


def test_what_is_no_function_has_the_form_to_write(server: LineServer) -> None:
    row = ask(server, "filterMap")["builtins"][0]
    assert "for " in row["write"]
    assert "signature" not in row


def test_an_example_only_gives_functions_that_answer_so(server: LineServer) -> None:
    answer = ask(server, "[2, 2] -> 4")
    assert [row["name"] for row in answer["builtins"]] == ["list_sum", "list_product"]
    assert all(row["call"] == f"{row['name']}([2, 2])" for row in answer["builtins"])


def test_long_answers_say_what_they_leave_out(server: LineServer) -> None:
    answer = ask(server, "String")
    assert len(answer["builtins"]) == 20
    assert answer["left_out"] > 0


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("reverse", ["__builtin_list_reverse", "string_reverse"]),
        ("++", ["concatenate", "increment"]),
        ("i++", ["increment"]),
    ],
)
def test_all_rows_are_about_the_query(server: LineServer, query: str, names: list[str]) -> None:
    assert [row["name"] for row in ask(server, query)["builtins"]] == names


@pytest.mark.parametrize("query", ["count", "int to string", "to_string", "map", "max"])
def test_a_form_without_code_stands_for_itself_only(server: LineServer, query: str) -> None:
    found = ask(server, query)["builtins"]
    assert found
    names = [name for row in found for name in (row["name"], *row.get("elsewhere", ()))]
    assert [row for row in found if "signature" not in row and "write" not in row and names.count(row["name"]) > 1] == []
