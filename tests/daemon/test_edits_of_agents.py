"""Edits of an agent reach a file that an editor has open as edits of that editor, and nothing is written if it refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.daemon import Agent, editor, stopped
from tests.support.lsp import RawClient
from tests.support.mcp_lines import call

LIBRARY = "export fn twice(n: Int) -> Int {\n    n * 2\n}\n"
APP = 'import "shop"\n\nfn main() -> Int {\n    twice(2)\n}\n'
CAPABILITIES = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as fix:
        place = tmp_path_factory.mktemp("s") / "d"
        fix.setenv(places.VARIABLE, str(place))
        yield place
        stopped(place)


def answered(client: RawClient, is_applied: bool) -> dict[str, Any]:
    """The edit that the editor is sent, and its answer."""
    while (message := client.receive()).get("method") != "workspace/applyEdit":
        pass
    client.frame(
        b'{"jsonrpc":"2.0","id":%s,"result":{"applied":%s}}' % (_json(message["id"]), b"true" if is_applied else b"false")
    )
    return dict(message["params"])


def _json(value: Any) -> bytes:
    import json

    return json.dumps(value).encode()


@pytest.mark.parametrize("is_applied", [True, False])
def test_an_open_file_is_edited_by_its_editor(tmp_path: Path, is_applied: bool) -> None:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    core, app = tmp_path / "libs/shop/src/core.ax", tmp_path / "app.ax"
    core.write_text(LIBRARY, encoding="utf-8")
    app.write_text(APP, encoding="utf-8")
    arguments = {"path": "app.ax", "symbol": "twice", "new_name": "double", "apply": True}
    with editor(tmp_path) as client, ThreadPoolExecutor(1) as pool:
        client.initialize(CAPABILITIES, rootUri=tmp_path.as_uri())
        client.open(app.as_uri(), APP, 7)
        client.published(app.as_uri(), 7)
        agent = Agent(tmp_path).open()
        asked = pool.submit(agent.ask, call("rename", "rename_symbol", **arguments))
        sent = answered(client, is_applied)
        result = asked.result(60)["result"]
        assert result["isError"] is not is_applied, result
        (change,) = sent["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": app.as_uri(), "version": 7}
        assert [one["newText"] for one in change["edits"]] == ["double"]
        # The editor's file is never written behind its back, and without its edit the library is as it was.
        assert app.read_text("utf-8") == APP
        assert core.read_text("utf-8") == (LIBRARY.replace("twice", "double") if is_applied else LIBRARY)
        assert result["isError"] is not is_applied
        if is_applied:
            assert {one["how"] for one in result["structuredContent"]["written"]} == {"editor", "disk"}
        agent.leave()
