"""`boruna-ls ast`: the syntax tree of one program as JSON (spec chapter 02 section 8)."""

from __future__ import annotations

import click

from analysis.syntax.tree_json import program_to_pretty
from boruna_ls.answers.ast import ast_answer, items_of
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.one import program_file, sentence
from boruna_ls.cli.output import complain, write_answer, write_exact
from boruna_ls.cli.programs import PATH


@click.command(short_help="Show the syntax tree of a program.")
@click.argument("path", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_ast.")
@disk_option
def command(path: str, as_json: bool) -> int:
    """Prints the syntax tree of a file (- is standard input) completely; exit status 1 if it does not parse."""
    opened = program_file(path)
    if opened is None:
        return 1
    session, _, file = opened
    db = session.host.db
    error = parse_error(db, file)
    if as_json:
        answer = error.as_list() if error else ast_answer(db, file)
        write_answer(with_freshness(answer, session.host, file))
    elif error:
        complain(sentence(error.problem))
    else:
        write_exact(program_to_pretty(items_of(db, file))[0] + "\n")
    return 1 if error else 0
