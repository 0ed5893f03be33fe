"""Statements and blocks of all dialects."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.libraries.foreign_calls import counted_entry, pushed
from analysis.fixes.dialect.reading.grammar_ahead import with_rest
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_bits import BITS
from analysis.fixes.dialect.reading.grammar_layout import empty_container, in_cell
from analysis.fixes.dialect.reading.grammar_targets import Targets
from analysis.fixes.dialect.rewriting.aliases.named_places import PlaceLet
from analysis.fixes.dialect.rewriting.jumps.loop_values import with_value
from analysis.fixes.dialect.rewriting.lists.kept_rests import rest_of
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import root_of, walk

_DECLARING: Final = {"let": False, "var": True, "val": False, "const": False, "auto": True, "local": True}
_BETWEEN: Final = frozenset(("&", "*", "+", "|", "^", "~", "%", "/", ",", "@", ":", "?", "<", ">", "<<", ">>", "**", "="))
"""Signs that stand between values: where one begins a statement, it belongs to the value before it."""
_COMPOUND: Final = {
    "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "++=": "++", "**=": "**",
    "??=": "??", "//=": "/", ".=": "++", "||=": "||", "&&=": "&&", "&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>",
}  # fmt: skip
_ENDS: Final = ("end", "else", "elsif", "elseif", "elif", "when", "rescue", "ensure")
"""Words that end the statements behind `do`, `then` and the like."""
_FUNCTION_WORDS: Final = ("fn", "def", "fun", "func", "function")


class Statements(Targets):
    """Grammar of blocks. `pending` holds the further statements of a form that stands for several."""

    pending: list[n.Statement] = []  # noqa: RUF012 - replaced, never changed

    def block(self) -> n.Block:
        if self.is_sign(":") and not (self.uses_end and self.is_symbol()):
            return self._indented()
        if self.is_word("do") and not self.uses_end:
            return self.done_block()
        if self.is_word("do", "then") or (self.uses_end and self.token.is_first and not self.is_sign("{")):
            worded = self.worded_block()
            self.expect("end")
            return worded
        if self.before.text == ")" and not self.is_sign("{"):
            return self.one_statement()
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        self._equals, equals = 0, self._equals
        statements = self.statements("}")
        self.expect("}")
        self._plain, self._no_ternary, self._equals = plain, ternary, equals
        return n.Block(statements, start=start, end=self.before.end)

    def one_statement(self) -> n.Block:
        """A body without braces, as in C: one statement."""
        start = self.token.start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        statement = self.statement()
        self.skip(";")
        self._plain, self._no_ternary = plain, ternary
        return n.Block([statement, *self.taken_pending()], start=start, end=self.before.end)

    def worded_block(self) -> n.Block:
        """`do … end`, `then … else`: statements up to the word that ends them, which stays."""
        start = self.token.start
        self.skip("do", "then")
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        statements: list[n.Statement] = []
        while not self.is_word(*_ENDS) and not self._begins_row() and not self.is_sign("}") and self.token.kind != "end":
            if not self.skip(";"):
                self._separated(statements)
                statements += [self.statement(), *self.taken_pending()]
        self._plain, self._no_ternary = plain, ternary
        return n.Block(statements, start=start, end=self.before.end)

    def _begins_row(self) -> bool:
        """True if `in pattern` begins a line, as in a `case` of Ruby."""
        return self.is_word("in") and self.token.is_first

    def _indented(self) -> n.Block:
        """A block that a colon begins: the rest of the line, or the lines that are indented deeper."""
        column = self._line_column()
        start = self.expect(":").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        statements: list[n.Statement] = []
        if not self.token.is_first and not self._skips_ellipsis():
            statements += [self.statement(), *self.taken_pending()]
        while self.token.kind != "end" and self.token.is_first and self.token.column > column and not self.is_sign("}"):
            if not self.skip("pass", ";") and not self._names_outer() and not self._skips_ellipsis():
                statements += [self.statement(), *self.taken_pending()]
        self._plain, self._no_ternary = plain, ternary
        return n.Block(statements, start=start, end=self.before.end)

    def statements(self, *closing: str) -> list[n.Statement]:
        statements: list[n.Statement] = []
        while self.token.kind != "end" and not self.is_sign(*closing):
            if self.skip(";", "pass") or self._names_outer() or self._skips_variants():
                continue
            if self.is_word("where") and (self.ahead().kind == NAME or self.ahead().text == "{") and statements:
                whole = n.Block(statements)
                self.with_bindings(whole)
                statements = whole.statements
                continue
            self._separated(statements)
            if self._is_use():
                statements += self._use(*closing)
                continue
            statements += [self.statement(), *self.taken_pending()]
        return statements

    def taken_pending(self) -> list[n.Statement]:
        taken, self.pending = self.pending, []
        return taken

    @abstractmethod
    def with_bindings(self, body: n.Block) -> None: ...

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
        statement = self._statement()
        statement.start, statement.end = start, self.before.end
        return statement

    def _statement(self) -> n.Statement:
        word = self.token.text if self.token.kind == NAME else ""
        follows = self.ahead()
        if word == "local" and follows.text == "function":
            self.take()
            return n.Local(self.inner_function())
        if word in _DECLARING and (follows.kind == NAME or follows.text in ("(", "[", "{", "#")):
            return self._let(word)
        if word == "guard":
            return self._guard()
        if word in _FUNCTION_WORDS and follows.kind == NAME and self.ahead(2).text in ("(", "<"):
            return n.Local(self.inner_function())
        if word in ("final", "late", "readonly", "const", "static") and follows.kind == NAME:
            self.take()
            return self._statement() if self.ahead().text not in ("=", ":") else self._named_value()
        if (typed := self.typed_name("=", ";")) is not None:
            value = self._typed_value(typed[0]) if self.skip("=") else empty_container(word, typed[0])
            if self.is_sign(",") and value is not None:
                return self._several(n.Binding(typed[1]), value)
            return n.Let(n.Binding(typed[1]), typed[0], value)
        if word in ("while", "until", "loop", "for", "foreach"):
            return self._loop(word, follows.text)
        if word == "do" and follows.text == "{" and self._is_do_while():
            return self._do_while()
        if word in ("del", "delete") and follows.kind == NAME and not follows.is_first:
            return self._deletion()
        if word in ("return", "break", "continue"):
            begins = self.token.is_first or self.before.text in ("{", ";")
            jump = self._jump()
            if begins and self.is_sign(",") and isinstance(jump, n.Jump) and jump.value is not None and not self.ahead().is_first:
                items = [jump.value]
                while self.skip(","):
                    items.append(self.expression())
                jump.value = n.TupleOf(items, start=jump.value.start, end=self.before.end)
            return self._only_if(n.Evaluate(jump))
        if self.is_sign("++", "--"):
            sign = self.take().text[0]
            return n.Assign(self._postfix(), sign, n.Literal("int", "1"))
        return self._only_if(self.assignment())

    def _loop(self, word: str, follows: str) -> n.Statement:
        """A loop of any kind."""
        if word == "loop" and follows != "{":
            return self._only_if(self.assignment())
        self._loops += 1
        try:
            if word in ("for", "foreach"):
                return self._for()
            if word == "loop":
                loop = self.endless_loop()
                value = with_value(loop)
                return n.Evaluate(value) if value is not None else loop
            self.take()
            condition = self._with_capture(self.condition())
            if self.is_sign(":") and self.ahead().text == "(":
                return self._stepping(condition)
            return n.While(n.Unary("!", condition) if word == "until" else condition, self.block())
        finally:
            self._loops -= 1

    def endless_loop(self) -> n.While:
        """`loop { … }`."""
        start = self.take().start
        return n.While(n.Literal("bool", "true", start=start, end=start), self.block(), start=start, end=self.before.end)

    def _named_value(self) -> n.Statement:
        """`final x = 1`, behind the word."""
        pattern = n.Binding(self.name())
        kind = self.type() if self.skip(":") else None
        self.expect("=")
        return n.Let(pattern, kind, self.body_value())

    def _typed_value(self, kind: Type) -> n.Expr:
        """`int[] xs = {1, 2}`: what braces hold is a list where the type says so."""
        if not (self.is_sign("{") and kind.name == "List"):
            return self.expression()
        start = self.take().start
        items: list[n.Expr] = []
        while not self.skip("}"):
            items.append(self._typed_value(kind.arguments[0]))
            if not self.skip(","):
                self.expect("}")
                break
        return n.ListOf(items, start=start, end=self.before.end)

    def _only_if(self, statement: n.Statement) -> n.Statement:
        """`return 1 if c`, `x = 1 unless c`."""
        if self.is_word("if", "unless") and not self.token.is_first and self.before.text != ";":
            negated = self.take().text == "unless"
            body = n.Block([statement], start=statement.start, end=self.before.end)
            # No block follows: braces hold the closure of a call.
            self._plain, plain = 0, self._plain
            condition = self.expression()
            self._plain = plain
            return n.Evaluate(n.If(n.Unary("!", condition) if negated else condition, body, None))
        return statement

    def _do_while(self) -> n.Statement:
        """`do { … } while (c);`: the condition is tested behind the body."""
        start = self.take().start
        body = self.block()
        self.expect("while")
        condition = self.condition()
        self.skip(";")
        if any(isinstance(node, n.Jump) and node.kind == "continue" for node in walk(body)):
            raise self.unknown("a loop that tests its condition first")
        stop = n.Block([n.Evaluate(n.Jump("break"))])
        body.statements.append(n.Evaluate(n.If(n.Unary("!", condition), stop, None, start=condition.start, end=self.before.end)))
        return n.While(n.Literal("bool", "true"), body, start=start, end=self.before.end)

    def _guard(self) -> n.Statement:
        """`guard c else { … }`, `guard let x = v else { … }`."""
        self.take()
        condition = self.condition()
        self.expect("else")
        body = self.block()
        if isinstance(condition, n.LetCondition):
            pattern, value = condition.pattern, condition.value
            if isinstance(pattern, n.Binding):
                pattern = n.VariantPattern("", "Some", [pattern], start=pattern.start, end=pattern.end)
            return n.Let(pattern, None, value, False, body)
        return n.Evaluate(n.If(n.Unary("!", condition), body, None))

    def _declares_another(self) -> bool:
        """`var a = 1, b = 2`, behind the first value."""
        return self.is_sign(",") and self.ahead().kind == NAME and self.ahead(2).text == "=" and not self.token.is_first

    def _several(self, first: n.Pattern, value: n.Expr) -> n.Statement:
        """`int a = 1, b = 2`."""
        patterns, values = [first], [value]
        while self.skip(","):
            patterns.append(n.Binding(self.name()))
            self.expect("=")
            values.append(self.expression())
        return n.Let(n.TuplePattern(patterns), None, n.TupleOf(values), True)

    def _stepping(self, condition: n.Expr) -> n.Statement:
        """`while (c) : (i += 1) { … }`."""
        self.take()
        self.expect("(")
        step = self._statement()
        self.expect(")")
        return n.CountingFor(None, condition, step, self.block())

    def assignment(self) -> n.Statement:
        is_deref = self.is_sign("*")
        statement = self._assignment()
        if is_deref and isinstance(statement, n.Assign) and root_of(statement.target):
            self._derefs.append((statement, root_of(statement.target)))
        return statement

    def _assignment(self) -> n.Statement:
        begins = self.token.is_first or self.before.text in ("{", ";", "do", "then", "else", "if", ")", "for")
        left = self.expression()
        if begins and self.is_sign(",") and not self.token.is_first and self._is_multiple():
            return self._multiple(left)
        is_before = isinstance(left, (n.Call, n.Literal, n.RecordOf)) or (
            isinstance(left, (n.Name, n.Member, n.Index, n.TupleOf, n.Binary)) and self.stands_before_list()
        )
        if self.is_sign(":") and is_before and not self.token.is_first and not self.ahead().is_first:
            # `first : rest`, as Haskell writes it.
            self.take()
            left = n.Binary("::", left, self.expression(), start=left.start, end=self.before.end)
        left = self._applied_place(left)
        if self.is_sign("=", ":=") or self.is_set_by_arrow(left):
            sign = self.take().text
            value = self.expression()
            if sign == "=" and self.is_sign("=") and isinstance(value, n.Name) and isinstance(left, n.Name):
                return self._chained([left, value])
            if isinstance(left, n.Name) and left.name in self.references:
                sign = "="
            if isinstance(left, n.ListOf) and isinstance(value, n.ListOf) and len(left.items) == len(value.items):
                left, value = n.TupleOf(left.items), n.TupleOf(value.items)
            if sign == ":=" and isinstance(left, n.Name):
                is_place = self.text[value.start : value.start + 1] == "&" and isinstance(value, (n.Index, n.Member))
                return (PlaceLet if is_place else n.Let)(n.Binding(left.name), None, value, True)
            return (pushed(left, value) if sign == "=" else None) or n.Assign(left, "", rest_of(left, value))
        if self.token.text in _COMPOUND and self.token.kind == "operator":
            sign = _COMPOUND[self.take().text]
            value = self.paired(self.expression())
            if sign in ("||", "??") and isinstance(left, n.Index):
                return n.Assign(left, "", n.Binary("??", deepcopy(left), value, start=left.start, end=value.end))
            if sign in BITS:
                return n.Assign(left, "", self.on_bits(sign, left, value))
            return counted_entry(left, sign, value) or n.Assign(left, sign, value)
        if self.is_sign("++", "--") and not self.token.is_first:
            sign = self.take().text[0]
            return n.Assign(left, sign, n.Literal("int", "1"))
        return n.Evaluate(left)

    def _applied_place(self, left: n.Expr) -> n.Expr:
        """`counts(word)` where it is assigned to, as in Scala: a place of a variable."""
        is_set = self.is_sign("=") or (self.token.text in _COMPOUND and self.token.kind == OPERATOR)
        if not is_set or not isinstance(left, n.Call) or len(left.arguments) != 1 or not isinstance(left.function, n.Name):
            return left
        if left.function.name not in self.declared_names or left.function.name in self.names_of_functions:
            return left
        return n.Index(left.function, left.arguments[0].value, start=left.start, end=left.end)

    def _multiple(self, first: n.Expr) -> n.Statement:
        """`a, b = b, a`, `q, r := f(x)`."""
        targets = [first]
        while self.skip(","):
            targets.append(self._starred() if self.is_sign("*") else self._postfix())
        sign = self.expect("=", ":=").text
        values = [self.expression()]
        while self.skip(","):
            values.append(self.expression())
        value = values[0] if len(values) == 1 else n.TupleOf(values, start=values[0].start, end=self.before.end)
        if any(isinstance(each, n.Spread) for each in targets):
            return self._split_list(targets, value)
        if sign == "=":
            return n.Assign(n.TupleOf(targets), "", value)
        names = [n.Binding(each.name) if isinstance(each, n.Name) and each.name != "_" else n.Wildcard() for each in targets]
        return n.Let(n.TuplePattern(list(names)), None, value, True)

    def _let(self, word: str) -> n.Statement:
        at = self.at
        start = self.take().start
        mutable = _DECLARING[word] or self.skip("mut")
        self.skip("mutable", "rec")
        if is_asserted := self._is_asserted():
            self.take()
        column = self.token.column
        if word == "let" and not is_asserted and self.is_definition():
            function = self.definition(start)
            if self.is_word("in", "and"):
                self.at = at
                return n.Evaluate(self._let_in())
            return n.Local(function, start=start)
        pattern = self._comma_pattern_without_types()
        self._length = None
        kind = self.type() if self.skip(":") else None
        if kind is None and self.token.kind == NAME and not self.token.is_first and word == "var" and self.ahead().text == "=":
            kind = self.type()
        value = None
        is_borrowed = self.is_sign("=") and self.ahead().text == "&" and self.ahead(2).text == "mut"
        if self.skip("=", ":="):
            commas = isinstance(pattern, (n.TuplePattern, n.ListPattern))
            if self._length is not None and self.is_sign("{"):
                value = self.sized()
            elif kind is not None and self._opens_items():
                value = self._typed_value(kind)
            else:
                value = self._bound_value(pattern) if word == "let" else self.body_value()
            if is_borrowed:
                value = n.Unary("&mut", value, start=value.start, end=value.end)
            if commas and self.is_sign(",") and not self.ahead().is_first:
                values = [value]
                while self.skip(","):
                    values.append(self.expression())
                value = n.TupleOf(values, start=values[0].start, end=self.before.end)
        if isinstance(pattern, n.Binding) and pattern.name in self.references and (held := in_cell(value)) is not None:
            value, mutable = held, True
        if isinstance(pattern, n.Binding) and value is not None and kind is None and self._declares_another():
            return self._several(pattern, value)
        if word == "let" and value is not None and self._binds_another():
            return self._with_others(pattern, value, at)
        otherwise = self._failed_assertion() if is_asserted else None
        if self.is_word("else") and self.ahead().text == "{":
            self.take()
            otherwise = self.block()
        if self.is_word("in") or (self.token.is_first and self.token.column == column and self._is_binding()):
            # `let a = 1 in b`, and several bindings under one `let`.
            self.at = at
            return n.Evaluate(self._let_in())
        return n.Let(pattern, kind, value, mutable, otherwise, start=start)

    def _opens_items(self) -> bool:
        """`let m: List<List<Int>> = {{1, 2}, {3, 4}}`: a brace that holds the items of a list."""
        return self.is_sign("{") and (self.ahead().text == "{" or self.ahead(2).text == ",") and self.ahead(2).kind != NAME

    def _comma_pattern_without_types(self) -> n.Pattern:
        self._in_names = True
        items = [self._one_pattern()]
        while self.skip(","):
            items.append(self._one_pattern())
        self._in_names = False
        return with_rest(items) or (items[0] if len(items) == 1 else n.TuplePattern(items))

    def _is_binding(self) -> bool:
        return self.token.kind == NAME and self.ahead().text == "=" and self.before.text not in (";",)

    def function(self, exported: bool = False) -> n.Function:
        raise self.unknown("a function")

    def inner_function(self, exported: bool = False) -> n.Function:
        return self.function(exported)
