"""Statements of Python, Ruby, JavaScript and PHP: `assert`, `loop do`, `xs[] = v`, assignments inside of conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_cases import Cases
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.rewriting.functions.lifted_closures import NAMES_AROUND
from analysis.fixes.dialect.rewriting.jumps.loop_else import LOOPS, with_else
from analysis.fixes.dialect.rewriting.lists.generators import YIELD, YIELD_ALL
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children, walk

_BLOCK: Final = re.compile(r"(?:\{|\bdo) ?\|[^|\n]{1,80}\|")
_EACH: Final = ("each", "for_each", "forEach", "each_pair")
_MOST_JUMPS: Final = 20
"""Jumps out of a block: what follows each is written in a branch."""
_NO_VALUE: Final = ("=", ".", ",", ":", ")", ":=", "+=", "-=")


@dataclass(eq=False)
class Next(n.Jump):
    """`next` of Ruby, which leaves the block or the round of a loop."""


class ScriptStatements(Cases):
    """Statements of script languages."""

    def statement(self) -> n.Statement:
        before, first = len(self.assigned), self.token
        statement = super().statement()
        if isinstance(statement, LOOPS):
            self._settled(statement, "continue")
            if self._is_loop_else(first):
                statement, *rest = with_else(statement, self._loop_else())
                self.pending = [*rest, *self.pending]
        statement = self._as_loop(statement)
        taken = self.assignments(before)
        if not taken:
            return statement
        if isinstance(statement, n.While):
            return _assigning_loop(statement, taken)
        if isinstance(statement, n.CountingFor):
            raise self.unknown("a loop that assigns nothing in its head")
        self.pending = [*taken[1:], statement, *self.pending]
        return taken[0]

    def _is_loop_else(self, first: Token) -> bool:
        """True if `else` stands behind a loop that begins a line: under its first word, or behind its brace."""
        if not self.is_word("else") or not first.is_first:
            return False
        return self.token.column == first.column if self.token.is_first else self.before.text == "}"

    def _loop_else(self) -> n.Block:
        self.take()
        return self.block()

    def _if(self) -> n.Expr:
        """An `if`; assignments in the condition of an `else if` run in that branch only."""
        is_branch = not self.is_word("if", "unless") or self.before.text == "else"
        before = len(self.assigned)
        choice = super()._if()
        taken = self.assignments(before) if is_branch else []
        if not taken:
            return choice
        last = n.Evaluate(choice, start=choice.start, end=choice.end)
        return n.Block([*taken, last], start=choice.start, end=choice.end)

    def _closure_body(self) -> n.Expr:
        before = len(self.assigned)
        body = super()._closure_body()
        if len(self.assigned) > before:
            raise self.unknown("a closure that assigns nothing in its value")
        return body

    def _closure_arrow(self) -> None:
        """`function ($x) use ($y) { … }` of PHP: what is around can be read here anyway."""
        if self.is_word("use") and self.ahead().text == "(":
            self.take()
            self.at = self.behind_brackets.get(self.at, self.at + 1)
        super()._closure_arrow()

    def _statement(self) -> n.Statement:
        follows = self.ahead()
        if self.is_word("assert") and follows.text not in _NO_VALUE and "assert" not in self.names_of_functions:
            return self._asserted()
        if self.is_word("yield") and follows.text not in _NO_VALUE and (follows.text != "(" or self.is_script_generator()):
            return self._yielded_value()
        if self._begins_printing():
            return self._only_if(n.Evaluate(self._printed()))
        if self.is_word("nonlocal") and follows.kind == NAME and not follows.is_first:
            return self._names_around()
        if self.is_word("next") and self._is_next():
            return self._only_if(n.Evaluate(self._next()))
        if self.is_word("loop") and follows.text == "do" and follows.kind == NAME:
            start = self.take().start
            return n.While(n.Literal("bool", "true", start=start, end=start), self.block())
        return super()._statement()

    def _names_around(self) -> n.Statement:
        """`nonlocal a, b`: variables of the function around."""
        start = self.take().start
        names = [self._primary()]
        while self.skip(","):
            names.append(self._primary())
        call = n.Call(n.Name(NAMES_AROUND, start=start, end=start), [n.Argument(each) for each in names], start=start)
        call.end = self.before.end
        return n.Evaluate(call, start=start, end=self.before.end)

    def is_script_generator(self) -> bool:
        """True if `yield (a, b)` gives a pair: in Python. In Kotlin and Ruby it calls a function."""
        return self.habit == "python"

    def _yielded_value(self) -> n.Statement:
        """`yield x`, `yield from xs`, `yield* xs`, `yield return x`, `yield break`."""
        start = self.take().start
        if self.is_word("break"):
            self.take()
            return n.Evaluate(n.Jump("return", start=start, end=self.before.end))
        name = YIELD_ALL if self.skip("from", "*") else YIELD
        self.skip("return")
        value = self.expression()
        if self.is_sign(",") and not self.ahead().is_first:
            items = [value]
            while self.skip(","):
                items.append(self.expression())
            value = n.TupleOf(items, start=value.start, end=self.before.end)
        call = n.Call(n.Name(name, start=start, end=start), [n.Argument(value)], start=start, end=self.before.end)
        return n.Evaluate(call, start=start, end=self.before.end)

    def _begins_printing(self) -> bool:
        """True if `echo value`, `puts value` begins here, whose value goes on to the end of the statement."""
        follows = self.ahead()
        if self.is_word("stdout", "stderr", "STDOUT", "STDERR") and self.ahead(2).text in ("puts", "print", "write"):
            return self.ahead(3).kind in (NAME, STRING) and not self.ahead(3).is_first
        if not self.is_word("echo", "puts", "print", "p", "pp") or follows.is_first or self.token.text in self.declared_names:
            return False
        if self.is_word("p", "pp") and not self.has_blocks:
            return False
        if follows.kind == OPERATOR:
            return follows.text == "(" and self.is_word("echo") if follows.text != "[" else follows.spaced
        return follows.text not in ("if", "unless", "in", "is", "and", "or")

    def _printed(self) -> n.Expr:
        start = self.take().start
        if self.skip("."):
            self.take()
        values = [self.expression()]
        while self.skip(","):
            values.append(self.expression())
        value = values[0] if len(values) == 1 else n.Interpolated(values, start=values[0].start, end=self.before.end)
        name = n.Name("print", start=start, end=start)
        return n.Call(name, [n.Argument(value)], start=start, end=self.before.end)

    @lazily
    def has_blocks(self) -> bool:
        """True if blocks are written as in Ruby."""
        return self.uses_end or _BLOCK.search(self.text) is not None

    def _is_next(self) -> bool:
        """True if `next` ends a round of a block, as in Ruby: no variable has the name."""
        follows = self.ahead()
        ends = follows.is_first or follows.text in ("}", "if", "unless", ";") or follows.kind != OPERATOR
        return self.has_blocks and ends and "next" not in self.declared_names and "next" not in self.names_of_functions

    def _next(self) -> n.Expr:
        """`next`, `next value`: what it leaves is decided where the block or the loop around ends."""
        jump = self._jump()
        assert isinstance(jump, n.Jump)
        return Next("next", jump.value, start=jump.start, end=jump.end)

    def _settled(self, body: n.Node, kind: str) -> None:
        """Makes `next` leave a closure or the round of a loop."""
        for node in walk(body):
            if isinstance(node, Next) and node.kind == "next":
                node.kind = kind

    def _do_closure(self, expression: n.Expr) -> n.Expr:
        call = super()._do_closure(expression)
        self._settled(call, "return")
        return call

    def _braced_closure(self) -> n.Expr:
        closure = super()._braced_closure()
        self._settled(closure, "return")
        return closure

    def _as_loop(self, statement: n.Statement) -> n.Statement:
        """`xs.each do |x| … end` whose block leaves early: a loop. In Ruby `return` leaves the function around."""
        call = statement.value if isinstance(statement, n.Evaluate) else None
        if not isinstance(call, n.Call) or not isinstance(call.function, n.Member) or call.function.name not in _EACH:
            return statement
        closure = call.arguments[0].value if len(call.arguments) == 1 else None
        if not isinstance(closure, n.Lambda) or not isinstance(closure.body, n.Block) or not closure.parameters:
            return statement
        jumps = list(_own_jumps(closure.body))
        is_block = _BLOCK.match(self.text, closure.start) is not None
        if not 0 < len(jumps) <= _MOST_JUMPS or (len(closure.parameters) > 1 and not is_block):
            return statement
        for jump in jumps:
            if jump.kind == "return" and (isinstance(jump, Next) or not is_block):
                jump.kind, jump.value = "continue", None
        patterns = closure.parameters
        pattern = patterns[0] if len(patterns) == 1 else n.TuplePattern(patterns, start=closure.start, end=closure.start)
        return n.For(pattern, call.function.object, closure.body, start=statement.start, end=statement.end)

    def _applied_place(self, left: n.Expr) -> n.Expr:
        """`list($a, $b) = f()` of PHP: the names in a list."""
        is_list = isinstance(left, n.Call) and isinstance(left.function, n.Name) and left.function.name == "list"
        if is_list and isinstance(left, n.Call) and self.is_sign("="):
            return n.ListOf([each.value for each in left.arguments], start=left.start, end=left.end)
        return super()._applied_place(left)

    def _asserted(self) -> n.Statement:
        """`assert c, "why"`, `assert(c, "why")`, `assert!(c, "why")`: the run ends where the condition does not hold."""
        start = self.take().start
        if self.is_sign("!") and self.token.start == self.before.end:
            self.take()
        condition = self.expression()
        message: n.Expr | None = None
        if isinstance(condition, n.TupleOf) and len(condition.items) == 2:
            condition, message = condition.items
        elif self.skip(","):
            message = self.expression()
        end = self.before.end
        reason = message or n.Literal("string", '"assertion failed"', start=start, end=end)
        stop = n.Call(n.Name("panic", start=start, end=start), [n.Argument(reason)], start=start, end=end)
        body = n.Block([n.Evaluate(stop, start=start, end=end)], start=start, end=end)
        return n.Evaluate(n.If(n.Unary("!", condition, start=start, end=end), body, None, start=start, end=end))

    def _only_if(self, statement: n.Statement) -> n.Statement:
        """`x += 1 while x < 3`."""
        if self.is_word("while", "until") and not self.token.is_first and not isinstance(statement, n.Let):
            negated = self.take().text == "until"
            body = n.Block([statement], start=statement.start, end=self.before.end)
            condition = self.condition()
            return n.While(n.Unary("!", condition) if negated else condition, body)
        return super()._only_if(statement)

    def worded_block(self) -> n.Block:
        """Statements up to a word that ends them; `rescue` catches what they throw."""
        body = self.worded_handler()
        if not self.is_word("rescue", "ensure"):
            return body
        whole = self._clauses(body, "rescue", self._rescued, body.start)
        if self.skip("ensure") and self.worded_handler().statements:
            raise self.unknown("no `ensure` is expected")
        return n.Block([n.Evaluate(whole, start=whole.start, end=whole.end)], start=body.start, end=self.before.end)

    def worded_handler(self) -> n.Block:
        return super().worded_block()

    def _indexed(self, expression: n.Expr) -> n.Expr:
        """`xs[]` of PHP: the place behind the last item."""
        if self.is_sign("]") and self.habit != "julia":
            self.take()
            return n.Index(expression, n.Name("[]", start=self.before.start, end=self.before.end))
        return super()._indexed(expression)


def _own_jumps(node: n.Node) -> Iterator[n.Jump]:
    """The jumps in a block that belong to no closure inside of it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, n.Jump):
            yield part
        if not isinstance(part, (n.Lambda, n.Local)):
            waiting += children(part)


def _assigning_loop(loop: n.While, taken: list[n.Statement]) -> n.While:
    """`while (n := f()) > 0 { … }`: assigned and tested at the beginning of each round."""
    start = loop.condition.start
    leave = n.Evaluate(n.Jump("break", start=start, end=start), start=start, end=start)
    negated = n.Unary("!", loop.condition, start=start, end=loop.condition.end)
    stop = n.If(negated, n.Block([leave], start=start, end=start), None, start=start, end=loop.condition.end)
    body = [*taken, n.Evaluate(stop, start=start, end=stop.end), *loop.body.statements]
    loop.body.statements = body
    loop.condition = n.Literal("bool", "true", start=start, end=start)
    return loop
