"""Ways through a workspace with real files: symbols, calls, links to libraries, types, libraries that get another name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.lsp.documents import Document, RecordingClient
from tests.support.lsp import SERVER

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOP = "// Money.\ntype Money { cents: Int }\n\nfn price(cents: Int) -> Money { Money { cents: cents } }\n"
APP = """import "shop"

fn total(n: Int) -> Money {
    let one = price(n)
    one
}

fn main() -> Int {
    <|>total(2).cents
}
"""
OTHER = "import shop\n\nfn double(n: Int) -> Money { price(n + n) }\n"


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("around")
    (root / "boruna.toml").write_text("", encoding="utf-8")
    (root / "libs/shop/src").mkdir(parents=True)
    (root / "libs/shop/src/core.ax").write_text(SHOP, encoding="utf-8")
    (root / "app.ax").write_text(APP.replace("<|>", ""), encoding="utf-8")
    (root / "other.ax").write_text(OTHER, encoding="utf-8")
    return root


@pytest_lsp.fixture(config=ClientServerConfig(client_factory=RecordingClient, server_command=SERVER), scope="session")
async def editor(lsp_client: LanguageClient, root: Path) -> AsyncIterator[None]:
    capabilities = client_capabilities("neovim@0.11.0")
    folders = [types.WorkspaceFolder(root.as_uri(), "around")]
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities, workspace_folders=folders))
    yield
    await lsp_client.shutdown_session()


@pytest.fixture(scope="session")
def app(editor: LanguageClient, root: Path) -> Document:
    return Document(editor, APP, (root / "app.ax").as_uri())


async def test_symbols_of_the_workspace(editor: LanguageClient, app: Document, root: Path) -> None:
    async def named(query: str) -> list[tuple[str, str]]:
        found = await editor.workspace_symbol_async(types.WorkspaceSymbolParams(query))
        return [(one.name, one.location.uri.rpartition("/")[2]) for one in found or []]

    assert await named("pri") == [("price", "core.ax")]
    assert await named("dbl") == [("double", "other.ax")]
    assert {name for name, _ in await named("")} >= {"price", "Money", "total", "main", "double"}
    assert await named("cents") == [("cents", "core.ax")]


async def test_calls_over_files(editor: LanguageClient, app: Document, root: Path) -> None:
    at = app.range("price(n)").start
    (item,) = await editor.text_document_prepare_call_hierarchy_async(types.CallHierarchyPrepareParams(app.id, at)) or ()
    assert item.uri == (root / "libs/shop/src/core.ax").as_uri()
    assert item.detail == "(cents: Int) -> Money"
    calls = await editor.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(item))
    assert calls is not None
    assert {(call.from_.name, len(call.from_ranges)) for call in calls} == {("total", 1), ("double", 1)}
    caller = next(call.from_ for call in calls if call.from_.name == "total")
    called = await editor.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(caller))
    assert called is not None
    assert [(call.to.name, app.at(call.from_ranges[0])) for call in called] == [("price", "price")]
    nothing = types.CallHierarchyPrepareParams(app.id, app.range("one").start)
    assert not await editor.text_document_prepare_call_hierarchy_async(nothing)


async def test_links_to_libraries(editor: LanguageClient, app: Document, root: Path) -> None:
    (link,) = await editor.text_document_document_link_async(types.DocumentLinkParams(app.id)) or ()
    assert app.at(link.range) == "shop"
    assert link.target == (root / "libs/shop/src/core.ax").as_uri()


async def test_types_and_declarations(editor: LanguageClient, app: Document) -> None:
    at = app.range("one", 1).start
    places = await editor.text_document_type_definition_async(types.TypeDefinitionParams(app.id, at))
    assert isinstance(places, list)
    (place,) = places
    assert isinstance(place, types.LocationLink)
    assert place.target_uri.endswith("/shop/src/core.ax")
    assert place.target_selection_range.start.line == 1
    found = await editor.text_document_declaration_async(types.DeclarationParams(app.id, app.cursor))
    assert isinstance(found, list)
    assert len(found) == 1


async def test_a_library_with_another_name_is_imported_by_that(editor: LanguageClient, app: Document, root: Path) -> None:
    async def edited(old: str, new: str) -> dict[str, list[str]]:
        files = [types.FileRename((root / old).as_uri(), (root / new).as_uri())]
        edit = await editor.workspace_will_rename_files_async(types.RenameFilesParams(files))
        found: dict[str, list[str]] = {}
        for uri, edits in (edit.changes or {}).items() if edit is not None else ():
            found[uri.rpartition("/")[2]] = [one.new_text for one in edits]
        return found

    assert await edited("libs/shop", "libs/my-shop") == {"app.ax": ["my-shop"], "other.ax": ["my-shop"]}
    assert await edited("libs/shop", "libs/2.shop") == {"app.ax": ["2.shop"], "other.ax": ['"2.shop"']}
    assert await edited("libs/shop", "elsewhere/shop") == {}
    assert await edited("app.ax", "main.ax") == {}


async def test_the_hierarchy_of_an_enum(editor: LanguageClient) -> None:
    text = "enum Shape { Dot, Round(Int) }\n\nfn main() -> Shape {\n    <|>Shape::Round(2)\n}\n"
    opened = Document(editor, text)
    place = types.TypeHierarchyPrepareParams(opened.id, opened.cursor)
    (enum,) = await editor.text_document_prepare_type_hierarchy_async(place) or []
    assert (enum.name, enum.kind, enum.range.end.character) == ("Shape", types.SymbolKind.Enum, 30)
    variants = await editor.type_hierarchy_subtypes_async(types.TypeHierarchySubtypesParams(enum)) or []
    assert [(one.name, one.detail, one.kind) for one in variants] == [
        ("Dot", None, types.SymbolKind.EnumMember),
        ("Round", "Int", types.SymbolKind.EnumMember),
    ]
    above = await editor.type_hierarchy_supertypes_async(types.TypeHierarchySupertypesParams(variants[1]))
    assert list(above or []) == [enum]
    assert not await editor.type_hierarchy_supertypes_async(types.TypeHierarchySupertypesParams(enum))
    opened.close()
