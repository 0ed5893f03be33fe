"""`boruna-ls caps`: capabilities that functions declare and need (spec chapter 06 section 11)."""

from __future__ import annotations

import click

from analysis.bytecode.required_capabilities import Needs, needs
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.modules import fresh_module
from boruna_ls.cli.output import visible, write_json


@click.command(short_help="Show the capabilities that a program's functions need.")
@click.argument("path", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@libs_option
@disk_option
def command(path: str, as_json: bool) -> int:
    """Compares declared and needed capabilities of functions of a program or .axbc file; exit status 1 for superfluous ones."""
    opened = fresh_module(path)
    if opened is None:
        return 1
    module, fresh = opened
    needed = needs(module)
    if as_json:
        write_json({"functions": [_row(need) for need in needed], "version": 1} | fresh)
    else:
        for need in needed:
            _print(need)
        over = any(need.over_declared for need in needed)
        missing = any(need.missing for need in needed)
        print()
        if over:
            print("over-declared capabilities found (granted but never used)")
        if missing:
            print("missing capabilities found (needed by what a function calls, not declared)")
        if not over and not missing:
            print("all capability declarations are minimal")
    return 1 if any(need.over_declared for need in needed) else 0


def _row(need: Needs) -> dict[str, object]:
    return {
        "declared": need.declared,
        "function": need.function,
        "missing": need.missing,
        "needed": need.needed,
        "over_declared": need.over_declared,
    }


def _print(need: Needs) -> None:
    print(f"fn {visible(need.function)}")
    print(f"  declared: {', '.join(need.declared) or '(none)'}")
    print(f"  needed:   {', '.join(need.needed) or '(none)'}")
    if need.over_declared:
        print(f"  over-declared: {', '.join(need.over_declared)}")
    if need.missing:
        print(f"  missing: {', '.join(need.missing)}")
