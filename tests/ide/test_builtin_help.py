"""The help on builtin functions is true: every example runs and has the stated result."""

from __future__ import annotations

import pytest

from analysis.codegen.compile import compile_file
from analysis.ide.builtin_help import BuiltinHelp, builtin_helps, builtins_page
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


def test_the_page_names_every_builtin() -> None:
    page = builtins_page()
    assert all(f"{name}(" in page for name in BUILTINS)
