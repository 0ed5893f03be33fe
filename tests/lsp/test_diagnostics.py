"""Diagnostics pushed and pulled: what they carry, their versions, their result ids, and what makes them new."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from boruna_ls.workspace.uris import path_of, uri_of
from tests.lsp.documents import Document, RecordingClient, eventually
from tests.support.lsp import SERVER, RawClient

pytestmark = pytest.mark.asyncio(loop_scope="session")

MISSPELT = """type Point { x: Int }

fn main() -> Int {
    let counter = 1
    let spare = 2
    list_len(["🙂é", coutner])
}
"""


async def test_a_pushed_diagnostic_has_everything(vscode: LanguageClient) -> None:
    document = Document(vscode, MISSPELT)
    found = {str(each.code): each for each in await document.published()}
    misspelt = found["E003"]
    assert document.at(misspelt.range) == "coutner"
    assert misspelt.range.start.character == len('    list_len(["🙂é", ') + 1
    assert misspelt.severity is types.DiagnosticSeverity.Error
    assert misspelt.source == "boruna"
    message, _, advice = misspelt.message.partition("\n")
    assert message == "undefined variable: coutner"
    assert "counter" in advice
    assert misspelt.code_description is not None
    page = Path(urlsplit(misspelt.code_description.href).path)
    assert page.name == "E003.md"
    assert page.is_file()
    assert isinstance(misspelt.data, dict)
    assert misspelt.data["patches"]
    unused = found["W501"]
    assert list(unused.tags or []) == [types.DiagnosticTag.Unnecessary]
    assert unused.severity is types.DiagnosticSeverity.Hint


async def test_columns_follow_the_negotiated_encoding(neovim: LanguageClient) -> None:
    document = Document(neovim, MISSPELT)
    misspelt = next(each for each in await document.items() if each.code == "E003")
    assert misspelt.range.start.character == len('    list_len(["🙂é", '.encode())
    assert document.at(misspelt.range) == "coutner"


async def test_each_change_is_followed_by_diagnostics_with_its_version(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn main() -> Int {\n    one\n}\n")
    assert [each.code for each in await document.published()] == ["E003"]
    top = types.Position(0, 0)
    document.change(top, top, "// a comment\n\n")
    (moved,) = await document.published()
    assert moved.range.start.line == 3
    document.change(moved.range.start, moved.range.end, "1")
    assert await document.published() == []


async def test_related_places_move_with_the_text(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn twice() -> Int {\n    1\n}\n\nfn twice() -> Int {\n    2\n}\n")
    for _ in range(2):
        (duplicate,) = [each for each in await document.published() if each.code == "W304"]
        assert duplicate.related_information is not None
        (other,) = duplicate.related_information
        assert other.location.uri == document.uri
        assert document.at(other.location.range) == document.at(duplicate.range) == "twice"
        assert other.location.range != duplicate.range
        top = types.Position(0, 0)
        document.change(top, top, "// a comment\n")


async def test_closing_clears(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn main() -> Int {\n    one\n}\n")
    assert await document.published()
    document.close()
    assert list((await document.publication()).diagnostics) == []


async def test_pulling_again_without_a_change_is_unchanged(neovim: LanguageClient) -> None:
    document = Document(neovim, "fn main() -> Int {\n    one\n}\n")
    first = await document.pulled()
    assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
    assert [each.code for each in first.items] == ["E003"]
    again = await document.pulled(first.result_id)
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)
    assert again.result_id == first.result_id
    place = first.items[0].range
    document.change(place.start, place.end, "1")
    fixed = await document.pulled(first.result_id)
    assert isinstance(fixed, types.RelatedFullDocumentDiagnosticReport)
    assert list(fixed.items) == []


async def test_who_pulls_is_not_pushed_to(neovim: LanguageClient) -> None:
    document = Document(neovim, "fn main() -> Int {\n    one\n}\n")
    await document.pulled()
    assert document.uri not in neovim.diagnostics


# ---- a workspace on disk -------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("workspace with blanks é")
    (root / "boruna.toml").write_text("")
    (root / "libs" / "greet" / "src").mkdir(parents=True)
    (root / "libs" / "greet" / "src" / "core.ax").write_text('fn greeting() -> String {\n    "hi"\n}\n')
    (root / "clean.ax").write_text("fn main() -> Int {\n    1\n}\n")
    (root / "faulty.ax").write_text("fn main() -> Int {\n    one\n}\n")
    (root / "greets.ax").write_text('import "greet"\n\nfn main() -> String {\n    greeting()\n}\n')
    return root


@pytest_lsp.fixture(config=ClientServerConfig(client_factory=RecordingClient, server_command=SERVER))
async def inside(lsp_client: LanguageClient, folder: Path) -> AsyncIterator[None]:
    capabilities = client_capabilities("neovim@0.11.0")
    assert capabilities.workspace is not None
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    folders = [types.WorkspaceFolder(uri_of(str(folder)), "workspace")]
    params = types.InitializeParams(capabilities=capabilities, workspace_folders=folders)
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


def by_name(report: types.WorkspaceDiagnosticReport) -> dict[str, types.WorkspaceDocumentDiagnosticReport]:
    return {path_of(item.uri).rsplit("/", 1)[-1]: item for item in report.items}


@pytest.mark.asyncio(loop_scope="function")
async def test_workspace_diagnostics(inside: LanguageClient, folder: Path) -> None:
    params = types.WorkspaceDiagnosticParams(previous_result_ids=[])
    reports = by_name(await inside.workspace_diagnostic_async(params))
    found = {
        name: [each.code for each in report.items]
        for name, report in reports.items()
        if isinstance(report, types.WorkspaceFullDocumentDiagnosticReport)
    }
    assert found == {"clean.ax": [], "faulty.ax": ["E003"], "greets.ax": [], "core.ax": []}

    document = Document(inside, "fn main() -> Int {\n    two\n}\n", uri_of(str(folder / "clean.ax")))
    known = [types.PreviousResultId(report.uri, report.result_id or "") for report in reports.values()]
    again = by_name(await inside.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=known)))
    changed = [name for name, report in again.items() if report.kind == "full"]
    assert changed == ["clean.ax"]
    assert again["clean.ax"].version == document.version


@pytest.mark.asyncio(loop_scope="function")
async def test_an_unsaved_library_is_seen_by_those_who_import_it(inside: LanguageClient, folder: Path) -> None:
    greets = Document(inside, (folder / "greets.ax").read_text(), uri_of(str(folder / "greets.ax")))
    assert await greets.items() == []
    core = folder / "libs" / "greet" / "src" / "core.ax"
    library = Document(inside, core.read_text(), uri_of(str(core)))
    refreshed = inside.diagnostic_refresh_count
    name = library.range("greeting")
    library.change(name.start, name.end, "welcome")
    assert any(each.severity is types.DiagnosticSeverity.Error for each in await greets.items())
    for _ in range(100):
        if inside.diagnostic_refresh_count > refreshed:
            break
        await asyncio.sleep(0.02)
    assert inside.diagnostic_refresh_count > refreshed
    library.close()
    assert await greets.items() == []


@pytest.mark.asyncio(loop_scope="function")
async def test_settings_of_the_workspace_count(inside: LanguageClient, folder: Path) -> None:
    text = "fn main() -> Int {\n    let spare = 2\n    1\n}\n"
    document = Document(inside, text, uri_of(str(folder / "spare.ax")))
    assert [each.code for each in await document.items()] == ["W501"]
    (folder / "boruna.toml").write_text('[check]\nignore = ["W5"]\n')
    try:
        change = types.FileEvent(uri_of(str(folder / "boruna.toml")), types.FileChangeType.Changed)
        inside.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        assert await document.items() == []
        (folder / "boruna.toml").write_text("[check]\nselct = []\n")
        inside.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        shown = await eventually("a message", lambda: next(iter(inside.messages), None))
        assert "selct" in shown.message
    finally:
        (folder / "boruna.toml").write_text("")


@pytest.mark.asyncio(loop_scope="function")
async def test_a_library_that_changes_on_disk_is_noticed(folder: Path) -> None:
    core = folder / "libs" / "greet" / "src" / "core.ax"
    before = core.read_text()
    uri = uri_of(str(folder / "greets.ax"))
    with RawClient() as client:
        client.initialize()
        client.open(uri, (folder / "greets.ax").read_text())
        assert client.published(uri, 1) == []
        try:
            core.write_text(before.replace("greeting", "welcome"))
            assert client.published(uri, 1) != []
        finally:
            core.write_text(before)
        assert client.published(uri, 1) == []
