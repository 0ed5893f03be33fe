"""Every request at every position of every program of the corpus: no error, and no answer that keeps a person waiting.

    python -m tests.ide.positions [--seed N] [--programs N] [--positions N]

Prints the 95th percentile and the slowest answer of each request, in milliseconds that the thread computed (not counting what
others do on the machine): cold where a text is first looked at, warm otherwise. Exits with 1 after an error or an answer above
the limit.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from statistics import quantiles
from typing import Any, Final

from analysis.database import Database
from analysis.ide.call_hierarchy import callees, callers, function_at
from analysis.ide.call_signature import call_signature
from analysis.ide.completion import completions
from analysis.ide.definition import definition
from analysis.ide.hover import hover
from analysis.ide.implementation import implementations
from analysis.ide.refactor.table import offered
from analysis.ide.references import highlights, references
from analysis.ide.rename import prepare_rename
from analysis.ide.selection import selection_ranges
from analysis.ide.type_definition import type_definition
from analysis.ide.type_facts import locals_at, type_at
from tests.ide.refactorings import texts
from tests.support.marked import MAIN, opened

LIMIT_MS: Final = 100.0


def _calls(db: Database, offset: int) -> Any:
    function = function_at(db, MAIN, offset)
    return (callers(db, function), callees(db, function)) if function is not None else ()


REQUESTS: Final[dict[str, Callable[[Database, int], Any]]] = {
    "hover": lambda db, at: hover(db, MAIN, at),
    "completion": lambda db, at: completions(db, MAIN, at),
    "signatureHelp": lambda db, at: call_signature(db, MAIN, at),
    "definition": lambda db, at: definition(db, MAIN, at),
    "typeDefinition": lambda db, at: type_definition(db, MAIN, at),
    "implementation": lambda db, at: implementations(db, MAIN, at),
    "references": lambda db, at: references(db, MAIN, at),
    "documentHighlight": lambda db, at: highlights(db, MAIN, at),
    "callHierarchy": _calls,
    "prepareRename": lambda db, at: prepare_rename(db, MAIN, at),
    "selectionRange": lambda db, at: selection_ranges(db, MAIN, at),
    "codeAction (refactorings)": lambda db, at: list(offered(db, MAIN, (at, at))),
    "analyze_types": lambda db, at: (locals_at(db, MAIN, at), type_at(db, MAIN, at)),
}


def asked(text: str, offsets: Iterable[int], times: dict[str, list[float]]) -> list[tuple[str, int, float]]:
    """Asks everything at each offset; gives the answers that took longer than the limit. An error is raised."""
    db = opened(text)
    slow = []
    for offset in offsets:
        for name, ask in REQUESTS.items():
            begun = time.thread_time()
            ask(db, offset)
            spent = (time.thread_time() - begun) * 1000
            times[name].append(spent)
            if spent > LIMIT_MS:
                slow.append((name, offset, spent))
    return slow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=0, help="so many programs (default: all)")
    parser.add_argument("--positions", type=int, default=0, help="so many positions of each (default: all)")
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    names = sorted(texts())
    if options.programs:
        names = chosen.sample(names, min(options.programs, len(names)))
    times: dict[str, list[float]] = defaultdict(list)
    faults = 0
    for name in names:
        text = texts()[name]
        offsets = list(range(len(text) + 1))
        if options.positions and len(offsets) > options.positions:
            offsets = sorted(chosen.sample(offsets, options.positions))
        for request, offset, spent in asked(text, offsets, times):
            faults += 1
            print(f"{name}:{offset} {request} took {spent:.0f} ms")
    print(f"{'request':28}{'asked':>10}{'p95 ms':>10}{'slowest':>10}")
    for request, spent_all in times.items():
        print(f"{request:28}{len(spent_all):>10}{quantiles(spent_all, n=20)[-1]:>10.2f}{max(spent_all):>10.1f}")
    print(f"seed {options.seed}: {len(names)} programs, {faults} answers above {LIMIT_MS:.0f} ms")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
