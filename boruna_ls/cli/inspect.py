"""`boruna-ls inspect`: a module as text (spec chapter 06 section 7.1)."""

from __future__ import annotations

import os

import click

from analysis.bytecode.disassembly import disassembly
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.inspect import inspect_answer, inspected
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.modules import compiled, loaded, module_name, module_of
from boruna_ls.cli.output import complain, visible, write_answer, write_exact
from boruna_ls.cli.programs import STDIN


@click.command(short_help="Show the bytecode of a program or module.")
@click.argument("path", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_inspect.")
@libs_option
@disk_option
def command(path: str, as_json: bool) -> int:
    """Prints the disassembly of an .ax program (- is standard input) or of an .axbc file; exit status 1 on errors."""
    extension = os.path.splitext(path)[1].removeprefix(".")
    if path != STDIN and extension not in ("ax", "axbc"):
        complain(f"unknown file extension: {extension}")
        return 1
    if as_json:
        return _json(path)
    module = module_of(path)
    if module is None:
        return 1
    write_exact(visible(disassembly(module)))
    return 0


def _json(path: str) -> int:
    if path.endswith(".axbc"):
        module = loaded(path)
        if module is None:
            return 1
        write_answer(inspected(module))
        return 0
    compilation = compiled(path)
    if compilation is None:
        return 1
    session, file, outcome = compilation
    answer = inspect_answer(session.host.db, file, module_name(path))
    write_answer(with_freshness(answer, session.host, file))
    return 0 if outcome.module is not None else 1
