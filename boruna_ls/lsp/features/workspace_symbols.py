"""workspace/symbol: declarations of all files of the editor's workspaces by a part of their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lsprotocol import types

from analysis.ide.workspace_symbols import Match, best, matches
from boruna_ls.lsp.features.document_symbols import kind_of
from boruna_ls.lsp.session import Session

MOST: Final = 500
"""Maximum number of declarations in an answer; a longer query finds others."""


def workspace_symbols(session: Session, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """The declarations that fit best, the best first."""
    matches = best(_matches(session, params.query), MOST)
    return [
        types.SymbolInformation(
            session.location(match.file, match.symbol.name_span),
            match.symbol.name,
            kind_of(match.symbol),
            container_name=match.container or None,
        )
        for match in matches
    ]


def _matches(session: Session, query: str) -> Iterator[Match]:
    for file in session.every_file():
        yield from matches(session.db, file, query)
