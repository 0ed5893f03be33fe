"""Rows of the lexicon for what languages near the machine call things: bits, bytes, orders, errors as options."""

from __future__ import annotations

from typing import Final

SYSTEM_ROWS: Final = """
List | insert! add_unique! incl! | T | Bool | @set_insert
String | characters_between | Int, Int | String | string_substring({0}, {1}, {2})
String | characters_from | Int | String | string_substring({0}, {1}, __builtin_string_len({0}))
List | remove_item! | T | List<T> | @remove_item
List | peekable | | Iterator<T> | {0}
List | fuse | | List<T> | {0}
String | peekable | | Iterator<Char> | __builtin_string_chars({0})
List | max_by_key | Fn(T) -> K | Option<T> | @max_by_last
List | pop_value! | | T | @list_pop
List | shift_value! | | T | @list_shift
List | least_by | Fn(T, T) -> Bool | Option<T> | @least_by
List | most_by | Fn(T, T) -> Bool | Option<T> | @most_by
List | indices | | List<Int> | list_range(0, list_len({0}))
List | dropFirst | | List<T> | __builtin_list_tail({0})
String | isNumber | | Bool | string_is_digit({0})
String | asciiValue | | Option<Int> | Some(string_code({0}))
String | to_char | | String | {0}
String | trim_matches trim | String | String | @trim_matches
String | trim_start_matches trimLeft trimStart | String | String | @trim_start_matches
String | trim_end_matches trimRight trimEnd | String | String | @trim_end_matches
Option | ok_or_with | Fn() -> E | Result<T, E> | @ok_or_else
String | bytes as_bytes | | List<Int> | @codes
String | char_indices | | List<Tuple<Int, String>> | @enumerate
String | split_once | String | Option<Tuple<String, String>> | @split_once
String | splitn | Int, String | List<String> | @splitn
String | strip_prefix | String | Option<String> | @strip_prefix
String | strip_suffix | String | Option<String> | @strip_suffix
String | remove_prefix removePrefix removeprefix | String | String | @remove_prefix
String | remove_suffix removeSuffix removesuffix | String | String | @remove_suffix
String | replace_first replaceFirst | String, String | String | @replace_first
String | to_digit | Int | Option<Int> | @parse_int
String | eq_ignore_ascii_case equalsIgnoreCase | String | Bool | __builtin_string_to_lower({0}) == __builtin_string_to_lower({1})
String | to_ascii_uppercase | | String | __builtin_string_to_upper({0})
String | to_ascii_lowercase | | String | __builtin_string_to_lower({0})
String | is_ascii_uppercase | | Bool | string_is_upper({0})
String | is_ascii_lowercase | | Bool | string_is_lower({0})
String | is_ascii_alphanumeric | | Bool | string_is_alphanumeric({0})
String | is_ascii_whitespace | | Bool | string_is_space({0})
Option | error | | T | option_unwrap({0})
Map | value_or_zero | K | V | @map_or_zero
Option | ok_or_else | Fn() -> E | Result<T, E> | @ok_or_else
Option | map_err | Fn(E) -> F | Result<T, F> | @option_map_error
Option | is_some_and contains_where any exists | Fn(T) -> Bool | Bool | @option_is_some_and
Option | ok | | Option<T> | {0}
Option | is_ok | | Bool | @is_some
Option | is_err | | Bool | @is_none
Result | unwrap_err expect_err | | E | @unwrap_error
Option | let | Fn(T) -> U | Option<U> | @option_map
Result | unwrap_or_default | | T | @result_or_default
Result | err | | Option<E> | @error_of
Int | bit_and and band bitand land | Int | Int | int_and({0}, {1})
Int | bit_or or bor bitor lor | Int | Int | int_or({0}, {1})
Int | bit_xor xor bxor bitxor lxor | Int | Int | int_xor({0}, {1})
Int | shift_left shl bshl lsl shiftLeft | Int | Int | int_shift_left({0}, {1})
Int | shift_right shr bshr asr shiftRight | Int | Int | int_shift_right({0}, {1})
Bool | bit_and and | Bool | Bool | {0} && {1}
Bool | bit_or or | Bool | Bool | {0} || {1}
Bool | bit_xor xor | Bool | Bool | {0} != {1}
String | shift_left! | String | String | {0} ++ {1}
Int | cmp compareTo compare partial_cmp total_cmp | Int | Int | @ordered
Float | cmp compareTo compare partial_cmp total_cmp | Float | Int | @ordered
List | rotate_left! | Int | List<T> | __builtin_list_concat(list_drop({0}, {1}), list_take({0}, {1}))
List | rotate_right! | Int | List<T> | &rotate_right
List | binary_search | T | Result<Int, Int> | &binary_search
Map | toSortedMap toMap toMutableMap | | Map<K, V> | {0}
Int | then | Int | Int | @int_then
Int | then_with | Fn() -> Int | Int | @int_then_with
Int | reverse | | Int | -{0}
Int | is_lt | | Bool | {0} < 0
Int | is_gt | | Bool | {0} > 0
Int | is_eq | | Bool | {0} == 0
Int | abs_diff | Int | Int | int_abs({0} - {1})
Int | wrapping_add wrapping_sub wrapping_mul | Int | Int | @wrapping
Int | saturating_add saturating_sub saturating_mul | Int | Int | @saturating
Int | checked_add checked_sub checked_mul | Int | Option<Int> | @checked
Int | checked_div | Int | Option<Int> | @checked_div
Int | checked_rem | Int | Option<Int> | @checked_rem
"""
"""Rows as those of `lexicon`, which win over these."""
