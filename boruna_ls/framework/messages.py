"""Messages as callers write them: text `tag` or `tag:payload`, or an object with a tag and a payload of any JSON kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls.runtime.values import INT_MAX, INT_MIN

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_LONGEST_INTEGER: Final = 1000
"""Digits that are read; a longer payload is a text."""
_WHITE: Final = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""Unicode's White_Space; `str.strip` would take U+001C to U+001F, too."""


class MessageDefect(ValueError):
    """A caller's message is invalid; the exception's text says why."""


@dataclass(frozen=True, slots=True)
class Message:
    """`written` is the message as the caller gave it; `payload` is plain JSON."""

    tag: str
    payload: Any
    written: Any


def message_of(written: Any) -> Message:
    """Reads a message. Raises MessageDefect."""
    if isinstance(written, str):
        return _from_text(written)
    if not isinstance(written, Mapping):
        raise MessageDefect('must be a text such as "inc" or "set:5", or an object with `tag` and `payload`')
    unknown = sorted(set(written) - {"tag", "payload"})
    if unknown:
        raise MessageDefect(f"has the unknown key `{unknown[0]}`: a message has `tag` and `payload`")
    if not isinstance(written.get("tag"), str):
        raise MessageDefect("must have a `tag` that is a string")
    if "payload" not in written:
        raise MessageDefect("must have a `payload`, of any JSON kind")
    return Message(written["tag"], written["payload"], written)


def _from_text(text: str) -> Message:
    tag, colon, payload = text.strip(_WHITE).partition(":")
    return Message(tag, _payload(payload.strip(_WHITE)) if colon else 0, text)


def _payload(text: str) -> int | str:
    if len(text) <= _LONGEST_INTEGER and _INTEGER.fullmatch(text) and INT_MIN <= (number := int(text)) <= INT_MAX:
        return number
    return text
