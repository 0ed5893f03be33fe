"""URIs of editors to paths and back: percent encoding, drive letters, Unicode.

A path is the key of everything in the workspace, so two spellings of one URI must give one path; a URI that names
no file (an untitled buffer) is its own key.
"""

from __future__ import annotations

import os
import re
from typing import Final

_DRIVE: Final = re.compile(r"^/?([A-Za-z]):(?=[/\\]|$)")
_FOREIGN_SURROGATE: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")
LONGEST: Final = 4096
"""Characters of a path on disk."""
_UNRESERVED: Final = "/~!$&'()*+,;=@"


def path_of(uri: str) -> str:
    """The absolute path that a `file:` URI names; any other URI itself."""
    # Only editors have URIs: the command line does not wait for this.
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme.lower() != "file":
        return uri
    path = unquote(parts.path, errors="surrogateescape")
    if parts.netloc and parts.netloc.lower() != "localhost":
        return f"//{unquote(parts.netloc)}{path}"
    if drive := _DRIVE.match(path):
        return f"{drive[1].upper()}:{path[drive.end() :] or '/'}".replace("\\", "/")
    return os.path.normpath(path).replace("//", "/", 1) if path else "/"


def uri_of(path: str) -> str:
    """The URI of an absolute path; a URI is given back as it is."""
    if drive := _DRIVE.match(path):
        rest = path[drive.end() :].replace("\\", "/")
        return f"file:///{drive[1].lower()}%3A{_quoted(rest)}"
    if path.startswith(("//", "\\\\")):
        host, _, rest = path[2:].replace("\\", "/").partition("/")
        return f"file://{host}/{_quoted(rest)}"
    if path.startswith("/"):
        return f"file://{_quoted(path)}"
    return path


def _quoted(path: str) -> str:
    from urllib.parse import quote

    # A name on disk that is not UTF-8 is written byte by byte; a surrogate that stands for no byte can only come from a client.
    errors = "surrogatepass" if _FOREIGN_SURROGATE.search(path) else "surrogateescape"
    return quote(path, safe=_UNRESERVED, errors=errors)


def is_file(path: str) -> bool:
    """True if a path can lie on this machine's disk: absolute, and no longer than operating systems allow."""
    return len(path) <= LONGEST and os.path.isabs(path)
