"""`boruna-ls replay`: runs a program on the answers of a recorded event log and compares."""

from __future__ import annotations

import click

from boruna_ls.answers.sealed import replay_answer
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.output import complain, note, visible, write_answer
from boruna_ls.cli.recording import recording_of
from boruna_ls.cli.running import policy_from, prepared, shown_text, text_of
from boruna_ls.runtime.execute import execute
from boruna_ls.runtime.job import Job, Mode, packed
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.worker import MEMORY_LIMIT, limit_memory


@click.command(short_help="Run a program against a recorded event log.")
@click.argument("path", type=click.Path(readable=False))
@click.argument("log", type=click.Path())
@click.option("-p", "--policy", "policy_name", default="allow-all", help="allow-all (default), deny-all, or a policy document.")
@click.option("--max-steps", type=click.IntRange(min=0), default=DEFAULT_MAX_STEPS, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the answer of the tool boruna_replay.")
@libs_option
@disk_option
def command(path: str, log: str, policy_name: str, max_steps: int, as_json: bool) -> int:
    """Compares every event of the run with LOG (made by run --record); exit status 1 if they differ."""
    policy = policy_from(policy_name)
    text = text_of(log)
    recording = recording_of(log) if text is not None else None
    if text is not None and recording is None and not as_json:
        return 1
    tools = recording.tools if recording is not None else None
    program = prepared(path, as_json, tools) if policy is not None and text is not None else None
    if program is None or policy is None or text is None:
        return 1
    limit_memory(MEMORY_LIMIT * 5 // 4)
    job = Job(packed(program.module), Mode.REPLAY, policy=policy, max_steps=max_steps, log=text)
    answer = replay_answer(execute(job), program.places, max_steps)
    if as_json:
        write_answer(answer | program.fresh)
    elif not answer["success"]:
        complain(answer["message"])
    else:
        if "error" in answer:
            note(f"replay error: {answer['error']['message']}")
        else:
            shown_text(f"replay result: {answer['result_text']}")
        verified = answer["replay_verified"]
        print("replay verification: Identical" if verified else "replay verification: Diverged")
        if not verified:
            print(f"  {visible(answer['replay_divergence_reason'])}")
            if answer["capability_calls_divergence_reason"] is not None:
                print(f"  {visible(answer['capability_calls_divergence_reason'])}")
    return 0 if answer["success"] and answer["replay_verified"] else 1
