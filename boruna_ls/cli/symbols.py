"""`boruna-ls symbols`: what one program declares."""

from __future__ import annotations

import click

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.answers.symbols import symbols_answer
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.one import program_file, sentence
from boruna_ls.cli.output import complain, visible, write_answer
from boruna_ls.cli.programs import PATH


@click.command(short_help="List the declarations of a program.")
@click.argument("path", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_symbols.")
@disk_option
def command(path: str, as_json: bool) -> int:
    """Prints functions, records and enums of a file (- is standard input); exit status 1 if it does not parse."""
    opened = program_file(path)
    if opened is None:
        return 1
    session, program, file = opened
    error = parse_error(session.host.db, file)
    answer = error.as_flat() if error else symbols_answer(session.host.db, file)
    if as_json:
        write_answer(with_freshness(answer, session.host, file))
    elif error:
        complain(sentence(error.problem))
    else:
        for symbol in answer["symbols"]:
            exported = "export " if symbol["exported"] else ""
            print(f"{program.name}:{symbol['location']['line']}: {exported}{visible(symbol['signature'])}")
    return 1 if error else 0
