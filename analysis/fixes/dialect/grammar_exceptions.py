"""`throw`, `raise` and `try` with what catches."""

from __future__ import annotations

from abc import abstractmethod

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.exceptions import Attempt
from analysis.fixes.dialect.grammar_base import NAME
from analysis.fixes.dialect.grammar_closures import Closures
from analysis.lazily import lazily


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
        if token.text == "try" and follows.text not in ("=", ".", ",", ")", ":", "(") and not follows.is_first:
            return self._tried()
        if token.text == "do" and follows.text == "{" and self._catches_behind():
            return self._attempt()
        return super()._word()

    @lazily
    def throws(self) -> bool:
        """Whether something is thrown in the program, so that `try` marks calls of functions that throw."""
        return any(token.text in ("throw", "throws", "raise") and token.kind == NAME for token in self.tokens)

    def _tried(self) -> n.Expr:
        """`try f()`: passes an error on; `try? f()`: none for it; `try! f()`: the value, or the end of the run."""
        start = self.take().start
        sign = self.take().text if self.is_sign("?", "!") else ""
        value = self._unary()
        if self.throws:
            if sign == "?":
                raise self.unknown("a call whose exceptions are no values is expected")
            return value
        if sign:
            word = "ok" if sign == "?" else "unwrap"
            return n.Call(n.Member(value, word), [], start=start, end=self.before.end)
        return n.Try(value, start=start, end=self.before.end)

    def _catches_behind(self) -> bool:
        """Whether `catch` stands behind the block that begins with the next token."""
        behind = self.behind_brackets.get(self.at + 1, 0)
        return bool(behind) and self.tokens[behind].text == "catch"

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
        is_do = self.is_word("do")
        start = self.take().start
        body = self.block()
        if not self.is_word("catch", "on"):
            raise self.unknown("`catch` is expected")
        if is_do:
            return self._caught_by_pattern(body, start)
        name = self._caught_name()
        handler = self.block()
        if self.is_word("catch", "on"):
            raise self.unknown("one `catch` is expected")
        if self.skip("finally"):
            last = self.block()
            if last.statements:
                raise self.unknown("no `finally` is expected")
        return Attempt(body, name, handler, start=start, end=self.before.end)

    def _caught_by_pattern(self, body: n.Block, start: int) -> n.Expr:
        """`catch E.low { … } catch { … }` of Swift, whose last part calls what was thrown `error`."""
        arms: list[n.Arm] = []
        while self.is_word("catch"):
            at = self.take().start
            pattern: n.Pattern = n.Wildcard() if self.is_sign("{") else self.pattern()
            if self.skip("as", "is"):
                self.type()
            arms.append(n.Arm(pattern, None, self.block(), start=at, end=self.before.end))
        first = arms[0]
        assert isinstance(first.body, n.Block)
        if isinstance(first.pattern, (n.Wildcard, n.Binding)):
            name = first.pattern.name if isinstance(first.pattern, n.Binding) else "error"
            return Attempt(body, name, first.body, start=start, end=self.before.end)
        match = n.Match(n.Name("error", start=first.start, end=first.start), arms, start=first.start, end=self.before.end)
        handler = n.Block([n.Evaluate(match, start=match.start, end=match.end)], start=match.start, end=match.end)
        return Attempt(body, "error", handler, start=start, end=self.before.end)

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
