"""VS Code in a browser with the packaged extension: a diagnostic, its quick fix, hover, code lens, a run; with a picture of each.

Not part of the quick run: `make test-vscode` installs what it needs (about five minutes at first) and runs this file with pytest.
`CODE_SERVER` is the program `code-server`, `CHROMIUM` a browser, `PICTURES` the folder for the pictures.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sysconfig
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

HERE = Path(__file__).resolve().parent
CODE_SERVER = os.environ["CODE_SERVER"]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PICTURES = Path(os.environ.get("PICTURES", HERE.parent / "dist" / "pictures"))
PATIENCE = 60_000
PROGRAM = "fn twice(number: Int) -> Int {\n    number * 2\n}\n\nfn main() -> Int {\n    let total = twice(4)\n    totl\n}\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("vscode").resolve()
    workspace = folder / "workspace"
    workspace.mkdir()
    (workspace / "boruna.toml").touch()
    (workspace / "app.ax").write_text(PROGRAM)
    unpack(folder / "extensions")
    settings = {
        "boruna.server.path": str(Path(sysconfig.get_path("scripts")) / "boruna-lsp"),
        "workbench.startupEditor": "none",
        "security.workspace.trust.enabled": False,
        "telemetry.telemetryLevel": "off",
    }
    (folder / "data" / "User").mkdir(parents=True)
    (folder / "data" / "User" / "settings.json").write_text(json.dumps(settings))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    line = [CODE_SERVER, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--extensions-dir", str(folder / "extensions")]
    line += [
        "--user-data-dir",
        str(folder / "data"),
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-workspace-trust",
    ]
    environment = {name: value for name, value in os.environ.items() if name != "PORT"}
    environment |= {"BORUNA_LS_DIR": str(folder / "daemon"), "BORUNA_LS_IDLE": "1"}
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen([*line, str(workspace)], env=environment, stdout=log, stderr=log) as server,
    ):
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.set_default_timeout(PATIENCE)
                page.goto(f"http://127.0.0.1:{port}/?folder={workspace}")
                page.get_by_role("treeitem", name="app.ax").dblclick()
                yield page
                browser.close()
        finally:
            server.terminate()


def unpack(extensions: Path) -> None:
    """The package as the editor would install it."""
    with zipfile.ZipFile(HERE.parent / "boruna.vsix") as package:
        package.extractall(extensions / "vsix")
    shutil.move(extensions / "vsix" / "extension", extensions / "boruna-ls.boruna-0.1.0")
    shutil.rmtree(extensions / "vsix")


def wait_for(address: str) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert time.monotonic() < end, address
            time.sleep(0.2)


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


def test_a_session(page: Page) -> None:
    expect(page.locator(".squiggly-error").first).to_be_visible(timeout=PATIENCE)
    picture(page, "diagnostic")

    lens = page.locator(".codelens-decoration").first
    expect(lens).to_be_visible(timeout=PATIENCE)
    picture(page, "code-lens")

    page.locator(".view-line span", has_text="totl").last.click()
    page.keyboard.press("Control+.")
    fix = page.locator(".action-widget").get_by_text("rename 'totl' to 'total'")
    expect(fix).to_be_visible(timeout=PATIENCE)
    picture(page, "quick-fix")
    # The preferred fix comes first; what lies behind the list takes no clicks.
    page.keyboard.press("Enter")
    expect(page.locator(".squiggly-error")).to_have_count(0, timeout=PATIENCE)

    page.locator(".view-line span", has_text="twice").last.hover()
    expect(page.locator(".monaco-hover").get_by_text("fn twice(number: Int) -> Int").first).to_be_visible(timeout=PATIENCE)
    picture(page, "hover")

    page.locator(".codelens-decoration a", has_text="Run").click()
    expect(page.locator(".notification-toast").get_by_text("main: 8").first).to_be_visible(timeout=PATIENCE)
    picture(page, "run")

    command(page, "Boruna: Restart Daemon")
    command(page, "Boruna: Show Daemon Status")
    shown = page.locator(".output-view, .part.panel").get_by_text("lsp client").or_(page.get_by_text("1 file open"))
    expect(shown.first).to_be_visible(timeout=PATIENCE)
    picture(page, "daemon")
    # The fresh daemon knows what this window has open and has not saved.
    page.locator(".view-line span", has_text="twice").last.dblclick()
    page.keyboard.type("thrice")
    expect(page.locator(".squiggly-error").first).to_be_visible(timeout=PATIENCE)
    picture(page, "after-restart")


def command(page: Page, name: str) -> None:
    """Runs a command by its name."""
    page.keyboard.press("F1")
    page.locator(".quick-input-box input").fill(f">{name}")
    page.locator(".quick-input-list").get_by_text(name).first.click()
