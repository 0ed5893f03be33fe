"""Forms of Lua: tables in braces, methods behind a colon, loops with steps, `repeat`, functions that end with `end`."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.lua_calls import downwards, of_lua, text_method
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_statements import Statements
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_BEFORE_TABLES = ("=", "(", ",", "return", "{", "in", ":", "[", "or")
_NO_TABLES = ("let", "local", "if", "while", "for", "return", "match", ";", "->", "=>", "do", "then")
_LISTS: Final = re.compile(
    r"\b([A-Za-z_]\w*)\[#|#([A-Za-z_]\w*)|\bipairs\(([A-Za-z_]\w*)\)|\btable\.(?:insert|concat|sort|remove)\(([A-Za-z_]\w*)"
)
"""Names whose items are counted, or put in one behind the other."""


class LuaForms(Statements):
    """Reads them where the habits of a program are those of Lua."""

    @lazily
    def speaks_lua(self) -> bool:
        return self.habit == "lua"

    # ---- methods and functions of the library ----

    def _postfix_step(self, expression: n.Expr) -> n.Expr | None:
        if not self.speaks_lua:
            return super()._postfix_step(expression)
        if self.is_sign(":") and not self.token.spaced and self._is_method():
            self.take()
            name = self.name()
            if self.is_sign("("):
                self.take()
                arguments = self._arguments(")")
            else:
                arguments = [n.Argument(self._primary())]
            translated = text_method(expression, name, arguments, self.before.end)
            return translated or n.Call(n.Member(expression, name, start=expression.start, end=self.before.end), arguments)
        step = super()._postfix_step(expression)
        return of_lua(step) if isinstance(step, n.Call) else step

    def _is_method(self) -> bool:
        name, opening = self.ahead(), self.ahead(2)
        is_touching = name.kind == NAME and not name.spaced and not opening.spaced
        return is_touching and ((opening.text == "(" and opening.kind != STRING) or opening.kind == STRING)

    # ---- tables ----

    def _braces(self) -> n.Expr:
        if self.speaks_lua and self.ahead().text == "}" and self._fills_list():
            start = self.expect("{").start
            self.expect("}")
            return n.ListOf([], start=start, end=self.before.end)
        if not self.speaks_lua or self.before.text not in _BEFORE_TABLES or not self._is_table():
            return super()._braces()
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        items: list[n.Expr] = []
        pairs: list[tuple[n.Expr, n.Expr]] = []
        fields: dict[str, n.Expr] = {}
        while not self.skip("}"):
            if self.is_sign("["):
                self.take()
                key = self.expression()
                self.expect("]")
                self.expect("=")
                pairs.append((key, self.expression()))
            elif self.token.kind == NAME and self.ahead().text == "=":
                name = self.name()
                self.expect("=")
                fields[name] = self.expression()
            else:
                items.append(self.expression())
            if not self.skip(",", ";"):
                self.expect("}")
                break
        self._plain, self._no_ternary = plain, ternary
        if sum(map(bool, (items, pairs, fields))) > 1:
            raise self.unknown("a table of one kind is expected")
        if fields:
            return n.RecordOf("", fields, None, start=start, end=self.before.end)
        return n.MapOf(pairs, start=start, end=self.before.end) if pairs else n.ListOf(items, start=start, end=self.before.end)

    def _fills_list(self) -> bool:
        """`local xs = {}` where the program puts items into `xs` in their order."""
        name = self.tokens[self.at - 2] if self.at > 1 else self.before
        if self.before.text != "=" or name.kind != NAME:
            return False
        return name.text in self._lists_of_program

    @lazily
    def _lists_of_program(self) -> frozenset[str]:
        return frozenset(name for names in _LISTS.findall(self.text) for name in names)

    def _is_table(self) -> bool:
        """True if braces hold items or entries, not statements."""
        first = self.ahead()
        if first.kind != STRING and first.text == "}":
            return False
        depth = 0
        for place in range(self.at, self.behind_brackets.get(self.at, self.at)):
            token = self.tokens[place]
            text = token.text if token.kind != STRING else ""
            if depth == 1 and text in _NO_TABLES:
                return False
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth == 1 and text == ",":
                return True
            is_key = self.tokens[place - 1].text == "]" or self.tokens[place - 2].text in ("{", ",")
            if depth == 1 and text == "=" and not is_key:
                return False
        return first.kind in (INT, FLOAT, STRING) or first.text in ("{", "[") or self.ahead(2).text in ("=", "}")

    # ---- functions and statements ----

    def _closure(self) -> n.Expr:
        is_open = self.is_word("function") and self.ahead().text == "(" and (self.speaks_lua or self.uses_end)
        closing = self.behind_brackets.get(self.at + 1, len(self.tokens) - 1)
        if not is_open or self.tokens[closing].text in ("{", "=>", "->"):
            return super()._closure()
        start = self.take().start
        self.expect("(")
        parameters: list[n.Pattern] = []
        while not self.skip(")"):
            parameters.append(self._parameter_pattern())
            self.skip(",")
        body = self.worded_block()
        self.expect("end")
        return n.Lambda(parameters, _returned(body), start=start, end=self.before.end)

    def _statement(self) -> n.Statement:
        if self.speaks_lua and self.is_word("repeat") and self.ahead().text != "(":
            return self._repeat()
        if self.speaks_lua and self.is_word("do") and self.token.is_first:
            block = self.worded_block()
            self.expect("end")
            return n.Evaluate(block)
        statement = super()._statement()
        place = statement.target if self.speaks_lua and isinstance(statement, n.Assign) and not statement.operator else None
        if isinstance(place, n.Index) and isinstance(statement, n.Assign):
            value = statement.value
            if isinstance(value, n.Literal) and value.kind == "none":
                return n.Evaluate(n.Call(n.Member(place.object, "delete_place"), [n.Argument(place.index)]))
        return statement

    def _repeat(self) -> n.Statement:
        """`repeat … until c`: the condition is tested behind the body."""
        start = self.expect("repeat").start
        statements: list[n.Statement] = self.block().statements if self.is_sign("{") else []
        while not self.is_word("until") and self.token.kind != "end":
            if not self.skip(";"):
                statements.append(self.statement())
        self.expect("until")
        condition = self.condition()
        body = n.Block(statements, start=start, end=self.before.end)
        if any(isinstance(node, n.Jump) and node.kind == "continue" for node in walk(body)):
            raise self.unknown("a loop that tests its condition first")
        at, end = condition.start, self.before.end
        stop = n.Block([n.Evaluate(n.Jump("break", start=at, end=end), start=at, end=end)], start=at, end=end)
        statements.append(n.Evaluate(n.If(condition, stop, None, start=at, end=end), start=at, end=end))
        return n.While(n.Literal("bool", "true", start=start, end=start), body, start=start, end=end)

    def _numeric_for(self) -> n.Statement:
        """`for i = 1, n do … end`, also with a step: the end is included."""
        pattern = n.Binding(self.name())
        self.expect("=")
        self._plain += 1
        low = self._binary(7)
        self.expect(",")
        high = self._binary(7)
        source: n.Expr = n.Range(low, high, True, start=low.start, end=self.before.end)
        if self.skip(","):
            source = self.stepped(low, high, self._unary())
        self._plain -= 1
        return n.For(pattern, source, self.block())

    def stepped(self, low: n.Expr, high: n.Expr, step: n.Expr) -> n.Expr:
        """Numbers by steps whose size the text says, upwards or downwards."""
        size = step.operand if isinstance(step, n.Unary) else step
        if not isinstance(size, n.Literal) or size.kind != "int":
            raise self.unknown("a loop by steps of a known size")
        start, end = low.start, self.before.end
        if isinstance(step, n.Unary) and size.text != "1":
            return downwards(low, high, size)
        if isinstance(step, n.Unary):
            turned = n.Range(high, low, True, start=start, end=end)
            source: n.Expr = n.Call(n.Member(turned, "reversed", start=start, end=end), [], start=start, end=end)
        else:
            source = n.Range(low, high, True, start=start, end=end)
        if size.text != "1":
            source = n.Call(n.Member(source, "step_by", start=start, end=end), [n.Argument(size)], start=start, end=end)
        return source


def _returned(body: n.Block) -> n.Expr:
    """The value of a closure whose only statement returns it."""
    only = body.statements[0] if len(body.statements) == 1 else None
    if isinstance(only, n.Evaluate) and isinstance(only.value, n.Jump) and only.value.kind == "return" and only.value.value:
        return only.value.value
    return body if body.statements else _block(n.Literal("unit", "{}"))
