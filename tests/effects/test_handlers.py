"""Capabilities: order of policy, budget and log; mock answers; live ones against real servers, files and databases."""

from __future__ import annotations

import contextlib
import http.server
import json
import math
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.deadline import Deadline
from boruna_ls.effects import files
from boruna_ls.effects.addresses import is_listed, is_public
from boruna_ls.effects.broker import Broker
from boruna_ls.effects.effect import Bounds, Effect
from boruna_ls.effects.grants import Grant
from boruna_ls.effects.table import Handler
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway, HandlerFailure
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL, FsPolicy, Policy, read_policy
from boruna_ls.runtime.remote import Remote
from boruna_ls.runtime.run import RunOutcome, run_module
from tests.support.journals import write_super_journal
from tests.support.programs import module

BROKER = Broker()


def owners(policy: Policy, broker: Broker = BROKER) -> Remote:
    """The handler of a run that the owner starts with a policy of their own."""
    return Remote(broker.effects_of(Grant("a.ax", "", Bounds(policy, None), Deadline(math.inf))).answer)


def run(text: str, policy: Policy = ALLOW_ALL, live: bool = False, log: EventLog | None = None) -> RunOutcome:
    handler = owners(policy) if live else Mock(display)
    return run_module(module(text), Options(gateway=Gateway(policy, handler, log), log=log))


def value(expression: str, policy: Policy = ALLOW_ALL, live: bool = False) -> str:
    made = run(f"fn main() -> Int {{ {expression} }}", policy, live)
    assert made.error is None, made.error
    return display(made.value)


@pytest.mark.parametrize(
    "expression, answer",
    [
        ('net_fetch("u")', 'Ok("{"mock": true, "url": ""u""}")'),
        ('fs_read("p")', 'Ok("mock file content for "p"")'),
        ('fs_write("p", "t")', "Ok(true)"),
        ('db_query("q")', 'Ok("[]")'),
        ('llm_call("p")', '"{"mock": true, "status": "ok"}"'),
        ("time_now()", "1700000000"),
        ("random()", "0.42"),
        ('step_input("a")', '""'),
    ],
)
def test_mock_answers(expression: str, answer: str) -> None:
    assert value(expression) == answer


def test_denied_calls_leave_no_event_and_budgets_count_allowed_ones() -> None:
    text = "fn main() -> Float { random()\n random()\n random() }"
    log = EventLog()
    policy = read_policy('{"rules": {"random": {"allow": true, "budget": 2}}}')
    made = run(text, policy, log=log)
    assert made.error is not None
    assert made.error.message == "capability budget exceeded: random"
    assert [event.kind for event in log.events] == ["CapCall", "CapResult"] * 2
    log = EventLog()
    made = run(text, Policy(), log=log)
    assert made.error is not None
    assert made.error.message == "capability denied: random"
    assert log.events == []


# ---- the network ----------------------------------------------------------------------------------------------------


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://192.168.0.1/")
            self.end_headers()
            return
        if self.path.startswith("/drip/"):
            self.drip(self.path.removeprefix("/drip/"))
            return
        body = {"/text": "héllo".encode(), "/bytes": b"\xff", "/long": b"x" * 5000}.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.end_headers()
        self.wfile.write(body or b"")

    def drip(self, part: str) -> None:
        """An answer whose head or body takes ten seconds, byte by byte."""
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n" + (b"\r\n" if part == "body" else b"X: "))
        with contextlib.suppress(OSError):
            for _ in range(100):
                self.wfile.write(b"x")
                time.sleep(0.1)

    def log_message(self, *_: Any) -> None:
        """Silence."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def net(**fields: Any) -> Policy:
    return read_policy(json.dumps({"default_allow": True, "net_policy": fields}))


def test_listed_host_is_fetched_even_if_it_is_this_machine(site: str) -> None:
    policy = net(allowed_domains=["127.0.0.1"])
    assert value(f'net_fetch("{site}/text")', policy, live=True) == 'Ok("héllo")'
    assert "404" in value(f'net_fetch("{site}/none")', policy, live=True)
    assert "UTF-8" in value(f'net_fetch("{site}/bytes")', policy, live=True)
    small = net(allowed_domains=["127.0.0.1"], max_response_bytes=10)
    assert value(f'net_fetch("{site}/long")', small, live=True) == 'Ok("xxxxxxxxxx")'


@pytest.mark.parametrize("path", ["/drip/head", "/drip/body"])
def test_an_answer_that_comes_in_drops_ends_in_time(site: str, path: str) -> None:
    begins = time.monotonic()
    answer = value(f'net_fetch("{site}{path}")', net(allowed_domains=["127.0.0.1"], timeout_ms=500), live=True)
    assert (answer.startswith("Err("), "timed out" in answer) == (True, True), answer
    assert time.monotonic() - begins < 5


@pytest.mark.parametrize(
    "policy, path, words",
    [
        (ALLOW_ALL, "/text", "names no hosts"),
        (net(), "/text", "private and reserved"),
        (net(allowed_domains=["a.test"]), "/text", "not in allowlist"),
        (net(allowed_domains=["127.0.0.1"], allowed_methods=["POST"]), "/text", "HTTP method 'GET' not in allowlist"),
        (net(allowed_domains=["127.0.0.1"]), "/away", "domain '192.168.0.1' not in allowlist"),
        (net(allowed_domains=["127.0.0.1"], allow_redirects=False), "/away", "does not allow redirects"),
    ],
)
def test_what_is_not_fetched(site: str, policy: Policy, path: str, words: str) -> None:
    answer = value(f'net_fetch("{site}{path}")', policy, live=True)
    assert answer.startswith("Err(")
    assert words in answer


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.test/", "", "http://", "http://[", "http://localhost:1/"])
def test_urls_that_lead_nowhere(url: str) -> None:
    assert value(f'net_fetch("{url}")', net(), live=True).startswith("Err(")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1", "::", "fc00::1",
        "fe80::1%eth0", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1", "ff02::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_addresses_that_are() -> None:
    assert is_public("93.184.216.34")
    assert is_public("2606:2800:220:1::1")


def test_patterns_of_domains() -> None:
    assert is_listed("A.test.", ["a.test"])
    assert is_listed("x.y.a.test", ["*.a.test"])
    assert is_listed("a.test", ["*.a.test"])
    assert not is_listed("evila.test", ["*.a.test"])
    assert is_listed("bücher.test", ["xn--bcher-kva.test"])
    assert is_listed("x.xn--bcher-kva.test", ["*.BÜCHER.test"])
    assert not is_listed("a.test.evil", ["a.test"])


# ---- files ----------------------------------------------------------------------------------------------------------


def fs(root: Path) -> Policy:
    return read_policy(json.dumps({"default_allow": True, "fs_policy": {"allowed_roots": [str(root)]}}))


def test_files_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("text")
    policy = fs(tmp_path)
    assert value(f'fs_read("{tmp_path}/sub/a.txt")', policy, live=True) == 'Ok("text")'
    assert value('fs_read("sub/a.txt")', policy, live=True) == 'Ok("text")'
    assert value('fs_write("sub/b.txt", "nöw")', policy, live=True) == "Ok(true)"
    assert (tmp_path / "sub" / "b.txt").read_text(encoding="utf-8") == "nöw"


def test_files_outside_are_out_of_reach(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("secret")
    os.symlink(outside, root / "link")
    os.symlink(outside / "secret", root / "file")
    os.mkfifo(root / "pipe")
    policy = fs(root)
    paths = ["../outside/secret", f"{outside}/secret", "link/secret", "file", "pipe", "", ".", "sub/../../outside/secret", "none"]
    for path in [*paths, f"{root}/../outside/secret"]:
        assert value(f'fs_read("{path}")', policy, live=True).startswith("Err("), path
        if path != ".":
            assert value(f'fs_write("{path}/x", "evil")', policy, live=True).startswith("Err("), path
    assert value('fs_write("file", "evil")', policy, live=True).startswith("Err(")
    assert (outside / "secret").read_text() == "secret"
    assert sorted(os.listdir(outside)) == ["secret"]
    with pytest.raises(HandlerFailure):
        files.read_text(Bounds(Policy(fs=FsPolicy((str(root),))), None), "a\0b")


def test_without_roots_nothing_is_reached(tmp_path: Path) -> None:
    assert "names no folders" in value(f'fs_read("{tmp_path}/a")', ALLOW_ALL, live=True)


# ---- databases ------------------------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE item (name TEXT, price REAL, picture BLOB)")
        connection.execute("INSERT INTO item VALUES ('tea', 2.5, x'00ff'), ('cup', NULL, NULL)")
    connection.close()
    return path


def db(path: Path, read_only: bool = True) -> Policy:
    return read_policy(json.dumps({"default_allow": True, "db_policy": {"path": str(path), "read_only": read_only}}))


def query(statement: str, policy: Policy) -> str:
    return value(f'db_query("{statement}")', policy, live=True)


def test_rows_are_json(database: Path) -> None:
    assert query("SELECT * FROM item", db(database)) == (
        'Ok("[{"name":"tea","price":2.5,"picture":"00ff"},{"name":"cup","price":null,"picture":null}]")'
    )


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM item",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'copy.db'",
        "PRAGMA query_only = 0",
        "SELECT 1; SELECT 2",
        "nonsense",
        "SELECT load_extension('x')",
    ],
)
def test_statements_that_fail(database: Path, statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(database.parent)
    assert query(statement, db(database)).startswith("Err(")
    assert os.listdir(database.parent) == ["shop.db"]


def test_writing_must_be_allowed(database: Path) -> None:
    assert query("DELETE FROM item", db(database, read_only=False)) == 'Ok("[]")'
    assert query("SELECT count(*) AS n FROM item", db(database)) == 'Ok("[{"n":0}]")'


def test_endless_query_ends(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boruna_ls.effects.database._SECONDS", 0.2)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    assert "interrupted" in query(endless, db(database))


@pytest.mark.parametrize("read_only", [True, False])
def test_a_journal_deletes_no_other_file(database: Path, tmp_path: Path, read_only: bool) -> None:
    # SQLite deletes the super-journal that an unfinished transaction names, whatever file that is.
    victim = tmp_path / "notes.txt"
    victim.write_text("precious")
    write_super_journal(database, victim)
    assert query("SELECT count(*) AS n FROM item", db(database, read_only)).startswith("Err(")
    assert victim.read_text() == "precious"
    database.with_name("shop.db-journal").unlink()
    assert query("SELECT count(*) AS n FROM item", db(database, read_only)) == 'Ok("[{"n":2}]")'


# ---- handlers of others ---------------------------------------------------------------------------------------------


def test_a_registered_handler_answers_what_has_none() -> None:
    text = 'fn main() -> String { llm_call("why?") }'
    bare = run_module(module(text), Options(gateway=Gateway(ALLOW_ALL, owners(ALLOW_ALL))))
    assert bare.error is not None
    assert bare.error.message == "assertion failed: capability error: llm.call has no live handler here"

    async def think(effect: Effect) -> tuple[str, str]:
        return ("String", f"because of {effect.text(0)}")

    broker = Broker()
    broker.register("llm.call", Handler(think))
    made = run_module(module(text), Options(gateway=Gateway(ALLOW_ALL, owners(ALLOW_ALL, broker))))
    assert made.value == "because of why?"
