"""Diagnostics kept as texts are those made anew, whatever was edited in between."""

from __future__ import annotations

import json
import random
from typing import Any

from boruna_ls.answers.check import check_answer
from boruna_ls.answers.diagnostics_text import DiagnosticsText
from boruna_ls.answers.envelope import as_text
from boruna_ls.workspace import Host
from tests.support import corpus

PIECES = [
    "\n", " ", "}", "{", '"', "// é\n", "%", "%d", '"line":7', "let é = 1\n", "fn extra(a: Int) -> Int { a + missing }\n",
    "type T { a: Int }\nfn twice(t: T) -> T { T { b: 1 } }\n", "twice(1, 2)", "undefined_name", "",
]  # fmt: skip
"""Texts to insert and remove: line breaks move diagnostics, the rest makes and removes them."""


def test_kept_texts_equal_new_ones(seed: int) -> None:
    rng = random.Random(seed)
    host, kept = Host(), DiagnosticsText()
    programs = [program.read_bytes().decode() for program in corpus.programs("diagnostics")]
    seen = 0
    for _ in range(10):
        text = "".join(rng.sample(programs, 3))
        for _ in range(10):
            start = rng.randrange(len(text) + 1)
            text = text[:start] + rng.choice(PIECES) + text[start + rng.choice([0, 0, 1, 5]) :]
            file = host.inline(text, "a%db.ax", 1)
            offset = rng.choice([None, None, 0, 2])
            expected = check_answer(host.db, file, "a%db.ax", offset)
            told = json.loads(as_text(kept.answer(host.db, file, "a%db.ax", offset)))
            assert told == expected, text
            seen += len(expected["diagnostics"])
    assert seen > 300


def test_only_lines_move() -> None:
    host, kept = Host(), DiagnosticsText()
    body = "".join(f"export fn f{n}() -> Int {{ missing_{n} }}\n" for n in range(200))

    def diagnostics_of(text: str) -> list[dict[str, Any]]:
        answer = kept.answer(host.db, host.inline(text, "a", 1), "a", None)
        return [json.loads(one) for one in answer["diagnostics"]]

    before, after = diagnostics_of(body), diagnostics_of("fn first() -> Int { 1 }\n\n" + body)
    assert len(before) == 200
    moved = [one for one in after if one["id"] == "E003"]
    for one in moved:
        one["location"]["line"] -= 2
        one["location"]["end_line"] -= 2
        for fix in one.get("patches", ()):
            for edit in fix["edits"]:
                edit["line"] -= 2
                edit["end_line"] -= 2
    assert moved == before
