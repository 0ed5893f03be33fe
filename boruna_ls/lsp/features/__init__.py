"""One module per feature of the protocol: find the file, convert the position, ask the analysis, convert the answer.

A feature is a function `(session, params) -> answer` and one line in the table `FEATURES`. A plain function runs on the
worker; one that is `async` runs on the event loop and hands its pieces to the worker itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from lsprotocol import types

from analysis.data_classes import dataclass
from boruna_ls.lsp.features import (
    call_hierarchy,
    code_actions,
    code_lens,
    completion,
    definition,
    document_highlight,
    document_links,
    document_symbols,
    documents,
    folding,
    formatting,
    hover,
    inlay_hints,
    linked_editing,
    pull_diagnostics,
    references,
    rename,
    rename_files,
    selection,
    semantic_tokens,
    signature_help,
    type_hierarchy,
    workspace_symbols,
)


@dataclass(frozen=True, slots=True)
class Feature:
    """A request's method, the function that answers it, and what the capabilities say about it."""

    method: str
    function: Callable[..., Any]
    options: Any = None
    is_wide: bool = False
    """True if the feature reads the whole workspace."""
    of_documents: Callable[..., Any] | None = None
    """Handler for documents that are not programs; without it the answer is null."""


FEATURES: Final[tuple[Feature, ...]] = (
    Feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        pull_diagnostics.document,
        pull_diagnostics.OPTIONS,
        of_documents=pull_diagnostics.document,
    ),
    Feature(types.WORKSPACE_DIAGNOSTIC, pull_diagnostics.workspace),
    Feature(
        types.TEXT_DOCUMENT_CODE_ACTION, code_actions.code_actions, code_actions.OPTIONS, of_documents=code_actions.of_document
    ),
    Feature(types.CODE_ACTION_RESOLVE, code_actions.resolve),
    Feature(
        types.TEXT_DOCUMENT_CODE_LENS,
        code_lens.code_lens,
        types.CodeLensOptions(resolve_provider=True),
        of_documents=documents.code_lens,
    ),
    Feature(types.CODE_LENS_RESOLVE, code_lens.resolve, is_wide=True),
    Feature(types.TEXT_DOCUMENT_HOVER, hover.hover, of_documents=documents.hover),
    Feature(types.TEXT_DOCUMENT_COMPLETION, completion.completion, completion.OPTIONS, of_documents=documents.completion),
    Feature(types.COMPLETION_ITEM_RESOLVE, completion.resolve),
    Feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, signature_help.signature_help, signature_help.OPTIONS),
    Feature(types.TEXT_DOCUMENT_INLAY_HINT, inlay_hints.inlay_hints, types.InlayHintOptions(resolve_provider=False)),
    Feature(types.TEXT_DOCUMENT_DEFINITION, definition.definition, of_documents=definition.of_document),
    Feature(types.TEXT_DOCUMENT_DECLARATION, definition.declaration),
    Feature(types.TEXT_DOCUMENT_TYPE_DEFINITION, definition.type_definition),
    Feature(types.TEXT_DOCUMENT_IMPLEMENTATION, definition.implementation, is_wide=True),
    Feature(types.TEXT_DOCUMENT_REFERENCES, references.references, is_wide=True, of_documents=documents.references),
    Feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, document_highlight.document_highlight, of_documents=documents.highlights),
    Feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, document_symbols.document_symbols, of_documents=documents.symbols),
    Feature(types.WORKSPACE_SYMBOL, workspace_symbols.workspace_symbols, is_wide=True),
    Feature(
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
        document_links.document_links,
        types.DocumentLinkOptions(resolve_provider=False),
        of_documents=documents.links,
    ),
    Feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, call_hierarchy.prepare),
    Feature(types.CALL_HIERARCHY_INCOMING_CALLS, call_hierarchy.incoming, is_wide=True),
    Feature(types.CALL_HIERARCHY_OUTGOING_CALLS, call_hierarchy.outgoing),
    Feature(types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY, type_hierarchy.prepare),
    Feature(types.TYPE_HIERARCHY_SUPERTYPES, type_hierarchy.supertypes),
    Feature(types.TYPE_HIERARCHY_SUBTYPES, type_hierarchy.subtypes),
    Feature(types.TEXT_DOCUMENT_LINKED_EDITING_RANGE, linked_editing.linked_editing),
    Feature(types.TEXT_DOCUMENT_PREPARE_RENAME, rename.prepare_rename, of_documents=documents.prepare_rename),
    Feature(types.TEXT_DOCUMENT_RENAME, rename.rename, is_wide=True, of_documents=documents.rename),
    Feature(types.TEXT_DOCUMENT_FORMATTING, formatting.formatting),
    Feature(types.TEXT_DOCUMENT_RANGE_FORMATTING, formatting.range_formatting),
    Feature(types.TEXT_DOCUMENT_ON_TYPE_FORMATTING, formatting.on_type_formatting, formatting.ON_TYPE),
    Feature(types.WORKSPACE_WILL_RENAME_FILES, rename_files.will_rename_files, rename_files.OPTIONS, is_wide=True),
    Feature(types.TEXT_DOCUMENT_FOLDING_RANGE, folding.folding),
    Feature(types.TEXT_DOCUMENT_SELECTION_RANGE, selection.selection),
    Feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens.full, semantic_tokens.LEGEND),
    Feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, semantic_tokens.delta),
    Feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens.in_range),
)
