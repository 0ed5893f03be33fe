"""Forms of Dart: items that depend on a condition or a loop, type arguments before brackets, closures without an arrow."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_c_arrays import CArrays
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, list_of, map_of, set_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_INT: Final = Type("Int")


class DartForms(CArrays):
    """Reads them where an operand, an item of a list or a statement may begin."""

    # ---- collections ----

    def _list(self) -> n.Expr:
        """`[for (final x in xs) x * 2]`, `[if (c) 1, 2]`."""
        if not (self.ahead().text in ("for", "if") and self.ahead().kind == NAME and self.ahead(2).text == "("):
            return super()._list()
        start = self.expect("[").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        items: list[n.Expr] = []
        while not self.skip("]"):
            items.append(self._list_item())
            if not self.skip(","):
                self.expect("]")
                break
        self._plain, self._no_ternary = plain, ternary
        return n.ListOf(items, start=start, end=self.before.end)

    def _list_item(self) -> n.Expr:
        if self.is_word("if") and self.ahead().text == "(":
            return self._item_if()
        if self.is_word("for") and self.ahead().text == "(" and self._loop_holds("in"):
            return self._item_for()
        if self.is_word("for") and self.ahead().text == "(":
            return self._item_counted()
        return super()._list_item()

    def _item_if(self) -> n.Expr:
        """`if (c) x else y` as an item: one of two, or none."""
        behind = self.behind_brackets.get(self.at + 1, 0)
        if not behind or self.tokens[behind].text == "{":
            return super()._list_item()
        start = self.take().start
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        then = self._list_item()
        otherwise = self._list_item() if self.skip("else") else None
        end = self.before.end
        if not isinstance(then, n.Spread) and otherwise is not None and not isinstance(otherwise, n.Spread):
            return n.If(condition, _block(then), _block(otherwise), start=start, end=end)
        empty = n.ListOf([], start=end, end=end)
        choice = n.If(
            condition, _block(_as_list(then)), _block(_as_list(otherwise) if otherwise else empty), start=start, end=end
        )
        return n.Spread(choice, start=start, end=end)

    def _item_for(self) -> n.Expr:
        """`for (final x in xs) x * 2` as items."""
        start = self.take().start
        self.expect("(")
        while self.skip("final", "var", "const"):
            pass
        typed = self.typed_name("in")
        pattern = n.Binding(typed[1], type=typed[0]) if typed is not None else self._one_pattern()
        self.expect("in")
        source = self.expression()
        self.expect(")")
        return self._items_of(pattern, source, start)

    def _item_counted(self) -> n.Expr:
        """`for (var i = 1; i <= n; i++) i * 2` as items."""
        start = self.take().start
        self.expect("(")
        self.skip("final", "var", "int", "let")
        name = self.name()
        self.expect("=")
        low = self.expression()
        self.expect(";")
        self.expect(name)
        is_inclusive = self.expect("<", "<=").text == "<="
        high = self.expression()
        self.expect(";")
        step = "".join(self.take().text for _ in range(6) if not self.is_sign(")"))
        if step not in (f"{name}++", f"++{name}", f"{name}+=1"):
            raise self.unknown("a loop that counts by one")
        self.expect(")")
        return self._items_of(n.Binding(name), n.Range(low, high, is_inclusive, start=low.start, end=high.end), start)

    def _items_of(self, pattern: n.Pattern, source: n.Expr, start: int) -> n.Expr:
        """A `for` among the items of a list, from behind its parentheses on."""
        if self.is_word("for"):
            inner = self._item_for()
            rows = n.Comprehension(_as_list(inner), pattern, source, None, start=start, end=self.before.end)
            return n.Spread(n.Call(n.Member(rows, "flatten"), []), start=start, end=self.before.end)
        condition: n.Expr | None = None
        if self.is_word("if") and self.ahead().text == "(" and not self._has_else():
            self.take()
            self.expect("(")
            condition = self.expression()
            self.expect(")")
        value = self._list_item()
        if isinstance(value, n.Spread):
            rows = n.Comprehension(value.value, pattern, source, condition, start=start, end=self.before.end)
            return n.Spread(n.Call(n.Member(rows, "flatten"), []), start=start, end=self.before.end)
        items = n.Comprehension(value, pattern, source, condition, start=start, end=self.before.end)
        return n.Spread(items, start=start, end=self.before.end)

    def _loop_holds(self, word: str) -> bool:
        behind = self.behind_brackets.get(self.at + 1, 0)
        return any(token.text == word and token.kind == NAME for token in self.tokens[self.at : behind])

    def _primary(self) -> n.Expr:
        if self.is_sign("<") and self.ahead().kind == NAME and (collection := self._typed_collection()) is not None:
            return collection
        return super()._primary()

    def _typed_collection(self) -> n.Expr | None:
        """`<int>[1, 2]`, `<String, int>{}`, `<int>{1, 2}`."""
        at, depth, start = self.at, self._depth, self.token.start
        try:
            self.take()
            kinds = self._types(">")
        except Untranslatable:
            self.at, self._depth = at, depth
            return None
        if len(kinds) == 1 and self.is_sign("["):
            return n.Cast(self._list(), list_of(kinds[0]), start=start, end=self.before.end)
        if len(kinds) == 1 and self.is_sign("{"):
            items = self.braced_list()
            as_set = n.Call(n.Member(items, "toSet"), [], start=start, end=self.before.end)
            return as_set if getattr(items, "items", None) else n.Cast(items, set_of(kinds[0]), start=start, end=self.before.end)
        if len(kinds) == 2 and self.is_sign("{"):
            value: n.Expr
            if self.ahead().text == "}":
                self.take()
                self.take()
                value = n.MapOf([])
            else:
                value = self._map()
            return n.Cast(value, map_of(*kinds), start=start, end=self.before.end)
        self.at = at
        return None

    # ---- calls and closures ----

    def _postfix_step(self, expression: n.Expr) -> n.Expr | None:
        if isinstance(expression, n.Member) and self.is_sign("<") and not self.token.spaced and not self.ahead().spaced:
            # `xs.fold<int>(0, …)`: what the types say follows from the values.
            at = self.at
            if self._skips_generics() and self.is_sign("("):
                return self._called(expression)
            self.at = at
        return super()._postfix_step(expression)

    def _arrow_closure(self) -> n.Expr | None:
        """`(x) { … }` of Dart as an argument or a value."""
        if self._plain or self.tokens[self.at - 2].text not in ("(", ",", ":", "=", "=>"):
            return super()._arrow_closure()
        behind = self.behind_brackets.get(self.at - 1, 0)
        inside = self.tokens[self.at : behind - 1]
        is_closure = self.tokens[behind].text == "{" and not self.tokens[behind].is_first
        if not is_closure or any(token.kind != NAME and token.text != "," for token in inside):
            return super()._arrow_closure()
        parameters: list[n.Pattern] = []
        while not self.skip(")"):
            typed = self.typed_name(",", ")")
            parameters.append(n.Binding(typed[1], type=typed[0]) if typed is not None else n.Binding(self.name()))
            self.skip(",")
        return n.Lambda(parameters, self.block())

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        node = super()._joined(sign, left, level)
        if sign == "/" and isinstance(node, n.Binary) and self.text[left.end : node.right.start].strip() == "~/":
            return n.Cast(node, _INT, start=left.start, end=node.right.end)
        return node

    # ---- patterns ----

    def _arm_pattern(self) -> n.Pattern:
        """`'a' || 'b' => …`."""
        pattern = super()._arm_pattern()
        options = [pattern]
        while self.is_sign("||") and not isinstance(pattern, n.Binding):
            self.take()
            options.append(super()._arm_pattern())
        return pattern if len(options) == 1 else n.OrPattern(options, start=pattern.start, end=self.before.end)

    # ---- statements ----

    def _statement(self) -> n.Statement:
        if self.is_word("final", "const", "var") and self.ahead().text == "(" and not self.ahead().is_first:
            self.take()
            pattern = self._one_pattern()
            self.expect("=")
            return n.Let(pattern, None, self.body_value(), True)
        return self._cascaded(super()._statement())

    def _cascaded(self, statement: n.Statement) -> n.Statement:
        """`xs..add(1)..add(2);`: each is a call of a method of the first value."""
        owner = statement.value if isinstance(statement, n.Evaluate) else None
        calls: list[n.Statement] = []
        while isinstance(owner, n.Range) and isinstance(owner.high, n.Call) and isinstance(owner.high.function, n.Name):
            calls.insert(0, n.Evaluate(owner.high, start=owner.high.start, end=owner.high.end))
            owner = owner.low
        while isinstance(owner, (n.Name, n.Member)) and self.is_sign("..") and self.ahead().kind == NAME:
            self.take()
            call = self._postfix()
            if not isinstance(call, n.Call) or not isinstance(call.function, n.Name):
                raise self.unknown("a call of a method is expected")
            calls.append(n.Evaluate(call, start=call.start, end=call.end))
        if not calls or not isinstance(owner, (n.Name, n.Member)):
            return statement
        for each in calls:
            assert isinstance(each, n.Evaluate)
            assert isinstance(each.value, n.Call)
            assert isinstance(each.value.function, n.Name)
            name = each.value.function
            each.value.function = n.Member(deepcopy(owner), name.name, start=name.start, end=name.end)
        return n.Evaluate(n.Block(calls, start=statement.start, end=self.before.end))


def _as_list(value: n.Expr) -> n.Expr:
    return value.value if isinstance(value, n.Spread) else n.ListOf([value], start=value.start, end=value.end)


__all__ = ["DartForms"]
