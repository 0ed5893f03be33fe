"""Clients of the HTTP server need a token, and its scopes bound the effects of a call, whatever its arguments are."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.mcp.http import token
from tests.support.commands import command
from tests.support.http_server import HttpServer, http_server
from tests.support.mcp_lines import call, initialize

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
WRITE = 'fn main() -> Result<Bool, String> {{ fs_write("{}", "evil") }}'


class Session:
    """A client over HTTP that says what it likes."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._id = server.post(initialize(1)).headers["mcp-session-id"]

    def text(self, message: object) -> str:
        """Text of the answer."""
        return self._server.post(message, mcp_session_id=self._id).text


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "boruna-ls"


@pytest.fixture(params=[(), ("--standalone",)], ids=["daemon", "alone"])
def server(request: pytest.FixtureRequest, tmp_path: Path, state: Path, place: Path) -> Iterator[HttpServer]:
    with http_server(*request.param, cwd=tmp_path) as started:
        yield started


def test_loopback_without_a_token_is_refused(server: HttpServer, state: Path, tmp_path: Path) -> None:
    """A page in a browser, or another user's program, cannot run a program that writes a file."""
    attack = call(1, "boruna_run_live", source=WRITE.format(tmp_path / "made"), policy="allow-all")
    for authorization in ("", "Bearer wrong", f"Basic {server.token}"):
        assert server.post(attack, authorization=authorization, mcp_protocol_version="2025-11-25").status_code == 401
    assert not (tmp_path / "made").exists()
    assert len(server.token) >= 40
    assert (state / "http-token").read_text().strip() == server.token
    assert stat.S_IMODE((state / "http-token").stat().st_mode) == 0o600
    # Whoever has it is served, and bounded by the ceiling like everybody.
    assert "capability denied: fs.write" in Session(server).text(attack)
    assert not (tmp_path / "made").exists()


def test_the_token_is_kept_and_the_configuration_is_ready(state: Path, tmp_path: Path) -> None:
    with http_server("--standalone", cwd=tmp_path) as first:
        text = first.errors[first.errors.index("{") : first.errors.rindex("}") + 1]
        made = json.loads(text)["mcpServers"]["boruna"]
        assert (made["url"], made["headers"]) == (first.url, {"Authorization": f"Bearer {first.token}"})
    with http_server("--standalone", cwd=tmp_path) as second:
        assert second.token == first.token


def test_a_token_that_others_can_read_is_not_used(state: Path, tmp_path: Path) -> None:
    state.mkdir(0o700, parents=True)
    (state / "http-token").write_text("x" * 43)
    (state / "http-token").chmod(0o644)
    line = [command("boruna-ls"), "serve", "--http", "--port", "0", "--standalone"]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", cwd=tmp_path, timeout=60, check=False)
    assert (done.returncode, "can be read by other users" in done.stderr) == (2, True), done.stderr


def test_a_state_folder_that_others_can_change_gives_no_token(state: Path, tmp_path: Path) -> None:
    """Who can replace the file chooses the token."""
    token.own_token()
    state.chmod(0o777)
    with pytest.raises(token.TokenError, match=f"{state} must belong to you alone"):
        token.own_token()
    state.rename(tmp_path / "theirs")
    (tmp_path / "theirs").chmod(0o755)
    state.symlink_to(tmp_path / "theirs")
    with pytest.raises(token.TokenError, match="must belong to you alone"):
        token.own_token()


def test_many_first_starts_make_one_token(state: Path) -> None:
    made = [token.own_token() for _ in range(3)]
    assert len(set(made)) == 1
    assert sorted(os.listdir(state)) == ["http-token"]


def test_without_a_token_only_reading_is_served(state: Path, tmp_path: Path) -> None:
    with http_server("--standalone", "--no-auth", cwd=tmp_path) as server:
        assert server.token == ""
        client = Session(server)
        assert "insufficient_scope" not in client.text(call(1, "boruna_check", source=CLEAN))
        for tool in ("boruna_run", "boruna_run_live", "boruna_run_sealed", "boruna_trace", "boruna_replay"):
            refused = client.text(call(1, tool, source=CLEAN, event_log="{}"))
            assert "insufficient_scope" in refused, (tool, refused)
        trial = call(1, "try_edits", path="x.ax", candidates=[{"text": CLEAN}])
        assert "insufficient_scope" in client.text(trial)
    assert not (state / "http-token").exists()
