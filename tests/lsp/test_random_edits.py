"""Random edits through the real server: afterwards it must say of the text what a fresh check says of it.

The seed is the run's own, printed in its header.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest

from analysis.diagnostics.check import check_file
from analysis.text.source import Encoding, Source
from boruna_ls.lsp.publication import documentation
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.workspace import Host
from tests.support.lsp import RawClient, edit

URI = "file:///random/program.ax"
EDITS = 150
PIECES = (
    "fn f(a: Int) -> Int {\n    a + missing\n}\n",
    "type P { x: Int }\n",
    "enum E { A, B(Int) }\n",
    "let spare = 1\n",
    "match x { 1 => 2, _ => y }",
    "// 🙂 comment\r\n",
    '"é𝄞',
    '"',
    "{",
    "}",
    "(",
    "\r",
    "\r\n",
    "\n",
    "\u2028",
    "\x00",
    "\ufeff",
    "𝄞",
    "x",
    " ",
)


@pytest.fixture
def raw() -> Iterator[RawClient]:
    with RawClient() as client:
        yield client


@pytest.mark.parametrize("encoding", list(Encoding))
def test_random_edits(raw: RawClient, encoding: Encoding, seed: int) -> None:
    chance = random.Random(f"{seed} {encoding}")
    raw.initialize({"general": {"positionEncodings": [encoding.value]}})
    text = "".join(f"fn f{number}(a: Int) -> Int {{\n    a + g{number}\n}}\n\n" for number in range(30))
    raw.open(URI, text)
    version = 1
    while version < EDITS:
        changes = []
        for _ in range(chance.choice((1, 1, 1, 3))):
            start = chance.randrange(len(text) + 1)
            end = min(len(text), start + chance.choice((0, 0, 1, 2, 30)))
            new = "".join(chance.choices(PIECES, k=chance.choice((0, 1, 1, 2))))
            source = Source.from_text(text)
            places = [source.lsp_position(offset, encoding) for offset in (start, end)]
            # A position cannot lie between CR and LF: what the server makes of it is what it means.
            start, end = (source.lsp_offset(*place, encoding) for place in places)
            changes.append(edit(places[0], places[1], new))
            text = text[:start] + new + text[end:]
        version += 1
        raw.change(URI, version, *changes)
        if version == EDITS or chance.random() < 0.1:
            assert raw.published(URI, version) == fresh(text, encoding), version


def fresh(text: str, encoding: Encoding) -> object:
    """The diagnostics of a text that nobody has seen before."""
    host = Host()
    file = host.open(host.connect(), URI, text)
    renderer = Renderer(URI, encoding, documentation)
    return json.loads(b"[%b]" % b",".join(renderer.render(host.db, file, check_file(host.db, file), Source.from_text(text))))
