"""The diagnostics of a checked program as people are shown them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol


class Told(Protocol):
    """`messages` are those of the diagnostics without what tools add."""

    @property
    def diagnostics(self) -> list[dict[str, Any]]: ...
    @property
    def messages(self) -> Sequence[str]: ...


def shown(checked: Told) -> Iterator[tuple[dict[str, Any], str]]:
    """Pairs of diagnostic and message: of syntax errors the place and the words that are meant for people, each mistake once."""
    for diagnostic, message in zip(checked.diagnostics, checked.messages, strict=True):
        if "shown" not in diagnostic:
            yield diagnostic, message
        elif diagnostic["shown"] is not None:
            yield diagnostic | diagnostic["shown"], diagnostic["shown"]["message"]
