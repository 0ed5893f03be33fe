"""The first fix that is offered for a diagnostic, applied: what it leaves and what it adds.

`python -m tests.repair.first_fixes` tries all diagnostics of the corpus and of the drafts, and what repairs make of these;
`--shard 2/6` the second of six parts.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.fixes.applying import edited
from analysis.fixes.repair import fixes_for, repair_file
from analysis.inputs import source
from analysis.text.edits import Fix, moved
from analysis.text.source import Source
from tests.support.checked import Checker

FOLDER: Final = Path(__file__).resolve().parents[1]
LONGEST: Final = 5_000
"""Characters of a program that is tried."""
MOST: Final = 12
"""Diagnostics of one program that are tried by the command."""
LEADS_ON: Final = {
    **dict.fromkeys(
        [
            ("E003", code)
            for code in ("E009", "W101", "W102", "W104", "W106", "W107", "W204", "W501", "W505", "W601", "W603", "W604", "W607")
        ],
        "with the name known, what is done with its value is seen",
    ),
    ("E009", "W103"): "with the variable's type right, its use as the result is seen",
    ("W101", "W104"): "with the list known, what is done with its items is seen",
    ("W103", "W102"): "who calls the function relied on what it declared",
    ("W103", "W101"): "who calls the function relied on what it declared",
    ("W103", "W103"): "who calls the function relied on what it declared",
    ("W104", "W102"): "with the operator known, the value is another one than is declared",
    ("W104", "W103"): "with the operator known, the value is another one than is declared",
    ("W107", "W101"): "with the function known, its result is another type than is used",
    ("W107", "W104"): "with the function known, its result is another type than is used",
    ("W107", "W503"): "with the function known, its lost result is seen",
    ("W107", "W501"): "with the field known, the other one is never used",
    ("W301", "W103"): "with the type known, the value is another one",
    ("W305", "W202"): "with the variant known, the arm stands there twice",
    ("W501", "W103"): "with the name known, what is done with its value is seen",
    ("W405", "W404"): "with the library known, nobody uses it",
}
"""(code, added code) → why the one mistake was two."""


class Fault(NamedTuple):
    """A first fix that leaves its diagnostic, or adds others."""

    diagnostic: Diagnostic
    fix: Fix
    is_left: bool
    added: tuple[str, ...]


class Tried(NamedTuple):
    number: int
    faults: tuple[Fault, ...]


def tried(checker: Checker, program: str, codes: tuple[str, ...] = ("E", "W", "P"), most: int = 1_000) -> Tried:
    """The first fixes of a program's first diagnostics whose codes begin as told."""
    text = Source.from_text(program)
    source.set(checker.db, checker.file, text)
    before, messages = _counted(checker), _messages(checker)
    count = 0
    faults: list[Fault] = []
    entries = [row for row in check_file(checker.db, checker.file).entries if row[1].code.startswith(codes)]
    for chunk, diagnostic in entries[:most]:
        offered = fixes_for(checker.db, checker.file, chunk, diagnostic) if diagnostic.fixes or diagnostic.code[0] == "E" else ()
        # Of W402 a function can have two annotations in the corpus.
        if not offered or diagnostic.code == "W402":
            continue
        count += 1
        changed = edited(text, offered[0].edits)
        source.set(checker.db, checker.file, changed)
        added = {code for code, _ in _counted(checker) - before if _counts(diagnostic.code, code)}
        key = _named(diagnostic)
        is_left = _messages(checker)[key] >= messages[key]
        if diagnostic.error is None:
            # The same mistake elsewhere can come to light.
            start = moved(text.offsets[chunk] + diagnostic.span[0], offered[0].edits)
            placed = check_file(checker.db, checker.file).placed(changed)
            is_left &= any(_named(entry) == key and offset + entry.span[0] == start for offset, entry in placed)
        source.set(checker.db, checker.file, text)
        if is_left or added:
            faults.append(Fault(diagnostic, offered[0], is_left, tuple(sorted(added))))
    return Tried(count, tuple(faults))


def _counts(code: str, added: str) -> bool:
    # What did not parse was not looked at: its own findings come to light.
    return code not in ("E001", "E002") and (code, added) not in LEADS_ON


def _counted(checker: Checker) -> Counter[tuple[str, str]]:
    return Counter((entry.code, entry.severity.value) for _, entry in check_file(checker.db, checker.file).entries)


def _messages(checker: Checker) -> Counter[tuple[str, str]]:
    return Counter(_named(entry) for _, entry in check_file(checker.db, checker.file).entries)


def _named(diagnostic: Diagnostic) -> tuple[str, str]:
    """Key by which a diagnostic is counted: a syntax error is worded otherwise after each change."""
    return diagnostic.code, "" if diagnostic.error is not None else diagnostic.message


def programs() -> Iterator[tuple[str, str]]:
    """Every program of the corpus and every draft, with its name."""
    for path in sorted((FOLDER / "conformance").glob("*/*.ax")):
        yield f"{path.parent.name}/{path.name}", path.read_bytes().decode()
    for path in sorted((FOLDER / "conformance").glob("*/*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
            text = json.loads(line).get("arguments", {}).get("source") if line.startswith("{") else None
            if isinstance(text, str):
                yield f"{path.parent.name}/{path.name}:{number + 1}", text
    for path in sorted((FOLDER / "bench" / "drafts").glob("*/*.ax")):
        yield f"drafts/{path.parent.name}/{path.name}", path.read_bytes().decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shard", default="1/1")
    part, parts = map(int, parser.parse_args().shard.split("/"))
    checker = Checker()
    total = 0
    found: Counter[str] = Counter()
    for number, (name, text) in enumerate(programs()):
        if number % parts != part - 1 or len(text) > LONGEST or "\0" in text:
            continue
        texts = [text]
        if name.startswith("drafts/"):
            source.set(checker.db, checker.file, Source.from_text(text))
            texts.append(repair_file(checker.db, checker.file).text)
        for each in texts:
            done = tried(checker, each, most=MOST)
            total += done.number
            for fault in done.faults:
                found[fault.diagnostic.code] += 1
                print(
                    f"{name}: {fault.diagnostic.code} {fault.fix.id}: {'is left; ' * fault.is_left}adds {list(fault.added)}",
                    flush=True,
                )
    print(f"{total} first fixes, {sum(found.values())} with a fault: {dict(found)}")


if __name__ == "__main__":
    main()
