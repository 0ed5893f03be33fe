"""Several versions of the package on one machine: the newest that was seen serves, and takes over when nobody is disturbed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.forwarder.reviving import MOST_USELESS
from boruna_ls.rendezvous import installations, locks, places
from boruna_ls.rendezvous.installations import BROKEN, GOOD, TRYING, Installation
from tests.support.daemon import Agent, children, clients, daemon, editor, is_running, processes, status, stopped, until
from tests.support.lsp import edit
from tests.support.mcp_lines import LineServer, call, request

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "fn main() -> Int {\n    41 + 1\n}\n"


def installed(folder: Path, version: str) -> Path:
    """The package once more, calling itself another version."""
    root = folder / version
    for name in ("analysis", "boruna_ls", "libs"):
        shutil.copytree(ROOT / name, root / name)
    init = root / "boruna_ls" / "__init__.py"
    init.write_text(init.read_text().replace('__version__ = "0.1.0"', f'__version__ = "{version}"'))
    assert version in init.read_text()
    return root


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


def damage_start(package: Path) -> None:
    (package / "daemon" / "__main__.py").write_text("raise SystemExit('damaged on purpose')\n")


def damage_import(package: Path) -> None:
    (package / "mcp" / "server.py").write_text("import a_dependency_that_is_missing\n")


def damage_syntax(package: Path) -> None:
    (package / "lsp" / "server.py").write_text("def broken(:\n")


def damage_hang(package: Path) -> None:
    (package / "lsp" / "server.py").write_text("import time\ntime.sleep(600)\n")


def damage_framing(package: Path) -> None:
    protocol = package / "lsp" / "protocol.py"
    text = protocol.read_text()
    assert "self.send_framed(framed(body))" in text
    protocol.write_text(text.replace("self.send_framed(framed(body))", r"self.send_framed(b'Size: 2\r\n\r\n{}')"))


@pytest.mark.parametrize("damage", [damage_start, damage_import, damage_syntax, damage_hang, damage_framing])
def test_a_newer_package_that_does_not_work_disturbs_nobody(place: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    broken = installed(tmp_path, "0.3.0")
    damage(broken / "boruna_ls")
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    other = AgentOf(broken, tmp_path).open()
    assert other.ask(request(1, "ping"))["result"] == {}

    # One that cannot even be tried stays in the state that says so.
    state = TRYING if damage is damage_start else BROKEN

    def tried() -> list[Installation]:
        return [one for one in installations.recorded(str(place)) if one.version == "0.3.0" and one.state == state]

    until(tried)
    (found,) = tried()
    assert bool(found.reason) == (state == BROKEN)
    # It is not tried again, neither beside a daemon that works nor alone: the one that works is started instead.
    once_more = AgentOf(broken, tmp_path).open()
    assert once_more.ask(request(2, "ping"))["result"] == {}
    assert tried() == [found]
    assert (status(place)["pid"], status(place)["retiring"]) == (first, "")
    for each in (other, once_more):
        assert each.end() == (0, [])
    agent.leave()
    stopped(place)
    alone = AgentOf(broken, tmp_path).open()
    assert alone.ask(call(3, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    assert status(place)["version"] == "0.1.0"
    assert alone.end() == (0, [])


def test_the_only_package_has_a_daemon_that_fails(place: Path, tmp_path: Path) -> None:
    """Its client is told where to look and gets a server of its own, after a few tries instead of the twenty for mishaps."""
    broken = installed(tmp_path, "0.1.0")
    view = broken / "boruna_ls" / "mcp" / "peers.py"
    head, tail = view.read_text().split("from __future__ import annotations\n", 1)
    missing = "import sys\nif 'boruna_ls.daemon' in sys.modules:\n    import a_dependency_that_is_missing\n"
    view.write_text(f"{head}from __future__ import annotations\n{missing}{tail}")
    agent = AgentOf(broken, tmp_path).open()
    assert agent.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    assert clients(place) == 0
    log = Path(places.log_path(str(place))).read_text()
    assert 3 <= log.count("mcp client of process") / 2 <= MOST_USELESS + 2
    assert "No module named 'a_dependency_that_is_missing'" in log
    assert agent.end() == (0, [])


def test_a_newer_package_that_hangs_once_it_has_taken_over_gives_its_clients_back(place: Path, tmp_path: Path) -> None:
    hanging = installed(tmp_path, "0.3.0")
    life = hanging / "boruna_ls" / "daemon" / "life.py"
    loaded = "        self._serves_since = time.monotonic()\n"
    # It passes its trial, serves, and two seconds later its loop stops.
    hang = "            asyncio.get_running_loop().call_later(2, time.sleep, 600)\n"
    hang = f'        if "boruna-ls-trial-" not in self.folder:\n{hang}'
    assert loaded in life.read_text()
    life.write_text(life.read_text().replace(loaded, loaded + hang))
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    other = AgentOf(hanging, tmp_path).open()
    until(lambda: not is_running(first))
    waited = [0.0]
    log = Path(places.log_path(str(place)))

    def was_ended() -> bool:
        began = time.monotonic()
        assert agent.ask(request(len(waited), "ping"))["result"] == {}
        waited.append(time.monotonic() - began)
        served = [line.rpartition(": ")[2].split(" at ")[0] for line in log.read_text().splitlines() if " serves at " in line]
        return served == ["version 0.1.0 serves", "version 0.3.0 serves", "version 0.1.0 serves"]

    until(was_ended)
    # The limit of every daemon is a minute.
    assert max(waited) < 20.0, "a client waits for a daemon that hangs"
    for each in (agent, other):
        assert each.ask(call("run", "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    assert status(place)["version"] == "0.1.0"
    (found,) = [one for one in installations.recorded(str(place)) if one.version == "0.3.0"]
    assert found.state == TRYING
    # Nor is it tried again.
    once_more = AgentOf(hanging, tmp_path).open()
    assert once_more.ask(request(2, "ping"))["result"] == {}
    assert (status(place)["version"], status(place)["retiring"]) == ("0.1.0", "")
    for each in (agent, other, once_more):
        assert each.end() == (0, [])


def test_an_installation_that_is_removed_is_left_at_a_quiet_moment(place: Path, tmp_path: Path) -> None:
    root = installed(tmp_path, "0.1.0")
    first = AgentOf(root, tmp_path).open()
    of_another = Agent(tmp_path).open()
    before = status(place)
    shutil.rmtree(root)
    until(lambda: not is_running(before["pid"]))
    assert of_another.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    assert status(place)["pid"] != before["pid"]
    assert "its installation was replaced or removed" in Path(places.log_path(str(place))).read_text()
    assert first.ask(request(2, "ping"))["result"] == {}
    first.process.kill()
    of_another.leave()


def test_a_run_without_an_installation_says_what_to_do(place: Path, tmp_path: Path) -> None:
    root = installed(tmp_path, "0.1.0")
    agent = AgentOf(root, tmp_path).open()
    assert agent.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    pid = status(place)["pid"]
    shutil.rmtree(root)
    workers = children(pid)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    until(lambda: not any(is_running(worker) for worker in workers))
    told = json.dumps(agent.ask(call(2, "boruna_run", source=PROGRAM)))
    assert "internal error" not in told
    assert "the installation of boruna-ls was removed" in told, told
    until(lambda: not is_running(pid))
    agent.process.kill()


@pytest.mark.parametrize("damage", ["a folder that is missing", "a module that does not load"])
def test_a_daemon_whose_workers_cannot_start_says_so_and_ends(place: Path, tmp_path: Path, damage: str) -> None:
    root = installed(tmp_path, "0.1.0")
    agent = AgentOf(root, tmp_path).open()
    assert agent.ask(call(1, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    first = status(place)["pid"]
    if damage == "a folder that is missing":
        shutil.rmtree(root / "analysis")
    else:
        (root / "boruna_ls" / "runtime" / "execute.py").write_text("def broken(:\n")
    workers = children(first)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    until(lambda: not any(is_running(worker) for worker in workers))
    for number in (2, 3):
        answer = agent.ask(call(number, "boruna_run", source=PROGRAM))
        assert "the program was not run, since its process ends as it starts" in json.dumps(answer)
    until(lambda: not is_running(first))
    agent.process.kill()


def test_a_package_that_is_replaced_where_it_lies(place: Path, tmp_path: Path) -> None:
    root = installed(tmp_path, "0.2.0")
    agent = AgentOf(root, tmp_path).open()
    first = status(place)
    init = root / "boruna_ls" / "__init__.py"
    # As installers do it: another file, not the same one written to.
    (root / "new").write_text(init.read_text().replace("0.2.0", "0.2.1"))
    # Bytecode is told from its source by size and whole seconds: what is installed later is newer.
    later = init.stat().st_mtime + 2
    os.utime(root / "new", (later, later))
    (root / "new").replace(init)
    until(lambda: not is_running(first["pid"]))
    assert agent.ask(request(1, "ping"))["result"] == {}
    assert (first["version"], status(place)["version"]) == ("0.2.0", "0.2.1")
    assert agent.end() == (0, [])


def test_who_runs_a_program_is_not_interrupted(place: Path, tmp_path: Path) -> None:
    newer = installed(tmp_path, "0.2.0")
    loop = "fn main() -> Int {\n    let mut i = 0\n    while i < 90000000 {\n        i = i + 1\n    }\n    i\n}\n"
    agent = Agent(tmp_path).open()
    first = status(place)["pid"]
    agent.send(call(1, "boruna_run", source=loop, max_steps=9_000_000_000))
    until(lambda: status(place)["runs"] == 1)
    new = AgentOf(newer, tmp_path).open()
    until(lambda: status(place)["retiring"] == "0.2.0")
    assert new.end() == (0, [])
    answer = agent.receive()["result"]["structuredContent"]
    assert is_running(first), "it did not wait for the end of the run"
    assert answer["success"], answer
    until(lambda: not is_running(first))
    assert agent.ask(call(2, "boruna_run", source=PROGRAM))["result"]["structuredContent"]["result"] == 42
    second = status(place)
    assert second["version"] == "0.2.0"
    (worker,) = children(second["pid"])
    assert str(newer).encode() in Path(f"/proc/{worker}/cmdline").read_bytes(), "programs run in the older package"
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
        assert [other for other in VERSIONS if installations.is_newer(version, other)] == VERSIONS[:index]
    assert not installations.is_newer("1.0.0", "1")
    for nonsense in ("", "new", "none"):
        assert not installations.is_newer(nonsense, "0.1")
        assert not installations.is_newer("0.1", nonsense)


def fields(tmp_path: Path, **changed: Any) -> dict[str, Any]:
    """A record of an installation that is there."""
    package = tmp_path / "boruna_ls"
    (package / "daemon").mkdir(parents=True, exist_ok=True)
    for name in ("__init__.py", "daemon/__main__.py"):
        (package / name).touch()
    identity = installations.identity_of(str(package))
    return Installation("9.0", sys.executable, str(package), identity, GOOD)._asdict() | changed


def written(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / f"{places.installation_prefix()}x.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    "changed",
    [
        {"version": "new"},
        {"interpreter": "python"},
        {"package": "../x"},
        {"identity": [1]},
        {"identity": "all"},
        {"state": TRYING},
        {"state": BROKEN},
        {"state": "fine"},
        {"command": ["rm"]},
    ],
)
def test_a_record_that_does_not_hold_starts_nothing(tmp_path: Path, changed: dict[str, Any]) -> None:
    ours = installations.own("0.1.0")
    for text in ("", "[]", "{}", "\x00", json.dumps(fields(tmp_path))[:-9], json.dumps(fields(tmp_path) | changed)):
        written(tmp_path, text)
        assert installations.to_start(str(tmp_path), ours) == ours
        assert installations.successor(str(tmp_path), "0.1.0") is None
    path = written(tmp_path, fields(tmp_path))
    assert installations.to_start(str(tmp_path), ours).version == "9.0"
    path.chmod(0o622)
    assert installations.to_start(str(tmp_path), ours) == ours
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert installations.to_start(str(tmp_path), ours) == ours
    assert locks.acquire(places.lock_path(str(tmp_path))) is not None


def test_who_failed_leaves_the_place_to_an_older_one(tmp_path: Path) -> None:
    ours = installations.own("10.0")
    written(tmp_path, fields(tmp_path))
    assert installations.to_start(str(tmp_path), ours) == ours
    installations.record(str(tmp_path), ours)
    assert installations.to_start(str(tmp_path), ours).version == "9.0"
    installations.record(str(tmp_path), ours._replace(state=GOOD))
    assert installations.to_start(str(tmp_path), ours) == ours
