"""Possible places of breakpoints: the first instruction of each statement, and the lines that have one."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.bytecode.module import FunctionCode, Module
from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import Arm, Block, Function, Node, walk


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; line and column count from 1, the column in code points."""

    path: str
    line: int
    column: int


class Places:
    """The statements of a module's functions, as far as their sources are known."""

    def __init__(self, db: Database, module: Module) -> None:
        self._db = db
        self._module = module
        self.statements: dict[tuple[int, int], Place] = {}
        """Place of each statement by function and instruction."""
        self._by_line: dict[str, dict[int, list[tuple[int, int]]]] = {}
        for number, code in enumerate(module.functions):
            for instruction, start in _entries(db, code):
                assert code.origin is not None
                place = self._place(code.origin.file, code.origin.base + start)
                self.statements[number, instruction] = place
                self._by_line.setdefault(place.path, {}).setdefault(place.line, []).append((number, instruction))

    def at(self, function: int, instruction: int) -> Place | None:
        """The place of any instruction."""
        code = self._module.functions[function]
        place = code.place(min(instruction, len(code.spans) - 1)) if code.spans else None
        return None if place is None else self._place(place[0], place[1])

    def breakable(self, path: str, line: int) -> tuple[int, list[tuple[int, int]]] | None:
        """The nearest line from a line on that has a statement, with its instructions; None behind the last one."""
        lines = self._by_line.get(path, {})
        nearest = min((number for number in lines if number >= line), default=None)
        return None if nearest is None else (nearest, lines[nearest])

    def lines(self, path: str, first: int, last: int) -> list[int]:
        """The lines of a range that have statements."""
        return sorted(line for line in self._by_line.get(path, {}) if first <= line <= last)

    def begins(self, function: int) -> list[tuple[int, int]]:
        """The first statement of a function."""
        own = [place for place in self.statements if place[0] == function]
        return [min(own)] if own else []

    def _place(self, file: FileId, offset: int) -> Place:
        line, column = source(self._db, file).position(offset)
        return Place(file.path, line + 1, column + 1)


def _entries(db: Database, code: FunctionCode) -> Iterator[tuple[int, int]]:
    """For each statement of a function its first instruction and where it begins, counted from the chunk's start."""
    if code.origin is None or not code.spans:
        return
    text = source(db, code.origin.file)
    chunk = text.chunk_at(code.origin.base)
    items = chunk_tree(db, text.chunks[chunk].text).items
    item = next((candidate for candidate in items if isinstance(candidate, Function) and candidate.name == code.name), None)
    if item is None:
        return
    seen: set[int] = set()
    # The last ones first: of statements that begin with the same instruction the innermost is meant.
    for node in reversed(list(_statements(item.body))):
        inside = (index for index, (start, end) in enumerate(code.spans) if node.start <= start and end <= node.end)
        first = next(inside, None)
        if first is not None and first not in seen:
            seen.add(first)
            yield first, node.start


def _statements(body: Block) -> Iterator[Node]:
    for node in walk(body):
        if isinstance(node, Block):
            yield from (statement for statement in node.statements if not isinstance(statement, Block))
        elif isinstance(node, Arm) and not isinstance(node.body, Block):
            yield node.body
