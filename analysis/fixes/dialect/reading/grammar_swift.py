"""Forms of Swift: several guards at once, `repeat`, entries with a default, empty collections of a type, key paths."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_go import GoForms
from analysis.fixes.dialect.reading.tuple_labels import labels_of_tuples
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, list_of, map_of

_OPERATORS: Final = ("+", "*", "-", ">", "<", "/", "==", "&&", "||", "%", "<=", ">=", "!=")
_OWNERS: Final = ("String", "Int", "Double", "Character", "Float")
_CHANGING: Final = ("append", "insert", "push", "extend", "add")
_COMPOUND: Final = ("+=", "-=", "*=", "=", "/=")
_WORDS: Final = frozenset("for if let var while match return guard switch".split())
_DEFAULT_OF_INDEX: Final = re.compile(r",\s{0,9}default\s{0,9}:")
_LONGEST: Final = 60
"""Tokens of a closure that are looked into."""


class SwiftForms(GoForms):
    """Reads them where a statement, an operand or an argument may begin."""

    # ---- statements ----

    def _statement(self) -> n.Statement:
        if self.is_word("repeat") and self.ahead().text == "{" and self._is_do_while():
            return self._do_while()
        return super()._statement()

    def _guard(self) -> n.Statement:
        """`guard let a = x, let b = y, c else { … }`: one guard behind the other."""
        start = self.take().start
        parts = [self.condition()]
        while self.is_sign(","):
            self.take()
            parts.append(self.condition())
        self.expect("else")
        body = self.block()
        guards = [self._guarded(part, body if place == 0 else deepcopy(body)) for place, part in enumerate(flat(parts))]
        for each in guards:
            each.start, each.end = start, self.before.end
        first, *self.pending = guards
        return first

    def _guarded(self, condition: n.Expr, body: n.Block) -> n.Statement:
        if not isinstance(condition, n.LetCondition):
            return n.Evaluate(n.If(n.Unary("!", condition), body, None, start=condition.start, end=body.end))
        pattern = condition.pattern
        if isinstance(pattern, n.Binding):
            pattern = n.VariantPattern("", "Some", [pattern], start=pattern.start, end=pattern.end)
        return n.Let(pattern, None, condition.value, False, body)

    def _condition_part(self) -> n.Expr:
        part = super()._condition_part()
        if isinstance(part, n.LetCondition) and isinstance(part.pattern, n.Binding):
            # A name alone asks whether there is a value.
            pattern = part.pattern
            part.pattern = n.VariantPattern("", "Some", [pattern], start=pattern.start, end=pattern.end)
        return part

    # ---- operands ----

    def _argument_value(self) -> n.Expr:
        if self.token.kind == OPERATOR and self.token.text in _OPERATORS and self.ahead().text in (")", ","):
            token = self.take()
            return n.OperatorFunction(token.text, start=token.start, end=token.end)
        if self.is_sign("{") and self._is_short_closure():
            return self._braced_closure()
        if self._begins_labelled():
            self.take()
            self.take()
        value = super()._argument_value()
        is_maker = isinstance(value, n.Member) and value.name == "init" and isinstance(value.object, n.Name)
        if is_maker and isinstance(value, n.Member) and isinstance(value.object, n.Name) and value.object.name in _OWNERS:
            argument = n.Argument(n.Name("_arg0", start=value.start, end=value.end))
            call = n.Call(value.object, [argument], start=value.start, end=value.end)
            return n.Lambda([n.Binding("_arg0")], call, start=value.start, end=value.end)
        return value

    def _is_short_closure(self) -> bool:
        """`{ $0.age < $1.age }`, `{ a, b in … }` as an argument."""
        if self.ahead().kind == NAME and self.ahead().text not in _WORDS:
            place = self.at + 1
            while self.tokens[place].kind == NAME and self.tokens[place].text != "in":
                place += 2 if self.tokens[place + 1].text == "," else 1
            if self.tokens[place].text == "in" and self.tokens[place].kind == NAME:
                return True
        return self._holds_numbers(self.at)

    def _holds_numbers(self, at: int) -> bool:
        depth = 0
        for token in self.tokens[at : at + _LONGEST]:
            text = token.text if token.kind != STRING else ""
            depth += (text == "{") - (text == "}")
            if depth == 0:
                return False
            if text == "$" or (token.kind == STRING and "\\($" in token.text):
                return True
        return False

    def _is_closure_brace(self) -> bool:
        return super()._is_closure_brace() or self._holds_numbers(self.at)

    def _primary(self) -> n.Expr:
        if self.is_sign("\\") and self.ahead().text == "." and self.ahead(2).kind == NAME:
            start = self.take().start
            self.take()
            name = self.take().text
            return n.OperatorFunction(".", name, start=start, end=self.before.end)
        if self.is_sign(".") and self.ahead().text == "{":
            # `.{ a, b }`, `.{ .x = 1 }` of Zig.
            start = self.take().start
            if self.ahead().text != ".":
                return self.braced_list()
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf("", fields, base, start=start, end=self.before.end)
        return super()._primary()

    def _given(self, call: n.Expr, closure: n.Lambda) -> n.Expr:
        whole_call = super()._given(call, closure)
        if isinstance(whole_call, n.Call) and isinstance(whole_call.function, n.Member) and len(whole_call.arguments) == 1:
            words = {"min": "least_by", "max": "most_by"}
            if whole_call.function.name in words and len(closure.parameters) == 2:
                whole_call.function.name = words[whole_call.function.name]
        return whole_call

    def _begins_labelled(self) -> bool:
        """`name: "x"` in the parentheses of a tuple."""
        if self.token.kind != NAME or self.ahead().text != ":" or self.token.text not in self.tuple_labels:
            return False
        depth = 0
        for place in range(self.at - 1, max(self.at - _LONGEST, -1), -1):
            text = self.tokens[place].text if self.tokens[place].kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth > 0:
                return text == "("
        return False

    @lazily
    def tuple_labels(self) -> dict[str, int]:
        """The places of the parts of tuples that have names."""
        return labels_of_tuples(self.tokens)

    def part_of_tuple(self, word: str) -> str:
        place = self.tuple_labels.get(word) if not self.is_sign("(") else None
        return str(place) if place is not None else super().part_of_tuple(word)

    def _member(self, expression: n.Expr) -> n.Expr:
        if self.ahead().text == "inserted" and isinstance(expression, n.Call):
            # `seen.insert(x).inserted`: what the insertion gives elsewhere.
            self.take()
            self.take()
            return expression
        return super()._member(expression)

    def _postfix_step(self, expression: n.Expr) -> n.Expr | None:
        is_made = self.is_sign("(") and self.ahead().text == ")" and not self.token.spaced
        if is_made and (kind := _type_of(expression)) is not None:
            # `[Int]()`, `[String: Int]()`.
            self.take()
            self.take()
            empty = n.MapOf([]) if kind.name == "Map" else n.ListOf([])
            empty.start, empty.end = expression.start, self.before.end
            return n.Cast(empty, kind, start=expression.start, end=self.before.end)
        return super()._postfix_step(expression)

    @lazily
    def gives_defaults(self) -> bool:
        """True if an index may have a default, so that reading it twice is worth it."""
        return _DEFAULT_OF_INDEX.search(self.text) is not None

    def _indexed(self, expression: n.Expr) -> n.Expr:
        at = self.at
        self._plain, plain = 0, self._plain
        if self.gives_defaults and not self.is_sign(":", "::", "^"):
            key = self.expression()
            if self.is_sign(",") and self.ahead().text == "default" and self.ahead(2).text == ":":
                for _ in range(3):
                    self.take()
                default = n.Argument(self.expression())
                self.expect("]")
                self._plain = plain
                return self._entry_of(expression, n.Argument(key), default)
            if self.is_sign("]") and not isinstance(key, n.Range):
                self.take()
                self._plain = plain
                return n.Index(expression, key)
        self.at, self._plain = at, plain
        return super()._indexed(expression)

    def _entry_of(self, owner: n.Expr, key: n.Argument, default: n.Argument) -> n.Expr:
        """`m[k, default: d]`: read, or to be changed."""
        start, end = owner.start, self.before.end
        if self.token.text in _COMPOUND or (self.is_sign(".") and self.ahead().text in _CHANGING):
            entry = n.Call(n.Member(owner, "entry", start=start, end=end), [key], start=start, end=end)
            return n.Call(n.Member(entry, "or_insert", start=start, end=end), [default], start=start, end=end)
        return n.Call(n.Member(owner, "get_or", start=start, end=end), [key, default], start=start, end=end)


def flat(parts: list[n.Expr]) -> list[n.Expr]:
    """Conditions that `&&` joins behind a pattern, one by one."""
    conditions: list[n.Expr] = []
    for part in parts:
        if isinstance(part, n.Binary) and part.operator == "&&" and _has_pattern(part):
            conditions += flat([part.left, part.right])
        else:
            conditions.append(part)
    return conditions


def _has_pattern(node: n.Expr) -> bool:
    if isinstance(node, n.Binary) and node.operator == "&&":
        return _has_pattern(node.left) or _has_pattern(node.right)
    return isinstance(node, n.LetCondition)


def _type_of(node: n.Expr) -> Type | None:
    """The type that a list literal of type names is."""
    match node:
        case n.ListOf(items=[n.Name(name=name)]) if name[0].isupper():
            return list_of(_named(name))
        case n.ListOf(items=[n.ListOf() as inner]):
            kind = _type_of(inner)
            return list_of(kind) if kind is not None else None
        case n.MapOf(pairs=[(n.Name(name=key), n.Name(name=value))]) if key[0].isupper() and value[0].isupper():
            return map_of(_named(key), _named(value))
        case n.MapOf(pairs=[(n.Name(name=key), n.ListOf() as inner)]) if key[0].isupper():
            kind = _type_of(inner)
            return map_of(_named(key), kind) if kind is not None else None
    return None


def _named(name: str) -> Type:
    return Type({"Double": "Float", "Character": "String"}.get(name, name))


__all__ = ["SwiftForms"]
