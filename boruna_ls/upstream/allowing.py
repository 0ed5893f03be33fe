"""Servers that the owner allows: entries of `trust.toml`, pinned to the configuration that the owner has seen."""

from __future__ import annotations

from boruna_ls.effects import trust
from boruna_ls.effects.ceiling import pinned, pinned_name
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration, read


def configured(workspace: str, name: str) -> tuple[str, ServerConfiguration]:
    """The name and the configuration of a server, looked up once. `name` may be a pinned entry of it, as denials show it.

    Raises ConfigurationError: what is not configured, or not as the pin says, cannot be allowed as it is configured now.
    """
    settings = read(workspace)
    bare = pinned_name(name)
    if name in settings.servers or bare == name:
        return name, settings.server(name)
    configuration = settings.server(bare)
    if pinned(bare, configuration.fingerprint) != name:
        raise ConfigurationError(f"{bare} is configured differently now: look at it, then allow it by its name")
    return bare, configuration


def allow(workspace: str, name: str, configuration: ServerConfiguration) -> bool:
    """Allows a server in one configuration, in no other. Raises TrustError, ValueError for a name that no entry may have."""
    old = [trust.revoke(workspace, "mcp_servers", entry) for entry in allowed_entries(workspace, name, but=configuration)]
    return trust.allow(workspace, "mcp_servers", pinned(name, configuration.fingerprint)) or any(old)


def allowed_entries(workspace: str, name: str, but: ServerConfiguration | None = None) -> list[str]:
    """The entries that allow a server in any configuration, or in any but one. Raises TrustError."""
    kept = pinned(name, but.fingerprint) if but is not None else ""
    return [entry for entry in trust.ceiling_of(workspace).mcp_servers if pinned_name(entry) == name and entry != kept]


def is_allowed(workspace: str, name: str, configuration: ServerConfiguration) -> bool:
    """True if a server is allowed as it is configured. Raises TrustError."""
    return trust.ceiling_of(workspace).allows("mcp_servers", pinned(name, configuration.fingerprint))
