"""URIs to paths and back: escapes, drive letters, hosts, and what is no file at all."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boruna_ls.workspace.uris import path_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.ax", "/a/b.ax"),
        ("FILE:///a/b.ax", "/a/b.ax"),
        ("file://localhost/a/b.ax", "/a/b.ax"),
        ("file:///a%20b/%C3%A9.ax", "/a b/é.ax"),
        ("file:///a b/é.ax", "/a b/é.ax"),
        ("file:///a/%23x%3F.ax", "/a/#x?.ax"),
        ("file:///c%3A/x/a.ax", "C:/x/a.ax"),
        ("file:///C:/x/a.ax", "C:/x/a.ax"),
        ("file:///c:/x/a.ax", "C:/x/a.ax"),
        ("file://server/share/a.ax", "//server/share/a.ax"),
        ("file:///a/../b/./c.ax", "/b/c.ax"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        ("vscode-notebook-cell:/a.ipynb#X", "vscode-notebook-cell:/a.ipynb#X"),
        ("http://[", "http://["),
        ("", ""),
    ],
)
def test_path_of(uri: str, path: str) -> None:
    assert path_of(uri) == path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/a/b c#é%.ax", "file:///a/b%20c%23%C3%A9%25.ax"),
        ("C:/x/a.ax", "file:///c%3A/x/a.ax"),
        ("c:\\x\\a.ax", "file:///c%3A/x/a.ax"),
        ("//server/share/a b.ax", "file://server/share/a%20b.ax"),
        ("\\\\server\\share\\a b.ax", "file://server/share/a%20b.ax"),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
    ],
)
def test_uri_of(path: str, uri: str) -> None:
    assert uri_of(path) == uri


def is_plain(segment: str) -> bool:
    """Neither a step up nor a drive letter, which is another kind of path."""
    return segment not in (".", "..") and not re.fullmatch("[A-Za-z]:", segment)


SEGMENT = st.text(
    st.characters(exclude_characters="/\x00", codec="utf-8") | st.sampled_from("\udc80\udcff"),
    min_size=1,
    max_size=8,
).filter(is_plain)


@given(st.lists(SEGMENT, min_size=1, max_size=4))
def test_there_and_back(segments: list[str]) -> None:
    path = "/" + "/".join(segments)
    assert path_of(uri_of(path)) == path


def test_half_a_character_is_quoted() -> None:
    """No disk has such a name, but a client can send one."""
    assert uri_of("/\ud800.ax") == "file:///%ED%A0%80.ax"
