"""Closures of all dialects: `|a| …`, `fn(a) -> e`, `\\x -> e`, `lambda x: e`, `(a, b) => e`."""

from __future__ import annotations

from analysis.fixes.dialect.reading.grammar_arms import only_value
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_primary import Primary
from analysis.fixes.dialect.rewriting.lists.list_parts import Defaulted
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable


class Closures(Primary):
    """Closures and their parameters."""

    def _arrow_closure(self) -> n.Expr | None:
        """The closure whose parameters stand behind the parenthesis just taken."""
        follows = self.tokens[self.behind_brackets.get(self.at - 1, len(self.tokens) - 1)]
        if follows.text not in ("=>", "->", ":") or follows.is_first or (follows.text == "->" and self._no_ternary):
            return None
        begin, results = self.at, self._results
        try:
            parameters = []
            while not self.skip(")"):
                part = self._parameter_pattern()
                if isinstance(part, n.Binding) and part.inner is None and self.skip("="):
                    part = Defaulted(part.name, None, part.type, self.expression(), start=part.start, end=self.before.end)
                parameters.append(part)
                if not self.skip(","):
                    self.expect(")")
                    break
            if self.skip(":"):
                self._results += 1
                self.type()
                self._results -= 1
            self.expect("=>", "->")
        except Untranslatable:
            self.at, self._results = begin, results
            return None
        return n.Lambda(parameters, self._closure_body())

    def _bars(self) -> n.Expr:
        """`|a, b| …`."""
        parameters: list[n.Pattern] = []
        if self.take().text == "|":
            while not self.skip("|"):
                parameters.append(self._parameter_pattern())
                self.skip(",")
        if self.skip("->"):
            self.type()
        return n.Lambda(parameters, self._closure_body())

    def _closure(self) -> n.Expr:
        """`fn(a) -> e`, `fn a b -> e`, `fn(a) { … }`, `lambda a: e`, `function (a) { … }`."""
        word = self.take().text
        if word == "fun" and self.before.end < self.token.start:
            self._equals += 1
            try:
                return self._closure_of(word)
            finally:
                self._equals -= 1
        return self._closure_of(word)

    def _closure_of(self, word: str) -> n.Expr:
        if word == "lambda":
            parameters: list[n.Pattern] = []
            while not self.skip(":"):
                parameters.append(self._one_pattern())
                self.skip(",")
            return n.Lambda(parameters, self._closure_body())
        if self.is_sign("(") and self._is_parameter_list():
            self.take()
            parameters = []
            while not self.skip(")"):
                parameters.append(self._parameter_pattern())
                if self.token.kind == NAME:
                    self.type()
                if not self.skip(","):
                    self.expect(")")
                    break
            if self.is_word("use") and self.ahead().text == "(":
                # What a closure of PHP takes from around it.
                self.at = self.behind_brackets.get(self.at + 1, self.at)
            self._closure_arrow()
            return n.Lambda(parameters, self._closure_body())
        parameters = self._bare_parameters("->", "=>")
        return n.Lambda(parameters, self._closure_body())

    def _is_parameter_list(self) -> bool:
        """True if the parenthesis holds all parameters, not one pattern of several (`fun (a, b) c -> …`)."""
        depth = 0
        for place in range(self.at, len(self.tokens)):
            token = self.tokens[place]
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            if depth == 0:
                follows, after = self.tokens[place + 1], self.tokens[min(place + 2, len(self.tokens) - 1)]
                if follows.text == "(" and follows.spaced:
                    return False
                if follows.text == "use" and after.text == "(":
                    return True
                return follows.kind != NAME or after.text in ("{", "=>") or (after.text == "->" and follows.text[0].isupper())
        return True

    def _closure_arrow(self) -> None:
        """`-> body`, `=> body`, `-> Type { … }`, `: Type { … }`, `Type { … }`."""
        at = self.at
        if self.skip("=>"):
            return
        if self.skip("->", ":") or self.token.kind == NAME:
            arrow = self.at
            try:
                self.type()
            except Untranslatable:
                self.at = arrow
                return
            if self.is_sign("=>"):
                self.take()
                return
            if not self.is_sign("{"):
                self.at = arrow if arrow > at else at
        elif not self.is_sign("{"):
            raise self.unknown("the body of a closure is expected")

    def _bare_parameters(self, *closing: str) -> list[n.Pattern]:
        parameters: list[n.Pattern] = []
        while not self.skip(*closing):
            if self.is_sign("(") and self.ahead().kind == NAME and self.ahead(2).text == ":":
                self.take()
                parameters.append(self._parameter_pattern())
                self.expect(")")
                continue
            parameters.append(self._one_pattern())
            self.skip(",")
        return parameters

    def _closure_body(self) -> n.Expr:
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        body = self.block() if self.is_sign("{") and not self._begins_value() else self._statement_value()
        self.skip("end")
        self._plain, self._no_ternary = plain, ternary
        return body

    def _begins_value(self) -> bool:
        """True if a brace begins a map, a record or an update."""
        at = self.at
        try:
            return not isinstance(self._braces(), n.Block)
        except Untranslatable:
            return False
        finally:
            self.at = at

    def _statement_value(self) -> n.Expr:
        """A closure's body without braces: an expression, one assignment, or statements on lines of their own."""
        if self.token.is_first:
            return only_value(self.laid_out())
        statement = self.statement()
        if isinstance(statement, n.Evaluate):
            return statement.value
        return n.Block([statement], start=statement.start, end=statement.end)

    def entries_in_braces(self) -> n.Expr:
        """`{ { "a", 1 }, { "b", 2 } }`, `{ ["a"] = 1 }`: the entries of a dictionary of C#."""
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        pairs: list[tuple[n.Expr, n.Expr]] = []
        while not self.skip("}"):
            if not self.is_sign("{", "["):
                # `Map<String, Int>{"a": 1}`.
                key = self.expression()
                self.expect(":")
                pairs.append((key, self.expression()))
                if not self.skip(","):
                    self.expect("}")
                    break
                continue
            closing = self.take().text
            key = self.expression()
            if closing == "[":
                self.expect("]")
                self.expect("=")
                pairs.append((key, self.expression()))
            else:
                self.expect(",")
                pairs.append((key, self.expression()))
                self.expect("}")
            if not self.skip(","):
                self.expect("}")
                break
        self._plain = plain
        return n.MapOf(pairs, start=start, end=self.before.end)
