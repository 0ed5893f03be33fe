"""A name written as an expression, in all of its uses up to where another one of the name is bound."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, walk


def substituted(body: n.Block, name: str, value: n.Expr) -> None:
    """Replaces a name below a block; refuses where what the expression reads is bound anew there."""
    read = {node.name for node in walk(value) if isinstance(node, n.Name)}
    bound = {each for node in walk(body) if isinstance(node, n.Pattern) for each in bound_names(node)}
    if read & bound:
        raise Untranslatable(f"`{min(read & bound)}` is another value while `{name}` stands for a place", value.start)
    _Substitution(name, value).node(body)


class _Substitution:
    def __init__(self, name: str, value: n.Expr) -> None:
        self.name = name
        self.value = value

    def _binds(self, pattern: n.Pattern) -> bool:
        return self.name in bound_names(pattern)

    def node(self, node: n.Node) -> None:
        """Replaces the name below a node."""
        match node:
            case n.Block():
                for place, statement in enumerate(node.statements):
                    self.node(statement)
                    if isinstance(statement, n.Let) and self._binds(statement.pattern):
                        # What follows is about another value.
                        del place
                        return
            case n.Let():
                self._field(node, "value")
                self._field(node, "otherwise")
            case n.Lambda():
                if not any(self._binds(part) for part in node.parameters):
                    self._field(node, "body")
            case n.For():
                self._field(node, "source")
                if not self._binds(node.pattern):
                    self._field(node, "body")
            case n.Arm():
                if not self._binds(node.pattern):
                    self._field(node, "guard")
                    self._field(node, "body")
            case n.If() | n.While():
                self._field(node, "condition")
                bound = [each for each in walk(node.condition) if isinstance(each, n.LetCondition)]
                for each in fields(node):
                    is_bound = each.name in ("then", "body") and any(self._binds(part.pattern) for part in bound)
                    if each.name != "condition" and not is_bound:
                        self._field(node, each.name)
            case n.Comprehension():
                self._field(node, "source")
                if not self._binds(node.pattern):
                    self._field(node, "value")
                    self._field(node, "condition")
            case n.Local():
                pass
            case _:
                for each in fields(node):
                    self._field(node, each.name)

    def _field(self, node: n.Node, field: str) -> None:
        setattr(node, field, self._replaced(getattr(node, field)))

    def _replaced(self, value: object) -> object:
        if isinstance(value, n.Name) and value.name == self.name:
            new = deepcopy(self.value)
            for each in walk(new):
                each.start, each.end = value.start, value.end
            return new
        if isinstance(value, n.Node):
            self.node(value)
            return value
        if isinstance(value, list):
            value[:] = [self._replaced(part) for part in value]
            return value
        if type(value) is tuple:
            return tuple(self._replaced(part) for part in value)
        if isinstance(value, dict):
            for key, part in value.items():
                value[key] = self._replaced(part)
        return value
