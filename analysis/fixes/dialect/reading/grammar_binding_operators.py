"""`let* x = e in …` of OCaml; `f <$> a <*> b` and `a <|> b` of Haskell and PureScript."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_haskell import HaskellForms
from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import walk

_DEFINED: Final = "let_star"
_BINDS: Final = re.compile(r"\(\s{0,4}let\*\s{0,4}\)[^=]{0,80}=([^\n]*(?:\n[ \t]+[^\n]*){0,6})")
_PLAIN_BIND: Final = re.compile(r"\bbind\b|\bNone\b\s*->\s*None\b|->\s*None\b|->\s*Error\b|->\s*Err\b|\band_then\b")
"""What says that an operator gives the first value that is none, and applies the function to any other."""
_JOINED: Final = {"*": "<*>", "|": "<|>"}


class BindingOperators(HaskellForms):
    """Reads them as steps that may end the function, and as operations on what may be absent."""

    @lazily
    def binding_lets(self) -> set[int]:
        """Offsets of the `let` in each `let*`."""
        return set()

    @lazily
    def applied_parts(self) -> dict[int, tuple[n.Expr, list[n.Expr], n.Expr]]:
        """By the identity of `f <$> a <*> b` the function, the values, and the node itself."""
        return {}

    def settle_tokens(self) -> None:
        super().settle_tokens()
        if "let*" in self.text:
            self.tokens = self._with_binding_lets()
        if "<*>" in self.text or "<|>" in self.text:
            self.tokens = _with_joined(self.tokens)

    def _with_binding_lets(self) -> list[Token]:
        kept: list[Token] = []
        defined = _BINDS.search(self.text)
        is_plain = defined is None or _PLAIN_BIND.search(defined[1]) is not None
        for place, token in enumerate(self.tokens):
            before = kept[-1] if kept else None
            is_star = token.kind == OPERATOR and token.text == "*" and before is not None and before.text == "let"
            if not is_star or before is None or before.end != token.start or not is_plain:
                kept.append(token)
                continue
            if self.tokens[place + 1].text == ")" and len(kept) > 1 and kept[-2].text == "(":
                kept[-2:] = [kept[-2]._replace(kind=NAME, text=_DEFINED)]
            else:
                self.binding_lets.add(before.start)
        return [token for place, token in enumerate(kept) if not (token.text == ")" and kept[place - 1].text == _DEFINED)]

    def item_of_language(self, word: str) -> list[n.Item] | None:
        if word == "let" and self.ahead().text == _DEFINED:
            start = self.take().start
            while self.token.kind != "end" and not (self.token.is_first and self.token.column == 0):
                self.take()
            return [n.Alias("", Type(), start=start, end=self.before.end)]
        return super().item_of_language(word)

    def _statement(self) -> n.Statement:
        start = self.token.start
        statement = super()._statement()
        if start in self.binding_lets and isinstance(statement, n.Let):
            self._bind(statement)
        return statement

    def _let_in(self) -> n.Expr:
        start = self.token.start
        value = super()._let_in()
        if start in self.binding_lets:
            for node in walk(value):
                if isinstance(node, n.Let) and node.start == start:
                    self._bind(node)
        return value

    def _bind(self, statement: n.Let) -> None:
        if statement.value is not None and not isinstance(statement.value, n.Try):
            statement.value = n.Try(statement.value, True, start=statement.value.start, end=statement.value.end)

    # ---- functions of values that may be absent ----

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        if sign == "<|>":
            return n.Call(n.Member(left, "or_else"), [n.Argument(self._binary(level + 1))], start=left.start, end=self.before.end)
        if sign == "<*>":
            return self._applied_also(left, self._binary(level + 1))
        joined = super()._joined(sign, left, level)
        if sign == "<$>" and isinstance(joined, n.Call) and isinstance(joined.function, n.Member):
            self.applied_parts[id(joined)] = (left, [joined.function.object], joined)
        return joined

    def _applied_also(self, left: n.Expr, value: n.Expr) -> n.Expr:
        applied = self.applied_parts.get(id(left))
        if applied is None:
            is_pure = (
                isinstance(left, n.Call) and isinstance(left.function, n.Name) and left.function.name in ("pure", "Just", "Some")
            )
            if not is_pure or not isinstance(left, n.Call) or len(left.arguments) != 1:
                raise self.unknown("a function of values that may be absent is expected")
            applied = (left.arguments[0].value, [], left)
        function, values = applied[0], [*applied[1], value]
        names = [f"applied_{place}" for place in range(1, len(values) + 1)]
        start, end = left.start, self.before.end
        given = [n.Argument(n.Name(name, start=start, end=end)) for name in names]
        body: n.Expr = n.Call(function, given, start=start, end=end)
        if isinstance(function, n.OperatorFunction) and function.operator != "." and len(values) == 2:
            body = n.Binary(function.operator, given[0].value, given[1].value, start=start, end=end)
        for place in range(len(values) - 1, -1, -1):
            word = "map" if place == len(values) - 1 else "flatMap"
            closure = n.Lambda([n.Binding(names[place])], body, start=start, end=end)
            body = n.Call(n.Member(values[place], word), [n.Argument(closure)], start=start, end=end)
        self.applied_parts[id(body)] = (function, values, body)
        return body


def _with_joined(tokens: list[Token]) -> list[Token]:
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        middle, last = (tokens[min(place + step, len(tokens) - 1)] for step in (1, 2))
        is_one = token.text == "<" and middle.text in _JOINED and last.text == ">" and token.spaced
        if is_one and token.end == middle.start and middle.end == last.start and token.kind == OPERATOR:
            kept.append(token._replace(text=_JOINED[middle.text], end=last.end))
            place += 3
            continue
        kept.append(token)
        place += 1
    return kept
