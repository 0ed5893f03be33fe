"""`boruna-ls stdlib check`: libraries with the tests beside them."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from boruna_ls.answers.envelope import described
from boruna_ls.answers.stdlib import entry, prepared, sources_of, stdlib_answer
from boruna_ls.cli.libs import chosen_libs, libs_option
from boruna_ls.cli.output import complain, listed, visible, write_answer
from boruna_ls.runtime.execute import execute
from boruna_ls.workspace import Host


@click.group(short_help="Check libraries and run their tests.")
def command() -> None:
    """The libraries that programs import."""


@command.command("check", short_help="Check libraries and run their tests.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool.")
@libs_option
def check(names: tuple[str, ...], as_json: bool) -> int:
    """Checks libraries (without a NAME: all): diagnostics, functions without a comment or a test, failing tests.

    The tests of a library are the functions test_… without parameters in NAME/tests/core.ax. Exit status 1 for any problem.
    """
    libs = chosen_libs() or ""
    libs = os.path.abspath(libs) if libs else ""
    sources = sources_of(libs)
    for name in names:
        if name not in sources:
            complain(f"there is no library {visible(name)}; there are {listed(list(sources))}")
            return 2
    host = Host(libs_dir=libs or None)
    entries = [_entry(host, libs, name, sources[name]) for name in dict.fromkeys(names or sources)]
    answer = stdlib_answer(entries)
    if as_json:
        write_answer(described(answer, host.latest()))
    else:
        for library in entries:
            _tell(library)
        print(f"{answer['passed']} tests passed, {answer['failed']} failed, in {len(entries)} libraries")
    return 0 if answer["success"] else 1


def _entry(host: Host, libs: str, name: str, path: str) -> dict[str, Any]:
    library = prepared(host, libs, name, path)
    outcome = None if library.job is None else json.loads(json.dumps(execute(library.job())))
    return entry(library, outcome)


def _tell(library: dict[str, Any]) -> None:
    print(
        f"{'ok' if library['ok'] else 'WRONG':5} {visible(library['name'])}: {library['functions']} functions, "
        f"{library['passed']} tests passed"
    )
    for line in library.get("findings", ()):
        print(visible(f"      {line}"))
    for about in ("undocumented", "untested"):
        if about in library:
            print(visible(f"      {about}: {', '.join(library[about])}"))
    for failed in library.get("failures", ()):
        where = f" (line {failed['line']})" if "line" in failed else ""
        print(visible(f"      {failed.get('name', 'tests')}{where}: {failed['message']}"))
    if not library["passed"] and "failures" not in library:
        print("      no tests")
