"""The client that the MCP conformance suite drives: our connection to servers over Streamable HTTP, with the OAuth that it has.

The suite starts a server for each scenario and calls `turns.py` with its URL; the scenario and its data come in the environment.
`python -m tests.upstream.conformance.run FOLDER` runs the suite.
"""

from __future__ import annotations

import asyncio
import json
import os
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import MCPError
from mcp.client.context import ClientRequestContext
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthToken
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult

from analysis.inputs import ToolSchema
from boruna_ls.upstream.configuration import ServerConfiguration
from boruna_ls.upstream.connection import Connection, Unreachable
from boruna_ls.upstream.http import CALLBACK, authorization, open_http

SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
WITHOUT_A_PERSON = (
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "auth/enterprise-managed-authorization",
    "auth/wif-jwt-bearer",
)
METADATA = "https://conformance-test.local/client-metadata.json"
SECONDS = 200
"""The machine may be busy."""
SAMPLES = {"string": "text", "integer": 5, "number": 3, "boolean": True, "array": [], "object": {}}


class Memory:
    """Tokens that nobody keeps."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Person:
    """Somebody in front of a browser who agrees to everything."""

    def __init__(self) -> None:
        self._came_back = ""

    async def redirect(self, url: str) -> None:
        async with httpx2.AsyncClient(follow_redirects=False, timeout=SECONDS) as browser:
            answer = await browser.get(url)
            self._came_back = answer.headers["location"]

    async def callback(self) -> AuthorizationCodeResult:
        values = {name: found[0] for name, found in parse_qs(urlsplit(self._came_back).query).items()}
        return AuthorizationCodeResult(code=values["code"], state=values.get("state"), iss=values.get("iss"))


async def accepted(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
    """Answers a question with the defaults of its form."""
    properties = getattr(params, "requested_schema", {}).get("properties", {})
    return ElicitResult(action="accept", content={name: one["default"] for name, one in properties.items() if "default" in one})


async def issuer_of(url: str) -> str:
    """The authorization server of a server, which whoever configures its client knows."""
    place = urlsplit(url)
    base = f"{place.scheme}://{place.netloc}/.well-known/oauth-protected-resource"
    async with httpx2.AsyncClient(timeout=SECONDS) as http:
        for address in (f"{base}{place.path}", base):
            answer = await http.get(address)
            if answer.status_code == 200:
                return str(answer.json()["authorization_servers"][0])
    raise Unreachable("it names no authorization server")


async def configured(url: str) -> ServerConfiguration:
    """The server as a workspace would configure it for the scenario."""
    told: dict[str, Any] = {"url": url, "timeout": SECONDS}
    if SCENARIO in WITHOUT_A_PERSON:
        told["oauth"] = {"clientId": CONTEXT["client_id"], "issuer": await issuer_of(url)}
        if "valid_jwt" in CONTEXT:
            told["oauth"]["assertion"] = CONTEXT["valid_jwt"]
        elif "client_secret" in CONTEXT:
            told["oauth"]["clientSecret"] = CONTEXT["client_secret"]
        else:
            told["oauth"] |= {"privateKey": CONTEXT["private_key_pem"], "algorithm": CONTEXT.get("signing_algorithm", "RS256")}
        if "idp_id_token" in CONTEXT:
            names = {"tokenEndpoint": "idp_token_endpoint", "clientId": "idp_client_id", "idToken": "idp_id_token"}
            told["oauth"]["identityProvider"] = {name: CONTEXT[key] for name, key in names.items()}
    return ServerConfiguration.model_validate(told)


def arguments_for(connection: Connection, tool: ToolSchema) -> dict[str, Any]:
    """Arguments of a call that the scenario leaves to us; one tool is told the schema of another, as it was kept."""
    if tool.name == "json_schema_echo":
        other = next(schema for name, schema in connection.schemas.items() if name != tool.name)
        return {"schema": json.loads(other.parameters)}
    return sample(json.loads(tool.parameters))


def sample(schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments that fit a schema."""
    properties = schema.get("properties", {})
    return {name: SAMPLES.get(properties.get(name, {}).get("type"), "text") for name in schema.get("required", properties)}


async def main(url: str) -> None:
    """One scenario."""
    storage, person = Memory(), Person()
    if "client_id" in CONTEXT:
        told = {"client_id": CONTEXT["client_id"], "client_secret": CONTEXT.get("client_secret"), "redirect_uris": [CALLBACK]}
        told["token_endpoint_auth_method"] = "client_secret_basic"
        storage.client = OAuthClientInformationFull.model_validate(told)
    metadata_url = METADATA if SCENARIO == "auth/basic-cimd" else None
    auth = authorization(url, storage, person.redirect, person.callback, client_metadata_url=metadata_url)
    configuration = await configured(url)
    opened = partial(open_http, auth=auth)
    connection = Connection("tested", configuration, "", open_http=opened, elicitation=accepted)
    try:
        await connection.connected()
        calls = [(one["name"], one.get("arguments", {})) for one in CONTEXT.get("toolCalls", ())]
        calls = calls or [(tool.name, arguments_for(connection, tool)) for tool in connection.schemas.values()]
        for name, arguments in calls:
            try:
                answer: CallToolResult = await connection.call(name, arguments, SECONDS)
                print(name, answer.is_error)
            except (MCPError, Unreachable, TimeoutError) as error:
                print(name, error)
    finally:
        await connection.close()


def run(url: str) -> int:
    """One scenario; the exit status."""
    try:
        asyncio.run(main(url))
    except Unreachable as reason:
        print(f"unreachable: {reason}")
        return 1
    return 0
