"""Common parts of the project's tests: one printed seed for all random data, the corpus, the closing summary."""

from __future__ import annotations

import gc
import importlib
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from boruna_ls import lock_order
from boruna_ls.rendezvous import places
from tests.support import corpus as corpus_files
from tests.support.daemon import stopped
from tests.support.schedule import Schedule, comes_last
from tests.support.score import SCORES, Score

settings.register_profile("default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", parent=settings.get_profile("default"), max_examples=20)
settings.register_profile("long", parent=settings.get_profile("default"), max_examples=2_000, phases=list(Phase))
settings.load_profile(os.environ.get("BORUNA_HYPOTHESIS", "default"))

SEED = pytest.StashKey[int]()
FOLDER = pytest.StashKey[str]()
OWN = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Chooses the seed before hypothesis reads it: one number repeats the property tests and the fuzzers alike."""
    # What is collected stays (`pytest_collection_finish`).
    gc.disable()
    config.stash[SCORES] = {}
    chosen = config.getoption("hypothesis_seed", None)
    if chosen is None:
        chosen = getattr(config, "workerinput", {}).get("seed", random.SystemRandom().randrange(2**32))
    seed = int(chosen)
    config.option.hypothesis_seed = str(seed)
    config.stash[SEED] = seed
    # The daemon of this run is nobody else's: neither the user's own nor that of another run. A short path, as sockets need.
    config.stash[FOLDER] = os.environ[places.VARIABLE] = tempfile.mkdtemp(prefix="boruna-tests-")
    # Nor are settings and state, whoever runs the tests.
    config.stash[OWN] = tempfile.mkdtemp(prefix="boruna-tests-own-")
    # All processes that tests start note there how they broke the rules of locks.
    os.environ[lock_order.VARIABLE] = os.path.join(config.stash[OWN], "locks")
    lock_order.watch_reads()
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = os.path.join(config.stash[OWN], variable.lower())


LONG = (
    *("house", "faults", "daemon", "workflow", "sandbox", "executions", "security", "upstream", "cli", "lsp", "mcp"),
    *("repair", "properties", "runtime", "fuzz"),
)
"""Folders whose files take long, the longest first: those that wait for processes, and those that compute."""

BY_THE_CLOCK = {
    *("cli", "daemon", "dap", "editors", "effects", "executions", "faults", "forwarder", "lsp", "mcp", "preview", "sandbox"),
    *("security", "upstream", "workflow", "workspace", "test_demo.py", "test_identity.py", "test_wheel.py"),
}
"""Folders and files of tests that wait for other processes: a busy machine can break one, so a failed one runs once more, which
the closing line counts. Tests that only compute are never repeated."""


def computes(file: str) -> bool:
    """True if the tests of a file ("tests/…") wait for no other process."""
    return BY_THE_CLOCK.isdisjoint(file.split("/"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that take long come first, so that no process of a run on several cores is left with one at the end."""

    def rank(item: pytest.Item) -> int:
        folder = item.nodeid.split("::", 1)[0].split("/")[1]
        return LONG.index(folder) if folder in LONG else len(LONG)

    for item in items:
        if not computes(item.nodeid.split("::", 1)[0]):
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(key=rank)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Schedule:
    return Schedule(config, log, computes)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Each of n processes compiles an n-th of the tests before it collects all; else all would compile all of them at once."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    root = session.config.rootpath
    files = sorted(path for folder in session.config.args for path in (root / folder).rglob("test_*.py"))
    for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        # What cannot be imported is reported by the collection.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Thousands of collected tests stay to the end: unfrozen, a third of a run went into looking at them for garbage."""
    gc.freeze()
    gc.enable()
    worker = getattr(session.config, "workerinput", None)
    tests = (item.nodeid for item in session.items)
    if worker is not None and comes_last(worker["workerid"], worker["workercount"], tests, computes):
        # What waits for other processes goes first: it is measured in seconds.
        with suppress(AttributeError, OSError):
            os.nice(10)


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        scores = session.config.stash[SCORES]
        output["scores"] = {area: (score.total, score.left_out, score.differences) for area, score in scores.items()}


def pytest_configure_node(node: Any) -> None:
    """The processes of a run draw from the seed in its header, so that it can be repeated."""
    node.workerinput["seed"] = node.config.stash[SEED]


def pytest_testnodedown(node: Any, error: object) -> None:
    """The scores that another process of the run has found."""
    for area, (total, left_out, differences) in getattr(node, "workeroutput", {}).get("scores", {}).items():
        node.config.stash[SCORES][area] = Score(total, left_out, [(case, words) for case, words in differences])


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = config.stash.get(FOLDER, "")
    if folder:
        stopped(folder)
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(config.stash.get(OWN, folder), ignore_errors=True)


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.stash[SEED]} (repeat this run's random tests with --hypothesis-seed={config.stash[SEED]})"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    scores = config.stash[SCORES]
    if scores:
        terminalreporter.section("conformance")
        for area, score in scores.items():
            terminalreporter.write_line(f"{area + ':':<14} {score}")
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests were skipped; the reasons are above", yellow=True)


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The number that every random test of this run starts from; it is printed in the header."""
    return request.config.stash[SEED]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """corpus("syntax") is the folder of that area with every file unpacked; made once in a run."""
    into = tmp_path_factory.mktemp("corpus")
    return lambda area: corpus_files.unpacked(area, into)


@pytest.fixture(autouse=True)
def locks_are_kept(request: pytest.FixtureRequest) -> Iterator[None]:
    """No process that a test starts breaks the rules of locks, not in a thread that only logs its errors either."""
    notes = Path(request.config.stash[OWN], "locks")
    yield
    with suppress(FileNotFoundError):
        broken = notes.read_text(encoding="utf-8")
        notes.unlink()
        pytest.fail(f"rules of locks were broken:\n{broken[:8000]}", pytrace=False)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder in which clients that the test starts look for their daemon; it is not created yet."""
    folder = tmp_path / "d"
    monkeypatch.setenv(places.VARIABLE, str(folder))
    yield folder
    stopped(folder)
