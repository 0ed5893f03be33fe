"""Sessions of one principal: no more than its share, so that a token of little right keeps no other one out."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_SHARE: Final = 4
"""One principal may hold this part of all sessions."""


def share_out(manager: StreamableHTTPSessionManager) -> None:
    """Has a manager refuse, as it does at its limit, the sessions of a principal that has its share already."""
    if manager.max_sessions is None:
        return
    most, admit = max(1, manager.max_sessions // _SHARE), manager._admit_session

    def admitted(requestor: Any) -> Any:
        owned = sum(owner == requestor for owner in manager._session_owners.values())
        return None if owned >= most else admit(requestor)

    # The library has one limit for all, and nothing to set another one with.
    manager._admit_session = admitted  # type: ignore[method-assign]
