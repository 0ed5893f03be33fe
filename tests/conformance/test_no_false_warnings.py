"""A warning says that code will fail or compute something wrong: no program of the corpus that runs well gets one.

Every call of the corpus that runs a program and succeeds is looked at, with the corrected answer where there is one. A
warning that is true all the same, of code that the run does not come to or of a type that is only declared, stands in the
table below with its reason; a row that is not needed any more fails, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from analysis.diagnostics.diagnostic import Severity
from boruna_ls.data import libraries_folder
from tests.support.checked import Checker
from tests.support.corpus import CONFORMANCE, tool
from tests.support.expectations import Found

AREAS = ["run", "bytecode", "capabilities", "framework", "diagnostics", "surface"]
TOOLS = ("boruna_run", "boruna_run_sealed", "boruna_framework_test")
SERIOUS = (Severity.WARNING.value, Severity.ERROR.value)
HARMLESS_ERRORS = ("E005", "E006", "E007")
"""Errors of a check that have never kept a program from running (spec chapter 04 section 1)."""

_HINT = "the reference says the same: the argument is not of the declared type, which nothing looks at in this run"
_UNIT = "the field that is left out is Unit, and this run does not use it as what it is declared to be"
_SHOWN = "the program shows that values of different types are never equal"
_TRUTH = "the program shows that these values always count as true"
_DECLARED = "the type is only declared: nothing in this run relies on it"
_NO_VALUE = "the declared result is missing, and nothing in this run relies on it"
_MISTAKE = "the program shows this mistake, which gives a wrong value and no failure"

TRUE_WARNINGS: dict[str, dict[tuple[int, str], str]] = {
    "run/flow_if": {(7, "W103"): _NO_VALUE},
    "run/quirk_for_leaves_values": {(3, "W103"): _NO_VALUE},
    **{f"run/value_stack_for_{count}": {(8, "W103"): _NO_VALUE} for count in (10, 4094, 4095, 4096, 4097, 4098)},
    "run/trace_all_ops": {(15, "W103"): _NO_VALUE},
    "run/schema_record_wrapper_ok": {(4, "W102"): _DECLARED},
    "bytecode/ensures_unit_function_ok": {(3, "W103"): _NO_VALUE},
    "bytecode/for_tail_value_returned": {(2, "W103"): _NO_VALUE},
    "bytecode/if_empty_blocks": {(1, "W103"): _NO_VALUE},
    "bytecode/rec_spread_unknown_override": {(2, "W103"): _DECLARED},
    "bytecode/return_forms": {(2, "W103"): _NO_VALUE},
    "bytecode/while_is_last": {(3, "W103"): _NO_VALUE},
    "framework/arity_update_three": {(4, "W102"): _DECLARED},
    "framework/arity_view_three": {(4, "W102"): _DECLARED},
    "framework/effects_malformed_items": {(line, "W102"): _DECLARED for line in range(13, 19)},
    "framework/higher_order_reducer": {(9, "W103"): _DECLARED, (14, "W108"): _DECLARED},
    "framework/int_pattern_never_matches": {(7, "W102"): _DECLARED},
    "framework/max_list_literal": {(3, "W102"): _DECLARED},
    "framework/policy_odd_values": {(8, "W102"): _DECLARED},
    "framework/state_kinds": {(line, "W103"): _DECLARED for line in range(9, 30)},
    "bytecode/contract_wrong_arity_call": {(3, "W108"): "the clause gets Unit for the argument that is missing, and holds"},
    "bytecode/enum_payload_not_checked": {(3, "W204"): _MISTAKE, (4, "W204"): _MISTAKE},
    "diagnostics/miss_variant_extra_payload": {(3, "W204"): _MISTAKE},
    "diagnostics/miss_variant_without_payload": {(3, "W204"): _MISTAKE},
    "framework/unit_state": {(3, "W103"): _NO_VALUE, (5, "W103"): _NO_VALUE},
    "diagnostics/miss_call_across_lines": {(3, "W103"): _MISTAKE},
    "diagnostics/miss_empty_body": {(1, "W103"): _MISTAKE},
    "diagnostics/miss_if_without_else": {(2, "W103"): _MISTAKE},
    "diagnostics/miss_last_statement_is_let": {(2, "W103"): _MISTAKE},
    "diagnostics/miss_last_statement_is_loop": {(2, "W103"): _MISTAKE},
    "diagnostics/miss_return_type": {(2, "W103"): _MISTAKE},
    "diagnostics/miss_variant_payload_type": {(3, "W102"): _MISTAKE},
    "run/calls_argument_count": {(9, "W101"): _MISTAKE, (9, "W108"): _MISTAKE},
    "run/flow_match_binding": {
        (11, "E009"): _HINT,
        (12, "E009"): _HINT,
        (11, "W101"): _DECLARED,
        (12, "W101"): _DECLARED,
    },
    "run/flow_match_string": {(28, "E009"): _HINT},
    "run/value_equality": {(11, "W104"): _SHOWN, (12, "W104"): _SHOWN, (14, "W104"): _SHOWN},
    "run/value_truthiness": {(9, "W105"): _TRUTH},
    "run/quirk_variant_names_shared": {(12, "E009"): _HINT},
    "run/err_field_out_of_range": {(3, "W302"): _UNIT},
    "bytecode/mod_dup_type": {(4, "W302"): _UNIT},
    "bytecode/rec_missing_fields": {(3, "W302"): _UNIT},
    "bytecode/rec_spread_update": {(5, "W303"): _MISTAKE},
    "framework/msg_equality_type_id": {(7, "W104"): _SHOWN},
    "framework/runtime_errors_update": {
        (13, "W104"): "the messages of this run do not come to this failure",
        (15, "W104"): "the messages of this run do not come to this failure",
        (16, "W104"): "the messages of this run do not come to this failure",
        (14, "W107"): "the messages of this run do not come to this failure",
        (18, "W201"): "the messages of this run do not come to this failure",
        (16, "W103"): "the messages of this run do not come to this failure",
        (20, "W108"): "the messages of this run do not come to this failure",
        (21, "W109"): "the messages of this run do not come to this failure",
    },
    "diagnostics/miss_compare_different_types": {(2, "W104"): _MISTAKE},
    "diagnostics/miss_condition_not_bool": {(2, "W105"): _MISTAKE},
    "diagnostics/miss_condition_string": {(2, "W105"): _MISTAKE},
    "diagnostics/miss_record_duplicate_field": {(3, "W303"): _MISTAKE},
    "diagnostics/miss_record_missing_field": {(3, "W302"): _MISTAKE},
    "diagnostics/miss_unknown_variant_pattern": {(3, "W305"): _MISTAKE},
    "surface/warning_only": {(2, "E009"): _HINT, (3, "E009"): _HINT},
    "stdlib/std-testing:bool-is-not-one": {(4, "E009"): _HINT, (5, "E009"): _HINT},
    "stdlib/std-testing:type-mix": {(4, "E009"): _HINT},
}
"""Program → (line, code) → why the warning is right although the run succeeds."""

replay = tool(CONFORMANCE / "replay.py")


def succeeding(folder: Path) -> Iterator[tuple[str, str]]:
    """(name, source) of each program of an area that some call runs with success."""
    expected = {row["id"]: row for row in replay.lines_of(folder / "expected.jsonl")}
    corrected = {row["id"]: row for row in replay.lines_of(folder / "corrected.jsonl")}
    seen: set[str] = set()
    for case, called, arguments in replay.calls(folder):
        row = corrected.get(case, expected[case])
        answer = row.get("answer")
        ran = called in TOOLS and isinstance(answer, dict) and answer.get("success") is True
        program = arguments.get("source")
        if ran and isinstance(program, str) and program not in seen:
            seen.add(program)
            yield case.split(":")[0], program


def is_serious(one: Found) -> bool:
    return one.severity in SERIOUS and one.code not in HARMLESS_ERRORS


@pytest.mark.parametrize("area", AREAS)
def test_programs_that_run_have_no_warnings(area: str, corpus: Callable[[str], Path]) -> None:
    judge(area, succeeding(corpus(area)))


def test_programs_with_libraries_that_run_have_no_warnings(corpus: Callable[[str], Path]) -> None:
    folder = corpus("stdlib")
    corrected = {row["id"]: row for row in replay.lines_of(folder / "corrected.jsonl")}
    judge(
        "stdlib",
        (
            (case, arguments["source"])
            for case, _, arguments, expected in replay.library_programs(folder)
            if corrected.get(case, expected).get("answer", {}).get("success") is True
        ),
    )


def judge(area: str, programs: Iterable[tuple[str, str]]) -> None:
    checker = Checker()
    told: list[str] = []
    needed: set[tuple[str, int, str]] = set()
    count = 0
    for name, program in programs:
        count += 1
        case = f"{area}/{name}"
        for one in filter(is_serious, checker.check(program)):
            if (one.line, one.code) in TRUE_WARNINGS.get(case, {}):
                needed.add((case, one.line, one.code))
            else:
                told.append(f"{case}:{one.line}: {one}")
    assert count > 30, "the corpus was not read"
    assert told == []
    listed = {(case, *row) for case, rows in TRUE_WARNINGS.items() if case.startswith(f"{area}/") for row in rows}
    assert listed - needed == set(), "these rows are not needed any more"


@pytest.mark.parametrize("library", sorted(path.parent.parent.name for path in libraries_folder().glob("*/src/core.ax")))
def test_the_libraries_have_no_warnings(library: str) -> None:
    checker = Checker()
    program = checker.libraries[library].read_bytes().decode("utf-8")
    assert [str(one) for one in checker.check(program) if is_serious(one)] == []
