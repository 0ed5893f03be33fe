"""Scopes: the rights that the token of a request has, and the refusal of a request that needs more."""

from __future__ import annotations

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_REQUEST

Scopes = frozenset[str] | None
"""Scopes of the sender of a request; None means all, as on a stream of the owner's."""
RUN: Final = frozenset(("run",))


def allows(scopes: Scopes, needed: frozenset[str] | set[str]) -> bool:
    """True if a sender has what a request needs."""
    return scopes is None or needed <= scopes


def refuse_unless_allowed(scopes: Scopes, needed: frozenset[str] | set[str]) -> None:
    """Raises MCPError if a sender does not have what a request needs."""
    if scopes is not None and not allows(scopes, needed):
        message = f"insufficient_scope: the token lacks {', '.join(sorted(needed - scopes))}"
        raise MCPError(INVALID_REQUEST, message, {"error": "insufficient_scope", "required_scopes": sorted(needed)})
