"""The authorization of a server that wants one (OAuth): the owner's browser, and the one request with which it comes back."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import parse_qs, urlsplit

from mcp.client._transport import TransportStreams
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull

from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration
from boruna_ls.upstream.http import CALLBACK, Tokens, authorization, open_http

PATIENCE: Final = 300.0
"""Seconds that a person has in the browser."""
_LONGEST: Final = 16_384
_PAGE: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nDone: this window can be closed.\n"


class Login:
    """Opens the page of an authorization and waits for the browser to come back to this machine."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[AuthorizationCodeResult] | None = None
        self._server: asyncio.Server | None = None

    async def listen(self, preferred: str) -> str:
        """Redirect URL at which the browser is awaited: the preferred one, or one with another port if that is taken.

        Raises ConfigurationError if nothing can listen on this machine.
        """
        place = urlsplit(preferred)
        for port in (place.port, 0):
            try:
                self._server = await asyncio.start_server(self._serve_callback, place.hostname, port, limit=_LONGEST)
            except OSError as error:
                reason = error.strerror
                continue
            return preferred if port else f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{place.path}"
        raise ConfigurationError(f"nothing can listen on 127.0.0.1 for the browser's answer: {reason}")

    def close(self) -> None:
        """Nothing is awaited any more."""
        if self._server is not None:
            self._server.close()

    async def redirect(self, url: str) -> None:
        """Opens the browser; the address is printed, too, for browsers of other machines."""
        self._answer = asyncio.get_running_loop().create_future()
        print(f"open this address if no browser opens: {url}", flush=True)
        await asyncio.to_thread(webbrowser.open, url)

    async def callback(self) -> AuthorizationCodeResult:
        """Authorization code that the browser brought back. Raises ConfigurationError if it did not come in time."""
        assert self._answer is not None
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._answer
        except TimeoutError:
            raise ConfigurationError("the authorization was not granted in time") from None

    async def _serve_callback(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = (await reader.readline()).decode("latin-1").split(" ")
            asked = urlsplit(line[1] if len(line) > 1 else "")
            values = {name: texts[0] for name, texts in parse_qs(asked.query).items()}
            writer.write(_PAGE)
            await writer.drain()
            if self._answer is not None and not self._answer.done() and asked.path == urlsplit(CALLBACK).path:
                if "code" in values:
                    result = AuthorizationCodeResult(code=values["code"], state=values.get("state"), iss=values.get("iss"))
                    self._answer.set_result(result)
                else:
                    reason = values.get("error", "no code")[:200]
                    self._answer.set_exception(ConfigurationError(f"the authorization was refused: {reason!r}"))
        except (OSError, ValueError):
            pass
        finally:
            writer.close()


class _ReachableTokens(Tokens):
    """Tokens without the registration as a client whose redirect URL is not the one that is listened at: it is made anew."""

    redirect_uri = ""

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        info = await super().get_client_info()
        return info if info is None or self.redirect_uri in map(str, info.redirect_uris or ()) else None


@asynccontextmanager
async def opened_by_browser(
    workspace: str, name: str, configuration: ServerConfiguration, ended: Callable[[str], object]
) -> AsyncIterator[TransportStreams]:
    """A connection for which the owner may be asked to authorize us."""
    login = Login()
    url = configuration.url or ""
    tokens = _ReachableTokens(workspace, name, url)
    registered = await Tokens.get_client_info(tokens)
    try:
        tokens.redirect_uri = await login.listen(_loopback(registered) or CALLBACK)
        auth = authorization(url, tokens, login.redirect, login.callback, tokens.redirect_uri)
        async with open_http(configuration, ended, auth=auth) as streams:
            yield streams
    finally:
        login.close()


def _loopback(registered: OAuthClientInformationFull | None) -> str:
    """The redirect URL of a registration; "" if it is none of this machine."""
    urls = map(str, registered.redirect_uris or ()) if registered is not None else ()
    return next((url for url in urls if url.startswith("http://127.0.0.1:") and urlsplit(url).port), "")
