"""A page: its HTML with scripts and styles beside it (a browser) or inside (a webview, the host of an MCP App).

Its content-security policy allows exactly these scripts and styles, and no connection but to where it came from.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

Transport = Literal["http", "vscode", "mcp"]
_SHARED: Final = Path(__file__).resolve().parent
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class PageFiles:
    """`page.html` and `page.css` of a folder, and its scripts in the order in which they depend on each other.

    `text.js` and `transport.js`, which come first and before the last script, and `base.css` are shared by all pages.
    """

    def __init__(self, folder: Path, scripts: Sequence[str]) -> None:
        self._folder = folder
        self._scripts = [_SHARED / "text.js", *(folder / name for name in scripts[:-1])]
        self._scripts += [_SHARED / "transport.js", folder / scripts[-1]]

    def script(self) -> str:
        """All scripts as one, strict and with no name of theirs in the page's global scope."""
        return '"use strict";\n(() => {\n' + "\n".join(_read(path) for path in self._scripts) + "\n})();\n"

    def style(self) -> str:
        """The style sheet."""
        return _read(_SHARED / "base.css") + _read(self._folder / "page.css")

    def linked(self) -> str:
        """The page for a browser: `page.css` and `page.js` are asked for beside it."""
        head, foot = '<link rel="stylesheet" href="page.css">', '<script src="page.js"></script>'
        return self._filled("http", head, foot)

    def whole(self, transport: Transport) -> str:
        """The page as one text, with a policy that names its script and its style by their hashes."""
        allowed = f"script-src {_hash(self.script())}; style-src {_hash(self.style())}"
        policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
        head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{self.style()}</style>'
        return self._filled(transport, head, f"<script>{self.script()}</script>")

    def _filled(self, transport: str, head: str, foot: str) -> str:
        page = _read(self._folder / "page.html")
        for name, text in (("transport", transport), ("head", head), ("foot", foot)):
            page = page.replace("{" + name + "}", text, 1)
        return page


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
