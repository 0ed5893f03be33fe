"""For every program of the corpus, editor, agent and command line are told the same findings at the same places.

Each view runs as its real process and gets the program its own way: an open document, inline text, a file on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import corpus
from tests.support.commands import run
from tests.support.lsp import RawClient
from tests.support.mcp_lines import call, line_server

SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}

Finding = tuple[str, str, int, int, str, str]
"""Code, severity, start and end in bytes of the text, message, help."""


class Places:
    """Byte offsets of a text's lines, as LSP counts them (LF, CR LF, CR) and as the tools do (LF only)."""

    def __init__(self, text: bytes) -> None:
        self._tools = [0, *(at + 1 for at in range(len(text)) if text[at : at + 1] == b"\n")]
        ends = (
            at + 1
            for at in range(len(text))
            if text[at : at + 1] == b"\n" or (text[at : at + 1] == b"\r" and text[at + 1 : at + 2] != b"\n")
        )
        self._lsp = [0, *ends]

    def of_editor(self, position: dict[str, int]) -> int:
        """The offset of a position with columns in UTF-8."""
        return self._lsp[position["line"]] + position["character"]

    def of_tool(self, line: int, col: int) -> int:
        """The offset of a tool's position."""
        return self._tools[line - 1] + col - 1


def told_to_tools(answer: dict[str, Any], places: Places) -> list[Finding]:
    """The findings of a `boruna_check` answer."""
    assert "omitted" not in answer
    found = []
    for one in answer["diagnostics"]:
        where = one["location"]
        start = places.of_tool(where["line"], where["col"])
        end = places.of_tool(where["end_line"], where["end_col"])
        assert where["span_len"] == end - start
        found.append((one["id"], one["severity"], start, end, one["message"], one.get("help", "")))
    return found


def told_to_editor(diagnostics: list[dict[str, Any]], places: Places) -> list[Finding]:
    """The findings of published diagnostics, with message and help still in one text."""
    return [
        (
            one["code"],
            SEVERITIES[one["severity"]],
            places.of_editor(one["range"]["start"]),
            places.of_editor(one["range"]["end"]),
            one["message"],
            "",
        )
        for one in diagnostics
    ]


def is_same(editor: Finding, agent: Finding) -> bool:
    """Whether both were told one finding; only E001 and E002 have more words in `boruna_check`."""
    if editor[:4] != agent[:4]:
        return False
    message, help_ = agent[4:]
    if editor[4] == (f"{message}\n{help_}" if help_ else message):
        return True
    plain = editor[4].removesuffix(f"\n{help_}") if help_ else editor[4]
    return agent[0] in ("E001", "E002") and message.startswith(plain)


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
            told = told_to_tools(answer, places)
            assert told_to_tools(by_name[copy.name], places) == told, copy.name
            editor.open(copy.as_uri(), text)
            shown = told_to_editor(editor.published(copy.as_uri(), 1), places)
            assert len(shown) == len(told), (copy.name, shown, told)
            for one, other in zip(shown, told, strict=True):
                assert is_same(one, other), (copy.name, one, other)
            editor.notify("textDocument/didClose", {"textDocument": {"uri": copy.as_uri()}})
