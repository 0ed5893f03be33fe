"""Expressions of Python, Ruby, JavaScript and PHP that other languages write in no such way.

`(n := f())`, `case` of conditions, `%w[a b]`, lists with keys (`["a" => 1]`). What a value in parentheses assigns is `assigned`;
the statement around it puts the assignment before itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_patterns import PatternForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, list_of
from analysis.fixes.dialect.tree.walking import replace_below, walk

_WORDS: Final = re.compile(r"%[wi]([\[({<])([^\[\](){}<>\"\\\n]{0,2000})[\])}>]")
_MEMBER_ARROWS: Final = re.compile(r"\$\w+->\w|->(?:getMessage|getCode)\(|\bthis->\w")
_OF_PHP: Final = re.compile(
    r"\b(?:implode|explode|array_(?:map|filter|keys|values|sum|push|slice|column)|intdiv|str_pad|strlen|usort|ksort)\("
    r"|\bforeach ?\([^\n]{1,200} as \$?\w"
)
"""What only programs of PHP hold, also of those that write no `$`."""
_OPERATORS: Final = frozenset(("+", "-", "*", "/", "&&", "||", "++"))
_MOST_COPIED: Final = 1000
"""Nodes that are written in place of a name."""
_LONGEST: Final = 200
"""Tokens of the first key of a list."""
_LAZY: Final = ("&&", "||", "??")


class ScriptForms(PatternForms):
    """Expressions of script languages."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        is_php = _OF_PHP.search(text) is not None
        if is_php or _MEMBER_ARROWS.search(text):
            self.tokens = _with_dots(self.tokens)
        if is_php and "array" not in self.declared_names and "list" not in self.declared_names:
            self.tokens = _with_brackets(self.tokens)
        self.assigned: list[tuple[n.Name, n.Expr]] = []
        """Names with what a part of the statement at hand assigns to them, in order."""

    # ---- assignments inside of values ----

    def _group(self) -> n.Expr:
        if self.ahead().kind == NAME and self.ahead(2).text == ":=" and self.ahead(2).kind != STRING:
            return self._assigning()
        return super()._group()

    def _assigning(self) -> n.Expr:
        """`(n := f())`: the name, whose assignment comes before the statement."""
        start = self.expect("(").start
        name = self.name()
        self.expect(":=")
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        value = self.expression()
        self._plain, self._no_ternary = plain, ternary
        self.expect(")")
        self.assigned.append((n.Name(name, start=start, end=self.before.end), value))
        return n.Name(name, start=start, end=self.before.end)

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        if sign == "<<" and not self.is_function(left):
            right = self._binary(level + 1)
            while self.is_sign("++") and not self.token.is_first:
                # `lines << name ++ ": "`: the whole text.
                self.take()
                right = n.Binary("++", right, self._binary(level + 1), start=right.start, end=self.before.end)
            return self.on_bits(sign, left, right)
        before = len(self.assigned)
        joined = super()._joined(sign, left, level)
        if sign in _LAZY and len(self.assigned) > before:
            raise self.unknown("an assignment that always happens is expected")
        return joined

    def _comprehended(self, value: n.Expr) -> n.Expr:
        """`[y for x in xs if (y := f(x)) > 0]`: what the condition names stands in its place everywhere."""
        before = len(self.assigned)
        comprehended = super()._comprehended(value)
        taken = self.assigned[before:]
        del self.assigned[before:]
        for name, assigned in taken:
            if not isinstance(comprehended, n.Comprehension):
                raise self.unknown("an assignment in a loop of one source is expected")
            uses = sum(isinstance(node, n.Name) and node.name == name.name for node in walk(comprehended))
            if uses * sum(1 for _ in walk(assigned)) > _MOST_COPIED:
                raise self.unknown("a shorter value in a condition")
            replace_below(comprehended, _with_value(name.name, assigned))
            for node in walk(comprehended):
                node.start, node.end = value.start, self.before.end
        return comprehended

    def assignments(self, before: int) -> list[n.Statement]:
        """Assignments inside the values of a statement, from index `before` on; they are removed from `assigned`."""
        taken = self.assigned[before:]
        del self.assigned[before:]
        return [n.Assign(name, "", value, start=name.start, end=name.end) for name, value in taken]

    def typed_name(self, *following: str) -> tuple[Type, str] | None:
        """Also `array $rows` of PHP."""
        name = self.ahead()
        if self.is_word("array", "mixed", "iterable") and name.kind == NAME and self.text[name.start - 1] == "$":
            kind = Type() if self.is_word("mixed") else list_of(Type())
            if self.ahead(2).text in following:
                self.at += 2
                return kind, name.text
        return super().typed_name(*following)

    # ---- words in a list, symbols ----

    def _primary(self) -> n.Expr:
        if self.is_sign("->") and self.ahead().text in ("(", "{", "do"):
            return self._stabby()
        if self.is_sign(":+") and self.ahead().text == ")":
            self.take()
            return n.OperatorFunction("+")
        if self.is_sign(":") and self.ahead().text in _OPERATORS and self.ahead(2).text == ")":
            self.take()
            return n.OperatorFunction(self.take().text)
        if self.is_sign(":") and self.ahead().kind == NAME and self.ahead().start == self.token.end:
            # A symbol of Ruby and Elixir.
            start = self.take().start
            return n.Literal("string", f'"{self.take().text}"', start=start, end=self.before.end)
        if self.is_sign("%") and (words := _WORDS.match(self.text, self.token.start)) is not None:
            start = self.token.start
            while self.token.start < words.end() and self.token.kind != "end":
                self.take()
            items: list[n.Expr] = [n.Literal("string", f'"{word}"', start=start, end=words.end()) for word in words[2].split()]
            return n.ListOf(items, start=start, end=words.end())
        return super()._primary()

    def _stabby(self) -> n.Expr:
        """`->(a, b) { a + b }` of Ruby."""
        start = self.take().start
        parameters: list[n.Pattern] = []
        if self.skip("("):
            while not self.skip(")"):
                parameters.append(self._parameter_pattern())
                self.skip(",")
        body = self.block()
        return n.Lambda(parameters, body, start=start, end=self.before.end)

    # ---- conditions by rows ----

    def _match(self) -> n.Expr:
        if self.is_word("switch", "match") and [each.text for each in self.tokens[self.at + 1 : self.at + 4]] == [
            "(",
            "true",
            ")",
        ]:
            self.at += 4
            return self._conditions()
        if self.is_word("case") and self.ahead().text == "when" and self.ahead().kind == NAME:
            return self._case_of_conditions()
        return super()._match()

    def _case_of_conditions(self) -> n.Expr:
        """`case when a then … when b then … else … end`: a chain of conditions."""
        start = self.take().start
        rows: list[tuple[n.Expr, n.Block]] = []
        otherwise: n.Block | None = None
        while self.skip("when"):
            condition = self.condition()
            while self.skip(","):
                condition = n.Binary("||", condition, self.condition(), start=condition.start, end=self.before.end)
            rows.append((condition, self.worded_block()))
        if self.skip("else"):
            otherwise = self.worded_block()
        self.expect("end")
        for condition, body in reversed(rows):
            choice = n.If(condition, body, otherwise, start=condition.start, end=body.end)
            otherwise = n.Block([n.Evaluate(choice, start=choice.start, end=choice.end)], start=start, end=self.before.end)
        if otherwise is None:
            raise self.unknown("`when` is expected")
        return otherwise

    def _arm_pattern(self) -> n.Pattern:
        """`in [x, y]`: a pattern of Ruby."""
        if self.uses_end and self.is_word("in") and self.token.is_first:
            self.take()
            return self.pattern()
        return super()._arm_pattern()

    # ---- lists with keys ----

    def _list(self) -> n.Expr:
        """`["a" => 1, "b" => 2]` of PHP."""
        if self._has_keys():
            return self._pairs("]", self.token.start)
        return super()._list()

    def _word(self) -> n.Expr:
        """`array("a" => 1)` of PHP."""
        if self.is_word("array") and self.ahead().text == "(" and self.ahead(3).text == "=>" and self.ahead(3).kind != STRING:
            start = self.take().start
            return self._pairs(")", start)
        return super()._word()

    def _pairs(self, closing: str, start: int) -> n.Expr:
        self.take()
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        pairs: list[tuple[n.Expr, n.Expr]] = []
        while not self.skip(closing):
            key = self._binary(0)
            self.expect("=>")
            pairs.append((key, self.expression()))
            if not self.skip(","):
                self.expect(closing)
                break
        self._plain, self._no_ternary = plain, ternary
        return n.MapOf(pairs, start=start, end=self.before.end)

    def _has_keys(self) -> bool:
        """True if `=>` stands behind the first value in the brackets at this place, which is no parameter of a closure."""
        first = self.ahead()
        if first.kind in (STRING, "int", "float"):
            return self.ahead(2).text == "=>" and self.ahead(2).kind != STRING
        depth = 0
        if first.kind != NAME or self.ahead(2).text == "=>":
            return False
        end = min(self.behind_brackets.get(self.at, self.at), self.at + _LONGEST)
        for token in self.tokens[self.at : end]:
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth == 1 and text in (",", "=>", ";", ":", "|", "for", "fn", "function", "lambda"):
                return text == "=>"
        return False


def _with_dots(tokens: list[Token]) -> list[Token]:
    """Tokens in which `->` between a value and a name that touch it is a dot, as in PHP."""
    dotted = list(tokens)
    for place in range(1, len(tokens) - 1):
        before, token, after = tokens[place - 1 : place + 2]
        touches = before.end == token.start and token.end == after.start
        if token.kind == OPERATOR and token.text == "->" and touches and after.kind == NAME:
            dotted[place] = token._replace(text=".")
    return dotted


def _with_brackets(tokens: list[Token]) -> list[Token]:
    """Tokens in which `array(1, 2)` and `list(a, b) = …` of PHP stand in brackets."""
    bracketed: list[Token] = []
    closing: list[str] = []
    for token in tokens:
        is_opened = token.kind == OPERATOR and token.text == "(" and bracketed and bracketed[-1].kind == NAME
        if is_opened and bracketed[-1].text in ("array", "list") and bracketed[-1].end == token.start:
            bracketed[-1] = bracketed[-1]._replace(kind=OPERATOR, text="[", end=token.end)
            closing.append("]")
            continue
        if token.kind == OPERATOR and token.text == "(":
            closing.append(")")
        elif token.kind == OPERATOR and token.text == ")" and closing:
            token = token._replace(text=closing.pop())
        bracketed.append(token)
    return bracketed


def _with_value(name: str, value: n.Expr) -> Callable[[n.Node], n.Node]:
    def change(node: n.Node) -> n.Node:
        return deepcopy(value) if isinstance(node, n.Name) and node.name == name else node

    return change
