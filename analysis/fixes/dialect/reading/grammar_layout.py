"""Forms of ML and its kin: blocks by layout, definitions without parentheses, `function`, references, computations in braces."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import END, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_literals import Literals
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, option_of

_NO_PARAMETERS: Final = frozenset(("in", "else", "then", "of", "if", "match", "rec", "mut", "mutable"))
_LONGEST: Final = 20
"""Tokens of a pattern behind `function`."""
_MAKERS: Final = ("seq", "list", "array")


class Layouts(Literals):
    """Blocks and lists that are delimited by layout instead of brackets."""

    @abstractmethod
    def statement(self) -> n.Statement: ...

    @abstractmethod
    def arms(self, value: n.Expr, start: int) -> n.Expr: ...

    def laid_out(self) -> n.Block:
        """The statement at this place and those below it that begin in the same column."""
        start, column = self.token.start, self.token.column
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        statements = [self.statement()]
        while self._goes_on_in(column):
            if not self.skip(";"):
                statements.append(self.statement())
        self._plain, self._no_ternary = plain, ternary
        return n.Block(statements, start=start, end=self.before.end)

    def _goes_on_in(self, column: int) -> bool:
        if self.is_sign(";") and self.ahead().text != ";":
            # `a; b`: a sequence.
            return self.ahead().kind != END and self.ahead().text not in ("]", ")", "}")
        if self.before.text == ";" and self.before.kind != STRING and not self.is_sign("}", ")", "]"):
            return self.token.kind != END and self.token.column == column
        return (
            self.token.is_first
            and self.token.column == column
            and column > 0
            and not self.is_sign("}", ")", "]", "|", ",")
            and not self.is_word("else", "elif", "and", "in", "with", "case")
            and self.token.kind != END
        )

    def _for_value(self) -> n.Expr:
        statement = self.statement()
        if isinstance(statement, n.Evaluate):
            return statement.value
        raise self.unknown("`yield` is expected")

    def body_value(self) -> n.Expr:
        """A value behind `=`, `then` or `else`: an expression, or statements by layout that end with one."""
        if self.is_sign("{") or not (self.token.is_first or self.is_word("let")):
            value = self.expression()
            return self.consed(value) if self.stands_before_list() and not isinstance(value, n.Lambda) else value
        block = self.laid_out()
        only = block.statements[0]
        return only.value if len(block.statements) == 1 and isinstance(only, n.Evaluate) else block

    # ---- definitions ----

    def is_definition(self) -> bool:
        """True if a name at this place begins `name parameters =`."""
        if self.token.kind != NAME or not (self.token.text[0].islower() or self.token.text[0] == "_"):
            return False
        place = self.at + 1
        first = self.tokens[place]
        while not self.tokens[place].is_first:
            token = self.tokens[place]
            if token.kind == NAME and token.text not in _NO_PARAMETERS:
                place += 1
            elif token.text == "(" and token.kind != STRING:
                place = self.behind_brackets.get(place, len(self.tokens) - 1)
            elif token.text in ("~", "?") and token.spaced and not self.tokens[place + 1].spaced:
                place += 1
            else:
                break
        token = self.tokens[place]
        if self.tokens[place] is first or token.kind == STRING:
            return False
        if token.text == ":" and not token.is_first:
            return self._has_sign_on_line(place)
        return token.text == "=" and not token.is_first

    def _has_sign_on_line(self, place: int) -> bool:
        """True if a `=` follows the result's type on the line."""
        for token in self.tokens[place : place + 30]:
            if token.text == "=" and token.kind != STRING:
                return True
            if token.is_first:
                return False
        return False

    def definition(self, start: int) -> n.Function:
        """`name a (b: Int) : Int = value`, behind `let`."""
        name = self.name()
        parameters: list[n.Parameter] = []
        patterns: list[n.Pattern] = []
        optional: list[n.Parameter] = []
        while not self.is_sign("=", ":"):
            begin = self.token.start
            if self.is_sign("~", "?"):
                part = self._labelled_parameter()
                if part.default is not None:
                    optional.append(part)
                else:
                    patterns.append(n.Binding(part.name, None, part.type, start=part.start, end=part.end))
                continue
            if self.is_sign("(") and self.ahead().text == ")":
                self.take()
                self.take()
                continue
            if self.is_sign("("):
                self.take()
                group = [self._parameter_pattern()]
                while self.skip(","):
                    group.append(self._parameter_pattern())
                self.expect(")")
                is_tuple = len(group) > 1 and not (len(patterns) == 0 and self.is_sign("=", ":"))
                patterns += [n.TuplePattern(list(group))] if is_tuple else group
            else:
                patterns.append(self._one_pattern())
            patterns[-1].start = begin
        lets: list[n.Statement] = []
        for place, pattern in enumerate(patterns):
            if isinstance(pattern, n.Binding) and pattern.inner is None:
                parameters.append(n.Parameter(pattern.name, pattern.type, start=start, end=self.before.end))
                continue
            own = f"part_{place + 1}"
            parameters.append(n.Parameter(own, Type(), start=start, end=self.before.end))
            if not isinstance(pattern, n.Wildcard):
                lets.append(n.Let(pattern, None, n.Name(own, start=start, end=start), start=start, end=self.before.end))
        parameters += optional
        result = self.type() if self.skip(":") else None
        self.expect("=")
        self._bound, bound = frozenset((name,)), self._bound
        # Languages of such definitions assign otherwise: `=` compares in a body.
        self._equals += 1
        try:
            value = self.function_value(parameters) if self._is_cases() else self.body_value()
        finally:
            self._bound = bound
            self._equals -= 1
        body = value if isinstance(value, n.Block) else n.Block([n.Evaluate(value, start=value.start, end=value.end)])
        body.statements[:0] = lets
        body.start, body.end = body.start or value.start, self.before.end
        return n.Function(name, parameters, result, body, start=start, end=self.before.end)

    def _labelled_parameter(self) -> n.Parameter:
        """`~name`, `~(name : type)`, `?(name = 1)`, `?name`, which may be absent."""
        start = self.token.start
        is_optional = self.take().text == "?"
        in_brackets = self.skip("(")
        name = self.name()
        kind = self.type() if in_brackets and self.skip(":") else Type()
        default: n.Expr | None = None
        if in_brackets and is_optional and self.skip("="):
            default = self.expression()
        elif is_optional:
            kind, default = option_of(kind), n.Literal("none", "None", start=start, end=self.before.end)
        if in_brackets:
            self.expect(")")
        return n.Parameter(name, kind, default, start=start, end=self.before.end)

    def _is_cases(self) -> bool:
        """`function | A -> …`, `function A x -> …`."""
        first = self.ahead()
        if not self.is_word("function") or first.text in ("(", "*"):
            return False
        if first.text == "|" or first.is_first or self.ahead(2).text in ("->", "::"):
            return True
        begins = first.kind in (INT, STRING) or first.text in ("[", "{", "_") or first.text[:1].isupper()
        for token in self.tokens[self.at + 2 : self.at + _LONGEST]:
            if token.text in ("->", "when") and token.kind != STRING:
                return begins
            if token.is_first or token.text in (";", "=>", ".", "return"):
                return False
        return False

    def function_value(self, parameters: list[n.Parameter]) -> n.Expr:
        """The cases of `function`, which match one more parameter."""
        start = self.expect("function").start
        parameters.append(n.Parameter("argument", Type(), start=start, end=start))
        return self.arms(n.Name("argument", start=start, end=start), start)

    def cases_closure(self) -> n.Expr:
        """`function | A -> 1 | B -> 2` as a value."""
        start = self.expect("function").start
        body = self.arms(n.Name("argument", start=start, end=start), start)
        return n.Lambda([n.Binding("argument")], body, start=start, end=self.before.end)

    # ---- arms ----

    def _pair_pattern(self) -> n.Pattern:
        """`a, b | c, d`: patterns for values that commas separate."""
        start = self.token.start
        options: list[n.Pattern] = []
        while True:
            items = [self._cons_pattern()]
            while self.skip(","):
                items.append(self._cons_pattern())
            options.append(items[0] if len(items) == 1 else n.TuplePattern(items, start=start, end=self.before.end))
            if not self.is_sign("|"):
                break
            self.take()
        return options[0] if len(options) == 1 else n.OrPattern(options, start=start, end=self.before.end)

    def _is_next_arm(self, column: int) -> bool:
        """True if another arm without braces follows: in the column of the first one, or behind a bar on the line."""
        if self.token.is_first:
            return self.token.column == column
        return self.is_sign("|") and self.tokens[self.at].column > column

    def _bar_guard(self) -> n.Expr | None:
        if self.is_word("otherwise", "true", "True") and self.ahead().text in ("=>", "->", "="):
            self.take()
            return None
        return self.condition()

    def _with_capture(self, condition: n.Expr) -> n.Expr:
        """`if (option) |value| { … }`: the value in an Option, behind a condition in parentheses."""
        is_capture = self.is_sign("|") and self.before.text == ")" and self.ahead().kind == NAME and self.ahead(2).text == "|"
        if not is_capture:
            return condition
        self.take()
        pattern = n.VariantPattern("", "Some", [n.Binding(self.name())])
        self.expect("|")
        return n.LetCondition(pattern, condition, start=condition.start, end=self.before.end)

    def _is_value_if(self) -> bool:
        """True if the `if` at this place gives a value: `else` or a brace stands on its line."""
        for token in self.tokens[self.at + 1 : self.at + 60]:
            if token.is_first:
                return self.tokens[self.at].text == "if" and token.text != "else" and self._line_ends_open(token)
            if token.text == "else" and token.kind == NAME:
                return True
        return False

    def _line_ends_open(self, token: Token) -> bool:
        return self.tokens[self.tokens.index(token) - 1].text == "{"

    def sized(self) -> n.Expr:
        """`{0}` or `{1, 2}` for an array whose length its type says: one zero stands for as many."""
        length, self._length = self._length, None
        values = self.braced_list()
        assert isinstance(values, n.ListOf)
        assert length is not None
        only = values.items[0] if len(values.items) == 1 else None
        if str(len(values.items)) == length.text:
            return values
        if not (isinstance(only, n.Literal) and only.text in ("0", "0.0", "false")):
            raise self.unknown("as many values as the array has are expected")
        count = n.Literal("int", length.text, start=length.start, end=length.end)
        return n.Call(n.Name("vec!;"), [n.Argument(only), n.Argument(count)])

    # ---- arguments by label, computations ----

    def labelled(self) -> n.Argument:
        """`~default:0`, `~f:(fun x -> x)`, `~name`."""
        self.expect("~")
        start = self.token.start
        name = self.name()
        value = self._postfix() if self.skip(":") else n.Name(name, start=start, end=self.before.end)
        return n.Argument(value, name, start=start, end=self.before.end)

    def is_computation(self) -> bool:
        """`seq { 0 .. 5 }`, `seq { for x in xs -> x }`."""
        return (
            self.token.text in _MAKERS
            and self.ahead().text == "{"
            and not self._plain
            and (self.ahead(2).text == "for" or any(token.text == ".." for token in self.tokens[self.at + 2 : self.at + 5]))
        )

    def computation(self) -> n.Expr:
        self.take()
        return self.generated_list("{", "}")

    def generated_list(self, opening: str, closing: str) -> n.Expr:
        """`[for x in xs -> e]`, `[for x in xs do yield e]`, `{ low .. high }`: ranges there hold their last value."""
        start = self.expect(opening).start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        if self.is_word("for"):
            node = self._generator(start)
        else:
            node = self.expression()
            if not isinstance(node, n.Range):
                raise self.unknown("a range is expected")
            node.inclusive = True
            node = n.Call(n.Member(node, "to_list"), [])
        self.expect(closing)
        self._plain, self._no_ternary = plain, ternary
        return node

    def _generator(self, start: int) -> n.Expr:
        self.expect("for")
        pattern = self._comma_pattern()
        self.expect("in")
        self._no_ternary += 1
        source = self._binary(0)
        if isinstance(source, n.Range):
            source.inclusive = True
        condition = None
        self.skip("do")
        if self.skip("if", "when"):
            condition = self._binary(0)
            self.expect("then", "->", "do")
        else:
            self.skip("->")
        self._no_ternary -= 1
        lets: list[n.Statement] = []
        while self.is_word("let") and condition is None:
            lets.append(self.statement())
        if self.is_word("for") and not lets:
            inner = n.Comprehension(self._generator(start), pattern, source, condition, start=start, end=self.before.end)
            return n.Call(n.Member(inner, "flatten", start=start, end=self.before.end), [], start=start, end=self.before.end)
        self.skip("yield")
        if self.is_word("if", "for", "let", "match"):
            raise self.unknown("a value of a loop is expected")
        value = self.expression()
        if lets:
            last = n.Evaluate(value, start=value.start, end=value.end)
            value = n.Block([*lets, last], start=lets[0].start, end=value.end)
        return n.Comprehension(value, pattern, source, condition, start=start, end=self.before.end)


def in_cell(value: n.Expr | None) -> n.Expr | None:
    """The value in `ref value`."""
    is_cell = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "ref"
    return value.arguments[0].value if is_cell and isinstance(value, n.Call) and len(value.arguments) == 1 else None


def empty_container(word: str, kind: Type) -> n.Expr | None:
    """Initial value of a C++ variable declared without one: empty for containers and texts, None for other types."""
    if word not in ("vector", "map", "unordered_map", "string", "set", "deque", "list"):
        return None
    return {"List": n.ListOf([]), "Map": n.MapOf([]), "String": n.Literal("string", '""')}.get(kind.name)


__all__ = ["Layouts", "empty_container", "in_cell"]
