"""`boruna-ls compile`: a program to an `.axbc` file (spec chapter 06 section 10)."""

from __future__ import annotations

import errno
import os
from typing import BinaryIO

import click

from analysis.bytecode.axbc import encode_file
from boruna_ls.answers.compile import compile_answer
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.modules import compiled, module_name, tell
from boruna_ls.cli.output import complain, visible, write_answer
from boruna_ls.cli.programs import STDIN
from boruna_ls.workspace.disk import reason_of


@click.command(short_help="Compile a program to bytecode.")
@click.argument("path", type=click.Path(readable=False))
@click.option("-o", "--output", type=click.Path(), help="File to write (default: PATH with the extension axbc).")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_compile; writes a file only with -o."
)
@libs_option
@disk_option
def command(path: str, output: str | None, as_json: bool) -> int:
    """Compiles a file with its imports (- is standard input); exit status 1 if it does not compile."""
    compilation = compiled(path)
    if compilation is None:
        return 1
    session, file, outcome = compilation
    if as_json:
        answer = compile_answer(session.host.db, file, module_name(path))
        write_answer(with_freshness(answer, session.host, file))
    elif outcome.module is None:
        tell(session, path, file, outcome)
    elif output is None and path == STDIN:
        complain("standard input has no name: choose an output file with -o")
        return 1
    if outcome.module is None:
        return 1
    if as_json and output is None:
        return 0
    target = output if output is not None else os.path.splitext(path)[0] + ".axbc"
    if os.path.exists(target) and path != STDIN and os.path.samefile(target, path):
        complain(f"{target}: is the program file itself: choose an output file with -o")
        return 1
    try:
        with _opened(target, is_chosen=output is not None) as written:
            written.write(encode_file(outcome.module))
    except OSError as error:
        complain(f"{target}: {reason_of(error)}")
        return 1
    if not as_json:
        module = outcome.module
        print(f"compiled {visible(path)} -> {visible(target)}")
        print(f"  {len(module.functions)} functions, {len(module.constants)} constants, {len(module.types)} types")
    return 0


def _opened(target: str, is_chosen: bool) -> BinaryIO:
    """The file to write. One that we name ourselves is never written through a link: it may have come with a repository."""
    if is_chosen or not os.path.islink(target):
        return open(target, "wb")
    raise OSError(errno.ELOOP, "is a symbolic link: remove it, or choose an output file with -o")
