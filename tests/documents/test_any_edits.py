"""Documents after random edits: each answer is that of a fresh database, and every query passes the purity check."""

from __future__ import annotations

import json
import random

from analysis.database import Database
from analysis.documents.file_diagnostics import document_diagnostics
from analysis.documents.files import Named, named_files
from analysis.inputs import FileId, source
from analysis.text.source import Source
from tests.documents.test_agents_documents import FLOW
from tests.support.random_edits import edited, rearranged

FOLDER = "/workspace"
POLICY = {"schema_version": 1, "default_allow": False, "rules": {"net.fetch": {"allow": True, "budget": 3}}}
TEMPLATE = {"name": "t", "version": "1", "description": "d", "dependencies": [], "capabilities": ["net.fetch"], "args": {}}
DOCUMENTS = {
    "workflow.json": json.dumps(FLOW, indent=2),
    "policy.json": json.dumps(POLICY, indent=2),
    "templates/t/template.json": json.dumps(TEMPLATE, indent=2),
    "package.ax.json": '{\n  "name": "p",\n  "version": "1"\n}\n',
    "boruna.toml": '[check]\nignore = ["W5"]\n\n[check.severity]\nW501 = "error"\n',
}
PROGRAMS = {
    "one.ax": 'fn main() -> String { "x" }\n',
    "two.ax": 'fn main() -> Int !{step.input} { parse_int(step_input("n")) }\n',
}


def _file(name: str) -> FileId:
    return FileId(FOLDER, "disk", f"{FOLDER}/{name}")


def _opened(texts: dict[str, Source], check_purity: bool) -> Database:
    db = Database(check_purity=check_purity)
    for name, text in texts.items():
        source.set(db, _file(name), text)
    steps = tuple(Named(name, _file(name) if name in PROGRAMS else None, "is missing") for name in (*PROGRAMS, "three.ax"))
    named_files.set(db, _file("workflow.json"), steps)
    return db


def test_after_any_edits_the_diagnostics_are_those_of_a_fresh_database(seed: int) -> None:
    chance = random.Random(seed)
    originals = {name: Source.from_text(text) for name, text in (DOCUMENTS | PROGRAMS).items()}
    texts, codes = dict(originals), set[str]()
    db = _opened(texts, check_purity=True)
    for _ in range(150):
        name = chance.choice(list(texts))
        change = chance.choice((edited, edited, rearranged))
        texts[name] = originals[name] if chance.random() < 0.3 else change(texts[name], chance)
        source.set(db, _file(name), texts[name])
        new = _opened(texts, check_purity=False)
        for document in DOCUMENTS:
            kept = list(document_diagnostics(db, _file(document)).placed(texts[document]))
            assert kept == list(document_diagnostics(new, _file(document)).placed(texts[document])), texts[document].text
            codes |= {diagnostic.code for _, diagnostic in kept}
    assert {"parse_error", "missing_source", "input_type"} <= codes
