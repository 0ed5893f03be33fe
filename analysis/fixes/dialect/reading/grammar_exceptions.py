"""`throw`, `raise` and `try` with what catches."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_typescript import TypeScriptForms
from analysis.fixes.dialect.reading.let_bodies import BODIES
from analysis.fixes.dialect.rewriting.failures.exception_kinds import BAD_NUMBER
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.attempts import Attempt, Clause, Thrown
from analysis.fixes.dialect.tree.walking import replace_below, walk

_THROWN: Final = re.compile(r"\bthrow\s{1,9}(?:new\s{1,9})?(?:\w{1,40}::)?(\w{1,60})")
_GENERAL: Final = frozenset("catch on const final Exception Error Throwable RuntimeException exception std var".split())
"""Words of a handler of every exception."""
_WORDS: Final = frozenset("catch on const final std var".split())
_CONVERTING: Final = (
    ("Integer.parseInt", "NumberFormatException"), ("Double.parseDouble", "NumberFormatException"),
    ("int.Parse", "FormatException"),
    ("int.parse", "FormatException"), (".toInt()", "NumberFormatException"), ("stoi(", "invalid_argument"),
    ("Integer.valueOf", "NumberFormatException"),
)  # fmt: skip
"""Conversions and what they throw."""


def _made(value: n.Expr) -> n.Expr:
    """`Broken.new("…")` of Ruby as `Broken("…")`."""
    match value:
        case n.Call(function=n.Member(object=n.Name() as owner, name="new")):
            return n.Call(owner, value.arguments, start=value.start, end=value.end)
    return value


_PARSING: Final = ("toInt", "toLong", "toDouble")
"""Methods without parentheses, in Scala, that fail for a text that is no number."""


class Exceptions(TypeScriptForms):
    """Expressions that throw or catch."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._caught: list[str] = []
        """Names of the caught exceptions in the enclosing handlers, innermost last."""

    @abstractmethod
    def statement(self) -> n.Statement: ...

    def _word(self) -> n.Expr:
        token, follows = self.token, self.ahead()
        if token.text == "throw" and not follows.is_first and follows.text not in ("=", ".", ",", ")", ":"):
            return self._thrown()
        if token.text == "raise" and follows.text not in ("=", ".", ",", ")", ":") and "raise" not in self.names_of_functions:
            return self._raised()
        if token.text == "try" and follows.text in ("{", ":"):
            return self._attempt()
        is_begun = follows.is_first or self.uses_end or follows.text in BODIES
        if token.text == "begin" and is_begun and follows.text not in ("=", ".", ",", ")", ":"):
            return self._begun()
        if token.text == "try" and follows.text not in ("=", ".", ",", ")", ":", "(") and not follows.is_first:
            return self._tried()
        if token.text == "do" and follows.text == "{" and self._catches_behind():
            return self._attempt()
        return super()._word()

    @lazily
    def throws(self) -> bool:
        """True if something is thrown in the program, so that `try` marks calls of functions that throw."""
        return any(token.text in ("throw", "throws", "raise") and token.kind == NAME for token in self.tokens)

    def _tried(self) -> n.Expr:
        """`try f()`: passes an error on; `try? f()`: none for it; `try! f()`: the value, or the end of the run."""
        start = self.take().start
        sign = self.take().text if self.is_sign("?", "!") else ""
        value = self._unary()
        if self.throws:
            if sign == "?":
                # None in place of what is thrown.
                some = n.Call(n.Name("Some", start=start, end=start), [n.Argument(value)], start=start, end=self.before.end)
                none = n.Literal("none", "None", start=start, end=start)
                body, handler = (n.Block([n.Evaluate(each)], start=start, end=self.before.end) for each in (some, none))
                return Attempt(body, "", handler, start=start, end=self.before.end)
            return value
        if sign:
            word = "ok" if sign == "?" else "unwrap"
            return n.Call(n.Member(value, word), [], start=start, end=self.before.end)
        return n.Try(value, start=start, end=self.before.end)

    @abstractmethod
    def caught_with(self, body: n.Block, start: int) -> n.Expr: ...

    def _catches_behind(self) -> bool:
        """True if `catch` stands behind the block that begins with the next token."""
        behind = self.behind_brackets.get(self.at + 1, 0)
        return bool(behind) and self.tokens[behind].text == "catch"

    def _thrown(self) -> n.Expr:
        """`throw new Error("…")`: what is thrown is the message; another value as it is."""
        start = self.take().start
        value = _made(self.expression())
        name = value.function.name if isinstance(value, n.Call) and isinstance(value.function, n.Name) else ""
        type_name = name
        is_class = name[:1].isupper() or name.endswith(("_error", "_argument", "_range", "exception"))
        if isinstance(value, n.Call) and is_class and name not in ("Some", "Ok", "Err") and not value.operation:
            own = n.Literal("string", f'"{name}"', start=start, end=self.before.end)
            message = value.arguments[0].value if value.arguments else own
            is_text = isinstance(message, (n.Interpolated, n.Binary, n.Name)) or getattr(message, "kind", "") == "string"
            value = message if is_text else n.Interpolated([message], start=start, end=message.end)
        elif isinstance(value, n.Name) and self._names_exception(value.name):
            type_name = value.name
            value = n.Literal("string", f'"{value.name}"', start=start, end=self.before.end)
        return Thrown("throw", value, type_name, start=start, end=self.before.end)

    def _names_exception(self, name: str) -> bool:
        """True if a name is that of a class of exceptions, and of no other type of the program."""
        is_own = name in self.own_types and re.search(rf"\bclass[ \t]+{name}\b", self.text) is None
        return name.endswith(("Error", "Exception")) and not is_own

    def _raised(self) -> n.Expr:
        """`raise ValueError("…")`, `raise "…"`, `raise Broken, "…"`; alone it throws what was caught."""
        if self.ahead().is_first or self.ahead().text in ("}", ";"):
            start = self.take().start
            if not self._caught:
                raise self.unknown("what is thrown again is expected")
            value: n.Expr = n.Name(self._caught[-1], start=start, end=self.before.end)
            return Thrown("throw", value, start=start, end=self.before.end)
        thrown = self._thrown()
        assert isinstance(thrown, Thrown)
        if self.is_sign(",") and thrown.type_name and not self.ahead().is_first:
            self.take()
            thrown.value = self.expression()
        if self.skip("from"):
            self.expression()
        thrown.end = self.before.end
        return thrown

    def _begun(self) -> n.Expr:
        """`begin … rescue … end`: what the word before `end` catches is read with the statements."""
        self.take()
        body = self.worded_block()
        self.expect("end")
        only = body.statements[0] if len(body.statements) == 1 else None
        return only.value if isinstance(only, n.Evaluate) else body

    @abstractmethod
    def worded_handler(self) -> n.Block: ...

    def expression(self) -> n.Expr:
        """`f() rescue 0`."""
        value = super().expression()
        if not self.is_word("rescue") or self.token.is_first:
            return value
        self.take()
        other = self.expression()
        handler = n.Block([n.Evaluate(other, start=other.start, end=other.end)], start=other.start, end=other.end)
        body = n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)
        return Attempt(body, "", handler, start=value.start, end=self.before.end)

    def _attempt(self) -> n.Expr:
        is_do = self.is_word("do")
        start = self.take().start
        body = self.block()
        if self.is_word("except"):
            return self._finished(self._clauses(body, "except", self._excepted, start))
        if self.is_word("with"):
            return self.caught_with(body, start)
        if not self.is_word("catch", "on"):
            raise self.unknown("`catch` is expected")
        if is_do:
            return self._caught_by_pattern(body, start)
        if self.is_word("catch") and self._has_cases():
            return self._finished(self._caught_by_cases(body, start))
        at = self.at
        handled = self._handled(body, start)
        self._check_conversions(body, at)
        return self._finished(handled)

    def _check_conversions(self, body: n.Block, at: int) -> None:
        """Refuses to catch that a text is no number where another function reads it: there, no number is 0."""
        inside = self.text[body.start : body.end]
        named = {token.text for token in self.tokens[at : self.at] if token.kind == NAME} & {*BAD_NUMBER, "invalid_argument"}
        marks = [mark for mark, _ in _CONVERTING if mark in self.text]
        if named and marks and not any(mark in inside for mark in marks):
            raise self.unknown("a conversion in the block whose failure is caught")

    def _has_cases(self) -> bool:
        """True if cases stand behind `catch`, as in Scala."""
        return self.ahead().text == "case" or (self.ahead().text == "{" and self.ahead(2).text == "case")

    def _caught_by_cases(self, body: n.Block, start: int) -> n.Expr:
        """`catch { case e: IOException => … case NonFatal(e) => … case _ => … }`, also by layout."""
        self.expect("catch")
        in_braces = self.skip("{")
        column = self.token.column
        clauses: list[Clause] = []
        while self.is_word("case") and (in_braces or self.token.column == column):
            self.take()
            kinds, name = self._cased()
            self.expect("=>")
            at, statements = self.token.start, list[n.Statement]()
            self._caught.append(name)
            while not self.is_word("case", "finally") and not self.is_sign("}") and self._is_below(column, in_braces):
                if not self.skip(";"):
                    statements.append(self.statement())
            self._caught.pop()
            clauses.append(Clause(kinds, name, n.Block(statements, start=at, end=self.before.end)))
        if in_braces:
            self.expect("}")
        first = clauses[0]
        called = {id(node.function) for node in walk(body) if isinstance(node, n.Call)}

        def parsed(node: n.Node) -> n.Node:
            is_parsing = isinstance(node, n.Member) and node.name in _PARSING and id(node) not in called
            return n.Call(node, [], start=node.start, end=node.end) if is_parsing and isinstance(node, n.Expr) else node

        replace_below(body, parsed)
        return Attempt(body, first.name, first.handler, first.kinds, clauses[1:], start=start, end=self.before.end)

    def _is_below(self, column: int, in_braces: bool) -> bool:
        """True if a statement of a case stands here: without braces on its line, or deeper than the cases."""
        return self.token.kind != "end" and (in_braces or not self.token.is_first or self.token.column > column)

    def _cased(self) -> tuple[tuple[str, ...], str]:
        """`e: IOException`, `_: IOException`, `NonFatal(e)`, `e`, `_`."""
        if self.skip("NonFatal"):
            self.expect("(")
            name = self.name()
            self.expect(")")
            return (), name
        if not self.skip("_") and self.token.text[:1].isupper():
            raise self.unknown("the name of what is caught is expected")
        name = "" if self.before.text == "_" else self.name()
        kinds: list[str] = []
        if self.skip(":"):
            kinds.append(self._class_name())
            while self.skip("|"):
                kinds.append(self._class_name())
        return tuple(kinds), name

    def _finished(self, attempt: n.Expr) -> n.Expr:
        if self.skip("finally"):
            last = self.block()
            if not last.statements:
                return attempt
            if any(isinstance(node, n.Jump) and node.kind != "throw" for node in walk(attempt)):
                raise self.unknown("no `finally` behind what leaves")
            whole = n.Evaluate(attempt, start=attempt.start, end=attempt.end)
            return n.Block([whole, *last.statements], start=attempt.start, end=self.before.end)
        return attempt

    def _clauses(self, body: n.Block, word: str, head: Callable[[], tuple[tuple[str, ...], str]], start: int) -> n.Expr:
        """Every `except A as e: …` or `rescue A => e` behind a body; `else` is what follows where nothing is thrown."""
        clauses: list[Clause] = []
        while self.skip(word):
            kinds, name = head()
            self._caught.append(name)
            handler = self.worded_handler() if word == "rescue" else self.block()
            self._caught.pop()
            clauses.append(Clause(kinds, name, handler))
        otherwise = self._without_exception() if self.is_word("else") else None
        if not clauses:
            return body
        first, end = clauses[0], clauses[-1].handler.end
        attempt = Attempt(body, first.name, first.handler, first.kinds, clauses[1:], start=start, end=end)
        attempt.otherwise = otherwise
        return attempt

    def _without_exception(self) -> n.Block:
        """`else` behind what catches: what follows where nothing was thrown."""
        if self.uses_end:
            raise self.unknown("no `else` behind what catches")
        self.take()
        return self.block()

    def _excepted(self) -> tuple[tuple[str, ...], str]:
        """`ValueError as e`, `(KeyError, IndexError)`, nothing."""
        kinds: list[str] = []
        if not self.is_sign(":", "{"):
            is_group = self.skip("(")
            kinds.append(self._class_name())
            while self.skip(","):
                kinds.append(self._class_name())
            if is_group:
                self.expect(")")
        return tuple(kinds), self.name() if self.skip("as") else ""

    def _rescued(self) -> tuple[tuple[str, ...], str]:
        """`ZeroDivisionError, ArgumentError => e`, `=> e`, nothing."""
        kinds: list[str] = []
        if not self.token.is_first and not self.is_sign("=>") and not self.is_word("then"):
            kinds.append(self._class_name())
            while self.skip(","):
                kinds.append(self._class_name())
        return tuple(kinds), self.name() if self.skip("=>") else ""

    def _class_name(self) -> str:
        name = self.name()
        while self.skip(".", "::"):
            name = self.name()
        return name

    def _handled(self, body: n.Block, start: int) -> n.Expr:
        """Every `catch (A e) { … }` behind a body."""
        handlers: list[tuple[str, n.Block, set[str]]] = []
        while self.is_word("catch", "on"):
            at = self.at
            name = self._caught_name()
            words = {token.text for token in self.tokens[at : self.at] if token.kind == NAME and token.text != name}
            handlers.append((name, self.block(), words))
        chosen = self._chosen_handler(handlers)
        if chosen is not None:
            return Attempt(body, *chosen, start=start, end=self.before.end)
        clauses = [Clause(tuple(sorted(words - _WORDS)), name, handler) for name, handler, words in handlers]
        first = clauses[0]
        return Attempt(body, first.name, first.handler, first.kinds, clauses[1:], start=start, end=self.before.end)

    def _chosen_handler(self, handlers: list[tuple[str, n.Block, set[str]]]) -> tuple[str, n.Block] | None:
        """The only one of several handlers whose exceptions the program throws; None where there may be others."""
        if len(handlers) == 1:
            return handlers[0][:2]
        thrown = self._thrown_words
        fitting = [each for each in handlers if each[2] & thrown]
        rest = [each for each in handlers if not each[2] - _GENERAL]
        named = set().union(*(each[2] for each in handlers))
        if len(fitting) == 1 and thrown <= named:
            return fitting[0][:2]
        return rest[0][:2] if not fitting and len(rest) == 1 else None

    @lazily
    def _thrown_words(self) -> frozenset[str]:
        """The exceptions that the program throws, or that its conversions do."""
        return frozenset(_THROWN.findall(self.text)) | {word for mark, word in _CONVERTING if mark in self.text}

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
