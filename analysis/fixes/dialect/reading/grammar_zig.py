"""Forms of Zig: what is captured between bars, `catch`, `error.Name`, builtins with `@`, declarations by `const`."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.zig_calls import is_infallible, of_builtin
from analysis.fixes.dialect.reading.grammar_base import END, NAME
from analysis.fixes.dialect.reading.grammar_swift import SwiftForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.rewriting.aliases.named_places import changing_loop
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import STRING, Type

_VARIANTS: Final = re.compile(r"\b(?:enum|error)\b[^{}\n]{0,80}\{([^{}]{0,4000})\}")
_ERRORS: Final = re.compile(r"\berror\.[A-Z]\w*")
_ARRAY_LISTS: Final = re.compile(r"\b(?:var|const|let|mut)[ \t]{1,9}(\w{1,60})\b[^\n=]{0,80}=[^\n]{0,20}\bArrayList")
_LISTS: Final = re.compile(r"\b(\w{1,60})[ \t]?:[ \t]{0,9}\*?List<")
"""A name whose type says that it is a list: a list of `.ax` has no items besides itself."""
_KINDS: Final = ("struct", "enum", "union", "error", "packed", "extern")
_COALESCING: Final = 1


class ZigForms(SwiftForms):
    """Reads them where a statement, an operand or an item may begin."""

    @lazily
    def uses_errors(self) -> bool:
        """True if errors are values of `error`."""
        return _ERRORS.search(self.text) is not None

    @lazily
    def _variants_of_text(self) -> frozenset[str]:
        """The words in the braces of every enum and set of errors."""
        return frozenset(word for body in _VARIANTS.findall(self.text) for word in re.findall(r"[A-Za-z_]\w*", body))

    # ---- types ----

    def _type_operand(self) -> Type:
        if self.is_sign("[") and self.ahead().text == "]" and not self.is_go:
            place = 3 if self.ahead(2).text == "const" else 2
            if self.ahead(place).text == "u8":
                self.at += place + 1
                return STRING
        if self.is_sign("!") and self.ahead().kind == NAME:
            self.take()
            return Type("Result", self._type_operand(), Type())
        return super()._type_operand()

    def _type_suffix(self, kind: Type) -> Type:
        kind = super()._type_suffix(kind)
        if self.is_sign("!") and not self.token.spaced and (self.ahead().kind == NAME or self.ahead().text in ("?", "[")):
            # `ParseError!u8`.
            self.take()
            error = Type() if kind.name == "anyerror" else kind
            return Type("Result", self._type_operand(), error)
        return kind

    # ---- operands ----

    def _primary(self) -> n.Expr:
        if self.is_sign("@") and self.ahead().kind == NAME and self.ahead(2).text == "(":
            start = self.take().start
            word = self.take().text
            self.take()
            values = [each.value for each in self._arguments(")")]
            translated = of_builtin(word, values, start, self.before.end)
            if translated is None:
                raise self.unknown(f"`@{word}` is a builtin that is not known here")
            return translated
        return super()._primary()

    def _word(self) -> n.Expr:
        if self.is_word("unreachable") and self.ahead().text not in ("(", "=", ":", ".", "!"):
            token = self.take()
            reason = n.Literal("string", '"reached unreachable code"', start=token.start, end=token.end)
            function = n.Name("panic", start=token.start, end=token.end)
            return n.Call(function, [n.Argument(reason)], start=token.start, end=token.end)
        return super()._word()

    def _member(self, expression: n.Expr) -> n.Expr:
        if isinstance(expression, n.Name) and expression.name == "error" and self.uses_errors and self.ahead().kind == NAME:
            self.take()
            return self._error_value(self.take())
        return super()._member(expression)

    def _error_value(self, token: Token) -> n.Expr:
        if token.text in self._variants_of_text:
            return n.Path("", token.text, start=token.start, end=token.end)
        return n.Literal("string", f'"{token.text}"', start=token.start, end=token.end)

    def _postfix_step(self, expression: n.Expr) -> n.Expr | None:
        if self.is_sign(".") and self.ahead().text == "?" and not self.ahead().spaced:
            self.take()
            self.take()
            return n.Call(n.Member(expression, "unwrap"), [])
        if self.is_sign(".") and self.ahead().text == "*" and not self.ahead().spaced and self.ahead(2).text in (")", ";", "."):
            self.take()
            self.take()
            return expression
        if isinstance(expression, n.Member) and expression.name == "items" and self._is_array_list(expression):
            return self._postfix_step(expression.object)
        return super()._postfix_step(expression)

    def _postfix(self, is_operand: bool = False) -> n.Expr:
        expression = super()._postfix(is_operand)
        return expression.object if isinstance(expression, n.Member) and self._is_array_list(expression) else expression

    def _is_array_list(self, node: n.Member) -> bool:
        """`list.items` of an `ArrayList`."""
        return node.name == "items" and isinstance(node.object, n.Name) and node.object.name in self._array_lists

    @lazily
    def _array_lists(self) -> frozenset[str]:
        return frozenset(_ARRAY_LISTS.findall(self.text)) | frozenset(_LISTS.findall(self.text))

    def _with_operators(self, left: n.Expr, level: int, start: int) -> n.Expr:
        left = super()._with_operators(left, level, start)
        while level == _COALESCING and self.is_word("catch") and not self.token.is_first and self.before.text != "}":
            left = self._catch_value(left)
        return left

    def _catch_value(self, value: n.Expr) -> n.Expr:
        """`value catch other`, `value catch |err| other`."""
        start = self.take().start
        if self.is_word("unreachable"):
            self.take()
            return n.Call(n.Member(value, "unwrap"), [], start=value.start, end=self.before.end)
        pattern: n.Pattern = n.Wildcard(start=start, end=start)
        if self.is_sign("|"):
            pattern = self._captured_name()
        if self.is_word("return", "break", "continue"):
            other: n.Expr = self._jump()
        else:
            other = self.block() if self.is_sign("{") else self._binary(_COALESCING + 1)
        if _is_text(value):
            return value
        held = f"held_{start}"
        arms = [
            n.Arm(n.VariantPattern("", "Ok", [n.Binding(held)]), None, n.Name(held, start=start, end=start), start=start),
            n.Arm(n.VariantPattern("", "Err", [pattern]), None, other, start=start, end=self.before.end),
        ]
        return n.Match(value, arms, start=value.start, end=self.before.end)

    def _captured_name(self) -> n.Pattern:
        """`|name|`, `|_|`."""
        self.expect("|")
        if self.is_sign("*"):
            raise self.unknown("a value that is captured, not its place")
        name = self.name()
        self.expect("|")
        return n.Wildcard() if name == "_" else n.Binding(name)

    def _tried(self) -> n.Expr:
        node = super()._tried()
        inner = node.value if isinstance(node, n.Try) else None
        return inner if inner is not None and (is_infallible(inner) or _is_text(inner)) else node

    def _jump(self) -> n.Expr:
        jump = super()._jump()
        value = jump.value if isinstance(jump, n.Jump) and jump.kind == "return" else None
        if isinstance(value, n.Binary) and value.operator == "??" and self.text.startswith("error.", value.right.start):
            assert isinstance(jump, n.Jump)
            jump.value = _or_error(value)
            return jump
        names_error = value is not None and self.text.startswith("error.", value.start)
        if names_error and value is not None and isinstance(value, (n.Path, n.Literal)) and isinstance(jump, n.Jump):
            function = n.Name("Err", start=value.start, end=value.start)
            jump.value = n.Call(function, [n.Argument(value)], start=value.start, end=value.end)
        return jump

    # ---- patterns and arms ----

    def _names_value(self) -> bool:
        return not (self.is_word("error") and self.uses_errors) and super()._names_value()

    def _named_pattern(self, is_variant: bool) -> n.Pattern:
        if self.is_word("error") and self.ahead().text == "." and self.uses_errors:
            self.take()
            self.take()
            token = self.take()
            value = self._error_value(token)
            return n.VariantPattern("", token.text) if isinstance(value, n.Path) else n.LiteralPattern(value)
        return super()._named_pattern(is_variant)

    def _arm(self) -> n.Arm:
        """`.circle => |r| …`: what the variant holds."""
        arm = super()._arm()
        body, pattern = arm.body, arm.pattern
        is_captured = isinstance(body, n.Lambda) and self.text[body.start : body.start + 1] == "|"
        if is_captured and isinstance(body, n.Lambda) and isinstance(pattern, n.VariantPattern) and not pattern.items:
            pattern.items = list(body.parameters)
            arm.body = body.body
        return arm

    # ---- captures ----

    def _if(self) -> n.Expr:
        place = self.behind_brackets.get(self.at + 1, 0) if self.ahead().text == "(" else 0
        bars = [token.text for token in self.tokens[place : place + 3 : 2]]
        if not place or bars != ["|", "|"]:
            return super()._if()
        start = self.take().start
        self.expect("(")
        value = self.expression()
        self.expect(")")
        good = self._captured_name()
        then = self._captured_branch()
        words = ["Some", "None"]
        bad: list[n.Pattern] = []
        otherwise: n.Expr = n.Block([], start=self.before.end, end=self.before.end)
        if self.skip("else"):
            if self.is_sign("|"):
                words, bad = ["Ok", "Err"], [self._captured_name()]
            otherwise = self._if() if self.is_word("if") else self._captured_branch()
        arms = [
            n.Arm(n.VariantPattern("", words[0], [good]), None, then, start=start, end=then.end),
            n.Arm(n.VariantPattern("", words[1], bad), None, otherwise, start=otherwise.start, end=otherwise.end),
        ]
        return n.Match(value, arms, start=start, end=self.before.end)

    def _captured_branch(self) -> n.Expr:
        if self.is_sign("{"):
            return self.block()
        statement = self.statement()
        return statement.value if isinstance(statement, n.Evaluate) else n.Block([statement], start=statement.start)

    def _with_capture(self, condition: n.Expr) -> n.Expr:
        if self.is_sign("|") and self.ahead().text == "_" and self.before.text == ")":
            pattern = n.VariantPattern("", "Some", [self._captured_name()])
            return n.LetCondition(pattern, condition, start=condition.start, end=self.before.end)
        return super()._with_capture(condition)

    def _bar_for(self) -> n.Statement:
        """`for (xs) |x|`, `for (xs, 0..) |x, i|`, `for (xs, ys) |x, y|`, `for (xs) |*x|`."""
        self.expect("(")
        sources = [self._loop_source()]
        while self.skip(","):
            if not self.is_sign(")"):
                sources.append(self._loop_source())
        self.expect(")")
        self.expect("|")
        is_place = self.skip("*")
        patterns = [self._one_pattern()]
        while self.skip(","):
            patterns.append(self._one_pattern())
        self.expect("|")
        body = self.block() if self.is_sign("{") else self.one_statement()
        source = sources[0]
        if is_place:
            changing = changing_loop(patterns[0], source, body)
            if changing is None:
                raise self.unknown("a loop over the items of a list is expected")
            return changing
        if len(patterns) == 1:
            return n.For(patterns[0], source, body)
        if len(patterns) != 2 or len(sources) > 2:
            raise self.unknown("a loop over two sources at most is expected")
        second = sources[1] if len(sources) == 2 else n.Range(n.Literal("int", "0"), None, False)
        if isinstance(second, n.Range) and second.high is None:
            if not (isinstance(second.low, n.Literal) and second.low.text == "0"):
                raise self.unknown("a loop that counts from 0 is expected")
            counted = n.Call(n.Name("enumerate", start=source.start), [n.Argument(source)], start=source.start, end=source.end)
            return n.For(n.TuplePattern([patterns[1], patterns[0]]), counted, body)
        pairs = n.Call(n.Member(source, "zip"), [n.Argument(second)], start=source.start, end=source.end)
        return n.For(n.TuplePattern(list(patterns)), pairs, body)

    def _loop_source(self) -> n.Expr:
        self.skip("&")
        return self.expression()

    # ---- statements and items ----

    def _statement(self) -> n.Statement:
        if self.is_word("defer", "errdefer") and self.ahead().kind == NAME:
            # What is freed here is freed by itself.
            while not self.skip(";"):
                self.take()
            return n.Evaluate(n.Block([], start=self.before.start, end=self.before.end))
        if self.is_sign("_") or (self.is_word("_") and self.ahead().text == "="):
            self.take()
            self.take()
            return n.Evaluate(self.expression())
        return super()._statement()

    def declared_by_const(self) -> list[n.Item] | None:
        """`const P = struct { … };`, `const E = error{ A, B };`, `const std = @import("std");`; None for a value."""
        kind = self.ahead(3).text
        if self.ahead().kind != NAME or self.ahead(2).text != "=":
            return None
        if kind == "@" and self.ahead(4).text == "import":
            while not self.skip(";"):
                self.take()
            return [n.Alias("", Type())]
        place = next((at for at in (4, 5, 7) if self.ahead(at).text == "{"), 0)
        if kind not in _KINDS or not place or self.ahead(3).kind != NAME:
            return None
        name, at = self.ahead().text, self.at
        if kind in ("enum", "error", "union"):
            self.at += place + 1
            return [n.Enum(name, self._zig_variants(is_union=kind == "union"))]
        column = self.token.column
        self.at = at + place
        if self.is_class_body():
            return self.class_body(name, column, False)
        self.take()
        fields, defaults = self._fields("}")
        return [n.Record(name, fields, False, defaults)]

    def _zig_variants(self, is_union: bool) -> list[n.Variant]:
        variants: list[n.Variant] = []
        while not self.skip("}"):
            if self.token.kind == END:
                raise self.unknown("`}` is expected")
            start, name = self.token.start, self.name()
            payload = [self.type()] if is_union and self.skip(":") else []
            variants.append(n.Variant(name, payload, start=start, end=self.before.end))
            if not self.skip(","):
                self.expect("}")
                break
        return variants

    @abstractmethod
    def _fields(self, closing: str) -> tuple[dict[str, Type], dict[str, n.Expr]]: ...

    @abstractmethod
    def is_class_body(self) -> bool: ...

    @abstractmethod
    def class_body(self, name: str, column: int, exported: bool) -> list[n.Item]: ...


def _or_error(node: n.Binary) -> n.Expr:
    """`return list.pop() orelse error.Empty`: what is there, or what went wrong."""
    start, end = node.start, node.end
    held = n.Name(f"held_{start}", start=start, end=start)
    parts: tuple[tuple[str, list[n.Pattern], str, n.Expr], ...] = (
        ("Some", [n.Binding(held.name)], "Ok", held),
        ("None", [], "Err", node.right),
    )
    arms = []
    for word, items, result, value in parts:
        wrapped = n.Call(n.Name(result, start=start, end=start), [n.Argument(value)], start=start, end=end)
        arms.append(n.Arm(n.VariantPattern("", word, list(items), start=start, end=start), None, wrapped, start=start, end=end))
    return n.Match(node.left, arms, start=start, end=end)


def _is_text(value: n.Expr) -> bool:
    """True if a value is a formatted text, which cannot fail here."""
    return isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "format!"


__all__ = ["ZigForms"]
