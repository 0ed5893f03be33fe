"""`boruna-ls size`: how large a module's functions are (spec chapter 06 section 10)."""

from __future__ import annotations

from typing import Any

import click

from analysis.bytecode.axbc import encode
from analysis.bytecode.module import Module
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.modules import fresh_module
from boruna_ls.cli.output import visible, write_json


@click.command(short_help="Show the size of a program's bytecode.")
@click.argument("path", type=click.Path(readable=False))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@libs_option
@disk_option
def command(path: str, as_json: bool) -> int:
    """Prints instructions, locals and capabilities of each function of a program or .axbc file."""
    opened = fresh_module(path)
    if opened is None:
        return 1
    module, fresh = opened
    answer = size_answer(module)
    if as_json:
        write_json(answer | fresh)
        return 0
    print(f"module '{visible(module.name)}' — bytecode size")
    print(f"  {'FUNCTION':24} {'ARITY':>6} {'LOCALS':>7} {'OPS':>6} {'CAPS':>6}")
    for row in answer["functions"]:
        numbers = f"{row['arity']:6} {row['locals']:7} {row['op_count']:6} {row['capability_count']:6}"
        print(f"  {visible(row['name']):24} {numbers}")
    totals = answer["totals"]
    print(
        f"  totals: {totals['function_count']} functions, {totals['total_ops']} ops, {totals['constants']} constants, "
        f"{totals['types']} types, {totals['globals']} globals"
    )
    print(f"  artifact: {answer['bytecode_bytes']} bytes (axbc format)")
    return 0


def size_answer(module: Module) -> dict[str, Any]:
    """The sizes of a module."""
    return {
        "module": module.name,
        "functions": [
            {
                "name": function.name,
                "arity": function.arity,
                "locals": function.locals,
                "op_count": len(function.code),
                "capability_count": len(function.capabilities),
            }
            for function in module.functions
        ],
        "totals": {
            "function_count": len(module.functions),
            "total_ops": sum(len(function.code) for function in module.functions),
            "constants": len(module.constants),
            "types": len(module.types),
            "globals": len(module.globals),
        },
        "bytecode_bytes": len(encode(module)),
        "bytecode_format": "axbc",
    }
