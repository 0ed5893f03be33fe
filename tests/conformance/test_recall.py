"""Mistakes that the reference accepts: each `miss_*` program of the corpus whose mistake has a code gets that diagnostic."""

from __future__ import annotations

import pytest

from tests.support.checked import Checker
from tests.support.corpus import CONFORMANCE

DIAGNOSTICS: dict[str, list[tuple[int, str]]] = {
    "and_on_ints": [(2, "W104")],
    "assign_immutable": [(3, "W306")],
    "assign_other_type": [(3, "W102")],
    "call_across_lines": [(4, "W601")],
    "call_non_function": [(3, "W108")],
    "call_shadowed_function": [(3, "W308"), (4, "W108")],
    "caller_lacks_capability": [(2, "W401")],
    "capability_not_declared": [(1, "W401")],
    "capability_unknown": [(1, "W402")],
    "capability_unused": [(1, "W402")],
    "compare_different_types": [(2, "W104")],
    "concat_int": [(2, "W104")],
    "condition_not_bool": [(2, "W105")],
    "condition_string": [(2, "W105")],
    "division_by_zero": [(2, "W109")],
    "duplicate_arm": [(3, "W202")],
    "duplicate_function": [(2, "W304")],
    "duplicate_param": [(1, "W304")],
    "duplicate_type": [(2, "W304")],
    "empty_body": [(1, "W103")],
    "endless_recursion": [(1, "W505")],
    "field_of_other_type": [(5, "W107")],
    "field_on_int": [(3, "W107")],
    "for_over_int": [(2, "W101")],
    "function_value_arity": [(3, "W101")],
    "if_without_else": [(2, "W103")],
    "index_out_of_range": [(2, "W109")],
    "infinite_while": [(2, "W505")],
    "last_statement_is_let": [(2, "W103")],
    "last_statement_is_loop": [(2, "W103")],
    "main_with_params": [(1, "W307")],
    "negate_string": [(2, "W104")],
    "no_main": [(1, "W307")],
    "no_short_circuit": [(2, "W602")],
    "nonexhaustive_bool": [(2, "W201")],
    "nonexhaustive_int": [(2, "W201")],
    "nonexhaustive_local_enum": [(4, "W201")],
    "nonexhaustive_option": [(2, "W201")],
    "nonexhaustive_result": [(2, "W201")],
    "nonexhaustive_string": [(2, "W201")],
    "operator_int_string": [(2, "W104")],
    "order_different_types": [(2, "W104")],
    "plus_on_strings": [(2, "W104")],
    "record_duplicate_field": [(3, "W303")],
    "record_missing_field": [(3, "W302")],
    "return_type": [(2, "W103")],
    "self_comparison_and_noop": [(3, "W503"), (4, "W503")],
    "shadow_leaks": [(4, "W308")],
    "two_expressions_on_a_line": [(3, "W601")],
    "unknown_field_read": [(4, "W107")],
    "unknown_import": [(1, "W405")],
    "unknown_record_type": [(3, "W301")],
    "unknown_type_name": [(1, "W301")],
    "unknown_variant_pattern": [(3, "W305")],
    "unreachable_arm": [(2, "W202")],
    "unreachable_code": [(3, "W502")],
    "unused_function_and_param": [(1, "W501")],
    "unused_variable": [(2, "W501")],
    "user_function_named_like_builtin": [(1, "W308")],
    "variant_extra_payload": [(3, "W204")],
    "variant_payload_type": [(3, "W102")],
    "variant_without_payload": [(3, "W204")],
}
"""Program → the diagnostics that its mistake gets, by line."""

NO_MISTAKE_HERE: dict[str, str] = {
    "int_pattern_matches_variant_index": "patterns match the values they describe; the arm for everything covers the rest",
    "int_pattern_never_matches": "integer patterns match integers",
    "mixed_list": "lists of several types are legal",
    "nested_match_swaps_tables": "each match has its own arms",
    "ok_value_ok_pattern": "values that a program builds match their patterns",
    "payload_literal_ignored": "literals in payloads are compared",
    "record_field_order": "fields go by name",
    "reserved_words_as_names": "these words are names",
    "same_field_other_position": "fields are read by name from the value's own type",
    "some_value_some_pattern": "values that a program builds match their patterns",
    "variant_name_clash": "variants are matched by the value's own enum",
}
"""Program → why nothing is wrong with it in the language as it is here."""


def programs() -> list[str]:
    return sorted(path.stem.removeprefix("miss_") for path in (CONFORMANCE / "diagnostics").glob("miss_*.ax"))


def test_an_unused_name_is_the_diagnostic_of_unused_names_only() -> None:
    assert [program for program, rows in DIAGNOSTICS.items() if {code for _, code in rows} == {"W501"}] == [
        "unused_function_and_param",
        "unused_variable",
    ]


def test_every_program_is_in_one_table() -> None:
    tables = [*DIAGNOSTICS, *NO_MISTAKE_HERE]
    assert sorted(tables) == programs()


@pytest.mark.parametrize("program", sorted(DIAGNOSTICS))
def test_the_mistake_is_found_on_its_line(program: str) -> None:
    text = (CONFORMANCE / "diagnostics" / f"miss_{program}.ax").read_bytes().decode("utf-8")
    told = {(one.line, one.code) for one in Checker().check(text)}
    assert set(DIAGNOSTICS[program]) <= told


@pytest.mark.parametrize("program", sorted(NO_MISTAKE_HERE))
def test_what_is_no_mistake_gets_no_warning(program: str) -> None:
    text = (CONFORMANCE / "diagnostics" / f"miss_{program}.ax").read_bytes().decode("utf-8")
    assert [str(one) for one in Checker().check(text) if one.severity in ("warning", "error")] == []
