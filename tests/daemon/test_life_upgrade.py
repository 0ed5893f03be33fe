"""Several versions of the package on one machine: the newest that was seen serves, and takes over when nobody is disturbed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from boruna_ls.rendezvous import locks, places, upgrade
from boruna_ls.rendezvous.upgrade import Package
from tests.support.daemon import Agent, children, clients, daemon, editor, is_running, processes, status, stopped, until
from tests.support.lsp import edit
from tests.support.mcp_lines import LineServer, call, request

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


def installed(folder: Path, version: str) -> Path:
    """The package once more, calling itself another version."""
    package = folder / version / "boruna_ls"
    package.mkdir(parents=True)
    for entry in (ROOT / "boruna_ls").iterdir():
        if entry.name not in ("__init__.py", "__pycache__"):
            (package / entry.name).symlink_to(entry)
    text = (ROOT / "boruna_ls" / "__init__.py").read_text()
    (package / "__init__.py").write_text(text.replace('__version__ = "0.1.0"', f'__version__ = "{version}"'))
    assert version in (package / "__init__.py").read_text()
    (package.parent / "analysis").symlink_to(ROOT / "analysis")
    return package.parent


class AgentOf(LineServer):
    """An agent behind the forwarder of an installation."""

    def __init__(self, root: Path, cwd: Path) -> None:
        code = f"import sys; sys.path.insert(0, {str(root)!r}); from boruna_ls.entry import mcp_main; sys.exit(mcp_main())"
        super().__init__("-P", "-c", code, program=sys.executable, cwd=str(cwd))


def test_a_newer_package_takes_over_once_and_for_all(place: Path, tmp_path: Path) -> None:
    newer = installed(tmp_path, "0.2.0")
    file = tmp_path / "program.ax"
    file.write_text(PROGRAM)
    with editor(tmp_path) as client:
        client.initialize()
        client.open(file.as_uri(), PROGRAM)
        client.change(file.as_uri(), 2, edit((1, 4), (1, 6), "fourty"))
        assert len(client.published(file.as_uri(), 2)) == 1
        old = Agent(tmp_path).open()
        first = status(place)
        new = AgentOf(newer, tmp_path).open()
        # It works with the older daemon until that has a quiet moment.
        assert new.ask(call(1, "boruna_check", path="program.ax"))["result"]["structuredContent"]["diagnostics_count"] == 1
        until(lambda: not is_running(first["pid"]))
        until(lambda: clients(place) == 3)
        second = status(place)
        assert (first["version"], second["version"]) == ("0.1.0", "0.2.0")
        assert processes(place) == [second["pid"]]
        # What the editor has not saved went with it.
        answer = old.check(path="program.ax")
        assert (answer["diagnostics_count"], answer["freshness"]["source"]) == (1, "editor")
        another = AgentOf(newer, tmp_path).open()
        for each in (new, another):
            assert each.ask(request(2, "ping"))["result"] == {}
            assert each.end() == (0, [])
        assert status(place)["pid"] == second["pid"]
        old.leave()
    stopped(place)
    # An older client starts the newest that was seen, not itself.
    agent = Agent(tmp_path).open()
    assert status(place)["version"] == "0.2.0"
    agent.leave()
    stopped(place)
    # Unless that is no longer installed.
    shutil.rmtree(newer)
    agent = Agent(tmp_path).open()
    assert status(place)["version"] == "0.1.0"
    agent.leave()


def test_a_newer_package_that_does_not_start(place: Path, tmp_path: Path) -> None:
    broken = installed(tmp_path, "0.3.0")
    (broken / "boruna_ls" / "daemon").unlink()
    (broken / "boruna_ls" / "daemon").mkdir()
    (broken / "boruna_ls" / "daemon" / "__main__.py").write_text("raise SystemExit('damaged on purpose')\n")
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    other = AgentOf(broken, tmp_path).open()
    until(lambda: not is_running(first))
    assert agent.ask(request(1, "ping"))["result"] == {}
    second = status(place)
    assert second["version"] == "0.1.0"
    recorded = upgrade.newest(str(place))
    assert recorded is not None
    assert (recorded.version, recorded.is_broken) == ("0.3.0", True)
    # It is not asked to take over again.
    once_more = AgentOf(broken, tmp_path).open()
    assert status(place)["retiring"] == ""
    for each in (other, once_more):
        assert each.ask(request(2, "ping"))["result"] == {}
        assert each.end() == (0, [])
    assert status(place)["pid"] == second["pid"]
    agent.leave()


def test_a_package_that_is_replaced_where_it_lies(place: Path, tmp_path: Path) -> None:
    root = installed(tmp_path, "0.2.0")
    agent = AgentOf(root, tmp_path).open()
    first = status(place)
    init = root / "boruna_ls" / "__init__.py"
    # As installers do it: another file, not the same one written to.
    (root / "new").write_text(init.read_text().replace("0.2.0", "0.2.1"))
    (root / "new").replace(init)
    until(lambda: not is_running(first["pid"]))
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert (first["version"], status(place)["version"]) == ("0.2.0", "0.2.1")
    assert agent.end() == (0, [])


def test_who_runs_a_program_is_not_interrupted(place: Path, tmp_path: Path) -> None:
    newer = installed(tmp_path, "0.2.0")
    loop = "fn main() -> Int {\n    let mut i = 0\n    while i < 30000000 {\n        i = i + 1\n    }\n    i\n}\n"
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    agent.send(call(1, "boruna_run", source=loop, max_steps=9_000_000_000))
    until(lambda: status(place)["runs"] == 1)
    new = AgentOf(newer, tmp_path).open()
    assert new.end() == (0, [])
    assert status(place)["retiring"] == "0.2.0"
    answer = agent.receive()["result"]["structuredContent"]
    assert is_running(first), "it did not wait for the end of the run"
    assert answer["success"], answer
    until(lambda: not is_running(first))
    assert agent.ask(call(2, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    second = status(place)
    assert second["version"] == "0.2.0"
    (worker,) = children(second["pid"])
    assert f"PYTHONPATH={newer}".encode() in Path(f"/proc/{worker}/environ").read_bytes(), "programs run in the older package"
    agent.leave()


def test_restart_leaves_a_daemon_and_all_clients(place: Path, tmp_path: Path) -> None:
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    done = daemon("restart")
    now = status(place)["pid"]
    assert (done.returncode, first != now) == (0, True)
    assert f"process {now} instead of process {first}" in done.stderr
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert [client["pid"] for client in status(place)["clients"]] == [agent.process.pid]
    agent.leave()


VERSIONS = "0.9 0.10.dev1 0.10a2 0.10a10 0.10b1 0.10rc1 0.10 0.10.post1 0.10.1 0.11 1 2.0.0 10.0".split()


def test_versions_are_ordered_as_packages_are() -> None:
    for index, version in enumerate(VERSIONS):
        assert [other for other in VERSIONS if upgrade.is_newer(version, other)] == VERSIONS[:index]
    assert not upgrade.is_newer("1.0.0", "1")
    for nonsense in ("", "new", "none"):
        assert not upgrade.is_newer(nonsense, "0.1")
        assert not upgrade.is_newer("0.1", nonsense)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"version": 1, "command": []}', '{"version": "9", "command": "rm"}', "\x00"]
)
def test_a_note_that_is_not_understood_is_none(tmp_path: Path, content: str) -> None:
    Path(places.newest_path(str(tmp_path))).write_text(content)
    own = Package("0.1.0", [sys.executable, "-P", __file__])
    assert upgrade.newest(str(tmp_path)) is None
    assert upgrade.to_start(str(tmp_path), own) == own
    upgrade.remember(str(tmp_path), Package("9.0", [sys.executable, "-P", str(tmp_path / "gone.py")]))
    assert upgrade.to_start(str(tmp_path), own) == own
    upgrade.remember(str(tmp_path), Package("9.0", [sys.executable, "-P", __file__]))
    assert upgrade.to_start(str(tmp_path), own).version == "9.0"
    assert locks.acquire(places.lock_path(str(tmp_path))) is not None
