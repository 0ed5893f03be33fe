"""Symbolic links that come with a repository: where they lead decides, and nothing outside is read or written through one."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls import no_follow
from boruna_ls.workspace import FileUnavailable, Host
from tests.support.commands import run
from tests.support.journals import write_super_journal
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, request

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----\n"
PROGRAM = "fn main() -> Int {\n    1\n}\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with a link to everything that it can guess of its reader's files, which lie in `home`."""
    home, root = tmp_path / "home", tmp_path / "clone"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text(SECRET)
    (home / "private.ax").write_text(f"// {SECRET}{PROGRAM}")
    (home / "lib" / "src").mkdir(parents=True)
    (home / "lib" / "src" / "core.ax").write_text("export fn secret() -> Int { 1 }\n")
    (root / "libs").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "main.ax").write_text('import "lib"\n\nfn main() -> Int {\n    secret()\n}\n')
    (root / "notes.ax").symlink_to(home / ".ssh" / "id_ed25519")
    (root / "private.ax").symlink_to(home / "private.ax")
    (root / "key").symlink_to(home / ".ssh" / "id_ed25519")
    (root / "folder").symlink_to(home)
    (root / "libs" / "lib").symlink_to(home / "lib")
    (root / "boruna.toml").symlink_to(home / ".ssh" / "id_ed25519")
    (root / ".gitignore").symlink_to(home / ".ssh" / "id_ed25519")
    return root


@pytest.fixture
def agent(clone: Path) -> Iterator[LineServer]:
    with LineServer(cwd=str(clone)) as server:
        server.ask(initialize())
        server.send(INITIALIZED)
        yield server


def test_an_agent_reads_no_file_through_a_link(agent: LineServer, clone: Path) -> None:
    for name in ("notes.ax", "private.ax", "key", "folder/.ssh/id_ed25519", "boruna.toml", ".gitignore"):
        for uri in (f"boruna://file/{name}", f"boruna://file/{clone}/{name}", f"boruna://file-diagnostics/{name}"):
            answer = agent.ask(request(1, "resources/read", {"uri": uri}))
            assert "error" in answer, answer
            assert "PRIVATE KEY" not in json.dumps(answer)
        answer = agent.ask(call(2, "boruna_check", path=name))
        assert "is a link out of this client's folders" in answer["error"]["message"], name


def test_links_out_of_a_workspace_are_left_out_and_told(agent: LineServer, clone: Path) -> None:
    told = json.dumps(agent.ask(call(1, "workspace_diagnostics")))
    assert "PRIVATE KEY" not in told
    assert "it is a link that leads out of the workspace" in told
    assert "boruna.toml counts as empty: is a symbolic link" in told
    done = run("check", ".", cwd=clone)
    assert "PRIVATE KEY" not in done.stdout + done.stderr
    assert "notes.ax was left out: it is a link that leads out of the workspace" in done.stderr


def test_a_library_behind_a_link_is_none(clone: Path) -> None:
    assert "library 'lib' not found" in run("check", "main.ax", cwd=clone).stdout
    # Who names the folder of libraries has chosen it.
    done = run("check", "main.ax", "--libs-dir", str(clone.parent / "home"), cwd=clone)
    assert "library 'lib' not found" not in done.stdout
    assert "secret" not in done.stderr


def test_a_link_within_a_workspace_stands_for_its_program(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "real.ax").write_text(PROGRAM)
    (tmp_path / "link.ax").symlink_to("deep/real.ax")
    (tmp_path / "text.ax").symlink_to("notes.txt")
    (tmp_path / "notes.txt").write_text("no program")
    assert Host().files(str(tmp_path)) == [str(tmp_path / "deep" / "real.ax")]


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    """The opened file is the one that was checked, even if it is exchanged in between."""
    folder, secret = tmp_path / "a", tmp_path / "secret.ax"
    folder.mkdir()
    secret.write_text(SECRET)
    (folder / "f.ax").symlink_to(secret)
    (tmp_path / "b").symlink_to(folder)
    for path in (folder / "f.ax", tmp_path / "b" / "f.ax"):
        with pytest.raises(OSError, match="symbolic link"):
            os.close(no_follow.opened(str(path)))
        with pytest.raises(FileUnavailable):
            Host().shared.disk.read(str(path))
    os.close(no_follow.opened(str(secret)))


@pytest.mark.parametrize("out_dir", [(), ("--out-dir", "made/deep"), ("--out-dir", "plain")])
def test_literate_extract_stays_in_its_folder(tmp_path: Path, out_dir: tuple[str, ...]) -> None:
    outside, clone = tmp_path / "outside", tmp_path / "clone"
    outside.mkdir()
    (clone / "plain").mkdir(parents=True)
    (clone / "gen").symlink_to(outside)
    (clone / "made").symlink_to(outside)
    (clone / "plain" / "sub").symlink_to(outside)
    (clone / "plain" / "f.ax").symlink_to(outside / "f.ax")
    for name in ("f.ax", "sub/g.ax"):
        (clone / "doc.md").write_text(f"```ax {name} +=\nevil\n```\n")
        done = run("literate", "extract", "doc.md", *out_dir, cwd=clone)
        assert (done.returncode, "symbolic link" in done.stderr) == (1, True), done
    assert list(outside.iterdir()) == []


def test_commands_write_no_file_through_a_link(tmp_path: Path) -> None:
    outside, clone = tmp_path / "outside", tmp_path / "clone"
    outside.mkdir()
    clone.mkdir()
    ugly = "fn main()->Int{1}\n"
    (outside / "mine.ax").write_text(ugly)
    (clone / "a.ax").symlink_to(outside / "mine.ax")
    (clone / "b.ax").write_text(PROGRAM)
    (clone / "b.axbc").symlink_to(outside / "made")
    (clone / ".mcp.json").symlink_to(outside / "servers.json")
    assert "link" in run("fmt", "a.ax", cwd=clone).stderr
    assert "link" in run("compile", "b.ax", cwd=clone).stderr
    assert "leads out of the project" in run("setup", "claude-code", "--write", cwd=clone).stderr
    assert [path.name for path in outside.iterdir()] == ["mine.ax"]
    assert (outside / "mine.ax").read_text() == ugly


def test_a_workflow_of_a_clone_reads_and_writes_nothing_outside(tmp_path: Path) -> None:
    outside, clone = tmp_path / "outside", tmp_path / "clone"
    for folder in (outside, clone, clone / "devices", clone / "recorded"):
        folder.mkdir()
    (outside / "workflow.json").write_text('{"schema_version": 1, "name": "secret", "version": "1", "steps": {}, "edges": []}')
    (clone / "workflow.json").symlink_to(outside / "workflow.json")
    (clone / "devices" / "workflow.json").symlink_to("/dev/zero")
    step = {"kind": "source", "source": "a.ax", "inputs": {}, "depends_on": [], "capabilities": []}
    document = {"schema_version": 1, "name": "w", "version": "1.0.0", "steps": {"a": step}, "edges": []}
    (clone / "recorded" / "workflow.json").write_text(json.dumps(document))
    (clone / "recorded" / "a.ax").write_text(PROGRAM)
    (clone / "recorded" / "evidence").symlink_to(outside)
    (clone / ".boruna").symlink_to(outside)
    listed = run("workflow", "find", ".", "--json", cwd=clone).stdout
    assert '"secret"' not in listed
    assert "leaves the workflow's folder" in run("workflow", "validate", ".", cwd=clone).stderr
    assert "leads out" in run("workflow", "list", cwd=clone).stderr
    recorded = run("workflow", "run", "recorded", "--record", "--data-dir", "data", cwd=clone)
    assert "leaves the workflow's folder" in recorded.stderr
    assert [path.name for path in outside.iterdir()] == ["workflow.json"]


STEP = {"kind": "source", "source": "a.ax", "inputs": {}, "depends_on": [], "capabilities": []}
WORKFLOW = json.dumps({"schema_version": 1, "name": "w", "version": "1.0.0", "steps": {"a": STEP}, "edges": []})


@pytest.fixture
def clone_of_a_workflow(tmp_path: Path) -> Path:
    """A clone with a workflow and a folder for data; beside it lies `outside`."""
    clone = tmp_path / "clone"
    (clone / ".boruna" / "data").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (clone / "workflow.json").write_text(WORKFLOW)
    (clone / "a.ax").write_text('fn main() -> String { "text of the clone" }\n')
    return clone


@pytest.mark.parametrize("name", ["runs.db", "runs"])
def test_a_data_folder_of_a_clone_with_a_link(clone_of_a_workflow: Path, name: str) -> None:
    clone = clone_of_a_workflow
    outside = clone.parent / "outside"
    (clone / ".boruna" / "data" / name).symlink_to(outside / "new.db" if name == "runs.db" else outside)
    done = run("workflow", "run", ".", cwd=clone)
    assert (done.returncode, "is a symbolic link" in done.stderr) == (1, True), done
    assert list(outside.iterdir()) == []


def test_links_at_the_places_of_outputs_and_evidence(clone_of_a_workflow: Path) -> None:
    # The id of a run follows from the workflow, so a clone can know it.
    clone = clone_of_a_workflow
    outside = clone.parent / "outside"
    first = run("workflow", "run", ".", "--data-dir", "elsewhere", cwd=clone).stdout
    run_id = first.partition("run_id: ")[2].split()[0]
    (clone / ".boruna" / "data" / "runs").mkdir()
    (clone / ".boruna" / "data" / "runs" / run_id).symlink_to(outside)
    done = run("workflow", "run", ".", "--print-run-id", cwd=clone)
    assert f"run_id: {run_id}" in done.stderr
    assert (done.returncode, "behind a symbolic link" in done.stderr) == (1, True), done
    (clone / "evidence").mkdir()
    (clone / "evidence" / run_id).symlink_to(outside)
    recorded = run("workflow", "run", ".", "--record", "--ephemeral", cwd=clone)
    assert (recorded.returncode, "behind a symbolic link" in recorded.stderr) == (1, True), recorded
    exported = run("evidence", "export", run_id, "--output-dir", "evidence", "--data-dir", "elsewhere", cwd=clone)
    assert (exported.returncode, "behind a symbolic link" in exported.stderr) == (1, True), exported
    assert list(outside.iterdir()) == []


def test_a_journal_of_a_clone_deletes_no_other_file(clone_of_a_workflow: Path) -> None:
    clone = clone_of_a_workflow
    victim = clone.parent / "outside" / "notes.txt"
    victim.write_text("precious")
    database = clone / ".boruna" / "data" / "runs.db"
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE t (a)")
    write_super_journal(database, victim)
    listed = run("workflow", "list", cwd=clone)
    assert (listed.returncode, "its journal names another file" in listed.stderr) == (1, True), listed
    assert victim.read_text() == "precious"
