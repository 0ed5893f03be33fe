"""`boruna-ls run`: runs a program, tells its result and its steps, and where they went if asked."""

from __future__ import annotations

import os
from typing import Any

import click

from boruna_ls.answers.profile import profile_answer
from boruna_ls.answers.run import run_answer
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.flame import flame_graph
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.live import live_handler, may_act
from boruna_ls.cli.output import complain, visible, write_answer, write_debug
from boruna_ls.cli.recording import Recording, recorded_text, recording_of
from boruna_ls.cli.running import Prepared, inputs_from, policy_from, prepared, shown_text, tell_failure
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.execute import finished, mock_of
from boruna_ls.runtime.forms import display, tagged
from boruna_ls.runtime.gateway import Gateway, Handler
from boruna_ls.runtime.job import TRACE_LINES, Job, packed
from boruna_ls.runtime.json_text import pretty
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS, Options
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.profile import Profiler
from boruna_ls.runtime.replay import Recorded, call_difference
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.runtime.values import type_name
from boruna_ls.runtime.worker import MEMORY_LIMIT, limit_memory
from boruna_ls.workspace.disk import reason_of


@click.command(short_help="Run a program.")
@click.argument("path", type=click.Path(readable=False))
@click.option("-p", "--policy", "policy_name", default="allow-all", help="allow-all (default), deny-all, or a policy document.")
@click.option("--max-steps", type=click.IntRange(min=0), default=DEFAULT_MAX_STEPS, show_default=True)
@click.option("--trace", is_flag=True, help=f"List the first {TRACE_LINES} executed instructions.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=JSON", help="An answer of step_input; can be repeated.")
@click.option("--live", is_flag=True, help="Real effects, on what a policy document names or the owner's permissions allow.")
@click.option("--yes", is_flag=True, help="Required with --live if standard input is not a terminal.")
@click.option("--record", type=click.Path(), metavar="LOG", help="Write the event log to a file.")
@click.option("--replay", type=click.Path(), metavar="LOG", help="Answer all calls from a log; any other call fails.")
@click.option(
    "--profile", is_flag=False, flag_value="", default=None, metavar="[SVG]", help="Show steps and time by function and line."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_run.")
@libs_option
@disk_option
def command(
    path: str,
    policy_name: str,
    max_steps: int,
    trace: bool,
    inputs: tuple[str, ...],
    live: bool,
    yes: bool,
    record: str | None,
    replay: str | None,
    profile: str | None,
    as_json: bool,
) -> int:
    """Runs main of an .ax file (- is standard input) or of an .axbc file; exit status 1 if it fails.

    A --live run also fails if main returns Err. It reaches targets that the policy names, or that `boruna-ls trust` allows.
    """
    if live and not may_act(yes):
        return 2
    if replay is not None and (live or record is not None):
        raise click.UsageError("--replay cannot be combined with --live or --record")
    policy = policy_from(policy_name)
    given = inputs_from(inputs)
    recording = recording_of(replay) if replay is not None else None
    if replay is not None and recording is None:
        return 1
    tools = recording.tools if recording is not None else None
    program = prepared(path, as_json, tools) if policy is not None else None
    if program is None or policy is None:
        return 1
    limit_memory(MEMORY_LIMIT * 5 // 4)
    job = Job(packed(program.module), policy=policy, max_steps=max_steps, inputs=given, live=live)
    log = EventLog()
    handler = live_handler(policy, given, path) if live else mock_of(job)
    gateway = _gateway(policy, handler, recording, log)
    profiler = Profiler() if profile is not None else None
    lines = TRACE_LINES if trace else 0
    options = Options(max_steps=max_steps, trace_lines=lines, gateway=gateway, log=log, observer=profiler, debug=write_debug)
    outcome = run_module(program.module, options)
    profiled = _profiled(profiler, program)
    if as_json:
        answer = run_answer(finished(outcome, gateway, job), program.places, max_steps, trace) | program.fresh
        write_answer(answer | ({"profile": profiled} if profiled else {}))
    else:
        _tell(path, outcome, program)
    if profiler is not None:
        if not as_json:
            _tell_profile(profiled)
        if not _draw(profile, profiler, program, path, as_json):
            return 1
    if outcome.error is None and record is not None:
        if not _write(record, recorded_text(log, program.tools, program.servers)):
            return 1
        click.echo(f"events recorded to {visible(record)}", err=as_json)
    if recording is not None and (reason := call_difference(recording.log, log)) is not None:
        complain(f"the run differs from the recording: {reason}")
        return 1
    # What a live run was to do to the world was not done, if it ends in Err.
    return int(outcome.error is not None or (live and type_name(outcome.value) == "Err"))


def _profiled(profiler: Profiler | None, program: Prepared) -> dict[str, Any]:
    if profiler is None:
        return {}
    profiler.finish()
    return profile_answer(profiler, program.places)


def _gateway(policy: Policy, handler: Handler, recording: Recording | None, log: EventLog) -> Gateway:
    """Gateway for the run's calls: answers from a recorded log, if there is one."""
    if recording is not None:
        return Gateway(policy, Recorded(recording.log), log, gives_values=True)
    return Gateway(policy, handler, log)


def _draw(name: str | None, profiler: Profiler, program: Prepared, path: str, as_json: bool) -> bool:
    """Writes the flame graph of a run."""
    target = name or f"{os.path.splitext(os.path.basename(path))[0]}.profile.svg"
    if not _write(target, flame_graph(profiler, program.module, path)):
        return False
    click.echo(f"flame graph: {visible(target)}", err=as_json)
    return True


def _tell(path: str, outcome: RunOutcome, program: Prepared) -> None:
    if outcome.error is not None:
        tell_failure(path, outcome.error, program.places)
    else:
        shown_text(display(outcome.value))
    if outcome.ui_output:
        print("\n--- UI Output ---")
        for value in outcome.ui_output:
            shown_text("".join(pretty(tagged(value))))
    if outcome.trace:
        print(f"\n--- Trace ({outcome.steps} steps) ---")
        for line in outcome.trace:
            shown_text(f"  {line}")
        if outcome.trace_truncated:
            print(f"  … the first {TRACE_LINES} steps; `boruna-ls trace` shows all")
    print(f"steps: {outcome.steps}")


def _tell_profile(profile: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    whole = max(profile["steps"], 1)
    tables: list[tuple[str, list[str], list[list[str]]]] = [
        ("by function", ["function", "calls"], [[entry["function"], str(entry["calls"])] for entry in profile["functions"]]),
        (
            "by line",
            ["function", "line"],
            [
                [entry["function"], f"{entry['file']}:{entry['line']}" if "file" in entry else str(entry["line"])]
                for entry in profile["lines"]
            ],
        ),
    ]
    for (title, names, rows), used in zip(tables, (profile["functions"], profile["lines"]), strict=True):
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for name in (*names, "steps", "%", "ms"):
            table.add_column(name, justify="left" if name == "function" else "right")
        for row, entry in zip(rows, used, strict=True):
            share = [str(entry["steps"]), f"{100 * entry['steps'] / whole:.1f}", f"{entry['ms']:.3f}"]
            table.add_row(*(Text(visible(cell)) for cell in (*row, *share)))
        console.print(table)
        console.print()


def _write(path: str, text: str) -> bool:
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        complain(f"{path}: {reason_of(error)}")
        return False
    return True
