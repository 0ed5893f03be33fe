"""VS Code in a browser with the packaged extension, as the tests of this folder use it.

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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect, sync_playwright

EXTENSION = Path(__file__).resolve().parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))
SERVER = SCRIPTS / "boruna-lsp"
CODE_SERVER = os.environ["CODE_SERVER"]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PICTURES = Path(os.environ.get("PICTURES", EXTENSION / "dist" / "pictures"))
PATIENCE = int(os.environ.get("PATIENCE", "60000"))
SETTINGS = {
    "workbench.startupEditor": "none",
    "files.autoSave": "off",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "chat.commandCenter.enabled": False,
    "workbench.colorTheme": "Default Dark Modern",
    "window.menuBarVisibility": "compact",
}


class Editor:
    """A window with a workspace: what a person does with keys and mouse, and what they see."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.workspace, self.data = page, folder / "workspace", folder / "data"

    def open(self, name: str) -> None:
        """Opens a file of the workspace in a tab that stays."""
        self.page.keyboard.press("Control+p")
        box = self.page.locator(".quick-input-box input")
        box.fill(name)
        expect(self.page.locator(".quick-input-list .monaco-list-row").first).to_contain_text(Path(name).name)
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".tab.active")).to_contain_text(Path(name).name)
        self.page.locator(".editor-instance .view-lines").first.wait_for()

    def answered(self) -> None:
        """Waits for the server: its lens stands above `main`. That of the debugger is the extension's own and there before."""
        expect(self.page.locator(".codelens-decoration a", has_text="Run").first).to_be_visible()

    def until(self, step: Callable[[], bool]) -> None:
        """Repeats a step until it has succeeded."""
        end = time.monotonic() + PATIENCE / 1000
        while not step():
            assert time.monotonic() < end
            self.page.wait_for_timeout(500)

    def command(self, name: str) -> None:
        """Runs a command by its name."""
        self.page.keyboard.press("F1")
        self.page.locator(".quick-input-box input").fill(f">{name}")
        self.page.locator(".quick-input-list").get_by_text(name, exact=True).first.click()

    def write(self, name: str, text: str) -> Path:
        """A file of the workspace."""
        file = self.workspace / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def save(self) -> None:
        """Saves the active file."""
        self.page.keyboard.press("Control+s")
        expect(self.page.locator(".tab.active.dirty")).to_have_count(0)

    def close_all(self) -> None:
        """Closes every tab, with what is not saved."""
        self.command("View: Revert and Close Editor")

    def shown(self, text: str) -> Locator:
        """A notification with this text."""
        return self.page.locator(".notification-toast").filter(has_text=text).first

    def output(self) -> str:
        """Text in the extension's output channel."""
        (log,) = self.data.rglob("Boruna.log")
        return log.read_text()

    def picture(self, name: str) -> None:
        """A picture of the window."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=PICTURES / f"{name}.png")


@contextmanager
def editor(
    folder: Path,
    files: Mapping[str, str],
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    trust: bool = True,
) -> Iterator[Editor]:
    """A window on a workspace with these files; `settings` are the user's."""
    workspace, data = folder / "workspace", folder / "data"
    for name, text in {"boruna.toml": "", **files}.items():
        file = workspace / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    unpack(folder / "extensions")
    (data / "User").mkdir(parents=True)
    chosen = {**SETTINGS, "boruna.server.path": str(SERVER), **(settings or {})}
    (data / "User" / "settings.json").write_text(json.dumps(chosen))
    # Settings of a machine are read from its own file; in the user's they last until the settings are read again.
    (data / "Machine").mkdir()
    of_machine = {name: value for name, value in chosen.items() if name.startswith("boruna.server.")}
    (data / "Machine" / "settings.json").write_text(json.dumps(of_machine))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    line = [CODE_SERVER, "--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--extensions-dir", str(folder / "extensions")]
    line += ["--user-data-dir", str(data), "--disable-telemetry", "--disable-update-check"]
    if trust:
        line.append("--disable-workspace-trust")
    inherited = {name: value for name, value in os.environ.items() if name != "PORT"}
    inherited |= {"BORUNA_LS_DIR": str(folder / "daemon"), "BORUNA_LS_IDLE": "1"}
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen([*line, str(workspace)], env=inherited | dict(environment or {}), stdout=log, stderr=log) as server,
    ):
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.set_default_timeout(PATIENCE)
                expect.set_options(timeout=PATIENCE)
                page.goto(f"http://127.0.0.1:{port}/?folder={workspace}")
                page.locator(".explorer-folders-view .monaco-list-row").first.wait_for()
                yield Editor(page, folder)
                browser.close()
        finally:
            server.terminate()


def unpack(extensions: Path) -> None:
    """The package as the editor would install it."""
    with zipfile.ZipFile(EXTENSION / "boruna.vsix") as package:
        package.extractall(extensions / "vsix")
    shutil.move(extensions / "vsix" / "extension", extensions / "boruna-ls.boruna-0.1.0")
    shutil.rmtree(extensions / "vsix")
    # This host is VS Code 1.100, where the part of the manifest that 1.101 calls mcpServerDefinitionProviders has another name.
    manifest = extensions / "boruna-ls.boruna-0.1.0" / "package.json"
    content = json.loads(manifest.read_text())
    content["contributes"]["modelContextServerCollections"] = content["contributes"]["mcpServerDefinitionProviders"]
    manifest.write_text(json.dumps(content))


def wait_for(address: str) -> None:
    """Until something answers at an address."""
    end = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            assert time.monotonic() < end, address
            time.sleep(0.2)
