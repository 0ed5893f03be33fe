"""Forms of Nim: `case … of` by layout, `result`, tables and sequences of a type, calls without parentheses, `$` and `&`."""

from __future__ import annotations

from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.nim_calls import of_nim
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_lua import LuaForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, list_of, set_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, walk

_ZEROS: Final = {"Int": ("int", "0"), "Float": ("float", "0.0"), "String": ("string", '""'), "Bool": ("bool", "false")}
_MADE: Final = frozenset(
    "initTable newTable initOrderedTable initCountTable initHashSet initOrderedSet newSeq newSeqOfCap initDeque".split()
)
_COMMANDS: Final = frozenset("add inc dec echo del incl excl insert".split())


class NimForms(LuaForms):
    """Reads them where the habits of a program are those of Nim."""

    @lazily
    def speaks_nim(self) -> bool:
        return self.habit == "nim"

    def settle_tokens(self) -> None:
        """Takes the signs of Nim for what they mean: `@[` begins a list, `&` joins, `name*` is public."""
        super().settle_tokens()
        if not self.speaks_nim:
            return
        kept: list[Token] = []
        for place, token in enumerate(self.tokens):
            follows = self.tokens[place + 1] if place + 1 < len(self.tokens) else token
            if token.kind == OPERATOR and token.text == "@" and follows.text in ("[", "{"):
                self.tokens[place + 1] = follows._replace(is_first=token.is_first, column=token.column, spaced=token.spaced)
                continue
            if token.kind == OPERATOR and token.text in ("&", "&="):
                token = token._replace(text="++" if token.text == "&" else "++=")
            is_public = token.text == "*" and not token.spaced and kept and kept[-1].kind == NAME
            if is_public and follows.text in (":", "(", "=", "[", "*"):
                continue
            if token.kind == NAME and token.text == "notin":
                kept.append(token._replace(text="not"))
                token = token._replace(text="in", is_first=False)
            kept.append(token)
        self.tokens = kept

    @lazily
    def dots_include_end(self) -> bool:
        return True if self.speaks_nim else super().dots_include_end

    @lazily
    def variants_of_nim(self) -> frozenset[str]:
        """The names behind `= enum`, up to the next item."""
        words: set[str] = set()
        is_inside = False
        for token, follows, later in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if token.text == "=" and follows.text == "enum":
                is_inside = True
            elif is_inside and token.kind == NAME and token.text != "enum":
                is_item = token.is_first and (token.column == 0 or (follows.text == "=" and later.kind == NAME))
                is_inside = not is_item
                words |= set() if is_item else {token.text}
        return frozenset(words)

    # ---- expressions ----

    def _unary(self) -> n.Expr:
        if not self.speaks_nim:
            return super()._unary()
        start = self.token.start
        if self.is_sign("$") and (self.ahead().kind in (NAME, INT, FLOAT, STRING) or self.ahead().text in ("(", "[")):
            self.take()
            value = self._postfix()
            return n.Call(n.Member(value, "to_string", start=start, end=self.before.end), [], start=start, end=self.before.end)
        if self.is_sign("^") and self.ahead().kind in (INT, NAME):
            self.take()
            return n.Unary("-", self._postfix(), start=start, end=self.before.end)
        return super()._unary()

    def _word(self) -> n.Expr:
        if self.speaks_nim and self.token.text in _MADE and self.ahead().text == "[":
            return self._container()
        if self.speaks_nim and self.is_word("proc") and self.ahead().text == "(":
            return self._anonymous()
        if self.speaks_nim and self.is_word("case") and self.ahead().text not in (".", "=", ",", ")"):
            return self._case_of()
        return super()._word()

    def _container(self) -> n.Expr:
        """`initTable[K, V]()`, `newSeq[int](n)`."""
        token = self.take()
        self.expect("[")
        parts = self._types("]")
        arguments: list[n.Argument] = []
        if self.skip("("):
            arguments = self._arguments(")")
        start, end = token.start, self.before.end
        if "Table" in token.text:
            value = Type("Int") if token.text == "initCountTable" else parts[-1]
            return n.Cast(n.MapOf([], start=start, end=end), Type("Map", parts[0], value), start=start, end=end)
        empty: n.Expr = n.ListOf([], start=start, end=end)
        if token.text == "newSeq" and arguments:
            zero = self.zero_of(parts[0], start, end)
            return n.Call(n.Name("vec!;"), [n.Argument(zero), arguments[0]], start=start, end=end)
        kind = set_of(parts[0]) if "Set" in token.text else list_of(parts[0])
        return n.Cast(empty, kind, start=start, end=end)

    def zero_of(self, kind: Type | None, start: int, end: int) -> n.Expr:
        """Initial value of a variable declared without one, by its type."""
        name = head(kind)
        if name in _ZEROS:
            return n.Literal(*_ZEROS[name], start=start, end=end)
        if name == "List":
            return n.ListOf([], start=start, end=end)
        if name == "Map":
            return n.MapOf([], start=start, end=end)
        if name == "Option":
            return n.Literal("none", "None", start=start, end=end)
        if name in self.own_types:
            return n.Call(n.Path(name, "default", start=start, end=end), [], start=start, end=end)
        raise self.unknown("a type whose zero is known")

    def _anonymous(self) -> n.Expr:
        """`proc (a: int): int = a * 2`."""
        start = self.take().start
        self.expect("(")
        parameters: list[n.Pattern] = []
        while not self.skip(")"):
            parameters.append(self._parameter_pattern())
            self.skip(",", ";")
        if self.skip(":"):
            self.type()
        self.expect("=")
        body = self.body_value()
        return n.Lambda(parameters, body, start=start, end=self.before.end)

    def _case_of(self) -> n.Expr:
        """`case value`, and below it `of a, b:` with statements, `else:`."""
        start = self.expect("case").start
        value = self.condition()
        self.skip(":")
        match = n.Match(value, [], start=start)
        while self.is_word("of", "elif", "else"):
            at = self.token.start
            if self.is_word("elif"):
                raise self.unknown("`of` is expected")
            pattern: n.Pattern = n.Wildcard(start=at, end=at)
            if self.take().text == "of":
                options = [self._of_pattern()]
                while self.skip(","):
                    options.append(self._of_pattern())
                pattern = options[0] if len(options) == 1 else n.OrPattern(options, start=at, end=self.before.end)
            body = self.block()
            only = body.statements[0] if len(body.statements) == 1 else None
            given = only.value if isinstance(only, n.Evaluate) else body
            match.arms.append(n.Arm(pattern, None, given, start=at, end=self.before.end))
        match.end = self.before.end
        return match

    def _of_pattern(self) -> n.Pattern:
        pattern = self.pattern()
        if isinstance(pattern, n.RangePattern) and ".." in self.text[pattern.start : pattern.end]:
            pattern.inclusive = "..<" not in self.text[pattern.start : pattern.end]
        if isinstance(pattern, n.Binding) and pattern.inner is None:
            if pattern.name not in self.variants_of_nim:
                return n.LiteralPattern(n.Name(pattern.name, start=pattern.start, end=pattern.end))
            return n.VariantPattern("", pattern.name, [], start=pattern.start, end=pattern.end)
        return pattern

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        translated = of_nim(call) if self.speaks_nim else call
        return translated if translated is not call else super()._ordered(call, is_curried)

    # ---- statements ----

    def _statement(self) -> n.Statement:
        if not self.speaks_nim:
            return super()._statement()
        if self.is_word("discard"):
            self.take()
            return n.Evaluate(self.expression() if not self.token.is_first else n.Literal("unit", "{}"))
        if self.is_word("inc", "dec") and self.ahead().kind == NAME and not self.ahead().is_first:
            return self._counted(self.take().text)
        if self.is_word("var", "let", "const") and self.ahead().is_first:
            return self._declared_below()
        statement = super()._statement()
        if isinstance(statement, n.Let) and statement.value is None and statement.type is not None:
            statement.value = self.zero_of(statement.type, self.before.end, self.before.end)
        if isinstance(statement, n.Evaluate):
            return self._command(statement)
        return statement

    def _declared_below(self) -> n.Statement:
        """`var` and names below it."""
        word = self.take().text
        column = self.token.column
        lets: list[n.Statement] = []
        while self.token.is_first and self.token.column == column and self.token.kind == NAME:
            start = self.token.start
            name = self.name()
            kind = self.type() if self.skip(":") else None
            value = self.body_value() if self.skip("=") else self.zero_of(kind, start, start)
            lets.append(n.Let(n.Binding(name), kind, value, word == "var", start=start, end=self.before.end))
        self.pending = [*lets[1:], *self.pending]
        return lets[0]

    def _counted(self, word: str) -> n.Statement:
        """`inc x`, `dec x, 2`."""
        target = self._postfix()
        step: n.Expr = n.Literal("int", "1", start=self.before.end, end=self.before.end)
        if self.skip(","):
            step = self.expression()
        return n.Assign(target, "+" if word == "inc" else "-", step)

    def _command(self, statement: n.Evaluate) -> n.Statement:
        """`xs.add x`: arguments without parentheses behind a method; `inc(x)`, `x.inc` as a sum."""
        value = statement.value
        is_method = isinstance(value, n.Member) and value.name in _COMMANDS
        if is_method and not self.token.is_first and self.token.kind != "end" and not self.is_sign("}", ")", ";"):
            arguments = [n.Argument(self.expression())]
            while self.skip(","):
                arguments.append(n.Argument(self.expression()))
            value = statement.value = of_nim(n.Call(value, arguments, start=value.start, end=self.before.end))
        name, target, rest = "", None, []
        if isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.arguments:
            name, target, rest = value.function.name, value.arguments[0].value, value.arguments[1:]
        elif isinstance(value, n.Call) and isinstance(value.function, n.Member):
            name, target, rest = value.function.name, value.function.object, value.arguments
        elif isinstance(value, n.Member):
            name, target = value.name, value.object
        if name in ("inc", "dec") and target is not None and name not in self.names_of_functions:
            at = value.end
            step: n.Expr = rest[0].value if rest else n.Literal("int", "1", start=at, end=at)
            if rest and "initCountTable" in self.text:
                place = n.Index(target, step, start=value.start, end=at)
                return n.Assign(place, "+" if name == "inc" else "-", n.Literal("int", "1", start=at, end=at))
            return n.Assign(target, "+" if name == "inc" else "-", step)
        return statement

    def with_result(self, function: n.Function) -> None:
        """A function that gives its variable `result`, which begins as a zero."""
        body = function.body
        names = [node for node in walk(body) if isinstance(node, n.Name) and node.name == "result"]
        bound = {name for node in walk(body) if isinstance(node, n.Pattern) for name in bound_names(node)}
        is_used = bool(names) and "result" not in bound and not any(part.name == "result" for part in function.parameters)
        if not self.speaks_nim or not is_used or function.result is None:
            return
        start, end = body.start, body.end
        for jump in [node for node in walk(body) if isinstance(node, n.Jump) and node.kind == "return" and node.value is None]:
            jump.value = n.Name("result", start=jump.end, end=jump.end)
        first = body.statements[0]
        is_set = isinstance(first, n.Assign) and isinstance(first.target, n.Name) and first.target.name == "result"
        value = first.value if isinstance(first, n.Assign) and is_set and not first.operator else None
        if value is not None:
            body.statements.pop(0)
        value = value or self.zero_of(function.result, start, start)
        body.statements.insert(
            0, n.Let(n.Binding("result", start=start, end=start), function.result, value, True, start=start, end=start)
        )
        body.statements.append(n.Evaluate(n.Name("result", start=end, end=end), start=end, end=end))

    # ---- types ----

    def _type_operand(self) -> Type:
        if self.speaks_nim:
            self.skip("var")
        return super()._type_operand()

    def types_of_nim(self) -> list[n.Item]:
        """`type`, and below it `Name = object` with fields or `Name = enum` with variants; also on one line."""
        self.expect("type")
        column = self.token.column
        is_block = self.token.is_first
        items: list[n.Item] = []
        while self.token.kind == NAME and (not items or (is_block and self.token.is_first and self.token.column == column)):
            start, own = self.token.start, self.token.column if is_block else 0
            items.append(self._type_of_nim(start, own))
        return items

    def _type_of_nim(self, start: int, column: int) -> n.Item:
        name = self.name()
        self.expect("=")
        self.skip("ref")
        if self.skip("enum"):
            variants: list[n.Variant] = []
            while self.token.kind == NAME and not (self.token.is_first and self.token.column <= column):
                at = self.token.start
                variants.append(n.Variant(self.name(), [], start=at, end=self.before.end))
                if self.skip("="):
                    self.take()
                self.skip(",")
            return n.Enum(name, variants, start=start, end=self.before.end)
        if not self.skip("object"):
            return n.Alias(name, self.type(), start=start, end=self.before.end)
        fields: dict[str, Type] = {}
        while self.token.kind == NAME and self.token.is_first and self.token.column > column:
            if self.is_word("case"):
                raise Untranslatable("an object with variants", self.token.start)
            names = [self.name()]
            while self.skip(","):
                names.append(self.name())
            self.expect(":")
            fields.update(dict.fromkeys(names, self.type()))
        return n.Record(name, fields, start=start, end=self.before.end)
