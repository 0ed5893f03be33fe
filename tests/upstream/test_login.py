"""A server that wants an authorization: a person gives it in a browser, tokens are kept for the owner alone and refreshed."""

from __future__ import annotations

import json
import socket
import stat
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from boruna_ls.state.folder import opened
from boruna_ls.upstream.http import CALLBACK
from boruna_ls.workspace.tool_servers import PART
from tests.support.commands import run
from tests.support.tool_programs import ToolWorkspace, main
from tests.upstream.authorizing_server import authorizing_server

BROWSER = Path(__file__).with_name("browser.py")
WHO = main("closed::whoami().all_text()", "closed")
SECONDS = 2


def test_a_person_authorizes_in_a_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "shop"
    folder.mkdir()
    trust = tmp_path / "config" / "boruna"
    trust.mkdir(parents=True, mode=0o700)
    (trust / "trust.toml").write_text(f'[workspace."{folder}"]\nmcp_servers = ["closed"]\n')
    (trust / "trust.toml").chmod(0o600)
    monkeypatch.chdir(folder)

    def login(decision: str) -> tuple[int, str]:
        monkeypatch.setenv("BROWSER", f"{sys.executable} -S -E {BROWSER} {decision} %s")
        done = run("mcp-servers", "login", "closed")
        return done.returncode, done.stderr

    with authorizing_server(SECONDS) as provider:
        servers = ToolWorkspace(folder, {"closed": {"url": f"{provider.base}/mcp"}})
        # A run opens no browser.
        assert "it requires authorization: run `boruna-ls mcp-servers login` with its name" in servers.result(WHO)
        assert provider.waiting == {}
        assert login("deny") == (1, "error: closed: the authorization was refused: 'access_denied'\n")
        # The port at which the browser would come back is taken: another one is registered.
        with socket.create_server(("127.0.0.1", urlsplit(CALLBACK).port)):
            assert login("allow") == (0, "authorized: authorizing\n")
        (kept,) = opened(PART).glob("oauth-*.json")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert set(json.loads(kept.read_text())) == {"client", "tokens", "expires", "metadata"}
        assert servers.result(WHO) == "the owner"
        # The token of the login expires; another one is asked for, without anybody in front of a browser.
        time.sleep(json.loads(kept.read_text())["expires"] + 1 - time.time())
        assert servers.result(WHO) == "the owner"
        assert provider.refreshed >= 1
        # Another workspace has no part in it.
        other = tmp_path / "other"
        other.mkdir()
        elsewhere = ToolWorkspace(other, {"closed": {"url": f"{provider.base}/mcp"}})
        assert "it requires authorization" in elsewhere.result(WHO)
