"""MCP Apps: pages that a client shows in place of a tool's answer (the extension `io.modelcontextprotocol/ui`)."""

from __future__ import annotations

from typing import Any, Final

import mcp_types as types

from boruna_ls.answers.envelope import no_file

EXTENSION: Final = "io.modelcontextprotocol/ui"
MIME_TYPE: Final = "text/html;profile=mcp-app"
"""Word for word what `mcp.server.apps` has; that module brings the library's other server along."""
PAGE: Final = "ui://boruna/preview"


def tool_meta(page: str) -> dict[str, Any] | None:
    """`_meta` of a tool: a reference to its page; None for a tool without one."""
    return {"ui": {"resourceUri": page}} if page else None


def resource() -> types.Resource:
    """The page as `resources/list` has it."""
    about = "The page of boruna_preview: an application drawn, with its messages, state, effects and time line"
    return types.Resource(uri=PAGE, name="preview", description=about, mime_type=MIME_TYPE)


def read(revision: str) -> types.ReadResourceResult:
    """The page: its script and style inside, no connection to anywhere."""
    from boruna_ls.preview.pages import whole

    meta = {"ui": {"prefersBorder": True}, "freshness": no_file(revision)}
    contents = types.TextResourceContents(uri=PAGE, mime_type=MIME_TYPE, text=whole("mcp"), _meta=meta)
    return types.ReadResourceResult(contents=[contents])
