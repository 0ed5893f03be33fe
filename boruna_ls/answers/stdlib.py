"""Verification of libraries: checked, documented, every function named by a test, all tests passed.

The tests of a library are the functions `test_…` without parameters of `NAME/tests/core.ax` beside its source. They are run in
worker processes; `prepared` lists the tests to run, `entry` describes their results.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.codegen.compile import compile_file
from analysis.data_classes import dataclass
from analysis.ide.signature import documentation
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import Call, Function, Name, walk
from boruna_ls.answers.app import check_warnings
from boruna_ls.answers.ast import items_of
from boruna_ls.answers.envelope import failure, success
from boruna_ls.answers.places import Places
from boruna_ls.answers.reference import offered_names, summary_of
from boruna_ls.answers.trials import tested
from boruna_ls.data import libraries_folder
from boruna_ls.runtime.job import Job, Mode, packed
from boruna_ls.workspace import FileUnavailable, Host
from boruna_ls.workspace.libraries import find_libraries

MAX_STEPS: Final = 10_000_000
_WALL_MS: Final = 20_000
_MOST: Final = 50
_TEST: Final = "test_"
_TESTS: Final = ("tests", "core.ax")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A library before its tests are run: what is known of it, and the job that runs them; None if there are none."""

    facts: dict[str, Any]
    job: Callable[[], Job] | None = None
    places: Places | None = None
    errors: Sequence[dict[str, Any]] = ()


def sources_of(libs_dir: str) -> dict[str, str]:
    """By name, the sources of the libraries of a folder ("" for none), and of the built-in ones that it does not replace."""
    folders = [os.path.realpath(libs_dir)] if libs_dir else []
    return find_libraries([*folders, os.path.realpath(libraries_folder())])


def prepared(host: Host, libs_dir: str, name: str, path: str) -> Prepared:
    """Looks at a library and its tests. Runs on the analysis thread."""
    facts: dict[str, Any] = {"name": name, "functions": 0, "findings": [], "undocumented": [], "untested": []}
    try:
        file = host.file_for_agent(path, (), libs_dir)
    except FileUnavailable as error:
        return Prepared(facts | {"findings": [str(error)]})
    facts["findings"] = check_warnings(host.db, file)
    offered = _exported_names(host, file)
    functions = [name for name, (is_function, _) in offered.items() if is_function]
    facts["functions"] = len(functions)
    facts["undocumented"] = [name for name, (_, doc) in offered.items() if not doc]
    try:
        tests = host.file_for_agent(os.path.join(os.path.dirname(os.path.dirname(path)), *_TESTS), (), libs_dir)
    except FileUnavailable:
        return Prepared(facts | {"untested": functions})
    facts["findings"] += [f"tests: {line}" for line in check_warnings(host.db, tests)]
    called = {
        node.callee.name
        for item in items_of(host.db, tests)
        for node in walk(item)
        if isinstance(node, Call) and isinstance(node.callee, Name)
    }
    facts["untested"] = [name for name in functions if name not in called]
    compiled = compile_file(host.db, tests, "module")
    module = compiled.module
    if module is None:
        errors = [{"message": error.message} for error in compiled.errors[:_MOST]]
        return Prepared(facts, errors=errors)
    indexes = tuple(
        index
        for index, code in enumerate(module.functions)
        if code.arity == 0 and code.name.startswith(_TEST) and code.origin is not None and code.origin.file == tests
    )
    if not indexes:
        return Prepared(facts)

    def job() -> Job:
        return Job(packed(module), Mode.TESTS, max_steps=MAX_STEPS, max_wall_ms=_WALL_MS, tests=indexes)

    return Prepared(facts, job, Places(host.db, tests, module))


def _exported_names(host: Host, file: FileId) -> Mapping[str, tuple[bool, str]]:
    """By name, what importers get: whether it is a function, and its comment."""
    by_name: dict[str, tuple[bool, str]] = {}
    offered = offered_names(items_of(host.db, file))
    summary = summary_of(source(host.db, file).text)
    for chunk in source(host.db, file).chunks:
        for item in chunk_tree(host.db, chunk.text).items:
            if item.name in offered:
                comment = documentation(chunk.text, item.start).removeprefix(summary).strip()
                by_name[item.name] = (isinstance(item, Function), comment)
    return by_name


def entry(library: Prepared, outcome: dict[str, Any] | None) -> dict[str, Any]:
    """The entry of a library; `outcome` is that of its job, None without one."""
    shown = {name: value for name, value in library.facts.items() if name in ("name", "functions") or value}
    shown |= {"passed": 0, "failed": 0}
    if outcome is not None and "tests" in outcome:
        run = tested([("tests", outcome, library.places)])
        shown |= {"passed": run["passed"], "failed": run["failed"] + run["not_run"]}
        failures = [
            {name: test[name] for name in ("name", "message", "line", "col") if name in test}
            for test in run["tests"]
            if test["status"] != "passed"
        ]
        if failures:
            shown["failures"] = failures[:_MOST]
    elif outcome is not None:
        shown["failures"] = [{"message": str(outcome.get("message", "the tests did not finish"))}]
    elif library.errors:
        shown["failures"] = list(library.errors)
    is_complete = not any(library.facts[name] for name in ("findings", "undocumented", "untested"))
    return {"ok": is_complete and bool(shown["passed"]) and "failures" not in shown} | shown


def stdlib_answer(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The answer about libraries."""
    wrong = [library["name"] for library in entries if not library["ok"]]
    fields = {
        "libraries": list(entries),
        "passed": sum(library["passed"] for library in entries),
        "failed": sum(library["failed"] for library in entries),
    }
    if wrong:
        return failure(error_kind="library_error", message=f"libraries with problems: {', '.join(wrong)}", **fields)
    return success(**fields)
