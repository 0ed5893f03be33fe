"""`boruna-ls capabilities`: what programs can ask of the outside world."""

from __future__ import annotations

import click

from boruna_ls.answers.policy import capabilities_answer
from boruna_ls.cli.output import write_answer


@click.command(short_help="List the capabilities.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_capability_list.")
def command(as_json: bool) -> int:
    """Prints names and versions of the capabilities, and their hash: servers with equal hashes have equal capabilities."""
    answer = capabilities_answer()
    if as_json:
        write_answer(answer)
        return 0
    print(f"capability_set_hash: {answer['capability_set_hash']}\n\ncapabilities ({len(answer['capabilities'])}):")
    for capability in answer["capabilities"]:
        print(f"  {capability['name']:<14} v{capability['version']}")
    print(f"\nof boruna-ls alone ({len(answer['extensions'])}):")
    for capability in answer["extensions"]:
        print(f"  {capability['name']:<14} v{capability['version']}")
    return 0
