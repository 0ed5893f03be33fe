"""The code that the search of functions shows for what is no function: it compiles and runs without a complaint."""

from __future__ import annotations

import re

import pytest

from analysis import inputs
from analysis.codegen.compile import compile_file
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.ide.function_search.known import Known, forms
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import run_module
from boruna_ls.workspace.host import Host

BEFORE = """\
    let xs = {items}
    let texts = ["1", "x", "2"]
    let text = "a text"
    let text2 = "other"
    let text3 = "third"
    let mut n = 1
    let n2 = 2
    let n3 = 2
    let value = 1
    let xs2 = [4, 5]
    let x = 1.5
    let x2 = 2.5
    let x3 = 3.5
    let flag = true
    let flag2 = false
    let map = __builtin_map_set(map_new(), "a", 1)
    let map2 = map
    let option = __builtin_int_parse("1")
    let result = try_parse_int("1")
"""
SNIPPETS = [one for one in forms() if one.write]


def program(one: Known) -> str:
    imports = "".join(f'import "{library}"\n' for library in one.libraries)
    if re.match(r"(?:fn|type) ", one.write):
        return f"{imports}{one.write}\n\nfn main() -> Int {{\n    0\n}}\n"
    is_statement = re.match(r"(?:let|for|if|match) |\w+ = ", one.write)
    code = one.write if is_statement else f"let answer = {one.write}"
    items = "[[1, 2, 3], [4, 5, 6]]" if "list_get(list_get(" in code else "[1, 2, 3]"
    lines = code.replace("\n", "\n    ")
    return f"{imports}fn main() -> Int {{\n{BEFORE.replace('{items}', items)}    {lines}\n    0\n}}\n"


@pytest.mark.parametrize("one", SNIPPETS, ids=lambda one: f"{one.kind} {one.name}")
def test_the_code_of_a_form_is_right(one: Known) -> None:
    host = Host()
    file = host.inline(program(one), "app.ax")
    found = check_file(host.db, file).placed(inputs.source(host.db, file))
    assert [made.message for _, made in found if made.severity in (Severity.ERROR, Severity.WARNING)] == []
    compiled = compile_file(host.db, file, "module")
    assert compiled.module is not None, compiled.errors
    assert display(run_module(compiled.module, Options()).value) == "0"
