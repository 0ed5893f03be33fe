"""Forms of Gleam: `use`, `let assert`, `panic as`, `todo`."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.reading.grammar_exceptions import Exceptions
from analysis.fixes.dialect.tree import nodes as n

_STEPS: Final = frozenset((module, name) for module in ("result", "option") for name in ("try", "then", "and_then"))
"""Functions whose closure goes on where there is a value; without one, the function around ends."""
_ENDS: Final = ("panic", "todo")
_VARIABLE: Final = re.compile(
    r"\b(?:let|mut|var|val|const|for|fun|fn|in|rec)[ \t]{1,9}(?:mut[ \t]{1,9}|\()?(todo|panic)\b"
    r"|[(,|\\][ \t]{0,9}(todo|panic)[ \t]{0,9}(?:[:,)|]|->)|\b(todo|panic)[ \t]{0,9}(?:=[^=>]|->|<-|:)"
)
"""Variables and parameters named `todo` or `panic`, and assignments to them."""


class GleamForms(Exceptions):
    """`_loops` counts the loops around within the innermost function."""

    _loops = 0

    @abstractmethod
    def statements(self, *closing: str) -> list[n.Statement]: ...

    def _word(self) -> n.Expr:
        is_end = self.is_word(*_ENDS) and self.ahead().text not in ("(", "!", ".", "=", ",", ":", "->", "=>")
        if is_end and self.token.text not in self._own_words:
            return self._end_of_run()
        if self.is_do():
            return self.do_steps()
        return super()._word()

    @lazily
    def _own_words(self) -> frozenset[str]:
        """The words of `_ENDS` that the program gives to variables: there they are names."""
        return frozenset(name for names in _VARIABLE.findall(self.text) for name in names if name)

    def _end_of_run(self) -> n.Expr:
        """`panic as "reason"`, `todo`."""
        word = self.take()
        start = word.start
        reason: n.Expr = n.Literal("string", f'"{word.text}"', start=start, end=word.end)
        if self.skip("as"):
            reason = self._postfix()
        name = n.Name("panic", start=start, end=word.end)
        return n.Call(name, [n.Argument(reason)], start=start, end=self.before.end)

    def _closure_body(self) -> n.Expr:
        loops, self._loops = self._loops, 0
        body = super()._closure_body()
        self._loops = loops
        return body

    # ---- `use` ----

    def _is_use(self) -> bool:
        if not self.is_word("use") or self.ahead().is_first:
            return False
        follows, after = self.ahead(), self.ahead(2)
        return follows.text == "<-" or (follows.kind == NAME and after.text in ("<-", ",")) or (follows.text in ("#", "_"))

    def _use(self, *closing: str) -> list[n.Statement]:
        """`use x <- f(a)`: the statements behind it are a closure that `f` gets as its last argument.

        In a loop, where nothing stands for the rest of the function, a step without a value ends the function.
        """
        start = self.take().start
        pattern = self._comma_pattern() if not self.is_sign("<-") else None
        self.expect("<-")
        call = self.expression()
        owner, name = _function_of(call)
        if (owner, name) == ("bool", "guard") and isinstance(call, n.Call) and len(call.arguments) == 2:
            return self._unless_guarded(call, start, *closing)
        only = call.arguments[0].value if isinstance(call, n.Call) and len(call.arguments) == 1 else None
        if self._loops and only is not None and (owner, name) in _STEPS:
            tried = n.Try(only, start=call.start, end=call.end)
            return [n.Let(pattern or n.Wildcard(), None, tried, start=start, end=self.before.end)]
        if self._loops:
            raise self.unknown("a function whose steps leave a loop is expected")
        rest = self.statements(*closing)
        body = n.Block(rest, start=start, end=self.before.end)
        closure = n.Lambda([pattern] if pattern is not None else [], body, start=start, end=self.before.end)
        if isinstance(call, n.Call):
            call.arguments.append(n.Argument(closure))
        else:
            call = n.Call(call, [n.Argument(closure)], start=start, end=self.before.end)
        return [n.Evaluate(call, start=start, end=self.before.end)]

    def _unless_guarded(self, call: n.Call, start: int, *closing: str) -> list[n.Statement]:
        """`use <- bool.guard(when: c, return: e)`: `e` is the value where `c` holds, else the statements behind it."""
        by_name = {each.name: each.value for each in call.arguments if each.name}
        condition = by_name.get("when", call.arguments[0].value)
        value = by_name.get("return", call.arguments[1].value)
        then = n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)
        if self._loops:
            raise self.unknown("a condition that leaves a loop by `return` is expected")
        rest = n.Block(self.statements(*closing), start=call.end, end=self.before.end)
        return [n.Evaluate(n.If(condition, then, rest, start=start, end=rest.end), start=start, end=rest.end)]

    # ---- `let assert` ----

    def _is_asserted(self) -> bool:
        """True if `assert` and a pattern stand behind `let`."""
        follows = self.ahead()
        is_value = follows.kind == STRING or (follows.kind == NAME and follows.text[0].isupper())
        return self.is_word("assert") and (is_value or follows.text in ("[", "#", "{", "<"))

    def _failed_assertion(self) -> n.Block:
        """Block that runs when the pattern of `let assert` does not match."""
        start = end = self.before.end
        if self.is_word("as") and self.ahead().kind == STRING:
            self.take()
            reason = self._postfix()
        else:
            reason = n.Literal("string", '"the value has another form"', start=start, end=end)
        call = n.Call(n.Name("panic", start=start, end=end), [n.Argument(reason)], start=start, end=end)
        return n.Block([n.Evaluate(call, start=start, end=end)], start=start, end=end)


def _function_of(call: n.Expr) -> tuple[str, str]:
    """The module and the name of what is called."""
    function = call.function if isinstance(call, n.Call) else call
    if isinstance(function, n.Member) and isinstance(function.object, n.Name):
        return function.object.name, function.name
    return "", ""
