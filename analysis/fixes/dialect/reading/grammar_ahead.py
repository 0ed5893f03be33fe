"""Lookahead for statements: the kind of a loop, assignments to several names."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_ml import MLForms
from analysis.fixes.dialect.tree import nodes as n

_LONGEST: Final = 100
"""Tokens of a list of names that is assigned to, or of a loop's head."""


class Ahead(MLForms):
    """Looks at tokens and takes none."""

    def _one_pattern(self) -> n.Pattern:
        """A pattern; `(first, *rest)` is one of a list."""
        pattern = super()._one_pattern()
        rest = with_rest(pattern.items) if isinstance(pattern, n.TuplePattern) else None
        if rest is not None:
            rest.start, rest.end = pattern.start, pattern.end
        return rest or pattern

    def _is_reference(self) -> bool:
        """`&mut T`, `*T`, `inout T`: what is passed may be changed for the caller."""
        if self.is_sign("&"):
            return self.ahead().text == "mut"
        if self.is_word("var") and self.habit == "nim":
            return self.before.text == ":"
        return self.is_word("inout") or (self.is_sign("*") and self.ahead().text != "const")

    def _is_do_while(self) -> bool:
        """True if `while` follows the braces behind `do`."""
        return self.tokens[self.behind_brackets.get(self.at + 1, len(self.tokens) - 1)].text == "while"

    def _opens_module(self) -> bool:
        """`open List`, `open System.Text`."""
        return self.is_word("open") and self.ahead().text[:1].isupper() and (self.ahead(2).is_first or self.ahead(2).text == ".")

    def _chained(self, targets: list[n.Name]) -> n.Statement:
        """`a = b = 5`, behind the second name."""
        while self.skip("="):
            value = self.expression()
            if not self.is_sign("="):
                break
            if not isinstance(value, n.Name):
                raise self.unknown("a variable is expected")
            targets.append(value)
        if not isinstance(value, n.Literal):
            raise self.unknown("a plain value for several variables is expected")
        values: list[n.Expr] = [n.Literal(value.kind, value.text, start=value.start, end=value.end) for _ in targets]
        return n.Assign(n.TupleOf(list(targets)), "", n.TupleOf(values, start=value.start, end=value.end))

    def _binds_another(self) -> bool:
        """`let a = 1 and b = 2`, behind the first value."""
        return self.is_word("and") and self.ahead().kind == NAME and self.ahead(2).text == "="

    def _with_others(self, first: n.Pattern, value: n.Expr, at: int) -> n.Statement:
        """`let a = 1 and b = 2`: none of the values sees the other names; the `let` stands at a place."""
        patterns, values = [first], [value]
        while self._binds_another():
            self.take()
            patterns.append(n.Binding(self.name()))
            self.expect("=")
            values.append(self._bound_value(patterns[-1]))
        if self.is_word("in"):
            self.at = at
            return n.Evaluate(self._let_in())
        return n.Let(n.TuplePattern(patterns), None, n.TupleOf(values))

    def _deletion(self) -> n.Statement:
        """`del m[k]`, `delete m[k]`, `del xs[i]`."""
        self.take()
        place = self._postfix()
        if isinstance(place, n.Member):
            place = n.Index(place.object, n.Literal("string", f'"{place.name}"'))
        if not isinstance(place, n.Index):
            raise self.unknown("an entry of a map or a list is expected")
        return n.Evaluate(n.Call(n.Member(place.object, "delete_place"), [n.Argument(place.index)]))

    def _is_bar_loop(self) -> bool:
        """`for (xs) |x| { … }`."""
        return self.tokens[self.behind_brackets.get(self.at, len(self.tokens) - 1)].text == "|"

    def _holds_loop(self) -> bool:
        """True if the parenthesis behind `for` holds the loop's head, not a pattern."""
        depth = 0
        for place in range(self.at, len(self.tokens)):
            token = self.tokens[place]
            if token.kind == "string":
                continue
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            if depth == 1 and token.text in ("in", "of", ";", "<-", ":"):
                return True
            if depth == 0:
                return False
        return False

    def _is_condition(self) -> bool:
        """`for a < b {`: a comparison, and no word of a loop over something, before the loop's brace."""
        compares = False
        for token in self.tokens[self.at : self.at + _LONGEST]:
            if token.kind != "string" and (token.is_first or token.text in ("{", "in", "of", "<-", ":", ":=", "range")):
                return compares and token.text == "{"
            compares |= token.kind == "operator" and token.text in ("<", "<=", ">", ">=", "==", "!=")
        return False

    def _is_counting(self) -> bool:
        """True if a semicolon comes before the loop's brace."""
        depth = listed = 0
        for place in range(self.at, len(self.tokens)):
            token = self.tokens[place]
            if token.kind == "string":
                continue
            depth += (token.text == "(") - (token.text == ")")
            listed += (token.text == "[") - (token.text == "]")
            if listed > 0:
                continue
            if depth < 0 or token.text in (";", "{"):
                return token.text == ";" and depth >= 0
        return False

    def _is_multiple(self) -> bool:
        """True if names that commas separate stand before a `=` or `:=` on this line."""
        depth = 0
        for token in self.tokens[self.at : self.at + _LONGEST]:
            text = token.text if token.kind != "string" else ""
            if token.is_first and depth == 0:
                return False
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if depth < 0 or text in (";", "=>", "->"):
                return False
            if depth == 0 and text in ("=", ":="):
                return True
        return False


def with_rest(items: list[n.Pattern]) -> n.ListPattern | None:
    """`first, *rest`: a pattern of a list; None where no name takes the rest."""
    places = [
        place
        for place, item in enumerate(items)
        if isinstance(item, n.Binding) and isinstance(item.inner, n.Wildcard) and item.inner.end < 0
    ]
    if len(places) != 1:
        return None
    rest = items[places[0]]
    assert isinstance(rest, n.Binding)
    return n.ListPattern(items[: places[0]], n.Binding(rest.name), items[places[0] + 1 :])
