"""The whole pipeline against databases that know nothing: whatever happened before, each answer is that of a fresh database.

`Machine` holds one database (with the purity check) and its branches, and beside each of them, as plain dictionaries, what was
set in it. A step changes something at random: it edits, rearranges or renames in a file of the disk or of one of two editors,
renames files and libraries, opens, closes, branches, evicts. Then it asks, and compares.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from analysis.database import Database, retain
from analysis.database.caches import empty_caches
from analysis.database.structure import same_structure
from analysis.inputs import CheckSettings, FileId, Libraries, defect, libraries, settings, source
from analysis.text.source import Source
from tests.properties.views import VIEWS
from tests.support.corpus import BENCH, programs
from tests.support.random_edits import edited, rearranged, renamed

WORKSPACE: Final = "/workspace"
PATHS: Final = ("main.ax", "other.ax", "moved.ax")
LAYERS: Final = ("disk", "editor:1", "editor:2")
LIBRARIES: Final = ("shapes", "maths", "shape")
SETTINGS: Final = (
    CheckSettings(),
    CheckSettings(ignore=("W5",)),
    CheckSettings(severity=(("W501", "warning"),)),
    CheckSettings(portable=True),
)
START: Final = """\
import shapes

type Point { x: Int, y: Int }

enum Kind { One, Two(Int) }

fn origin() -> Point { Point { x: 0, y: 0 } }

fn width(p: Point, scale: Int) -> Int requires scale > 0 { p.x * scale }

fn caller(k: Kind) -> Int { match k { Kind::One => width(origin(), 2), Kind::Two(n) => n } }

fn stranger(n: Int) -> Int { n + area(1) + areb(2) }

fn main() -> Int { caller(Kind::One) + stranger(1) }
"""
SHAPES: Final = "type Shape { sides: Int }\n\nfn area(n: Int) -> Int { n }\n\nfn arec(n: Int) -> Int { n }\n"
LARGEST: Final = 2500
MOST_BRANCHES: Final = 3
FEW: Final = ("chunk_tree", "summary", "item_diagnostics", "check_file", "generated")
"""Queries of which every other machine keeps few answers."""


@dataclass
class World:
    """A database and what was set in it."""

    db: Database
    texts: dict[FileId, Source] = field(default_factory=dict)
    defects: dict[FileId, str] = field(default_factory=dict)
    libraries: Libraries = field(default_factory=Libraries)
    settings: CheckSettings = field(default_factory=CheckSettings)

    def branch(self) -> World:
        return World(self.db.branch(), dict(self.texts), dict(self.defects), self.libraries, self.settings)

    def fresh(self) -> Database:
        """A database that has seen nothing but what is set here."""
        db = Database()
        libraries.set(db, WORKSPACE, "", self.libraries)
        settings.set(db, WORKSPACE, self.settings)
        for file, reason in self.defects.items():
            defect.set(db, file, reason)
        for file, text in self.texts.items():
            source.set(db, file, Source.from_text(text.text))
        return db

    def write(self, file: FileId, text: Source) -> None:
        self.texts[file] = text
        source.set(self.db, file, text)

    def forget(self, file: FileId) -> None:
        self.texts.pop(file, None)
        source.remove(self.db, file)


class Machine:
    """Random steps; a failure names the seed, the step and the last few changes."""

    def __init__(self, seed: int | str, *, limits: dict[str, int] | None = None) -> None:
        self.chance = random.Random(f"{seed}")
        self.seed = seed
        self.worlds = [World(Database(check_purity=True, limits=limits))]
        self.programs = [path for path in programs("diagnostics", "run", "framework") if path.stat().st_size < LARGEST]
        self.drafts = [path for path in sorted((BENCH / "drafts").rglob("*.ax")) if path.stat().st_size < LARGEST]
        self.history: list[str] = []
        self.compared = 0
        root = self.worlds[0]
        root.write(_program("disk", "main.ax"), Source.from_text(START))
        root.write(_library("shapes"), Source.from_text(SHAPES))
        self._set_libraries(root, ("shapes",))

    def run(self, steps: int) -> None:
        for number in range(steps):
            world = self.chance.choice(self.worlds)
            file = self.chance.choice(sorted(world.texts)) if world.texts else _program("disk", "main.ax")
            change = self.chance.choices([change for _, change in _CHANGES], [weight for weight, _ in _CHANGES])[0]
            self.history.append(f"{change.__name__.strip('_')} {file.layer} {file.path.rpartition('/')[2]}")
            try:
                change(self, world, file)
                self._compare(self.chance.choice(self.worlds), self.chance.random() < 0.2)
            except Exception as error:
                last = "; ".join(self.history[-8:])
                raise AssertionError(f"seed {self.seed}, step {number}: {last}") from error

    def _compare(self, world: World, everything: bool) -> None:
        """Asks a database and a fresh one the same about one file, or of all views but the costly ones about `everything`."""
        asked = sorted(world.texts) if everything else [self.chance.choice(sorted(world.texts))] if world.texts else []
        new = world.fresh()
        for file in asked:
            text = world.texts[file]
            offset, number = self.chance.randrange(len(text.text) + 1), self.chance.randrange(1000)
            for view in VIEWS:
                if (everything and view.share >= 30) or self.chance.random() * 100 < view.share:
                    kept = view.ask(world.db, file, offset, number)
                    empty_caches()
                    expected = view.ask(new, file, offset, number)
                    is_same = same_structure(kept, expected)
                    assert is_same, f"{view.name} of {file} at {offset}, {number}: {text.text!r}: {kept} != {expected}"
                    self.compared += 1

    def _set_libraries(self, world: World, names: tuple[str, ...]) -> None:
        world.libraries = Libraries(tuple((name, _library(name)) for name in sorted(names)))
        libraries.set(world.db, WORKSPACE, "", world.libraries)

    # -- changes ----------------------------------------------------------------------------------------------------

    def _edit(self, world: World, file: FileId) -> None:
        world.write(file, edited(world.texts.get(file, Source.from_text("")), self.chance))

    def _rearrange(self, world: World, file: FileId) -> None:
        world.write(file, rearranged(world.texts.get(file, Source.from_text("")), self.chance))

    def _rename_a_word(self, world: World, file: FileId) -> None:
        world.write(file, renamed(world.texts.get(file, Source.from_text("")), self.chance))

    def _replace(self, world: World, file: FileId) -> None:
        new = self.chance.choice((START, SHAPES, self.chance.choice(self.programs).read_bytes().decode("utf-8")))
        world.write(file, Source.from_text(new))

    def _draft(self, world: World, file: FileId) -> None:
        """A program in the style of other languages."""
        world.write(file, Source.from_text(self.chance.choice(self.drafts).read_bytes().decode("utf-8")))

    def _open(self, world: World, file: FileId) -> None:
        """One of two editors opens a file, or goes on from what the disk says."""
        if file.layer != "library":
            world.write(file._replace(layer=self.chance.choice(LAYERS)), world.texts.get(file, Source.from_text("")))

    def _close(self, world: World, file: FileId) -> None:
        if len(world.texts) > 2:
            world.forget(file)

    def _rename_a_file(self, world: World, file: FileId) -> None:
        new = (
            _library(self.chance.choice(LIBRARIES))
            if file.layer == "library"
            else _program(file.layer, self.chance.choice(PATHS))
        )
        text = world.texts.get(file, Source.from_text(""))
        world.forget(file)
        world.write(new, text)

    def _choose_libraries(self, world: World, file: FileId) -> None:
        self._set_libraries(world, tuple(self.chance.sample(LIBRARIES, self.chance.randrange(len(LIBRARIES) + 1))))

    def _choose_settings(self, world: World, file: FileId) -> None:
        world.settings = self.chance.choice(SETTINGS)
        settings.set(world.db, WORKSPACE, world.settings)

    def _break(self, world: World, file: FileId) -> None:
        """A file cannot be read, or can be again."""
        if world.defects.pop(file, None) is None:
            world.defects[file] = "not UTF-8"
            defect.set(world.db, file, "not UTF-8")
        else:
            defect.remove(world.db, file)

    def _branch(self, world: World, file: FileId) -> None:
        """A branch, now and then of a branch; of several one goes, with what was branched from it or without."""
        if len(self.worlds) > MOST_BRANCHES:
            del self.worlds[self.chance.randrange(1, len(self.worlds))]
        self.worlds.append(world.branch())

    def _drop_branches(self, world: World, file: FileId) -> None:
        del self.worlds[1:]

    def _evict(self, world: World, file: FileId) -> None:
        for _ in retain(world.db, self.chance.choice((0, 20)), self.chance.choice((0, 2, 8))):
            pass


def _program(layer: str, name: str) -> FileId:
    return FileId(WORKSPACE, layer, f"{WORKSPACE}/{name}")


def _library(name: str) -> FileId:
    return FileId(WORKSPACE, "library", f"{WORKSPACE}/libs/{name}/src/core.ax")


_CHANGES: Final[tuple[tuple[int, Callable[[Machine, World, FileId], None]], ...]] = (
    (30, Machine._edit),
    (14, Machine._rearrange),
    (8, Machine._rename_a_word),
    (4, Machine._replace),
    (3, Machine._draft),
    (8, Machine._open),
    (4, Machine._close),
    (4, Machine._rename_a_file),
    (3, Machine._choose_libraries),
    (2, Machine._choose_settings),
    (2, Machine._break),
    (6, Machine._branch),
    (2, Machine._drop_branches),
    (3, Machine._evict),
)


def machines(seed: int, steps: int, each: int = 250) -> Iterator[tuple[int, Machine]]:
    """Runs so many steps, a new machine every `each` of them; every other one keeps few answers. Yields the steps done."""
    done = 0
    while done < steps:
        limits = dict.fromkeys(FEW, 6) if done // each % 2 else None
        machine = Machine(f"{seed} {done}", limits=limits)
        machine.run(min(each, steps - done))
        done += each
        yield min(done, steps), machine
