"""`boruna-ls simulate`: a workflow run many times in memory, and predicates about what came of it (chapter 16, section 13)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from boruna_ls.cli.output import visible, visible_json, write_exact
from boruna_ls.cli.workflow_runs import carefully
from boruna_ls.workflow.folders import WorkflowError, read_folder
from boruna_ls.workflow.local import refuse_invalid, run_ephemeral
from boruna_ls.workflow.policies import policy_option
from boruna_ls.workflow.predicates import PredicateError, Result, predicate, witnesses
from boruna_ls.workflow.store import Store

T = TypeVar("T")
_MOST = 100_000
_FIRST = 10


@click.command(short_help="Run a workflow many times and check predicates.")
@click.argument("folder", type=click.Path())
@click.option("--max-samples", type=int, default=1000, help="Runs, 1 to 100000.")
@click.option("--seed", type=int, default=0, help="Reported only: runs are deterministic.")
@click.option("--policy", default="allow-all", help="allow-all, deny-all or a policy file.")
@click.option("--invariant", help='Condition that every run must meet, such as status == "completed".')
@click.option("--witnesses", "witness_list", help="name=expression, …: counts how often each is true.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON.")
def command(folder: str, as_json: bool, **options: Any) -> int:
    """Effects are mocked; nothing is stored."""

    def work() -> int:
        report = _simulated(folder, **options)
        if as_json:
            write_exact(visible_json(json.dumps(report, ensure_ascii=False, indent=2)) + "\n")
        else:
            for name, value in report.items():
                print(visible(f"{name}: {value if not isinstance(value, list) else json.dumps(value, ensure_ascii=False)}"))
        return 0

    return carefully(work)


def _parsed(kind: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except PredicateError as error:
        raise WorkflowError(f"[simulate.{kind}] {error}") from None


def _simulated(
    folder: str, max_samples: int, seed: int, policy: str, invariant: str | None, witness_list: str | None
) -> dict[str, Any]:
    if not 1 <= max_samples <= _MOST:
        raise WorkflowError(f"[simulate.invalid_samples] invalid --max-samples={max_samples}: must be in 1..={_MOST}")
    holds = None if invariant is None else _parsed("invariant_parse", predicate, invariant)
    named = {} if witness_list is None else _parsed("witness_parse", witnesses, witness_list)
    try:
        document = read_folder(folder)
        refuse_invalid(document)
    except WorkflowError as error:
        raise WorkflowError(f"[simulate.invalid_workflow] {error}") from None
    allowed, started = policy_option(policy), time.monotonic()
    counts, violations = dict.fromkeys(named, 0), []
    for number in range(max_samples):
        store, run, _ = run_ephemeral(folder, document, allowed, lambda run, event: None)
        result = _result(store, run)
        store.close()
        if holds is not None and not holds(result):
            violations.append(number)
        for name, (_, witness) in named.items():
            counts[name] += witness(result)
    return {
        "workflow_name": document.definition.name,
        "total_samples": max_samples,
        "invariant_violations": len(violations),
        "run_errors": 0,
        "completed_runs": max_samples,
        "seed": seed,
        "elapsed_ms": int((time.monotonic() - started) * 1000),
        "witnesses": [
            {"name": name, "source": named[name][0], "trace_count": count, "total": max_samples, "frequency": count / max_samples}
            for name, count in counts.items()
        ],
        "first_violation_samples": violations[:_FIRST],
    }


def _result(store: Store, run: str) -> Result:
    record = store.run(run)
    assert record is not None
    steps = {name: (step.status, step.duration_ms) for name, step in store.steps(run).items()}
    return Result(record.status, record.duration_ms, steps)
