"""Which texts of calls are scanned ahead, on a thread of their own: long ones that differ in much from the client's latest."""

from __future__ import annotations

import pytest

from analysis.diagnostics.check import check_file
from boruna_ls.mcp.tool import LONG, Call
from boruna_ls.mcp.tools.compile import CompileParams
from boruna_ls.workspace import Client, Host

LINE = "fn f{}() -> Int {{ {} }}\n"
TEXT = "".join(LINE.format(number, number) for number in range(4_000))


@pytest.fixture
def client() -> Client:
    return Client(1)


def _call(host: Host, client: Client, text: str, memory: dict[str, object]) -> Call[CompileParams]:
    return Call(host, client, CompileParams(source=text, path=None, name="module"), {}, memory=memory)


def test_only_what_differs_in_much_is_scanned_ahead(client: Client) -> None:
    host, memory = Host(), dict[str, object]()
    assert len(TEXT) > 1.5 * LONG
    first = _call(host, client, TEXT, memory)
    assert first.brings_much()
    file = first.program()
    near = TEXT.replace("{ 2000 }", "{ 2001 }")
    assert not _call(host, client, near, memory).brings_much()
    assert _call(host, client, TEXT[::-1], memory).brings_much()
    assert not _call(host, client, "fn f() -> Int { 1 }\n", memory).brings_much()
    assert _call(host, client, near, memory).program() == file
    assert check_file(host.db, file).entries


def test_a_text_that_is_gone_is_no_base(client: Client) -> None:
    host, memory = Host(), dict[str, object]()
    _call(host, client, TEXT, memory).program()
    host.forget_inline(client.id)
    assert _call(host, client, TEXT, memory).brings_much()
