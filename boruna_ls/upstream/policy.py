"""Tools in a policy: `mcp_policy` names them by server, with `*` for any characters."""

from __future__ import annotations

from collections.abc import Sequence

from boruna_ls.runtime.policy import Policy


def patterns_of(policy: Policy, server: str) -> tuple[str, ...] | None:
    """The patterns of the tools of a server that a policy allows; None for all."""
    return None if policy.mcp is None else tuple(policy.mcp.get(server, ()))


def may_call(policy: Policy, server: str, tool: str | None) -> bool:
    """True if a policy allows a tool of a server, or, without a tool, anything of it."""
    patterns = patterns_of(policy, server)
    return fits(patterns, tool) if tool is not None else patterns is None or bool(patterns)


def fits(patterns: Sequence[str] | None, tool: str) -> bool:
    """True if a tool is among those that patterns allow."""
    return patterns is None or any(matches(pattern, tool) for pattern in patterns)


def matches(pattern: str, name: str) -> bool:
    """True if a name matches a pattern, in time bounded by the product of their lengths."""
    at, star, back = 0, -1, 0
    place = 0
    while place < len(name):
        if at < len(pattern) and pattern[at] == "*":
            star, back = at, place
            at += 1
        elif at < len(pattern) and pattern[at] == name[place]:
            at += 1
            place += 1
        elif star >= 0:
            # The last star takes one character more.
            back += 1
            at, place = star + 1, back
        else:
            return False
    return all(character == "*" for character in pattern[at:])
