"""The help on builtin functions is true: every example runs and has the stated result."""

from __future__ import annotations

import pytest

from analysis.codegen.compile import compile_file
from analysis.ide.builtin_help import BuiltinHelp, builtin_helps, builtins_about, builtins_page
from analysis.semantics.builtins import BUILTINS
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import run_module
from tests.support.marked import MAIN, opened

EXAMPLES = [one for one in builtin_helps().values() if one.example]


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: one.builtin.name)
def test_an_example_gives_what_it_says(one: BuiltinHelp) -> None:
    compiled = compile_file(opened(f"fn main() {{ {one.example} }}\n"), MAIN, "module")
    assert compiled.module is not None, compiled.errors
    assert display(run_module(compiled.module, Options()).value) == one.gives


def test_every_builtin_without_effects_has_an_example() -> None:
    assert [name for name, builtin in BUILTINS.items() if not builtin.capability and not builtin_helps()[name].example] == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("substring", "__builtin_string_slice"),
        ("List -> Int", "list_len"),
        ("println", "__builtin_debug"),
        ("pieces between", "__builtin_string_split"),
        ("hashmap", "map_new"),
    ],
)
def test_a_builtin_is_found(query: str, expected: str) -> None:
    assert expected in [one.builtin.name for one in builtins_about(query)]


def test_nothing_is_found_for_what_there_is_not() -> None:
    assert builtins_about("quaternion") == []


def test_the_page_names_every_builtin() -> None:
    page = builtins_page()
    assert all(f"{name}(" in page for name in BUILTINS)
