"""The live handler of `mcp.call`: what a call asks the ceiling for, and the call itself.

The arguments of the capability are the names of the server and of the tool, its parameters as JSON (`ToolFact.wire` in
`analysis.semantics.tools.modules`) and the values. Whatever a server does, a call answers an `McpResult`; only what policy or
owner do not allow ends the run.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Final, cast

from analysis.bytecode.module import Constant
from analysis.semantics.tools.modules import CAPABILITY
from boruna_ls.effects import trust
from boruna_ls.effects.ceiling import pinned
from boruna_ls.effects.effect import Effect, Target
from boruna_ls.effects.grants import command_to_allow
from boruna_ls.process import serves_clients
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.quoting import quoted
from boruna_ls.runtime.tool_results import failure_constant
from boruna_ls.upstream import configuration as configurations
from boruna_ls.upstream.configuration import Configuration, ConfigurationError, ServerConfiguration
from boruna_ls.upstream.keeper import shared_keeper
from boruna_ls.upstream.policy import may_call, patterns_of
from boruna_ls.upstream.request import Refused, Request

_BESIDE: Final = 3
_SHARED: Final = 0.1
"""Seconds for which what was found in the configuration holds for the same call."""


def _server(effect: Effect) -> str:
    """The server that a call is about; "" for `mcp::list_servers`."""
    name = effect.text(0)
    if name or effect.text(1) == "list_servers":
        return name
    return effect.text(_BESIDE)


async def target(effect: Effect) -> Target | None:
    """Target that the ceiling must contain: the server as it is configured now; None without a name. Raises CapabilityDenied."""
    name, tool = _server(effect), effect.text(1)
    if not name:
        return None
    policy = effect.bounds.policy
    if not may_call(policy, name, tool if effect.text(0) else None):
        shown = f"{quoted(name)}, tool {quoted(tool)}" if effect.text(0) else quoted(name)
        raise CapabilityDenied(CAPABILITY, f"capability denied: {CAPABILITY} of {shown}: the policy does not allow it")
    try:
        configuration = (await _configuration(effect)).server(name)
    except ConfigurationError:
        # Nothing is started; the call answers the reason.
        return None
    server = Target("mcp_servers", pinned(name, configuration.fingerprint), configuration.summary)
    if effect.bounds.ceiling is None and policy.mcp is None:
        await _check_owner(effect, server)
    return server


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
    """As it is on disk. `target` and `perform` share one look, unless a person was asked between them."""
    looked_at, configuration = effect.notes.get("configuration", (-math.inf, None))
    if configuration is None or time.monotonic() - looked_at > _SHARED:
        looked_at, configuration = time.monotonic(), await asyncio.to_thread(configurations.read, effect.bounds.workspace)
        effect.notes["configuration"] = looked_at, configuration
    return cast("Configuration", configuration)


async def perform(effect: Effect) -> Constant:
    """Performs a call."""
    name, tool = _server(effect), effect.text(1)
    try:
        settings = await _configuration(effect)
        if not name:
            return ("List", tuple([("String", server) for server in settings.servers]))
        configuration = settings.server(name)
        ceiling = effect.bounds.ceiling
        if ceiling is not None and not ceiling.allows("mcp_servers", pinned(name, configuration.fingerprint)):
            raise ConfigurationError("its configuration was changed meanwhile")
        return await _answered(_request(effect, name, tool, configuration))
    except (ConfigurationError, Refused) as error:
        return _refused(effect, name, str(error))


def _request(effect: Effect, name: str, tool: str, configuration: ServerConfiguration) -> Request:
    left = effect.seconds_left(math.inf)
    is_own = not effect.text(0)
    return Request(
        effect.bounds.workspace,
        name,
        configuration,
        tool,
        is_own,
        "" if is_own else effect.text(2),
        () if is_own else effect.arguments[_BESIDE:],
        patterns_of(effect.bounds.policy, name),
        left if left < math.inf else None,
    )


def tell(listener: Callable[[str], None]) -> None:
    """From now on a method is called, on any thread, with each workspace in which the tools of a server have changed."""
    if serves_clients():
        shared_keeper().tell(listener)
    else:
        from boruna_ls.upstream.servers import shared_servers

        shared_servers().tell(listener)


async def _answered(request: Request) -> Constant:
    if serves_clients():
        return await shared_keeper().answered(request)
    # The library takes a second: for programs that call tools only.
    from boruna_ls.upstream.calling import answered

    return await answered(request)


def _refused(effect: Effect, name: str, reason: str) -> Constant:
    message = f"MCP server {quoted(name)}: {reason}"
    if effect.text(0):
        return failure_constant(message)
    if effect.text(1) == "connect":
        return ("Err", ("String", message))
    return ("List", ())
