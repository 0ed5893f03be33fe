"""`boruna-ls trace`: every instruction that a program executes, as it is executed."""

from __future__ import annotations

import click

from analysis.bytecode.module import Op
from boruna_ls.answers.trace import trace_answer
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.output import visible, write_answer, write_debug
from boruna_ls.cli.running import inputs_from, policy_from, prepared, shown_text, tell_failure
from boruna_ls.runtime.execute import execute, mock_of
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.interpreter import Frame, Machine
from boruna_ls.runtime.job import TRACE_LINES, Job, packed
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS, Options
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.trace import op_text
from boruna_ls.runtime.worker import MEMORY_LIMIT, limit_memory


@click.command(short_help="List the executed instructions of a program.")
@click.argument("path", type=click.Path(readable=False))
@click.option("-p", "--policy", "policy_name", default="allow-all", help="allow-all (default), deny-all, or a policy document.")
@click.option("--max-steps", type=click.IntRange(min=0), default=DEFAULT_MAX_STEPS, show_default=True)
@click.option("--input", "inputs", multiple=True, metavar="NAME=JSON", help="An answer of step_input; can be repeated.")
@click.option(
    "--json", "as_json", is_flag=True, help=f"Print JSON: the answer of the tool boruna_trace ({TRACE_LINES} instructions)."
)
@libs_option
@disk_option
def command(path: str, policy_name: str, max_steps: int, inputs: tuple[str, ...], as_json: bool) -> int:
    """Runs main of a file and prints each instruction with its place; exit status 1 if the program fails."""
    policy = policy_from(policy_name)
    given = inputs_from(inputs)
    program = prepared(path, as_json) if policy is not None else None
    if program is None or policy is None:
        return 1
    limit_memory(MEMORY_LIMIT * 5 // 4)
    job = Job(packed(program.module), policy=policy, max_steps=max_steps, inputs=given, trace_lines=TRACE_LINES, trace_offset=0)
    if as_json:
        answer = trace_answer(execute(job), program.places, max_steps, 0)
        write_answer(answer | program.fresh)
        return 0 if answer["success"] else 1
    places: dict[tuple[int, int], str] = {}

    def show(machine: Machine, frame: Frame, op: Op) -> None:
        key = (frame.function, frame.ip)
        where = places.get(key)
        if where is None:
            at = program.places.at(*key)
            where = places[key] = (
                f"{visible(at['file'] + ':') if 'file' in at else ''}{at['line']}:{at['col']}" if "line" in at else ""
            )
        print(f"  {where:>8}  [{visible(frame.code.name)}:{frame.ip}] {op_text(op)}  stack_depth={len(machine.stack)}")

    options = Options(max_steps=max_steps, gateway=Gateway(policy, mock_of(job)), observer=show, debug=write_debug)
    outcome = run_module(program.module, options)
    print(f"--- {outcome.steps} steps ---")
    if outcome.error is not None:
        tell_failure(path, outcome.error, program.places)
        return 1
    shown_text(f"result: {display(outcome.value)}")
    return 0
