"""The libraries that are shipped: they offer exactly what `signatures.md` says, and a check has nothing against them.

What their functions compute is tested where programs are run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from analysis import inputs
from analysis.codegen.compile import compile_file
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Severity
from analysis.formatting.formatter import Formatted, format_source
from analysis.inputs import FileId
from analysis.semantics.imports import imported_files
from analysis.syntax.parser import ChunkTree, parse
from analysis.syntax.tree import Call, Function, Item, Name, Record, type_text, walk
from boruna_ls.data import libraries_folder
from boruna_ls.runtime.run import run_module
from boruna_ls.workspace.host import Host

SECTION = re.compile(
    r"^## (?P<name>\S+)\n\n(?:Capabilities: (?P<capabilities>.+)\n\n)?(?:Dependencies: (?P<dependencies>.+)\n\n)?"
    r"```\n(?P<signatures>(?:(?:type|fn) .+\n)+)```$",
    re.MULTILINE,
)
SECTIONS = {
    section["name"]: section
    for section in SECTION.finditer(Path(__file__).with_name("signatures.md").read_text(encoding="utf-8"))
}
USES = {
    "std-authz": 'authz_is_admin(authz_default_policy(), "admin")',
    "std-db": "pagination_info(1, 10, 25).total_pages",
    "std-forms": "form_is_valid(form_submit(form_init(2)))",
    "std-guard": 'if is_one_of("yes", ["yes", "no"]) { 1 } else { 0 }',
    "std-http": "http_next_backoff(http_default_retry(), 1)",
    "std-json": '__builtin_string_len(json_object(json_int_field("n", 1)))',
    "std-llm": 'default_llm_request("be brief", "why?").max_tokens',
    "std-list": "list_sum(list_sort(list_range(1, 4)))",
    "std-map": 'map_get_or(map_counts(["a"]), "a", 0)',
    "std-math": "int_gcd(12, 18)",
    "std-notifications": 'notification_count(notification_success(notification_init(3), "saved"))',
    "std-option": "option_or(None, 1)",
    "std-routing": 'route_match_path(route_define("home", "/"), "/").matched',
    "std-steps": 'step_int("{\\"Int\\":42}")',
    "std-storage": 'storage_bump_version(storage_make_entry("ns", "k", "v", 1), "w").version',
    "std-sync": "sync_queue_edit(sync_init()).pending_count",
    "std-testing": 'test_all_passed_2(assert_true(1, "a"), assert_gt(2, 1, "b"))',
    "std-text": 'string_count("a,b", ",")',
    "std-ui": '__builtin_string_len(row(text("a"), divider()).text)',
    "std-validation": 'validation_merge(validate_required("name", ""), validation_ok()).valid',
}
"""An expression of type Int for each library that needs its functions and fields."""


@pytest.fixture(scope="module")
def host() -> Host:
    return Host()


def core(name: str) -> Path:
    return libraries_folder() / name / "src" / "core.ax"


def tree(name: str) -> ChunkTree:
    return parse(core(name).read_text(encoding="utf-8"))


def complaints(host: Host, file: FileId, milder: bool = False) -> list[str]:
    """Errors and warnings of a check, with `milder` also what it merely remarks on."""
    wanted = (Severity.ERROR, Severity.WARNING, *([Severity.INFO] if milder else []))
    found = check_file(host.db, file).placed(inputs.source(host.db, file))
    return [f"{made.code} {made.message}" for _, made in found if made.severity in wanted]


def signature(item: Item) -> str:
    match item:
        case Record(name=name, fields=fields):
            return f"type {name} {{ {', '.join(f'{field.name}: {type_text(field.type)}' for field in fields)} }}"
        case Function(name=name, parameters=parameters, result=result, capabilities=()) if result is not None:
            listed = ", ".join(f"{parameter.name}: {type_text(parameter.type)}" for parameter in parameters)
            return f"fn {name}({listed}) -> {type_text(result)}"
    return f"something that no library should have: {item}"


def test_the_page_and_the_folder_hold_the_same_libraries() -> None:
    shipped = {folder.name for folder in libraries_folder().iterdir() if folder.is_dir()}
    assert shipped == set(SECTIONS) == set(USES)
    assert len(shipped) == 20


@pytest.mark.parametrize("name", SECTIONS)
def test_a_library_offers_what_the_page_says_and_a_self_test(name: str) -> None:
    found = tree(name)
    assert found.is_sound, (found.tokens.errors, found.errors)
    assert [signature(item) for item in found.items] == [
        *SECTIONS[name]["signatures"].splitlines(),
        "fn main() -> Int",
    ]


@pytest.mark.parametrize("name", SECTIONS)
def test_every_definition_is_documented(name: str) -> None:
    text = core(name).read_text(encoding="utf-8")
    for item in tree(name).items:
        above = text[: item.start].rstrip("\n").rpartition("\n")[2]
        assert re.fullmatch(r"// \S.{10,}", above), f"{item.name}: {above!r}"


@pytest.mark.parametrize("name", SECTIONS)
def test_a_library_is_formatted(name: str) -> None:
    text = core(name).read_text(encoding="utf-8")
    assert format_source(None, text) == Formatted(text)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_check_of_a_library_finds_nothing(name: str, host: Host) -> None:
    assert complaints(host, host.disk(str(core(name))), milder=True) == []


@pytest.mark.parametrize("name", SECTIONS)
def test_the_manifest_tells_what_a_library_needs(name: str) -> None:
    manifest: dict[str, Any] = json.loads((libraries_folder() / name / "package.ax.json").read_text(encoding="utf-8"))
    description = manifest.pop("description")
    assert isinstance(description, str)
    assert len(description) > 10
    capabilities, dependencies = SECTIONS[name]["capabilities"], SECTIONS[name]["dependencies"]
    assert manifest == {
        "name": name.replace("-", ".", 1),
        "version": "1.0.0",
        "dependencies": dict([dependencies.split()]) if dependencies else {},
        "required_capabilities": capabilities.split(", ") if capabilities else [],
        "exposed_modules": ["core"],
    }


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("quote", ['"', ""])
def test_an_import_makes_a_library_known(name: str, quote: str, host: Host) -> None:
    program = f"fn main() -> Int {{\n    {USES[name]}\n}}\n"
    assert complaints(host, host.inline(program)) != []
    importing = host.inline(f"import {quote}{name}{quote}\n\n{program}")
    assert [file.path for file in imported_files(host.db, importing)] == [str(core(name))]
    assert complaints(host, importing, milder=True) == []


def test_all_libraries_work_in_one_program(host: Host) -> None:
    imports = "".join(f'import "{name}"\n' for name in SECTIONS)
    program = f"{imports}fn main() -> List<Int> {{\n    [{', '.join(USES[name] for name in SECTIONS)}]\n}}\n"
    file = host.inline(program)
    assert [Path(found.path) for found in imported_files(host.db, file)] == [core(name) for name in SECTIONS]
    assert complaints(host, file) == []


INDEPENDENT = ("std-list", "std-map", "std-math", "std-option", "std-text")
"""Libraries whose functions have names that a program may well have, too."""


@pytest.mark.parametrize("name", INDEPENDENT)
def test_no_function_relies_on_a_name_that_a_program_may_define(name: str) -> None:
    """The file's own definition wins over a library's, in the library as well: inner calls go to names of the library's own."""
    functions = {item.name: item for item in tree(name).items if isinstance(item, Function)}
    own = name.replace("-", "_") + "_"
    relied_on = {
        (caller, part.callee.name)
        for caller, item in functions.items()
        for part in walk(item)
        if isinstance(part, Call) and isinstance(part.callee, Name) and part.callee.name in functions
        if caller not in ("main", part.callee.name) and not part.callee.name.startswith(own)
    }
    assert relied_on == set()


def test_a_function_of_a_program_changes_no_other_function_of_a_library(host: Host) -> None:
    program = """import "std-math"
fn float_abs(number: Float) -> Float { number * 0.0 }
fn float_to_int(number: Float) -> Int { 7 }
fn main() -> String { float_format(-2.5 * float_abs(1.0) - 2.5, 1) ++ __builtin_int_to_string(float_round(3.2)) }
"""
    file = host.inline(program, "app.ax")
    found = [made for _, made in check_file(host.db, file).placed(inputs.source(host.db, file)) if made.code == "W304"]
    assert [made.message for made in found] == [
        "function 'float_abs' is also defined by the library 'std-math'",
        "function 'float_to_int' is also defined by the library 'std-math'",
    ]
    module = compile_file(host.db, file, "program").module
    assert module is not None
    assert run_module(module).value == "-2.53"
