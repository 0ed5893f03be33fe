"""Calls of tools in syntax trees: which names they mean, by the text alone.

`mcp::NAME::tool(…)` and a lower-case `NAME::tool(…)` with no argument or several are calls of a `Name` that holds `::`. With one
argument the second is read as a variant of an enum, as it always was, and is a call only where `NAME` turns out to be a module.
"""

from __future__ import annotations

from typing import Final

from analysis.semantics.tools.modules import METHODS
from analysis.syntax.tree import Call, Expr, FieldAccess, Name, VariantLiteral

METHOD: Final = "."
"""Prefix of the names of methods where they stand beside those of tools."""


def is_path(name: str) -> bool:
    """True if a name is one of a tool."""
    return "::" in name


def as_call(node: VariantLiteral) -> Call | None:
    """The call that a variant with a payload is where its enum is a module; None for what can be none."""
    if node.payload is None or not may_be_module(node.enum):
        return None
    end = node.at + len(node.variant)
    return Call(node.start, node.end, Name(node.start, end, path_of(node)), (node.payload,), end)


def path_of(node: VariantLiteral) -> str:
    """The name of a tool that a variant is spelt like."""
    return f"{node.enum}::{node.variant}"


def may_be_module(name: str) -> bool:
    """True if a name before `::` can be a module's."""
    return not "A" <= name[0] <= "Z"


def method_of(node: Call) -> FieldAccess | None:
    """The callee of a call that can be one of a method."""
    callee = node.callee
    if isinstance(callee, FieldAccess) and callee.name in METHODS and not node.arguments:
        return callee
    return None


def name_of(node: Expr) -> str | None:
    """The name of a tool or method (`.text`) that an expression may mean; None for everything else."""
    match node:
        case Name(name=name) if is_path(name):
            return name
        case VariantLiteral(enum=enum) if may_be_module(enum):
            return path_of(node)
        case Call() if (callee := method_of(node)) is not None:
            return METHOD + callee.name
    return None
