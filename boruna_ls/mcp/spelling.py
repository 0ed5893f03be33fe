"""Answers in the client's own spelling: paths below folders that it named through a link, or asked through one.

Only the fields that hold paths are touched; texts and messages stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from boruna_ls.answers.envelope import RawList, RawValue
from boruna_ls.workspace import Client
from boruna_ls.workspace.spelling import spelled
from boruna_ls.workspace.uris import uri_of

_FIELDS: Final = frozenset({"file", "path", "removed"})
_DATA: Final = frozenset({"result", "ast", "events", "output"})
"""Fields with data of programs, whose paths keep their spelling."""


class Links:
    """Pairs of a folder as a client wrote it and its canonical path, learnt from what a call asks."""

    def __init__(self, client: Client) -> None:
        self._pairs = [(named, folder) for named, folder in zip(client.named, client.folders, strict=True) if named != folder]

    def learn(self, asked: str, path: str) -> None:
        """A path was asked for, and is this one."""
        if asked == path:
            return
        named, folder = asked, path
        while os.path.basename(named) == os.path.basename(folder) != "":
            named, folder = os.path.dirname(named), os.path.dirname(folder)
        # A link to the file itself says nothing about others.
        if named != asked and (named, folder) not in self._pairs:
            self._pairs.append((named, folder))

    def applied(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer with the client's names."""
        if not self._pairs:
            return answer
        changed: dict[str, Any] = _walked(answer, lambda path: spelled(path, self._pairs))
        return changed


def without_surrogates(answer: dict[str, Any], text: str) -> dict[str, Any]:
    """The answer whose JSON is `text`; a path that is no text (its bytes are not UTF-8) becomes its URI.

    JSON could tell it by half a character only, which strict readers refuse, and which we refuse when it comes back.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        changed: dict[str, Any] = _walked(answer, _as_text)
        return changed
    return answer


def _as_text(path: str) -> str:
    try:
        path.encode()
    except UnicodeEncodeError:
        return uri_of(path)
    return path


def _walked(value: Any, respelled: Callable[[str], str], field: str = "") -> Any:
    if isinstance(value, dict):
        return {key: inner if key in _DATA else _walked(inner, respelled, key) for key, inner in value.items()}
    if isinstance(value, RawList | RawValue):
        # JSON texts already: what they name is the file as it was asked for.
        return value
    if isinstance(value, list | tuple):
        return [_walked(inner, respelled, field) for inner in value]
    return respelled(value) if isinstance(value, str) and field in _FIELDS else value
