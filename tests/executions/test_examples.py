"""The example programs with scripted minds; the command line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from boruna_ls.executions.records import LoggedCall
from tests.executions.stories import begun, driven, service_in
from tests.support.commands import run

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "executions"


def triager(task: LoggedCall) -> str:
    if task.prompt.startswith("How urgent"):
        return "4"
    return next(
        word for start, word in (("Crash", "bug"), ("Add", "feature"), ("How", "question")) if f": {start}" in task.prompt
    )


def reviewer(task: LoggedCall) -> str:
    if task.prompt.startswith("Rate"):
        return "8" if "better" in task.prompt else "3"
    return "better" if task.prompt.startswith("Write it again") else "a draft"


def guesser(task: LoggedCall) -> str:
    """Halves what is left."""
    told = re.findall(r"(higher|lower) than (\d+)", task.prompt)
    low = max((int(number) for word, number in told if word == "higher"), default=0)
    high = min((int(number) for word, number in told if word == "lower"), default=101)
    return str((low + high) // 2)


@pytest.mark.parametrize(
    "name, mind, inputs, result",
    [
        ("triage", triager, {}, "#101 bug, urgency 4\n#102 feature, later\n#103 question, later\n1 bugs"),
        ("reviewer", reviewer, {"topic": "databases"}, "better (8 of 10, 2 tries)"),
        ("game", guesser, {"number": 37}, "found in 3 guesses"),
    ],
)
def test_examples_come_to_their_results(
    tmp_path: Path, name: str, mind: Callable[[LoggedCall], str], inputs: dict[str, object], result: str
) -> None:
    service = service_in(tmp_path)
    execution = driven(service, begun(service, (EXAMPLES / f"{name}.ax").read_text("utf-8"), inputs=inputs))
    while execution.state == "AWAITING_COGNITIVE_RESULT":
        service.submit(execution, mind(service.store.open_tasks(execution.key)[0]), None)
        execution = driven(service, execution)
    assert json.loads(execution.outcome["result"]) == result
    service.driver.close()


def test_examples_have_a_test() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ax")} == {"triage", "reviewer", "game"}


def test_the_command_line_asks_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    game = str(EXAMPLES / "game.ax")
    begun = run("exec", "run", game, "--id", "one", "--input", "number=37", stdin="50\nno number\n")
    assert begun.returncode == 1
    assert "does not fit the schema" in begun.stderr
    assert "It is lower than 50. Your guess?" in begun.stderr
    assert "boruna-ls exec resume one" in begun.stderr
    answered = json.loads(run("exec", "answer", "one", "20").stdout)
    assert (answered["status"], answered["prompt"].endswith("It is higher than 20. Your guess?")) == ("waiting", True)
    if os.name != "nt":
        ended = run("exec", "resume", "one", "--answer-with", "cat > /dev/null; echo 37")
        assert (ended.returncode, ended.stdout) == (0, "found in 3 guesses\n"), ended.stderr
    record = json.loads(run("exec", "show", "one", "--json").stdout)
    assert [task["answer"] for task in record["tasks"]][:2] == ["50", "20"]
