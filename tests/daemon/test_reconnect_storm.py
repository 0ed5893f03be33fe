"""Fifty kills at random moments of three editors' sessions: no keystroke is lost, no answer comes twice, none is missing.

The seed is the run's own, printed in its header.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.text.source import Encoding, Source
from boruna_ls.rendezvous import places
from tests.support.daemon import Agent, editor, stopped
from tests.support.kills import process_of
from tests.support.lsp import NoAnswer, RawClient, edit
from tests.support.mcp_lines import request

KILLS = int(os.environ.get("BORUNA_KILLS", "15"))
FILES = 3
CALM = 8
SERVED = 1.5
PATIENCE = 300.0
PIECES = (
    "x",
    " ",
    "\n",
    "\r\n",
    "\r",
    '"é𝄞',
    '"',
    "{",
    "}",
    "// 🙂\n",
    "\u2028",
    "fn f(a: Int) -> Int {\n    a + missing\n}\n",
    "let b = 1\n",
)
TEXT = "".join(f"fn f{number}(a: Int) -> Int {{\n    a + g{number}\n}}\n\n" for number in range(20))


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the daemons that are killed here."""
    with pytest.MonkeyPatch.context() as fix:
        place = tmp_path_factory.mktemp("k") / "d"
        fix.setenv(places.VARIABLE, str(place))
        yield place
        stopped(place)


class Editor:
    """Types in some files as a person would, if a person typed like that; keeps what it was told."""

    def __init__(self, client: RawClient, root: Path, encoding: Encoding, chance: random.Random) -> None:
        self.encoding = encoding
        self.answers: Counter[Any] = Counter()
        self.heard = 0.0
        self.shown: dict[tuple[str, int], Any] = {}
        self.texts = {(root / f"{encoding}_{number}.ax").as_uri(): (TEXT, 1) for number in range(FILES)}
        self._client = client
        self._chance = chance
        self._asked: list[int] = []
        answer = client.initialize({"general": {"positionEncodings": [encoding.value]}}, rootUri=root.as_uri())
        assert answer["capabilities"]["positionEncoding"] == encoding.value
        for uri, (text, version) in self.texts.items():
            client.open(uri, text, version)

    def act(self) -> None:
        """One edit, now and then a question."""
        chance = self._chance
        uri = chance.choice(sorted(self.texts))
        text, version = self.texts[uri]
        changes = []
        for _ in range(chance.choice((1, 1, 3))):
            source = Source.from_text(text)
            start = chance.randrange(len(text) + 1)
            end = min(len(text), start + chance.choice((0, 0, 1, 2, 30)))
            spots = [source.lsp_position(offset, self.encoding) for offset in (start, end)]
            # A position cannot lie between CR and LF: what the server makes of it is what it means.
            start, end = (source.lsp_offset(*spot, self.encoding) for spot in spots)
            new = "".join(chance.choices(PIECES, k=chance.choice((0, 1, 1, 2))))
            changes.append(edit(spots[0], spots[1], new))
            text = text[:start] + new + text[end:]
        self.texts[uri] = text, version + 1
        self._client.change(uri, version + 1, *changes)
        if chance.random() < 0.3:
            where = {"line": chance.randrange(60), "character": chance.randrange(20)}
            self._asked.append(self._client.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": where}))

    def read(self, patience: float = 0.0) -> None:
        """Takes what has come."""
        try:
            while True:
                self._take(self._client.receive(patience))
                patience = 0.0
        except NoAnswer:
            # The forwarder goes on, whatever happens to its daemon.
            assert self._client.process.poll() is None, self._client.errors()

    def _take(self, message: dict[str, Any]) -> None:
        self.heard = time.monotonic()
        if "method" not in message:
            assert "result" in message or message["error"]["code"] == -32801, message
            self.answers[message["id"]] += 1
        elif message["method"] == "textDocument/publishDiagnostics":
            params = message["params"]
            self.shown[params["uri"], params["version"]] = params["diagnostics"]

    def is_settled(self) -> bool:
        """True if every request has an answer, and all diagnostics are about the last texts."""
        is_shown = all((uri, version) in self.shown for uri, (_, version) in self.texts.items())
        return is_shown and all(self.answers[id_] for id_ in self._asked)

    def diagnostics(self) -> list[Any]:
        """Diagnostics shown for the last texts."""
        return [self.shown[uri, version] for uri, (_, version) in sorted(self.texts.items())]


class Killer:
    """Kills daemons: some as soon as they listen, some in their work. Seldom enough one may serve everybody for a while,
    or the editors would rather have servers of their own.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.kills = 0
        self._folder = folder
        self._chance = chance
        self._killed: set[int] = set()
        self._last = self._due = time.monotonic()
        self._serves_since = 0.0

    def look(self, editors: list[Editor]) -> None:
        """Kills the daemon if it is time."""
        process = process_of(self._folder)
        if process is None or process in self._killed or time.monotonic() < self._due:
            return
        if self.kills % CALM == 0:
            if self._serves_since < self._last and all(each.heard > self._last for each in editors):
                self._serves_since = time.monotonic()
            if self._serves_since < self._last or time.monotonic() < self._serves_since + SERVED:
                return
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        self._killed.add(process)
        self.kills += 1
        self._last = time.monotonic()
        self._due = self._last + self._chance.choice((0.0, self._chance.random() * 0.6))


@pytest.mark.slow
def test_kills_while_three_editors_type(tmp_path: Path, folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    with editor(tmp_path) as one, editor(tmp_path) as two, editor(tmp_path) as three:
        editors = [
            Editor(client, tmp_path, encoding, chance) for client, encoding in zip((one, two, three), Encoding, strict=True)
        ]
        killer = Killer(folder, chance)
        deadline = time.monotonic() + PATIENCE
        while killer.kills < KILLS:
            assert time.monotonic() < deadline, f"only {killer.kills} daemons have come up"
            chance.choice(editors).act()
            for each in editors:
                each.read()
            killer.look(editors)
            time.sleep(chance.random() * 0.01)
        while not all(each.is_settled() for each in editors):
            assert time.monotonic() < deadline
            for each in editors:
                each.read(0.1)
        for each in editors:
            assert set(each.answers.values()) <= {1}, "an answer came twice"
            assert each.diagnostics() == of_a_fresh_server(tmp_path, each)
        agent = Agent(tmp_path).open()
        for each in editors:
            for uri, (text, _) in each.texts.items():
                path = Path(uri.removeprefix("file://"))
                seen = agent.ask(request(uri, "resources/read", {"uri": f"boruna://file/{path.name}"}))
                assert seen["result"]["contents"][0]["text"] == text
        agent.leave()


def of_a_fresh_server(root: Path, editor: Editor) -> list[Any]:
    """Diagnostics of a server that sees the last texts for the first time."""
    found = []
    with RawClient(root) as client:
        client.initialize({"general": {"positionEncodings": [editor.encoding.value]}}, rootUri=root.as_uri())
        for uri, (text, version) in sorted(editor.texts.items()):
            client.open(uri, text, version)
            found.append(client.published(uri, version))
    return found
