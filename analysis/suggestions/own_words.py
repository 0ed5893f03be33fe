"""Words of the lexicon that no language has: calls of several languages are read as these, each with one meaning."""

from __future__ import annotations

from typing import Final

OWN_WORDS: Final = frozenset(
    "abs_int add_unique append_item byte_slice bytes_list center_format characters_between characters_from chunk_runs "
    "cons_end delete_place each_char_with_index fdiv_one find_map_first has_truth head_of if_some in_base json_text last_of "
    "last_position_or_false lazy_unwrap least_by max_of max_of_by min_of min_of_by most_by pad_format pattern_all "
    "pattern_first pattern_groups pattern_replace pattern_replace_by pattern_replace_first pattern_replace_with "
    "pattern_scan pattern_split pattern_test pattern_texts pop_value position_or_false push_sorted python_repr "
    "remove_item_at round_away round_even round_half_up round_product round_to_even round_whole set_adds shift_value "
    "show_text show_value slice_of sort_by_key_descending split_pattern square_root take_entry then_by_key "
    "then_by_key_descending times_list to_base_int to_number translate_signs value_or_zero value_with with_commas "
    "with_entry with_item".split()
)
