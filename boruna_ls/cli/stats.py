"""`boruna-ls stats`: what the query database did while programs were checked, and what a second look costs."""

from __future__ import annotations

import time
from dataclasses import asdict

import click

from boruna_ls.cli.checking import check_program
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.output import complain, with_progress, write_json
from boruna_ls.cli.programs import PATH, Session, select
from boruna_ls.cli.totals import total

COLUMNS = ("executed", "reused", "verified", "cut_off", "evicted", "live")


@click.command(short_help="Show what the query database computed and reused.")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
@libs_option
def command(paths: tuple[str, ...], as_json: bool) -> int:
    """Checks programs twice (default: those below the current folder) and counts the runs of each query.

    `executed`: run; `reused`: answered from memory; `verified`: still valid without running; `cut off`: run again with
    the same answer, so that its dependents need not run; `live`: answers in memory.
    """
    session = Session()
    programs = select(paths).programs
    start = time.perf_counter()
    checked = [check_program(session, program) for program in with_progress(programs, "checking")]
    first = time.perf_counter() - start
    start = time.perf_counter()
    for program in programs:
        check_program(session, program)
    second = time.perf_counter() - start
    for entry in checked:
        if entry.unreadable:
            complain(f"{entry.program.name}: {entry.unreadable}")
    totals = total(checked)
    rows = {name: asdict(row) for name, row in sorted(session.host.db.statistics().items())}
    if as_json:
        seconds = {"first": round(first, 6), "second": round(second, 6)}
        coverage = {"checked": totals.files - totals.unreadable, "total": totals.files}
        fresh = {"revision": session.host.latest(), "coverage": coverage}
        write_json({"summary": totals.as_dict(), "seconds": seconds, "queries": rows, "freshness": fresh})
    else:
        print(f"{totals.sentence()}: {first * 1000:.1f} ms, again {second * 1000:.1f} ms")
        width = max([len(name) for name in rows], default=5)
        print(f"{'query':<{width}}" + "".join(f"{column.replace('_', ' '):>10}" for column in COLUMNS))
        for name, row in rows.items():
            print(f"{name:<{width}}" + "".join(f"{row[column]:>10}" for column in COLUMNS))
    return int(bool(totals.unreadable))
