"""Calls of servers, in the process that holds the connections."""

from __future__ import annotations

import json
import math
import time
from typing import Final

from mcp import MCPError

from analysis.bytecode.module import Constant
from analysis.semantics.tools.modules import CAPABILITY
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.quoting import quoted
from boruna_ls.runtime.schemas import InvalidSchema, violations
from boruna_ls.upstream.arguments import WrongArguments, fact_of, named
from boruna_ls.upstream.configuration import ConfigurationError
from boruna_ls.upstream.connection import Connection, Unreachable
from boruna_ls.upstream.policy import fits
from boruna_ls.upstream.request import Refused, Request
from boruna_ls.upstream.results import constant_of
from boruna_ls.upstream.servers import shared_servers

_SHOWN: Final = 300
_LEAST: Final = 0.01


async def answered(request: Request) -> Constant:
    """A server's answer. Raises Refused, CapabilityDenied, HandlerFailure."""
    ends = math.inf if request.seconds is None else time.monotonic() + request.seconds
    try:
        connection = shared_servers().connection(request.workspace, request.server, request.configuration)
        await connection.connected()
        return _own(request, connection) if request.is_own else await _result_of_call(request, connection, ends)
    except (ConfigurationError, Unreachable, WrongArguments) as error:
        raise Refused(str(error)) from None


def _own(request: Request, connection: Connection) -> Constant:
    """A function of `mcp` itself."""
    if request.tool == "connect":
        return ("Ok", ("String", connection.info))
    if request.tool != "list_tools":
        raise HandlerFailure(f"there is no function mcp::{request.tool}")
    rows = []
    for schema in connection.schemas.values():
        parts = (("description", schema.description), ("name", schema.name), ("schema", schema.parameters))
        rows.append(("Map", tuple([(key, ("String", text)) for key, text in parts])))
    return ("List", tuple(rows))


async def _result_of_call(request: Request, connection: Connection, ends: float) -> Constant:
    name = request.server
    fact = fact_of(connection.schemas, request.tool, by_identifier=not request.wire)
    if not request.wire and not fits(request.patterns, fact.tool):
        raise CapabilityDenied(CAPABILITY, f"capability denied: {CAPABILITY} of {quoted(name)}, tool {quoted(fact.tool)}")
    arguments = named(fact, request.wire, request.arguments)
    if request.configuration.validates:
        _validate(fact.schema, arguments)
    timeout = max(_LEAST, min(request.configuration.timeout, ends - time.monotonic()))
    try:
        answer = await connection.call(fact.tool, arguments, timeout)
    except TimeoutError:
        raise Unreachable(f"{fact.tool} did not answer within {timeout:.0f} s") from None
    except MCPError as error:
        raise Unreachable(f"{fact.tool} was refused: {str(error)[:_SHOWN]}") from None
    return constant_of(name, fact.tool, answer)


def _validate(schema: str, arguments: dict[str, object]) -> None:
    try:
        listed, count = violations(schema, json.dumps(arguments))
    except (InvalidSchema, ValueError) as error:
        raise WrongArguments(f"its schema cannot be used: {str(error)[:_SHOWN]}") from None
    if count:
        first = listed[0]
        raise WrongArguments(f"the arguments do not fit the schema: {' '.join(map(str, first.values()))[:_SHOWN]}")
