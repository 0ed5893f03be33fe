"""`app`, `template` and `new` as processes: from a template to a test of its application."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.apps import COUNTER
from tests.support.commands import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "counter.ax").write_text(COUNTER, encoding="utf-8")
    (tmp_path / "none.ax").write_text("fn update() -> Int { 1 }\n", encoding="utf-8")
    return tmp_path


def test_validate(folder: Path) -> None:
    made = run("app", "validate", "counter.ax", cwd=folder)
    assert (made.returncode, made.stdout.splitlines()[0]) == (0, "valid App protocol")
    wrong = run("app", "validate", "none.ax", cwd=folder)
    assert wrong.returncode == 1
    assert "none.ax:1: update() must take 2 parameters (state, msg), got 0" in wrong.stderr
    answer = json.loads(run("app", "validate", "none.ax", "--json", cwd=folder).stdout)
    assert [error.get("line") for error in answer["errors"]] == [1, None, None]


def test_messages_show_what_they_do(folder: Path) -> None:
    made = run("app", "test", "counter.ax", "inc:2", '{"tag": "inc", "payload": 3}', "-m", "ask,inc:1", cwd=folder)
    assert made.returncode == 0
    assert "cycle 2: state=State { count: 5 }" in made.stdout
    assert "    - timer -> tick" in made.stdout
    assert "final state: State { count: 6 }" in made.stdout
    failed = run("app", "test", "counter.ax", "inc:1", "div:0", cwd=folder)
    assert failed.returncode == 1
    assert "cycle 1: state=State { count: 1 }" in failed.stdout
    assert "error: cycle 2 failed: runtime error: division by zero" in failed.stderr
    assert "in update, line 8" in failed.stderr
    answer = json.loads(run("app", "test", "counter.ax", "div:0", "--json", cwd=folder).stdout)
    assert answer["error"]["function"] == "update"
    for message in ("{", '{"tag": 1}'):
        assert run("app", "test", "counter.ax", message, cwd=folder).stderr.startswith("error: message {")


def test_a_session_becomes_a_test(folder: Path) -> None:
    recorded = run("app", "record", "counter.ax", "inc:2", "ask", "--name", "test_counting", cwd=folder)
    assert recorded.returncode == 0
    assert recorded.stdout.startswith("// Recorded from a session of 2 messages.\nfn test_counting() -> Bool {\n")
    main = "\nfn main() -> Bool { test_counting() }\n"
    (folder / "tested.ax").write_text(COUNTER + recorded.stdout + main, encoding="utf-8")
    assert run("run", "tested.ax", cwd=folder).stdout.startswith("true\n")
    short = run("app", "minimize", "counter.ax", *(f"inc:{number}" for number in range(20)), "div:0", cwd=folder)
    assert short.returncode == 0
    assert "minimized: 21 -> 1 messages" in short.stderr
    assert run("app", "minimize", "counter.ax", "inc", cwd=folder).returncode == 1
    assert run("app", "record", "counter.ax", "inc", "--name", "x) {", cwd=folder).returncode == 2


def test_a_new_application(folder: Path) -> None:
    made = run("new", "offline-sync", "--var", "entity_name=notes", "--target", "sync", cwd=folder)
    assert (made.returncode, made.stdout.splitlines()[0]) == (0, "OK: scaffolded offline-sync at sync")
    assert run("check", "sync/app.ax", cwd=folder).stdout == "no diagnostics in 1 file\n"
    assert run("fmt", "--check", "sync/app.ax", cwd=folder).returncode == 0
    assert run("run", "sync/app.ax", cwd=folder).stdout.startswith("1\n")
    again = run("new", "offline-sync", "--var", "entity_name=x", "--target", "sync", cwd=folder)
    assert "error: target directory is not empty: sync (use --force to overwrite)" in again.stderr
    assert run("new", "offline-sync", "--var", "entity_name=x", "--target", "sync", "--force", cwd=folder).returncode == 0
    assert "POST /api/x/sync" in (folder / "sync" / "app.ax").read_text(encoding="utf-8")
    assert "form_name" in run("new", "form-basic", cwd=folder).stderr
    assert not (folder / "form-basic").exists()
    assert "there are auth-app" in run("new", "nothing", cwd=folder).stderr


def test_templates_are_listed_and_applied(folder: Path) -> None:
    listed = run("template", "list", cwd=folder)
    assert "  realtime-feed v0.1.0 — " in listed.stdout
    made = run("template", "apply", "realtime-feed", "--args", "feed_name=news", "--validate", cwd=folder)
    assert made.stdout.splitlines()[0] == "generated realtime-feed_app.ax from template 'realtime-feed'"
    again = run("template", "apply", "realtime-feed", "--args", "feed_name=news", cwd=folder)
    assert (again.returncode, "use --force" in again.stderr) == (1, True)
    (folder / "precious.ax").write_text("keep\n", encoding="utf-8")
    (folder / "link.ax").symlink_to(folder / "precious.ax")
    forced = run("template", "apply", "realtime-feed", "--var", "feed_name=a,b", "-o", "link.ax", "--force", cwd=folder)
    assert forced.returncode == 0
    assert (folder / "precious.ax").read_text(encoding="utf-8") == "keep\n"
    assert "a,b" in (folder / "link.ax").read_text(encoding="utf-8")
    own = folder / "mine" / "tiny"
    own.mkdir(parents=True)
    (own / "template.json").write_text("{}", encoding="utf-8")
    assert "parse template manifest" in run("template", "apply", "tiny", "--templates-dir", "mine", cwd=folder).stderr
