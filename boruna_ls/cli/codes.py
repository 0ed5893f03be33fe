"""`boruna-ls codes`: the table of the diagnostic codes."""

from __future__ import annotations

import click

from analysis.diagnostics.codes import CODES
from boruna_ls.answers.explain import row
from boruna_ls.cli.output import write_json


@click.command(short_help="List the diagnostic codes.")
@click.option("--json", "as_json", is_flag=True, help="The table as JSON.")
def command(as_json: bool) -> int:
    """Prints code, name, category and summary of every diagnostic."""
    if as_json:
        write_json({"codes": [dict(sorted(row(code).items())) for code in CODES.values()], "version": 1})
        return 0
    print(f"{'CODE':<6} {'NAME':<22} {'CATEGORY':<16} SUMMARY")
    for code in CODES.values():
        print(f"{code.code:<6} {code.name:<22} {code.category:<16} {code.summary}")
    return 0
