"""The TextMate grammar, run by VS Code's own engine over the corpus: it sees the tokens that our lexer sees."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from analysis.syntax.lexer import KEYWORDS, lex
from tests.support.accepted import accepted
from tests.support.corpus import programs

FOLDER = Path(__file__).resolve().parents[2] / "editors" / "vscode"
CONSTANTS = {"true", "false", "None", "Some", "Ok", "Err"}

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (FOLDER / "node_modules" / "vscode-textmate").is_dir(),
    reason="no Node packages: run `make vscode`",
)


def corpus() -> list[str]:
    """Programs that parse; of others there is no right answer. Offsets in JavaScript count units of UTF-16."""
    texts = [file.read_bytes().decode("utf-8", "replace") for file in programs()]
    return [text for text in texts if max(text, default="") <= "\uffff" and "\0" not in text and accepted(text)]


def expected(word: str, kind: str) -> tuple[str, ...]:
    """Beginnings of the scopes that a token may have."""
    if kind in CONSTANTS:
        return ("constant.language", "support.function.constructor")
    if kind in KEYWORDS:
        return ("keyword", "storage.modifier")
    if word[0].isdigit():
        return ("constant.numeric",)
    if word[0] == '"':
        return ("string.quoted",)
    if word[0].isalpha() or (word[0] == "_" and word != "_"):
        return ("variable.other", "entity.name", "support")
    return ("keyword.operator", "punctuation", "variable.language.wildcard")


def test_tokens() -> None:
    texts = corpus()
    assert len(texts) > 300
    script = ["node", str(FOLDER / "test" / "tokenize.cjs")]
    done = subprocess.run(script, input=json.dumps(texts), capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    wrong: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for text, found in zip(texts, json.loads(done.stdout), strict=True):
        scopes = {offset: scope.split(" ") for start, end, scope in found for offset in range(start, end)}
        tokens = lex(text)
        spans = list(zip(tokens.starts, tokens.ends, tokens.kinds, strict=True))
        for start, end, kind in spans[:-1]:
            word = text[start:end]
            inside = [offset for offset in range(start, end) if text[offset] != "\n"]
            known = {next((s for s in reversed(scopes[o]) if s.startswith(expected(word, kind))), None) for o in inside}
            seen |= {scope for scope in known if scope}
            if None in known:
                wrong.add((word, str(scopes[start])))
        # Between two tokens there is white space, which has no colour, or a comment.
        for (_, end, _), (start, _, _) in pairwise([(0, 0, ""), *spans]):
            comment = False
            for offset in range(end, start):
                comment = text[offset] != "\n" and (comment or text.startswith("//", offset))
                if comment != any(scope.startswith("comment") for scope in scopes.get(offset, [])):
                    wrong.add((text[end:start], str(scopes.get(offset))))
    assert sorted(wrong)[:20] == []
    assert {"support.constant.capability.boruna", "entity.name.function.boruna", "variable.other.enummember.boruna"} <= seen
