"""The live handler of `mcp.call`: what a call asks the ceiling for, and the call itself.

The arguments of the capability are the server's name, the tool's, its parameters as JSON (`analysis.tools.modules.ToolFact.wire`)
and the values. Whatever a server does, a call answers an `McpResult`; only what policy or owner do not allow ends the run.
"""

from __future__ import annotations

import asyncio
import json
from typing import Final

from mcp import MCPError

from analysis.bytecode.module import Constant
from analysis.tools.modules import CAPABILITY
from boruna_ls.effects import trust
from boruna_ls.effects.ceiling import pinned
from boruna_ls.effects.effect import Effect, Target
from boruna_ls.effects.grants import command_to_allow
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.quoting import quoted
from boruna_ls.runtime.schemas import InvalidSchema, violations
from boruna_ls.runtime.tool_results import failure_constant
from boruna_ls.upstream import configuration as configurations
from boruna_ls.upstream.arguments import WrongArguments, fact_of, named
from boruna_ls.upstream.configuration import Configuration, ConfigurationError, ServerConfiguration
from boruna_ls.upstream.connection import Connection, Unreachable
from boruna_ls.upstream.policy import may_call
from boruna_ls.upstream.results import constant_of
from boruna_ls.upstream.servers import shared_servers

_BESIDE: Final = 3
_SHOWN: Final = 300


def _server(effect: Effect) -> str:
    """The server that a call is about; "" for `mcp::list_servers`."""
    name = effect.text(0)
    if name or effect.text(1) == "list_servers":
        return name
    return effect.text(_BESIDE)


async def target(effect: Effect) -> Target | None:
    """What the ceiling must hold: the server as it is configured now. Raises CapabilityDenied."""
    name, tool = _server(effect), effect.text(1)
    if not name:
        return None
    policy = effect.bounds.policy
    if not may_call(policy, name, tool if effect.text(0) else None):
        shown = f"{quoted(name)}, tool {quoted(tool)}" if effect.text(0) else quoted(name)
        raise CapabilityDenied(CAPABILITY, f"capability denied: {CAPABILITY} of {shown}: the policy does not allow it")
    try:
        found = (await _configuration(effect)).server(name)
    except ConfigurationError:
        # Nothing is started; the call answers the reason.
        return None
    made = Target("mcp_servers", pinned(name, found.fingerprint), f"{found.summary[:_SHOWN]}")
    if effect.bounds.ceiling is None and policy.mcp is None:
        await _check_owner(effect, made)
    return made


async def _check_owner(effect: Effect, asked: Target) -> None:
    """A policy that names no servers does not start one either: the owner's file has to. Raises CapabilityDenied."""
    workspace = effect.bounds.workspace
    try:
        ceiling = await asyncio.to_thread(trust.ceiling_of, workspace)
    except trust.TrustError as error:
        raise CapabilityDenied(CAPABILITY, f"capability denied: {CAPABILITY}: {error}") from None
    if not ceiling.allows(asked.section, asked.value):
        command = command_to_allow(workspace, asked)
        advice = f"name it in the policy's `mcp_policy`, or type: {command}"
        raise CapabilityDenied(CAPABILITY, f"capability denied: {CAPABILITY} of {quoted(asked.value)}: {advice}")


async def _configuration(effect: Effect) -> Configuration:
    return await asyncio.to_thread(configurations.read, effect.bounds.workspace)


async def perform(effect: Effect) -> Constant:
    """Performs a call."""
    name, tool = _server(effect), effect.text(1)
    try:
        known = await _configuration(effect)
        if not name:
            return ("List", tuple([("String", one) for one in known.servers]))
        found = known.server(name)
        ceiling = effect.bounds.ceiling
        if ceiling is not None and not ceiling.allows("mcp_servers", pinned(name, found.fingerprint)):
            raise ConfigurationError("its configuration was changed meanwhile")
        connection = shared_servers().connection(effect.bounds.workspace, name, found)
        if not effect.text(0):
            return await _own(effect, tool, connection)
        return await _called(effect, name, tool, found, connection)
    except (ConfigurationError, Unreachable, WrongArguments) as error:
        return _refused(effect, name, str(error))


def _refused(effect: Effect, name: str, reason: str) -> Constant:
    message = f"MCP server {quoted(name)}: {reason}"
    if effect.text(0):
        return failure_constant(message)
    if effect.text(1) == "connect":
        return ("Err", ("String", message))
    return ("List", ())


async def _own(effect: Effect, function: str, connection: Connection) -> Constant:
    """A function of `mcp` itself."""
    await connection.connected()
    if function == "connect":
        return ("Ok", ("String", connection.info))
    if function != "list_tools":
        raise HandlerFailure(f"there is no function mcp::{function}")
    rows = []
    for schema in connection.schemas.values():
        parts = (("description", schema.description), ("name", schema.name), ("schema", schema.parameters))
        rows.append(("Map", tuple([(key, ("String", text)) for key, text in parts])))
    return ("List", tuple(rows))


async def _called(effect: Effect, name: str, tool: str, found: ServerConfiguration, connection: Connection) -> Constant:
    await connection.connected()
    wire = effect.text(2)
    fact = fact_of(connection.schemas, tool, by_identifier=not wire)
    if not wire and not may_call(effect.bounds.policy, name, fact.tool):
        raise CapabilityDenied(CAPABILITY, f"capability denied: {CAPABILITY} of {quoted(name)}, tool {quoted(fact.tool)}")
    arguments = named(fact, wire, effect.arguments[_BESIDE:])
    if found.validates:
        _validate(fact.schema, arguments)
    timeout = effect.seconds_left(found.timeout)
    try:
        answer = await connection.call(fact.tool, arguments, timeout)
    except TimeoutError:
        raise Unreachable(f"{fact.tool} did not answer within {timeout:.0f} s") from None
    except MCPError as error:
        raise Unreachable(f"{fact.tool} was refused: {str(error)[:_SHOWN]}") from None
    return constant_of(name, fact.tool, answer)


def _validate(schema: str, arguments: dict[str, object]) -> None:
    try:
        found, count = violations(schema, json.dumps(arguments))
    except (InvalidSchema, ValueError) as error:
        raise WrongArguments(f"its schema cannot be used: {str(error)[:_SHOWN]}") from None
    if count:
        first = found[0]
        raise WrongArguments(f"the arguments do not fit the schema: {' '.join(map(str, first.values()))[:_SHOWN]}")
