"""Freshness under fire: while an editor types, a shell writes and git switches branches, agents and another editor keep asking.

Each text holds a label that its only diagnostic names, and it is known when a text was sent and when it was acknowledged. So each
answer can be judged: it must describe a text that was not outdated before the question, and the one that it says it describes.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.support.daemon import status
from tests.support.live import Agent, Editor

EDITS = 150
AGENTS = 3
CANDIDATES = 100
PATIENCE = 120.0
TEXT = "fn main() -> Int {{\n    let a = 1\n    a + missing_{label}\n}}\n"
LABEL = re.compile(r"missing_(\w+)")


def labels_in(text: str) -> list[str]:
    """The labels that a text names, each once."""
    return list(dict.fromkeys(LABEL.findall(text)))


class History:
    """The labels of one file's texts in order; which of them a question may be answered with."""

    def __init__(self, label: str) -> None:
        self._labels = [label]
        self._acknowledged = 0

    @contextmanager
    def next(self, label: str) -> Iterator[None]:
        """Around whatever makes this the text."""
        self._labels.append(label)
        yield
        self._acknowledged = len(self._labels) - 1

    def now(self) -> int:
        """Before a question: the text that everybody has acknowledged."""
        return self._acknowledged

    def since(self, number: int) -> list[str]:
        """After the answer: the labels that it may have."""
        return self._labels[number:]

    def last(self) -> str:
        return self._labels[-1]


class Fire:
    """The workspace, the histories of its files, and what was seen that must not be."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.root = folder / "ws"
        self.root.mkdir()
        (self.root / "boruna.toml").write_text("")
        self.typed = [self.root / f"typed_{number}.ax" for number in range(2)]
        self.written = [self.root / f"written_{number}.ax" for number in range(3)]
        self.switched = [self.root / f"switched_{number}.ax" for number in range(5)]
        for branch in ("two", "one"):
            for path in self.switched:
                path.write_text(TEXT.format(label=branch))
            if branch == "two":
                self.git("init", "--quiet", "--initial-branch", branch)
                self.git("add", ".")
            else:
                self.git("checkout", "--quiet", "-b", branch)
            self.git("commit", "--quiet", "-a", "-m", branch)
        self.histories = {path: History("one") for path in self.switched}
        for path in (*self.typed, *self.written):
            path.write_text(TEXT.format(label="0"))
            self.histories[path] = History("0")
        self.seed = seed
        self.writers = 3
        self.switches = 0
        """Odd while git is at it: then a file may be missing for a moment."""
        self.answers = 0
        self.wrong: list[str] = []
        self._digests: dict[tuple[str, Path], str] = {}
        self._lock = threading.Lock()

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.invalid"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def is_burning(self) -> bool:
        return self.writers > 0 and not self.wrong

    # ---- writers ------------------------------------------------------------------------------------------------

    def type(self, editor: Editor, dice: random.Random) -> None:
        for number in range(1, EDITS + 1):
            path = dice.choice(self.typed)
            text = editor.texts[path]
            label = LABEL.search(text)
            assert label is not None
            with self.histories[path].next(str(number)):
                editor.type(path, *label.span(1), str(number))
                editor.settle()
            if dice.random() < 0.1:
                # What lies under an open buffer is nobody's business.
                path.write_text(TEXT.format(label=f"under_{number}"))
            time.sleep(dice.random() * 0.03)

    def write(self, dice: random.Random) -> None:
        for number in range(1, EDITS + 1):
            path = dice.choice(self.written)
            with self.histories[path].next(str(number)):
                if dice.random() < 0.5:
                    # All texts are as long as the one before: only the times of the file tell that it is another one.
                    new = path.with_suffix(".new")
                    new.write_text(TEXT.format(label=str(number)))
                    new.replace(path)
                else:
                    with open(path, "r+b") as file:
                        file.write(TEXT.format(label=str(number)).encode())
                        file.truncate()
            time.sleep(dice.random() * 0.03)

    def switch(self, dice: random.Random) -> None:
        for number in range(EDITS // 10):
            branch = ("two", "one")[number % 2]
            self.switches += 1
            with self._all_switched(branch):
                self.git("checkout", "--quiet", branch)
            self.switches += 1
            time.sleep(dice.random() * 0.3)

    @contextmanager
    def _all_switched(self, label: str, number: int = 0) -> Iterator[None]:
        if number == len(self.switched):
            yield
            return
        with self.histories[self.switched[number]].next(label), self._all_switched(label, number + 1):
            yield

    # ---- those who ask ------------------------------------------------------------------------------------------

    def ask(self, agent: Agent, dice: random.Random) -> None:
        revision = 0
        while self.is_burning():
            path = dice.choice(sorted(self.histories))
            way = dice.choice([self._check, self._diagnostics, self._text, self._everything])
            number = way(agent, path)
            self.expect(number is None or number >= revision, f"revision {number} after {revision}")
            revision = number or revision

    def pull(self, editor: Editor, dice: random.Random) -> None:
        while self.is_burning():
            path = dice.choice(sorted(self.histories))
            with self._item_diagnostics(path) as said:
                said += labels_in(json.dumps(editor.pull(path)))

    def try_edits(self, agent: Agent, dice: random.Random) -> None:
        while self.is_burning():
            path = dice.choice([*self.typed, *self.written])
            texts = {str(number): TEXT.format(label=f"candidate_{number}") for number in range(CANDIDATES)}
            candidates = [{"label": label, "files": {str(path): text}} for label, text in texts.items()]
            answer = agent.tool("try_edits", candidates=candidates)
            self.expect(answer["best"] in texts and not answer["written"], str(answer)[:500])
            told = [one["label"] for one in answer["candidates"]]
            self.expect(set(told) <= set(texts) and (len(told) == CANDIDATES or "omitted" in answer), str(answer)[:500])

    def _check(self, agent: Agent, path: Path) -> int | None:
        return self._one(path, lambda: agent.tool("boruna_check", path=str(path)))

    def _diagnostics(self, agent: Agent, path: Path) -> int | None:
        return self._one(path, lambda: json.loads(agent.resource("file-diagnostics", path)))

    def _text(self, agent: Agent, path: Path) -> None:
        with self._item_diagnostics(path) as said:
            try:
                said += labels_in(agent.resource("file", path))
            except AssertionError as error:
                self.missing(path, error)

    def _one(self, path: Path, ask: Callable[[], dict[str, Any]]) -> int | None:
        with self._item_diagnostics(path) as said:
            try:
                answer = ask()
            except AssertionError as error:
                self.missing(path, error)
                return None
            if not answer["success"]:
                self.missing(path, answer)
                return None
            said += labels_in(str([one["message"] for one in answer["diagnostics"]]))
            fresh = answer["freshness"]
            text = TEXT.format(label=said[0]) if said else ""
            self.expect(fresh["sha256"] == sha256(text.encode()).hexdigest(), f"{path.name}: {fresh} is not that of {said}")
            self.expect(fresh["source"] == ("editor" if path in self.typed else "disk"), f"{path.name}: {fresh}")
            self.expect(fresh["coverage"] == {"checked": 1, "total": 1}, str(fresh))
            with self._lock:
                known = self._digests.setdefault((fresh["revision"], path), fresh["sha256"])
            self.expect(known == fresh["sha256"], f"{path.name}: two texts at {fresh['revision']}")
        return int(fresh["revision"].rpartition("-")[2])

    def _everything(self, agent: Agent, _: Path) -> None:
        begun = {path: history.now() for path, history in self.histories.items()}
        switches = self.switches
        found, coverage = agent.everything()
        labels = {path: labels_in(str([one["message"] for one in found.get(str(path), [])])) for path in self.histories}
        if switches % 2 or switches != self.switches:
            labels = {path: said for path, said in labels.items() if said or path not in self.switched}
        else:
            self.expect(coverage == {"checked": len(self.histories), "total": len(self.histories)}, str(coverage))
        for path, said in labels.items():
            self.judge(path, begun[path], said)

    # ---- judgement ----------------------------------------------------------------------------------------------

    @contextmanager
    def _item_diagnostics(self, path: Path) -> Iterator[list[str]]:
        said: list[str] = []
        begun, switches = self.histories[path].now(), self.switches
        yield said
        if not said and path in self.switched and (switches % 2 or switches != self.switches):
            return
        self.judge(path, begun, said)

    def judge(self, path: Path, begun: int, said: list[str]) -> None:
        allowed = self.histories[path].since(begun)
        self.expect(len(said) == 1 and said[0] in allowed, f"{path.name}: told {said}, true is one of {allowed}")
        self.answers += 1

    def missing(self, path: Path, reason: object) -> None:
        self.expect(path in self.switched, f"{path.name}: {reason}")

    def expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.wrong.append(otherwise)


def test_no_answer_is_older_than_the_question(tmp_path: Path, place: Path, seed: int) -> None:
    fire = Fire(tmp_path, seed)
    with ExitStack() as stack:
        agents = [stack.enter_context(Agent(fire.root)) for _ in range(AGENTS + 1)]
        typing, reading = stack.enter_context(Editor(fire.root)), stack.enter_context(Editor(fire.root, pulls=True))
        for path in fire.typed:
            typing.show(path, path.read_text())
        typing.settle()
        threads: list[threading.Thread] = []

        def start(work: Callable[..., None], *arguments: Any, writes: bool = False) -> None:
            dice = random.Random(f"{seed}:{len(threads)}")

            def run() -> None:
                try:
                    work(*arguments, dice)
                except BaseException as error:
                    fire.wrong.append(f"{work.__name__}: {error!r}")
                finally:
                    fire.writers -= writes

            threads.append(threading.Thread(target=run, daemon=True))

        start(fire.type, typing, writes=True)
        start(fire.write, writes=True)
        start(fire.switch, writes=True)
        for agent in agents[1:]:
            start(fire.ask, agent)
        start(fire.try_edits, agents[0])
        start(fire.pull, reading)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert fire.wrong == []
        assert not any(thread.is_alive() for thread in threads)
        assert fire.answers > 100
        # The candidates have moved nothing, and what everybody sees in the end is what was written last.
        for path, history in fire.histories.items():
            assert labels_in(agents[1].resource("file", path)) == [history.last()]
            if path not in fire.typed:
                assert path.read_text() == TEXT.format(label=history.last())
        assert len(status(place)["clients"]) == len(agents) + 2
        for agent in agents:
            assert agent.end()[0] == 0
