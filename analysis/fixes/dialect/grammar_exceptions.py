"""`throw`, `raise` and `try` with what catches."""

from __future__ import annotations

from abc import abstractmethod

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.exceptions import Attempt
from analysis.fixes.dialect.grammar_base import NAME
from analysis.fixes.dialect.grammar_closures import Closures


class Exceptions(Closures):
    """Expressions that throw or catch."""

    @abstractmethod
    def statement(self) -> n.Statement: ...

    def _word(self) -> n.Expr:
        token, follows = self.token, self.ahead()
        if token.text == "throw" and not follows.is_first and follows.text not in ("=", ".", ",", ")", ":"):
            return self._thrown()
        if token.text == "try" and follows.text == "{":
            return self._attempt()
        return super()._word()

    def _thrown(self) -> n.Expr:
        """`throw new Error("…")`: what is thrown is the message; another value as it is."""
        start = self.take().start
        value = self.expression()
        name = value.function.name if isinstance(value, n.Call) and isinstance(value.function, n.Name) else ""
        if isinstance(value, n.Call) and name[:1].isupper() and name not in ("Some", "Ok", "Err") and not value.operation:
            own = n.Literal("string", f'"{name}"', start=start, end=self.before.end)
            message = value.arguments[0].value if value.arguments else own
            is_text = isinstance(message, (n.Interpolated, n.Binary, n.Name)) or getattr(message, "kind", "") == "string"
            value = message if is_text else n.Interpolated([message], start=start, end=message.end)
        return n.Jump("throw", value, start=start, end=self.before.end)

    def _attempt(self) -> n.Expr:
        start = self.take().start
        body = self.block()
        if not self.is_word("catch", "on"):
            raise self.unknown("`catch` is expected")
        name = self._caught_name()
        handler = self.block()
        if self.is_word("catch", "on"):
            raise self.unknown("one `catch` is expected")
        if self.skip("finally"):
            last = self.block()
            if last.statements:
                raise self.unknown("no `finally` is expected")
        return Attempt(body, name, handler, start=start, end=self.before.end)

    def _caught_name(self) -> str:
        """The name in `catch (Exception e)`, `catch (e: Error)`, `catch (e)`, `on FormatException catch (e)`; "" for none."""
        if self.skip("on"):
            self.type()
            if not self.is_word("catch"):
                return ""
        self.expect("catch")
        if not self.is_sign("("):
            return self.name() if self.token.kind == NAME else ""
        self.take()
        words: list[str] = []
        types = 0
        while not self.skip(")"):
            if self.skip(":"):
                types = len(words)
                while not self.is_sign(")"):
                    self.take()
                return self._closed(words)
            token = self.take()
            if token.kind == NAME:
                words.append(token.text)
        if len(words) == 1 and words[0][0].isupper() and not types:
            return ""
        return words[-1] if words else ""

    def _closed(self, words: list[str]) -> str:
        self.expect(")")
        return words[-1] if words else ""
