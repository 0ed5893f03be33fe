"""A daemon whose clock is set while it serves: waiting, freshness and what it knows of the disk do not depend on the time of day.

The time of the daemon's process is made up by libfaketime (Debian: libfaketime), which reads it from a file.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.rendezvous import installations
from tests.support.daemon import Agent, editor, is_running, status, stopped, until

LIBRARY = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
FAULTY = "fn main() -> Int {\n    five\n}\n"
JUMPS = ("+30y", "-20y", "+1h", "-400d")


@pytest.fixture
def clock(place: Path, tmp_path: Path) -> Iterator[Path]:
    """The file that says by how much the clock of this place's daemon is wrong."""
    file = tmp_path / "clock"
    file.write_text("+0")
    made_up = {
        "LD_PRELOAD": str(LIBRARY),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    place.mkdir(mode=0o700, exist_ok=True)
    with subprocess.Popen(
        [*installations.own("").command(), "--folder", str(place), "--first", "mcp"], env={**os.environ, **made_up}
    ) as process:
        until(lambda: (place / "daemon-1.json").exists())
        yield file
        stopped(place)
        process.wait(60)


@pytest.mark.skipif(LIBRARY is None, reason="no libfaketime: apt-get install libfaketime")
def test_jumps_of_the_clock_change_nothing(clock: Path, place: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.ax"
    program.write_text(CLEAN)
    process = status(place)["pid"]
    agent = Agent(tmp_path).open()
    with editor(tmp_path) as client:
        client.initialize()
        client.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": (tmp_path / "open.ax").as_uri(), "languageId": "boruna", "version": 1, "text": FAULTY}},
        )
        revisions = {agent.check(path="program.ax")["freshness"]["revision"]}
        for number, jump in enumerate(JUMPS):
            clock.write_text(jump)
            seen = status(place)
            assert (seen["pid"], is_running(process)) == (process, True)
            text = (FAULTY, CLEAN)[number % 2]
            # As long as the text before: only the stamps of the file tell that it is another one.
            program.write_text(text.ljust(len(CLEAN) + 10))
            answer = agent.check(path="program.ax")
            assert answer["diagnostics_count"] == (1, 0)[number % 2]
            assert answer["freshness"]["revision"] not in revisions
            revisions.add(answer["freshness"]["revision"])
            assert agent.check(path="open.ax")["freshness"]["source"] == "editor"
    agent.leave()
    # The clock of the daemon was made up indeed.
    log = (place / "daemon-1.log").read_text()
    assert any(not line.startswith(time.strftime("%Y-")) for line in log.splitlines() if " INFO " in line), log
