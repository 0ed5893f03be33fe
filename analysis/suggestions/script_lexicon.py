"""Rows of the lexicon for what script languages have besides: formats, slices, parts of texts and lists. `lexicon` reads them.

A template `&name` is a call of a function of `fixes/dialect/script_helpers`, which is written into the program.
"""

from __future__ import annotations

from typing import Final

SCRIPT_ROWS: Final = """
String | position_or_false | String | Option<Int> | string_index_of({0}, {1})
String | last_position_or_false | String | Option<Int> | &text_last_index_of
String | pattern_test | String | Bool | @pattern_test
String | pattern_first | String | Option<List<String>> | @pattern_first
String | pattern_all | String | List<List<String>> | @pattern_all
String | pattern_scan | String | List<List<String>> | @pattern_scan
String | pattern_texts | String | List<String> | @pattern_texts
String | pattern_groups | String | List<String> | @pattern_groups
String | pattern_split | String | List<String> | @pattern_split
String | pattern_replace | String, String | String | @pattern_replace
String | pattern_replace_first | String, String | String | @pattern_replace_first
String | pattern_replace_with | String, Fn(List<String>) -> String | String | @pattern_replace_with
String | pattern_replace_by | String, Fn(String) -> String | String | @pattern_replace_by
List | group | Int | T | list_get({0}, {1})
List | group | | T | list_get({0}, 0)
List | groups captures | | List<T> | __builtin_list_tail({0})
List | remove! | T | List<T> | @remove_number
String | slice | Int, Int | String | @slice
String | slice | Int | String | @slice
List | index | T | Option<Int> | @list_index_of
List | findLast find_last | Fn(T) -> Bool | Option<T> | @find_last
List | findLastIndex rindex | Fn(T) -> Bool | Option<Int> | @find_last_index
List | splice! | Int, Int | List<T> | @splice
List | splice! | Int | List<T> | @splice
List | splice! | Int, Int, T | List<T> | @splice
List | pop! remove_item_at! | Int | T | @pop_at
List | combinations | Int | List<List<T>> | &combinations
List | permutations | | List<List<T>> | &permutations
List | permutation | | List<List<T>> | &permutations
List | combination | Int | List<List<T>> | &combinations
List | cartesian product | List<U> | List<Tuple<T, U>> | &cartesian
List | running accumulate cumsum | | List<T> | &running
List | popleft! | | Option<T> | @list_shift
List | pop_value! | | Option<T> | @list_pop
List | appendleft! | T | List<T> | __builtin_list_concat([{1}], {0})
List | push_sorted! | T | List<T> | @push_sorted
List | slice | | List<T> | {0}
List | keys | | List<Int> | list_range(0, list_len({0}))
List | entries | | List<Tuple<Int, T>> | @enumerate
String | tally frequencies | | Map<String, Int> | @tally
String | runs | | List<Tuple<String, List<String>>> | &runs
List | transpose | | List<T> | &transpose
List | runs chunk_runs | | List<Tuple<T, List<T>>> | &runs
List | rotate | Int | List<T> | &rotate
List | rotate | | List<T> | &rotate
List | each_cons | Int | List<List<T>> | @windows
List | to_string str inspect to_s toString | | String | @list_text
Map | to_string str inspect to_s toString string show text | | String | @shown_text
Tuple | to_string str inspect to_s toString string show text | | String | @shown_text
Option | str toString to_string show_text | | String | @shown_text
List | json_text | | String | @json_text
Map | json_text | | String | @json_text
Tuple | json_text | | String | @json_text
String | json_text | | String | @json_text
Int | json_text | | String | @json_text
Float | json_text | | String | @json_text
Bool | json_text | | String | @json_text
List | dig | Int, Int | T | list_get(list_get({0}, {1}), {2})
List | minmax | | Tuple<T, T> | &minmax
List | none | | Bool | !list_contains({0}, true)
List | one | Fn(T) -> Bool | Bool | @one
Map | most_common | Int | List<Tuple<K, V>> | &most_common
Map | most_common | | List<Tuple<K, V>> | &most_common
List | symmetric_difference bit_xor | List<T> | Set<T> | &items_of_one
List | bit_and | List<T> | Set<T> | &common_items
List | bit_or | List<T> | Set<T> | list_unique(__builtin_list_concat({0}, {1}))
List | issuperset superset | List<T> | Bool | &holds_all
List | isdisjoint disjoint is_disjoint | List<T> | Bool | &has_none_of
List | to_set toSet | | Set<T> | @to_set
Range | to_set toSet | | Set<Int> | @to_set
String | to_set toSet | | Set<String> | list_unique(__builtin_string_chars({0}))
Map | to_set | | Set<K> | __builtin_map_keys({0})
Map | has_truth | K | Bool | @has_truth
Map | delete_place! | K | Map<K, V> | __builtin_map_remove({0}, {key})
List | delete_place! | Int | T | @pop_at
Map | pop! | K | V | @map_pop
Map | take_entry! | K | Option<V> | @map_take
Map | pop! | K, V | V | @map_pop
Map | bit_or update! merge! | Map<K, V> | Map<K, V> | map_merge({0}, {1})
Map | hasOwnProperty hasOwn key include includes member | K | Bool | __builtin_map_contains_key({0}, {key})
Map | filter select | Fn(Tuple<K, V>) -> Bool | Map<K, V> | @map_filter
Map | reject | Fn(Tuple<K, V>) -> Bool | Map<K, V> | @map_reject
Map | transform_values mapValues map_values | Fn(V) -> U | Map<K, U> | @map_values_by
Map | sum | Fn(Tuple<K, V>) -> U | U | @entries_sum
Map | count | Fn(Tuple<K, V>) -> Bool | Int | @entries_count
Map | any some | Fn(Tuple<K, V>) -> Bool | Bool | @entries_any
Map | all every | Fn(Tuple<K, V>) -> Bool | Bool | @entries_all
Map | find detect | Fn(Tuple<K, V>) -> Bool | Option<Tuple<K, V>> | @entries_find
Map | flat_map | Fn(Tuple<K, V>) -> List<U> | List<U> | @entries_flat_map
Map | reduce inject fold | A, Fn(A, Tuple<K, V>) -> A | A | @entries_fold
Map | each_value | Fn(V) -> Unit | Unit | @each_value
Map | each_key | Fn(K) -> Unit | Unit | @each_key
Map | partition | Fn(Tuple<K, V>) -> Bool | Tuple<List<Tuple<K, V>>, List<Tuple<K, V>>> | @entries_partition
String | splitlines | | List<String> | __builtin_string_split({0}, "\\n")
String | strip trim | String | String | &strip_signs
String | lstrip trimStart ltrim | String | String | &strip_start_signs
String | rstrip trimEnd rtrim | String | String | &strip_end_signs
String | removeprefix delete_prefix removePrefix | String | String | &without_prefix
String | removesuffix delete_suffix removeSuffix | String | String | &without_suffix
String | split | String, Int | List<String> | &split_at_most
String | partition | String | Tuple<String, String, String> | &text_parts
String | rpartition | String | Tuple<String, String, String> | &text_parts_last
String | center | Int, String | String | &center
String | center | Int | String | &center
String | center_format | Int, String | String | &center_format
String | center_format | Int | String | &center_format
String | group_digits | | String | &group_digits
String | python_repr | | String | &quoted
String | rfind rindex lastIndexOf | String | Option<Int> | &text_last_index_of
String | indexOf find index | String, Int | Option<Int> | &text_index_from
String | step_by | Int | String | __builtin_string_join(list_every(__builtin_string_chars({0}), {1}), "")
String | replace_first sub replaceFirst | String, String | String | &replace_first
String | title title_case titleize | | String | &title_words
String | to_base_int to_i | Int | Int | &int_of_base
String | succ next | | String | string_from_code(string_code({0}) + 1)
String | translate_signs | String, String | String | &translate_signs
String | squeeze | | String | &squeeze
String | delete | String | String | &delete_signs
String | first | Int | String | string_substring({0}, 0, {1})
String | last | Int | String | string_substring({0}, __builtin_string_len({0}) - {1}, __builtin_string_len({0}))
String | find | Fn(String) -> Bool | Option<String> | @find
String | chunks each_slice | Int | List<String> | &text_chunks
String | to_f | | Float | @parse_float
String | float | | Option<Float> | @parse_float
String | between | String, String | Bool | {0} >= {1} && {0} <= {2}
Int | toString to_s to_text | Int | String | &int_in_base
Int | in_base | Int | String | &int_in_base
Int | pad_format | Int | String | string_pad_left(__builtin_int_to_string({0}), {1}, " ")
Float | pad_format | Int | String | string_pad_left(__builtin_float_to_string({0}), {1}, " ")
String | pad_format | Int | String | string_pad_right({0}, {1}, " ")
Int | with_commas toLocaleString | | String | &with_commas
Int | pow | Int, Int | Int | &pow_mod
Int | to_f fdiv_one | | Float | {0} * 1.0
Int | digits | | List<Int> | &digits
Int | upto | Int | List<Int> | list_range({0}, {1} + 1)
Int | downto | Int | List<Int> | __builtin_list_reverse(list_range({1}, {0} + 1))
Int | times | | List<Int> | list_range(0, {0})
Int | toFixed to_fixed | Int | String | float_format({0} * 1.0, {1})
Int | ceil floor round truncate trunc to_i | | Int | {0}
Int | lcm | Int | Int | {0} / int_gcd({0}, {1}) * {1}
Int | bit_length | | Int | &bit_length
Int | padEnd ljust | Int, String | String | string_pad_right(__builtin_int_to_string({0}), {1}, {2})
Int | rjust padStart | Int | String | string_pad_left(__builtin_int_to_string({0}), {1}, " ")
Int | zfill | Int | String | string_pad_left(__builtin_int_to_string({0}), {1}, "0")
Float | round round_to | Int | Float | &round_to
Float | round_half_up | | Int | &round_half_up
Float | round_even | | Int | &round_even
Float | round_to_even | Int | Float | &round_to_even
Float | round_product | Int | Float | &round_product
Float | round_whole | | Float | &round_whole
Float | round_away | | Float | float_round({0}) * 1.0
Int | round_half_up round_even round_whole round_away | | Int | {0}
Float | to_i | | Int | float_to_int({0})
Float | to_f | | Float | {0}
Float | is_nan nan isNaN | | Bool | {0} != {0}
Float | clamp | Float, Float | Float | float_min(float_max({0}, {1}), {2})
Float | sign | | Int | if {0} > 0.0 { 1 } else { if {0} < 0.0 { -1 } else { 0 } }
Bool | show_value | | String | if {0} { "True" } else { "False" }
Int | show_value | | String | __builtin_int_to_string({0})
Float | show_value | | String | __builtin_float_to_string({0})
String | show_value | | String | {0}
Bool | to_i int | | Int | if {0} { 1 } else { 0 }
Option | nil is_nil blank isNaN is_nan | | Bool | @is_none
Option | present | | Bool | @is_some
"""
