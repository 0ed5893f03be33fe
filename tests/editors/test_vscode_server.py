"""The VS Code extension's search for the language server; it does not execute content of an untrusted folder."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from boruna_ls import __version__
from tests.editors.node import FOLDER, bundled, called, needs_node

SCRIPTS = Path(sysconfig.get_path("scripts"))
pytestmark = [needs_node, pytest.mark.skipif(os.name == "nt", reason="the fake servers are shell scripts")]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled("server/candidates", tmp_path_factory.mktemp("candidates"))


def server(folder: Path, says: str, status: int = 0, name: str = "boruna-lsp") -> Path:
    """A program that leaves a mark when it is executed."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\ntouch '{file}.executed'\n{says}\nexit {status}\n")
    file.chmod(0o755)
    return file


def version(text: str) -> str:
    return f"echo boruna-ls {text}"


def executed(file: Path) -> bool:
    return Path(f"{file}.executed").exists()


class Places:
    """A machine: a home, a workspace, folders on PATH."""

    def __init__(self, bundle: Path, root: Path) -> None:
        self.bundle, self.root = bundle, root
        self.home, self.workspace, self.bin = root / "home", root / "ws", root / "bin"
        for folder in (self.home, self.workspace, self.bin):
            folder.mkdir()

    def around(self, **more: Any) -> dict[str, Any]:
        known = {
            "chosen": "",
            "chosenArguments": [],
            "folders": [str(self.workspace)],
            "trusted": True,
            "environment": {"PATH": str(self.bin)},
            "home": str(self.home),
            "storage": str(self.root / "storage"),
        }
        return known | more

    def search(self, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = called(self.bundle, "print(await made.search(given));", self.around(**more))
        return found

    def found(self, **more: Any) -> str | None:
        result = self.search(**more)
        return result["found"]["command"] if "found" in result else None


@pytest.fixture
def places(bundle: Path, tmp_path: Path) -> Places:
    return Places(bundle, tmp_path.resolve())


def test_the_real_server(places: Places) -> None:
    found = places.search(environment={"PATH": str(SCRIPTS)})
    assert found["found"] == {"command": str(SCRIPTS / "boruna-lsp"), "origin": "PATH", "version": __version__}


def test_the_order_of_places(places: Places) -> None:
    wanted = [
        server(places.workspace / ".venv" / "bin", version("0.1.0")),
        server(places.root / "conda" / "bin", version("0.1.1")),
        server(places.bin, version("0.2.0")),
        server(places.home / ".local" / "bin", version("1.0.0")),
        server(places.root / "storage" / "server" / "bin", version("0.1.0")),
    ]
    for file in wanted:
        assert places.found(interpreter=str(places.root / "conda" / "bin" / "python")) == str(file)
        file.unlink()
    assert places.search() == {"rejected": []}


def test_a_chosen_server_is_not_replaced(places: Places) -> None:
    other = server(places.bin, version("0.1.0"))
    broken = server(places.root / "opt", "echo 'Traceback…' >&2; echo 'ModuleNotFoundError: no boruna_ls' >&2", 1)
    result = places.search(chosen=str(broken))
    assert "found" not in result
    assert result["rejected"][0]["reason"] == "does not start: ModuleNotFoundError: no boruna_ls"
    assert not executed(other)
    assert "is not on PATH" in places.search(chosen="my-server")["rejected"][0]["reason"]
    assert places.found(chosen="boruna-lsp") == str(other)
    missing = places.search(chosen="/nowhere/boruna-lsp")["rejected"][0]
    assert (missing["command"], "ENOENT" in missing["reason"]) == ("/nowhere/boruna-lsp", True)
    # A wrapper that tells no version is what its owner wants.
    wrapper = server(places.root / "opt", "true", name="wrapper")
    assert places.search(chosen=str(wrapper))["found"]["version"] == ""


@pytest.mark.parametrize("text, accepted", [("0.0.9", False), ("0.1.0", True), ("0.10.0.dev1", True), ("1.0.0", True)])
def test_old_servers(places: Places, text: str, accepted: bool) -> None:
    old = server(places.bin, version(text))
    result = places.search()
    if accepted:
        assert result["found"]["command"] == str(old)
    else:
        assert [(one["command"], one["old"]) for one in result["rejected"]] == [(str(old), text)]
        newer = server(places.home / ".local" / "bin", version("0.1.0"))
        assert places.found() == str(newer)


def test_what_is_broken_is_passed_over(places: Places) -> None:
    server(places.workspace / ".venv" / "bin", "echo hello")
    server(places.bin, "exit 3")
    good = server(places.home / ".local" / "bin", version("0.1.0"))
    result = places.search()
    assert result["found"]["command"] == str(good)
    assert [one["reason"].split(":")[0] for one in result["rejected"]] == [
        "does not tell a version",
        "does not start",
    ]


class TestWithoutTrust:
    """A clone holds whatever its author wanted."""

    def test_nothing_of_the_folder_is_executed(self, places: Places) -> None:
        asked: list[dict[str, Any]] = []
        planted = []
        for number, folder in enumerate([".venv/bin", "venv/bin", "bin", "node_modules/.bin", "."]):
            planted.append(server(places.workspace / folder, version("9.9.9")))
            link = places.root / f"link{number}"
            link.symlink_to(places.workspace / folder)
            here = str(places.workspace / folder)
            paths = [".", "", "bin", str(places.workspace), here, f"{places.bin}/../ws/{folder}", str(link)]
            more = {"trusted": False, "environment": {"PATH": os.pathsep.join(paths), "UV_TOOL_BIN_DIR": here}}
            asked += [places.around(**more, home=str(home)) for home in (places.home, places.workspace)]
            for chosen in (f"{folder}/boruna-lsp", "./boruna-lsp", f"../ws/{folder}/boruna-lsp"):
                asked.append(places.around(**more, chosen=chosen))
        for result in called(places.bundle, "print(await Promise.all(given.map(made.search)));", asked):
            assert "found" not in result
            reasons = [one["reason"] for one in result["rejected"]]
            assert all("relative to a folder that is not trusted" in reason for reason in reasons)
        assert not any(map(executed, planted))
        assert places.found(trusted=True, chosen="venv/bin/boruna-lsp") == str(planted[1])

    def test_neighbours_and_installers_are_not_its_own(self, places: Places) -> None:
        good = server(places.bin, version("0.1.0"))
        for name in ("boruna-ls", "boruna-mcp", "uv", "python3"):
            server(places.workspace, "true", name=name)
        around = places.around(trusted=False, environment={"PATH": f"{places.workspace}{os.pathsep}{places.bin}"})
        lookups = "['uv', 'python3'].map((one) => made.onPath(one, given[0]))"
        script = f"print([made.beside(given[1], 'boruna-mcp', given[0]), ...{lookups}]);"
        assert called(places.bundle, script, [around, str(good)]) == [None, None, None]

    def test_relative_folders_of_path_count_for_nobody(self, places: Places) -> None:
        server(places.workspace, version("9.9.9"))
        assert places.found(environment={"PATH": os.pathsep.join([".", "", "ws"])}) is None


def test_commands_beside_the_server(places: Places) -> None:
    own = server(places.root / "opt", "true", name="boruna-mcp")
    other = server(places.bin, "true", name="boruna-mcp")
    script = "print(given[1].map((one) => made.beside(one, 'boruna-mcp', given[0])));"
    servers = [str(own.with_name("boruna-lsp")), str(own.with_name("boruna-ls")), "/opt/my-wrapper", "/nowhere/boruna-lsp"]
    assert called(places.bundle, script, [places.around(), servers]) == [str(own), str(own), str(other), str(other)]


def test_installers_run_outside_of_the_workspace(places: Places, tmp_path: Path) -> None:
    """pip, uv and Python read settings and modules of the folder that they start in."""
    made = bundled("server/installers", tmp_path)
    for name in ("uv", "pipx", "python3"):
        server(places.bin, 'pwd > "$0.cwd"; echo working', name=name)
    ways = called(made, "print(made.installers('/x/a.whl', given));", places.around())
    assert [way["label"] for way in ways] == ["uv tool install", "pipx install", "Private environment"]
    assert all(step[1] == "-I" for step in ways[2]["steps"])
    script = "const said = []; await made.install(given[0], given[1], (line) => said.push(line), () => {}); print(said);"
    storage = places.root / "storage"
    assert called(made, script, [ways[0], str(storage)]) == ["working"]
    assert (places.bin / "uv.cwd").read_text().strip() == str(storage)
    # What a failed installation leaves is removed; its last words are the reason.
    server(places.bin, "mkdir -p ../storage/server; echo 'no space left' >&2", 1, name="python3")
    script = "try { await made.install(given[0], given[1], () => {}, () => {}); } catch (error) { print(error.message); }"
    assert called(made, script, [ways[2], str(storage)]) == "no space left"
    assert not (storage / "server").exists()


@pytest.mark.parametrize("modern", [True, False])
def test_agents_of_the_editor_get_the_mcp_server(tmp_path: Path, modern: bool) -> None:
    """VS Code 1.101 is given the command of the found installation; older hosts are left alone."""
    bundle = bundled("agents", tmp_path)
    given = {"bundle": str(bundle), "folder": str(tmp_path), "command": str(SCRIPTS / "boruna-mcp"), "modern": modern}
    line = ["node", str(Path(__file__).with_name("vscode_agents.cjs")), json.dumps(given)]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=60, check=True)
    answer = json.loads(done.stdout)
    if not modern:
        assert answer == {"id": [], "seen": [None, None, None]}
        return
    (definition,), off, changes = answer["seen"]
    assert (answer["id"], off, changes) == (["boruna.agents"], [], 1)
    assert definition["cwd"] == {"fsPath": str(tmp_path)}
    assert (definition["label"], definition["args"], definition["version"]) == ("Boruna", [], "0.1.0")
    assert Path(definition["command"]).samefile(SCRIPTS / "boruna-mcp")


def test_the_manifest_names_the_provider() -> None:
    text = (FOLDER / "package.json").read_text("utf-8")
    assert '"mcpServerDefinitionProviders"' in text
    assert '"id": "boruna.agents"' in text
