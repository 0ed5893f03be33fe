"""Markdown of hovers: what comes from a file is data, shown so that it cannot pass for our words or load anything."""

from __future__ import annotations

import re
from typing import Final

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_LINK: Final = re.compile(r"\](?=\s*[\(\[:])|!(?=\[)")
_SCHEME: Final = re.compile(r"(?<=[A-Za-z0-9+.-]):(?=//)")
_BACKTICKS: Final = re.compile(r"`+")


def visible(text: str) -> str:
    """A text with control and bidirectional characters shown by their numbers; line ends stay."""
    return _CONTROL.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", text.replace("\r\n", "\n"))


def fence(code: str) -> str:
    """Source text in a fence that it cannot close."""
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}ax\n{visible(code)}\n{ticks}"


def word(name: str) -> str:
    """A name within a sentence."""
    return f"`{visible(name).replace('`', '')}`"


def prose(text: str) -> str:
    """A documentation comment: its Markdown counts, but for HTML, links and images."""
    text = visible(text).replace("&", "&amp;").replace("<", "&lt;")
    text = _LINK.sub(lambda match: "\\" + match[0], text)
    return _SCHEME.sub(r"\\:", text)
