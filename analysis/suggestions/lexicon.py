"""Functions and methods of other languages by what they are here: the one table of words.

A row: the kind of value, the names, the types of the arguments, the result's type, and the expression in `.ax`; `{0}` is the value, `{1}`
the first argument. `@name` is written by `lowering_calls`. A `!` behind a name says that as a statement it changes the value.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from analysis.semantics.builtins import BUILTINS
from analysis.suggestions.lexicon_classes import CLASS_ROWS
from analysis.suggestions.lexicon_systems import SYSTEM_ROWS
from analysis.suggestions.operation import Operation
from analysis.suggestions.script_lexicon import SCRIPT_ROWS

_ROWS: Final = """
List | len length size count list_len | | Int | list_len({0})
List | push! append! add! push_back! addLast! appending append_item cons_end offer! enqueue! offerLast! | T | List<T> | list_push({0}, {1})
List | shift_left! | T | List<T> | list_push({0}, {1})
List | extend! concat addAll! extend_from_slice! append_all append_list plus | List<T> | List<T> | __builtin_list_concat({0}, {1})
List | prepend cons unshift! push_front! addFirst! offerFirst! | T | List<T> | __builtin_list_concat([{1}], {0})
List | get nth at elementAt get_unchecked get_at item | Int | T | @list_get
List | first headOption findFirst findAny head front firstOrNull hd tryHead head_opt first_opt peekFirst getFirst | | Option<T> | @list_first
List | last lastOption lastOrNull back tryLast last_opt peek peekLast getLast top | | Option<T> | @list_last
List | tail rest tl | | List<T> | __builtin_list_tail({0})
List | pop! pop_back! removeLast! popLast! pollLast! | | Option<T> | @list_pop
List | shift! pop_front! removeFirst! poll! pollFirst! dequeue! | | Option<T> | @list_shift
List | drop_last init dropLast butlast | | List<T> | list_take({0}, list_len({0}) - 1)
List | reverse! reversed rev toReversed asReversed | | List<T> | __builtin_list_reverse({0})
List | sort! sorted sort_unstable! toSorted sort_ints sort_strings | | List<T> | @sort
List | sort_desc sortedDescending sort_descending! sortDescending! | | List<T> | @sort_down
List | sort_by! sortBy! sortedBy sort_by_key! sorted_by sort_with! sortedWith sortWith toSorted sort! sorted | Fn(T) -> K | List<T> | @sort_by
List | sortedByDescending sortByDescending! | Fn(T) -> K | List<T> | @sort_by_descending
List | map mapToInt mapToObj mapToDouble each_map collect_map transform fmap | Fn(T) -> U | List<U> | @map
List | indexed_map mapIndexed map_indexed index_map mapi indexedMap | Fn(Int, T) -> U | List<U> | @map_indexed
List | filter select where keep select_where retain! filtered keep_if | Fn(T) -> Bool | List<T> | @filter
List | reject filter_not filterNot remove_if! | Fn(T) -> Bool | List<T> | @reject
List | filter_map filterMap compact_map compactMap mapNotNull choose | Fn(T) -> Option<U> | List<U> | @filter_map
List | flat_map flatMap concat_map concatMap collect bind | Fn(T) -> List<U> | List<U> | @flat_map
List | fold foldl fold_left reduce inject accumulate foldLeft | A, Fn(A, T) -> A | A | @fold
List | foldr fold_right foldRight foldBack | A, Fn(T, A) -> A | A | @fold_right
List | reduce inject foldl1 reduce_left | Fn(T, T) -> T | T | @reduce
List | reduce_right foldr1 reduceBack reduceRight | Fn(T, T) -> T | T | @reduce_right
List | for_each forEach foreach each iter_each iter | Fn(T) -> Unit | Unit | @for_each
List | all every and all_true | | Bool | !list_contains({0}, false)
List | any some or any_true | | Bool | list_contains({0}, true)
List | any some exists any_match contains_where | Fn(T) -> Bool | Bool | @any
List | all every for_all forAll all_match forall allSatisfy | Fn(T) -> Bool | Bool | @all
List | none | Fn(T) -> Bool | Bool | @none
List | count count_if count_where | Fn(T) -> Bool | Int | @count
List | find find_first detect firstOrNull first find_map_first tryFind find_opt | Fn(T) -> Bool | Option<T> | @find
List | position find_index findIndex indexOfFirst index_where firstIndex tryFindIndex | Fn(T) -> Bool | Option<Int> | @find_index
List | partition | Fn(T) -> Bool | Tuple<List<T>, List<T>> | @partition
List | take_while takeWhile | Fn(T) -> Bool | List<T> | @take_while
List | drop_while dropWhile skip_while | Fn(T) -> Bool | List<T> | @drop_while
List | max_by maxBy maxByOrNull maximum_by maximumBy | Fn(T) -> K | Option<T> | @max_by
List | min_by minBy min_by_key minByOrNull minimum_by minimumBy | Fn(T) -> K | Option<T> | @min_by
List | sumOf sum_by sumBy | Fn(T) -> U | U | @sum_by
List | sum | | T | @sum
List | product | | T | @product
List | max maximum maxOrNull | | Option<T> | @list_max
List | min minimum minOrNull | | Option<T> | @list_min
List | join joinToString mkString joined intercalate | String | String | @join
List | join mkString joined concat_strings | | String | __builtin_string_join({0}, "")
List | joinToString | | String | @join
List | contains includes include member elem in_list has is_member mem | T | Bool | list_contains({0}, {1})
List | index_of indexOf elemIndex find_item firstIndex position_of | T | Option<Int> | @list_index_of
List | take prefix first limit | Int | List<T> | list_take({0}, {1})
List | truncate! | Int | List<T> | list_take({0}, {1})
List | drop skip dropFirst | Int | List<T> | list_drop({0}, {1})
List | sublist subList subarray | Int, Int | List<T> | list_slice({0}, {1}, {2})
List | slice | Int, Int | List<T> | @slice
List | slice | Int | List<T> | @slice
List | is_empty isEmpty empty null list_is_empty is_nil | | Bool | __builtin_list_is_empty({0})
List | not_empty isNotEmpty nonEmpty | | Bool | !__builtin_list_is_empty({0})
List | iter view stream boxed iterator parallelStream into_iter iter_mut collect to_list toList to_vec clone copied cloned list asSequence toMutableList as_slice copy array vec values seq to_seq toArray to_array toSeq | | List<T> | {0}
List | enumerate withIndex indexed enumerated | | List<Tuple<Int, T>> | @enumerate
List | zip combine | List<U> | List<Tuple<T, U>> | @zip
List | unzip | | T | @unzip
List | set! updated with_item update! replace_at set_at | Int, T | List<T> | list_set({0}, {1}, {2})
List | insert! insert_at! | Int, T | List<T> | list_insert({0}, {1}, {2})
List | remove_at! removeAt! delete_at! list_remove | Int | List<T> | list_remove_at({0}, {1})
List | swap! | Int, Int | List<T> | list_set(list_set({0}, {1}, list_get({0}, {2})), {2}, list_get({0}, {1}))
List | clear! | | List<T> | []
List | flatten concat flat | | T | list_flatten({0})
List | unique distinct uniq nub distinctValues | | List<T> | list_unique({0})
List | from_list from_pairs from of_list to_map fromEntries from_entries to_dict into_map dict toMap associate | | Map<String, T> | @map_from
List | step_by take_every | Int | List<T> | list_every({0}, {1})
List | with_index zipWithIndex | | List<Tuple<T, Int>> | @with_index
List | dedup! dedup_consecutive | | List<T> | @dedup
List | try_map traverse mapM traverseResult | Fn(T) -> Result<U, E> | Result<List<U>, E> | @try_map
List | try_fold fold_result | A, Fn(A, T) -> Result<A, E> | Result<A, E> | @try_fold
List | sequence all_ok combine_results all_results | | T | @sequence
List | zip_with zipWith map2 | List<U>, Fn(T, U) -> A | List<A> | @zip_with
List | group_by groupBy groupingBy | Fn(T) -> K | Map<K, List<T>> | @group_by
List | frequencies tally | | Map<T, Int> | @frequencies
List | chunk_every chunks sized_chunk chunkBySize chunked each_slice | Int | List<List<T>> | @chunks
List | windowed sliding window windows each_cons | Int | List<List<T>> | @windows
List | pairwise window_by_2 zipWithNext | | List<Tuple<T, T>> | @pairwise
List | intersperse | T | List<T> | @intersperse
List | find_map pick tryPick firstNotNullOf | Fn(T) -> Option<U> | Option<U> | @find_map
List | assoc_opt assoc key_find lookup | K | Option<V> | @assoc
List | map_join | String, Fn(T) -> String | String | @map_join
List | nth_opt tryItem getAt | Int | Option<T> | list_at({0}, {1})
List | scanl scan | A, Fn(A, T) -> A | List<A> | @scan
List | sort_uniq | Fn(T, T) -> Int | List<T> | list_unique(list_sort({0}))
List | step_by | Int | List<T> | list_every({0}, {1})
List | head_of | | Option<T> | @list_first
List | last_of | | Option<T> | @list_last
List | max_of | | Option<T> | @list_max
List | min_of | | Option<T> | @list_min
List | max_of_by | Fn(T) -> K | Option<T> | @max_by
List | min_of_by | Fn(T) -> K | Option<T> | @min_by
Map | max_of_by | Fn(K) -> U | Option<K> | @keys_max_by
Map | min_of_by | Fn(K) -> U | Option<K> | @keys_min_by
Map | sort_by_key | Fn(K) -> U | List<K> | @keys_sort_by
Map | sort_by_key_descending | Fn(K) -> U | List<K> | @keys_sort_by_descending
List | sort_by_key | Fn(T) -> K | List<T> | @sort_by
List | sort_by_key_descending! sort_by_desc! OrderByDescending orderByDescending | Fn(T) -> K | List<T> | @sort_by_descending
List | orderBy order_by then_by_key | Fn(T) -> K | List<T> | @sort_by
List | then_by_key_descending | Fn(T) -> K | List<T> | @sort_by_descending
List | enumerate each_with_index with_index | Int | List<Tuple<Int, T>> | @enumerate
List | slice_of | Int, Int | List<T> | list_slice({0}, {1}, {1} + {2})
List | slice_of | Int | List<T> | list_drop({0}, {1})
List | count occurrences | T | Int | @count_of
List | discard! removeValue! delete! | T | List<T> | @list_without
List | firstWhere find_by | Fn(T) -> Bool | Option<T> | @find
List | lastIndexOf rindex | T | Option<Int> | @list_last_index_of
List | tally countBy counts | | Map<T, Int> | @tally
List | group_by groupBy groupingBy | Fn(T) -> K | Map<K, List<T>> | @group_by
List | each_slice chunk chunked chunks | Int | List<List<T>> | @chunks
List | union | List<T> | List<T> | list_unique(__builtin_list_concat({0}, {1}))
List | sumBy sum | Fn(T) -> U | U | @sum_by
List | compact | | List<T> | {0}
List | tolist toArray to_a ToList toMutableList freeze dup entries_list asList readonly | | List<T> | {0}
Range | tolist to_a toList to_list toArray collect list | | List<Int> | @range_list
String | len length size count byte_len string_len str_len | | Int | __builtin_string_len({0})
String | to_upper uppercase upper to_uppercase toUpperCase toUpper ToUpper uppercased upcase | | String | __builtin_string_to_upper({0})
String | to_lower lowercase lower to_lowercase toLowerCase toLower ToLower lowercased downcase | | String | __builtin_string_to_lower({0})
String | trim strip trimmed trim_both TrimSpace trimming | | String | __builtin_string_trim({0})
String | split | String | List<String> | __builtin_string_split({0}, {1})
String | split components | | List<String> | string_words({0})
String | words split_whitespace fields Fields split_ascii_whitespace | | List<String> | string_words({0})
String | lines split_lines | | List<String> | __builtin_string_split({0}, "\\n")
String | chars to_chars toCharArray to_graphemes graphemes to_list toList characters explode iter codepoints list array collect into_iter letters to_seq toCharList to_charlist | | List<Char> | __builtin_string_chars({0})
String | contains includes has Contains contains_str | String | Bool | str_contains({0}, {1})
String | chars to_chars toCharArray to_graphemes graphemes to_list toList characters explode iter codepoints list array collect into_iter letters | | List<Char> | __builtin_string_chars({0})
String | contains includes include has Contains contains_str | String | Bool | str_contains({0}, {1})
String | starts_with startsWith hasPrefix has_prefix HasPrefix startswith | String | Bool | str_starts_with({0}, {1})
String | ends_with endsWith hasSuffix has_suffix HasSuffix endswith | String | Bool | __builtin_string_ends_with({0}, {1})
String | replace replace_all ReplaceAll replacingOccurrences | String, String | String | __builtin_string_replace({0}, {1}, {2})
String | substring sub_range byte_slice | Int, Int | String | __builtin_string_slice({0}, {1}, {2})
String | substring drop dropLeft dropFirst drop_left skip drop_start dropStart | Int | String | string_substring({0}, {1}, __builtin_string_len({0}))
String | take left prefix | Int | String | string_substring({0}, 0, {1})
String | sub substr | Int, Int | String | string_substring({0}, {1}, {1} + {2})
String | char_at charAt at get nth char get_char | Int | Char | @char_at
String | first | | Option<String> | __builtin_list_head(__builtin_string_chars({0}))
String | last | | Option<String> | list_last(__builtin_string_chars({0}))
String | repeat times | Int | String | string_repeat({0}, {1})
String | reverse! reversed rev | | String | string_reverse({0})
String | index_of indexOf find index position IndexOf | String | Option<Int> | @string_index_of
String | parse to_int toIntOption to_i toInt int parse_int parseInt toIntOrNull int_of_string string_to_int atoi from_string of_string | | Option<Int> | @parse_int
String | to_float toDoubleOption toDouble toFloat parse_float toDoubleOrNull | | Option<Float> | __builtin_float_parse({0})
String | to_string to_s toString clone as_str to_owned into trim_matches as_string from str string to_text | | String | {0}
String | is_empty isEmpty empty string_is_empty | | Bool | {0} == ""
String | not_empty isNotEmpty nonEmpty | | Bool | {0} != ""
String | push_str! writeString! writeByte! writeRune! append! push! add! concat plus write! | T | String | @append_text
String | pad_left padStart pad_start padLeft leftpad | Int, String | String | string_pad_left({0}, {1}, {2})
String | pad_left padStart pad_start padLeft rjust | Int | String | string_pad_left({0}, {1}, " ")
String | pad_right padEnd pad_end padRight | Int, String | String | string_pad_right({0}, {1}, {2})
String | pad_right padEnd pad_end padRight ljust | Int | String | string_pad_right({0}, {1}, " ")
String | capitalize | | String | string_capitalize({0})
String | is_digit isDigit is_numeric is_ascii_digit isdigit is_number isNumber | | Bool | string_is_digit({0})
String | is_alphabetic is_letter isLetter isalpha is_alpha is_ascii_alphabetic | | Bool | string_is_letter({0})
String | is_alphanumeric isLetterOrDigit isalnum is_alnum | | Bool | string_is_alphanumeric({0})
String | is_upper isUpperCase isUpper is_uppercase isupper | | Bool | string_is_upper({0})
String | is_lower isLowerCase isLower is_lowercase islower | | Bool | string_is_lower({0})
String | is_space isWhitespace is_whitespace isspace | | Bool | string_is_space({0})
String | ord code codePoint to_code charCodeAt code_at | | Int | string_code({0})
String | count | String | Int | string_count({0}, {1})
String | join | List<String> | String | __builtin_string_join({1}, {0})
String | compare compareTo cmp localeCompare | String | Int | string_compare({0}, {1})
String | any | Fn(String) -> Bool | Bool | @any_char
String | all every allSatisfy | Fn(String) -> Bool | Bool | @all_char
String | filter | Fn(String) -> Bool | String | @filter_chars
String | map | Fn(String) -> String | String | @map_chars
String | fold foldl fold_left reduce | A, Fn(A, String) -> A | A | @fold
String | foldr fold_right | A, Fn(String, A) -> A | A | @fold_right
String | for_each forEach foreach each iter | Fn(String) -> Unit | Unit | @for_each
String | take_right right takeRight take_last | Int | String | string_substring({0}, __builtin_string_len({0}) - {1}, __builtin_string_len({0}))
String | drop_right dropRight drop_end drop_last | Int | String | string_substring({0}, 0, __builtin_string_len({0}) - {1})
String | cons | String | String | {1} ++ {0}
Map | update | K, V, Fn(V) -> V | Map<K, V> | @map_update
Map | upsert | K, Fn(Option<V>) -> V | Map<K, V> | @map_upsert
Map | update change alter | K, Fn(Option<V>) -> Option<V> | Map<K, V> | @map_alter
Map | get lookup find find_opt tryFind try_find get_opt fetch | K | Option<V> | __builtin_map_get({0}, {key})
Map | get_or getOrDefault get_or_default findWithDefault getOrElse get lookup_or | K, V | V | @map_get_or
Map | insert! set! put! add! update! with_entry updated store! put_new | K, V | Map<K, V> | __builtin_map_set({0}, {key}, {2})
String | enumerate each_with_index withIndex indexed with_index enumerated each_char_with_index | | List<Tuple<Int, Char>> | @enumerate
String | enumerate | Int | List<Tuple<Int, Char>> | @enumerate
String | sort sorted | | List<String> | list_sort(__builtin_string_chars({0}))
String | unique set uniq distinct | | List<String> | list_unique(__builtin_string_chars({0}))
String | each each_char forEach for_each | Fn(String) -> Unit | Unit | @for_each
String | lstrip trimStart trimLeft trim_start ltrim trim_left stripLeading | | String | @trim_start
String | rstrip trimEnd trimRight trim_end rtrim trim_right chomp stripTrailing | | String | @trim_end
String | zfill | Int | String | string_pad_left({0}, {1}, "0")
String | at charAt | Int | Char | string_char_at({0}, {1})
String | gsub tr sub_all | String, String | String | __builtin_string_replace({0}, {1}, {2})
String | include has_substring includes? | String | Bool | str_contains({0}, {1})
String | start_with beginsWith | String | Bool | str_starts_with({0}, {1})
String | end_with | String | Bool | __builtin_string_ends_with({0}, {1})
String | rjust padLeft | Int, String | String | string_pad_left({0}, {1}, {2})
String | ljust padRight | Int, String | String | string_pad_right({0}, {1}, {2})
String | charCodeAt codePointAt codeUnitAt | Int | Int | string_code(string_char_at({0}, {1}))
String | to_number | | Int | @parse_int
String | tonumber to_i intValue | | Option<Int> | @parse_int
String | asList ToCharArray toList graphemes bytes_list each_grapheme | | List<Char> | __builtin_string_chars({0})
String | equalsIgnoreCase casecmp | String | Bool | __builtin_string_to_lower({0}) == __builtin_string_to_lower({1})
String | swapcase | | String | @swapcase
Int | to_number | | Int | {0}
Int | times_list | | List<Int> | list_range(0, {0})
Int | max2 | Int | Int | int_max({0}, {1})
Int | divmod | Int | Tuple<Int, Int> | @divmod
Int | padStart pad_left rjust | Int, String | String | string_pad_left(__builtin_int_to_string({0}), {1}, {2})
Int | fdiv | Int | Float | ({0} * 1.0) / ({1} * 1.0)
Int | between isBetween inRange | Int, Int | Bool | {0} >= {1} && {0} <= {2}
Int | is_positive positive isPositive | | Bool | {0} > 0
Int | is_negative negative isNegative | | Bool | {0} < 0
Int | is_zero zero isZero | | Bool | {0} == 0
Int | succ next inc | | Int | {0} + 1
Int | pred prev dec | | Int | {0} - 1
Map | get lookup find | K | Option<V> | __builtin_map_get({0}, {key})
Map | get_or fetch getOrDefault get_or_default findWithDefault getOrElse get lookup_or | K, V | V | @map_get_or
Map | insert! set! put! add! update! with_entry store! | K, V | Map<K, V> | __builtin_map_set({0}, {key}, {2})
Map | remove! delete! erase! without | K | Map<K, V> | __builtin_map_remove({0}, {key})
Map | contains_key has containsKey contains member has_key includes exists hasKey contains_key | K | Bool | __builtin_map_contains_key({0}, {key})
Map | keys keySet | | List<K> | @map_keys
Map | values | | List<V> | __builtin_map_values({0})
Map | len size count length | | Int | __builtin_map_len({0})
Map | is_empty isEmpty empty | | Bool | __builtin_map_len({0}) == 0
Map | entries items iter to_list toList into_iter entrySet pairs iter_mut toSeq to_seq bindings | | List<Tuple<K, V>> | @map_entries
Map | clone view copy collect toMutableMap from_list | | Map<K, V> | {0}
Map | entries items iter to_list toList into_iter entrySet pairs iter_mut | | List<Tuple<K, V>> | @map_entries
Map | sorted sort | | List<K> | @map_keys_sorted
Map | sort_by sortBy sortedBy | Fn(Tuple<K, V>) -> U | List<Tuple<K, V>> | @entries_sort_by
Map | sort_by_descending sortByDescending sortedByDescending | Fn(Tuple<K, V>) -> U | List<Tuple<K, V>> | @entries_sort_by_descending
Map | max_by maxBy maxByOrNull | Fn(Tuple<K, V>) -> U | Option<Tuple<K, V>> | @entries_max_by
Map | min_by minBy minByOrNull | Fn(Tuple<K, V>) -> U | Option<Tuple<K, V>> | @entries_min_by
Map | map collect flatMap | Fn(Tuple<K, V>) -> U | List<U> | @entries_map
Map | each forEach foreach for_each each_pair | Fn(Tuple<K, V>) -> Unit | Unit | @entries_for_each
Map | tryGetValue TryGetValue containsKey | K | Bool | __builtin_map_contains_key({0}, {key})
Map | clone copy collect dup toMap to_h toMutableMap from_list | | Map<K, V> | {0}
Map | merge union putAll! extend! | Map<K, V> | Map<K, V> | map_merge({0}, {1})
Option | unwrap expect get orElseThrow force | | T | option_unwrap({0})
Option | expect | String | T | option_unwrap({0})
Option | unwrap unwrap_or getOrElse withDefault with_default getOrDefault orElse default or value_or defaultValue value get_or get_with_default getWithDefault fromMaybe value_with | T | T | @option_or
Option | unwrap_or_else or_else get_or_else defaultWith lazy_unwrap | Fn() -> T | T | @option_or_else
Option | unwrap_or_default | | T | @option_or_default
Option | map | Fn(T) -> U | Option<U> | @option_map
Option | map_or | U, Fn(T) -> U | U | @option_map_or
Option | and_then andThen flatMap bind flat_map then try | Fn(T) -> Option<U> | Option<U> | @option_and_then
Option | let also | Fn(T) -> U | Option<U> | @option_map
Option | map2 | Option<U>, Fn(T, U) -> A | Option<A> | @option_map2
Option | filter | Fn(T) -> Bool | Option<T> | @option_filter
Option | iter for_each foreach if_some | Fn(T) -> Unit | Unit | @option_each
Option | is_some isDefined nonEmpty isSuccess isSome isPresent is_present is_just | | Bool | @is_some
Option | is_none isNone isEmpty is_empty is_nothing | | Bool | @is_none
Option | cloned copied clone to_option toOption toMaybe | | Option<T> | {0}
Option | ok_or toResult to_result ok_or_else toRight | E | Result<T, E> | @ok_or
Result | unwrap expect get | | T | result_unwrap({0})
Result | expect | String | T | result_unwrap({0})
Result | unwrap_or withDefault with_default getOrElse getOrDefault unwrap value get_or defaultValue or value_or | T | T | @result_or
Result | unwrap_or_else lazy_unwrap defaultWith | Fn(E) -> T | T | @result_or_else
Result | map | Fn(T) -> U | Result<U, E> | @result_map
Result | map_err mapError map_error | Fn(E) -> F | Result<T, F> | @result_map_error
Result | and_then andThen flatMap try bind then | Fn(T) -> Result<U, E> | Result<U, E> | @result_and_then
Result | map2 | Result<U, E>, Fn(T, U) -> A | Result<A, E> | @result_map2
Result | is_ok isOk | | Bool | @is_ok
Result | is_err isErr is_error | | Bool | @is_error
Result | ok to_option toOption toMaybe to_maybe | | Option<T> | @result_ok
Int | to_string to_s toString str show string int_to_string itoa text Itoa format description fromInt from_int | | String | __builtin_int_to_string({0})
Int | abs absoluteValue absolute | | Int | int_abs({0})
Int | pow powi power | Int | Int | int_pow({0}, {1})
Int | min minOf | Int | Int | int_min({0}, {1})
Int | max maxOf | Int | Int | int_max({0}, {1})
Int | clamp coerceIn | Int, Int | Int | int_clamp({0}, {1}, {2})
Int | gcd | Int | Int | int_gcd({0}, {1})
Int | mod modulo modBy rem_euclid | Int | Int | int_mod({0}, {1})
Int | rem remainder remainderBy | Int | Int | {0} % {1}
Int | div quot intdiv | Int | Int | {0} / {1}
Int | to_float toDouble toFloat float double | | Float | {0} * 1.0
Int | to_int intValue toInt int clone abs_int to_i64 long into truncate round floor ceil | | Int | {0}
Int | signum sign | | Int | int_sign({0})
Int | sqrt isqrt | | Int | int_sqrt({0})
Int | chr to_char from_code fromCode from_codepoint | | String | string_from_code({0})
Int | is_even isEven even | | Bool | {0} % 2 == 0
Int | is_odd isOdd odd | | Bool | {0} % 2 != 0
Float | to_string to_s toString str show string float_to_string format description fromFloat text | | String | __builtin_float_to_string({0})
Float | round rounded roundToInt | | Int | float_round({0})
Float | floor | | Int | float_floor({0})
Float | ceil ceiling | | Int | float_ceil({0})
Float | truncate to_int toInt int trunc | | Int | float_to_int({0})
Float | sqrt square_root squareRoot | | Float | float_sqrt({0})
Float | abs absoluteValue absolute | | Float | float_abs({0})
Float | min | Float | Float | float_min({0}, {1})
Float | max | Float | Float | float_max({0}, {1})
Float | pow powi powf power | Int | Float | float_pow({0}, {1})
Float | toFixed to_fixed to_precision | Int | String | float_format({0}, {1})
Float | to_float toDouble float clone into | | Float | {0}
Bool | to_string toString str show string bool_to_string text description | | String | __builtin_bool_to_string({0})
Bool | not negate | | Bool | !{0}
"""
KINDS: Final = {
    "list": "List", "array": "List", "vec": "List", "lists": "List", "enum": "List", "seq": "List", "iter": "List", "arr": "List",
    "string": "String", "str": "String", "strings": "String", "text": "String", "char": "String", "grapheme": "String", "s": "String",
    "stringmap": "Map", "intmap": "Map", "charmap": "Map", "map": "Map", "dict": "Map", "hashmap": "Map", "maps": "Map",
    "option": "Option", "maybe": "Option", "result": "Result",
    "int": "Int", "integer": "Int", "number": "Int", "i64": "Int", "i32": "Int", "math": "Int", "float": "Float", "f64": "Float",
    "double": "Float", "bool": "Bool", "set": "List", "stringset": "List", "intset": "List", "strconv": "Int", "fmt": "String", "slices": "List",
}  # fmt: skip
"""The kind of value that a module, or a word before an underscore, is about."""
VARIABLES: Final = {"List": ("T",), "Map": ("K", "V"), "Option": ("T",), "Result": ("T", "E")}
OTHER_OPERATIONS: Final = {
    "println!": "@print", "print!": "@print", "println": "@print", "print": "@print", "puts": "@print", "eprintln!": "@print", "echo": "@print",
    "format!": "@format", "sprintf": "@format", "printf": "@print", "vec!": "@list", "vec!;": "@vec_repeat", "panic!": "@panic", "panic": "@panic", "unreachable!": "@panic", "todo!": "@panic", "unimplemented!": "@panic",
    "range": "@range", "listOf": "@list", "mutableListOf": "@list", "arrayOf": "@list", "List": "@list", "Array": "@list",
    "arrayListOf": "@list", "ArrayList": "@collection", "ListBuffer": "@collection", "ArrayBuffer": "@collection", "LinkedList": "@collection", "HashSet": "@collection", "Stack": "@collection", "PriorityQueue": "@collection",
    "LinkedHashSet": "@collection", "Queue": "@collection", "ArrayDeque": "@collection", "Deque": "@collection", "ListQueue": "@collection",
    "Map": "@map_new", "mutableMapOf": "@map_new", "mapOf": "@map_new", "hashMapOf": "@map_new", "emptyMap": "@map_new",
    "linkedMapOf": "@map_new", "sortedMapOf": "@map_new", "intArrayOf": "@list", "charArrayOf": "@list",
    "vector": "@list", "HashMap": "@map_new", "Dictionary": "@map_new", "TreeMap": "@map_new", "LinkedHashMap": "@map_new", "SortedDictionary": "@map_new", "Vector": "@collection", "Seq": "@list", "emptyList": "@list", "Some": "@Some", "Just": "@Some", "Ok": "@Ok", "Err": "@Err", "Error": "@Err", "error": "@Err", "ok": "@Ok",
    "some": "@Some", "Box": "@same", "list_range": "@range", "replace_one": "@replace_one", "map_new": "@map_new",
}  # fmt: skip
"""Functions that the lowering writes itself."""
FREE: Final = {
    "char": "to_char", "rune": "to_char", "byte": "to_char", "float64": "to_float", "float32": "to_float", "double": "to_float",
    "Double": "to_float", "int64": "to_int", "int32": "to_int", "i64": "to_int", "i32": "to_int", "usize": "to_int", "f64": "to_float",
    "uint8": "to_int", "Character": "to_char",
    "len": "len", "length": "len", "str": "to_string", "to_string": "to_string", "String": "to_string", "string": "to_string",
    "toString": "to_string", "show": "to_string", "repr": "to_string", "sum": "sum", "sorted": "sort", "sort": "sort",
    "reversed": "reverse", "reverse": "reverse", "abs": "abs", "round": "round", "floor": "floor", "ceil": "ceil", "sqrt": "sqrt",
    "int": "int", "Int": "int", "float": "float", "Float": "float", "parseInt": "int", "parse_float": "float",
    "enumerate": "enumerate", "list": "to_list", "ord": "ord", "chr": "chr", "min": "min", "max": "max", "pow": "pow",
    "rem": "rem", "div": "div", "join": "join", "split": "split", "append": "append", "concat": "concat", "contains": "contains", "map": "map",
    "filter": "filter", "reduce": "reduce", "fold": "fold", "any": "any", "all": "all", "zip": "zip", "head": "head", "tail": "tail",
    "unwrap": "unwrap", "unwrap_or": "unwrap_or", "is_some": "is_some", "is_none": "is_none", "upper": "upper", "lower": "lower",
    "trim": "trim", "substring": "substring", "char_at": "char_at", "is_empty": "is_empty", "not": "not", "first": "first",
    "last": "last", "take": "take", "drop": "drop", "find": "find", "foldl": "fold", "foldr": "foldr", "set": "unique",
    "identity": "to_int", "toInt": "to_int", "gcd": "gcd", "fst": "fst", "snd": "snd", "repeat": "repeat", "replicate": "repeat",
    "foldl1": "reduce", "foldr1": "reduce_right", "fold_left": "fold", "fold_right": "foldr", "maximum": "maximum", "minimum": "minimum",
    "product": "product", "elem": "elem", "null": "is_empty", "concatMap": "concat_map", "zipWith": "zip_with", "takeWhile": "take_while",
    "dropWhile": "drop_while", "nub": "nub", "sortBy": "sort_by", "sortOn": "sort_by", "even": "even", "odd": "odd", "words": "words",
    "lines": "lines", "mod": "mod", "quot": "quot", "maybe": "map_or", "fromMaybe": "unwrap_or", "mapMaybe": "filter_map",
    "isJust": "is_some", "isNothing": "is_none", "intercalate": "join", "init": "init", "modBy": "mod", "remainderBy": "rem",
    "show_value": "show_value", "unwords": "unwords", "unlines": "unlines", "catMaybes": "cat_options", "fromJust": "unwrap", "negate": "negate",
    "readMaybe": "parse", "read": "parse_number", "fmap": "map", "splitAt": "split_at", "span": "span", "either": "either",
    "string_of_int": "to_string", "int_of_string_opt": "parse", "int_of_string": "int", "float_of_string": "float", "float_of_string_opt": "to_float", "string_of_float": "to_string",
    "string_of_bool": "to_string", "float_of_int": "to_float", "int_of_float": "truncate", "hd": "head", "tl": "tail", "signum": "signum", "toUpper": "to_upper", "toLower": "to_lower",
    "isDigit": "is_digit", "isAlpha": "is_letter", "isUpper": "is_upper", "isLower": "is_lower", "isAlphaNum": "is_alphanumeric", "isSpace": "is_space", "partition": "partition", "lookup": "lookup",
}  # fmt: skip
"""Functions without a module, by the operation that they are on their first argument."""


@cache
def operations() -> dict[tuple[str, str, int], Operation]:
    """Operations by kind, name and number of arguments."""
    table: dict[tuple[str, str, int], Operation] = {}
    for row in (CLASS_ROWS.rstrip() + _ROWS.rstrip() + SYSTEM_ROWS.rstrip() + SCRIPT_ROWS).strip().split("\n"):
        kind, names, parameters, result, template = (part.strip() for part in row.split("|", 4))
        types = tuple(_split(parameters))
        for word in names.split():
            name = word.removesuffix("!")
            operation = Operation(kind, name, types, result, template, word.endswith("!"))
            table.setdefault((kind, name, len(types)), operation)
    return table


BUILTIN_FORMS: Final = {
    "@list_get": "list_get", "@list_first": "__builtin_list_head", "@parse_int": "parse_int", "@map_keys": "__builtin_map_keys",
    "@print": "__builtin_debug", "@map_new": "map_new",
}  # fmt: skip
"""Templates that the lowering writes as a call of a builtin, or as one with a little around it."""
EFFECTS: Final = {
    "now": "time_now", "rand": "random", "fetch": "net_fetch", "readfile": "fs_read",
    "writefile": "fs_write", "dict": "map_new", "newmap": "map_new", "print": "__builtin_debug",
    "printf": "__builtin_debug", "dbg": "__builtin_debug",
}  # fmt: skip
"""Functions of other languages with effects, and constructors, by the builtin that is meant."""


@cache
def builtins_by_word() -> tuple[tuple[str, str], ...]:
    """Pairs of a word of other languages and a builtin that it can mean."""
    builtins: dict[tuple[str, str], None] = {}
    for operation in operations().values():
        template = operation.template
        name = BUILTIN_FORMS.get(template, template.partition("(")[0])
        if name in BUILTINS and (template in BUILTIN_FORMS or _is_plain(template)):
            builtins[operation.name, name] = None
    for word, template in OTHER_OPERATIONS.items():
        if template in BUILTIN_FORMS and word.isidentifier():
            builtins[word, BUILTIN_FORMS[template]] = None
    builtins.update(dict.fromkeys(EFFECTS.items()))
    return tuple(builtins)


def _is_plain(template: str) -> bool:
    """True if a template is a call with the operands in order."""
    return template.count("(") == 1 and template.endswith(")") and ("({0}" in template)


@cache
def kinds_with(name: str, count: int) -> tuple[str, ...]:
    """The kinds that have an operation of a name with so many arguments."""
    return tuple(kind for kind, word, number in operations() if word == name and number == count)


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "(<") - (sign in ")>" and text[place - 1] != "-")
        if sign == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in (*parts, text[start:].strip()) if part]
