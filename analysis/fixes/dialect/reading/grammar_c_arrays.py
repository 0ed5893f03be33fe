"""Arrays of C: `int xs[5] = {1, 2}`, `char s[] = "text"`, `const char *names[] = {…}`, `sizeof xs / sizeof xs[0]`, ends of texts.

An array has as many items as its size says; those that are not written are zeros.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.reading.grammar_cpp import CppForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, list_of
from analysis.suggestions.foreign_words import PLAIN_TYPES

_BEFORE: Final = ("const", "static", "unsigned", "signed", "struct", "register")
_MOST_ZEROS: Final = 64
"""Items behind those that are written."""
_END: Final = "'\\0'"


class CArrays(CppForms):
    """Reads them where a statement begins."""

    def _statement(self) -> n.Statement:
        at = self.at
        if self.token.kind == NAME and self._begins_array():
            return self._array(at)
        if self._begins_text():
            self.at += 3 if self.is_word("const") else 2
            name = self.name()
            self.expect("=")
            return n.Let(n.Binding(name), Type("String"), self.body_value(), True)
        return super()._statement()

    def _begins_array(self) -> bool:
        """`const char *names[` and the like."""
        at = self.at
        while self.tokens[at].text in _BEFORE and self.tokens[at].kind == NAME:
            at += 1
        word = self.tokens[at]
        if word.kind != NAME or not (word.text in PLAIN_TYPES or word.text in self.own_types):
            return False
        at += 1
        if self.tokens[at].text == "*":
            at += 1
        name, opening = self.tokens[min(at, len(self.tokens) - 1)], self.tokens[min(at + 1, len(self.tokens) - 1)]
        if name.kind != NAME or name.is_first or opening.text != "[" or opening.spaced or opening.is_first:
            return False
        while at + 1 < len(self.tokens) and self.tokens[at + 1].text == "[":
            at = self.behind_brackets.get(at + 1, len(self.tokens)) - 1
        return at + 1 < len(self.tokens) and self.tokens[at + 1].text in ("=", ";")

    def _begins_text(self) -> bool:
        """`const char *s = …`."""
        at = self.at + self.is_word("const")
        signs = [token.text for token in self.tokens[at : at + 4]]
        return len(signs) == 4 and signs[:2] == ["char", "*"] and signs[3] == "=" and self.tokens[at + 2].kind == NAME

    def _array(self, at: int) -> n.Statement:
        while self.is_word(*_BEFORE):
            self.take()
        is_signs = self.is_word("char")
        item = self._named_type(self.take().text)
        is_pointer = self.skip("*")
        name = self.name()
        sizes: list[n.Expr | None] = []
        while self.skip("["):
            sizes.append(None if self.is_sign("]") else self.expression())
            self.expect("]")
        if is_signs and not is_pointer:
            # The last size is that of the texts.
            sizes.pop()
        kind = item
        for _ in sizes:
            kind = list_of(kind)
        if self.skip("="):
            value = self._listed(item, sizes) if self.is_sign("{") else self.expression()
        else:
            value = self._zero_array(item, sizes)
        return n.Let(n.Binding(name), kind, value, True, start=self.tokens[at].start)

    def _listed(self, item: Type, sizes: list[n.Expr | None]) -> n.Expr:
        """What stands in braces, and zeros up to the size."""
        start = self.token.start
        if not sizes:
            return self._record_in_braces(head(item)) if head(item) in self.own_types else self._braced_value(item)
        self.take()
        items: list[n.Expr] = []
        while not self.skip("}"):
            is_nested = self.is_sign("{")
            items.append(self._listed(item, sizes[1:]) if is_nested else self.expression())
            if not self.skip(","):
                self.expect("}")
                break
        end, size = self.before.end, sizes[0]
        is_zero = not items or (len(items) == 1 and isinstance(items[0], n.Literal) and items[0].text in ("0", "0.0", "false"))
        if size is None or (isinstance(size, n.Literal) and size.text == str(len(items))):
            return n.ListOf(items, start=start, end=end)
        if is_zero:
            return self._zero_array(item, sizes)
        missing = int(size.text) - len(items) if isinstance(size, n.Literal) and size.text.isdigit() else 0
        if 0 < missing <= _MOST_ZEROS:
            items += [self._zero_array(item, sizes[1:]) for _ in range(missing)]
        return n.ListOf(items, start=start, end=end)

    def _record_in_braces(self, name: str) -> n.Expr:
        """`{"a", 1}`, `{.name = "a"}`."""
        start = self.token.start
        if self.ahead().text == ".":
            self.take()
            return n.RecordOf(name, *self._record_fields(), start=start, end=self.before.end)
        values = self.braced_list()
        assert isinstance(values, n.ListOf)
        arguments = [n.Argument(each) for each in values.items]
        return n.Call(n.Name(name, start=start, end=start), arguments, start=start, end=self.before.end)

    def _zero_array(self, item: Type, sizes: list[n.Expr | None]) -> n.Expr:
        """As many zeros as the sizes say."""
        start, end = self.before.start, self.before.end
        value = self.zero(item)
        if value is None or None in sizes or (not sizes and head(item) == "String"):
            raise self.unknown("an array with its items is expected")
        for size in reversed(sizes):
            assert size is not None
            value = n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(deepcopy(size))], start=start, end=end)
        return value

    # ---- sizes and ends ----

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        is_end = sign in ("==", "!=") and self.token.kind == STRING and self.text.startswith(_END, self.token.start)
        if is_end and isinstance(left, n.Index):
            self.take()
            whole = n.Call(n.Member(left.object, "len", start=left.start, end=left.end), [], start=left.start, end=left.end)
            return n.Binary(">=" if sign == "==" else "<", left.index, whole, start=left.start, end=self.before.end)
        if is_end:
            raise self.unknown("the end of a text at a place is expected")
        joined = super()._joined(sign, left, level)
        divided = (joined.left, joined.right) if isinstance(joined, n.Binary) and joined.operator == "/" else None
        if divided is None or not all(self.text.startswith("sizeof", each.start) for each in divided):
            return joined
        counted, item = map(_sized, divided)
        return divided[0] if isinstance(counted, n.Name) and isinstance(item, n.Index) else joined


def _sized(value: n.Expr) -> n.Expr | None:
    """What `sizeof(…)` is about, which PHP counts."""
    is_counted = isinstance(value, n.Call) and isinstance(value.function, n.Member) and not value.arguments
    return value.function.object if is_counted and isinstance(value, n.Call) and isinstance(value.function, n.Member) else None
