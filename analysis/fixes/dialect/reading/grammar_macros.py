"""Forms with an exclamation mark: Rust macros, and forced unwrapping."""

from __future__ import annotations

from abc import abstractmethod

from analysis.fixes.dialect.libraries.foreign_calls import rewritten, with_named_holes
from analysis.fixes.dialect.libraries.ruby_calls import IN_PLACE
from analysis.fixes.dialect.reading.grammar_trailing import TrailingClosures
from analysis.fixes.dialect.tree import nodes as n


class Macros(TrailingClosures):
    """`_bang` reads the exclamation mark behind a value."""

    @abstractmethod
    def _arguments(self, closing: str) -> list[n.Argument]: ...

    def _bang(self, expression: n.Expr) -> n.Expr | None:
        if self.is_sign("!!"):
            self.take()
            return n.Call(n.Member(expression, "unwrap"), [])
        if isinstance(expression, n.Name) and self.ahead().text in ("(", "[", "{"):
            self.take()
            closing = {"(": ")", "[": "]", "{": "}"}[self.take().text]
            if expression.name == "vec" and (repeated := self._repeated_item(closing)) is not None:
                return repeated
            if expression.name == "matches":
                return self._matching(closing)
            arguments = with_named_holes(self._arguments(closing))
            return rewritten(n.Call(n.Name(f"{expression.name}!", start=expression.start, end=expression.end), arguments))
        if isinstance(expression, n.Member) and expression.name in IN_PLACE and self.token.start == expression.end:
            self.take()
            expression.name += "_in_place"
            is_call = self.is_sign("(", "{") or self.is_word("do")
            return expression if is_call else n.Call(expression, [], start=expression.start, end=self.before.end)
        if isinstance(expression, (n.Call, n.Member, n.Index, n.Name)):
            self.take()
            return n.Call(n.Member(expression, "unwrap"), [])
        return None

    def _matching(self, closing: str) -> n.Expr:
        """`matches!(value, pattern if condition)`."""
        start = self.before.start
        value = self.expression()
        self.expect(",")
        pattern = self.pattern()
        guard = self.expression() if self.skip("if") else None
        self.skip(",")
        self.expect(closing)
        arms = [
            n.Arm(each, condition, n.Literal("bool", text, start=start, end=start), start=start, end=start)
            for each, condition, text in ((pattern, guard, "true"), (n.Wildcard(start=start, end=start), None, "false"))
        ]
        return n.Match(value, arms, start=start, end=self.before.end)

    def _repeated_item(self, closing: str) -> n.Expr | None:
        """`vec![value; count]`."""
        at = self.at
        if self.is_sign(closing):
            return None
        value = self.expression()
        if not self.skip(";"):
            self.at = at
            return None
        count = self.expression()
        self.expect(closing)
        return n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(count)])
