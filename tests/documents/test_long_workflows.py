"""A long workflow is typed as a short one: each step is read once, and nobody waits for the disk."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.documents.file_diagnostics import file_diagnostics
from analysis.documents.json_reader import _step as tolerant_step
from analysis.documents.json_reader import read_json
from analysis.documents.kinds.workflow import _step as strict_step
from analysis.workflow.json_scanner import JsonError
from analysis.workflow.reader import read_definition, read_step
from boruna_ls.lock_order import expect_none_held
from boruna_ls.workspace import Host

PIECES = ('"', "{", "}", "[", "]", ",", ":", "\\", " ", "\n", "1", "é", '"a": 1', '"steps"', '"b": {}', "null", "\\u00e9", "\t")


def workflow(count: int) -> str:
    steps: dict[str, Any] = {}
    for number in range(count):
        after = {"depends_on": [f"s{number - 1}"], "inputs": {"v": f"s{number - 1}.result"}} if number else {}
        steps[f"s{number}"] = {"kind": "source", "source": f"s{number}.ax", **after}
    return json.dumps({"schema_version": 1, "name": "w", "version": "1", "steps": steps, "edges": [["s0", "s1"]]}, indent=2)


def read(text: str, known: Any) -> Any:
    try:
        found = read_definition(text, known)
    except JsonError as error:
        return str(error), error.path
    return found


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_of_steps_changes_no_answer(seed: int) -> None:
    """Random edits: with and without the steps that are known, both readers give the same data, places and defects."""
    chance, host = random.Random(seed), Host()
    base = workflow(6)
    text, readable = base, 0
    for number in range(150):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 0, 1, 5, 60)))
        text = text[:start] + chance.choice((*PIECES, "", text[end : end + 90])) + text[end:]
        if number % 6 == 5:
            text = base
        strict, tolerant = (lambda part: strict_step(host.db, part)), (lambda part: tolerant_step(host.db, part))
        assert read_json(text, tolerant) == read_json(text), text
        found = read(text, strict)
        assert found == read(text, None), text
        readable += not isinstance(found, tuple)
    assert 10 < readable < 140


def test_equal_names_keep_the_last_one() -> None:
    entry = '"s": {"kind": "source", "source": "a.ax", "depends_on": []}'
    steps = f'{{{entry}, "s": {{"kind": "source", "source": "b"}}}}'
    text = f'{{"schema_version": 1, "name": "w", "version": "1", "steps": {steps}, "edges": []}}'
    found, plain = read_definition(text, read_step), read_definition(text)
    assert found == plain
    assert (found.definition.steps["s"].source, found.repeated) == ("b", (("steps", "s"),))


def test_a_keystroke_reads_the_step_that_it_is_in(tmp_path: Path) -> None:
    host, path = Host(), str(tmp_path / "workflow.json")
    client = host.connect([str(tmp_path)])
    host.open(client, path, workflow(50))
    file_diagnostics(host.db, host.file_for_editor(client, path))
    buffer = host.buffer(client, path)
    assert buffer is not None
    at = buffer.source.text.index("s20.ax")
    host.change(client, path, buffer.source.edited(at, at, "x"))
    with host.db.record_events() as events:
        file_diagnostics(host.db, host.file_for_editor(client, path))
    read_again = [key for event, query, key in events if event == "execute" and query == "_step"]
    assert [text.count("xs20.ax") for text in read_again] == [1, 1]


def test_no_disk_is_asked_while_others_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host, path = Host(), str(tmp_path / "workflow.json")
    for number in range(5):
        (tmp_path / f"s{number}.ax").write_text("fn main() -> Int {\n    1\n}\n")
    client = host.connect([str(tmp_path)])
    host.open(client, path, workflow(6))
    asked = []

    def watched(name: str) -> Callable[..., Any]:
        original = getattr(os, name)

        def call(place: Any, *rest: Any, **more: Any) -> Any:
            if str(place).endswith(".ax"):
                asked.append(name)
                expect_none_held(f"os.{name}({place})")
            return original(place, *rest, **more)

        return call

    for name in ("stat", "lstat", "open"):
        monkeypatch.setattr(os, name, watched(name))
    for text in ("fn main() -> Int {\n    1\n}\n", "fn main() -> Bool {\n    true\n}\n", None):
        if text is None:
            (tmp_path / "s3.ax").unlink()
        else:
            (tmp_path / "s3.ax").write_text(text)
        found = file_diagnostics(host.db, host.file_for_editor(client, path))
        missing = [made.name for _, made in found.entries if made.code == "missing_source"]
        assert missing == ["s5.ax"] if text is not None else ["s3.ax", "s5.ax"]
    assert asked
