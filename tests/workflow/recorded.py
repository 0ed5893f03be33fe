"""The recorded command-line scenarios of the corpus, played against the installed command.

`python -m tests.workflow.recorded [PART]` plays all of them (those whose id contains PART), prints each difference and the score.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from tests.support.commands import command
from tests.support.corpus import CONFORMANCE, tool, unpacked
from tests.support.improvements import improvements

runs_replay = tool(CONFORMANCE / "workflows" / "runs_replay.py")


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


class Recorded:
    """The scenarios of a copy of the area."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scenarios = {row["id"]: row for row in lines(folder / "runs.jsonl")}
        self.expected = {row["id"]: row for row in lines(folder / "runs.expected.jsonl")}
        self.left_out = {row["id"] for row in lines(folder / "corrected.jsonl") if row.get("skip")}

    def difference(self, name: str) -> str | None:
        """The first difference between what is recorded and what our command does."""
        played = runs_replay.Scenario([command("boruna-ls")], self.folder, self.scenarios[name]).play()
        found: str | None = runs_replay.first_difference(self.expected[name], played)
        return found


def main() -> int:
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
        recorded, allowed = Recorded(unpacked("workflows", Path(scratch))), improvements("workflow-runs")
        names = [name for name in recorded.scenarios if part in name and name not in recorded.left_out]
        wrong = 0
        for name in names:
            found = recorded.difference(name)
            if (found is None) == (name in allowed):
                wrong += 1
                print(f"{name}: {found or 'is equal by now: take its row out of improvements.md'}")
        print(f"{len(names) - wrong}/{len(names)} as expected, {len(allowed)} improvements, {len(recorded.left_out)} left out")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
