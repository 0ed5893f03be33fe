"""Servers that the owner allows: entries of `trust.toml`, pinned to the configuration that the owner has seen."""

from __future__ import annotations

from boruna_ls.effects import trust
from boruna_ls.effects.ceiling import pinned, pinned_name
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration, read


def entry_of(workspace: str, name: str) -> str:
    """The entry that allows a server as it is configured now; its name alone where the workspace does not configure it."""
    try:
        return pinned(name, read(workspace).server(name).fingerprint)
    except ConfigurationError:
        return name


def allowed_entries(workspace: str, name: str) -> list[str]:
    """The entries that allow a server in any configuration. Raises TrustError."""
    return [entry for entry in trust.ceiling_of(workspace).mcp_servers if pinned_name(entry) == name]


def is_allowed(workspace: str, name: str, configuration: ServerConfiguration) -> bool:
    """True if a server is allowed as it is configured. Raises TrustError."""
    return trust.ceiling_of(workspace).allows("mcp_servers", pinned(name, configuration.fingerprint))
