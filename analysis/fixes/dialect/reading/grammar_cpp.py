"""Forms of C++: declarations by constructor, lists in braces, references, closures behind brackets, streams of text."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.cpp_calls import is_end, range_of
from analysis.fixes.dialect.libraries.printing import STREAMS, streamed
from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.reading.grammar_expressions import SUMS
from analysis.fixes.dialect.reading.grammar_layout import empty_container
from analysis.fixes.dialect.reading.grammar_zig import ZigForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.rewriting.aliases.named_places import PlaceLet, changing_loop, is_changed
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names
from analysis.suggestions.foreign_words import CONTAINERS, PLAIN_TYPES

_CPP: Final = re.compile(
    r"\bstd::|\bvector<|\bauto [&\w]|\bauto&|\bsize_t\b|\bpush_back\(|\bunordered_map<|\bconst \w+& |#include"
    r"|\.(?:begin|end)\(\)|\bnullptr\b|\bcout <<"
    r"|^[ \t]*[A-Z]\w* \w+\{[^}\n]*\};|\bconst [A-Z]\w* \w+ = ",
    re.MULTILINE,
)
"""Marks of C++."""
_STREAMS: Final = frozenset(("ostringstream", "stringstream"))
_MEMBERS: Final = {
    "has_value": "is_some", "value_or": "unwrap_or", "value": "unwrap", "pop_back": "pop", "str": "to_text",
    "c_str": "to_text",
}  # fmt: skip
_LONGEST: Final = 200


class CppForms(ZigForms):
    """Reads them where a type, a statement or an operand may begin."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        if self.is_cpp:
            self.tokens = [self._dotted_arrow(place) for place in range(len(self.tokens))]

    def _dotted_arrow(self, place: int) -> Token:
        """`it->second` as a member, as it is where no blanks stand around the arrow."""
        token = self.tokens[place]
        if token.text != "->" or token.spaced or not place or token.kind == STRING:
            return token
        follows = self.tokens[min(place + 1, len(self.tokens) - 1)]
        is_member = (
            follows.kind == NAME
            and not follows.spaced
            and (self.tokens[place - 1].text in (")", "]") or self.tokens[place - 1].kind == NAME)
        )
        return token._replace(text=".") if is_member else token

    @lazily
    def is_cpp(self) -> bool:
        """True if a program is written as in C++."""
        return _CPP.search(self.text) is not None

    # ---- types ----

    def typed_name(self, *following: str) -> tuple[Type, str] | None:
        """Also `const Point& p`, `const auto& x`, `int* xs`."""
        if not self.is_cpp:
            return super().typed_name(*following)
        at, depth = self.at, self._depth
        while self.is_word("const", "constexpr", "unsigned", "static") and self.ahead().kind == NAME:
            self.take()
        token = self.token
        is_type = token.kind == NAME and (token.text == "auto" or token.text[0].isupper() or self._names_type(token.text))
        if is_type:
            try:
                kind = Type() if self.skip("auto") else self.type()
                while self.skip("const", "&", "&&", "*"):
                    pass
                if self.token.kind == NAME and not self.token.is_first and self.ahead().text in following:
                    return kind, self.name()
            except Untranslatable:
                self._depth = depth
        self.at = at
        return super().typed_name(*following)

    def _names_type(self, word: str) -> bool:
        return word in PLAIN_TYPES or word in CONTAINERS or word in _TYPES

    def _named_type(self, word: str) -> Type:
        if self.is_cpp and word not in self.own_types:
            if word in ("long", "unsigned", "short"):
                while self.skip("long", "int", "unsigned", "short"):
                    pass
            if word == "pair" and self.is_sign("<"):
                self.take()
                return Type("Tuple", *self._types(">"))
            if word == "tuple" and self.is_sign("<"):
                self.take()
                return Type("Tuple", *self._types(">"))
            if word == "unordered_map":
                word = "map"
            if word in _STREAMS or word == "string_view":
                return Type("String")
            if word in _TYPES and word not in ("optional",):
                return super()._named_type(_TYPES[word])
            if word == "optional":
                return super()._named_type("Optional")
        return super()._named_type(word)

    def _type_suffix(self, kind: Type) -> Type:
        kind = super()._type_suffix(kind)
        if self.is_cpp:
            while self.is_sign("&", "*", "&&") and not self.token.spaced and self.ahead().text in (">", ",", ")"):
                self.take()
        return kind

    # ---- statements ----

    def _statement(self) -> n.Statement:
        if not self.is_cpp or self.token.kind != NAME:
            return super()._statement()
        if (self.is_word("auto") or (self.is_word("const") and self.ahead().text == "auto")) and self._binds_parts():
            return self._parts()
        if self.is_word(*STREAMS) and self.ahead().text == "<<":
            return n.Evaluate(self._streamed())
        at = self.at
        is_reference, is_queue = self._is_reference_declared(), self.is_word("queue")
        if self.is_word("priority_queue"):
            raise self.unknown("a queue without an order of its own is expected")
        typed = self.typed_name("=", ";", "(", "{") if not self.is_word("return", "else", "case", "throw", "new") else None
        if typed is None or (self.is_sign("(") and not self._is_constructor_call()):
            self.at = at
            return super()._statement()
        if typed[1] in self.names_of_functions and self.is_sign("("):
            self.at = at
            return super()._statement()
        if is_queue:
            self._queues.add(typed[1])
        return self._declaration(typed[0], typed[1], is_reference)

    def _streamed(self) -> n.Expr:
        """`std::cout << a << b << std::endl`."""
        start = self.take().start
        parts: list[n.Expr] = []
        while self.skip("<<"):
            parts.append(self._binary(SUMS))
        return streamed(parts, start, self.before.end)

    @lazily
    def _queues(self) -> set[str]:
        """The names of queues: what is pushed goes behind, what is popped comes from the front."""
        return set()

    def _is_reference_declared(self) -> bool:
        """`auto& x = …`: not `const auto& x`, which nothing changes."""
        if self.is_word("const"):
            return False
        for token in self.tokens[self.at : self.at + 12]:
            if token.text in ("=", ";", "(", "{"):
                return False
            if token.text in ("&", "*"):
                return True
        return False

    def _is_constructor_call(self) -> bool:
        """True if values stand in the parentheses, not parameters."""
        behind = self.behind_brackets.get(self.at, 0)
        return bool(behind) and self.tokens[behind].text == ";"

    def _binds_parts(self) -> bool:
        """`auto [a, b] = …`, `const auto& [a, b] = …`."""
        for token in self.tokens[self.at : self.at + 4]:
            if token.text == "[":
                return True
            if token.text not in ("const", "auto", "&", "&&"):
                return False
        return False

    def _part_names(self) -> n.Pattern:
        while self.skip("const", "auto", "&", "&&"):
            pass
        start = self.expect("[").start
        names: list[n.Pattern] = []
        while not self.skip("]"):
            name = self.name()
            names.append(n.Wildcard() if name == "_" else n.Binding(name))
            self.skip(",")
        return n.TuplePattern(names, start=start, end=self.before.end)

    def _parts(self) -> n.Statement:
        pattern = self._part_names()
        self.expect("=")
        return n.Let(pattern, None, self.expression(), True)

    def _declaration(self, kind: Type, name: str, is_reference: bool) -> n.Statement:
        """A variable declaration, from behind its type and name on."""
        declared = kind if head(kind) else None
        if self.is_sign("(") or (self.is_sign("{") and not is_reference):
            value: n.Expr | None = self._constructed_value(kind)
        elif self.skip("="):
            value = self._braced_value(kind) if self.is_sign("{") else self.body_value()
        else:
            value = self.zero(kind) if head(kind) in ("List", "Map", "String") else empty_container(head(kind), kind)
        if is_reference and value is not None:
            return PlaceLet(n.Binding(name), declared, value, False)
        if self.is_sign(",") and value is not None:
            return self._several(n.Binding(name), value)
        return n.Let(n.Binding(name), declared, value, True)

    def _constructed_value(self, kind: Type) -> n.Expr:
        """`(n, 0)`, `(text)`, `{1, 2}` behind the name of a variable."""
        start = self.token.start
        if self.is_sign("{"):
            return self._braced_value(kind)
        self.take()
        values = [each.value for each in self._arguments(")")]
        end = self.before.end
        if head(kind) == "List" and len(values) == 2:
            if (source := range_of(values[0], values[1])) is not None:
                return source
            return n.Call(n.Name("vec!;"), [n.Argument(values[1]), n.Argument(values[0])], start=start, end=end)
        if head(kind) == "List" and len(values) == 1:
            zero = self.zero(kind.arguments[0]) if kind.arguments else None
            if zero is None:
                raise self.unknown("a type with a zero is expected")
            return n.Call(n.Name("vec!;"), [n.Argument(zero), n.Argument(values[0])], start=start, end=end)
        if head(kind) == "String" and len(values) == 2:
            if (source := range_of(values[0], values[1])) is not None:
                return source
            return n.Call(n.Member(values[1], "repeat"), [n.Argument(values[0])], start=start, end=end)
        if len(values) == 1:
            return values[0]
        return n.ListOf(values, start=start, end=end)

    def _braced_value(self, kind: Type | None) -> n.Expr:
        """`{1, 2}`, `{{"a", 1}, {"b", 2}}`, `{}`, `{ .x = 1 }` where a type says what braces hold."""
        start = self.token.start
        if self.ahead().text == ".":
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf(head(kind), fields, base, start=start, end=self.before.end)
        items = self.braced_list()
        assert isinstance(items, n.ListOf)
        if head(kind) == "Map":
            pairs = [each.items for each in items.items if isinstance(each, n.ListOf)]
            if len(pairs) != len(items.items) or any(len(pair) != 2 for pair in pairs):
                raise Untranslatable("entries of a map are expected", start)
            return n.MapOf([(pair[0], pair[1]) for pair in pairs], start=start, end=self.before.end)
        if head(kind) == "String" and not items.items:
            return n.Literal("string", '""', start=start, end=self.before.end)
        if head(kind) in ("Int", "Float", "Bool", "String") and len(items.items) == 1:
            return items.items[0]
        if head(kind) in ("Int", "Float", "Bool") and not items.items and (zero := self.zero(kind or Type())) is not None:
            return zero
        if kind is not None and head(kind) == "Tuple":
            return n.TupleOf(items.items, start=start, end=self.before.end)
        return items

    def _jump(self) -> n.Expr:
        if self.is_word("return") and self.ahead().text == "{" and not self.ahead().is_first and self._holds_items():
            start = self.take().start
            return n.Jump("return", self._braced_value(None), start=start, end=self.before.end)
        return super()._jump()

    def _holds_items(self) -> bool:
        """True if the brace behind this token holds values with commas between them, as those of a list."""
        at = self.at + 1
        behind = self.behind_brackets.get(at, 0)
        if (
            not behind
            or self.tokens[at + 1].text == "..."
            or (self.tokens[at + 2].text == ":" and self.tokens[at + 1].kind == NAME)
            or (self.tokens[at + 1].text == "}" and not self.is_cpp)
        ):
            return False
        depth = 0
        has_comma = has_value = False
        for token in self.tokens[at:behind]:
            text = token.text if token.kind != STRING else ""
            depth += (text in ("{", "(", "[")) - (text in ("}", ")", "]"))
            if depth == 1 and text in (";", "="):
                return False
            has_comma |= depth == 1 and text == ","
            has_value |= token.kind != NAME and text not in ("{", "}", ",")
        # Names alone are the fields of an object in JavaScript.
        return (has_comma and (has_value or self.is_cpp)) or (self.is_cpp and self.tokens[behind].text == ";")

    # ---- loops ----

    def _for(self) -> n.Statement:
        """`for (const auto& [k, v] : m)`, `for (auto& x : xs) { x *= 2; }`."""
        colon = self._range_colon() if self.is_cpp and self.ahead().text == "(" else 0
        if not colon:
            return super()._for()
        self.take()
        self.expect("(")
        is_place = self._is_reference_declared_before(colon)
        if self._binds_parts():
            pattern = self._part_names()
        else:
            typed = self.typed_name(":")
            if typed is None:
                self.skip("const")
                typed = self.type(), self.name()
            pattern = n.Binding(typed[1], type=typed[0] if head(typed[0]) else None)
        self.expect(":")
        source = self._braced_value(None) if self.is_sign("{") else self.expression()
        self.expect(")")
        body = self.block() if self.is_sign("{") else self.one_statement()
        if is_place and any(is_changed(body, name) for name in bound_names(pattern)):
            changing = changing_loop(pattern, source, body)
            if changing is None:
                raise self.unknown("a loop over the items of a list is expected")
            return changing
        return n.For(pattern, source, body)

    def _range_colon(self) -> int:
        """Token index of the colon in a range-based `for`; 0 for another loop."""
        depth = 0
        for place in range(self.at + 1, min(self.at + _LONGEST, len(self.tokens))):
            text = self.tokens[place].text if self.tokens[place].kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth == 0 or text in (";", "in", "of", "?"):
                return 0
            if depth == 1 and text == ":":
                return place
        return 0

    def _is_reference_declared_before(self, colon: int) -> bool:
        words = [token.text for token in self.tokens[self.at : colon]]
        return "const" not in words and "&" in words

    # ---- operands ----

    def _primary(self) -> n.Expr:
        if self.is_sign("[") and self._is_closure():
            return self._bracket_closure()
        if self.is_word("nullptr"):
            token = self.take()
            return n.Literal("none", "None", start=token.start, end=token.end)
        if self.is_word("nullopt"):
            token = self.take()
            return n.Literal("none", "None", start=token.start, end=token.end)
        if self.is_word("static_cast") and self.ahead().text == "<":
            start = self.take().start
            self.take()
            target = self.type()
            self._close(">")
            self.expect("(")
            value = self.expression()
            self.expect(")")
            return n.Cast(value, target, True, start=start, end=self.before.end)
        if self.is_cpp and self._names_made() and self.ahead().text == "<" and (pointer := self._made_value()) is not None:
            return pointer
        return super()._primary()

    def _names_made(self) -> bool:
        """True at the type of a collection that a call or braces make; with the names of `.ax`, too."""
        return self.is_word(*_MADE) or (self.is_word("List") and self.tokens[self.at - 1].text in (",", "(", "=", "return"))

    def _made_value(self) -> n.Expr | None:
        """`vector<int>(n, 0)`, `vector<int>{1, 2}`, `map<string, int>{}`."""
        at, start = self.at, self.token.start
        kind = self.type_if_any()
        if kind is None or not self.is_sign("(", "{") or head(kind) not in ("List", "Map"):
            self.at = at
            return None
        if self.is_sign("(") and self.ahead().text == ")":
            self.take()
            self.take()
            empty: n.Expr = n.MapOf([]) if head(kind) == "Map" else n.ListOf([])
            return n.Cast(empty, kind, start=start, end=self.before.end)
        value = self._constructed_value(kind)
        is_literal = isinstance(value, (n.ListOf, n.MapOf))
        return n.Cast(value, kind, start=start, end=self.before.end) if is_literal else value

    def _is_closure(self) -> bool:
        """`[](int x) { … }`, `[&](…)`, `[=, &total](…)`."""
        behind = self.behind_brackets.get(self.at, 0)
        if not behind or self.tokens[behind].text not in ("(", "{") or self.tokens[behind].is_first:
            return False
        inside = self.tokens[self.at + 1 : behind - 1]
        if self.tokens[behind].text == "{" and not self.is_cpp:
            return False
        if any(token.text not in ("&", "=", ",", "this") and token.kind != NAME for token in inside):
            return False
        if inside and inside[0].text not in ("&", "=", "this") and not self.is_cpp:
            return False
        if self.tokens[behind].text == "{":
            return True
        body = self.behind_brackets.get(behind, 0)
        return bool(body) and self.tokens[body].text in ("{", "->", "mutable", "const")

    def _bracket_closure(self) -> n.Expr:
        start = self.token.start
        self.at = self.behind_brackets[self.at]
        parameters: list[n.Pattern] = []
        if self.skip("("):
            while not self.skip(")"):
                typed = self.typed_name(",", ")")
                if typed is None:
                    typed = self.type(), self.name()
                parameters.append(n.Binding(typed[1], type=typed[0] if head(typed[0]) else None))
                self.skip(",")
        self.skip("mutable", "const")
        if self.skip("->"):
            self.type()
        body = self.block()
        return n.Lambda(parameters, body, start=start, end=self.before.end)

    def _member(self, expression: n.Expr) -> n.Expr:
        node = super()._member(expression)
        if not self.is_cpp:
            return node
        if isinstance(node, n.Path) and node.name == "npos":
            return n.Unary("-", n.Literal("int", "1", start=node.start, end=node.end))
        if not isinstance(node, n.Member) or not self.is_sign("("):
            return node
        if isinstance(node.object, n.Name) and node.object.name in self._queues:
            node.name = {"push": "append", "pop": "shift"}.get(node.name, node.name)
        elif node.name == "count" and self.ahead(2).text == ")":
            # Of sets and maps: whether there is such an entry.
            node.name = "contains"
        else:
            node.name = _MEMBERS.get(node.name, node.name)
        return node

    def expression(self) -> n.Expr:
        node = super().expression()
        return _compared_with_end(node) if self.is_cpp else node


_TYPES: Final = {
    "set": "set", "unordered_set": "set", "queue": "Queue", "stack": "Stack", "deque": "deque", "optional": "optional",
    "list": "list", "vector": "vector", "map": "map", "unordered_map": "map", "pair": "pair", "tuple": "tuple",
    "ostringstream": "String", "stringstream": "String", "string_view": "String", "string": "String", "unsigned": "int",
}  # fmt: skip
_MADE: Final = ("vector", "map", "unordered_map", "set", "unordered_set", "deque")


def _compared_with_end(node: n.Expr) -> n.Expr:
    """`m.find(k) != m.end()`: whether there is an entry."""
    if isinstance(node, n.Binary) and node.operator in ("==", "!=") and is_end(node.right):
        word = "is_none" if node.operator == "==" else "is_some"
        return n.Call(n.Member(node.left, word, start=node.start, end=node.end), [], start=node.start, end=node.end)
    return node


__all__ = ["CppForms"]
