"""Forms of Kotlin, Java and C#: blocks behind calls, functions of other types, queries, places in two dimensions."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.class_library import with_options
from analysis.fixes.dialect.libraries.kotlin_calls import with_block
from analysis.fixes.dialect.libraries.swift_calls import of_swift
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_class_forms import ClassForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, list_of, map_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_BUILDERS: Final = ("buildString", "buildList", "buildMap", "buildSet", "run", "runCatching")
_CLOSED_BY_CLOSURE: Final = (
    "require", "check", "repeat", "getOrElse", "getOrPut", "ifEmpty", "getOrDefault", "joinToString", "fold",
)  # fmt: skip
"""Functions whose arguments a closure in braces follows, whatever it holds."""
_COMPARING: Final = ("compareBy", "compareByDescending")
_EMPTY: Final = (
    "List", "ArrayList", "Dictionary", "Map", "HashMap", "TreeMap", "mutableListOf", "arrayListOf", "mutableMapOf", "hashMapOf",
    "listOf", "mapOf", "emptyList", "emptyMap",
)  # fmt: skip
_CASES: Final = {"success": "Ok", "failure": "Err", "some": "Some", "none": "None"}
_OWN_CASE: Final = re.compile(r"\bcase (success|failure|some|none)\b")
_KOTLIN: Final = re.compile(r"\b(?:list|map|set|array|mutableList|mutableMap|mutableSet|arrayList|hashMap|pair)Of\b")
"""Marks of Kotlin, as far as Scala has none of them where numbers stand on both sides of `to`."""
_TAKING_RANGES: Final = ("substring", "slice", "removeRange", "subSequence", "replaceRange")
_YIELDED: Final = ("return", "break", "from")
"""Words behind `yield` that tell a generator."""


def _joined_in(node: n.Expr) -> n.Member | None:
    """The call that joins in what `joinToString` with a prefix was read as; None for another expression."""
    if not isinstance(node, n.Binary) or node.operator != "++":
        return None
    for part in (node.left, node.right):
        if isinstance(part, n.Call) and isinstance(part.function, n.Member) and part.function.name == "join":
            return part.function
    return _joined_in(node.left)


class KotlinForms(ClassForms):
    """Reads them where an operand or a statement may begin."""

    # ---- blocks behind calls ----

    def _primary(self) -> n.Expr:
        if self.is_word(*_BUILDERS) and self.ahead().text == "{" and not self._plain and not self.ahead().is_first:
            token = self.take()
            name = n.Name(token.text, start=token.start, end=token.end)
            return self._given(name, self._block_closure())
        if self.is_word(*_COMPARING) and self.ahead().text in ("{", "<"):
            at, token = self.at, self.take()
            if self.is_sign("{") or (self._skips_generics() and self.is_sign("{")):
                return self._given(n.Name(token.text, start=token.start, end=token.end), self._block_closure())
            self.at = at
        if self.is_word(*_EMPTY) and self.ahead().text == "<" and (empty := self._empty_collection()) is not None:
            return empty
        return super()._primary()

    def _empty_collection(self) -> n.Expr | None:
        """`List<Entry>()`, `mutableMapOf<String, Int>()`: the types of what it will hold."""
        at, depth, start = self.at, self._depth, self.token.start
        try:
            self.take()
            self.expect("<")
            kinds = self._types(">")
        except Untranslatable:
            self.at, self._depth = at, depth
            return None
        is_map = len(kinds) == 2
        if not (self.is_sign("(") and self.ahead().text == ")") or len(kinds) not in (1, 2) or self.ahead(2).text in ("{", "."):
            self.at = at
            return None
        self.take()
        self.take()
        value: n.Expr = n.MapOf([]) if is_map else n.ListOf([])
        return n.Cast(value, map_of(*kinds) if is_map else list_of(kinds[0]), start=start, end=self.before.end)

    # ---- variants of the built-in types ----

    @lazily
    def _own_cases(self) -> frozenset[str]:
        """Names of built-in variants that the program declares for its own."""
        return frozenset(_OWN_CASE.findall(self.text))

    def _dotted(self) -> n.Expr:
        """`.success(v)`, `.failure(e)`, `.none` of Swift."""
        word = self.ahead().text
        if word not in _CASES or word in self._own_cases:
            return super()._dotted()
        start = self.take().start
        self.take()
        if word == "none":
            return n.Literal("none", "None", start=start, end=self.before.end)
        return n.Name(_CASES[word], start=start, end=self.before.end)

    def _named_pattern(self, is_variant: bool) -> n.Pattern:
        pattern = super()._named_pattern(is_variant)
        is_case = isinstance(pattern, n.VariantPattern) and pattern.name in _CASES and pattern.owner in ("", "Result", "Optional")
        if is_case and isinstance(pattern, n.VariantPattern) and pattern.name not in self._own_cases:
            pattern.name, pattern.owner = _CASES[pattern.name], ""
        return pattern

    # ---- blocks behind calls, read ----

    def _argument_value(self) -> n.Expr:
        return self._braced_closure() if self._is_closure_argument() else super()._argument_value()

    def _is_closure_argument(self) -> bool:
        """`map({ it * 2 })`, `filter({ x -> x > 1 })`, `reduce({ a, b -> a + b })`."""
        if not self.is_sign("{") or self._opens_fields():
            return False
        place = self.at + 1
        while self.tokens[place].kind == NAME and self.tokens[place + 1].text == ",":
            place += 2
        if self.tokens[place].kind == NAME and self.tokens[place + 1].text == "->":
            return True
        inside = self.tokens[self.at + 1 : self.behind_brackets.get(self.at, 0)]
        return any(token.text == "it" and token.kind == NAME for token in inside)

    def _block_closure(self) -> n.Lambda:
        closure = self._braced_closure()
        assert isinstance(closure, n.Lambda)
        return closure

    def _given(self, call: n.Expr, closure: n.Lambda) -> n.Expr:
        if (joined := _joined_in(call)) is not None:
            # `joinToString(", ", "[", "]") { … }`: its arguments are already read.
            joined.object = n.Call(n.Member(joined.object, "map"), [n.Argument(closure)], start=call.start, end=self.before.end)
            return call
        whole_call = super()._given(call, closure)
        if isinstance(whole_call, n.Call):
            whole_call.start, whole_call.end = call.start, self.before.end
        if (
            isinstance(whole_call, n.Call)
            and isinstance(whole_call.function, n.Member)
            and whole_call.function.name == "compactMap"
        ):
            of_swift(whole_call)
        if (
            isinstance(whole_call, n.Call)
            and isinstance(whole_call.function, n.Member)
            and whole_call.function.name == "joinToString"
        ):
            return with_options(whole_call, whole_call.function) or whole_call
        return with_block(whole_call) or whole_call

    def _is_closure_brace(self) -> bool:
        if super()._is_closure_brace():
            return True
        # `require(n > 0) { "…" }`, `x?.let { "…" }`: nothing but a closure stands in braces behind a call or a method.
        if self._plain or self._opens_fields():
            return False
        is_method = self.before.kind == NAME and self.before.text[0].islower() and self.tokens[self.at - 2].text in (".", "?.")
        return is_method or (self.before.text == ")" and self._ends_call())

    def _opens_fields(self) -> bool:
        return self.ahead().kind == NAME and self.ahead(2).text in (":", "=")

    def _ends_call(self) -> bool:
        """True if the parenthesis before this place closes the arguments of `repeat(3)` and its like."""
        depth = 0
        for place in range(self.at - 1, max(self.at - 200, 0), -1):
            text = self.tokens[place].text if self.tokens[place].kind != "string" else ""
            depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
            if depth == 0:
                return self.tokens[place - 1].text in _CLOSED_BY_CLOSURE
        return False

    def _called(self, expression: n.Expr) -> n.Expr:
        at = self.at
        call = super()._called(expression)
        is_ranged = isinstance(expression, n.Member) and expression.name in _TAKING_RANGES
        if is_ranged and isinstance(call, n.Slice):
            # Functions of Kotlin and Ruby take the last place, too.
            call.inclusive = not any(token.text in ("..<", "until") for token in self.tokens[at : self.at])
        elif is_ranged and isinstance(call, n.Call) and call.arguments and isinstance(call.arguments[0].value, n.Range):
            call.arguments[0].value.inclusive = not any(token.text in ("..<", "until") for token in self.tokens[at : self.at])
        return call

    @lazily
    def pairs_by_to(self) -> bool:
        """True if `a to b` is a pair wherever it stands, as in Kotlin."""
        return _KOTLIN.search(self.text) is not None

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        is_word = sign == "..=" and self.before.text == "to" and self.before.kind == NAME
        begins_loop = self.text[: left.start].rstrip(" \t(").endswith((" in", "<-"))
        joined = super()._joined(sign, left, level)
        if not is_word or begins_loop or not isinstance(joined, n.Range) or joined.low is None or joined.high is None:
            return joined
        is_pair = self.pairs_by_to or not (_may_be_number(joined.low) and _may_be_number(joined.high))
        return n.TupleOf([joined.low, joined.high]) if is_pair else joined

    # ---- functions of other types ----

    def is_extension(self) -> bool:
        """`fun String.shout()`, `fun List<Int>.second()`."""
        place = self.at + 2
        if self.ahead().kind != NAME or not self.ahead().text[0].isupper():
            return False
        if self.tokens[place].text == "<":
            while place < self.at + 12 and self.tokens[place].text != ">":
                place += 1
            place += 1
        return self.tokens[place].text == "." and self.tokens[place + 2].text in ("(", "<")

    def extension(self, exported: bool) -> n.Item:
        at = self.at
        self.take()
        word = self.name()
        kind = self._named_type(word)
        self.expect(".")
        # The function begins at its name.
        self.at -= 1
        function = self.inner_function(exported)
        function.start = self.tokens[at].start
        function.parameters.insert(0, n.Parameter("self", kind, start=function.start, end=function.start))
        self.extensions.append(function)
        return n.Implementation(kind.name, [function])

    @lazily
    def extensions(self) -> list[n.Function]:
        """Functions of other types, which may name the fields of their value alone."""
        return []

    # ---- closures and statements ----

    def _arrow_closure(self) -> n.Expr | None:
        """`(Point p) -> p.x` of Java."""
        follows = self.tokens[self.behind_brackets.get(self.at - 1, len(self.tokens) - 1)]
        is_typed = self.token.kind == NAME and self.ahead().kind == NAME and self.ahead(2).text in (",", ")")
        if not is_typed or follows.text not in ("->", "=>") or follows.is_first:
            return super()._arrow_closure()
        at = self.at
        parameters: list[n.Pattern] = []
        while not self.skip(")"):
            typed = self.typed_name(",", ")")
            if typed is None:
                self.at = at
                return super()._arrow_closure()
            parameters.append(n.Binding(typed[1], type=typed[0]))
            self.skip(",")
        self.take()
        return n.Lambda(parameters, self._closure_body())

    def _statement(self) -> n.Statement:
        if self.is_word("yield") and self.ahead().text not in ("=", "(", ".", "*", *_YIELDED) and not self.ahead().is_first:
            at = self.at
            self.take()
            value = self.expression()
            self.skip(";")
            if self.is_sign("}") and any(token.text == "switch" for token in self.tokens[max(at - 400, 0) : at]):
                return n.Evaluate(value)
            self.at = at
        if self.is_word("const") and self.ahead().kind == NAME and self.ahead(2).text not in (":", "=", ":="):
            # `const string Name = "x"` of C#.
            self.take()
        for read in (self._local_function, self._typed_parts):
            if (statement := read()) is not None:
                return statement
        return _with_let(super()._statement())

    def _typed_parts(self) -> n.Statement | None:
        """`(int dx, int dy) = f(x)` of C#, `(String, int) pair` of none."""
        behind = self.tokens[self.behind_brackets.get(self.at, len(self.tokens) - 1)]
        if not self.is_sign("(") or behind.text != "=" or self.ahead(2).kind not in (NAME, OPERATOR):
            return None
        at, start = self.at, self.take().start
        names: list[n.Pattern] = []
        while not self.skip(")"):
            typed = (Type(), "_") if self.skip("_") else self.typed_name(",", ")") or self._inferred_part()
            if typed is None:
                self.at = at
                return None
            names.append(n.Wildcard() if typed[1] == "_" else n.Binding(typed[1], type=typed[0] if head(typed[0]) else None))
            self.skip(",")
        self.expect("=")
        return n.Let(n.TuplePattern(names, start=start, end=self.before.end), None, self.expression(), True)

    def _inferred_part(self) -> tuple[Type, str] | None:
        """`var x` of several names."""
        if not self.is_word("var") or self.ahead().kind != NAME:
            return None
        self.take()
        return Type(), self.name()

    def _local_function(self) -> n.Statement | None:
        """`int Square(int x) => x * x;` inside of a function."""
        if self.token.kind != NAME or self.ahead().kind != NAME or self.ahead(2).text != "(":
            return None
        behind = self.behind_brackets.get(self.at + 2, 0)
        if not behind or self.tokens[behind].text not in ("=>", "{"):
            return None
        at, start = self.at, self.token.start
        typed = self.typed_name("(")
        if typed is None:
            self.at = at
            return None
        function = n.Function(typed[1], self._parameters(), typed[0], self.arrow_body(), start=start, end=self.before.end)
        return n.Local(function)

    @abstractmethod
    def arrow_body(self) -> n.Block: ...

    @abstractmethod
    def _parameters(self) -> list[n.Parameter]: ...

    @abstractmethod
    def inner_function(self, exported: bool = False) -> n.Function: ...

    # ---- queries and places of C# ----

    def _word(self) -> n.Expr:
        if self.is_word("from") and self.ahead().kind == NAME and self.ahead(2).text == "in" and self._selects():
            return self._query()
        return super()._word()

    def _selects(self) -> bool:
        for token in self.tokens[self.at : self.at + 120]:
            if token.text in (";", "}"):
                return False
            if token.text in ("select", "group") and token.kind == NAME:
                return True
        return False

    def _query(self) -> n.Expr:
        """`from p in ps where p.age > 10 orderby p.name descending select p.name`."""
        start = self.take().start
        name = self.name()
        self.expect("in")
        value = self._query_part()

        def method(word: str, body: n.Expr) -> n.Expr:
            closure = n.Lambda([n.Binding(name)], body, start=body.start, end=body.end)
            return n.Call(n.Member(value, word, start=start, end=body.end), [n.Argument(closure)], start=start, end=body.end)

        while True:
            if self.skip("where"):
                value = method("filter", self._query_part())
            elif self.skip("orderby"):
                keys = [self._ordered_key()]
                while self.skip(","):
                    keys.append(self._ordered_key())
                for key, is_down in reversed(keys):
                    value = method("sortedByDescending" if is_down else "sortedBy", key)
            elif self.skip("select"):
                chosen = self._query_part()
                is_same = isinstance(chosen, n.Name) and chosen.name == name
                return value if is_same else method("map", chosen)
            else:
                raise self.unknown("a query that filters, orders and selects is expected")

    def _ordered_key(self) -> tuple[n.Expr, bool]:
        key = self._query_part()
        is_down = self.is_word("descending")
        self.skip("descending", "ascending")
        return key, is_down

    def _query_part(self) -> n.Expr:
        self._plain += 1
        part = self._binary(0)
        self._plain -= 1
        return part

    def _type_suffix(self, kind: Type) -> Type:
        kind = super()._type_suffix(kind)
        if self.is_sign("[") and self.ahead().text == "," and self.ahead(2).text == "]":
            for _ in range(3):
                self.take()
            return list_of(list_of(kind))
        return kind

    def _indexed(self, expression: n.Expr) -> n.Expr:
        is_type = self.token.kind == NAME and self.token.text[0].isupper()
        if is_type or not self._has_comma():
            return super()._indexed(expression)
        # `grid[i, j]`
        self._plain, plain = 0, self._plain
        first = self.expression()
        self.expect(",")
        second = self.expression()
        self.expect("]")
        self._plain = plain
        return n.Index(n.Index(expression, first, start=expression.start, end=first.end), second)

    def _has_comma(self) -> bool:
        """True if a comma stands in the brackets around this place, before `]`."""
        behind = self.behind_brackets.get(self.at - 1, 0)
        depth = 0
        for token in self.tokens[self.at : min(behind, self.at + 60)]:
            text = token.text if token.kind != "string" else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == "," and depth == 0:
                return not any(each.text == "default" for each in self.tokens[self.at : behind])
        return False


def _may_be_number(node: n.Expr) -> bool:
    return not isinstance(node, (n.Interpolated, n.ListOf, n.TupleOf)) and getattr(node, "kind", "int") == "int"


def _with_let(statement: n.Statement) -> n.Statement:
    """`x?.let { … } ?: run { … }` as a statement: a match on whether there is a value."""
    value: n.Expr | None = statement.value if isinstance(statement, n.Evaluate) else None
    other: n.Expr | None = None
    if isinstance(value, n.Binary) and value.operator == "??":
        other = value.right
        value = value.left
    function = value.function if isinstance(value, n.Call) else None
    is_scope = isinstance(function, n.Member) and function.optional and function.name in ("let", "also", "run")
    is_let = is_scope or getattr(value, "is_let", False)
    if not is_let or not isinstance(function, n.Member) or not isinstance(value, n.Call) or len(value.arguments) != 1:
        return statement
    closure = value.arguments[0].value
    if not isinstance(closure, n.Lambda) or len(closure.parameters) > 1:
        return statement
    start, end = statement.start, value.end
    nothing = n.Block([], start=end, end=end)
    held = closure.parameters[0] if closure.parameters else n.Wildcard(start=start, end=start)
    arms = [
        n.Arm(n.VariantPattern("", "Some", [held], start=start, end=start), None, _as_block(closure.body), start=start, end=end),
        n.Arm(n.VariantPattern("", "None", start=start, end=start), None, other or nothing, start=end, end=end),
    ]
    return n.Evaluate(n.Match(function.object, arms, start=start, end=end), start=start, end=end)


def _as_block(value: n.Expr) -> n.Block:
    if isinstance(value, n.Block):
        return value
    return n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)


__all__ = ["KotlinForms"]
