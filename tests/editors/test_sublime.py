"""The syntax of Sublime Text, run by the engine of `bat` over the corpus: it sees the tokens that our lexer sees.

`bat` reads the same `.sublime-syntax` files. A theme of our own gives each kind of scope a colour, which its output names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analysis.syntax.lexer import KEYWORDS, lex
from tests.editors.test_textmate import CONSTANTS, corpus

SYNTAX = Path(__file__).resolve().parents[2] / "editors" / "sublime" / "Boruna.sublime-syntax"
BAT = shutil.which("bat") or shutil.which("batcat")
COLOURS = {
    1: "comment",
    2: "string",
    3: "constant.numeric",
    4: "constant.language",
    5: "keyword.control, keyword.other, keyword.declaration, storage.modifier",
    6: "keyword.operator",
    7: "entity, support, variable",
}
NAME = {0, 7}
ENTRY = """<dict><key>scope</key><string>{scope}</string>
<key>settings</key><dict><key>foreground</key><string>#{colour:06x}</string></dict></dict>"""
THEME = """<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>name</key><string>Test</string>
<key>settings</key><array><dict><key>settings</key><dict><key>foreground</key><string>#000000</string></dict></dict>
{entries}</array></dict></plist>"""
SHOWN = re.compile(r"\x1b\[(?:38;2;0;0;(\d+)|0)m|(.)", re.DOTALL)

pytestmark = pytest.mark.skipif(BAT is None, reason="no bat: apt-get install bat")


def expected(word: str, kind: str) -> set[int]:
    """The colours that a token may have."""
    if kind in CONSTANTS:
        return {4}
    if kind in KEYWORDS:
        return {5}
    if word[0].isdigit():
        return {3}
    if word[0] == '"':
        return {2}
    return NAME if word[0].isalpha() or word[0] == "_" else {0, 6, 7}


def test_tokens(tmp_path: Path) -> None:
    assert BAT is not None
    texts = [text if text.endswith("\n") else f"{text}\n" for text in corpus() if "\x1b" not in text]
    assert len(texts) > 300
    for folder in ("syntaxes", "themes"):
        (tmp_path / folder).mkdir()
    shutil.copy(SYNTAX, tmp_path / "syntaxes")
    entries = "".join(ENTRY.format(scope=scope, colour=colour) for colour, scope in COLOURS.items())
    (tmp_path / "themes" / "Test.tmTheme").write_text(THEME.format(entries=entries))
    cache = str(tmp_path / "cache")
    subprocess.run([BAT, "cache", "--build", "--source", str(tmp_path), "--target", cache], check=True, capture_output=True)
    files = [tmp_path / f"{number}.ax" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, "utf-8", newline="")
    environment = {**os.environ, "BAT_CACHE_PATH": cache, "BAT_CONFIG_PATH": os.devnull, "COLORTERM": "truecolor"}
    line = [
        BAT,
        "--theme=Test",
        "--color=always",
        "--style=plain",
        "--tabs=0",
        "--wrap=never",
        "--paging=never",
        *map(str, files),
    ]
    done = subprocess.run(line, env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    characters, colours = _shown(done.stdout.decode("utf-8"))
    assert "".join(characters) == "".join(texts)
    wrong: set[tuple[str, str]] = set()
    begin = 0
    for text in texts:
        tokens, before = lex(text), 0
        for start, end, kind in list(zip(tokens.starts, tokens.ends, tokens.kinds, strict=True))[:-1]:
            word = text[start:end]
            seen = {colours[begin + at] for at in range(start, end) if not text[at].isspace()}
            if not seen <= expected(word, kind):
                wrong.add((text[max(0, start - 12) : end + 5], str(seen)))
            between = text[before:start]
            commented = {colours[begin + before + at] for at, character in enumerate(between) if not character.isspace()}
            if not commented <= {1}:
                wrong.add((between, str(commented)))
            before = end
        begin += len(text)
    assert sorted(wrong)[:20] == []
    assert set(colours) == {0, *COLOURS}


def _shown(output: str) -> tuple[list[str], list[int]]:
    """The characters that are shown, and the colour of each."""
    characters, colours, colour = [], [], 0
    for shown in SHOWN.finditer(output):
        if shown[2] is None:
            colour = int(shown[1] or 0)
        else:
            characters.append(shown[2])
            colours.append(colour)
    return characters, colours
