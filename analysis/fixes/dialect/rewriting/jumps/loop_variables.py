"""Variables of loops: those that hide an outer one get a name of their own, those that are read behind their loop are marked.

A loop that counts becomes a `while` beside its counter, in the block of the loop. So another variable of that name would be lost.
In Python and PHP a loop gives its variable's last value to what follows, which no loop here does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from analysis.database import paced
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.substitution import substituted
from analysis.fixes.dialect.tree.walking import bound_names, children, walk

_UNSCOPED: Final = ("python", "php")
_KEPT: Final = {"ruby": re.compile(r"for\b"), "javascript": re.compile(r"for\s{0,9}\(\s{0,9}var\b")}
"""How loops begin whose variable lives on, in languages in which others do not."""
_OFTEN: Final = 1_000
"""Nodes between two checkpoints."""
_Loop: TypeAlias = n.For | n.CountingFor


def settle_loop_variables(items: Iterable[n.Item], habit: str, text: str) -> None:
    """Renames the variables of loops that hide others, and marks the loops whose variable is read behind them."""
    for item in items:
        functions = item.functions if isinstance(item, n.Implementation) else [item]
        for function in functions:
            if isinstance(function, n.Function):
                _Scopes(function, habit, text).visit(function.body, {part.name for part in function.parameters})


class _Uses(NamedTuple):
    """Where a function reads a variable that no loop or closure of its own has, and where it begins and ends to set it."""

    reads: list[int]
    settings: list[tuple[int, int]]


class _Scopes:
    """Walks a function with the names that are bound at each place."""

    def __init__(self, function: n.Function, habit: str, text: str) -> None:
        self.habit, self.text = habit, text
        self.nodes = list(walk(function.body))
        self.taken = {node.name for node in self.nodes if isinstance(node, n.Name)}
        self._uses_by_name: dict[str, _Uses] = {}

    def visit(self, node: n.Node, bound: set[str]) -> None:
        match node:
            case n.Block():
                inner = set(bound)
                for statement in node.statements:
                    self.visit(statement, inner)
            case n.Let():
                self._below(node, bound)
                bound.update(bound_names(node.pattern))
            case n.Assign(target=n.Name(name=name)):
                self._below(node, bound)
                bound.add(name)
            case n.For() | n.CountingFor():
                names = _declared(node)
                for name in names:
                    self._settle(node, name, bound)
                self._below(node, bound | set(_declared(node)))
            case n.Lambda():
                self.visit(node.body, bound | {name for part in node.parameters for name in bound_names(part)})
            case n.Local():
                self.visit(node.function.body, bound | {part.name for part in node.function.parameters})
            case _:
                self._below(node, bound)

    def _below(self, node: n.Node, bound: set[str]) -> None:
        for child in children(node):
            self.visit(child, bound)

    def _settle(self, loop: _Loop, name: str, bound: set[str]) -> None:
        if not self._is_read_behind(loop, name):
            return
        if name in bound and not self._lives_on(loop):
            self._rename(loop, name)
        elif isinstance(loop, n.For):
            loop.is_read_behind = True

    def _lives_on(self, loop: _Loop) -> bool:
        if self.habit in _UNSCOPED:
            return True
        begins = _KEPT.get(self.habit)
        return begins is not None and begins.match(self.text, loop.start) is not None

    def _is_read_behind(self, loop: _Loop, name: str) -> bool:
        """True if what follows a loop reads a variable of this name before it gets another value."""
        uses = self._uses_by_name.get(name)
        if uses is None:
            uses = self._uses_by_name[name] = self._uses(name)
        anew = min((end for start, end in uses.settings if start >= loop.end), default=None)
        return any(use >= loop.end and (anew is None or use < anew) for use in uses.reads)

    def _uses(self, name: str) -> _Uses:
        nodes = paced(self.nodes, _OFTEN)
        hidden = {id(each) for node in nodes if _binds(node, name) for each in walk(node)}
        targets = {id(node.target) for node in self.nodes if isinstance(node, n.Assign) and not node.operator}
        named = [node for node in self.nodes if isinstance(node, n.Name) and node.name == name]
        reads = [node.start for node in named if id(node) not in hidden and id(node) not in targets]
        return _Uses(reads, [(node.start, node.end) for node in self.nodes if _sets(node, name)])

    def _rename(self, loop: _Loop, name: str) -> None:
        new = f"inner_{name}"
        while new in self.taken:
            new += "_"
        self.taken.add(new)
        value = n.Name(new, start=loop.start, end=loop.start)
        if isinstance(loop, n.For):
            _rename_binding(loop.pattern, name, new)
            substituted(loop.body, name, value)
            return
        assert isinstance(loop.first, n.Let)
        _rename_binding(loop.first.pattern, name, new)
        test = n.Evaluate(loop.condition)
        parts: list[n.Statement] = [test, *([loop.step] if loop.step is not None else []), n.Evaluate(loop.body)]
        substituted(n.Block(parts), name, value)
        loop.condition = test.value


def _declared(loop: _Loop) -> list[str]:
    """The variables of a loop: of one that counts, those that it declares."""
    if isinstance(loop, n.For):
        return bound_names(loop.pattern)
    return bound_names(loop.first.pattern) if isinstance(loop.first, n.Let) else []


def _binds(node: n.Node, name: str) -> bool:
    """True if a variable of this name below a node is another one than outside of it."""
    match node:
        case n.Lambda():
            return any(name in bound_names(part) for part in node.parameters)
        case n.Comprehension() | n.For() | n.Arm():
            return name in bound_names(node.pattern)
        case n.CountingFor():
            return name in _declared(node)
        case n.If() | n.While():
            return any(name in bound_names(each.pattern) for each in walk(node.condition) if isinstance(each, n.LetCondition))
    return False


def _sets(node: n.Node, name: str) -> bool:
    """True if a statement gives a variable of this name its value."""
    if isinstance(node, n.Let):
        return name in bound_names(node.pattern)
    return isinstance(node, n.Assign) and not node.operator and isinstance(node.target, n.Name) and node.target.name == name


def _rename_binding(pattern: n.Pattern, name: str, new: str) -> None:
    for node in walk(pattern):
        if isinstance(node, n.Binding) and node.name == name:
            node.name = new
