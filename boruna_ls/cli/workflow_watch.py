"""`boruna-ls workflow watch`: a run followed at the terminal, on a page of this machine, or by an editor."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Coroutine
from typing import Any

import click

from boruna_ls.cli.output import visible
from boruna_ls.cli.workflow_runs import carefully, is_shared, opened, with_data
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.local import DataFolder
from boruna_ls.workflow.records import RUNNING
from boruna_ls.workflow.store import Store

_LOOK = 0.2


@click.command("watch", short_help="Follow a run.")
@click.argument("run_id")
@click.option("--web", is_flag=True, help="Serve a page of the run on this machine, where you can decide at gates.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page (default: any free one).")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@click.option("--stdio", is_flag=True, help="For editors: the page and its updates as lines of JSON, actions on standard input.")
@click.option("--as", "approver", default="", help="Your name, recorded with your decisions.")
@with_data
def watch(run_id: str, data_dir: str | None, environment: str | None, **options: Any) -> int:
    """Shows a bar for each step, until the run ends or waits; on a pipe, a line for each change. With --web until interrupted.

    The address of the page contains a secret: anybody who knows it can decide as you.
    """

    def work() -> int:
        data = opened(data_dir, environment)
        if options["web"] or options["stdio"]:
            return _shown(data, run_id, options)
        if sys.stdout.isatty():
            from boruna_ls.cli.workflow_bars import follow

            follow(data.store, run_id)
            return 0
        return _printed(data.store, run_id)

    return carefully(work)


def _printed(store: Store, run_id: str) -> int:
    shown: dict[str, str] = {}
    while True:
        record, steps = store.run(run_id), store.steps(run_id)
        if record is None:
            raise WorkflowError(f"run not found: '{run_id}'")
        for step in steps.values():
            if shown.get(step.step_id) != step.status:
                shown[step.step_id] = step.status
                print(visible(f"{step.step_id}: {step.status}"), flush=True)
        if record.status != RUNNING:
            print(f"run: {record.status}")
            return 0
        time.sleep(_LOOK)


def _shown(data: DataFolder, run_id: str, options: dict[str, Any]) -> int:
    from boruna_ls.run_page.server import speaking
    from boruna_ls.run_page.watching import Watched

    place = ["--shared"] if is_shared() else ["--data-dir", os.path.abspath(data.shown)]

    async def speak() -> None:
        await speaking(Watched(data.store, run_id, place, options["approver"]))

    async def serve() -> None:
        await _served(Watched(data.store, run_id, place, options["approver"]), options["port"], options["opens"])

    return _run(speak() if options["stdio"] else serve())


def _run(work: Coroutine[Any, Any, None]) -> int:
    try:
        asyncio.run(work)
    except OSError as error:
        raise WorkflowError(str(error)) from None
    return 0


async def _served(watched: Any, port: int, opens: bool) -> None:
    from boruna_ls.loop import told_to_stop
    from boruna_ls.run_page.server import showing

    stopped = told_to_stop()
    async with showing(watched, port) as address:
        print(visible(f"{watched.title}: {address.url}"), flush=True)
        if opens:
            import webbrowser

            webbrowser.open(address.url)
        await stopped.wait()
