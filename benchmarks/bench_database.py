"""Cost of a question to the query database: `python -m benchmarks.bench_database`.

Prints microseconds per call and the ratio to a plain dictionary look-up (`table[key]` in the same kind of loop, in
the same run).  The figures that matter are the verified ones: a file-level query asks about 1,500 of them a keystroke.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter

from analysis.database import Database, Durability, input, query

ROUNDS = 7
CALLS = 100_000
CHUNKS = 1_500


@input
def text(db: Database, name: str) -> str:
    return ""


@input(durability=Durability.HIGH)
def library(db: Database, name: str) -> str:
    return ""


@query
def constant(db: Database, words: str) -> int:
    return len(words)


@query
def one(db: Database, name: str) -> int:
    return len(text(db, name))


@query
def two(db: Database, name: str, place: int) -> int:
    return len(text(db, name)) + place


@query
def durable(db: Database, name: str, place: int) -> int:
    return len(library(db, name)) + place


@query
def first(db: Database, name: str) -> str:
    return text(db, name)[:1]


@query
def per_chunk(db: Database, name: str, place: int) -> tuple[str, int]:
    return first(db, name), durable(db, name, place)


@query
def per_file(db: Database, name: str) -> int:
    text(db, name)
    return sum(per_chunk(db, name, place)[1] for place in range(CHUNKS))


@query
def asks_thousand(db: Database, name: str) -> int:
    length = len(text(db, name))
    for place in range(1000):
        two(db, name, place)
    return length


def best(run: Callable[[], None], calls: int) -> float:
    """Microseconds per call, the best of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times) / calls * 1e6


def verified(db: Database) -> list[tuple[str, float]]:
    table = {"main.ax": 1}
    name = "main.ax"

    def empty() -> None:
        for _ in range(CALLS):
            pass

    def plain() -> None:
        for _ in range(CALLS):
            table[name]

    def constants() -> None:
        for _ in range(CALLS):
            constant(db, name)

    def one_argument() -> None:
        for _ in range(CALLS):
            one(db, name)

    def two_arguments() -> None:
        for _ in range(CALLS):
            two(db, name, 1)

    def inputs() -> None:
        for _ in range(CALLS):
            text(db, name)

    for warm in (constants, one_argument, two_arguments, inputs):
        warm()
    loop = best(empty, CALLS)
    return [
        ("plain dict look-up", best(plain, CALLS) - loop),
        ("constant, one argument", best(constants, CALLS) - loop),
        ("verified, one argument", best(one_argument, CALLS) - loop),
        ("verified, two arguments", best(two_arguments, CALLS) - loop),
        ("input", best(inputs, CALLS) - loop),
    ]


def inside(db: Database) -> list[tuple[str, float]]:
    """A query that asks 1,000 others, so with recording; the others are verified before, the asking one is not."""
    times = []
    for turn in range(2 * ROUNDS):
        text.set(db, "main.ax", "x" * (turn + 1))
        for place in range(1000):
            two(db, "main.ax", place)
        start = perf_counter()
        asks_thousand(db, "main.ax")
        times.append(perf_counter() - start)
    return [("verified, inside a query (recorded)", min(times) / 1000 * 1e6)]


def keystroke(db: Database) -> list[tuple[str, float]]:
    """1,500 per-chunk answers that depend on the file through a fact that stays equal; then the same in a branch."""
    text.set(db, "big.ax", "fn")
    per_file(db, "big.ax")
    times, branched = [], []
    for turn in range(2 * ROUNDS):
        text.set(db, "big.ax", "fn" + "x" * (turn + 1))
        start = perf_counter()
        per_file(db, "big.ax")
        times.append(perf_counter() - start)
        start = perf_counter()
        branch = db.branch()
        text.set(branch, "big.ax", "fn" + "y" * (turn + 1))
        per_file(branch, "big.ax")
        branched.append(perf_counter() - start)
        del branch
    return [
        ("keystroke, per chunk of 1,500", min(times) / CHUNKS * 1e6),
        ("the same in a new branch", min(branched) / CHUNKS * 1e6),
    ]


def main() -> None:
    db = Database()
    text.set(db, "main.ax", "fn main() {}")
    library.set(db, "main.ax", "export fn f() {}")
    gc.collect()
    rows = verified(db) + inside(db) + keystroke(db)
    baseline = rows[0][1]
    print(f"{'question':<40}{'µs':>8}{'ratio':>8}")
    for label, cost in rows:
        print(f"{label:<40}{cost:>8.3f}{cost / baseline:>8.1f}")


if __name__ == "__main__":
    main()
