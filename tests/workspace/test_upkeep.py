"""Typing leaves nothing behind: what was computed about texts that are gone is let go, of every query alike."""

from __future__ import annotations

import random
import time
from pathlib import Path

from analysis.check import check_file
from analysis.ide.semantic_tokens import tokens
from analysis.upkeep import SPARE
from boruna_ls.workspace import Host
from boruna_ls.workspace.upkeep import EVERY

EDITS = 3 * EVERY
PROGRAM = "".join(f"fn f{n}(a: Int) -> Int {{\n    let b = a + {n}\n    b\n}}\n\n" for n in range(40))
PATIENCE = 60.0


def most(host: Host) -> tuple[int, str]:
    """The query that holds most answers."""
    return max((counts.live, name) for name, counts in host.db.statistics().items())


def test_edits_leave_nothing_behind(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    host = Host()
    client = host.connect([str(tmp_path)])
    path = str(tmp_path / "a.ax")
    file = host.open(client, path, PROGRAM)
    for number in range(EDITS):
        text = host.buffer(client, path)
        assert text is not None
        start = text.source.text.index("let ", dice.randrange(len(PROGRAM) - 200)) + 4
        host.change(client, path, text.source.edited(start, text.source.text.index(" =", start), f"b{number}"), number)
        check_file(host.db, file)
        tokens(host.db, file)
    bound = SPARE + EVERY + 100
    deadline = time.monotonic() + PATIENCE
    while most(host)[0] > bound:
        assert time.monotonic() < deadline, most(host)
        time.sleep(0.01)
    host.worker.stop()
    text = host.buffer(client, path)
    assert text is not None
    fresh = Host()
    again = fresh.open(fresh.connect([str(tmp_path)]), path, text.source.text)
    assert check_file(host.db, file) == check_file(fresh.db, again)
