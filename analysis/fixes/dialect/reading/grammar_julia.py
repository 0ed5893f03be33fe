"""Forms of Julia: ranges with a colon, places that count from 1 up to `end`, short functions, structures up to `end`, dots."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.julia_calls import of_julia
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_nim import NimForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, list_of

_RANGES: Final = 6
_FUNCTIONS: Final = frozenset(("+", "-", "*", "/", "&&", "||", "max", "min"))

_DOTTED: Final = frozenset(("+", "-", "*", "/", "^", "%", "==", "!=", "<", ">", "<=", ">="))


class JuliaForms(NimForms):
    """Reads them where the habits of a program are those of Julia."""

    _wholes: list[n.Expr] = []  # noqa: RUF012 - replaced, never changed
    """Enclosing indexed expressions, innermost last: `end` is the length of the last one."""

    @lazily
    def _on_items(self) -> set[int]:
        """Offsets of operators that a dot applies to each item."""
        return set()

    @lazily
    def speaks_julia(self) -> bool:
        return self.habit == "julia"

    def settle_tokens(self) -> None:
        """Takes `name::Type` for `name: Type`, `^` for a power, `name!(` of the program's own functions for a plain name."""
        super().settle_tokens()
        if not self.speaks_julia:
            return
        own = {b.text for a, b, c in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
               if a.text == "function" and c.text == "!"}  # fmt: skip
        kept: list[Token] = []
        opened = 0
        for token, follows in zip(self.tokens, [*self.tokens[1:], self.tokens[-1]], strict=True):
            before = kept[-1] if kept else None
            if token.kind == OPERATOR:
                if token.text == "." and token.spaced and follows.text in _DOTTED and follows.start == token.end:
                    self._on_items.add(follows.start)
                    continue
                opened += (token.text == "(") - (token.text == ")")
                is_annotated = before is not None and (before.text == ")" or (before.kind == NAME and before.text[0].islower()))
                if token.text == "::" and is_annotated:
                    token = token._replace(text=":")
                elif token.text == "^":
                    token = token._replace(text="**")
                elif token.text == ";" and opened:
                    token = token._replace(text=",")
                elif token.text == "!" and before is not None and before.text in own:
                    continue
            kept.append(token)
        self.tokens = kept

    # ---- expressions ----

    def _with_operators(self, left: n.Expr, level: int, start: int) -> n.Expr:
        left = super()._with_operators(left, level, start)
        if level != _RANGES or not self.speaks_julia or not self._is_range():
            return left
        self.take()
        middle = self._binary(_RANGES + 1)
        if not self._is_range():
            return n.Range(left, middle, True, start=left.start, end=self.before.end)
        self.take()
        high = self._binary(_RANGES + 1)
        if isinstance(middle, (n.Literal, n.Unary)):
            return self.stepped(left, high, middle)
        whole = n.Range(left, high, True, start=left.start, end=self.before.end)
        return n.Call(n.Member(whole, "step_by"), [n.Argument(middle)], start=left.start, end=self.before.end)

    def _is_range(self) -> bool:
        """`a:b`: a colon that touches what stands on both of its sides."""
        return self.is_sign(":") and not self.token.spaced and not self.ahead().spaced and not self.ahead().is_first

    def _word(self) -> n.Expr:
        if self.speaks_julia and self.is_word("end") and self._wholes:
            token = self.take()
            member = n.Member(deepcopy(self._wholes[-1]), "len", start=token.start, end=token.end)
            return n.Call(member, [], start=token.start, end=token.end)
        return super()._word()

    def _indexed(self, expression: n.Expr) -> n.Expr:
        if not self.speaks_julia:
            return super()._indexed(expression)
        if isinstance(expression, n.Name) and expression.name[0].isupper() and expression.name not in self.own_types:
            return self._typed_list(expression.name)
        self._plain, plain = 0, self._plain
        self._wholes = [*self._wholes, expression]
        result = expression
        while True:
            place = self.expression()
            if isinstance(place, n.Range):
                result = n.Slice(result, place.low, place.high, True, start=expression.start, end=self.before.end)
            else:
                result = n.Index(result, place, start=expression.start, end=self.before.end)
            if not self.skip(","):
                break
        self.expect("]")
        self._wholes = self._wholes[:-1]
        self._plain = plain
        return result

    def _typed_list(self, name: str) -> n.Expr:
        """`Int[]`, `String["a"]`."""
        items: list[n.Expr] = []
        start = self.before.start
        while not self.skip("]"):
            items.append(self.expression())
            if not self.skip(","):
                self.expect("]")
                break
        listed = n.ListOf(items, start=start, end=self.before.end)
        kind = self.type_named(name)
        return listed if kind is None else n.Cast(listed, list_of(kind), start=start, end=self.before.end)

    def type_named(self, name: str) -> Type | None:
        """The type of a word; None for that of any value."""
        return None if name == "Any" else self._named_type(name)

    def _postfix_step(self, expression: n.Expr) -> n.Expr | None:
        if not self.speaks_julia:
            return super()._postfix_step(expression)
        if self.is_sign(".") and self.ahead().text == "(" and not self.ahead().spaced and not self.token.spaced:
            self.take()
            self.take()
            arguments = self._arguments(")")
            if len(arguments) != 1:
                raise self.unknown("a function of one value for each item")
            return n.Call(n.Member(arguments[0].value, "map"), [n.Argument(expression)])
        if self.is_sign("{") and isinstance(expression, n.Name) and expression.name in ("Vector", "Dict", "Set", "Array"):
            return self._container_of(expression.name)
        step = super()._postfix_step(expression)
        is_changing = isinstance(step, n.Call) and isinstance(step.function, n.Name) and step.function.name.endswith("!")
        return of_julia(step) if is_changing and isinstance(step, n.Call) else step

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        translated = of_julia(call) if self.speaks_julia else call
        return translated if translated is not call else super()._ordered(call, is_curried)

    def _container_of(self, name: str) -> n.Expr:
        """`Dict{String, Int}()`, `Vector{Int}()`."""
        start = self.expect("{").start
        parts = self._types("}")
        self.expect("(")
        arguments = self._arguments(")")
        end = self.before.end
        if name == "Dict":
            if arguments:
                return n.Call(n.Name("Dict", start=start, end=start), arguments, start=start, end=end)
            return n.Cast(n.MapOf([], start=start, end=end), Type("Map", *parts), start=start, end=end)
        if arguments:
            raise self.unknown("an empty container is expected")
        return n.Cast(n.ListOf([], start=start, end=end), list_of(parts[0]), start=start, end=end)

    def _arguments(self, closing: str) -> list[n.Argument]:
        wholes, self._wholes = self._wholes, self._wholes if closing == ")" else []
        try:
            return super()._arguments(closing)
        finally:
            self._wholes = wholes

    def _argument_value(self) -> n.Expr:
        if not self.speaks_julia:
            return super()._argument_value()
        token = self.token
        if token.kind == OPERATOR and token.text in _FUNCTIONS and self.ahead().text in (",", ")"):
            self.take()
            return n.OperatorFunction(token.text, start=token.start, end=token.end)
        value = super()._argument_value()
        if self.is_sign("=>"):
            self.take()
            value = n.TupleOf([value, self.expression()], start=value.start, end=self.before.end)
        return value

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        """`xs .* 2`: the operator on each item, where one side is a number."""
        if not self.speaks_julia or self.before.start not in self._on_items:
            return super()._joined(sign, left, level)
        right = self._binary(level if sign == "**" else level + 1)
        if _is_number(left) == _is_number(right):
            raise self.unknown("a number on one side is expected")
        start, end = left.start, right.end
        own = n.Name("each_item", start=start, end=start)
        whole, sides = (right, (left, own)) if _is_number(left) else (left, (own, right))
        body = n.Binary(sign, *sides, start=start, end=end)
        closure = n.Lambda([n.Binding("each_item")], body, start=start, end=end)
        return n.Call(n.Member(whole, "map", start=start, end=end), [n.Argument(closure)], start=start, end=end)

    # ---- statements ----

    def _statement(self) -> n.Statement:
        if self.speaks_julia and self.is_short_function():
            return n.Local(self.short_function())
        return super()._statement()

    def _numeric_for(self) -> n.Statement:
        if not self.speaks_julia:
            return super()._numeric_for()
        pattern = n.Binding(self.name())
        self.expect("=")
        self._plain += 1
        source = self._binary(0)
        self._plain -= 1
        return n.For(pattern, source, self.block())

    # ---- functions and types ----

    def is_short_function(self) -> bool:
        """`square(x) = x * x`."""
        if self.token.kind != NAME or not self.token.is_first or self.ahead().text != "(" or self.ahead().spaced:
            return False
        sign = self.tokens[self.behind_brackets.get(self.at + 1, len(self.tokens) - 1)]
        return sign.text == "=" and sign.kind == OPERATOR and not sign.is_first

    def short_function(self) -> n.Function:
        start = self.token.start
        name = self.name()
        parameters = self._parameters()
        self.expect("=")
        value = self.body_value()
        return n.Function(name, parameters, None, _block(value), start=start, end=self.before.end)

    def structure(self) -> n.Item:
        """`struct Name`, its fields below it, `end`."""
        start = self.token.start
        self.skip("mutable")
        self.expect("struct")
        name = self.name()
        fields: dict[str, Type] = {}
        while not self.skip("end"):
            field = self.name()
            fields[field] = self.type() if self.skip(":", "::") else Type()
            self.skip(";", ",")
        return n.Record(name, fields, start=start, end=self.before.end)

    @abstractmethod
    def _parameters(self) -> list[n.Parameter]: ...


def _is_number(node: n.Expr) -> bool:
    """True if a value is a number by its form."""
    operand = node.operand if isinstance(node, n.Unary) and node.operator == "-" else node
    return isinstance(operand, n.Literal) and operand.kind in ("int", "float")
