"""Forms of Haskell, Scala and F#: sections, composed functions, loops that give values, steps that may fail."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.grammar_base import FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.grammar_calls import Postfix
from analysis.lazily import lazily

_SECTIONS: Final = frozenset("+ * / % ++ == < > <= >= != /= && || <> ^ ** ::".split())
"""Operators that stand alone with one operand in parentheses; a minus makes a number negative there."""
_LEFT_SECTIONS: Final = _SECTIONS | {"-", ":"}
_HASKELL: Final = re.compile(
    r"\\[\w(][^\n]{0,60}->|\bcase\b[^\n{]{1,80}\bof\b|^[ \t]{1,40}where$|\([a-z_]\w*:[a-z_]\w*\)|^[a-z]\w* ::", re.MULTILINE
)
"""What only programs of Haskell and its kin hold."""


class FunctionalForms(Postfix):
    """Reads what functions are made of where no closure is written."""

    @abstractmethod
    def laid_out(self) -> n.Block: ...

    @lazily
    def is_haskell(self) -> bool:
        """Whether `:` puts an item before a list, and `/=` compares."""
        return _HASKELL.search(self.text) is not None

    def _called(self, expression: n.Expr) -> n.Expr:
        """A call of what stands before the parenthesis at this place."""
        self.take()
        if (
            isinstance(expression, n.Call)
            and isinstance(expression.function, n.Member)
            and expression.function.name.startswith("fold")
        ):
            # `xs.foldLeft(0)(f)`: one call.
            expression.arguments += self._arguments(")")
            return expression
        call = n.Call(expression, self._arguments(")"))
        is_own = isinstance(expression, n.Name) and expression.name in self.names_of_functions
        return self._with_closure(call if is_own else self._ordered(call))

    # ---- sections ----

    def section(self) -> n.Expr | None:
        """`(+ 1)`, `(> 3)` behind the parenthesis; None where something else begins."""
        token, follows = self.token, self.ahead()
        if token.kind != OPERATOR or token.text not in _SECTIONS or (follows.kind == OPERATOR and follows.text == ")"):
            return None
        is_touching = follows.start == token.end
        if (
            token.text in ("*", "<", "/", "::", "++", "^", "&&", "||")
            and is_touching
            and follows.kind not in (INT, FLOAT, STRING)
        ):
            return None
        if token.text == "+" and follows.kind == STRING:
            return None
        start, sign = token.start, self.take().text
        right = self.expression()
        self.expect(")")
        own = n.Name("_arg0", start=start, end=start)
        body = n.Binary(_own(sign), own, right, start=start, end=self.before.end)
        return n.Lambda([n.Binding("_arg0")], body, start=start, end=self.before.end)

    def left_section(self, left: n.Expr) -> n.Expr | None:
        """`(10 -)`: the sign and the parenthesis behind a value."""
        if not self.ends_section():
            return None
        sign = self.take().text
        self.take()
        own = n.Name("_arg0", start=left.start, end=left.start)
        body = n.Binary("::" if sign == ":" else _own(sign), left, own, start=left.start, end=self.before.end)
        return n.Lambda([n.Binding("_arg0")], body, start=left.start, end=self.before.end)

    def ends_section(self) -> bool:
        follows = self.ahead()
        return (
            self.token.kind == OPERATOR and self.token.text in _LEFT_SECTIONS and follows.kind == OPERATOR and follows.text == ")"
        )

    def consed(self, first: n.Expr) -> n.Expr:
        """`(x : rest)` behind the first value; no type stands behind the colon."""
        follows = self.ahead()
        is_type = follows.kind == NAME and (
            follows.text[0].isupper() or follows.text in ("int", "string", "float", "bool", "list")
        )
        if not self.is_sign(":") or is_type or (follows.text in ("(", "{") and not self.is_haskell):
            return first
        self.take()
        rest = self.consed(self.expression())
        return n.Binary("::", first, rest, start=first.start, end=self.before.end)

    # ---- composed functions ----

    def is_function(self, node: n.Expr) -> bool:
        """Whether an expression is a function by its form."""
        if isinstance(node, (n.Lambda, n.OperatorFunction)):
            return True
        if isinstance(node, n.Name):
            return self._names_function(node) or node.name[0].isupper()
        if isinstance(node, n.Member):
            return isinstance(node.object, n.Name) and node.object.name[0].isupper()
        return False

    def composed(self, first: n.Expr, second: n.Expr) -> n.Expr:
        """A closure that applies one function and then another."""
        own: n.Expr = n.Name("_arg0", start=first.start, end=first.start)
        for function in (first, second):
            own = _applied(function, own)
        return n.Lambda([n.Binding("_arg0")], own, start=min(first.start, second.start), end=self.before.end)

    # ---- loops and steps that give values ----

    def yielded_steps(self) -> n.Expr:
        """`for { x <- xs; y <- f(x) if c } yield e`: behind `for`."""
        start = self.token.start
        closing = ")" if self.expect("{", "(").text == "(" else "}"
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        steps: list[n.Node] = []
        while not self.skip(closing):
            if not self.skip(";", ","):
                steps.append(self._step())
        self._plain, self._no_ternary = plain, ternary
        self.expect("yield")
        value = self.expression()
        return self.chained_steps(steps, value, True, start)

    def _step(self) -> n.Node:
        """`x <- xs`, `x = e`, `if c`, a call whose value nobody names."""
        start = self.token.start
        if self.skip("if"):
            return self.condition()
        if self.skip("let", "val"):
            pattern = self.pattern()
            self.expect("=")
            return n.Let(pattern, None, self.expression(), start=start, end=self.before.end)
        at = self.at
        if self._has_arrow():
            pattern = self.pattern()
            self.expect("<-")
            self._no_ternary += 1
            source = self._binary(0)
            self._no_ternary -= 1
            return n.For(pattern, source, n.Block([]), start=start, end=self.before.end)
        if self.ahead().text == "=" and self.token.kind == NAME:
            name = self.name()
            self.expect("=")
            return n.Let(n.Binding(name), None, self.expression(), start=start, end=self.before.end)
        self.at = at
        return n.For(n.Wildcard(), self.expression(), n.Block([]), start=start, end=self.before.end)

    def is_yielded(self, steps: int = 0) -> bool:
        """Whether a bracket with steps, and `yield` behind it, stands so many tokens ahead."""
        opening = self.ahead(steps)
        if opening.kind != OPERATOR or opening.text not in ("{", "("):
            return False
        end = self.behind_brackets.get(self.at + steps, len(self.tokens) - 1)
        arrows = sum(token.text == "<-" and token.kind == OPERATOR for token in self.tokens[self.at : end])
        return arrows > (opening.text == "(") and self.tokens[end].text == "yield" and self.tokens[end].kind == NAME

    def _has_arrow(self) -> bool:
        """Whether `<-` follows on the line."""
        for token in self.tokens[self.at + 1 : self.at + 20]:
            if token.is_first or token.text in (";", "="):
                return False
            if token.text == "<-" and token.kind == OPERATOR:
                return True
        return False

    def chained_steps(self, steps: list[n.Node], value: n.Expr, is_wrapped: bool, start: int) -> n.Expr:
        """Steps as nested closures: the last one maps where the value is plain, the others go on with what is inside."""
        for step in reversed(steps):
            if isinstance(step, n.Let):
                value = n.Block(
                    [step, n.Evaluate(value, start=value.start, end=value.end)], start=step.start, end=self.before.end
                )
                if is_wrapped and step is steps[-1]:
                    continue
            elif isinstance(step, n.For):
                name = "map" if is_wrapped else "flatMap"
                closure = n.Lambda([step.pattern], value, start=step.start, end=self.before.end)
                value = n.Call(n.Member(step.source, name), [n.Argument(closure)], start=start, end=self.before.end)
                is_wrapped = False
            elif isinstance(step, n.Expr):
                place = steps.index(step)
                source = steps[place - 1] if place else None
                if not isinstance(source, n.For):
                    raise self.unknown("a condition behind what it is about")
                test = n.Lambda([source.pattern], step, start=step.start, end=step.end)
                source.source = n.Call(n.Member(source.source, "filter"), [n.Argument(test)], start=source.start, end=source.end)
        if is_wrapped:
            raise self.unknown("a step that may fail is expected")
        return value

    def is_do(self) -> bool:
        """`do` of Haskell: steps by layout or in braces, one of which names what it gives."""
        if not self.is_word("do") or self.uses_end:
            return False
        follows = self.ahead()
        if not (follows.is_first or follows.text == "{"):
            return False
        place = self.at + (2 if follows.text == "{" else 1)
        for token in self.tokens[place : place + 12]:
            if token.text == "<-" and token.kind == OPERATOR:
                return True
            if token.is_first and token is not self.tokens[place] and self.tokens[place].text != "let":
                return False
        return False

    def do_steps(self) -> n.Expr:
        """`do` and its steps; `return e` or `pure e` at the end gives a plain value."""
        start = self.expect("do").start
        in_braces = self.skip("{")
        column = self.token.column
        steps: list[n.Node] = []
        while not self.is_sign("}", ")") and self.token.kind != "end":
            if steps and not in_braces and (not self.token.is_first or self.token.column != column):
                break
            if self.is_word("return", "pure"):
                self.take()
                value = self._postfix() if self.is_sign("$") is False else self.expression()
                if in_braces:
                    self.expect("}")
                return self.chained_steps(steps, value, True, start)
            steps.append(self._step())
            self.skip(";")
        if in_braces:
            self.expect("}")
        last = steps.pop() if steps else None
        if not isinstance(last, n.For):
            raise self.unknown("the value of the steps is expected")
        return self.chained_steps(steps, last.source, False, start)


def _own(sign: str) -> str:
    return "!=" if sign == "/=" else sign


def _applied(function: n.Expr, value: n.Expr) -> n.Expr:
    if isinstance(function, n.Lambda) and len(function.parameters) == 1 and isinstance(function.parameters[0], n.Binding):
        body = n.Let(function.parameters[0], None, value, start=function.start, end=function.end)
        if isinstance(function.body, n.Block):
            return n.Block([body, *function.body.statements], start=function.start, end=function.end)
        last = n.Evaluate(function.body, start=function.start, end=function.end)
        return n.Block([body, last], start=function.start, end=function.end)
    if isinstance(function, n.Call) and not isinstance(function.function, n.Lambda):
        function.arguments.append(n.Argument(value))
        return function
    if isinstance(function, n.OperatorFunction) and function.operator == ".":
        return n.Member(value, function.name, start=function.start, end=function.end)
    return n.Call(function, [n.Argument(value)], start=function.start, end=function.end)
