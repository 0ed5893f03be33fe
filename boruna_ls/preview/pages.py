"""The page of a preview: its HTML with scripts and styles beside it (a browser) or inside (a webview, the host of an MCP App).

Its content-security policy allows exactly these scripts and styles, and no connection but to where it came from.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Final, Literal

Transport = Literal["http", "vscode", "mcp"]
_FOLDER: Final = Path(__file__).resolve().parent / "page"
_SCRIPTS: Final = ("text.js", "draw.js", "panels.js", "transport.js", "page.js")
"""In the order in which they depend on each other."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


@cache
def script() -> str:
    """All scripts as one, strict and with no name of theirs in the page's global scope."""
    return '"use strict";\n(() => {\n' + "\n".join(_read(name) for name in _SCRIPTS) + "\n})();\n"


@cache
def style() -> str:
    """The style sheet."""
    return _read("page.css")


@cache
def linked() -> str:
    """The page for a browser: `page.css` and `page.js` are asked for beside it."""
    head, foot = '<link rel="stylesheet" href="page.css">', '<script src="page.js"></script>'
    return _filled("http", head, foot)


@cache
def whole(transport: Transport) -> str:
    """The page as one text, with a policy that names its script and its style by their hashes."""
    policy = f"default-src 'none'; script-src {_hash(script())}; style-src {_hash(style())}; base-uri 'none'; form-action 'none'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style()}</style>'
    return _filled(transport, head, f"<script>{script()}</script>")


def _filled(transport: Transport, head: str, foot: str) -> str:
    page = _read("page.html")
    for name, text in (("transport", transport), ("head", head), ("foot", foot)):
        page = page.replace("{" + name + "}", text, 1)
    return page


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
