"""Forms of Kotlin and C# in and around classes: `::parse`, `apply { … }` in a method, `(int Min, int Max) Bounds(…)`."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_tests import TypeTests
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import Annotated
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable


class ClassForms(TypeTests):
    """Reads them where an operand or a declaration may begin."""

    @abstractmethod
    def _block_closure(self) -> n.Lambda: ...

    def _primary(self) -> n.Expr:
        if self.is_sign("::") and self.ahead().kind == NAME and self.ahead().start == self.token.end:
            # `map(::parse)`: a function by its name.
            self.take()
            name = self.name()
            return n.Name(name, start=self.before.start, end=self.before.end)
        if self.is_word("apply", "also") and self.ahead().text == "{" and not self._plain and self.before.text != ".":
            return self._applied_to_self()
        return super()._primary()

    def _statement(self) -> n.Statement:
        """Also `self.items: List[Item] = []`."""
        is_own = self.is_word("self") and self.ahead().text == "." and self.ahead(2).kind == NAME and self.ahead(3).text == ":"
        if not is_own or self.ahead(4).is_first:
            return super()._statement()
        start = self.take().start
        self.take()
        target = n.Member(n.Name("self", start=start, end=start), self.name(), start=start, end=self.before.end)
        self.take()
        kind = self.type()
        self.expect("=")
        value = self.body_value()
        return Annotated(target, "", value, kind, start=start, end=self.before.end)

    def _applied_to_self(self) -> n.Expr:
        """`apply { items.add(x) }` in a method: what is done to its value, and the value."""
        start = self.take().start
        inside = self._block_closure().body
        steps = inside.statements if isinstance(inside, n.Block) else [n.Evaluate(inside, start=inside.start, end=inside.end)]
        at = self.before.end
        return n.Block([*steps, n.Evaluate(n.Name("self", start=at, end=at), start=at, end=at)], start=start, end=at)

    def typed_name(self, *following: str) -> tuple[Type, str] | None:
        """Also `(int Min, int Max) Bounds`: a type of several parts, whose names `tuple_labels` knows."""
        behind = self.behind_brackets.get(self.at, 0) if self.is_sign("(") and self.ahead().kind == NAME else 0
        if not behind or behind + 1 >= len(self.tokens) or self.tokens[behind].kind != NAME or self.tokens[behind].is_first:
            return super().typed_name(*following)
        if self.tokens[behind + 1].text not in following:
            return super().typed_name(*following)
        at = self.at
        try:
            kinds = self._kinds_of_parts()
        except Untranslatable:
            kinds = []
        if len(kinds) < 2 or self.at != behind:
            self.at = at
            return super().typed_name(*following)
        return Type("Tuple", *kinds), self.name()

    def _type_operand(self) -> Type:
        """Also `(string Name, int Count)` where a type may stand."""
        if not self._names_parts():
            return super()._type_operand()
        self.deeper()
        kinds = self._kinds_of_parts()
        self.higher()
        return self._type_suffix(Type("Tuple", *kinds))

    def _names_parts(self) -> bool:
        """True if a parenthesis holds types with a name behind each."""
        if not self.is_sign("("):
            return False
        behind = self.behind_brackets.get(self.at, self.at)
        inside = self.tokens[self.at + 1 : behind - 1]
        named = sum(
            (each.kind == NAME and before.text in (">", "?", "]")) or (each.kind == before.kind == NAME)
            for before, each in pairwise(inside)
        )
        return named > 1 and named == 1 + _commas(inside) and not any(each.text == ":" for each in inside)

    def _kinds_of_parts(self) -> list[Type]:
        kinds: list[Type] = []
        self.take()
        while not self.skip(")"):
            typed = self.typed_name(",", ")")
            kinds.append(typed[0] if typed is not None else self.type())
            if not self.skip(","):
                self.expect(")")
                break
        return kinds


def _commas(tokens: list[Token]) -> int:
    """The commas that stand in no brackets."""
    depth, count = 0, 0
    for token in tokens:
        depth += (token.text in ("(", "[", "<")) - (token.text in (")", "]", ">"))
        count += depth == 0 and token.text == ","
    return count
