"""The messages that show diagnostics, and the reports to editors that ask for them, as bytes.

No library of the protocol is loaded: the first ones go out before it is.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from analysis.database import paced
from boruna_ls.data import diagnostics_folder
from boruna_ls.wire.frames import header
from boruna_ls.workspace.uris import uri_of

METHOD: Final = b"textDocument/publishDiagnostics"
_HASHED_AT_ONCE: Final = 500_000
"""Bytes."""


@lru_cache(maxsize=256)
def documentation(code: str) -> str | None:
    """The URI of the page about a code, if there is one."""
    page = diagnostics_folder() / f"{code}.md"
    return uri_of(str(page)) if page.is_file() else None


def publication(uri: str, version: int | None, items: bytes) -> bytes:
    """The message that shows these diagnostics of a document."""
    return b"%b%b}}" % (_head(uri, version), items)


def framed_publication(uri: str, version: int | None, items: list[bytes]) -> bytes:
    """The same with its header, put together in one go: in a long file it is half a megabyte at each keystroke."""
    head, tail = _head(uri, version) + b"[", b"]}}"
    size = len(head) + sum(map(len, items)) + max(len(items) - 1, 0) + len(tail)
    head = b"%b%b" % (header(size), head)
    if len(items) < 2:
        return b"".join((head, *items, tail))
    return b",".join((head + items[0], *items[1:-1], items[-1] + tail))


def _head(uri: str, version: int | None) -> bytes:
    version_member = b"" if version is None else b'"version":%d,' % version
    return b'{"jsonrpc":"2.0","method":"%b","params":{"uri":%b,%b"diagnostics":' % (
        METHOD,
        json.dumps(uri).encode(),
        version_member,
    )


def array(items: list[bytes]) -> bytes:
    """Diagnostics as a JSON array."""
    return b"[%b]" % b",".join(items)


def result_id(items: bytes) -> str:
    """Names a list of diagnostics: equal lists have equal names, also after a reconnect."""
    hashed, view = blake2b(digest_size=12), memoryview(items)
    for start in paced(range(0, len(items), _HASHED_AT_ONCE), 1):
        hashed.update(view[start : start + _HASHED_AT_ONCE])
    return hashed.hexdigest()


def report(items: bytes, id_: str, previous: str | None, place: bytes = b"") -> bytes:
    """A document's report: that it is the `previous` one, or the array of its diagnostics. `place`: what names the document."""
    head = b"{" + (place + b"," if place else b"")
    if id_ == previous:
        return head + b'"kind":"unchanged","resultId":"%b"}' % id_.encode()
    return head + b'"kind":"full","resultId":"%b","items":%b}' % (id_.encode(), items)
