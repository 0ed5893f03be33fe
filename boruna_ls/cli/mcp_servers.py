"""`boruna-ls mcp-servers`: the MCP servers of a workspace, which of them programs may call, their tools (docs/mcp-servers.md)."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import click

from boruna_ls.cli.live import typed_by_owner
from boruna_ls.cli.output import complain, note, visible, write_state
from boruna_ls.cli.trust import root_of
from boruna_ls.effects import trust
from boruna_ls.upstream import allowing
from boruna_ls.upstream.allowing import allowed_entries, is_allowed
from boruna_ls.upstream.configuration import Configuration, ConfigurationError, ServerConfiguration, read
from boruna_ls.workspace.tool_servers import document_path
from boruna_ls.workspace.tool_servers import read as read_document

_Result = TypeVar("_Result")
_workspace_option = click.option(
    "--workspace", type=click.Path(), metavar="DIR", help="Root of the workspace (default: that of the current folder)."
)
_yes_option = click.option("--yes", is_flag=True, help="Required if standard input is not a terminal.")
_json_option = click.option("--json", "as_json", is_flag=True, help="As a JSON document.")


@click.group(short_help="List and allow MCP servers, call their tools.")
def command() -> None:
    """The MCP servers that `.mcp.json` of a workspace configures, whose tools programs import as `mcp.NAME`."""


@command.command("list", short_help="List the servers of a workspace.")
@_json_option
@_workspace_option
def list_servers(as_json: bool, workspace: str | None) -> int:
    """Lists the configured servers, their permissions and their known tools. Starts nothing."""
    root = root_of(workspace)
    configured = _configuration(root)
    if configured is None:
        return 1
    rows = [_row(root, name, server) for name, server in configured.servers.items()]
    if as_json:
        write_state({"workspace": root, "servers": rows, "problems": configured.problems})
        return 0
    for row in rows:
        permission = "allowed" if row["allowed"] else "not allowed"
        age = f", seen {row['age']} ago" if row["age"] else ""
        tools = f"{row['tools']} tools{age}" if row["seen"] else "tools not seen yet"
        print(visible(f"{row['name']:<20} {permission}, {tools}: {row['summary']}"))
    for name, problem in configured.problems.items():
        print(visible(f"{name:<20} cannot be used: {problem}"))
    if not rows and not configured.problems:
        print(visible(f"no servers: {os.path.join(root, '.mcp.json')} configures none"))
    return 0


def _row(root: str, name: str, configuration: ServerConfiguration) -> dict[str, Any]:
    document = read_document(document_path(root, name))
    return {
        "name": name,
        "summary": configuration.summary,
        "allowed": is_allowed(root, name, configuration),
        "seen": document is not None,
        "tools": len(document.tools.tools) if document is not None else 0,
        "age": document.tools.age if document is not None else "",
    }


@command.command("allow", short_help="Allow programs of a workspace to call a server.")
@click.argument("name")
@_workspace_option
@_yes_option
def allow(name: str, workspace: str | None, yes: bool) -> int:
    """Allows the server NAME in its current configuration; after a change it must be allowed again."""
    if not typed_by_owner(yes):
        complain("mcp-servers allow changes what programs may do: type it at a terminal, or add --yes")
        return 2
    return allow_server(name, root_of(workspace))


def allow_server(name: str, root: str) -> int:
    """Allows a server as it is configured now, and shows what that is; the exit status of the command."""
    try:
        # One look: what is shown is what is allowed.
        name, configuration = allowing.configured(root, name)
        changed = allowing.allow(root, name, configuration)
    except (ConfigurationError, trust.TrustError, ValueError) as error:
        complain(str(error) if not isinstance(error, ValueError) else trust.reason_of(error))
        return 1
    note(f"{'allowed' if changed else 'nothing to change'}: {name} for {root}: {configuration.summary}")
    return 0


@command.command("revoke", short_help="Revoke the permission of a server.")
@click.argument("name")
@_workspace_option
@_yes_option
def revoke(name: str, workspace: str | None, yes: bool) -> int:
    """Revokes the permission of the server NAME, in every configuration."""
    if not typed_by_owner(yes):
        complain("mcp-servers revoke changes what programs may do: type it at a terminal, or add --yes")
        return 2
    root = root_of(workspace)
    try:
        entries = allowed_entries(root, name)
        for entry in entries:
            trust.revoke(root, "mcp_servers", entry)
    except trust.TrustError as error:
        complain(str(error))
        return 1
    note(f"revoked: {name} for {root}" if entries else f"nothing to change: {name} was not allowed for {root}")
    return 0


@command.command("tools", short_help="List the tools of a server.")
@click.argument("name")
@click.option("--kept", is_flag=True, help="Show the stored list, do not connect.")
@_json_option
@_workspace_option
def tools(name: str, kept: bool, as_json: bool, workspace: str | None) -> int:
    """Connects to the server NAME, stores its tools for checks and lists them as functions."""
    from analysis.semantics.tools.modules import identifier, module_of

    root = root_of(workspace)
    if not kept and _with(root, name, _connected) is None:
        return 1
    document = read_document(document_path(root, name))
    if document is None:
        complain(f"the tools of {name} were never listed: omit --kept")
        return 1
    module = module_of(name, identifier(name), document.tools)
    if as_json:
        rows = [
            {"name": fact.tool, "signature": fact.signature, "description": fact.description, "schema": json.loads(fact.schema)}
            for fact in module.functions.values()
        ]
        write_state({"server": name, "tools": rows})
        return 0
    for fact in module.functions.values():
        print(visible(fact.signature))
        if fact.description.strip():
            # What a server says is shown as its own words.
            print(visible(f'    "{fact.description.strip().splitlines()[0][:200]}"'))
    return 0


async def _connected(connection: Any) -> str:
    await connection.connected()
    return str(connection.info)


@command.command("call", short_help="Call a tool.")
@click.argument("name")
@click.argument("tool")
@click.argument("arguments", default="{}")
@_workspace_option
def call(name: str, tool: str, arguments: str, workspace: str | None) -> int:
    """Calls TOOL of the server NAME with ARGUMENTS, a JSON object, and prints the answer as JSON. Exit status 1 if it fails."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise click.BadParameter("must be a JSON object", param_hint="ARGUMENTS")

    async def called(connection: Any) -> dict[str, Any]:
        answer = await connection.call(tool, given, connection.configuration.timeout)
        shown: dict[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        return shown

    result = _with(root_of(workspace), name, called)
    if result is None:
        return 1
    write_state(result)
    return 1 if result.get("isError") else 0


@command.command("login", short_help="Authorize boruna-ls at a server.")
@click.argument("name")
@_workspace_option
def login(name: str, workspace: str | None) -> int:
    """Opens the page on which the owner authorizes boruna-ls at the server NAME (OAuth), and stores the tokens."""
    from boruna_ls.upstream.login import opened_by_browser

    root = root_of(workspace)
    server = _with(root, name, _connected, partial(opened_by_browser, root, name))
    if server is None:
        return 1
    note(f"authorized: {server}")
    return 0


def _configuration(root: str) -> Configuration | None:
    try:
        return read(root)
    except ConfigurationError as error:
        complain(str(error))
        return None


def _with(
    root: str, name: str, use: Callable[[Any], Awaitable[_Result]], open_http: Callable[..., Any] | None = None
) -> _Result | None:
    """Result of using a connection to an allowed server; None, with a message, if there is no connection."""
    # Most of these commands connect to nothing, and the library takes a second.
    from mcp import MCPError

    from boruna_ls.upstream.connection import Unreachable
    from boruna_ls.upstream.servers import Servers

    configured = _configuration(root)
    if configured is None:
        return None
    try:
        configuration = configured.server(name)
        if not is_allowed(root, name, configuration):
            complain(f"{name} is not allowed for {root}; allowing it would start or contact: {configuration.summary}")
            note(f"to allow it, type: boruna-ls mcp-servers allow {shlex.quote(name)}")
            return None

        async def connected() -> _Result:
            servers = Servers()
            rest = {"open_http": open_http} if open_http is not None else {}
            try:
                return await use(servers.connection(root, name, configuration, **rest))
            finally:
                await servers.close()

        return asyncio.run(connected())
    except (ConfigurationError, Unreachable, trust.TrustError) as error:
        complain(f"{name}: {error}")
    except TimeoutError:
        complain(f"{name} did not answer in time")
    except MCPError as error:
        complain(f"{name} refused: {error}")
    return None
