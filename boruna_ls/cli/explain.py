"""`boruna-ls explain CODE`: the page of a diagnostic."""

from __future__ import annotations

import sys

import click

from boruna_ls.answers.explain import explain_answer
from boruna_ls.cli.output import complain, listed, write_answer


@click.command(short_help="Explain a diagnostic code.")
@click.argument("code")
@click.option("--json", "as_json", is_flag=True, help="The page and its row in the table of codes as JSON.")
def command(code: str, as_json: bool) -> int:
    """Prints the meaning of a code like E003, why it matters, and how to fix it."""
    answer = explain_answer(code)
    if as_json:
        write_answer(answer)
    elif not answer["success"]:
        similar = listed(answer["similar"])
        complain(answer["message"] + (f"; similar: {similar}" if similar else "; `boruna-ls codes` lists them all"))
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(answer["explanation"]))
    else:
        print(answer["explanation"].rstrip("\n"))
    return 0 if answer["success"] else 1
