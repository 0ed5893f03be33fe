"""Loops of all dialects: over items, over numbers, as in C."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.habits import is_of_javascript
from analysis.fixes.dialect.reading.grammar_ahead import Ahead
from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.tree import nodes as n

_LONGEST: Final = 100
"""Tokens of a loop's condition."""
_LONGEST_TYPE: Final = 12
"""Tokens of the type of a loop's variable."""


class LoopGrammar(Ahead):
    """`_for` reads every loop that begins with `for`."""

    @abstractmethod
    def assignment(self) -> n.Statement: ...

    @abstractmethod
    def _comma_pattern_without_types(self) -> n.Pattern: ...

    def _for(self) -> n.Statement:
        self.expect("for", "foreach")
        if self.is_yielded():
            return n.Evaluate(self.yielded_steps())
        if self.is_sign("(") and self._is_bar_loop():
            return self._bar_for()
        if self.token.kind == NAME and self.ahead().text == "=" and self._has_bounds():
            return self._numeric_for()
        if self.token.kind == NAME and self.ahead().text == "=" and self._counts_to():
            return self._for_to()
        if self.is_sign("(") and self._names_items():
            return self._items_as()
        parenthesised = self.is_sign("(") and self._holds_loop()
        if parenthesised:
            self.take()
        if self._is_counting():
            return self._counting_for(parenthesised)
        if not parenthesised and self._is_condition():
            return n.While(self.condition(), self.block())
        is_of_script = parenthesised and self.is_word("let", "const") and is_of_javascript(self.text)
        self.skip("let", "const", "var", "val", "mut", "auto", "final")
        self._no_ternary += 1
        self._plain += 1
        changes_items = False
        typed = self.typed_name(":", "in", "of")
        pattern = n.Binding(typed[1], type=typed[0]) if typed is not None else self._loop_pattern(parenthesised)
        if self.is_sign(":="):
            self.take()
            self.expect("range")
            source: n.Expr = n.Call(n.Name("range of"), [n.Argument(self._binary(0))])
            pattern = _go_range(pattern)
        else:
            gives_keys = self.expect("in", "of", "<-", ":").text == "in" and is_of_script
            changes_items = self.is_sign("&") and self.ahead().text == "mut"
            source = self._binary(0)
            if gives_keys:
                keys = n.Member(source, "keys", start=source.start, end=source.end)
                source = n.Call(keys, [], start=source.start, end=source.end)
            if self.is_sign(":") and not self.ahead().is_first:
                # `1:n` of Julia.
                self.take()
                source = n.Range(source, self._binary(7), True, start=source.start, end=self.before.end)
        self._plain -= 1
        self._no_ternary -= 1
        condition = self.condition() if self.is_word("where", "if") and not self.token.is_first and self.take() else None
        if parenthesised:
            self.expect(")")
        if condition is None and self.is_word("where", "if") and not self.token.is_first and self.take():
            condition = self.condition()
        if not self.uses_end and self.is_word("do") and self.ahead().text == "{":
            self.take()
        body = self._yielded(pattern, source, condition) if self.is_word("yield") else self.block()
        if isinstance(body, n.Comprehension):
            return n.Evaluate(body)
        if condition is not None:
            body = n.Block([n.Evaluate(n.If(condition, body, None))], start=body.start, end=body.end)
        if changes_items:
            source = n.Unary("&mut", source, start=source.start, end=source.end)
        return n.For(pattern, source, body)

    def _yielded(self, pattern: n.Pattern, source: n.Expr, condition: n.Expr | None) -> n.Comprehension:
        """`for (x <- xs if c) yield e`."""
        start = self.expect("yield").start
        return n.Comprehension(self.expression(), pattern, source, condition, start=start, end=self.before.end)

    def _loop_pattern(self, parenthesised: bool) -> n.Pattern:
        """The names of a loop; in parentheses a colon may stand where others write `in` (`for (let e : es)`)."""
        if not parenthesised:
            return self._comma_pattern()
        end = self.behind_brackets.get(self.at, self.at)
        while self.tokens[end].text not in ("in", "of", "<-", ":", ")", ""):
            end += 1
        has_word = self.tokens[end].text == ":" and any(
            token.text in ("in", "of") and token.kind == NAME for token in self.tokens[end : end + _LONGEST_TYPE]
        )
        return self._comma_pattern() if self.tokens[end].text != ":" or has_word else self._comma_pattern_without_types()

    def _has_bounds(self) -> bool:
        """`for i = 1, n do`, `for i = 1, n {`: a comma parts what stands behind the sign, and no semicolon."""
        if self.uses_end or (self.habit == "lua" and not self._is_counting()):
            return True
        depth = 0
        for place in range(self.at + 2, min(self.at + _LONGEST, len(self.tokens))):
            token = self.tokens[place]
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[")) - (text in (")", "]"))
            if token.is_first or depth < 0 or text in ("{", ";", "do", ":"):
                return False
            if text == "," and depth == 0:
                return self.ahead(place + 2 - self.at).text != "=" and not self._is_counting()
        return False

    def _names_items(self) -> bool:
        """`foreach (xs as x)`: whether `as` comes before the parenthesis ends."""
        end = self.behind_brackets.get(self.at, self.at)
        return any(token.text == "as" and token.kind == NAME for token in self.tokens[self.at : end])

    def _items_as(self) -> n.Statement:
        """`foreach (xs as x)`, `foreach (m as k => v)`."""
        self.expect("(")
        source = self._application()
        self.expect("as")
        pattern = self._one_pattern()
        if self.skip("=>"):
            pattern = n.TuplePattern([pattern, self._one_pattern()], start=pattern.start, end=self.before.end)
        self.expect(")")
        return n.For(pattern, source, self.block())

    def _bar_for(self) -> n.Statement:
        self.expect("(")
        source = self.expression()
        self.expect(")")
        self.expect("|")
        pattern = self._parameter_pattern()
        self.expect("|")
        return n.For(pattern, source, self.block())

    @abstractmethod
    def _numeric_for(self) -> n.Statement: ...

    def _counts_to(self) -> bool:
        """True if `to` or `downto` stands in a loop's head on this line."""
        for token in self.tokens[self.at + 2 : self.at + _LONGEST]:
            if token.is_first or token.text in ("{", ";", "do"):
                return False
            if token.text in ("to", "downto") and token.kind == NAME:
                return True
        return False

    def _for_to(self) -> n.Statement:
        """`for i = 1 to n do … done`: the end is included."""
        pattern = n.Binding(self.name())
        self.expect("=")
        self._plain += 1
        self._no_ternary += 1
        source = self._binary(0)
        self._plain -= 1
        self._no_ternary -= 1
        if self.is_word("do") and self.ahead().text == "{":
            self.take()
        return n.For(pattern, source, self.block())

    def _and_others(self, name: n.Binding, value: n.Expr) -> n.Statement:
        """`let i = 0, j = n - 1` in the head of a loop."""
        names: list[n.Pattern] = [name]
        values = [value]
        while self.skip(","):
            names.append(n.Binding(self.name()))
            self.expect("=", ":=")
            values.append(self.expression())
        return n.Let(name, None, value, True) if len(names) == 1 else n.Let(n.TuplePattern(names), None, n.TupleOf(values), True)

    def _steps(self) -> n.Statement:
        """`i++`, `i++, j--`."""
        steps = [self.statement()]
        while self.skip(","):
            steps.append(self.statement())
        if len(steps) == 1:
            return steps[0]
        step = _together(steps)
        if step is None:
            raise self.unknown("steps of names are expected")
        return step

    def _counting_for(self, parenthesised: bool) -> n.Statement:
        self._plain += 1
        first: n.Statement | None = None
        if not self.is_sign(";"):
            if self.token.kind == NAME and self.token.text in ("int", "let", "var", "auto", "Int"):
                self.take()
                self.skip("mut")
                name = self.name()
                if self.skip(":"):
                    self.type()
                self.expect("=", ":=")
                first = self._and_others(n.Binding(name), self.expression())
            elif (typed := self.typed_name("=")) is not None:
                self.take()
                first = n.Let(n.Binding(typed[1]), typed[0], self.expression(), True)
            else:
                first = self.assignment()
        self.expect(";")
        condition = self.expression()
        self.expect(";")
        step = None if self.is_sign(")", "{") else self._steps()
        self._plain -= 1
        if parenthesised:
            self.expect(")")
        return n.CountingFor(first, condition, step, self.block())


def _together(steps: list[n.Statement]) -> n.Assign | None:
    """Several assignments of names as one; None for other steps."""
    targets: list[n.Expr] = []
    values: list[n.Expr] = []
    for each in steps:
        if not isinstance(each, n.Assign) or not isinstance(each.target, n.Name):
            return None
        before = n.Name(each.target.name, start=each.start, end=each.start)
        value = n.Binary(each.operator, before, each.value, start=each.start, end=each.end) if each.operator else each.value
        targets.append(each.target)
        values.append(value)
    start, end = steps[0].start, steps[-1].end
    return n.Assign(n.TupleOf(targets, start=start, end=end), "", n.TupleOf(values, start=start, end=end), start=start, end=end)


def _go_range(pattern: n.Pattern) -> n.Pattern:
    """`for i, x := range xs`: the index comes first; `_` for one that is left out."""
    if isinstance(pattern, n.TuplePattern):
        return pattern
    return n.TuplePattern([pattern, n.Wildcard()])
