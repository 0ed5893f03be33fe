"""Forms of Clojure: keywords, names with `?` and dashes, `loop` and `recur`, `when`, patterns in brackets, maps of keywords."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.clojure_calls import ALONE, of_clojure
from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_binding_operators import BindingOperators
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.rewriting.jumps.loop_values import with_value
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.loop_tails import with_tails

_SURE: Final = re.compile(
    r"(?<![.\w])(?:empty|even|odd|zero|pos|neg|nil|contains|every|some)\?[(,) ]|\bconj\(|\b(?:dis)?assoc\(|\brecur\b|:else\b"
    r"|\bfnil\b|\((?:defn?|let \[|fn \[|->>?) |\breduce\((?:fn \[|[-+*],)|\bapply\((?:[-+*]|max|min|str),"
)
"""Marks of Clojure."""
_MARKS: Final = tuple(
    re.compile(mark)
    for mark in (
        _SURE.pattern,
        r"\b(?:inc|dec|count|frequencies|quot|vals|mapv|keep|update|seq|mapcat|rest)\(",
        r"[(,] ?:[a-z]\w*[,)]",
        r"\bstr\([^()\n]{1,60},",
        r"\bloop[ \t]{0,3}[(\[]|\bcond[ \t]{0,3}\{",
        r"\b(?:map|filter|reduce|sort_by)\((?:fn\b|[a-z]\w{0,20}\??,)",
    )
)
_ENOUGH: Final = 2
_DASHED: Final = re.compile(
    r"\b(?:sort|group|partition)-by\b|\b(?:take|drop)-while\b|\bmap-indexed\b|\b(?:take|drop)-last\b|\bnot-(?:any|empty)\b"
    r"|\bpartition-all\b|\b(?:max|min)-key\b|\bparse-(?:int|long|double)\b|\b(?:upper|lower)-case\b|\bselect-keys\b"
)
_DECLARED: Final = re.compile(r"\bfn[ \t]{1,9}([a-z]\w*(?:-\w+)+)")
_SIGNS: Final = frozenset(("+", "*", "-", "<", ">", "<=", ">=", "=="))


class ClojureForms(BindingOperators):
    """Reads them where several things say that a program's habits are those of Clojure."""

    @lazily
    def speaks_clojure(self) -> bool:
        if _SURE.search(self.text) is None or self.habit == "elixir":
            return False
        return sum(mark.search(self.text) is not None for mark in _MARKS) >= _ENOUGH

    @lazily
    def record_fields(self) -> frozenset[str]:
        """The fields of the records that the program declares."""
        return frozenset(
            name for place, token in enumerate(self.tokens[:-3]) if token.text == "type" for name in self._fields_behind(place)
        )

    def settle_tokens(self) -> None:
        super().settle_tokens()
        if not self.speaks_clojure:
            return
        dashed = {*_DASHED.findall(self.text), *_DECLARED.findall(self.text)}
        kept: list[Token] = []
        for place, token in enumerate(self.tokens):
            follows = self.tokens[min(place + 1, len(self.tokens) - 1)]
            before = kept[-1] if kept else None
            is_behind = before is not None and before.kind == NAME and before.end == token.start
            if token.text in ("?", "!") and token.kind == OPERATOR and is_behind and follows.text in ("(", ",", ")"):
                continue
            if token.text == ":" and follows.text == "else" and follows.start == token.end:
                continue
            if before is not None and before.text == "-" and before.kind == OPERATOR and not before.spaced and not token.spaced:
                joined = f"{kept[-2].text}-{token.text}" if len(kept) > 1 else ""
                if joined in dashed:
                    kept[-2:] = [kept[-2]._replace(text=joined.replace("-", "_"), end=token.end)]
                    continue
            kept.append(token)
        self.tokens = kept

    # ---- values ----

    def _primary(self) -> n.Expr:
        if not self.speaks_clojure:
            return super()._primary()
        token, follows = self.token, self.ahead()
        if self.is_sign(":") and follows.kind == NAME and follows.start == token.end and token.end > token.start:
            self.take()
            return self._keyword(self.take(), token.start)
        is_alone = follows.kind == OPERATOR and follows.text in (",", ")") and self.before.text in ("(", ",")
        if token.kind == OPERATOR and token.text in _SIGNS and is_alone:
            self.take()
            return n.OperatorFunction(token.text, start=token.start, end=token.end)
        is_own = token.text in self.names_of_functions or token.text in self.declared_names
        if token.kind == NAME and token.text in ALONE and is_alone and not is_own:
            return self._handed_on(self.take())
        return super()._primary()

    def _handed_on(self, word: Token) -> n.Expr:
        """A function of the library that stands without its value."""
        start, end = word.start, word.end
        own = n.Argument(n.Name("_arg0", start=start, end=end))
        call = n.Call(n.Name(word.text, start=start, end=end), [own], start=start, end=end)
        return n.Lambda([n.Binding("_arg0")], of_clojure(call, self.record_fields), start=start, end=end)

    def _keyword(self, word: Token, start: int) -> n.Expr:
        """`:name`: a field as a function, or a key of a map."""
        if word.text in self.record_fields:
            return n.OperatorFunction(".", word.text, start=start, end=word.end)
        return n.Literal("string", f'"{word.text}"', start=start, end=word.end)

    def _braces(self) -> n.Expr:
        if not self.speaks_clojure:
            return super()._braces()
        follows = self.ahead()
        if follows.text == "}" and self.before.text in ("(", ",", "=", "["):
            start = self.take().start
            self.take()
            return n.MapOf([], start=start, end=self.before.end)
        if follows.text == ":" and self.ahead(2).kind == NAME and self.ahead(2).start == follows.end:
            return self._map_of_keywords()
        return super()._braces()

    def _map_of_keywords(self) -> n.Expr:
        """`{:name "a", :age 3}`: a record where its keys are the fields of one."""
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        pairs: list[tuple[Token, n.Expr]] = []
        while not self.skip("}"):
            self.expect(":")
            word = self.take()
            pairs.append((word, self.expression()))
            self.skip(",")
        self._plain = plain
        end = self.before.end
        if all(word.text in self.record_fields for word, _ in pairs):
            return n.RecordOf("", {word.text: value for word, value in pairs}, None, start=start, end=end)
        keys = [n.Literal("string", f'"{word.text}"', start=word.start, end=word.end) for word, _ in pairs]
        return n.MapOf([(key, value) for key, (_, value) in zip(keys, pairs, strict=True)], start=start, end=end)

    def _group(self) -> n.Expr:
        """`(+ a b)`, `(:name p)`: a sign or a field before its values."""
        follows, after = self.ahead(), self.ahead(2)
        is_sign = follows.kind == OPERATOR and follows.text in _SIGNS and after.spaced and after.text != ")"
        is_field = follows.text == ":" and after.kind == NAME and after.start == follows.end and after.text in self.record_fields
        if not self.speaks_clojure or not (is_sign or is_field):
            return super()._group()
        start = self.take().start
        self._plain, plain = 0, self._plain
        sign = self.take().text
        word = self.take().text if is_field else ""
        values: list[n.Expr] = []
        while not self.skip(")"):
            values.append(self._postfix())
        self._plain = plain
        end = self.before.end
        if is_field and len(values) == 1:
            return n.Member(values[0], word, start=start, end=end)
        if is_field or not values or (len(values) > 2 and sign not in ("+", "*")):
            raise self.unknown("values behind a sign are expected")
        if len(values) == 1:
            return n.Unary(sign, values[0], start=start, end=end) if sign == "-" else values[0]
        whole = values[0]
        for value in values[1:]:
            whole = n.Binary(sign, whole, value, start=start, end=end)
        return whole

    # ---- forms ----

    def _word(self) -> n.Expr:
        if self.speaks_clojure and self.is_word("loop") and self.ahead().text in ("(", "["):
            return self._loop_with_recur()
        if self.speaks_clojure and self.is_word("when") and self.ahead().text != "{" and not self._has_arms():
            start = self.take().start
            condition = self.condition()
            then = self.block()
            return n.If(condition, then, None, start=start, end=self.before.end)
        return super()._word()

    def _has_arms(self) -> bool:
        """True if arms stand in the braces behind `when`."""
        place = self.at
        while self.tokens[place].text != "{" and self.tokens[place].kind != "end":
            place += 1
        behind = self.behind_brackets.get(place, place)
        return any(
            token.text in ("->", "=>") and token.kind == OPERATOR for token in self.tokens[place : min(behind, place + 12)]
        )

    def _statement(self) -> n.Statement:
        if self.speaks_clojure and self.is_word("loop") and self.ahead().text in ("(", "["):
            return n.Evaluate(self._loop_with_recur())
        return super()._statement()

    def _loop_with_recur(self) -> n.Expr:
        """`loop (a = 1, b = xs) { … recur(x, y) … }`: a loop whose value is what it ends with."""
        start = self.take().start
        closing = ")" if self.take().text == "(" else "]"
        if closing == ")" and self.is_sign("["):
            self.take()
            closing = "]"
        names: list[str] = []
        lets: list[n.Statement] = []
        while not self.skip(closing):
            at, name = self.token.start, self.name()
            kind = self.type() if self.skip(":") else None
            self.skip("=")
            value = self.expression()
            lets.append(n.Let(n.Binding(name), kind, value, True, start=at, end=self.before.end))
            names.append(name)
            self.skip(",")
        self.skip(")")
        body = self.block()
        whole = with_tails(body, lambda value: _steps(value, names))
        true = n.Literal("bool", "true", start=start, end=start)
        loop = with_value(n.While(true, whole, start=start, end=self.before.end))
        if loop is None:
            raise self.unknown("a loop that ends with a value is expected")
        return n.Block([*lets, n.Evaluate(loop, start=start, end=self.before.end)], start=start, end=self.before.end)

    # ---- patterns ----

    def _one_pattern(self) -> n.Pattern:
        pattern = super()._one_pattern()
        names_only = isinstance(pattern, n.ListPattern) and pattern.rest is None and not pattern.last and len(pattern.items) > 1
        if not self.speaks_clojure or not names_only or not self._in_names:
            return pattern
        assert isinstance(pattern, n.ListPattern)
        return n.TuplePattern(pattern.items, start=pattern.start, end=pattern.end)

    def _parameter_pattern(self) -> n.Pattern:
        outer, self._in_names = self._in_names, True
        pattern = super()._parameter_pattern()
        self._in_names = outer
        return pattern

    # ---- calls ----

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        translated = of_clojure(call, self.record_fields) if self.speaks_clojure else call
        return translated if translated is not call else super()._ordered(call, is_curried)


def _steps(value: n.Expr, names: list[str]) -> list[n.Statement]:
    """Statements that end a round of a loop: `recur` sets the variables, any other value ends the loop."""
    start, end = value.start, value.end
    is_again = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "recur"
    if not is_again or not isinstance(value, n.Call):
        return [n.Evaluate(n.Jump("break", value, start=start, end=end), start=start, end=end)]
    values = [each.value for each in value.arguments]
    own: list[n.Expr] = [n.Name(name, start=start, end=end) for name in names]
    if len(values) == 1:
        return [n.Assign(own[0], "", values[0], start=start, end=end)]
    return [n.Assign(n.TupleOf(own, start=start, end=end), "", n.TupleOf(values, start=start, end=end), start=start, end=end)]
