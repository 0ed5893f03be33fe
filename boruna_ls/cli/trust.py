"""`boruna-ls trust`: shows and edits the owner's ceiling of live effects (`trust.toml`, docs/security.md)."""

from __future__ import annotations

import os
from typing import Any, Final

import click

from boruna_ls.cli.live import typed_by_owner
from boruna_ls.cli.output import complain, note, visible, write_state
from boruna_ls.effects import trust
from boruna_ls.effects.ceiling import CAPABILITIES, PATHS, SECTIONS, Section
from boruna_ls.workspace.roots import DiskView

_SECTIONS: Final[dict[str, Section]] = {word: section for section, word in trust.WORDS.items()}
_NETWORK: Final = "sandbox-network"
_KINDS: Final = (*_SECTIONS, _NETWORK)
_workspace_option = click.option(
    "--workspace", type=click.Path(), metavar="DIR", help="Root of the workspace (default: that of the current folder)."
)
_yes_option = click.option("--yes", is_flag=True, help="Required if standard input is not a terminal.")


@click.group(short_help="Allow or revoke live effects of programs.")
def command() -> None:
    """The live effects that the programs of a workspace may have. Without an entry they have none."""


@command.command("show", short_help="Print what is allowed.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON document.")
def show(as_json: bool) -> int:
    """Prints the file and what it allows, by workspace. Exit status 1 if the file cannot be used."""
    try:
        trusted = trust.read()
    except trust.TrustError as error:
        complain(str(error))
        return 1
    if as_json:
        ceilings = {name: ceiling.model_dump(mode="json") for name, ceiling in trusted.workspace.items()}
        write_state({"file": trust.path(), "workspace": ceilings})
        return 0
    if not trusted.workspace:
        print(visible(f"nothing is allowed ({trust.path()})"))
    for name in sorted(trusted.workspace):
        print(visible(name))
        ceiling = trusted.workspace[name]
        for section in SECTIONS:
            for entry in ceiling.entries(section):
                print(visible(f"  {trust.WORDS[section]:<15} {entry}  ({CAPABILITIES[section]})"))
        if ceiling.sandbox_network:
            print(f"  {_NETWORK}")
    return 0


@command.command("allow", short_help="Allow an effect.")
@click.argument("kind", type=click.Choice(_KINDS), required=False)
@click.argument("value", required=False)
@click.option("--mcp", metavar="NAME", help="Short for: mcp-server NAME.")
@_workspace_option
@_yes_option
def allow(kind: str | None, value: str | None, mcp: str | None, workspace: str | None, yes: bool) -> int:
    """Allows programs of a workspace to reach VALUE: a host (net), a folder or file (read, write), a SQLite file (database), a
    server's name (mcp-server). sandbox-network takes no VALUE.

    Hosts may be patterns: *.example.org. A private address is reached only if it is listed itself. A server of `.mcp.json` is
    allowed as it is configured now.
    """
    if mcp is not None and kind is None:
        kind, value = trust.WORDS["mcp_servers"], mcp
    if kind is None or (mcp is not None and value != mcp):
        raise click.UsageError(f"name a KIND ({', '.join(_KINDS)}) or give --mcp NAME alone")
    if (value is None) != (kind == _NETWORK):
        raise click.UsageError(f"{kind} takes {'no' if kind == _NETWORK else 'a'} VALUE")
    return _edited("allow", kind, value, workspace, yes)


@command.command("revoke", short_help="Revoke a permission.")
@click.argument("kind", type=click.Choice(_KINDS), required=False)
@click.argument("value", required=False)
@_workspace_option
@_yes_option
def revoke(kind: str | None, value: str | None, workspace: str | None, yes: bool) -> int:
    """Revokes one VALUE, a whole KIND, or, without arguments, all permissions of a workspace."""
    return _edited("revoke", kind, value, workspace, yes)


def _edited(action: str, kind: str | None, value: str | None, workspace: str | None, yes: bool) -> int:
    if not typed_by_owner(yes):
        complain(f"trust {action} changes what programs may do: type it at a terminal, or add --yes")
        return 2
    root = root_of(workspace)
    if action == "allow" and value is not None and _SECTIONS.get(kind or "") == "mcp_servers":
        return _allowed_server(value, root)
    try:
        changed = _apply(action, kind, value, root)
    except (trust.TrustError, ValueError) as error:
        complain(str(error) if isinstance(error, trust.TrustError) else trust.reason_of(error))
        return 1
    done = {"allow": "allowed", "revoke": "revoked"}[action] if changed else "nothing to change"
    what: Any = " ".join(part for part in (kind, value) if part) or "everything"
    note(f"{done}: {what} for {root} ({trust.path()})")
    return 0


def _apply(action: str, kind: str | None, value: str | None, root: str) -> bool:
    if kind == _NETWORK:
        return trust.set_sandbox_network(root, action == "allow")
    section = None if kind is None else _SECTIONS[kind]
    if section in PATHS and value is not None:
        value = os.path.realpath(value)
    if section == "mcp_servers" and value is not None:
        return _revoked_server(value, root)
    if action == "revoke":
        return trust.revoke(root, section, value)
    assert section is not None
    assert value is not None
    return trust.allow(root, section, value)


def _allowed_server(name: str, root: str) -> int:
    # The library of its model takes a moment, and the other kinds do not need it.
    from boruna_ls.cli.mcp_servers import allow_server

    return allow_server(name, root)


def _revoked_server(name: str, root: str) -> bool:
    from boruna_ls.upstream.allowing import allowed_entries

    revoked = [trust.revoke(root, "mcp_servers", entry) for entry in dict.fromkeys((name, *allowed_entries(root, name)))]
    return any(revoked)


def root_of(workspace: str | None) -> str:
    """The root that programs of a folder have: the folder that was named, or the one around the current folder."""
    look = DiskView()
    folder = look.canonical(os.path.abspath(workspace or "."))
    return folder if workspace else look.root(os.path.join(folder, "_")) or folder
