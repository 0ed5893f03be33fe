"""Operations of functional languages that are written with other ones: rows of `derived`."""

from __future__ import annotations

from typing import Final

_STATES: Final = ("Int", "Float", "String", "List", "Tuple")
_UNFOLDED: Final = (
    "{ let mut made_items = []; let mut state_now = _0; let mut goes_on = true; while goes_on { match _1(state_now) { "
    "Some((made_item, state_next)) => { made_items.push(made_item); state_now = state_next }, "
    "None => { goes_on = false } } }; made_items }"
)
_UNTIL: Final = "{ let mut state_now = _0; while !_1(state_now) { state_now = _2(state_now) }; state_now }"
_OF_STATES: Final = "".join(f"{kind} | unfolded | 1 | {_UNFOLDED}\n{kind} | applied_until | 2 | {_UNTIL}\n" for kind in _STATES)
"""What is made from a value of any kind, step by step."""
FUNCTIONAL_ROWS: Final = (
    _OF_STATES
    + """List | filter_numbered | 1 | _0.enumerate().filter(|each_pair| _1(each_pair.0, each_pair.1)).map(|each_pair| each_pair.1)
List | reversed_onto | 1 | _0.reversed() ++ _1
List | has_pair | 1 | _0.any(|each_pair| each_pair.0 == _1)
List | fold_both | 3 | _0.zip(_1).fold(_2, |so_far, each_pair| _3(so_far, each_pair.0, each_pair.1))
List | all_both | 2 | _0.zip(_1).all(|each_pair| _2(each_pair.0, each_pair.1))
List | any_both | 2 | _0.zip(_1).any(|each_pair| _2(each_pair.0, each_pair.1))
List | zip_three_with | 3 | _0.zip(_1).zip(_2).map(|((each_a, each_b), each_c)| _3(each_a, each_b, each_c))
List | zip_three | 2 | _0.zip(_1).zip(_2).map(|((each_a, each_b), each_c)| (each_a, each_b, each_c))
List | all_pairs | 1 | _0.flat_map(|each_left| _1.map(|each_right| (each_left, each_right)))
List | transposed | 0 | if _0.is_empty() { [] } else { _0.get(0).indices().map(|each_place| _0.column_at(each_place)) }
List | column_at | 1 | _0.map(|each_row| each_row.get(_1))
List | pick_one | 1 | _0.find_map(_1).unwrap()
List | mean_value | 0 | _0.sum() / _0.len().to_float()
List | mean_value_by | 1 | _0.map(_1).sum() / _0.len().to_float()
List | first_of_each | 1 | _0.fold([], |kept_first, each_next| kept_first.unless_alike(each_next, _1))
List | unless_alike | 2 | if _0.map(_2).contains(_2(_1)) { _0 } else { _0.appending(_1) }
List | with_set_item | 1 | if _0.contains(_1) { _0 } else { _0.appending(_1) }
List | without_set_item | 1 | _0.filter(|each_item| each_item != _1)
List | lacks | 1 | !_0.contains(_1)
List | map_numbered_text | 1 | _0.enumerate().map(|each_pair| _1(each_pair.0, each_pair.1)).join("")
String | map_numbered_text | 1 | _0.chars().map_numbered_text(_1)
String | first_and_rest | 0 | if _0 == "" { None } else { Some((_0.substring(0, 1), _0.substring(1))) }
List | first_and_rest | 0 | if _0.is_empty() { None } else { Some((_0.get(0), _0.drop(1))) }
List | scan_first | 1 | _0.drop(1).scanl(_0.get(0), _1)
Option | orEmpty | 0 | _0.unwrap_or_default()
Option | isNullOrEmpty | 0 | match _0 { Some(value_inside) => value_inside.isNullOrEmpty(), None => true }
Option | isNullOrBlank isNullOrWhiteSpace | 0 | match _0 { Some(value_inside) => value_inside.isNullOrBlank(), None => true }
List | scan_rest | 2 | _0.scanl(_1, _2).drop(1)
List | scan_right | 2 | _0.reversed().scanl(_1, |so_far, each_item| _2(each_item, so_far)).reversed()
List | drop_while_end | 1 | _0.reversed().drop_while(_1).reversed()
List | broken_at | 1 | _0.span(|each_item| !_1(each_item))
List | insert_sorted | 1 | _0.take_while(|each_item| each_item < _1) ++ [_1] ++ _0.drop_while(|each_item| each_item < _1)
List | ends_of | 0 | (0..=_0.len()).map(|each_place| _0.drop(each_place))
List | beginnings_of | 0 | (0..=_0.len()).map(|each_place| _0.take(each_place))
String | without_prefix | 1 | if _0.starts_with(_1) { Some(_0.drop(_1.len())) } else { None }
Map | union_with | 2 | _1.entries().fold(_0, |so_far, each_pair| so_far.joined_with(each_pair, _2))
Map | joined_with | 2 | _0.insert_with(_1.0, _1.1, |each_new, each_old| _2(each_old, each_new))
Map | map_pairs_to_values | 1 | _0.entries().map(|each_pair| (each_pair.0, _1(each_pair.0, each_pair.1))).to_map()
Map | filter_pairs | 1 | _0.entries().filter(|each_pair| _1(each_pair.0, each_pair.1)).to_map()
Map | insert_entry | 2 | _0.set(_1, _2)
Int | replicated | 1 | _0.repeated_list(_1)
Bool | replicated | 1 | _0.repeated_list(_1)
Float | replicated | 1 | _0.repeated_list(_1)
List | replicated | 1 | _0.repeated_list(_1)
Int | repeated_list | 1 | (0..<_1).map(|each_place| _0)
Bool | repeated_list | 1 | (0..<_1).map(|each_place| _0)
Float | repeated_list | 1 | (0..<_1).map(|each_place| _0)
List | repeated_list | 1 | (0..<_1).map(|each_place| _0)
String | replicated | 1 | _0.repeat(_1)
List | compared_length | 1 | (_0.len() - _1.len()).signum()
List | map_reversed | 1 | _0.reversed().map(_1)
List | without_key | 1 | _0.filter(|each_pair| each_pair.0 != _1)
List | halves | 0 | (_0.map(|each_pair| each_pair.0), _0.map(|each_pair| each_pair.1))
List | thirds | 0 | (_0.map(|each_part| each_part.0), _0.map(|each_part| each_part.1), _0.map(|each_part| each_part.2))
List | find_last_value | 1 | _0.reversed().find(_1).unwrap()
List | only_one | 0 | if _0.len() == 1 { Some(_0.get(0)) } else { None }
Option | listed_option | 0 | match _0 { Some(value_inside) => [value_inside], None => [] }
Option | holds | 1 | match _0 { Some(value_inside) => _1(value_inside), None => false }
Option | holds_for_all | 1 | match _0 { Some(value_inside) => _1(value_inside), None => true }
Option | holds_value | 1 | match _0 { Some(value_inside) => value_inside == _1, None => false }
Option | counted_option | 0 | match _0 { Some(_) => 1, None => 0 }
Option | folded_option | 2 | match _0 { Some(value_inside) => _2(_1, value_inside), None => _1 }
Option | folded_option_back | 2 | match _0 { Some(value_inside) => _2(value_inside, _1), None => _1 }
Option | flat_option | 0 | match _0 { Some(value_inside) => value_inside, None => None }
Option | or_option | 1 | match _0 { Some(value_inside) => Some(value_inside), None => _1 }
Result | folded_result | 2 | match _0 { Ok(value_inside) => _2(_1, value_inside), Err(_) => _1 }
Result | ok_holds | 1 | match _0 { Ok(value_inside) => _1(value_inside), Err(_) => false }
Bool | one_or_zero | 0 | if _0 { 1 } else { 0 }
Int | quotrem | 1 | (_0 / _1, _0 % _1)
Int | to_base_int_16 | 0 | "0123456789abcdef".char_at(_0)
String | is_punctuation | 0 | "!\\"#%&'()*,-./:;?@[]_{}".contains(_0)
String | place_of_value | 0 | _0.ord()
Int | place_of_value | 0 | _0
Bool | place_of_value | 0 | if _0 { 1 } else { 0 }
List | last_and_rest | 0 | if _0.is_empty() { None } else { Some((_0.take(_0.len() - 1), _0.get(_0.len() - 1))) }
String | last_place_of | 1 | if _0.contains(_1) { Some(_0.lastIndexOf(_1)) } else { None }
List | places_of | 1 | _0.enumerate().filter(|each_pair| each_pair.1 == _1).map(|each_pair| each_pair.0)
List | places_where | 1 | _0.enumerate().filter(|each_pair| _1(each_pair.1)).map(|each_pair| each_pair.0)
List | without_first | 1 | _0.take_while(|each_item| each_item != _1) ++ _0.drop_while(|each_item| each_item != _1).drop(1)
List | less_items | 1 | _1.fold(_0, |still_there, each_taken| still_there.without_first(each_taken))
List | all_subsequences | 0 | _0.fold([[]], |so_far, each_item| so_far ++ so_far.map(|each_part| each_part.appending(each_item)))
List | index_fold | 2 | _0.enumerate().fold(_1, |so_far, each_pair| _2(so_far, each_pair.1, each_pair.0))
List | numbered_behind | 1 | _0.enumerate(_1).map(|each_pair| (each_pair.1, each_pair.0))
List | at_or | 2 | _0.getAt(_1) ?? _2
List | found_or | 2 | _0.find(_2) ?? _1
List | tally_by | 1 | _0.map(_1).tally()
List | least_and_greatest | 0 | (_0.min_of(), _0.max_of())
List | map_reducing | 2 | _0.fold(([], _1), |so_far, each_item| so_far.map_step(_2(each_item, so_far.1)))
List | zip_reducing | 3 | _0.zip(_1).fold(_2, |so_far, each_pair| _3(each_pair.0, each_pair.1, so_far))
List | updated_at | 2 | _0.set(_1, _2(_0.get(_1)))
List | under_key | 2 | _0.find(|each_pair| each_pair.0 == _1)
List | windows_by | 2 | (0..=((_0.len() - _1) / _2)).map(|each_place| _0.drop(each_place * _2).take(_1))
List | number_of_digits | 0 | _0.fold(0, |so_far, each_digit| so_far * 10 + each_digit)
Int | digits_in_order | 0 | _0.to_string().chars().map(|each_char| each_char.digit_value())
String | first_sign | 0 | _0.substring(0, 1)
String | last_sign | 0 | _0.drop(_0.len() - 1)
Map | with_new_entry | 2 | if _0.containsKey(_1) { _0 } else { _0.set(_1, _2) }
Map | updated_entry | 2 | _0.set(_1, _2(_0.get(_1).unwrap()))
Map | only_keys | 1 | _0.entries().filter(|each_pair| _1.contains(each_pair.0)).to_map()
Map | without_keys | 1 | _0.entries().filter(|each_pair| !_1.contains(each_pair.0)).to_map()
Map | taken_entry | 1 | (_0.get(_1), _0.remove(_1))
Map | merged_by | 2 | _1.entries().fold(_0, |so_far, each_pair| so_far.merged_entry(each_pair, _2))
Map | merged_entry | 2 | _0.insert_with(_1.0, _1.1, |each_new, each_old| _2(_1.0, each_old, each_new))
List | united | 1 | _0 ++ _1.unique().filter(|each_other| !_0.contains(each_other))
List | as_option | 0 | _0.first()
List | map_folding | 2 | _0.fold(([], _1), |so_far, each_item| so_far.map_step(_2(so_far.1, each_item)))
Tuple | map_step | 1 | (_0.0.appending(_1.0), _1.1)
List | fold_mapping | 2 | _0.fold((_1, []), |so_far, each_item| so_far.fold_step(_2(so_far.0, each_item)))
Tuple | fold_step | 1 | (_1.0, _0.1.appending(_1.1))
Int | counted_by | 2 | if _1 == 0 || (_2 - _0) * _1 < 0 { [] } else { _0.stepped(_1, (_2 - _0) / _1 + 1) }
Int | stepped | 2 | (0..<_2).map(|each_place| _0 + each_place * _1)
Int | successor | 0 | _0 + 1
Int | predecessor | 0 | _0 - 1
Bool | differs | 1 | _0 != _1
"""
)
