"""The documents of an editor: the text that changes make is the one that the daemon's own session makes of them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from analysis.text.source import Encoding, Source
from boruna_ls.forwarder.documents import MOST_CHANGES, Document, apply, split

TEXT = st.text(st.sampled_from('ab {}"\n\r\u2028\x85\x0bé😀\ud800'), max_size=30)
POSITION = st.tuples(st.integers(0, 8), st.integers(0, 12))
ENCODING = st.sampled_from([each.value for each in Encoding])


def opened(text: str) -> Document:
    return Document({"uri": "file:///a.ax", "languageId": "boruna", "version": 1, "text": text})


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    ends = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": ends[0], "end": ends[1]}, "text": text}


def text_of(document: Document, encoding: str = "utf-16") -> str:
    return str(document.opened(encoding)["text"])


@given(TEXT)
def test_lines_are_the_text(text: str) -> None:
    lines = split(text)
    assert "".join(lines) == text
    assert not any(end in line[:-1].removesuffix("\r") for line in lines for end in "\r\n")


@given(TEXT, ENCODING, st.lists(st.tuples(POSITION, POSITION, TEXT), max_size=8))
def test_edits_come_out_as_in_the_daemon(
    text: str, encoding: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]]
) -> None:
    source, lines = Source.from_text(text), split(text)
    for start, end, new in edits:
        one, other = (source.lsp_offset(*place, Encoding(encoding)) for place in (start, end))
        source = source.edited(min(one, other), max(one, other), new)
        apply(lines, start, end, new, encoding)
        assert "".join(lines) == source.text
        assert lines == split(source.text)


def test_all_changes_of_a_notification_or_none() -> None:
    document = opened("one\n")
    faulty: list[list[Any]] = [
        [change((0, 0), (0, 3), "two"), {"range": None, "text": 5}],
        [change((0, 0), (0, 3), "two"), {}],
        ["two"],
        [{"range": {"start": {"line": "0", "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"}],
    ]
    for version, bad in enumerate(faulty, 2):
        document.change(bad, version, 10)
    document.change([{"range": None, "text": "three\n"}, change((0, 0), (-1, 0), "<"), change((0, 1), (5, 7), ">")], 9, 10)
    assert document.opened("utf-16") == {"uri": "file:///a.ax", "languageId": "boruna", "version": 9, "text": "<>"}


def test_changes_do_not_gather_without_end() -> None:
    document = opened("x" * 100)
    for number in range(MOST_CHANGES):
        document.change([change((0, 0), (0, 0), "ab")], number, 60)
        assert not document.is_full()
    document.change([{"text": "whole"}], 5000, 60)
    assert document.is_full()
    document.settle("utf-16")
    assert not document.is_full()
    assert (text_of(document), document.version) == ("whole", 5000)
    document.change([{"text": "y" * 2_000_000}], 5001, 2_000_100)
    assert document.is_full()
