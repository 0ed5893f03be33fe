"""Operations that are written with other ones: rows of kinds, names, numbers of arguments, and an expression of a dialect.

`_0` is the value, `_1` the first argument. A `!` behind a name says that as a statement the operation changes its value.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields
from functools import cache
from typing import Final, NamedTuple

from analysis.fixes.dialect.reading.grammar_items import Parser
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk
from analysis.fixes.dialect.typing.functional_rows import FUNCTIONAL_ROWS

ROWS: Final = (
    FUNCTIONAL_ROWS
    + """List | average avg mean | 0 | if _0.is_empty() { None } else { Some(_0.sum().to_float() / _0.len().to_float()) }
List | average sumAverage averageBy | 1 | _0.map(_1).average()
List | max maxOf Max maxOfOrNull | 1 | _0.map(_1).max_of()
List | min minOf Min minOfOrNull | 1 | _0.map(_1).min_of()
List | shift_if | 1 | if _0.peekFirst().is_some_and(_1) { _0.shift() } else { None }
List | shift_equal | 1 | if _0.peekFirst() == Some(_1) { _0.shift() } else { None }
Option | is_matching | 1 | _0.is_some_and(_1)
Int | is_matching | 1 | _1(_0)
Float | is_matching | 1 | _1(_0)
String | is_matching | 1 | _1(_0)
String | cut_before | 1 | _0.split(_1).get(0)
String | cut_behind | 1 | if _0.contains(_1) { _0.split(_1).drop(1).join(_1) } else { "" }
String | fields_by | 1 | _0.chars().map(|each_char| if _1(each_char) { " " } else { each_char }).join("").words()
List | reduceRight | 2 | _0.reversed().fold(_2, _1)
String | with_plus | 0 | if _0.starts_with("-") { _0 } else { "+" ++ _0 }
String | is_truthy | 0 | _0 != ""
Int | is_truthy | 0 | _0 != 0
Float | is_truthy | 0 | _0 != 0.0
Bool | is_truthy | 0 | _0
Option | is_truthy | 0 | _0.is_some()
Int | python_repr | 0 | str(_0)
Float | python_repr | 0 | str(_0)
List | python_repr | 0 | str(_0)
String | inspect | 0 | sprintf("%q", _0)
Int | inspect | 0 | str(_0)
Float | inspect | 0 | str(_0)
String | nil isNull | 0 | false
Int | nil isNull | 0 | false
Float | nil isNull | 0 | false
Bool | nil isNull | 0 | false
List | nil isNull | 0 | false
Map | nil isNull | 0 | false
List | truthy_items | 0 | _0.filter(|each_item| each_item.is_truthy())
Option | to_int toInt int parseInt to_i | 0 | _0.and_then(|each_value| each_value.to_int())
Int | factorial | 0 | (1..=_0).product()
String | each_char | 0 | _0.chars()
String | hex | 0 | _0.to_base_int(16)
String | rsplit_once | 1 | if _0.contains(_1) { [_0.rpartition(_1).0, _0.rpartition(_1).2] } else { [_0] }
String | contains_any | 1 | _1.chars().any(|each_char| _0.contains(each_char))
String | isnumeric isdecimal | 0 | _0.isdigit()
List | map_in_place! collect_in_place! | 1 | _0.map(_1)
List | select_in_place! filter_in_place! keep_if_in_place! keep_if! | 1 | _0.filter(_1)
List | reject_in_place! delete_if! | 1 | _0.reject(_1)
List | sort_in_place! | 0 | _0.sort()
List | sort_in_place! sort_by_in_place! | 1 | _0.sort_by(_1)
List | reverse_in_place! | 0 | _0.reversed()
List | uniq_in_place! | 0 | _0.unique()
List | flatten_in_place! | 0 | _0.flatten()
List | rotate_in_place! | 0 | _0.rotate()
String | upcase_in_place! | 0 | _0.to_upper()
String | downcase_in_place! | 0 | _0.to_lower()
String | capitalize_in_place! | 0 | _0.capitalize()
String | swapcase_in_place! | 0 | _0.swapcase()
List | text_of_signs | 0 | _0.join("")
String | text_of_signs | 0 | _0
String | reverse_in_place! | 0 | _0.reversed()
String | strip_in_place! | 0 | _0.trim()
String | lstrip_in_place! | 0 | _0.lstrip()
String | rstrip_in_place! chomp_in_place! | 0 | _0.rstrip()
String | squeeze_in_place! | 0 | _0.squeeze()
String | gsub_in_place! | 2 | _0.replace(_1, _2)
String | sub_in_place! | 2 | _0.replace_first(_1, _2)
Map | merge_in_place! | 1 | _0.merge(_1)
Map | transform_values_in_place! | 1 | _0.mapValues(_1)
Map | select_in_place! filter_in_place! keep_if! | 1 | _0.select(_1)
Map | reject_in_place! delete_if! | 1 | _0.reject(_1)
Map | invert | 0 | _0.entries().map(|each_pair| (each_pair.1, each_pair.0)).to_map()
Map | has_value value | 1 | _0.values().contains(_1)
List | to_h | 0 | _0.to_map()
List | values_at | 2 | [_0.get(_1), _0.get(_2)]
List | fetch | 2 | _0.getAt(_1) ?? _2
List | dig | 1 | _0.getAt(_1)
List | first_value | 0 | _0.get(0)
List | bisect_left | 1 | _0.count(|each_item| each_item < _1)
List | bisect_right bisect | 1 | _0.count(|each_item| each_item <= _1)
Float | to_number | 0 | _0.truncate()
Float | hypot | 1 | (_0 * _0 + _1 * _1).sqrt()
Int | hypot | 1 | (_0.to_float() * _0.to_float() + _1.to_float() * _1.to_float()).sqrt()
String | trim_start_while | 1 | _0.chars().skip_while(_1).join("")
String | trim_end_while | 1 | _0.chars().reversed().skip_while(_1).reversed().join("")
String | trim_while | 1 | _0.chars().skip_while(_1).reversed().skip_while(_1).reversed().join("")
String | place_from_one | 1 | _0.index_of(_1).map(|each_place| each_place + 1)
List | without_empty | 0 | _0.filter(|each_part| each_part != "")
List | place_found_from_one | 1 | _0.position(_1).map(|each_place| each_place + 1)
List | places_found_from_one | 1 | _0.enumerate(1).filter(|each_pair| _1(each_pair.1)).map(|each_pair| each_pair.0)
List | places_from_one | 0 | 1..=_0.len()
String | places_from_one | 0 | 1..=_0.len()
List | eq equals | 1 | _0 == _1
List | ne | 1 | _0 != _1
List | as_str | 0 | _0.join("")
String | insert_str! insert! | 2 | _0.take(_1) ++ _2 ++ _0.drop(_1)
String | insert_str insert | 2 | _0.take(_1) ++ _2 ++ _0.drop(_1)
List | sum | 1 | _0.map(_1).sum()
List | takeLast take_last | 1 | _0.drop(_0.len() - _1)
List | skipLast dropLast drop_last SkipLast | 1 | _0.take(_0.len() - _1)
List | getRange GetRange | 2 | _0.slice(_1, _2)
List | getOrElse elementAtOrElse | 2 | _0.getAt(_1) ?? _2(_1)
List | elementAtOrDefault ElementAtOrDefault getOrDefault | 2 | _0.getAt(_1) ?? _2
List | firstOrDefault lastOrDefault | 1 | _0.find(_1)
List | lastWhere findLast lastOrNull FindLast last | 1 | _0.reversed().find(_1)
List | single Single singleWhere firstWhere First | 1 | _0.find(_1)
List | single singleOrNull | 0 | _0.first()
List | ofType cast toImmutableList unmodifiable asIterable toTypedArray asStream toIntArray | 0 | _0
List | fill_with! fillRange! | 1 | _0.map(|each_item| _1)
List | removeIf! removeWhere! removeAll! RemoveAll! | 1 | _0.reject(_1)
List | retainIf! retainWhere! | 1 | _0.filter(_1)
List | replaceAll! | 1 | _0.map(_1)
List | distinctBy unique_by uniqBy DistinctBy | 1 | _0.group_by(_1).values().map(|each_item| each_item.get(0))
List | associateWith associate_with | 1 | _0.map(|each_item| (each_item, _1(each_item))).to_map()
List | associateBy toDictionary keyBy key_by ToDictionary index_by | 1 | _0.map(|each_item| (_1(each_item), each_item)).to_map()
List | toDictionary map_of_both ToDictionary associateBy | 2 | _0.map(|each_item| (_1(each_item), _2(each_item))).to_map()
List | associate | 1 | _0.map(_1).to_map()
List | group_and | 2 | _0.group_by(_1).map_each_value(_2)
List | groupBy | 2 | _0.group_by(_1).map_each_value(|each_group| each_group.map(_2))
List | sumOf sumBy fold_sum | 1 | _0.map(_1).sum()
List | countEach | 0 | _0.tally()
List | containsAll containsEvery isSupersetOf is_superset contains_all | 1 | _1.all(|each_item| _0.contains(each_item))
List | isSubsetOf is_subset issubset IsSubsetOf subsetOf | 1 | _0.all(|each_item| _1.contains(each_item))
List | intersect intersection retainAll! IntersectWith! | 1 | _0.filter(|each_item| _1.contains(each_item))
List | minus subtract difference except removeAll! exceptWith! | 1 | _0.filter(|each_item| !_1.contains(each_item))
List | set_add! | 1 | if _0.contains(_1) { _0 } else { _0.appending(_1) }
List | set_union! | 1 | (_0 ++ _1).unique()
List | set_remove! | 1 | _0.filter(|each_item| each_item != _1)
List | insertAll! insertRange! | 2 | _0.take(_1) ++ _2 ++ _0.drop(_1)
List | addAll! | 2 | _0.take(_1) ++ _2 ++ _0.drop(_1)
List | removeRange! | 2 | _0.take(_1) ++ _0.drop(_2)
List | sumWith | 1 | _0.map(_1).sum()
List | allIndexed | 1 | _0.enumerate().all(_1)
List | filterIndexed | 1 | _0.enumerate().filter(_1).map(|each_pair| each_pair.1)
List | foldIndexed | 2 | _0.enumerate().fold(_1, |so_far, each_pair| _2(each_pair.0, so_far, each_pair.1))
List | runningFold scan | 2 | _0.scanl(_1, _2)
List | zip | 2 | _0.zip_with(_1, _2)
List | joinToString join | 2 | _0.map(_2).join(_1)
List | to_text | 0 | _0.join("")
List | onEach peek_each | 1 | _0
List | sequenceEqual SequenceEqual equals contentEquals | 1 | _0 == _1
List | has_place | 1 | _1 >= 0 && _1 < _0.len()
Map | has_place | 1 | _0.containsKey(_1)
List | last takeLast | 1 | _0.drop((_0.len() - _1).max(0))
List | count_item | 1 | _0.filter(|each_item| each_item == _1).len()
List | each_with_index | 0 | _0.with_index()
String | upper_first | 0 | _0.substring(0, 1).to_upper() ++ _0.substring(1)
String | lower_first | 0 | _0.substring(0, 1).to_lower() ++ _0.substring(1)
List | lastIndex | 0 | _0.len() - 1
String | indices | 0 | 0..<_0.len()
List | indices keys_list | 0 | 0..<_0.len()
List | sortedSet | 0 | _0.unique().sort()
List | limitTo | 1 | _0.take(_1)
List | expand selectMany SelectMany | 1 | _0.flat_map(_1)
List | none noneMatch | 1 | !_0.any(_1)
List | anyMatch | 1 | _0.any(_1)
List | allMatch | 1 | _0.all(_1)
List | followedBy concat Concat plus | 1 | _0 ++ _1
List | aggregate | 1 | _0.reduce(_1)
List | elementAtOrNull getOrNull | 1 | _0.getAt(_1)
List | counts_in_pairs | 1 | _0.map(_1).unique().map(|each_key| (each_key, _0.count(|each_value| _1(each_value) == each_key)))
List | groups_in_pairs | 1 | _0.map(_1).unique().map(|each_key| (each_key, _0.filter(|each_value| _1(each_value) == each_key)))
List | isNullOrEmpty | 0 | _0.is_empty()
List | unwrap | 0 | _0
Map | unwrap | 0 | _0
String | unwrap | 0 | _0
Int | unwrap get getAsInt orElseThrow | 0 | _0
Float | unwrap | 0 | _0
Bool | unwrap | 0 | _0
List | runningReduce | 1 | _0.drop(1).scanl(_0.get(0), _1)
String | isNullOrEmpty | 0 | _0 == ""
String | isNullOrBlank isNullOrWhiteSpace | 0 | _0.trim() == ""
String | orEmpty | 0 | _0
String | substr | 1 | _0.substring(_1)
String | joinToString | 1 | _0.chars().join(_1)
Option | hasValue HasValue | 0 | _0.is_some()
Option | value Value | 0 | _0.unwrap()
List | as_text | 0 | _0.join("")
List | mkString | 3 | _1 ++ _0.join(_2) ++ _3
Map | nonEmpty | 0 | _0.len() > 0
List | unwords | 0 | _0.join(" ")
List | unlines | 0 | _0.map(|each_line| each_line ++ "\\n").join("")
List | cat_options | 0 | _0.filter_map(|each_item| each_item)
List | show_value | 0 | "[" ++ _0.map(|each_item| each_item.show_value()).join(",") ++ "]"
Option | show_value | 0 | match _0 { Some(value_inside) => "Just " ++ value_inside.show_value(), None => "Nothing" }
List | entry_max_by | 1 | _0.max_by(_1).unwrap()
List | entry_min_by | 1 | _0.min_by(_1).unwrap()
Map | entry_max_by | 1 | _0.max_by(_1).unwrap()
Map | entry_min_by | 1 | _0.min_by(_1).unwrap()
List | chunk_by | 1 | _0.map(|each_item| (_1(each_item), each_item)).runs_of_keys()
List | runs_of_keys | 0 | _0.runs_by(|each_left, each_right| each_left.0 == each_right.0).map(|each_run| each_run.second_parts())
List | second_parts | 0 | _0.map(|each_pair| each_pair.1)
List | equal_runs | 0 | _0.runs_by(|each_left, each_right| each_left == each_right)
List | runs_by | 1 | _0.drop(1).fold(_0.take(1).map(|each_first| [each_first]), |so_far, each_item| so_far.in_runs(each_item, _1))
List | in_runs | 2 | if _2(_0.last_run().get(0), _1) { _0.with_last_run(_0.last_run().appending(_1)) } else { _0.appending([_1]) }
List | last_run | 0 | _0.get(_0.len() - 1)
List | with_last_run | 1 | _0.take(_0.len() - 1).appending(_1)
List | ok_values | 0 | _0.filter_map(|each_result| each_result.ok())
List | error_values | 0 | _0.filter_map(|each_result| each_result.error_inside())
Result | error_inside | 0 | match _0 { Ok(_) => None, Err(error_inside) => Some(error_inside) }
List | oks_and_errors | 0 | (_0.ok_values(), _0.error_values())
List | errors_and_oks | 0 | (_0.error_values(), _0.ok_values())
List | oks_and_errors_reversed | 0 | (_0.ok_values().reversed(), _0.error_values().reversed())
List | from_charlist | 0 | _0.map(|each_char| each_char.char_text()).join("")
Int | char_text | 0 | _0.chr()
String | char_text | 0 | _0
List | zip_cycled | 1 | _0.enumerate().map(|each_pair| (each_pair.1, _1.get(each_pair.0 % _1.len())))
List | cycled_zip | 1 | _1.enumerate().map(|each_pair| (_0.get(each_pair.0 % _0.len()), each_pair.1))
List | zip_with_cycled | 2 | _0.enumerate().map(|each_pair| _2(each_pair.1, _1.get(each_pair.0 % _1.len())))
List | cycled_zip_with | 2 | _1.enumerate().map(|each_pair| _2(_0.get(each_pair.0 % _0.len()), each_pair.1))
List | cycled_take | 1 | (0..<_1).map(|each_place| _0.get(each_place % _0.len()))
List | split_at | 1 | (_0.take(_1), _0.drop(_1))
List | span | 1 | (_0.take_while(_1), _0.drop_while(_1))
List | map_concat | 1 | _0.map(_1).join("")
Result | replace_error | 1 | match _0 { Ok(value_inside) => Ok(value_inside), Err(_) => Err(_1) }
Option | replace_error | 1 | _0.ok_or(_1)
Result | either | 2 | match _0 { Ok(value_inside) => _2(value_inside), Err(error_inside) => _1(error_inside) }
Int | negate | 0 | 0 - _0
Float | negate | 0 | 0.0 - _0
Map | insert_with | 3 | _0.set(_1, match _0.get(_1) { Some(old_value) => _3(_2, old_value), None => _2 })
Map | adjust_entry | 2 | match _0.get(_1) { Some(old_value) => _0.set(_1, _2(old_value)), None => _0 }
Map | fold_entries | 2 | _0.entries().fold(_1, |so_far, each_pair| _2(so_far, each_pair.0, each_pair.1))
Map | fold_entries_last | 2 | _0.entries().fold(_1, |so_far, each_pair| _2(each_pair.0, each_pair.1, so_far))
Map | fold_entries_right | 2 | _0.entries().reversed().fold(_1, |so_far, each_pair| _2(each_pair.0, each_pair.1, so_far))
Map | entries_sorted | 0 | _0.entries()
List | to_map_with | 1 | _0.fold(map_new(), |so_far, each_pair| so_far.insert_with(each_pair.0, each_pair.1, _1))
Map | mapValues map_each_value mapValuesTo | 1 | _0.entries().map(|each_pair| (each_pair.key, _1(each_pair.value))).to_map()
Map | map_entries_to_map | 1 | _0.entries().map(_1).to_map()
Map | mapEntryValues | 1 | _0.entries().map(|each_pair| (each_pair.key, _1(each_pair))).to_map()
Map | mapKeys | 1 | _0.entries().map(|each_pair| (_1(each_pair), each_pair.value)).to_map()
Map | filter filterEntries where Where | 1 | _0.entries().filter(_1).to_map()
Map | filterValues filter_values | 1 | _0.entries().filter(|each_pair| _1(each_pair.value)).to_map()
Map | filterKeys filter_keys | 1 | _0.entries().filter(|each_pair| _1(each_pair.key)).to_map()
Map | merge! | 3 | _0.set(_1, match _0.get(_1) { Some(old_value) => _3(old_value, _2), None => _2 })
Map | update! | 2 | _0.set(_1, _2(_0.get(_1).unwrap()))
Map | update_or! | 3 | _0.set(_1, match _0.get(_1) { Some(old_value) => _2(old_value), None => _3() })
Map | computeIfPresent! | 2 | if _0.containsKey(_1) { _0.set(_1, _2(_1, _0.get(_1).unwrap())) } else { _0 }
Map | compute! | 2 | _0.set(_1, _2(_1, _0.get(_1)))
Map | putIfAbsent! tryAdd! TryAdd! | 2 | if _0.containsKey(_1) { _0 } else { _0.set(_1, _2) }
Map | putIfAbsent_by! computeIfAbsent! getOrPut! | 2 | if _0.containsKey(_1) { _0 } else { _0.set(_1, _2(_1)) }
Map | containsValue ContainsValue | 1 | _0.values().contains(_1)
Map | eachCount | 0 | _0.map_each_value(|each_group| each_group.len())
Map | getValue | 1 | _0.get(_1).unwrap()
Map | plus | 1 | _0.merge(_1)
Map | removeWhere! | 1 | _0.entries().reject(_1).to_map()
Map | addAll! putAll! | 1 | _0.merge(_1)
Map | clear! | 0 | map_new()
Map | firstKey | 0 | _0.keys().first()
Map | lastKey | 0 | _0.keys().last()
String | isBlank is_blank | 0 | _0.trim() == ""
String | isNotBlank | 0 | _0.trim() != ""
String | digit_value digitToInt | 0 | _0.ord() - 48
String | lastIndexOf | 1 | _0.chars().lastIndexOf(_1)
String | removePrefix remove_prefix | 1 | if _0.starts_with(_1) { _0.drop(_1.len()) } else { _0 }
String | removeSuffix remove_suffix | 1 | if _0.ends_with(_1) { _0.take(_0.len() - _1.len()) } else { _0 }
String | removeSurrounding | 1 | _0.removePrefix(_1).removeSuffix(_1)
String | substringBefore | 1 | _0.split(_1).get(0)
String | substringAfter | 1 | if _0.contains(_1) { _0.split(_1).drop(1).join(_1) } else { _0 }
String | insert! Insert | 2 | _0.substring(0, _1) ++ _2 ++ _0.substring(_1)
String | remove | 1 | _0.substring(0, _1)
String | replaceFirst replace_first | 2 | replace_one(_0, _1, _2)
String | removeAt deleteCharAt! | 1 | _0.substring(0, _1) ++ _0.substring(_1 + 1)
String | setLength! | 1 | _0.substring(0, _1)
String | setCharAt! | 2 | _0.substring(0, _1) ++ _2 ++ _0.substring(_1 + 1)
String | clear! | 0 | ""
String | bit_xor | 1 | _0 ++ _1
String | to_text asString | 0 | _0
String | appendLine! AppendLine! writeln! | 1 | _0 ++ _1 ++ "\\n"
String | appendLine! AppendLine! writeln! | 0 | _0 ++ "\\n"
String | map_to_list | 1 | _0.chars().map(_1)
String | count_of_signs | 1 | _0.chars().count(|each_sign| _1.contains(each_sign))
String | count | 1 | _0.chars().count(_1)
String | find | 1 | _0.chars().find(_1)
String | indexOfFirst | 1 | _0.chars().indexOfFirst(_1)
String | codeUnits runes_codes | 0 | _0.chars().map(|each_char| each_char.ord())
String | runes code_points | 0 | _0.chars().map(|each_char| each_char.ord())
String | compareToIgnoreCase | 1 | _0.to_lower().compareTo(_1.to_lower())
String | parse_number | 0 | _0.to_float().unwrap()
String | decapitalize | 0 | _0.substring(0, 1).to_lower() ++ _0.substring(1)
String | replaceFirstChar replace_first_char | 1 | _1(_0.substring(0, 1)) ++ _0.substring(1)
String | partition | 1 | (_0.chars().filter(_1).join(""), _0.chars().reject(_1).join(""))
Int | then_order | 1 | if _0 != 0 { _0 } else { _1 }
Int | isMultiple is_multiple_of | 1 | _0 % _1 == 0
Int | floor_div | 1 | (_0 - _0.mod(_1)) / _1
Int | compareTo compare CompareTo cmp | 1 | _0 <=> _1
Int | toInt toLong toByte toShort coerceToInt | 0 | _0
Int | iterate_times | 2 | (1..<_0).scanl(_1, |so_far, each_place| _2(so_far)).take(_0)
Int | coerceAtLeast | 1 | _0.max(_1)
Int | coerceAtMost | 1 | _0.min(_1)
Int | clamp | 2 | _0.max(_1).min(_2)
Int | downTo | 1 | _1.range_up(_0).reversed()
Int | plus add | 1 | _0 + _1
Int | minus subtract | 1 | _0 - _1
Int | times multiply | 1 | _0 * _1
Int | divide | 1 | _0 / _1
Int | floorDiv | 1 | _0.floor_div(_1)
Int | equals | 1 | _0 == _1
Int | to_text digits | 0 | _0.to_string()
Int | toChar to_chr | 0 | _0.chr()
Int | digitToChar | 0 | _0.to_string()
Int | toStringAsFixed toFixed | 1 | _0.to_float().toFixed(_1)
Float | floor_div | 1 | (_0 / _1).floor()
Float | mod | 1 | _0 % _1
Float | compareTo compare CompareTo cmp | 1 | _0 <=> _1
Float | toStringAsFixed | 1 | _0.toFixed(_1)
Float | to_text | 0 | _0.to_string()
Float | toLong intValue longValue roundToLong | 0 | _0.truncate()
Float | doubleValue parse_number | 0 | _0
Float | coerceAtLeast | 1 | _0.max(_1)
Float | coerceAtMost | 1 | _0.min(_1)
Bool | to_text | 0 | _0.to_string()
Bool | compareTo | 1 | (if _0 { 1 } else { 0 }) <=> (if _1 { 1 } else { 0 })
Option | getAsInt getAsDouble getAsLong orElseThrow | 0 | _0.unwrap()
Option | orElseThrow | 1 | _0.unwrap()
Option | orElseGet | 1 | _0.unwrap_or_else(_1)
Option | ifPresent | 1 | _0.for_each(_1)
Option | run let | 1 | _0.map(_1)
Option | takeIf | 1 | _0.filter(_1)
Option | as_option stream | 0 | _0
Option | or_option | 1 | match _0 { Some(value_inside) => Some(value_inside), None => _1 }
Option | xor | 1 | if _0.is_some() && _1.is_some() { None } else { _0.or_option(_1) }
Option | is_none_or | 1 | _0.is_none() || _0.is_some_and(_1)
Option | zip | 1 | if _0.is_some() && _1.is_some() { Some((_0.unwrap(), _1.unwrap())) } else { None }
List | reduce_option | 1 | if _0.is_empty() { None } else { Some(_0.reduce(_1)) }
List | is_disjoint isDisjoint isdisjoint disjoint | 1 | !_0.any(|each_item| _1.contains(each_item))
List | symmetric_difference symmetricDifference | 1 | _0.difference(_1) ++ _1.difference(_0)
String | filterNot | 1 | _0.chars().reject(_1).join("")
List | zipWithNext | 1 | _0.pairwise().map(|each_pair| _1(each_pair.0, each_pair.1))
List | indexOfLast | 1 | _0.findLastIndex(_1)
List | suffix | 1 | _0.drop((_0.len() - _1).max(0))
List | startIndex | 0 | 0
List | endIndex | 0 | _0.len()
String | startIndex | 0 | 0
String | endIndex | 0 | _0.len()
String | suffix | 1 | _0.drop((_0.len() - _1).max(0))
String | dropFirst | 0 | _0.substring(1)
String | dropLast | 0 | _0.take(_0.len() - 1)
String | capitalized | 0 | _0.split(" ").map(|each_word| each_word.capitalize()).join(" ")
String | isLowercase | 0 | _0.is_lower()
String | isUppercase | 0 | _0.is_upper()
String | isWholeNumber isNumeric | 0 | _0.is_digit()
String | wholeNumberValue hexDigitValue digitToIntOrNull | 0 | _0.to_int()
Bool | inserted | 0 | _0
Int | quotient_and_remainder | 1 | (_0 / _1, _0 % _1)
Result | getOrNull | 0 | _0.ok()
Result | getOrThrow | 0 | _0.unwrap()
Result | fold | 2 | match _0 { Ok(value_inside) => _1(value_inside), Err(error_inside) => _2(error_inside) }
Option | fold | 2 | match _0 { Some(value_inside) => _2(value_inside), None => _1() }
"""
)


class Form(NamedTuple):
    expression: n.Expr
    changes: bool


@cache
def _table() -> dict[tuple[str, str, int], tuple[str, bool]]:
    table: dict[tuple[str, str, int], tuple[str, bool]] = {}
    for row in ROWS.strip().split("\n"):
        kind, names, count, text = (part.strip() for part in row.split("|", 3))
        for word in names.split():
            table.setdefault((kind, word.removesuffix("!"), int(count)), (text, word.endswith("!")))
    return table


@cache
def parsed(text: str) -> n.Expr:
    return Parser(text).expression()


def is_derived(kind: str, name: str, count: int) -> bool:
    return (kind, name, count) in _table()


def only_kind(name: str, count: int) -> str:
    """The kind that alone has an operation of a name, written with other ones; "" where several or none have it."""
    kinds = {kind for kind, word, number in _table() if word == name and number == count}
    return kinds.pop() if len(kinds) == 1 else ""


def derived(kind: str, name: str, operands: list[n.Expr]) -> Form | None:
    """An operation of a kind with its operands in place; what is needed twice and is no plain value is computed once."""
    row = _table().get((kind, name, len(operands) - 1))
    if row is None:
        return None
    text, changes = row
    root = n.Block([n.Evaluate(deepcopy(parsed(text)))])
    start, end = operands[0].start, operands[-1].end
    values: dict[str, n.Expr] = {}
    lets: list[n.Statement] = []
    for place, operand in enumerate(operands):
        word = f"_{place}"
        uses = sum(isinstance(node, n.Name) and node.name == word for node in walk(root))
        is_function = isinstance(operand, (n.Lambda, n.OperatorFunction, n.Path))
        if uses > 1 and not is_function and not _is_plain(operand) and not (place == 0 and changes):
            name = f"value_{start}_{place}"
            lets.append(n.Let(n.Binding(name), None, operand, start=start, end=start))
            operand = n.Name(name)
        values[word] = operand
    for node in walk(root):
        node.start, node.end = start, end
        if isinstance(node, n.Binary):
            node.written = ""
    _put(root, values)
    last = root.statements[0]
    assert isinstance(last, n.Evaluate)
    if not lets:
        return Form(last.value, changes)
    return Form(n.Block([*lets, last], start=start, end=end), changes)


def _is_plain(node: n.Expr) -> bool:
    if isinstance(node, n.Member):
        return _is_plain(node.object)
    return isinstance(node, (n.Name, n.Literal))


def _put(node: n.Node, values: dict[str, n.Expr]) -> None:
    """Puts operands where their words stand; the operands themselves stay as they are."""
    for each in fields(node):
        held = getattr(node, each.name)
        if isinstance(held, n.Name) and held.name in values:
            setattr(node, each.name, deepcopy(values[held.name]))
        elif isinstance(held, n.Node):
            _put(held, values)
        elif isinstance(held, list):
            for place, part in enumerate(held):
                if isinstance(part, n.Name) and part.name in values:
                    held[place] = deepcopy(values[part.name])
                elif isinstance(part, n.Node):
                    _put(part, values)
