"""Shape of an application: names, parameters and capabilities of its functions (chapter 13 section 2).

Only the syntax tree is read. The rules of `analysis` check types and effects.
"""

from __future__ import annotations

from collections.abc import Iterable

from analysis.bytecode.module import Module
from analysis.data_classes import dataclass, field
from analysis.semantics.app_shapes import FUNCTIONS, MESSAGE, REQUIRED
from analysis.syntax.tree import Enum, Function, Item, Record, type_text


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation, with the function and the span of its name; a missing function has none."""

    message: str
    function: str
    item: Function | None = None


@dataclass(slots=True)
class Shape:
    """The protocol functions that a source has, the conventional types, and what is wrong."""

    has: set[str] = field(default_factory=set)
    state_type: str | None = None
    message_type: str | None = None
    violations: list[Violation] = field(default_factory=list)
    update: Function | None = None

    @property
    def message(self) -> str:
        """All violations in one sentence."""
        return "; ".join(violation.message for violation in self.violations)


def shape_of(items: Iterable[Item]) -> Shape:
    """The shape of a source that parses; of functions and types with one name the last counts."""
    shape = Shape()
    for item in items:
        if isinstance(item, Function) and item.name in FUNCTIONS:
            shape.has.add(item.name)
            shape.violations.extend(_violations(item))
            shape.update = item if item.name == "update" else shape.update
        elif isinstance(item, Record | Enum):
            if item.name.endswith("State"):
                shape.state_type = item.name
            if item.name.endswith("Msg") or item.name == "Message":
                shape.message_type = item.name
    for name in REQUIRED:
        if name not in shape.has:
            shape.violations.append(Violation(f"missing required function: {name}()", name))
    return shape


def _violations(item: Function) -> Iterable[Violation]:
    expected, count = FUNCTIONS[item.name], len(item.parameters)
    if count != expected.arity:
        got = f", got {count}" if expected.arity else ""
        yield Violation(f"{item.name}() must take {expected.arity_text}{got}", item.name, item)
    if expected.pure and item.capabilities:
        yield Violation(f"{item.name}() must be pure — no capability annotations allowed", item.name, item)


def message_type(module: Module, update: Function | None) -> int | None:
    """The record type of messages: that of `update`'s second parameter if it has their fields, else the first that has.

    None: no type has them, and messages are anonymous records.
    """
    fitting = {
        index: entry.name
        for index, entry in enumerate(module.types)
        if not entry.is_enum and set(MESSAGE.names) <= {name for name, _ in entry.members}
    }
    wanted = type_text(update.parameters[1].type) if update is not None and len(update.parameters) > 1 else None
    named = [index for index, name in fitting.items() if name == wanted]
    return next(iter(named or fitting), None)
