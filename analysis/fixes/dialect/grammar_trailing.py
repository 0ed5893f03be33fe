"""Closures in braces behind a call: `{ x -> … }`, `{ |a, b| … }`, `{ case A(x) => … }`."""

from __future__ import annotations

from abc import abstractmethod

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.grammar_base import NAME
from analysis.fixes.dialect.grammar_expressions import Expressions
from analysis.fixes.dialect.untranslatable import Untranslatable
from analysis.fixes.dialect.walking import walk


class TrailingClosures(Expressions):
    """`_braced_closure` reads one; `_is_closure_brace` tells it from a block."""

    @abstractmethod
    def statement(self) -> n.Statement: ...

    @abstractmethod
    def _barred(self) -> list[n.Pattern]: ...

    @abstractmethod
    def _parameter_pattern(self) -> n.Pattern: ...

    def _is_closure_brace(self) -> bool:
        """`{ x -> …`, `{ a, b in …`, `{ it … }`, `{ $0 … }`."""
        place = self.at + 1
        if self.tokens[place].text in ("|", "case"):
            return True
        if self.tokens[place].text == "(":
            place += 1
        for token in self.tokens[place : place + 8]:
            if token.text in ("->", "in"):
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

    def _braced_closure(self) -> n.Expr:
        start = self.expect("{").start
        at = self.at
        parameters: list[n.Pattern] = []
        if self.is_sign("|") or self.is_word("case"):
            return self._barred_closure(start)
        try:
            self.skip("(")
            while not self.is_sign("->", "in", ")"):
                parameters.append(self._parameter_pattern())
                if not self.skip(","):
                    break
            self.skip(")")
            self.expect("->", "in")
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
