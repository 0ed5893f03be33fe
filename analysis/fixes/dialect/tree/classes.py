"""A class as it is declared, before it becomes a record and functions."""

from __future__ import annotations

from dataclasses import dataclass, field

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type


@dataclass(eq=False)
class Case(n.Node):
    """A variant of an enum with what its constructor is given and the methods that only it has."""

    name: str
    arguments: list[n.Argument] = field(default_factory=list)
    functions: list[n.Function] = field(default_factory=list)
    variant: n.Variant | None = None
    """Where it holds values that differ."""


@dataclass(eq=False)
class ClassDeclaration(n.Item):
    """`header`: parameters of the constructor behind the name. `steps`: what making a value does besides its constructor.

    `given`: what the header hands to the constructor of the base; None where it calls none.
    """

    name: str
    word: str
    bases: list[str] = field(default_factory=list)
    given: list[n.Argument] | None = None
    header: list[n.Parameter] = field(default_factory=list)
    fields: dict[str, Type] = field(default_factory=dict)
    steps: list[n.Statement] = field(default_factory=list)
    constructor: n.Function | None = None
    functions: list[n.Function] = field(default_factory=list)
    constants: list[n.Constant] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    signatures: dict[str, Type] = field(default_factory=dict)
    """The results of methods that the class declares without a body."""
    given_fields: set[str] = field(default_factory=set)
    """Fields that parameters of the constructor are by their declaration: `constructor(public name: string)`, `Point(this.x)`."""
    private: set[str] = field(default_factory=set)
    """Methods that no class below replaces."""
    getters: set[str] = field(default_factory=set)
    """Methods that are called without parentheses."""
    is_abstract: bool = False
    is_layout: bool = False
    """True if its body is told by how far its lines are indented."""
    is_data: bool = False
    """True if its fields are what its constructor is given, in their order."""

    def method(self, name: str) -> n.Function | None:
        return next((each for each in self.functions if each.name == name), None)


@dataclass(eq=False)
class Annotated(n.Assign):
    """`self.items: List[Item] = []` of Python: what a field gets first, with its type."""

    kind: Type = field(default_factory=Type)
