"""For every program of the corpus, editor, agent and command line are told the same diagnostics at the same places.

Each view runs as its real process and gets the program its own way: an open document, inline text, a file on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import corpus
from tests.support.commands import run
from tests.support.diagnostics import Places, editor_diagnostics, is_same, tool_diagnostics
from tests.support.lsp import RawClient
from tests.support.mcp_lines import call, line_server


@pytest.fixture(scope="module")
def editor() -> Iterator[RawClient]:
    with RawClient() as client:
        client.initialize({"general": {"positionEncodings": ["utf-8"]}})
        yield client


@pytest.mark.parametrize("area", [area for area in corpus.areas() if corpus.programs(area)])
def test_same_findings_over_every_channel(area: str, editor: RawClient, tmp_path: Path) -> None:
    copies = []
    for number, program in enumerate(corpus.programs(area)):
        copy = tmp_path / f"{number:04}_{program.name}"
        copy.write_bytes(program.read_bytes())
        copies.append(copy)
    checked = json.loads(run("check", "--json", *map(str, copies), timeout=300).stdout)
    by_name = {Path(answer["file"]).name: answer for answer in checked.get("files", [checked])}
    assert len(by_name) == len(copies)
    with line_server(cwd=str(tmp_path)) as agent:
        agent.open()
        for number, copy in enumerate(copies):
            data = copy.read_bytes()
            text, places = data.decode("utf-8"), Places(data)
            result = agent.ask(call(number, "boruna_check", source=text))["result"]
            answer = json.loads(result["content"][0]["text"])
            assert answer == result["structuredContent"], copy.name
            told = tool_diagnostics(answer, places)
            assert tool_diagnostics(by_name[copy.name], places) == told, copy.name
            editor.open(copy.as_uri(), text)
            shown = editor_diagnostics(editor.published(copy.as_uri(), 1), places)
            assert len(shown) == len(told), (copy.name, shown, told)
            for one, other in zip(shown, told, strict=True):
                assert is_same(one, other), (copy.name, one, other)
            editor.notify("textDocument/didClose", {"textDocument": {"uri": copy.as_uri()}})
