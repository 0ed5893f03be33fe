"""Functions of the libraries that serve every program, not only applications: advice and translations name their library."""

from __future__ import annotations

from typing import Final

_ROWS: Final = """
std-list | list_take(List<T>, Int) -> List<T>
std-list | list_drop(List<T>, Int) -> List<T>
std-list | list_slice(List<T>, Int, Int) -> List<T>
std-list | list_set(List<T>, Int, T) -> List<T>
std-list | list_insert(List<T>, Int, T) -> List<T>
std-list | list_remove_at(List<T>, Int) -> List<T>
std-list | list_contains(List<T>, T) -> Bool
std-list | list_index_of(List<T>, T) -> Option<Int>
std-list | list_last(List<T>) -> Option<T>
std-list | list_at(List<T>, Int) -> Option<T>
std-list | list_sort(List<T>) -> List<T>
std-list | list_unique(List<T>) -> List<T>
std-list | list_flatten(List<List<T>>) -> List<T>
std-list | list_every(List<T>, Int) -> List<T>
std-list | list_sum(List<T>) -> T
std-list | list_product(List<T>) -> T
std-list | list_max(List<T>) -> Option<T>
std-list | list_min(List<T>) -> Option<T>
std-list | list_range(Int, Int) -> List<Int>
std-list | list_repeat(T, Int) -> List<T>
std-list | list_merge(List<T>, List<T>) -> List<T>
std-list | list_zip(List<T>, List<T>) -> List<List<T>>
std-map | map_merge(Map<K, V>, Map<K, V>) -> Map<K, V>
std-map | map_get_or(Map<K, V>, K, V) -> V
std-map | map_from_lists(List<String>, List<V>) -> Map<String, V>
std-map | map_counts(List<String>) -> Map<String, Int>
std-math | int_abs(Int) -> Int
std-math | int_min(Int, Int) -> Int
std-math | int_max(Int, Int) -> Int
std-math | int_pow(Int, Int) -> Int
std-math | int_clamp(Int, Int, Int) -> Int
std-math | int_gcd(Int, Int) -> Int
std-math | int_and(Int, Int) -> Int
std-math | int_or(Int, Int) -> Int
std-math | int_xor(Int, Int) -> Int
std-math | int_shift_left(Int, Int) -> Int
std-math | int_shift_right(Int, Int) -> Int
std-math | int_mod(Int, Int) -> Int
std-math | int_sign(Int) -> Int
std-math | int_sqrt(Int) -> Int
std-math | float_round(Float) -> Int
std-math | float_floor(Float) -> Int
std-math | float_ceil(Float) -> Int
std-math | float_to_int(Float) -> Int
std-math | float_sqrt(Float) -> Float
std-math | float_abs(Float) -> Float
std-math | float_min(Float, Float) -> Float
std-math | float_max(Float, Float) -> Float
std-math | float_pow(Float, Int) -> Float
std-math | float_format(Float, Int) -> String
std-math | int_to_float(Int) -> Float
std-math | float_fits_int(Float) -> Bool
std-option | option_unwrap(Option<T>) -> T
std-option | result_unwrap(Result<T, E>) -> T
std-option | option_or(Option<T>, T) -> T
std-option | result_or(Result<T, E>, T) -> T
std-steps | step_content(String, String) -> String
std-steps | step_int(String) -> Int
std-steps | step_float(String) -> Float
std-steps | step_bool(String) -> Bool
std-steps | step_text(String) -> String
std-text | string_words(String) -> List<String>
std-text | string_substring(String, Int, Int) -> String
std-text | string_char_at(String, Int) -> String
std-text | string_repeat(String, Int) -> String
std-text | string_reverse(String) -> String
std-text | string_index_of(String, String) -> Option<Int>
std-text | string_pad_left(String, Int, String) -> String
std-text | string_pad_right(String, Int, String) -> String
std-text | string_capitalize(String) -> String
std-text | string_is_digit(String) -> Bool
std-text | string_is_letter(String) -> Bool
std-text | string_is_alphanumeric(String) -> Bool
std-text | string_is_upper(String) -> Bool
std-text | string_is_lower(String) -> Bool
std-text | string_is_space(String) -> Bool
std-text | string_code(String) -> Int
std-text | string_from_code(Int) -> String
std-text | string_count(String, String) -> Int
std-text | string_compare(String, String) -> Int
std-text | string_lines(String) -> List<String>
std-text | string_has_only(String, String) -> Bool
"""
_PARTED: Final = [row.split(" | ") for row in _ROWS.strip().split("\n")]
SIGNATURES: Final = tuple(signature for _, signature in _PARTED)
"""Names with the types of their parameters and results."""
LIBRARIES: Final = {signature.partition("(")[0]: library for library, signature in _PARTED}
"""The library of each function."""
