"""Forms of Scala: types in brackets behind a name, pairs with arrows, several lists of arguments, parts of tuples."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.functional_calls import of_functional
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_macros import Macros
from analysis.fixes.dialect.tree import nodes as n

_PACKAGES: Final = ("mutable", "immutable")
_PLACE: Final = re.compile(r"_[1-9]$")
_CURRIED: Final = ("fill", "tabulate", "iterate", "unfold")


class ScalaForms(Macros):
    """Reads what stands behind a name."""

    @lazily
    def counts_from_zero(self) -> bool:
        """True if `t._0` is the first part of a tuple; in Scala it is `t._1`."""
        return "._0" in self.text

    def part_of_tuple(self, word: str) -> str:
        """The place of `_1`, counted from zero."""
        return str(int(word[1:]) - 1) if _PLACE.match(word) and not self.counts_from_zero else word

    def in_package(self, owner: n.Expr, word: str) -> n.Expr | None:
        """`mutable.Map` as `Map`; None where no package stands before the dot."""
        if isinstance(owner, n.Name) and owner.name == "option" and word in ("Some", "None"):
            name = n.Name(word, start=owner.start, end=self.before.end)
            return name if word == "Some" else n.Literal("none", "None", start=owner.start, end=self.before.end)
        if isinstance(owner, n.Name) and owner.name in _PACKAGES and word[0].isupper():
            return n.Name(word, start=owner.start, end=self.before.end)
        return None

    def with_types(self, expression: n.Expr) -> n.Expr | None:
        """`List.empty[String]`, `ListBuffer[Int]()`, at the bracket; None where it holds a place."""
        if not self._holds_types(expression):
            return None
        at = self.at
        while self.at < self.behind_brackets[at]:
            self.take()
        if self.is_sign("(") or not isinstance(expression, n.Member):
            return expression
        if expression.name != "empty" or not isinstance(expression.object, n.Name):
            return expression
        behind, self.at = self.at, at
        kind = self._named_type(expression.object.name)
        self.at = behind
        empty = n.MapOf([]) if kind.name == "Map" else n.ListOf([])
        return n.Cast(empty, kind, start=expression.start, end=self.before.end)

    def _holds_types(self, expression: n.Expr) -> bool:
        root = expression
        while isinstance(root, n.Member):
            root = root.object
        if not isinstance(root, n.Name) or not (root.name[0].isupper() or isinstance(expression, n.Member)):
            return False
        end = self.behind_brackets.get(self.at, 0)
        inner = self.tokens[self.at + 1 : end - 1]
        if not end or not inner or self.token.spaced:
            return False
        words = [token for token in inner if token.kind == NAME]
        if not words or any(token.text not in ("[", "]", ",", "(", ")", "=>", "_") and token.kind != NAME for token in inner):
            return False
        return all(token.text[0].isupper() for token in words)

    def paired(self, value: n.Expr) -> n.Expr:
        """`"a" -> 1` behind the first value."""
        if not self.is_sign("->") or self.token.is_first:
            return value
        self.take()
        second = self.expression()
        return n.TupleOf([value, second], start=value.start, end=second.end)

    def curried(self, call: n.Expr) -> n.Expr | None:
        """`xs.foldLeft(0)(f)`, `List.fill(3)(0)`: one call, at the second parenthesis; None for any other one."""
        if not isinstance(call, n.Call) or not isinstance(call.function, n.Member):
            return None
        name, owner = call.function.name, call.function.object
        is_module = isinstance(owner, n.Name) and owner.name[0].isupper()
        if name.startswith("fold") or (name in _CURRIED and is_module):
            counts = [each.value for each in call.arguments]
            call.arguments += self._arguments(")")
            if name == "fill" and is_module and len(call.arguments) == len(counts) + 1:
                return _filled(call.arguments[-1].value, counts, call)
            return (of_functional(call) or call) if is_module else call
        if name in ("sortBy", "sorted", "maxBy", "minBy") and self.ahead().text == "Ordering":
            arguments = self._arguments(")")
            return reversed_order(call, name, arguments[0].value) if name == "sortBy" else None
        return None


def _filled(value: n.Expr, counts: list[n.Expr], call: n.Call) -> n.Expr:
    """A list of a value so many times, in as many dimensions as there are counts."""
    for count in reversed(counts):
        value = n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(count)], start=call.start, end=call.end)
    return value


def reversed_order(call: n.Call, name: str, order: n.Expr) -> n.Expr | None:
    """A sort in the order of `Ordering[Int].reverse`, which puts the greatest first."""
    if not isinstance(order, n.Member) or order.name != "reverse" or not isinstance(call.function, n.Member):
        return None
    word = "sortedDescending" if name == "sorted" else "sortByDescending"
    member = n.Member(call.function.object, word, start=call.start, end=call.end)
    return n.Call(member, call.arguments if name == "sortBy" else [], start=call.start, end=call.end)
