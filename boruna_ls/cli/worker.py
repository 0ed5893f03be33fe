"""`boruna-ls worker`: joins the machines that drive the runs of one PostgreSQL database."""

from __future__ import annotations

import asyncio

import click

from boruna_ls.cli.output import complain, note
from boruna_ls.cli.workflow_runs import tell
from boruna_ls.state.sql import StoreError
from boruna_ls.workflow.distributed import Worker


@click.command(short_help="Run workflows of a database that several machines share.")
@click.option("--database-url", required=True, help="postgresql://USER@HOST/DATABASE")
@click.option("--concurrency", type=click.IntRange(1, 100), default=5, help="Maximum number of concurrent runs.")
def command(database_url: str, concurrency: int) -> int:
    """Takes runs from the queue until it is interrupted, and takes over the runs of dead workers."""
    try:
        worker = Worker(database_url, concurrency, tell)
        note("worker: ready")
        asyncio.run(worker.serve())
    except StoreError as error:
        complain(str(error))
        return 1
    return 0
