"""Refactorings preserve meaning: each at every valid place of every program of the corpus, both versions run and compared.

    python -m tests.ide.refactorings --seed N [--programs N] [--places N] [NAME …]

A program with a result has the same one afterwards, shows the same, and no diagnostic is new.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache

from analysis.bytecode.module import Module
from analysis.database import Database
from analysis.edits import Span
from analysis.ide.delta import delta
from analysis.ide.refactor.change import Change, Refusal, changed, tried
from analysis.ide.refactor.site import site_at
from analysis.ide.refactor.table import REFACTORINGS
from analysis.inputs import source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import run_module
from tests.support.both_ways import World
from tests.support.compiled import compiled
from tests.support.corpus import programs
from tests.support.marked import MAIN, opened

LARGEST = 15_000
"""Characters of a program."""
STEPS = 200_000


@cache
def texts() -> dict[str, str]:
    """The programs of the corpus that parse, by name."""
    found = {}
    for file in programs():
        text = file.read_bytes().decode(errors="replace")
        if len(text) <= LARGEST:
            found[f"{file.parent.name}/{file.name}"] = text
    return found


def places(db: Database) -> Iterator[Span]:
    """Every selection at which something could be done: all expressions, runs of statements, names and keywords."""
    text = source(db, MAIN)
    for chunk, start in zip(text.chunks, text.offsets, strict=True):
        for item in chunk_tree(db, chunk.text).items:
            if not isinstance(item, t.Function):
                continue
            for node in t.walk(item):
                if isinstance(node, t.Expr | t.Parameter):
                    yield start + node.start, start + node.start
                if isinstance(node, t.Expr):
                    yield start + node.start, start + node.end
                if isinstance(node, t.Binary):
                    yield start + node.operator_at, start + node.operator_at
                if isinstance(node, t.Let):
                    yield start + node.at, start + node.at
                if isinstance(node, t.While | t.For):
                    yield start + node.start, start + node.start
                if isinstance(node, t.Block):
                    count = len(node.statements)
                    for first in range(count):
                        for last in range(first, min(count, first + 4)):
                            yield start + node.statements[first].start, start + node.statements[last].end


def outcome(module: Module) -> tuple[object, ...] | None:
    """The result of a run and what can be seen of it; None if it fails."""
    world = World()
    run = run_module(module, Options(gateway=world, log=world, max_steps=STEPS))
    if run.error is not None:
        return None

    def named(text: str) -> str:
        # Functions have numbers, and one more moves them.
        return re.sub(r"Fn#(\d+)", lambda found: f"Fn {module.functions[int(found[1])].name}", text)

    seen = [event for event in world.events if event[0] != "check"]
    shown = [named(display(value)) for value in (run.value, *run.ui_output)]
    return shown, named(str([event[:3] for event in seen])), run.actor_spawns


def module_of(text: str) -> Module | None:
    """The compiled program; None if it does not compile."""
    return compiled(text).module


def check(name: str, text: str, wanted: frozenset[str], most: int, chosen: random.Random, counts: Counter[str]) -> list[str]:
    """Tries the refactorings of a program at `most` places (0: all); gives what went wrong."""
    db = opened(text)
    module = module_of(text)
    before = outcome(module) if module is not None else None
    found = sorted(set(places(db)))
    if most and len(found) > most:
        found = chosen.sample(found, most)
    faults = []
    for span in found:
        for one in REFACTORINGS.values():
            if one.name not in wanted:
                continue
            site = site_at(db, MAIN, span)
            made = one.make(site) if site is not None else None
            if made is None:
                continue
            made = tried(db, made, with_hints=one.keeps) if isinstance(made, Change) else made
            if isinstance(made, Refusal):
                counts[f"{one.name} refused"] += 1
                assert made.reason
                continue
            counts[one.name] += 1
            after = changed(source(db, MAIN), made.edits[MAIN])
            if fault := _fault(db, after.text, before, one.keeps):
                faults.append(f"{name} {one.name} at {span} `{text[slice(*span)][:60]!r}`: {fault}\n{after.text}")
    return faults


def _fault(db: Database, after: str, before: tuple[object, ...] | None, keeps: bool) -> str:
    branch = db.branch()
    source.set(branch, MAIN, source(db, MAIN).replaced_by(after))
    introduced = delta(db, branch, MAIN).introduced if keeps else ()
    if introduced:
        return f"new diagnostic {introduced[0][1].code}: {introduced[0][1].message}"
    if before is None or not keeps:
        return ""
    module = module_of(after)
    if module is None:
        return "does not compile any more"
    then = outcome(module)
    return "" if then == before else f"{before} became {then}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*REFACTORINGS, []])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=0, help="so many programs (default: all)")
    parser.add_argument("--places", type=int, default=0, help="so many places of each (default: all)")
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    names = sorted(texts())
    if options.programs:
        names = chosen.sample(names, min(options.programs, len(names)))
    counts: Counter[str] = Counter()
    faults = []
    for name in names:
        found = check(name, texts()[name], frozenset(options.names or REFACTORINGS), options.places, chosen, counts)
        faults += found
        for fault in found:
            print(fault, flush=True)
    for key in sorted(counts):
        print(f"{counts[key]:8} {key}")
    print(f"seed {options.seed}: {len(names)} programs, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
