"""Diagnostics keep their JSON while lines above them come and go: only the numbers of lines are filled in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Encoding, Source
from boruna_ls.lsp.publication import array, documentation
from boruna_ls.lsp.rendering import Renderer

FILE = FileId("", "disk", "/a.ax")
MISTAKES = 'fn f(n: Int) -> Int {\n    let %s = 1\n    g("100 %% of \\u{0}", \x00)\n    missing\n}\n'
PROGRAM = "".join(MISTAKES.replace("%s", f"unused_{number}") for number in range(60)) + "fn main() -> Int { f(1) }\n"


@pytest.mark.parametrize("lines", [0, 9, 1_990, 29_700, 31_000])
def test_filled_in_numbers_are_those_of_a_fresh_rendering(lines: int) -> None:
    db, renderer = Database(), Renderer("file:///100%25/a.ax", Encoding.UTF16, documentation)
    text = Source.from_text("\n" * lines + PROGRAM)
    for step in range(6):
        source.set(db, FILE, text)
        shown = _shown(db, renderer, text)
        assert len(shown) > 100
        assert shown == _shown(db, Renderer(renderer.uri, Encoding.UTF16, documentation), text)
        for each in shown:
            start, end = each["range"]["start"], each["range"]["end"]
            row = text.text.split("\n")[start["line"]]
            assert start["line"] == end["line"]
            assert end["character"] <= len(row)
            if each["message"].startswith("variable 'unused_"):
                assert row[start["character"] : end["character"]] == each["message"].split("'")[1]
        at = len(text.text) // 2
        at = text.text.index("\n", at) + 1
        text = text.edited(at, at, "\n" * (step * 7)) if step % 2 else text.edited(0, 0, "// first\n")


def _shown(db: Database, renderer: Renderer, text: Source) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = json.loads(array(renderer.render(db, FILE, check_file(db, FILE), text)))
    return shown
