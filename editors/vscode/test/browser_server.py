"""The language server is missing, broken, old, or content of a folder that nobody trusts: one message each, and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from code_server import SCRIPTS, Editor, editor
from playwright.sync_api import expect

BROKEN = "fn main() -> Int {\n    totl\n}\n"


def fake(file: Path, says: str, status: int = 0) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\ntouch '{file}.executed'\n{says}\nexit {status}\n")
    file.chmod(0o755)
    return file


def machine(root: Path) -> dict[str, str]:
    """A machine without a server: a PATH with the system's programs only, an empty home."""
    (root / "home").mkdir()
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(root / "home")}


def diagnostic(window: Editor) -> None:
    expect(window.page.locator(".squiggly-error").first).to_be_visible()


def test_no_server_and_a_private_installation(tmp_path: Path) -> None:
    with editor(tmp_path, {"a.ax": BROKEN}, {"boruna.server.path": ""}, machine(tmp_path)) as window:
        window.open("a.ax")
        message = window.shown("The language server boruna-lsp is not installed.")
        expect(message).to_be_visible()
        window.picture("server-missing")
        message.get_by_role("button", name="Install…").click()
        way = window.page.locator(".quick-input-list").get_by_text("Private environment")
        expect(way).to_be_visible()
        window.picture("server-install")
        way.click()
        expect(window.shown("Installing boruna-ls")).to_be_visible()
        # pip fetches what the server depends on.
        expect(window.page.locator(".squiggly-error").first).to_be_visible(timeout=300_000)
        window.picture("server-installed")


@pytest.mark.parametrize(
    "says, status, told",
    [
        ("echo boruna-ls 0.0.9", 0, "is version 0.0.9; this extension needs 0.1.0 or newer"),
        ("echo 'No module named boruna_ls' >&2", 1, "does not start: No module named boruna_ls"),
    ],
)
def test_a_server_that_does_not_do(tmp_path: Path, says: str, status: int, told: str) -> None:
    server = fake(tmp_path / "opt" / "boruna-lsp", says, status)
    with editor(tmp_path, {"a.ax": BROKEN}, {"boruna.server.path": str(server)}, machine(tmp_path)) as window:
        window.open("a.ax")
        expect(window.shown(told)).to_be_visible()
        expect(window.page.locator(".notification-toast")).to_have_count(1)
        window.picture(f"server-{'old' if status == 0 else 'broken'}")
        window.shown(told).get_by_role("button", name="Choose…").click()
        box = window.page.locator(".quick-input-box input")
        expect(box).to_be_visible()
        expect(window.page.locator(".quick-input-list").get_by_text("a.ax")).to_be_visible()
        box.press("Control+a")
        box.press_sequentially(str(SCRIPTS / "boruna-lsp"), delay=30)
        expect(box).to_have_value(str(SCRIPTS / "boruna-lsp"))
        box.press("Enter")
        diagnostic(window)


def test_a_folder_that_nobody_trusts(tmp_path: Path) -> None:
    """Its environment and its settings name a server; neither is executed until the folder is trusted."""
    planted = [tmp_path / "workspace" / ".venv" / "bin" / "boruna-lsp", tmp_path / "workspace" / "tool"]
    for file in planted:
        fake(file, f'exec "{SCRIPTS}/boruna-lsp" "$@"')
    settings: dict[str, object] = {"boruna.server.path": "", "security.workspace.trust.enabled": True}
    settings["security.workspace.trust.startupPrompt"] = "never"
    files = {"a.ax": BROKEN, ".vscode/settings.json": f'{{"boruna.server.path": "{planted[1]}"}}'}
    with editor(tmp_path, files, settings, machine(tmp_path), trust=False) as window:
        window.open("a.ax")
        expect(window.shown("is not executed until you trust it")).to_be_visible()
        assert not any(Path(f"{file}.executed").exists() for file in planted)
        window.picture("server-untrusted")
        (tmp_path / "workspace" / ".vscode" / "settings.json").unlink()
        window.command("Workspaces: Manage Workspace Trust")
        window.page.get_by_role("button", name="Trust", exact=True).click()
        window.open("a.ax")
        diagnostic(window)
        assert Path(f"{planted[0]}.executed").exists()
