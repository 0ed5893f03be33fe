"""Texts with holes, and brackets of every meaning: groups, tuples, lists, maps, records without a name."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.habits import habit
from analysis.fixes.dialect.libraries.library_types import type_of_word
from analysis.fixes.dialect.libraries.text_formats import with_typed_holes
from analysis.fixes.dialect.reading.declared_fields import declared_fields
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_field_lists import FieldLists
from analysis.fixes.dialect.reading.listed_items import is_item, is_nested_loop, stepped
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import UNIT, Type, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import walk

_HOLE: Final = re.compile(r"(?<!\{)\{([^{}\"\\]+)\}(?!\})")
_ML: Final = re.compile(
    r"\bfun\b[^\n(]{0,80}->|\blet[ \t]{1,9}rec\b|\bmatch\b[^\n{]{0,80}\bwith\b|\|>[ \t]{0,9}(?:List|Seq|Array|Map)\.[a-z]"
    r"|\w\.[\[(]|\[\|"
    r"|\blet[ \t]mutable\b|\bsprintf \"|\bin$|\b(?:List|Array|Seq|String|Map|Set)\.[a-z]\w{0,30} [^\s(=]|\bdo$|\bdone\b$"
    r"|\{ [A-Z]\w{0,30} = |: (?:int|string|float|bool); ",
    re.MULTILINE,
)
"""Marks of ML-like languages."""
_SECTIONS: Final = ("+", "-", "*", "/", "%", "++", "==", "<", ">", "<=", ">=", "&&", "||", "::", "<>", "@", "^", "!=", "**", ":")
_CASTS: Final = frozenset("int long short byte char double float decimal string bool String Int Float".split())
_AFTER_VALUES: Final = frozenset("if else is as in and or for to then step when match switch with where unless do".split())
_LONGEST: Final = 80
"""Tokens of a comprehension in braces up to its loop."""


class Literals(FieldLists):
    """Operands that begin with a quote or a bracket."""

    @abstractmethod
    def generated_list(self, opening: str, closing: str) -> n.Expr: ...

    @abstractmethod
    def _arrow_closure(self) -> n.Expr | None: ...

    # ---- strings ----

    def _string(self, token: Token) -> n.Expr:
        parts: list[n.Expr] = []
        in_braces = self.text[token.start : token.start + 1] == '"' and any(
            is_code and self.text[start - 1 : start] == "{" and self.text[start - 2 : start - 1] not in "$#\\"
            for is_code, _, start in token.pieces
        )
        for is_code, text, start in with_typed_holes(token.pieces, self.text[token.start : token.start + 1] == "$"):
            if not is_code and in_braces and (holes := self._holes(text, token)) is not None:
                parts += holes.parts
                continue
            if not is_code:
                parts += [n.Literal("string", f'"{text}"', start=token.start, end=token.end)] if text else []
                continue
            inner = self.sub_parser(text)
            value = inner.expression()
            if inner.token.text:
                raise Untranslatable("what is interpolated", start)
            parts.append(_at(value, token))
        if all(isinstance(part, n.Literal) for part in parts) and not any(code for code, _, _ in token.pieces):
            text = parts[0].text if parts and isinstance(parts[0], n.Literal) else '""'
            return n.Literal("string", text, self._holes(text[1:-1], token), start=token.start, end=token.end)
        return n.Interpolated(parts, start=token.start, end=token.end)

    def _holes(self, text: str, token: Token) -> n.Interpolated | None:
        """A text with code in single braces, read as if it were interpolated; None where no brace holds an expression."""
        pieces = _HOLE.split(text)
        if len(pieces) == 1 or not any(pieces[::2]):
            return None
        parts: list[n.Expr] = []
        for place, piece in enumerate(pieces):
            if place % 2 == 0:
                if piece:
                    parts.append(n.Literal("string", f'"{piece}"', start=token.start, end=token.end))
                continue
            try:
                inner = self.sub_parser(piece)
                parts.append(_at(inner.expression(), token))
            except Untranslatable:
                return None
            if inner.token.text:
                return None
        return n.Interpolated(parts, start=token.start, end=token.end)

    @abstractmethod
    def filled_entry(self, place: n.Expr) -> n.Expr: ...

    # ---- brackets ----

    def _group(self) -> n.Expr:
        """`(a)`, `(a, b)`, `()`, `(+)`, `(a, b) => …`, `(a: Int) -> …`."""
        start = self.expect("(").start
        if self.token.text in _SECTIONS and self.ahead().text == ")":
            sign = self.take().text
            self.take()
            return n.OperatorFunction("::" if sign == ":" else sign)
        if self._is_prefix_cast():
            return self._prefix_cast(start)
        closure = self._arrow_closure()
        if closure is not None:
            return closure
        self._plain, plain = 0, self._plain
        if (section := self.section()) is not None:
            self._plain = plain
            return section
        self._plain = plain
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        items: list[n.Expr] = []
        is_tuple = False
        while not self.skip(")"):
            items.append(self.filled_entry(self.consed(self._argument_value())))
            if len(items) == 1 and (section := self.left_section(items[0])) is not None:
                self._plain, self._no_ternary = plain, ternary
                return section
            if self.is_sign(","):
                self.take()
                is_tuple = True
            else:
                self.expect(")")
                break
        self._plain, self._no_ternary = plain, ternary
        if not items:
            return n.Literal("unit", "{}", start=start, end=self.before.end, ty=UNIT)
        if is_tuple:
            return n.TupleOf(items, start=start, end=self.before.end)
        return items[0]

    def _is_prefix_cast(self) -> bool:
        """`(int) x`, `(string)$x`, behind the parenthesis."""
        if self.token.kind != NAME or self.token.text not in _CASTS or self.ahead().text != ")":
            return False
        follows = self.ahead(2)
        if follows.is_first:
            return False
        return (follows.kind in (NAME, INT, FLOAT, STRING) and follows.text not in _AFTER_VALUES) or follows.text == "("

    def _prefix_cast(self, start: int) -> n.Expr:
        target = self._type_operand()
        self.expect(")")
        return n.Cast(self._unary(), target, True, start=start, end=self.before.end)

    def braced_list(self) -> n.Expr:
        """`{ a, b }` where a list is meant."""
        start = self.expect("{").start
        self._plain, plain, self._no_ternary, ternary = 0, self._plain, 0, self._no_ternary
        items: list[n.Expr] = []
        while not self.skip("}"):
            items.append(self._braced_item())
            if not self.skip(","):
                self.expect("}")
                break
        self._plain, self._no_ternary = plain, ternary
        return n.ListOf(items, start=start, end=self.before.end)

    def _braced_item(self) -> n.Expr:
        """An item in braces, which may be a list, a map or the fields of a record in braces itself."""
        if not self.is_sign("{"):
            return self.expression()
        if self.ahead().kind == NAME and self.ahead(2).text in (":", "="):
            start, (fields, base) = self.take().start, self._record_fields()
            return n.RecordOf("", fields, base, start=start, end=self.before.end)
        return self._map() if self.ahead().kind in (STRING, INT) and self.ahead(2).text in (":", "=>") else self.braced_list()

    @abstractmethod
    def entries_in_braces(self) -> n.Expr: ...

    def new_array(self) -> n.Expr:
        """`new int[n]`, `new int[2][3]`, `new int[] { 1, 2 }`: as many zeros, or what stands in the braces."""
        start = self.expect("new").start
        if self.ahead(2).text == "]":
            self.type()
            return self.braced_list()
        kind = type_of_word(self.name())
        sizes: list[n.Expr] = []
        while self.is_sign("["):
            self.take()
            sizes.append(self.expression())
            if self.skip(","):
                sizes.append(self.expression())
            self.expect("]")
        zero = {"Int": ("int", "0"), "Float": ("float", "0.0"), "Bool": ("bool", "false"), "String": ("none", "None")}.get(
            kind.name
        )
        if zero is None or not sizes or kind.trait == "char":
            raise self.unknown("an array of numbers is expected")
        array: n.Expr = n.Literal(*zero, start=start, end=self.before.end)
        for size in reversed(sizes):
            array = n.Call(n.Name("vec!;"), [n.Argument(array), n.Argument(size)], start=start, end=self.before.end)
        return array

    def _set_of(self, values: n.Expr) -> n.Expr:
        """`{1, 2}` in Python; elsewhere braces hold the items of a list."""
        if habit(self.text) != "python":
            return values
        return n.Call(n.Member(values, "to_set"), [], start=values.start, end=values.end)

    def listed(self) -> n.Expr:
        """`[]int{ 1, 2 }`, `[_]i32{ … }`, `new[] { … }`: brackets and a type before the items in braces."""
        start = self.expect("[").start
        while not self.skip("]"):
            self.take()
        if self.is_sign("{"):
            return self.braced_list()
        kind = list_of(self._type_operand())
        items = self.braced_list()
        return n.Cast(items, kind, start=start, end=self.before.end)

    def _is_typed_list(self) -> bool:
        """True if brackets at this place stand before a type and a brace."""
        if self.ahead(2 if self.ahead().text in ("_", "...") or self.ahead().kind == INT else 1).text != "]":
            return False
        place = self.behind_brackets.get(self.at, len(self.tokens) - 1)
        token = self.tokens[place]
        if token.is_first or not (token.kind == NAME or token.text == "["):
            return False
        while self.tokens[place].kind in (NAME, INT) or self.tokens[place].text in ("[", "]", ".", "*"):
            place += 1
        if self.tokens[place].text != "{":
            return False
        # In front of a block the items are in the first braces.
        return not self._plain or self.tokens[self.behind_brackets.get(place, len(self.tokens) - 1)].text == "{"

    def _list(self) -> n.Expr:
        if self._is_typed_list():
            return self.listed()
        if self.ahead().text == "for" and self.ahead().kind == NAME:
            return self.generated_list("[", "]")
        self.expect("[")
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        items: list[n.Expr] = []
        pairs: list[tuple[n.Expr, n.Expr]] = []
        if self.is_sign(":") and self.ahead().text == "]":
            self.take()
            self.take()
            self._plain, self._no_ternary = plain, ternary
            return n.MapOf([])
        while not self.skip("]"):
            value = self._list_item()
            if self.skip(":"):
                pairs.append((value, self.expression()))
            else:
                items.append(value)
            if self._is_repetition(len(items)):
                self.take()
                count = self.expression()
                if is_item(value, count):
                    items.append(count)
                    self.skip(";")
                    continue
                self.expect("]")
                self._plain, self._no_ternary = plain, ternary
                return n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(count)])
            if self.is_sign("|") and self._is_generator():
                items[-1:] = [self.generated(value)]
                self.expect("]")
                self._plain, self._no_ternary = plain, ternary
                return items[0]
            if self.skip("|"):
                items.append(n.Spread(self.expression()))
            if not self.skip(",", ";") and not (self.token.is_first and not self.is_sign("]", ")", "}")):
                self.expect("]")
                break
        self._plain, self._no_ternary = plain, ternary
        if len(items) == 1 and (isinstance(items[0], (n.Comprehension, n.Range)) or is_nested_loop(items[0])):
            only = items[0]
            if isinstance(only, n.Range) and "..<" not in self.text[only.start : only.end]:
                # `[1..n]` stands for a list in languages whose ranges end with their last value.
                only.inclusive = True
            return only if not isinstance(only, n.Range) else n.Call(n.Member(only, "to_list"), [])
        return n.MapOf(pairs) if pairs else stepped(items) or n.ListOf(items)

    @lazily
    def parts_with_semicolons(self) -> bool:
        """True if semicolons part the items of lists, as in OCaml and F#; elsewhere `[value; count]` repeats a value."""
        return _ML.search(self.text) is not None or self._has_long_list

    @lazily
    def _has_long_list(self) -> bool:
        """True if a list has two semicolons of its own."""
        stack: list[int] = []
        for token in self.tokens:
            if token.kind != OPERATOR:
                continue
            if token.text in ("(", "[", "{"):
                stack.append(0 if token.text == "[" else -len(self.tokens))
            elif token.text in (")", "]", "}"):
                del stack[-1:]
            elif token.text == ";" and stack:
                stack[-1] += 1
                if stack[-1] > 1:
                    return True
        return False

    def _is_repetition(self, count: int) -> bool:
        """True if a semicolon stands between a value and how often a list holds it."""
        return count == 1 and self.is_sign(";") and self.ahead().text != "]" and not self.parts_with_semicolons

    def _is_generator(self) -> bool:
        """True if `x <- xs` follows the bar."""
        return any(token.text == "<-" for token in self.tokens[self.at + 1 : self.at + 8])

    def _list_item(self) -> n.Expr:
        if self.is_sign("..", "...", "*"):
            self.take()
            return n.Spread(self.expression())
        self._no_bars += 1
        value = self._argument_value()
        self._no_bars -= 1
        return value

    def _braces(self) -> n.Expr:
        """A block, a map, a record without a name, an update of a record."""
        first, second = self.ahead(), self.ahead(2)
        if self._is_comprehension_brace():
            return self._braced_comprehension()
        if first.kind != STRING and (first.text in ("**", "[") or (first.text == "..." and self._has_computed_key())):
            return self._object()
        if first.text in ("..", "...") and first.kind != STRING:
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf("", fields, base)
        is_variant = first.text[:1].isupper() and second.text in (".", "::") and self.ahead(3).kind == NAME
        if (first.kind in (STRING, INT) and second.text in (":", "=>")) or (is_variant and self.ahead(4).text == ":"):
            return self._map()
        is_one = second.text == "}" and habit(self.text) == "python"
        if self.begins_row() or (first.kind in (STRING, INT, FLOAT) and (second.text == "," or is_one)):
            return self._set_of(self.braced_list())
        if first.text == "(" and first.kind != STRING and self.habit == "python":
            behind = self.tokens[self.behind_brackets.get(self.at + 1, self.at)].text
            if behind in (":", ",", "}"):
                return self._map() if behind == ":" else self._set_of(self.braced_list())
        if first.kind == NAME and second.text == "," and first.text not in ("true", "false"):
            return self._names_in_braces()
        if first.kind == NAME and second.text == ";" and self._begins_with_own_name():
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf("", fields, base)
        if first.kind == NAME and second.text in (":", "=") and self._is_field_list(second.text):
            self.take()
            fields, base = self._record_fields()
            return n.RecordOf("", fields, base)
        if first.kind == NAME:
            update = self.update()
            if update is not None:
                return update
        return self.block()

    def _is_comprehension_brace(self) -> bool:
        """`{ k: v for … }`, `{ e for … }`: a loop behind a value on the same line, or behind a pair."""
        depth, has_colon = 0, False
        for place in range(self.at, min(len(self.tokens), self.at + _LONGEST)):
            token = self.tokens[place]
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth == 0 or (depth == 1 and (text in (";", "let", "=", "return", "if") or (text == "," and not has_colon))):
                return False
            has_colon |= depth == 1 and text == ":"
            if depth == 1 and text == "for" and token.kind == NAME and place > self.at + 1:
                return has_colon or not token.is_first
        return False

    def _braced_comprehension(self) -> n.Expr:
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        key = self.expression()
        is_map = self.skip(":")
        value = n.TupleOf([key, self.expression()], start=key.start, end=self.before.end) if is_map else key
        comprehension = self._comprehended(value)
        self.expect("}")
        self._plain, self._no_ternary = plain, ternary
        member = n.Member(comprehension, "to_map" if is_map else "to_set", start=start, end=self.before.end)
        return n.Call(member, [], start=start, end=self.before.end)

    @lazily
    def declared_fields(self) -> frozenset[str]:
        """The fields of the records that the program declares, as far as they are no variables that change."""
        return declared_fields(self.text)

    def update(self, name: str = "") -> n.Expr | None:
        """`{ base | a = 1 }`, `{ base with a = 1 }`."""
        at, depth = self.at + 1, 0
        while at < len(self.tokens) - 1:
            token = self.tokens[at]
            if depth == 0 and token.text in ("|", "with") and token.kind != STRING:
                break
            if token.kind != NAME and token.text not in (".", "(", ")", "[", "]") and token.kind != INT:
                return None
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            at += 1
        if self.tokens[at].text not in ("|", "with") or self.tokens[at + 1].kind != NAME:
            return None
        self.expect("{")
        base = self._postfix()
        self.expect("|", "with")
        fields, _ = self._record_fields()
        return n.RecordOf(name, fields, base)

    def _type_of_map(self) -> Type:
        """`[string]int` behind `map`."""
        self.expect("[")
        key = self.type()
        self.expect("]")
        return Type("Map", key, self.type())

    def _map(self) -> n.Expr:
        self.expect("{")
        self._plain, plain = 0, self._plain
        pairs: list[tuple[n.Expr, n.Expr]] = []
        while not self.skip("}"):
            key = self.expression()
            self.expect(":", "=>")
            pairs.append((key, self._braced_item() if self.is_sign("{") and self._plain_brace() else self.expression()))
            if not self.skip(","):
                self.expect("}")
                break
        self._plain = plain
        return n.MapOf(pairs)


def _at(value: n.Expr, token: Token) -> n.Expr:
    """An expression read inside a text, with the text's span in the file."""
    for node in walk(value):
        node.start, node.end = token.start, token.end
    return value
