"""`.mcp.json` of a workspace: the servers that agents are configured with, in the form that they use.

The file came with the workspace, so it is data: it starts nothing, and the owner allows each server, pinned to the configuration
that was looked at (`fingerprint`). `${VAR}` and `${VAR:-default}` are filled in from our environment when a server is used, and
never written anywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from boruna_ls import no_follow
from boruna_ls.workspace.tool_servers import CONFIGURATION as FILE
from boruna_ls.workspace.tool_servers import MOST_SERVERS

_LARGEST: Final = 1 << 20
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
_SHOWN: Final = 80
"""Characters of each of several addresses that the owner is shown."""
_SHORTEST: Final = 6
"""Characters of a secret; shorter values are no secrets, and stand in other words."""
_LONGEST_HOST: Final = 260
"""Characters of a host with its port; names have 253 at most."""
_Text = Annotated[str, Field(max_length=10_000)]
_Texts = Annotated[dict[_Text, _Text], Field(max_length=200)]


class ConfigurationError(Exception):
    """A server cannot be used; the message is a sentence that says what to do."""


class IdentityProvider(BaseModel):
    """A company's identity provider, which vouches for its user at the authorization server."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    token_endpoint: _Text = Field(alias="tokenEndpoint", min_length=1)
    client_id: _Text = Field(alias="clientId", min_length=1)
    id_token: _Text = Field(alias="idToken", min_length=1)


class ClientCredentials(BaseModel):
    """Credentials for authorization without a person: a client registered at an authorization server, with one proof of identity.

    `issuer` names that server: the MCP server cannot have the proof sent to another one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    client_id: _Text = Field(alias="clientId", min_length=1)
    issuer: _Text = Field(min_length=1)
    scope: _Text | None = None
    client_secret: _Text | None = Field(None, alias="clientSecret", min_length=1)
    identity_provider: IdentityProvider | None = Field(None, alias="identityProvider")
    private_key: _Text | None = Field(None, alias="privateKey", min_length=1)
    algorithm: Literal["RS256", "ES256", "EdDSA"] = "RS256"
    assertion: _Text | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _has_one_proof(self) -> ClientCredentials:
        if [self.client_secret, self.private_key, self.assertion].count(None) != 2:
            raise ValueError("give one of `clientSecret`, `privateKey` and `assertion`")
        if self.identity_provider is not None and self.client_secret is None:
            raise ValueError("`identityProvider` needs `clientSecret`")
        return self

    @property
    def receivers(self) -> tuple[str, ...]:
        """Recipients of the proof, or of part of it."""
        provider = self.identity_provider
        return (self.issuer,) if provider is None else (self.issuer, provider.token_endpoint)


class ServerConfiguration(BaseModel):
    """One server: a command that speaks over standard input and output, or the URL of one that speaks Streamable HTTP.

    `timeout` is in seconds. `validate`: arguments are compared with the whole JSON schema before they are sent.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    command: _Text | None = Field(None, min_length=1)
    args: list[_Text] = Field(default_factory=list, max_length=500)
    env: _Texts = Field(default_factory=dict)
    cwd: _Text | None = None
    url: _Text | None = None
    headers: _Texts = Field(default_factory=dict)
    oauth: ClientCredentials | None = None
    timeout: float = Field(30.0, gt=0, le=600)
    validates: bool = Field(False, alias="validate")

    @model_validator(mode="after")
    def _has_one_transport(self) -> ServerConfiguration:
        if (self.command is None) == (self.url is None):
            raise ValueError("give either `command` or `url`")
        if self.url is not None and not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("`url` begins with http:// or https://")
        return self

    @property
    def fingerprint(self) -> str:
        """Changes with everything that decides what is started or asked; variables count by their names."""
        settings = self.model_dump(mode="json", include={"command", "args", "env", "cwd", "url", "headers"})
        if self.oauth is not None:
            settings["oauth"] = self.oauth.model_dump(mode="json")
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def summary(self) -> str:
        """The full command or URL on one line, with variables as they are written; also the secrets that are sent, and all
        recipients."""
        if self.url is None:
            line = shlex.join((self.command or "", *self.args))
            folder = "" if self.cwd is None else f", in {shlex.quote(self.cwd)}"
            given = " ".join(f"{shlex.quote(name)}={shlex.quote(value)}" for name, value in self.env.items())
            return line + folder + (f", with {given}" if given else "")
        secrets = " and ".join(f"{name}: {value}" for name, value in self.headers.items() if "${" in value)
        headers = f", with {secrets}" if secrets else ""
        if self.oauth is None:
            return self.url + headers
        hidden = json.dumps([self.url, self.oauth.model_dump(mode="json")])
        names = dict.fromkeys(f"${{{variable[1]}}}" for variable in _VARIABLE.finditer(hidden))
        variables = f", with {' and '.join(names)}" if names else ""
        receivers = " and ".join(map(_brief, self.oauth.receivers))
        return f"{_brief(self.url)}{headers}{variables}, credentials go to {receivers}"

    def expanded(self, environment: Mapping[str, str]) -> ServerConfiguration:
        """The same with its variables filled in. Raises ConfigurationError."""
        fill = _Filling(environment)
        values: dict[str, Any] = {
            "command": None if self.command is None else fill(self.command),
            "args": [fill(argument) for argument in self.args],
            "env": {name: fill(value) for name, value in self.env.items()},
            "cwd": None if self.cwd is None else fill(self.cwd),
            "url": None if self.url is None else fill(self.url),
            "headers": {name: fill(value) for name, value in self.headers.items()},
        }
        if self.oauth is not None:
            values["oauth"] = ClientCredentials.model_validate(_filled(self.oauth.model_dump(exclude_none=True), fill))
        return self.model_copy(update=values)

    def without_values(self, text: str, environment: Mapping[str, str]) -> str:
        """A text in which nothing stands of what variables of this configuration hold: errors repeat what they are about."""
        names = {variable[1] for variable in _VARIABLE.finditer(json.dumps(self.model_dump(mode="json")))}
        parts = {part: name for name in names if (value := environment.get(name)) for part in _parts(value)}
        for part in sorted(parts, key=len, reverse=True):
            text = text.replace(part, f"${{{parts[part]}}}")
        return text


def _parts(value: str) -> set[str]:
    """Forms of a secret that must not be repeated: also as it is quoted, and by its lines."""
    wholes = {value.strip(), repr(value)[1:-1], json.dumps(value)[1:-1]}
    return {part for part in wholes | {line.strip() for line in value.splitlines()} if len(part) >= _SHORTEST}


def _brief(address: str) -> str:
    """An address that pushes no other out of sight. Of a long one the host is shown whole: its beginning can be misleading."""
    if len(address) <= _SHOWN:
        return address
    try:
        host = urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    return f"…{host}/…" if 0 < len(host) <= _LONGEST_HOST else f"{address[:_SHOWN]}…"


def _filled(values: dict[str, Any], fill: Callable[[str], str]) -> dict[str, Any]:
    return {name: _filled(value, fill) if isinstance(value, dict) else fill(value) for name, value in values.items()}


class _Filling:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def __call__(self, text: str) -> str:
        return _VARIABLE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        value = self._environment.get(match[1], match[2])
        if value is None:
            raise ConfigurationError(f"the environment variable {match[1]} is not set, and its configuration needs it")
        return value


class Configuration(NamedTuple):
    """The servers of a workspace by name, and what is wrong with the others."""

    servers: dict[str, ServerConfiguration]
    problems: dict[str, str]
    path: str = ""
    """The file that was looked for, "" without a workspace."""
    exists: bool = True

    @property
    def _missing(self) -> str:
        if not self.path:
            return f"the program belongs to no workspace, so it has no {FILE}"
        if not self.exists:
            return f"there is no {self.path}"
        return f"no such server in {self.path}; it configures: {', '.join(sorted(self.servers)) or 'none'}"

    def server(self, name: str) -> ServerConfiguration:
        """The configuration of a server. Raises ConfigurationError."""
        configuration = self.servers.get(name)
        if configuration is None:
            raise ConfigurationError(self.problems.get(name) or self._missing)
        return configuration


def read(workspace: str) -> Configuration:
    """The configuration of a workspace as it is on disk now; nothing without a file. Raises ConfigurationError."""
    if not workspace:
        return Configuration({}, {})
    path = os.path.join(workspace, FILE)
    try:
        descriptor = no_follow.opened(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigurationError(f"{FILE} is not a regular file")
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return Configuration({}, {}, path, exists=False)
    except OSError as error:
        if no_follow.is_link_error(error):
            raise ConfigurationError(f"{FILE} is a link, or is behind one: put the file itself there") from None
        raise ConfigurationError(f"{FILE} cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise ConfigurationError(f"{FILE} is larger than {_LARGEST >> 20} MB")
    return parsed(data)._replace(path=path)


@lru_cache(maxsize=4)
def parsed(data: bytes) -> Configuration:
    """The configuration in a document, which is not to be changed: calls of tools look at it twice. Raises ConfigurationError."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{FILE} is not JSON: {error}") from None
    table: Any = document.get("mcpServers") if isinstance(document, dict) else None
    if not isinstance(table, dict):
        raise ConfigurationError(f"{FILE} has no object `mcpServers`")
    servers: dict[str, ServerConfiguration] = {}
    problems: dict[str, str] = {}
    for name, value in list(table.items())[:MOST_SERVERS]:
        try:
            servers[name] = ServerConfiguration.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            problems[name] = f"{FILE}: {place or 'the server'}: {first['msg'].removeprefix('Value error, ')}"
    return Configuration(servers, problems)
