"""Streams cut into messages: nothing is lost or changed, and the messages are those that the daemon sees."""

from __future__ import annotations

import json
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boruna_ls.wire.frames import BODY_LIMIT, Frames, framed
from boruna_ls.wire.lines import Lines

GOOD = b'{"jsonrpc":"2.0","method":"x"}'
PIECES = st.one_of(
    st.just(framed(GOOD)),
    st.just(framed(b'{"id":1}')),
    st.just(framed('{"text":"größe 😀"}'.encode())),
    st.just(framed(b'"%b"' % (b"long " * 2_000))),
    st.just(b"content-type: x\r\ncontent-length: 8\r\n\r\n" + b'{"id":2}'),
    st.just(b"Content-Length: 8\n\n" + b'{"id":3}'),
    st.just(b"Content-Length: 30\r\n\r\n{}"),
    st.just(b"Content-Length: 2\r\n\r\n{]"),
    st.just(b"Content-Length: nine\r\n\r\n{}"),
    st.just(b"Content-Length: %d\r\n\r\n" % (BODY_LIMIT + 1)),
    st.just(b"\r\n\r\n"),
    st.just(b"Content-"),
    st.binary(max_size=12),
)


def is_json(body: bytes) -> bool:
    try:
        json.loads(body.decode("utf-8"))
    except ValueError:
        return False
    return True


def cut(data: bytes, places: list[int]) -> list[bytes]:
    borders = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in pairwise(borders)]


def through_ours(blocks: list[bytes]) -> tuple[list[bytes], bytes]:
    """The messages, and everything that came out."""
    frames, bodies, passed = Frames(), [], b""
    for block in blocks:
        for piece in frames.feed(block):
            raw, body = piece.raw, piece.body
            if body is not None and not is_json(body):
                raw = frames.give_back(raw, body)
            elif body is not None:
                bodies.append(body)
            passed += raw
    return bodies, passed + frames.rest()


@given(st.lists(PIECES, max_size=8), st.lists(st.one_of(st.integers(0, 1000), st.integers(0, 30_000)), max_size=6))
@example([b"Content-Length: 30\r\n\r\n{}", framed(GOOD), framed(GOOD)], [1, 25, 40])
def test_messages_and_every_byte(pieces: list[bytes], places: list[int]) -> None:
    blocks = cut(b"".join(pieces), places)
    bodies, passed = through_ours(blocks)
    assert passed == b"".join(pieces)
    assert all(body in passed for body in bodies)


def test_a_message_that_trickles_in_takes_little_more_than_its_length() -> None:
    body, frames = b'"%b"' % (b"x" * 30_000), Frames()
    message = framed(body)
    tracemalloc.start()
    try:
        pieces = [piece for place in range(len(message)) for piece in frames.feed(message[place : place + 1])]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [piece.body for piece in pieces] == [body]
    assert most < 4 * len(message)


@pytest.mark.parametrize("start", [b"Content-Length: 5\r\nX: ", b"", b"nonsense"])
def test_header_without_an_end_is_given_up(start: bytes) -> None:
    blocks = [start + b"x" * 40_000, b"x" * 40_000, framed(GOOD)]
    bodies, passed = through_ours(blocks)
    assert (bodies, passed) == ([GOOD], b"".join(blocks))


def test_many_small_blocks_cost_time_in_proportion() -> None:
    body = b'{"text":"%b"}' % (b"x" * 2_000_000)
    data = framed(body)
    blocks = [data[start : start + 4096] for start in range(0, len(data), 4096)]
    assert through_ours(blocks) == ([body], data)


@given(st.binary(max_size=40), st.lists(st.integers(0, 1000), max_size=6))
def test_lines(data: bytes, places: list[int]) -> None:
    lines, passed = Lines(), []
    for block in cut(data, places):
        passed += [piece.raw for piece in lines.feed(block) if piece.raw == (piece.body or b"") + b"\n"]
    assert b"".join(passed) + lines.rest() == data
    assert data.split(b"\n")[:-1] == [line.removesuffix(b"\n") for line in passed]


def test_a_message_that_comes_alone_is_not_copied() -> None:
    message = framed(GOOD)
    [piece] = Frames().feed(message)
    assert piece.raw is message
    assert piece.body == GOOD


def test_what_a_wrong_length_has_swallowed_is_read_again() -> None:
    frames, swallowed = Frames(), b"Content-Length: %d\r\n\r\n{]" % (2 + len(framed(GOOD))) + framed(GOOD)
    bodies = []
    for piece in frames.feed(swallowed):
        if piece.body is not None and not is_json(piece.body):
            frames.give_back(piece.raw, piece.body)
        else:
            bodies.append(piece.body)
    assert bodies == [GOOD]
