"""Parsing of messages: chapter 13 section 4, and objects with payloads of any kind."""

from __future__ import annotations

from typing import Any

import pytest

from boruna_ls.framework.messages import MessageDefect, message_of


@pytest.mark.parametrize(
    "text, tag, payload",
    [
        ("inc", "inc", 0),
        ("set: 5 ", "set", 5),
        ("a:b:c", "a", "b:c"),
        (":7", "", 7),
        ("", "", 0),
        ("x:1.5", "x", "1.5"),
        (" d : 6", "d ", 6),
        ("x:9223372036854775807", "x", 2**63 - 1),
        ("x:9223372036854775808", "x", "9223372036854775808"),
        ("x:-0", "x", 0),
        ("x:+3", "x", 3),
        ("x:007", "x", 7),
        ("x:1_000", "x", "1_000"),
        ("x:٣", "x", "٣"),
        ("x:", "x", ""),
        ("\u2003x: \u00a05\u0085", "x", 5),
        ("\u200bx", "\u200bx", 0),
        ("\x1cx:\x1f", "\x1cx", "\x1f"),
        ("x:" + "9" * 5000, "x", "9" * 5000),
    ],
)
def test_text_is_a_tag_and_a_payload(text: str, tag: str, payload: Any) -> None:
    message = message_of(text)
    assert (message.tag, message.payload) == (tag, payload)
    assert type(message.payload) is type(payload)
    assert message.written == text


def test_an_object_has_a_payload_of_any_kind() -> None:
    written = {"tag": " set ", "payload": {"a": [1, None, 2.5, True]}}
    message = message_of(written)
    assert (message.tag, message.payload, message.written) == (" set ", written["payload"], written)


@pytest.mark.parametrize(
    "written, said",
    [
        (5, "must be a text"),
        (None, "must be a text"),
        ({}, "`tag`"),
        ({"tag": 5, "payload": 0}, "`tag` that is a string"),
        ({"tag": "a"}, "`payload`"),
        ({"tag": "a", "payload": 0, "payloda": 1}, "unknown key `payloda`"),
    ],
)
def test_what_is_no_message_is_named(written: Any, said: str) -> None:
    with pytest.raises(MessageDefect, match=said):
        message_of(written)
