"""Hostile servers over HTTP: the limits of servers over standard streams hold for them, too."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from boruna_ls.upstream.outward import Outward
from tests.support.tool_programs import ToolWorkspace, main
from tests.upstream.odd_http import LONG, OddHttp, served

CALL = main("odd::add(1, 2).all_text()")


@pytest.fixture
def odd() -> Iterator[tuple[OddHttp, str]]:
    with served() as made:
        yield made


def workspace(folder: Path, url: str, timeout: float = 20) -> ToolWorkspace:
    return ToolWorkspace(folder, {"odd": {"url": url, "timeout": timeout}})


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("bomb", "the server compressed an answer ('gzip'), though asked for none that is"),
        ("flood", "it sent more than 2000 messages in 5 seconds"),
        ("comments", "it sent more than 2000 messages in 5 seconds"),
        ("events", "it sent more than 2000 messages in 5 seconds"),
        ("error", "add was refused: issue 5 is closed"),
        ("same words", "add was refused: Connection closed"),
        ("garbage", "add was refused: Failed to parse JSON response"),
    ],
)
def test_what_a_server_does_is_an_error_of_the_call_and_nothing_else(
    odd: tuple[OddHttp, str], tmp_path: Path, capfd: pytest.CaptureFixture[str], mode: str, told: str
) -> None:
    server, url = odd
    servers = workspace(tmp_path, url)
    server.mode = mode
    assert told in servers.result(CALL)
    server.mode = ""
    assert servers.result(CALL) == "5"
    assert capfd.readouterr().err == ""


def test_pages_of_tools_end_where_they_are_too_large(odd: tuple[OddHttp, str], tmp_path: Path) -> None:
    server, url = odd
    server.mode = "pages"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    servers = workspace(tmp_path, url)
    assert servers.result(CALL) == "5"
    pages = server.asked.count("tools/list")
    assert pages * LONG < 24 << 20
    # What is kept of a description is less than what was sent.
    assert servers.document("odd").stat().st_size < 1 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 << 10


def test_a_page_that_comes_again_is_the_last(odd: tuple[OddHttp, str], tmp_path: Path) -> None:
    server, url = odd
    server.mode = "same page"
    assert workspace(tmp_path, url).result(CALL) == "5"
    assert server.asked.count("tools/list") == 2


@pytest.mark.parametrize("mode", ["silent", "silent then gone"], ids=["the next call works", "a connection that ended is opened"])
def test_after_a_call_that_was_given_up(odd: tuple[OddHttp, str], tmp_path: Path, mode: str) -> None:
    """The library ends a connection when it cannot send that a call has been given up."""
    server, url = odd
    servers = workspace(tmp_path, url, timeout=1)
    server.mode = mode
    assert "add did not answer within 1 s" in servers.result(CALL)
    ends = time.monotonic() + 5
    while "notifications/cancelled" not in server.asked and time.monotonic() < ends:
        time.sleep(0.02)
    server.mode = ""
    # The first request is still not answered.
    assert servers.result(CALL) == "5"
    assert server.asked.count("initialize") == (1 if mode == "silent" else 2)


@pytest.mark.parametrize(
    ("own", "asked", "seen", "passes"),
    [
        ("https://8.8.8.8/mcp", "https://9.9.9.9/token", (), True),
        ("https://8.8.8.8/mcp", "http://169.254.169.254/latest/meta-data", (), False),
        ("https://8.8.8.8/mcp", "http://localhost:8080/admin", (), False),
        ("https://8.8.8.8/mcp", "http://[::ffff:127.0.0.1]/", (), False),
        ("https://8.8.8.8/mcp", "https://10.0.0.5/token", ("https://10.0.0.5",), True),
        ("http://127.0.0.1:9/mcp", "http://localhost:8080/token", (), True),
        ("http://127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp", (), True),
    ],
)
async def test_a_public_server_names_no_address_of_a_private_network(
    own: str, asked: str, seen: tuple[str, ...], passes: bool
) -> None:
    reached = httpx2.MockTransport(lambda request: httpx2.Response(200))
    async with httpx2.AsyncClient(transport=Outward(reached, (own, *seen))) as client:
        if passes:
            assert (await client.get(asked)).status_code == 200
        else:
            with pytest.raises(httpx2.ConnectError, match="private network"):
                await client.get(asked)
