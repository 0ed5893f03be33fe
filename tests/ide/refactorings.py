"""Refactorings preserve meaning: each at every valid place of every program of the corpus, both versions run and compared.

    python -m tests.ide.refactorings --seed N [--programs N] [--places N] [--shard I/N] [NAME …]

A program with a result has the same one afterwards, shows the same, and no diagnostic is new. Signatures are changed in two ways:
the parameters in the reverse order, and one more. Items are moved to a library that did not exist.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from analysis.bytecode.module import Module
from analysis.database import Database
from analysis.ide.refactor.change import Change, Refusal, changed, introduced, tried
from analysis.ide.refactor.change_signature import Wanted, change_signature
from analysis.ide.refactor.move_item import move_item, with_library
from analysis.ide.refactor.site import site_at
from analysis.ide.refactor.table import REFACTORINGS
from analysis.inputs import source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t
from analysis.text.edits import Span
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import run_module
from tests.support.both_ways import World
from tests.support.compiled import compiled
from tests.support.corpus import programs
from tests.support.marked import MAIN, opened

MOVE, SIGNATURE = "move_item", "change_signature"
NAMES = frozenset((*REFACTORINGS, MOVE, SIGNATURE))
LIBRARY = "shelf"
"""The library to which items are moved."""
LARGEST = 15_000
"""Characters of a program."""
STEPS = 200_000
"""Steps of a program; calls that a refactoring writes may take more."""
MOST_STEPS = 10 * STEPS


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


def named_items(db: Database) -> Iterator[tuple[t.Item, int]]:
    """The functions and types, each with the offset of its name."""
    text = source(db, MAIN)
    for chunk, start in zip(text.chunks, text.offsets, strict=True):
        for item in chunk_tree(db, chunk.text).items:
            if isinstance(item, t.Function | t.Record | t.Enum) and item.name:
                yield item, start + item.at


def outcome(module: Module, steps: int = STEPS) -> tuple[object, ...] | None:
    """The result of a run and what can be seen of it; None if it fails."""
    world = World()
    run = run_module(module, Options(gateway=world, log=world, max_steps=steps, debug=lambda text: None))
    if run.error is not None:
        return None

    def named(text: str) -> str:
        # Functions and types have numbers, and one more or another order moves them.
        text = re.sub(r"Fn#(\d+)", lambda found: f"Fn {module.functions[int(found[1])].name}", text)
        types = {str(number): entry.name for number, entry in enumerate(module.types)}
        return re.sub(r"(Record|Enum)#(\d+)", lambda found: f"{found[1]} {types.get(found[2], found[2])}", text)

    seen = [event for event in world.events if event[0] != "check"]
    shown = [named(display(value)) for value in (run.value, *run.ui_output)]
    return shown, named(str([event[:3] for event in seen])), run.actor_spawns


def module_of(text: str, libs: Mapping[str, str] | None = None) -> Module | None:
    """The compiled program; None if it does not compile."""
    return compiled(text, libs=libs).module


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
            if fault := _fault(db, made, before, one.name, counts, one.keeps):
                faults.append(f"{name} {one.name} at {span} `{text[slice(*span)][:60]!r}`: {fault}")
    items = list(named_items(db))
    # Without a `main` a run begins with the first function: moved away, it is another program.
    first = module.functions[module.entry].name if module is not None and module.functions else "main"
    for item, at in items if not most else chosen.sample(items, min(len(items), most)):
        for kind, made in _of_item(db, item, at):
            same = None if kind == MOVE and item.name == first else before
            if kind in wanted and made is not None and (fault := _fault(db, made, same, kind, counts)):
                faults.append(f"{name} {kind} of `{item.name}`: {fault}")
    return faults


def _of_item(db: Database, item: t.Item, at: int) -> Iterator[tuple[str, Change | Refusal | None]]:
    yield MOVE, move_item(db, MAIN, at, LIBRARY)
    if isinstance(item, t.Function):
        count = len(item.parameters)
        same = [Wanted(number) for number in range(count)]
        yield SIGNATURE, change_signature(db, MAIN, at, [*same, Wanted(None, "one_more", "Int", "0")])
        if count > 1:
            yield SIGNATURE, change_signature(db, MAIN, at, same[::-1])


def _fault(
    db: Database, made: Change | Refusal, before: tuple[object, ...] | None, kind: str, counts: Counter[str], keeps: bool = True
) -> str:
    """Fault of a refactoring that is not refused; "" if there is none."""
    if isinstance(made, Change):
        if made.new_files:
            db = db.branch()
            with_library(db, MAIN, made)
        made = tried(db, made, with_hints=keeps)
    if isinstance(made, Refusal):
        counts[f"{kind} refused"] += 1
        assert made.reason
        return ""
    counts[kind] += 1
    after = changed(source(db, MAIN), made.edits[MAIN]).text
    branch = db.branch()
    source.set(branch, MAIN, source(db, MAIN).replaced_by(after))
    found = introduced(db, branch, MAIN, made) if keeps else None
    if found is not None:
        return f"new diagnostic {found[1].code}: {found[1].message}\n{after}"
    if before is None or not keeps:
        return ""
    libs = dict.fromkeys([LIBRARY], made.new_files[0].text) if made.new_files else {}
    module = module_of(after, libs)
    if module is None:
        return f"does not compile any more\n{after}\n{libs}"
    then = outcome(module, MOST_STEPS)
    return "" if then == before else f"{before} became {then}\n{after}\n{libs}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*sorted(NAMES), []])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=0, help="so many programs (default: all)")
    parser.add_argument("--places", type=int, default=0, help="so many places of each (default: all)")
    parser.add_argument("--shard", default="1/1", help="the first of N parts of the programs, the second, …")
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    names = sorted(texts())
    if options.programs:
        names = chosen.sample(names, min(options.programs, len(names)))
    part, parts = map(int, options.shard.split("/"))
    names = names[part - 1 :: parts]
    counts: Counter[str] = Counter()
    faults = []
    for name in names:
        found = check(name, texts()[name], frozenset(options.names or NAMES), options.places, chosen, counts)
        faults += found
        for fault in found:
            print(fault, flush=True)
    for key in sorted(counts):
        print(f"{counts[key]:8} {key}")
    print(f"seed {options.seed}: {len(names)} programs, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
