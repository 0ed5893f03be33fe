"""Cost of an editor's requests beside a keystroke: `python -m benchmarks.bench_ide`.

For programs of 100, 1,000 and 10,000 lines: milliseconds of each feature the first time, and right after a keystroke
in a body with its check (median of nine). The ratio compares the longest program with the shortest; features that
answer for the whole file grow with it, those that answer for the cursor should not.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.ide.definition import definition
from analysis.ide.folding import folding_ranges
from analysis.ide.hover import hover
from analysis.ide.references import highlights, references
from analysis.ide.rename import rename
from analysis.ide.selection import selection_ranges
from analysis.ide.semantic_tokens import tokens
from analysis.ide.symbols import document_symbols
from analysis.inputs import FileId, source
from analysis.text.source import Source
from benchmarks.calibration import calibration_ms

GENERATOR = Path(__file__).resolve().parents[1] / "tests" / "bench" / "generate_ax.py"
FILE = FileId("", "disk", "/program.ax")
LINES = (100, 1_000, 10_000)
FEATURES: dict[str, Callable[[Database, int], object]] = {
    "definition": lambda db, at: definition(db, FILE, at),
    "hover": lambda db, at: hover(db, FILE, at),
    "highlights": lambda db, at: highlights(db, FILE, at),
    "references": lambda db, at: references(db, FILE, at),
    "rename": lambda db, at: rename(db, FILE, at, "renamed"),
    "selection": lambda db, at: selection_ranges(db, FILE, at),
    "symbols *": lambda db, at: document_symbols(db, FILE),
    "folding *": lambda db, at: folding_ranges(db, FILE),
    "tokens *": lambda db, at: tokens(db, FILE),
}


def main() -> None:
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in FEATURES}
    for lines in LINES:
        command = [sys.executable, str(GENERATOR), "--lines", str(lines)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for name, ask in FEATURES.items():
            rows[name].append(_measured(text, ask))
    print(f"calibration loop: {calibration_ms():.2f} ms; a star marks answers about the whole file")
    print(f"{'ms: first time / after a keystroke':<36}" + "".join(f"{lines:>20,}" for lines in LINES) + f"{'ratio':>10}")
    for name, times in rows.items():
        cells = "".join(f"{first:>11.2f} / {again:>6.2f}" for first, again in times)
        print(f"{name:<36}{cells}{times[-1][1] / times[0][1]:>9.1f}x")


def _measured(text: str, ask: Callable[[Database, int], object]) -> tuple[float, float]:
    """Milliseconds in a database that has checked the text: at first, and after a keystroke near the cursor."""
    db = Database()
    source.set(db, FILE, Source.from_text(text))
    check_file(db, FILE)
    # A name within the function in the middle of the text.
    at = text.index("fn ", len(text) // 2) + 4
    body = text.index("{\n", at) + 2
    first = _timed(db, ask, at)
    again = []
    for _ in range(9):
        source.set(db, FILE, source(db, FILE).edited(body, body, " "))
        check_file(db, FILE)
        again.append(_timed(db, ask, at))
    return first, median(again)


def _timed(db: Database, ask: Callable[[Database, int], object], at: int) -> float:
    start = perf_counter()
    ask(db, at)
    return (perf_counter() - start) * 1e3


if __name__ == "__main__":
    main()
