"""Text of the question to a person: whatever a workspace writes, its end is shown, and omissions are marked."""

from __future__ import annotations

import hashlib
import re

import pytest

from boruna_ls.effects.asking import Question
from boruna_ls.effects.effect import Target
from boruna_ls.upstream.configuration import ServerConfiguration

END = "--require /tmp/evil.js"


def question_text(note: str) -> str:
    return Question("a.ax", "/srv/shop", "mcp.call", Target("mcp_servers", "files#0123456789abcdef", note)).text


@pytest.mark.parametrize("length", [0, 290, 900])
def test_a_command_line_is_shown_whole(length: int) -> None:
    line = "node " + "x" * length + END
    assert f'("{line}")' in question_text(line)


def test_of_a_very_long_one_both_ends_are_shown_and_how_much_is_not() -> None:
    # The workspace pretends that nothing is missing.
    line = "node " + "x" * 395 + '" [0 of 400 characters are not shown] "' + "y" * 5_000 + END
    shown = question_text(line)
    assert len(shown) < 1_500
    assert '("node xxx' in shown
    assert f'{END}"). Allow it?' in shown
    digest = hashlib.sha256(line.encode()).hexdigest()[:16]
    said = f"[{len(line) - 800} of {len(line)} characters are not shown, SHA-256 {digest}…: read them first]"
    # What is said stands outside the quotes, where the workspace cannot write.
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", shown)
    assert said in outside
    assert "[0 of" not in outside


def test_what_a_server_would_be_started_with_and_what_it_would_get() -> None:
    def summary(**given: object) -> str:
        return ServerConfiguration.model_validate(given).summary

    assert summary(command="npx", args=["-y", "a b", "--", "$(x)"]) == "npx -y 'a b' -- '$(x)'"
    told = summary(command="node", cwd="tools", env={"NODE_OPTIONS": END, "TOKEN": "${HOME_TOKEN}"})
    assert told == f"node, in tools, with NODE_OPTIONS='{END}' TOKEN='${{HOME_TOKEN}}'"
    # Of headers those that send something of ours.
    headers = {"Authorization": "Bearer ${TOKEN}", "Accept": "text/plain"}
    assert summary(url="https://s/mcp", headers=headers) == "https://s/mcp, with Authorization: Bearer ${TOKEN}"
