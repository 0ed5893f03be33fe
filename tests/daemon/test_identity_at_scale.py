"""An editor, an agent and the disk change one workspace at random; after each step every channel says the same.

What is right is what a fresh database says of the same texts, written to a folder of their own. The editors are pushed to
(one) and ask (the other), the agents ask tools and read resources, the command line checks the folder in which they work; a
process that knows nothing of a daemon checks the copy.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from boruna_ls.workspace import Host
from tests.support.commands import run
from tests.support.daemon import status
from tests.support.diagnostics import (
    Diagnostic,
    Places,
    editor_diagnostics,
    place_of,
    short_diagnostics,
    tool_diagnostics,
    with_help_in_message,
    without_additions,
)
from tests.support.live import Agent, Editor

STEPS = int(os.environ.get("BORUNA_IDENTITY_STEPS", "10"))
"""Steps of a run; a long one has 200 or more."""
PATIENCE = 60.0
GENERATOR = Path(__file__).resolve().parents[1] / "bench" / "generate_workspace.py"
PIECES = [
    "amuont",
    " + 1",
    "\n",
    "let q = 2\n",
    "(",
    ")",
    '"',
    "// ä 😀\n",
    "fn extra() -> Int { 1 }\n",
    "import gen-account\n",
    "}",
]
LIBRARY = "fn account_step_0(a: Int, b: Int) -> Int { a }\n"
SETTINGS = [
    "",
    '[check]\nignore = ["W501"]\n',
    "[check]\nportable = true\n",
    '[check.severity]\nW501 = "warning"\n',
    '[check]\nselect = ["E"]\n',
    "[check\n",
]


class World:
    """The workspace, who has what open in it, and a copy of it as agents ought to see it."""

    def __init__(self, folder: Path, dice: random.Random) -> None:
        self.dice = dice
        self.root, self.copy = folder / "ws", folder / "copy"
        line = [sys.executable, str(GENERATOR), "--files", "6", "--lines", "64", "--libraries", "3", "--library-lines", "40"]
        subprocess.run([*line, "--files-with-errors", "3", "--output", str(self.root)], check=True)
        self._begin_history()
        self.copy.mkdir()
        self.pushed, self.pulling = Editor(self.root), Editor(self.root, pulls=True)
        self.editors = (self.pushed, self.pulling)
        self.agent = Agent(self.root)
        self.edited: dict[Path, list[Editor]] = {}
        """The editors of a file, the one who edited it last at the end."""
        self._numbers = iter(range(10_000))

    def close(self) -> None:
        for editor in self.editors:
            editor.__exit__()
        self.agent.end()

    # ---- what there is ------------------------------------------------------------------------------------------

    def on_disk(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*.ax") if ".git" not in path.parts)

    def programs(self) -> list[Path]:
        return sorted({*self.on_disk(), *(path for path, editors in self.edited.items() if editors)})

    def seen(self, path: Path) -> bytes:
        """The text that agents see."""
        if editors := self.edited.get(path):
            return editors[-1].texts[path].encode()
        return path.read_bytes()

    # ---- steps --------------------------------------------------------------------------------------------------

    def step(self) -> str:
        """Does something at random and tells what."""
        ways: list[tuple[int, Callable[[], str | None]]] = [
            (60, self._edit), (15, self._save), (15, self._open), (10, self._close), (15, self._write), (6, self._create),
            (6, self._delete), (6, self._rename), (8, self._switch), (6, self._settings), (8, self._library), (6, self._agent),
        ]  # fmt: skip
        while True:
            (way,) = self.dice.choices([way for _, way in ways], [weight for weight, _ in ways])
            if (told := way()) is not None:
                return told

    def changed(self, text: str) -> tuple[int, int, str]:
        """A random replacement in a text."""
        at = self.dice.randrange(len(text) + 1)
        if text[at - 1 : at] == "\r":
            at -= 1
        if self.dice.random() < 0.35 and "\r" not in text[at : at + 12]:
            return at, min(len(text), at + self.dice.randrange(1, 12)), ""
        return at, at, self.dice.choice(PIECES)

    def _edit(self) -> str | None:
        editor = self.dice.choice(self.editors)
        if not editor.texts:
            return None
        path = self.dice.choice(sorted(editor.texts))
        start, end, new = self.changed(editor.texts[path])
        editor.type(path, start, end, new)
        self._was_edited(editor, path)
        return f"{self._name(editor)} types in {path.name}: {start}..{end} -> {new!r}"

    def _was_edited(self, editor: Editor, path: Path) -> None:
        editors = self.edited.setdefault(path, [])
        if editor in editors:
            editors.remove(editor)
        editors.append(editor)

    def _save(self) -> str | None:
        editor = self.dice.choice(self.editors)
        if not editor.texts:
            return None
        path = self.dice.choice(sorted(editor.texts))
        editor.save(path)
        return f"{self._name(editor)} saves {path.name}"

    def _open(self) -> str | None:
        editor = self.dice.choice(self.editors)
        # One editor has the libraries: what an editor's own text of a library means to its other files is another question.
        closed = [
            path for path in self.on_disk() if path not in editor.texts and (editor is self.pushed or self._is_program(path))
        ]
        if editor is self.pushed:
            closed += [path for path in (self._begun(),) if path not in editor.texts and not path.exists()]
        if not closed or len(editor.texts) > 3:
            return None
        path = self.dice.choice(closed)
        try:
            text = path.read_bytes().decode() if path.exists() else LIBRARY
        except UnicodeDecodeError:
            return None
        editor.show(path, text)
        self._was_edited(editor, path)
        return f"{self._name(editor)} opens {path.name}"

    def _close(self) -> str | None:
        editor = self.dice.choice(self.editors)
        if not editor.texts:
            return None
        path = self.dice.choice(sorted(editor.texts))
        editor.shut(path)
        self.edited[path].remove(editor)
        return f"{self._name(editor)} closes {path.name}"

    def _write(self) -> str | None:
        path = self.dice.choice(self.on_disk())
        data = path.read_bytes()
        if self.dice.random() < 0.1:
            data = data + b"// \xff\n" if b"\xff" not in data else data.replace(b"// \xff\n", b"")
        else:
            start, end, new = self.changed(data.decode("utf-8", "replace"))
            text = data.decode("utf-8", "replace")
            data = (text[:start] + new + text[end:]).encode()
        before = path.stat().st_mtime_ns
        path.write_bytes(data)
        if self.dice.random() < 0.4:
            # The clock was wrong, or somebody has put the time back.
            when = self.dice.choice([before, 0, 4_102_444_800 * 10**9])
            os.utime(path, ns=(when, when))
            return f"a shell writes {path.name} and says that was at {when}"
        return f"a shell writes {path.name}"

    def _create(self) -> str:
        path = self.root / "src" / f"part_0{self.dice.randrange(3)}" / f"new_{next(self._numbers)}.ax"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "import gen-batch\nfn main() -> Int {\n    batch_step_0(1, 2)\n}\n"
        path.write_bytes(text.replace("\n", self.dice.choice(["\n", "\r\n"])).encode())
        return f"a shell creates {path.name}"

    def _delete(self) -> str | None:
        found = [path for path in self.on_disk() if self._is_program(path)]
        if len(found) < 4:
            return None
        path = self.dice.choice(found)
        path.unlink()
        return f"a shell deletes {path.name}"

    def _rename(self) -> str | None:
        found = [path for path in self.on_disk() if self._is_program(path)]
        if not found:
            return None
        path = self.dice.choice(found)
        path.rename(path.with_name(f"moved_{next(self._numbers)}.ax"))
        return f"a shell renames {path.name}"

    def _switch(self) -> str:
        branch = self.dice.choice(["one", "two"])
        self._git("checkout", "--quiet", "--force", branch)
        return f"a shell switches to branch {branch}"

    def _settings(self) -> str:
        text = self.dice.choice(SETTINGS)
        (self.root / "boruna.toml").write_text(text)
        return f"a shell writes boruna.toml: {text!r}"

    def _library(self) -> str:
        path = self._begun()
        if self.dice.random() < 0.3:
            shutil.rmtree(path.parents[1], ignore_errors=True)
            return "a shell deletes a library"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text("utf-8", "replace") if path.exists() else LIBRARY
        swap = self.dice.choice(
            [("a: Int, b: Int", "a: Int"), ("a: Int)", "a: Int, b: Int)"), ("Held", "Kept"), ("Kept", "Held")]
        )
        path.write_text(text.replace(*swap))
        return f"a shell changes a library: {swap}"

    def _agent(self) -> str | None:
        path = self.dice.choice(self.on_disk())
        try:
            text = self.seen(path).decode()
        except UnicodeDecodeError:
            return None
        start, end, new = self.changed(text)
        candidates = [{"label": str(number), "files": {str(path): text + "\n" * number}} for number in range(3)]
        self.agent.tool("try_edits", candidates=candidates)
        path.write_bytes((text[:start] + new + text[end:]).encode())
        return f"the agent tries edits of {path.name} and writes it"

    # ---- inside -------------------------------------------------------------------------------------------------

    def _begin_history(self) -> None:
        self._git("init", "--quiet", "--initial-branch", "one")
        self._git("add", ".")
        self._git("commit", "--quiet", "-m", "one")
        self._git("checkout", "--quiet", "-b", "two")
        for path in self.on_disk()[::2]:
            path.write_text(path.read_text().replace("let ", "let mut ", 2) + "\nfn only_on_two() -> Int { 2 }\n")
        self._git("commit", "--quiet", "-am", "two")
        self._git("checkout", "--quiet", "one")

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.invalid", "-c", "core.autocrlf=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def _begun(self) -> Path:
        """A library that comes and goes, on disk and in editors."""
        return self.root / "libs" / "gen-account" / "src" / "core.ax"

    def _is_program(self, path: Path) -> bool:
        return "libs" not in path.parts

    def _name(self, editor: Editor) -> str:
        return "the editor that is pushed to" if editor is self.pushed else "the editor that asks"


class Truth:
    """Diagnostics by a fresh database for the present texts."""

    def __init__(self, world: World) -> None:
        self.world = world
        wanted = {path.relative_to(world.root): world.seen(path) for path in world.programs()}
        wanted[Path("boruna.toml")] = (world.root / "boruna.toml").read_bytes()
        for old in [path for path in world.copy.rglob("*") if path.is_file()]:
            if old.relative_to(world.copy) not in wanted:
                old.unlink()
        for short, data in wanted.items():
            path = world.copy / short
            if not path.exists() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        self.host = Host()
        self.client = self.host.connect([str(world.copy)])
        self.places = {path: Places(_as_shown(world.seen(path))) for path in world.programs()}
        self.found = {
            path: self._diagnostics(self.host.file_for_agent(str(self._copied(path)), [str(world.copy)])) for path in self.places
        }

    def of_editor(self, editor: Editor, path: Path) -> tuple[list[Diagnostic], Places]:
        """Expected diagnostics of a file in an editor: of its own text, if it has it open."""
        text = editor.texts.get(path)
        if text is None or self.world.edited[path][-1] is editor:
            return [with_help_in_message(one) for one in self.found[path]], self.places[path]
        file = self.host.open(self.client, str(self._copied(path)), text)
        found = self._diagnostics(file)
        self.host.close(self.client, str(self._copied(path)))
        return [with_help_in_message(one) for one in found], Places(text.encode())

    def _diagnostics(self, file: FileId) -> list[Diagnostic]:
        text = source(self.host.db, file)
        found = []
        for start, made in check_file(self.host.db, file).shown(text):
            begin, end = (len(text.text[: start + at].encode()) for at in made.span)
            found.append((made.code, made.severity.value, begin, end, made.message, made.help or ""))
        return sorted(found, key=place_of)

    def _copied(self, path: Path) -> Path:
        return self.world.copy / path.relative_to(self.world.root)


def _as_shown(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode()


def agents_agree(world: World, truth: Truth) -> None:
    everything, coverage = world.agent.everything()
    told = {path: short_diagnostics(everything.get(str(path), []), at) for path, at in truth.places.items()}
    assert told == truth.found
    assert {*everything} <= {str(path) for path in truth.places}
    unreadable = sum(any(one[0] == "E014" for one in found) for found in truth.found.values())
    assert coverage == {"checked": len(told) - unreadable, "total": len(told)}
    for path in world.dice.sample(sorted(truth.places), min(3, len(truth.places))):
        answer = world.agent.tool("boruna_check", path=str(path), offset=0)
        resource = json.loads(world.agent.resource("file-diagnostics", path))
        for one in (answer, resource):
            found = tool_diagnostics({"diagnostics": one["diagnostics"]}, truth.places[path])
            assert without_additions(found, truth.found[path]) == truth.found[path], path
        assert answer["freshness"]["unsaved"] == (not path.exists() or world.seen(path) != path.read_bytes())


def editors_agree(world: World, truth: Truth) -> None:
    """An editor hears of what others do when the daemon does: soon."""
    deadline = time.monotonic() + PATIENCE
    for path in truth.places:
        expected, at = truth.of_editor(world.pulling, path)
        while (told := editor_diagnostics(world.pulling.pull(path), at)) != expected:
            assert time.monotonic() < deadline, (path, told, expected)
            time.sleep(0.02)
    for path in world.pushed.texts:
        expected, at = truth.of_editor(world.pushed, path)
        while path not in world.pushed.shown or editor_diagnostics(world.pushed.shown[path], at) != expected:
            world.pushed.receive(max(0.01, deadline - time.monotonic()))


def terminal_agrees(world: World, truth: Truth, done: subprocess.CompletedProcess[str], root: Path) -> None:
    """Assert that the command line agrees with the fresh database about the live folder, or the copy."""
    assert done.stdout, f"exit status {done.returncode}: {done.stderr}"
    checked = json.loads(done.stdout)
    by_path = {root / answer["file"]: answer for answer in checked["files"]}
    for path, expected in truth.found.items():
        answer: dict[str, Any] = by_path[root / path.relative_to(world.root)]
        assert without_additions(tool_diagnostics(answer, truth.places[path]), expected) == expected, path
        is_unsaved = root == world.root and (not path.exists() or world.seen(path) != path.read_bytes())
        assert answer["freshness"]["unsaved"] == is_unsaved, path
    assert len(by_path) == len(truth.found)
    failed = any(one[1] == "error" for found in truth.found.values() for one in found)
    assert done.returncode == failed, done.stderr


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that hundreds of processes import are compiled by the first of them, also where the caller wants none of it
    kept."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "compiled"))


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
def test_every_channel_says_the_same_after_every_step(tmp_path: Path, place: Path, seed: int) -> None:
    world = World(tmp_path, random.Random(seed))
    done = []
    try:
        with ThreadPoolExecutor(2) as terminals:
            for _ in range(STEPS):
                done.append(world.step())
                for editor in world.editors:
                    editor.settle()
                truth = Truth(world)
                live = terminals.submit(run, "check", "--json", str(world.root), cwd=world.root)
                fresh = terminals.submit(run, "check", "--json", "--disk", str(world.copy), cwd=world.copy)
                agents_agree(world, truth)
                editors_agree(world, truth)
                terminal_agrees(world, truth, live.result(), world.root)
                terminal_agrees(world, truth, fresh.result(), world.copy)
        assert len(status(place)["clients"]) == 3
    except BaseException:
        print("\n".join(f"{number}: {told}" for number, told in enumerate(done)))
        raise
    finally:
        world.close()
