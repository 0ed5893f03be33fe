"""The code of one function while it is written: instructions with their spans, constants, match tables, slots, names in scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from analysis.bytecode.module import Arm, Constant, LocalName, Op
from analysis.codegen.index import Meanings
from analysis.codegen.shape import Leaves, Shapes
from analysis.codegen.want import Want
from analysis.data_classes import dataclass, field
from analysis.database import checkpoint, paced
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.occurrences import GLOBAL, Resolved
from analysis.syntax.tree import Expr, Node

UNIT: Final[Constant] = ("Unit",)
_OFTEN: Final = 1_000
"""Instructions between two checkpoints."""
MOST: Final = 255
"""Items that an instruction can count."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Reason why a function has no code (E008); the span counts from the chunk's start."""

    message: str
    span: tuple[int, int]


@dataclass(slots=True)
class Output:
    """Code emitted so far.

    `refused` is set when the body breaks a rule of the checker (N1 to N3); `problem` is the first thing that has no code.
    Emitting continues after both, since a broken rule precedes a problem wherever it stands.
    """

    meanings: Meanings
    names: Resolved
    emitters: Mapping[type[Expr], Callable[[Output, Any, Want], None]]
    """Emitter of each kind of expression."""
    shapes: Shapes = field(default_factory=Shapes)
    code: list[Op] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    tables: list[tuple[Arm, ...]] = field(default_factory=list)
    field_names: list[tuple[int, str]] = field(default_factory=list)
    capabilities: list[str] = field(default_factory=list)
    slots: int = 0
    slot_of: dict[int, int] = field(default_factory=dict)
    """The slots of locals, by where they are declared."""
    bound: list[tuple[str, int, int]] = field(default_factory=list)
    """For each local of the open blocks its name, slot, and the instruction from which on it holds."""
    local_names: list[LocalName] = field(default_factory=list)
    exits: list[tuple[int, int]] | None = None
    """For each early `return` its jump to the checks of `ensures`, and where it stands; None where a `return` may simply
    leave."""
    in_contract: bool = False
    refused: bool = False
    problem: Problem | None = None

    # ---- expressions --------------------------------------------------------------------------------------------

    def value(self, node: Expr) -> None:
        """Code that leaves exactly one value; a way to the end that has none leaves Unit."""
        self.write(node, Want.VALUE)

    def effect(self, node: Expr) -> None:
        """Code that leaves nothing."""
        self.write(node, Want.NOTHING)

    def write(self, node: Expr, want: Want) -> None:
        """Code that leaves the wanted values: the plain sequence, then corrections where all paths to its end agree."""
        if want is Want.PLAIN:
            self.emitters[type(node)](self, node, want)
            return
        leaves = self.shapes.of(node)
        if leaves is Leaves.MIXED:
            self.emitters[type(node)](self, node, want)
            return
        self.emitters[type(node)](self, node, Want.PLAIN)
        if want is Want.VALUE and leaves is Leaves.NONE:
            self.push(UNIT, node)
        elif want is Want.NOTHING and leaves is not Leaves.NONE:
            self.emit(("Pop",), node)

    # ---- instructions -------------------------------------------------------------------------------------------

    def emit(self, op: Op, node: Node) -> int:
        """Appends an instruction and gives its index."""
        if len(self.code) % _OFTEN == 0:
            checkpoint()
        self.code.append(op)
        self.spans.append((node.start, node.end))
        return len(self.code) - 1

    def constant(self, value: Constant) -> int:
        """Appends a constant, without looking for an equal one (chapter 06 section 1)."""
        self.constants.append(value)
        return len(self.constants) - 1

    def push(self, value: Constant, node: Node) -> None:
        self.emit(("PushConst", self.constant(value)), node)

    def jump(self, name: str, node: Node) -> int:
        """A jump whose target is not known yet."""
        return self.emit((name, -1), node)

    def land(self, *jumps: int) -> None:
        """Lets jumps go to the next instruction."""
        for index in jumps:
            self.code[index] = (self.code[index][0], len(self.code))

    def table(self) -> int:
        """The number of a new match table, to be filled when its arms are known."""
        self.tables.append(())
        return len(self.tables) - 1

    # ---- names --------------------------------------------------------------------------------------------------

    def slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def bind(self, name: str, at: int, slot: int) -> None:
        """The local declared at an offset has a slot from here on."""
        self.bound.append((name, slot, len(self.code)))
        self.slot_of[at] = slot

    def slot_at(self, name: str, at: int) -> int | None:
        """The slot of the local that the name at an offset means; None for a name of something else."""
        declared = self.names.uses.get(at, GLOBAL)
        if at in self.names.inner and self.is_function(name):
            # A name from an inner block, which `ensures` sees, too, hides no function.
            return None
        return self.slot_of.get(declared)

    @contextmanager
    def block(self) -> Iterator[None]:
        """A scope: what is bound inside holds until its end (chapter 26 S10)."""
        depth = len(self.bound)
        yield
        self.close(depth)

    def close(self, depth: int = 0) -> None:
        """Notes the ranges in which the names bound from a depth on were visible."""
        self.local_names += [
            LocalName(name, slot, start, len(self.code)) for name, slot, start in paced(self.bound[depth:], 1_000)
        ]
        del self.bound[depth:]

    def is_function(self, name: str) -> bool:
        """True if a function of the program or a builtin has the name."""
        return self.meanings.functions.get(name) is not None or name in BUILTINS

    def unknown(self, name: str, message: str, node: Node) -> None:
        """An undefined name: in a body the checker reports it, unless it is a builtin's name."""
        if self.in_contract or name in BUILTINS:
            self.refuse(message, node)
        else:
            self.refused = True

    def refuse(self, message: str, node: Node) -> None:
        """There is no code for a node."""
        if self.problem is None:
            self.problem = Problem(message, (node.start, node.end))
