"""Two editors connected to two real server processes, shared by all tests of this folder.

`neovim` counts columns in UTF-8, pulls diagnostics and knows trees of symbols; `vscode` counts in UTF-16 and is pushed to.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.lsp.documents import RecordingClient
from tests.support.lsp import SERVER


@pytest_lsp.fixture(config=ClientServerConfig(client_factory=RecordingClient, server_command=SERVER), scope="session")
async def neovim(lsp_client: LanguageClient) -> AsyncIterator[None]:
    capabilities = client_capabilities("neovim@0.11.0")
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=ClientServerConfig(client_factory=RecordingClient, server_command=SERVER), scope="session")
async def vscode(lsp_client: LanguageClient) -> AsyncIterator[None]:
    # The library's client knows no handler of its own for what the editor says it can do.
    lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: None)
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda *_: None)
    capabilities = client_capabilities("visual-studio-code@1.65.2")
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()
