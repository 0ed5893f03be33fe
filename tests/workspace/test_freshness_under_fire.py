"""Threads that edit and jobs that ask, all at once: what an answer says is true of the revision that it names."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from boruna_ls.workspace import Client, Host, Priority, ask

PATIENCE = 60.0
FILES = 4
EDITS = 600
ASKERS = 3


class Told(NamedTuple):
    """One file as an answer described it."""

    path: str
    revision: str
    sha256: str
    text: str
    undefined: int


@pytest.fixture
def host() -> Iterator[Host]:
    host = Host()
    yield host
    host.worker.stop()


def program(number: int) -> str:
    """A program with `number % 5` undefined names, unlike every other number's."""
    wrong = "".join(f"fn wrong_{each}() -> Int {{\n    missing_{each}\n}}\n\n" for each in range(number % 5))
    return f"{wrong}fn main() -> Int {{\n    {number}\n}}\n"


def number_of(revision: str) -> int:
    """Number that grows with every change."""
    return int(revision.rpartition("-")[2])


def test_answers_are_true_of_the_revision_that_they_name(host: Host, tmp_path: Path, seed: int) -> None:
    """Editors, the disk and readers at once; not parted since its threads share one history."""
    roots = [tmp_path / name for name in ("one", "two")]
    history: dict[str, dict[str, str]] = {}
    problems: list[str] = []
    over = threading.Event()
    clients = {str(root): host.connect([str(root)]) for root in roots}
    files: dict[str, list[tuple[str, FileId]]] = {}
    numbers = iter(range(1, 10_000_000))
    for root in roots:
        root.mkdir()
        (root / "boruna.toml").write_text("", encoding="utf-8")
        name = str(root)
        paths = [str(root / f"file_{number}.ax") for number in range(FILES)]
        texts = {path: program(next(numbers)) for path in paths}
        files[name] = [(path, host.open(clients[name], path, text)) for path, text in texts.items()]
        history[host.revision(name)] = texts

    def edit(root: str) -> None:
        choose = random.Random(f"{seed} {root}")
        texts = dict(history[host.revision(root)])
        for _ in range(EDITS):
            path = choose.choice(files[root])[0]
            texts = texts | {path: program(next(numbers))}
            buffer = host.buffer(clients[root], path)
            assert buffer is not None
            host.change(clients[root], path, buffer.source.replaced_by(texts[path]))
            # This thread alone changes this workspace, so the revision is that of its edit.
            history[host.revision(root)] = texts
            time.sleep(choose.choice((0, 0, 0.001, 0.004)))

    def describe(chosen: list[tuple[str, FileId]], client: Client, at: Host) -> list[Told]:
        seen = [(path, at.file_for_editor(client, path)) for path, _ in chosen]
        found = []
        for path, file in seen:
            undefined = sum(made.code == "E003" for _, made in check_file(at.db, file).entries)
            found.append((path, file, source(at.db, file).text, undefined))
        fresh = [at.freshness(file) for _, file, _, _ in found]
        return [Told(path, one.revision, one.sha256, text, n) for (path, _, text, n), one in zip(found, fresh, strict=True)]

    def inquire(number: int) -> None:
        choose = random.Random(f"{seed} asks {number}")
        while not over.is_set():
            root = choose.choice(list(clients))
            chosen = choose.sample(files[root], choose.randint(1, FILES))
            begun = host.revision(root)
            priority = choose.choice(list(Priority))
            told = ask(host, partial(describe, chosen, clients[root]), priority).result(PATIENCE)
            problems.extend(wrong(told, begun))

    def wrong(told: list[Told], begun: str) -> Iterator[str]:
        if len({one.revision for one in told}) != 1:
            yield f"one answer about {len({one.revision for one in told})} revisions"
        for one in told:
            if number_of(one.revision) < number_of(begun):
                yield f"{one.path}: revision {one.revision}, asked for at {begun}"
            ends = time.monotonic() + PATIENCE
            while one.revision not in history and time.monotonic() < ends:
                time.sleep(0.001)  # the editing thread is between the edit and its note of it
            expected = history[one.revision][one.path]
            if one.text != expected or one.sha256 != sha256(expected.encode()).hexdigest():
                yield f"{one.path}: another text than that of revision {one.revision}"
            if one.undefined != int(expected.rsplit("{\n    ", 1)[1].split("\n")[0]) % 5:
                yield f"{one.path}: findings of another text than that of revision {one.revision}"

    askers = [threading.Thread(target=inquire, args=(number,)) for number in range(ASKERS)]
    editors = [threading.Thread(target=edit, args=(root,)) for root in clients]
    for thread in (*askers, *editors):
        thread.start()
    for thread in editors:
        thread.join(PATIENCE)
    over.set()
    for thread in askers:
        thread.join(PATIENCE)
    assert not problems, f"seed {seed}: {problems[:5]}"
    for name, client in clients.items():
        final = ask(host, partial(describe, files[name], client)).result(PATIENCE)
        assert not list(wrong(final, host.revision(name)))
