"""Closures in braces behind a call: `{ x -> … }`, `{ |a, b| … }`, `{ case A(x) => … }`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.habits import habit
from analysis.fixes.dialect.libraries.class_library import SIZED
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_expressions import Expressions
from analysis.fixes.dialect.reading.listed_items import sliced_backward
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import walk

_SIZE: Final = 40
"""Tokens of the length of a list that is filled."""
_GOING_ON: Final = frozenset(("{", "then", "?", "&&", "||", ".", "==", "!=", "<", ">", "<=", ">="))
"""Tokens that can follow a closure in a condition."""


class TrailingClosures(Expressions):
    """`_braced_closure` reads one; `_is_closure_brace` tells it from a block."""

    @abstractmethod
    def statement(self) -> n.Statement: ...

    @abstractmethod
    def _barred(self) -> list[n.Pattern]: ...

    def _has_computed_key(self) -> bool:
        """True if the brace at this place holds a key in brackets or quotes."""
        depth = 0
        for place in range(self.at, self.behind_brackets.get(self.at, self.at)):
            token = self.tokens[place]
            text = token.text if token.kind != STRING else ""
            if depth == 1 and self.tokens[place - 1].text in (",", "{") and (text == "[" or token.kind == STRING):
                return True
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        return False

    def _object(self) -> n.Expr:
        """`{ **base, "a": 1 }`, `{ ...base, [key]: 1 }`: a map with the entries of another one."""
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        whole: n.Expr | None = None
        pairs: list[tuple[n.Expr, n.Expr]] = []
        while not self.skip("}"):
            if self.skip("**", "..."):
                base = self.expression()
                if pairs or whole is not None:
                    whole = self._merged(whole, pairs, start)
                    pairs = []
                    base = n.Call(n.Member(whole, "merge"), [n.Argument(base)], start=start, end=self.before.end)
                whole = base
            else:
                pairs.append(self._entry())
            if not self.skip(","):
                self.expect("}")
                break
        self._plain, self._no_ternary = plain, ternary
        return self._merged(whole, pairs, start)

    def _entry(self) -> tuple[n.Expr, n.Expr]:
        if self.skip("["):
            key = self.expression()
            self.expect("]")
        elif self.token.kind == NAME and self.ahead().text in (":", ",", "}"):
            word = self.take()
            key = n.Literal("string", f'"{word.text}"', start=word.start, end=word.end)
            if not self.is_sign(":"):
                return key, n.Name(word.text, start=word.start, end=word.end)
        else:
            key = self.expression()
        self.expect(":")
        return key, self.expression()

    def _merged(self, base: n.Expr | None, pairs: list[tuple[n.Expr, n.Expr]], start: int) -> n.Expr:
        """A map with some entries set."""
        if base is None:
            return n.MapOf(pairs, start=start, end=self.before.end)
        for key, value in pairs:
            base = n.Call(n.Member(base, "insert"), [n.Argument(key), n.Argument(value)], start=start, end=self.before.end)
        return base

    def _names_in_braces(self) -> n.Expr:
        """`{ a, b: 2 }`: an object of JavaScript; `{a, b}`: a set."""
        at = self.at
        items = [token.text for token in self.tokens[at : self.behind_brackets.get(at, at)]]
        if ":" in items or habit(self.text) == "javascript":
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf("", fields, base)
        return self.braced_list()

    @abstractmethod
    def _record_fields(self) -> tuple[dict[str, n.Expr], n.Expr | None]: ...

    @abstractmethod
    def braced_list(self) -> n.Expr: ...

    def begins_row(self) -> bool:
        """True if the brace at this place holds braces with commas between them, or one that holds values: `{{1, 2}, {3, 4}}`."""
        if self.ahead().text != "{" or self.ahead().kind == STRING:
            return False
        behind = self.tokens[self.behind_brackets.get(self.at + 1, self.at)].text
        is_value = self.ahead(2).kind in (STRING, INT, FLOAT) and self.ahead(3).text == ","
        return behind == "," or (behind == "}" and is_value)

    def first_place(self) -> n.Expr | None:
        """The first place in the brackets behind a value; None for `[:…`. `::` in `xs[1::2]` is no operator."""
        if self.is_sign(":", "::"):
            return None
        sign = self.take() if self.is_sign("-") and self.ahead(2).text == "::" else None
        is_name = self.token.kind == NAME and (self.ahead(2).kind == INT or self.ahead(2).text in ("-", "]"))
        if self.ahead().text != "::" or not (is_name or self.token.kind == INT):
            return self.expression()
        place = self.take()
        node: n.Expr = n.Name(place.text) if is_name else n.Literal("int", place.text)
        node.start, node.end = place.start, place.end
        return n.Unary("-", node, start=sign.start, end=node.end) if sign else node

    def _sliced(self, whole: n.Expr, low: n.Expr | None) -> n.Expr:
        """`xs[a:b]`, `xs[a:b:step]`, `xs[::-1]`, behind the first place."""
        is_double = self.take().text == "::"
        high = None if is_double or self.is_sign("]", ":") else self.expression()
        part: n.Expr = n.Slice(whole, low, high) if low is not None or high is not None else whole
        if not is_double and not self.skip(":"):
            return part if part is not whole else n.Slice(whole, low, high)
        if self.is_sign("]"):
            return part
        step = self.expression()
        if not isinstance(step, n.Unary):
            return n.Call(n.Member(part, "step_by"), [n.Argument(step)])
        if (backward := sliced_backward(whole, low, high, step.operand)) is None:
            raise self.unknown("a slice that goes up")
        return backward

    def _is_closure_brace(self) -> bool:
        """`{ x -> …`, `{ a, b in …`, `{ it … }`, `{ $0 … }`; any brace behind `3.times`."""
        place = self.at + 1
        if self.tokens[place].text in ("|", "case") or (self.before.text == "times" and self.tokens[self.at - 2].text == "."):
            return True
        if self._is_behind_size():
            return True
        if self.tokens[place].text == "(":
            place += 1
        for token in self.tokens[place : place + 8]:
            if token.text in ("->", "in", "=>"):
                return True
            if token.kind != NAME and token.text not in (",", "(", ")", ":"):
                break
        depth = 0
        for token in self.tokens[self.at : self.at + 60]:
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                break
            if token.text in ("it", "$"):
                return True
        return False

    def _is_behind_size(self) -> bool:
        """`List(3) { 0 }` of Kotlin: the closure may ask for no place."""
        place, depth = self.at - 1, 0
        if self.token.is_first or self.tokens[place].text != ")":
            return False
        for place in range(self.at - 1, max(0, self.at - _SIZE), -1):
            depth += (self.tokens[place].text == ")") - (self.tokens[place].text == "(")
            if depth == 0:
                return self.tokens[place - 1].text in SIZED
        return False

    def _is_before_block(self) -> bool:
        """`if xs.any { it > 2 } {`: whether the brace here is a closure on its line, and the condition goes on behind it."""
        behind = self.behind_brackets.get(self.at, 0)
        if not behind or any(token.is_first for token in self.tokens[self.at + 1 : behind + 1]):
            return False
        # `if (xs.any { … }) {`, but not the arms of `g(match f(x) { … })`.
        while self.tokens[behind].text == ")":
            behind += 1
        return self.tokens[behind].text in _GOING_ON and self._is_closure_brace()

    def _braced_behind(self, call: n.Expr) -> n.Expr | None:
        """A call with the closure in braces behind it, also where else a brace begins a block; None for another brace."""
        if not (self._is_before_block() if self._plain else self._is_closure_brace()):
            return None
        self._plain, plain = 0, self._plain
        call = self._with_closure(call)
        self._plain = plain
        return call

    def _asks_membership(self) -> bool:
        """`{ it in 'a'..'z' }` of Kotlin: no parameter that the rest of the closure names."""
        if not self.is_word("it") or self.ahead().text != "in":
            return False
        behind = self.behind_brackets.get(self.at - 1, self.at)
        return not any(token.kind == NAME and token.text == "it" for token in self.tokens[self.at + 2 : behind])

    @abstractmethod
    def _with_closure(self, call: n.Expr) -> n.Expr: ...

    def _braced_closure(self) -> n.Expr:
        start = self.expect("{").start
        at = self.at
        parameters: list[n.Pattern] = []
        if self.is_sign("|") or self.is_word("case"):
            return self._barred_closure(start)
        try:
            if self.is_word("it") and self.ahead().text in ("in", "."):
                raise self.unknown("`it` is no parameter of Swift")
            self.skip("(")
            if self._asks_membership():
                raise self.unknown("parameters are expected")
            while not self.is_sign("->", "=>", "in", ")"):
                parameters.append(self._parameter_pattern())
                if not self.skip(","):
                    break
            self.skip(")")
            self.expect("->", "in", "=>")
        except Untranslatable:
            self.at, parameters = at, []
        statements = self.statements("}")
        self.expect("}")
        body = n.Block(statements, start=start, end=self.before.end)
        if not parameters:
            names = {node.name for node in walk(body) if isinstance(node, n.Name)}
            wanted = [name for name in ("it", "_arg0", "_arg1", "_arg2") if name in names]
            parameters = [n.Binding(name) for name in wanted]
        return n.Lambda(parameters, body, start=start, end=self.before.end)

    def _barred_closure(self, start: int) -> n.Expr:
        """`{ |a, b| … }`, `{ case (a, b) => … }`, behind the brace."""
        if self.is_sign("|"):
            parameters = self._barred()
        else:
            return self._cases(start)
        statements = self.statements("}")
        self.expect("}")
        body = n.Block(statements, start=start, end=self.before.end)
        return n.Lambda(parameters, body, start=start, end=self.before.end)

    def _cases(self, start: int) -> n.Expr:
        """`{ case A(x) => …  case B => … }`: a function that matches its value; one case that always fits is its parameter."""
        arms: list[n.Arm] = []
        while self.skip("case"):
            at = self.before.start
            pattern = self.pattern()
            guard = self.condition() if self.skip("if") else None
            self.expect("=>", "->")
            statements = []
            while not self.is_word("case") and not self.is_sign("}"):
                if not self.skip(";"):
                    statements += [self.statement()]
            body = n.Block(statements, start=at, end=self.before.end)
            arms.append(n.Arm(pattern, guard, body, start=at, end=self.before.end))
        self.expect("}")
        if len(arms) == 1 and isinstance(arms[0].pattern, (n.Binding, n.TuplePattern, n.Wildcard)) and arms[0].guard is None:
            return n.Lambda([arms[0].pattern], arms[0].body, start=start, end=self.before.end)
        match = n.Match(n.Name("_arg0", start=start), arms, start=start, end=self.before.end)
        return n.Lambda([n.Binding("_arg0")], match, start=start, end=self.before.end)

    def _comparing_pattern(self) -> n.Pattern:
        """`in 1..9`, `< 10`, `>= 10 and < 100`: a pattern of numbers."""
        sign = self.take().text
        value = self._binary(6)
        if sign == ">":
            value = n.Binary("+", value, n.Literal("int", "1"), start=value.start, end=value.end)
            if not isinstance(value.left, (n.Literal, n.Unary)) or "." in getattr(value.left, "text", ""):
                raise self.unknown("a whole number is expected")
            sign = ">="
        if (self.is_word("and") or self.is_sign("&&")) and sign == ">=" and self.ahead().text in ("<", "<="):
            self.take()
            is_inclusive = self.take().text == "<="
            return n.RangePattern(value, self._binary(7), is_inclusive)
        if sign == "in" and isinstance(value, n.Range):
            return n.RangePattern(value.low, value.high, value.inclusive)
        if sign in (">=",):
            return n.RangePattern(value, None, False)
        if sign in ("<", "<="):
            return n.RangePattern(None, value, sign == "<=")
        raise self.unknown("a pattern is expected")

    def _parameter_pattern(self) -> n.Pattern:
        while self.skip("mut", "&", "ref"):
            pass
        pattern = self._one_pattern()
        if self.skip(":"):
            kind = self.type()
            if isinstance(pattern, n.Binding):
                pattern.type = kind
        return pattern

    def _comprehended(self, value: n.Expr) -> n.Expr:
        """`value for pattern in source if condition`."""
        start = value.start
        self.expect("for")
        pattern = self._comma_pattern()
        self.expect("in")
        source = self._in_comprehension()
        condition = self._in_comprehension() if self.skip("if") else None
        while self.skip("if"):
            condition = n.Binary("&&", condition or n.Literal("bool", "true"), self._in_comprehension())
        if self.is_word("for"):
            rows = n.Comprehension(self._comprehended(value), pattern, source, condition, start=start, end=self.before.end)
            return n.Call(n.Member(rows, "flatten"), [], start=start, end=self.before.end)
        return n.Comprehension(value, pattern, source, condition, start=start, end=self.before.end)

    def _in_comprehension(self) -> n.Expr:
        self._no_ternary += 1
        part = self._binary(0)
        self._no_ternary -= 1
        return part

    def _comma_pattern(self) -> n.Pattern:
        start = self.token.start
        items = [self._parameter_pattern()]
        while self.skip(","):
            items.append(self._parameter_pattern())
        return items[0] if len(items) == 1 else n.TuplePattern(items, start=start, end=self.before.end)
