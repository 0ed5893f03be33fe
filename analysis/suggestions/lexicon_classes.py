"""Rows of the lexicon for methods of the class libraries of Java, C#, Kotlin and Dart; `lexicon` says how they are written."""

from __future__ import annotations

from typing import Final

CLASS_ROWS: Final = """
List | set_adds! | T | Bool | @set_adds
Int | to_binary toBinaryString | | String | @to_binary
Int | to_hex toHexString | | String | @to_hex
Int | toRadixString toString to_base | Int | String | @to_base
String | replaceAll | String, String | String | @replace_class
String | split_pattern | String | List<String> | @split_pattern
List | to_set toSet toHashSet toMutableSet asSet ToHashSet | | Set<T> | list_unique({0})
"""
