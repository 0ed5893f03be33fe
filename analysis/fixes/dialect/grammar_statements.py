"""Statements and blocks of all dialects."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.grammar_base import NAME
from analysis.fixes.dialect.grammar_closures import Closures

_DECLARING: Final = {"let": False, "var": True, "val": False, "const": False, "auto": True}
_BETWEEN: Final = frozenset(("&", "*", "+", "|", "^", "~", "%", "/", ",", "@", ":", "?", "<", ">", "<<", ">>", "**", "="))
"""Signs that stand between values: where one begins a statement, it belongs to the value before it."""
_COMPOUND: Final = {
    "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "++=": "++", "**=": "**", "??=": "??",
}  # fmt: skip
_FUNCTION_WORDS: Final = ("fn", "def", "fun", "func", "function")


class Statements(Closures):
    """What stands between braces."""

    def block(self) -> n.Block:
        if self.is_sign(":"):
            return self._indented()
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        statements = self.statements("}")
        self.expect("}")
        self._plain, self._no_ternary = plain, ternary
        return n.Block(statements, start=start, end=self.before.end)

    def _indented(self) -> n.Block:
        """A block that a colon begins: the rest of the line, or the lines that are indented deeper."""
        at = self.at
        while at and not self.tokens[at].is_first:
            at -= 1
        column = self.tokens[at].column
        start = self.expect(":").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        found: list[n.Statement] = []
        if not self.token.is_first:
            found.append(self.statement())
        while self.token.kind != "end" and self.token.is_first and self.token.column > column and not self.is_sign("}"):
            if not self.skip("pass", ";"):
                found.append(self.statement())
        self._plain, self._no_ternary = plain, ternary
        return n.Block(found, start=start, end=self.before.end)

    def statements(self, *closing: str) -> list[n.Statement]:
        found: list[n.Statement] = []
        while self.token.kind != "end" and not self.is_sign(*closing):
            if self.skip(";", "pass"):
                continue
            self._separated(found)
            if self.is_word("use") and self.ahead().kind == NAME and self.ahead(2).text in ("<-", ","):
                found.append(self._use(*closing))
                break
            found.append(self.statement())
        return found

    def _use(self, *closing: str) -> n.Statement:
        """`use x <- f(a)`: the statements behind it are a closure that `f` gets as its last argument."""
        start = self.take().start
        pattern = self._comma_pattern()
        self.expect("<-")
        call = self.expression()
        rest = self.statements(*closing)
        closure = n.Lambda([pattern], n.Block(rest, start=start, end=self.before.end))
        if isinstance(call, n.Call):
            call.arguments.append(n.Argument(closure))
        else:
            call = n.Call(call, [n.Argument(closure)])
        return n.Evaluate(call, start=start, end=self.before.end)

    def _separated(self, before: list[n.Statement]) -> None:
        """Two values on one line without anything between them are no program of any dialect, nor is a sign behind a value."""
        if not before or self.token.is_first or self.before.text in (";", "}", "pass", "{"):
            return
        if self.token.text in _BETWEEN:
            raise self.unknown("the end of the statement is expected")
        if isinstance(before[-1], n.Evaluate) and not isinstance(before[-1].value, (n.If, n.Match, n.Block)):
            raise self.unknown("the end of the statement is expected")

    def statement(self) -> n.Statement:
        start = self.token.start
        found = self._statement()
        found.start, found.end = start, self.before.end
        return found

    def _statement(self) -> n.Statement:
        word = self.token.text if self.token.kind == NAME else ""
        follows = self.ahead()
        if word in _DECLARING and (follows.kind == NAME or follows.text in ("(", "[", "{", "#")):
            return self._let(word)
        if word in _FUNCTION_WORDS and follows.kind == NAME and self.ahead(2).text in ("(", "<"):
            return n.Local(self.function())
        if (typed := self.typed_name("=", ";")) is not None:
            value = self.expression() if self.skip("=") else None
            return n.Let(n.Binding(typed[1]), typed[0], value)
        if word == "while":
            self.take()
            condition = self.condition()
            return n.While(condition, self.block())
        if word == "loop" and follows.text == "{":
            self.take()
            return n.While(n.Literal("bool", "true"), self.block())
        if word == "for":
            return self._for()
        if word in ("return", "break", "continue"):
            jump = self._jump()
            return self._only_if(n.Evaluate(jump))
        if self.is_sign("++", "--"):
            sign = self.take().text[0]
            return n.Assign(self._postfix(), sign, n.Literal("int", "1"))
        return self._only_if(self._assignment())

    def _only_if(self, found: n.Statement) -> n.Statement:
        """`return 1 if c`, `x = 1 unless c`."""
        if self.is_word("if") and not self.token.is_first:
            self.take()
            body = n.Block([found], start=found.start, end=self.before.end)
            return n.Evaluate(n.If(self.condition(), body, None))
        return found

    def _assignment(self) -> n.Statement:
        left = self.expression()
        if self.is_sign("=", ":="):
            sign = self.take().text
            value = self.expression()
            if sign == ":=" and isinstance(left, n.Name):
                return n.Let(n.Binding(left.name), None, value, True)
            return n.Assign(left, "", value)
        if self.token.text in _COMPOUND and self.token.kind == "operator":
            sign = _COMPOUND[self.take().text]
            return n.Assign(left, sign, self.expression())
        if self.is_sign("++", "--") and not self.token.is_first:
            sign = self.take().text[0]
            return n.Assign(left, sign, n.Literal("int", "1"))
        return n.Evaluate(left)

    def _let(self, word: str) -> n.Statement:
        at = self.at
        start = self.take().start
        mutable = _DECLARING[word] or self.skip("mut")
        self.skip("mutable", "rec")
        column = self.token.column
        pattern = self._comma_pattern_without_types()
        kind = self.type() if self.skip(":") else None
        if kind is None and self.token.kind == NAME and not self.token.is_first and word == "var" and self.ahead().text == "=":
            kind = self.type()
        value = self.expression() if self.skip("=", ":=") else None
        otherwise = None
        if self.is_word("else") and self.ahead().text == "{":
            self.take()
            otherwise = self.block()
        if self.is_word("in") or (self.token.is_first and self.token.column == column and self._is_binding()):
            # `let a = 1 in b`, and several bindings under one `let`.
            self.at = at
            return n.Evaluate(self._let_in())
        return n.Let(pattern, kind, value, mutable, otherwise, start=start)

    def _comma_pattern_without_types(self) -> n.Pattern:
        first = self._one_pattern()
        if not self.is_sign(","):
            return first
        items = [first]
        while self.skip(","):
            items.append(self._one_pattern())
        return n.TuplePattern(items)

    def _is_binding(self) -> bool:
        return self.token.kind == NAME and self.ahead().text == "=" and self.before.text not in (";",)

    def _for(self) -> n.Statement:
        self.expect("for")
        parenthesised = self.is_sign("(") and self._holds_loop()
        if parenthesised:
            self.take()
        if self._is_counting():
            return self._counting_for(parenthesised)
        self.skip("let", "const", "var", "val", "mut")
        self._no_ternary += 1
        self._plain += 1
        typed = self.typed_name(":", "in", "of")
        pattern = n.Binding(typed[1], type=typed[0]) if typed is not None else self._comma_pattern()
        if self.is_sign(":="):
            self.take()
            self.expect("range")
            source: n.Expr = n.Call(n.Name("enumerate"), [n.Argument(self._binary(0))])
            pattern = _go_range(pattern)
        else:
            self.expect("in", "of", "<-", ":")
            source = self._binary(0)
        self._plain -= 1
        self._no_ternary -= 1
        if parenthesised:
            self.expect(")")
        condition = self.condition() if self.is_word("where", "if") and self.take() else None
        self.skip("do")
        body = self.block()
        if condition is not None:
            body = n.Block([n.Evaluate(n.If(condition, body, None))], start=body.start, end=body.end)
        return n.For(pattern, source, body)

    def _holds_loop(self) -> bool:
        """Whether the parenthesis behind `for` holds the loop's head, not a pattern."""
        depth = 0
        for place in range(self.at, len(self.tokens)):
            token = self.tokens[place]
            if token.kind == "string":
                continue
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 1 and token.text in ("in", "of", ";", "<-", ":"):
                return True
            if depth == 0:
                return False
        return False

    def _is_counting(self) -> bool:
        """Whether a semicolon comes before the loop's brace."""
        for place in range(self.at, len(self.tokens)):
            token = self.tokens[place]
            if token.kind != "string" and token.text in (";", "{"):
                return token.text == ";"
        return False

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
                first = n.Let(n.Binding(name), None, self.expression(), True)
            else:
                first = self._assignment()
        self.expect(";")
        condition = self.expression()
        self.expect(";")
        step = None if self.is_sign(")", "{") else self._statement()
        self._plain -= 1
        if parenthesised:
            self.expect(")")
        return n.CountingFor(first, condition, step, self.block())

    def function(self, exported: bool = False) -> n.Function:
        raise self.unknown("a function")


def _go_range(pattern: n.Pattern) -> n.Pattern:
    """`for i, x := range xs`: the index comes first; `_` for one that is left out."""
    if isinstance(pattern, n.TuplePattern):
        return pattern
    return n.TuplePattern([pattern, n.Wildcard()])
