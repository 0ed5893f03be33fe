"""Side effects of evaluating a piece of a program: effects, failures, assignments, returns.

Values are immutable and functions see no variables but their own, so a call can only act through capabilities, actors and the
interface, or fail. The effects of a function value are unknown, so calling one counts as acting.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.ide.name_types import item_named
from analysis.ide.refactor.site import Site
from analysis.inputs import FileId, source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.occurrences import GLOBAL, Use
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t

_ACTING: Final = (t.Emit, t.Send, t.Spawn, t.Receive)
_SAFE: Final = frozenset(
    "list_len __builtin_list_len __builtin_list_is_empty __builtin_list_head __builtin_list_tail __builtin_list_reverse "
    "__builtin_string_len str_contains __builtin_string_contains map_new".split()
)
_MOST: Final = 500
"""Functions that are followed; beyond them a call counts as acting."""


@dataclass(frozen=True, slots=True)
class Effects:
    """`acts`: the outside can notice; `fails`: it may end the run; `calls`: functions of the program; `reads` and `writes` are
    the locals declared elsewhere, by where their names are declared."""

    acts: bool
    fails: bool
    calls: bool
    returns: bool
    reads: frozenset[int]
    writes: frozenset[int]

    def may_swap_with(self, other: Effects) -> bool:
        """True if two pieces give the same results in either order, if both finish."""
        return not (
            (self.acts and other.acts)
            or self.returns
            or other.returns
            or self.writes & (other.reads | other.writes)
            or other.writes & self.reads
        )


def effects_of(site: Site, nodes: Iterable[t.Node]) -> Effects:
    """The effects of evaluating nodes of a site's function."""
    acts = fails = calls = returns = False
    reads: set[int] = set()
    writes: set[int] = set()
    names = {occurrence.start: occurrence for occurrence in site.names.occurrences}
    for root in nodes:
        for node in t.walk(root):
            match node:
                case t.Emit() | t.Send() | t.Spawn() | t.Receive():
                    acts = fails = True
                case t.Return():
                    returns = True
                case t.Binary(operator="+" | "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=" | "++"):
                    fails = True
                case t.Unary() | t.Match() | t.FieldAccess() | t.For() | t.While():
                    fails = True
                case t.Name():
                    occurrence = names.get(node.start)
                    if occurrence is not None and occurrence.local != GLOBAL and not root.start <= occurrence.local < root.end:
                        reads.add(occurrence.local)
                case t.Assign():
                    occurrence = names.get(node.at)
                    if occurrence is not None and occurrence.local != GLOBAL and not root.start <= occurrence.local < root.end:
                        writes.add(occurrence.local)
                case t.Call():
                    occurrence = names.get(node.callee.start) if isinstance(node.callee, t.Name) else None
                    if occurrence is None or occurrence.local != GLOBAL:
                        acts = fails = calls = True
                        continue
                    builtin = BUILTINS.get(occurrence.name)
                    definition = item_named(site.db, site.file, occurrence.name, t.Function)
                    if definition is None and builtin is not None:
                        acts |= bool(builtin.capability) or occurrence.name.startswith("__builtin_debug")
                        fails |= occurrence.name not in _SAFE
                    else:
                        fails = calls = True
                        acts |= function_acts(site.db, site.file, occurrence.name)
    return Effects(acts, fails, calls, returns, frozenset(reads), frozenset(writes))


def function_acts(db: Database, file: FileId, name: str) -> bool:
    """True if a function, or one that it calls, has effects outside the program."""
    seen: set[tuple[str, str]] = set()
    todo = [(file, name)]
    while todo:
        where, called = todo.pop()
        if (where.path, called) in seen:
            continue
        seen.add((where.path, called))
        definition = item_named(db, where, called, t.Function)
        if definition is None:
            builtin = BUILTINS.get(called)
            if builtin is None or builtin.capability or called.startswith("__builtin_debug"):
                return True
            continue
        assert isinstance(definition.item, t.Function)
        names = resolved(db, source(db, definition.file).chunks[definition.chunk].text)
        if len(seen) > _MOST or any(isinstance(node, _ACTING) for node in t.walk(definition.item)):
            return True
        if any(isinstance(node, t.Call) and not isinstance(node.callee, t.Name) for node in t.walk(definition.item)):
            return True
        for occurrence in names.occurrences:
            if occurrence.use is Use.CALL and definition.item.start <= occurrence.start < definition.item.end:
                if occurrence.local != GLOBAL:
                    return True
                todo.append((definition.file, occurrence.name))
    return False
