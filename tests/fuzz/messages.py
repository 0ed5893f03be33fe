"""Random JSON-RPC: values, ids, params that are nearly right, and bytes that are no message at all."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from tests.fuzz.cases import any_text

WILD_NUMBERS: Final = (0, 1, -1, 2, 7, 1.5, 1e300, 2**31 - 1, 2**31, 2**53, 2**63, -(2**64), 10**40)
_STRINGS: Final = ("", "a", "file:///a.ax", "file:///%ZZ", "untitled:x", "http://[", "\0", "\ud800", "../..", "🙂", "x" * 5_000)


def value(chosen: Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = chosen.randrange(9 if depth else 6)
    match kind:
        case 0:
            return None
        case 1:
            return chosen.random() < 0.5
        case 2 | 3:
            return chosen.choice(WILD_NUMBERS)
        case 4 | 5:
            return chosen.choice(_STRINGS)
        case 6:
            return [value(chosen, depth - 1) for _ in range(chosen.randrange(4))]
        case _:
            return {
                chosen.choice(("uri", "text", "a", "", "line", "id")): value(chosen, depth - 1)
                for _ in range(chosen.randrange(4))
            }


def spoilt(given: Any, chosen: Random) -> Any:
    """A value with one part of it replaced, left out or added."""
    if isinstance(given, dict) and given and chosen.random() < 0.8:
        key = chosen.choice(sorted(given))
        if chosen.random() < 0.15:
            return {name: inner for name, inner in given.items() if name != key}
        if chosen.random() < 0.1:
            return {**given, chosen.choice(("extra", "uri", "text")): value(chosen)}
        return {**given, key: spoilt(given[key], chosen)}
    if isinstance(given, list) and given and chosen.random() < 0.8:
        at = chosen.randrange(len(given))
        return [*given[:at], spoilt(given[at], chosen), *given[at + 1 :]]
    return value(chosen)


def request_id(chosen: Random, number: int) -> Any:
    """An id that no other request has, and that the protocol allows."""
    return chosen.choice((number, -number, 2**53 + number, f"id {number}", f"🙂\0{number}"))


def no_message(chosen: Random) -> bytes:
    """Bytes that are no message: no JSON, no object, far too deep, or not even text."""
    match chosen.randrange(7):
        case 0:
            return chosen.randbytes(chosen.randrange(60))
        case 1:
            return b"[" * chosen.choice((3, 1_000, 100_000))
        case 2:
            return b'{"a":' * 20_000 + b"1" + b"}" * 20_000
        case 3:
            return json.dumps(value(chosen)).encode()
        case 4:
            return any_text(chosen).encode("utf-8", "surrogatepass")
        case 5:
            whole = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}).encode()
            return whole[: chosen.randrange(len(whole))]
        case _:
            return json.dumps(
                {"jsonrpc": chosen.choice(("2.0", "1.0", 2)), "id": value(chosen), "method": value(chosen)}
            ).encode()
