"""Editors whose folder is a link: what they are told has the names that they use, and the disk below is watched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.lsp import RawClient

APP = 'import "greet"\n\nfn main() -> Int {\n    greeting()\n}\n'
GREET = "fn greeting() -> Int {\n    1\n}\n"
ABILITIES = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}},
}


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A link to a workspace with a library and a program."""
    real = tmp_path / "real"
    (real / "libs" / "greet" / "src").mkdir(parents=True)
    (real / "boruna.toml").write_text("")
    (real / "libs" / "greet" / "src" / "core.ax").write_text(GREET)
    (real / "app.ax").write_text(APP)
    (real / "b é.ax").write_text("fn main() -> Int {\n    one\n}\n")
    (tmp_path / "link").symlink_to(real)
    return tmp_path / "link"


@pytest.fixture
def editor(link: Path) -> Iterator[RawClient]:
    with RawClient() as client:
        client.initialize(ABILITIES, rootUri=link.as_uri())
        yield client


def opened(client: RawClient, uri: str, text: str) -> dict[str, Any]:
    document = {"uri": uri, "languageId": "boruna", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    return {"textDocument": {"uri": uri}}


def pulled(client: RawClient, uri: str) -> list[str]:
    report = client.call("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    return [item["code"] for item in report["items"]]


def test_places_have_the_editors_spelling(editor: RawClient, link: Path) -> None:
    # An editor may escape more than it must.
    uri = f"{link.parent.as_uri()}/%6Cink/app.ax"
    document = opened(editor, uri, APP)
    place = {**document, "position": {"line": 3, "character": 6}}
    library = (link / "libs" / "greet" / "src" / "core.ax").as_uri()
    definition = editor.call("textDocument/definition", place)
    assert [one.get("uri") or one["targetUri"] for one in definition] == [library]
    found = editor.call("textDocument/references", {**place, "context": {"includeDeclaration": True}})
    assert {one["uri"] for one in found} == {uri, library}
    report = editor.call("workspace/diagnostic", {"previousResultIds": []})
    uris = {item["uri"]: [one["code"] for one in item["items"]] for item in report["items"]}
    assert uris[uri] == []
    assert uris[(link / "b é.ax").as_uri()] == ["E003"]
    assert not any("/real/" in uri for uri in uris)


def test_what_the_editor_tells_of_the_disk_counts_at_once(editor: RawClient, link: Path) -> None:
    while (registered := editor.receive()).get("method") != "client/registerCapability":
        pass
    (registration,) = registered["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert {one["globPattern"] for one in registration["registerOptions"]["watchers"]} >= {"**/*.ax", "**/boruna.toml"}
    uri = (link / "app.ax").as_uri()
    opened(editor, uri, APP)
    assert pulled(editor, uri) == []
    library = link / "libs" / "greet" / "src" / "core.ax"
    library.write_text(GREET.replace("greeting", "welcome"))
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": library.as_uri(), "type": 2}]})
    assert "E003" in pulled(editor, uri)
    moved = library.parent.parent.with_name("other")
    library.parent.parent.rename(moved)
    files = [{"oldUri": library.parent.parent.as_uri(), "newUri": moved.as_uri()}]
    editor.notify("workspace/didRenameFiles", {"files": files})
    assert "E013" in pulled(editor, uri)
