"""Accuracy of completion: `python -m benchmarks.bench_completion [PROGRAMS]`.

Each use of an identifier in programs of the corpus is removed; then the completions at its place are compared with
the removed text, before a letter of it is typed and after the first one.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.ide.completion import completions
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import Space, Use
from analysis.semantics.scopes import resolved
from analysis.text.source import Source

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = FileId("/bench", "disk", "/bench/main.ax")
MOST_PROGRAMS: Final = 60
_COUNTED: Final = frozenset((Space.VALUE, Space.TYPE, Space.GENERIC, Space.VARIANT, Space.FIELD))


def programs() -> Iterator[str]:
    """The programs of the corpus that check without errors, in an order that is the same each time."""
    files = sorted((ROOT / "tests" / "conformance").glob("*/*.ax"))
    random.Random(7).shuffle(files)
    for file in files:
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        db = Database()
        source.set(db, FILE, Source.from_text(text))
        if text.count("\n") > 4 and not check_file(db, FILE).has_errors():
            yield text


def uses(text: str) -> Iterator[tuple[int, int, Space]]:
    """The identifiers that mean something declared elsewhere: absolute spans and what they are looked up among."""
    db = Database()
    whole = Source.from_text(text)
    for chunk, offset in zip(whole.chunks, whole.offsets, strict=True):
        chunk_tree(db, chunk.text)
        for one in resolved(db, chunk.text).occurrences:
            if one.space in _COUNTED and one.use is not Use.DECLARATION:
                yield offset + one.start, offset + one.end, one.space


def rank(text: str, start: int, end: int, typed: int) -> int | None:
    """The place, from 0, of what stood there among what is offered after its first letters; None if it is not."""
    db = Database()
    source.set(db, FILE, Source.from_text(text[: start + typed] + text[end:]))
    labels = [one.label.rpartition("::")[2] for one in completions(db, FILE, start + typed).candidates]
    # Before `E::V` stands `E`, and the entry is the whole of it.
    heads = [one.label.partition("::")[0] for one in completions(db, FILE, start + typed).candidates]
    word = text[start:end]
    found = [index for index, pair in enumerate(zip(labels, heads, strict=True)) if word in pair]
    return found[0] if found else None


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else MOST_PROGRAMS
    chosen = [text for text, _ in zip(programs(), range(most), strict=False)]
    print(f"{'':32}{'uses':>7}{'first':>9}{'five':>9}{'offered':>9}")
    for typed, name in ((0, "nothing typed"), (1, "one letter typed")):
        counts: Counter[tuple[str, str]] = Counter()
        for text in chosen:
            for start, end, space in uses(text):
                place = rank(text, start, end, min(typed, end - start))
                for group in ("all", space.value):
                    counts[group, "uses"] += 1
                    counts[group, "first"] += place == 0
                    counts[group, "five"] += place is not None and place < 5
                    counts[group, "offered"] += place is not None
        for group in ["all", *sorted({group for group, _ in counts} - {"all"})]:
            total = counts[group, "uses"]
            shares = "".join(f"{100 * counts[group, one] / total:7.0f} %" for one in ("first", "five", "offered"))
            print(f"{f'{name}, {group}':32}{total:7}{shares}", flush=True)


if __name__ == "__main__":
    main()
