"""What a policy says of tools: `mcp_policy` names them by server, with `*` for any characters."""

from __future__ import annotations

from boruna_ls.runtime.policy import Policy


def may_call(policy: Policy, server: str, tool: str | None) -> bool:
    """Whether a policy allows a tool of a server, or, without a tool, anything of it."""
    if policy.mcp is None:
        return True
    patterns = policy.mcp.get(server, ())
    return bool(patterns) if tool is None else any(matches(pattern, tool) for pattern in patterns)


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern, in a time that grows with the product of their lengths at most."""
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
