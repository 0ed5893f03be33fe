"""Forms of Elixir: tuples in braces, `{:ok, v}`, atoms, `with`, `do:`, loops that give values, names that end with a mark."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.libraries.elixir_calls import of_elixir
from analysis.fixes.dialect.reading.elixir_ahead import has_clauses, has_short_branches, holds_branches
from analysis.fixes.dialect.reading.grammar_base import INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_julia import JuliaForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_STATEMENTS: Final = ("let", "return", "if", "while", "for", "->", "=>", ";", "do", "<-", "=")
_MATCHED: Final = re.compile(r"\b(?:match|case|switch)[ \t]{1,4}\{[^{}\n;:=]{1,80},[^{}\n;:=]{1,80}\}")
_WIDEST_GAP: Final = 80
_RESULTS: Final = {"ok": "Ok", "error": "Err"}


class ElixirForms(JuliaForms):
    """Reads them where the habits of a program are those of Elixir."""

    @lazily
    def speaks_elixir(self) -> bool:
        return self.habit == "elixir"

    @lazily
    def dots_include_end(self) -> bool:
        return True if self.speaks_elixir else super().dots_include_end

    @lazily
    def looks_last(self) -> bool | None:
        return False if self.speaks_elixir else super().looks_last

    @lazily
    def has_braced_tuples(self) -> bool:
        """True if braces hold tuples: in Elixir, and where a match is on several values in braces."""
        return self.speaks_elixir or _MATCHED.search(self.text) is not None

    def settle_tokens(self) -> None:
        """Takes `even?(` for `even(`, `f.(x)` for `f(x)`, `defmodule Name do … end` for what stands in it."""
        super().settle_tokens()
        if not self.speaks_elixir:
            return
        kept: list[Token] = []
        for place, token in enumerate(self.tokens):
            follows = self.tokens[place + 1] if place + 1 < len(self.tokens) else token
            before = kept[-1] if kept else None
            is_touching = before is not None and before.kind == NAME and not token.spaced and follows.start == token.end
            if token.kind == OPERATOR and token.text in ("?", "!") and is_touching and follows.text in ("(", "/"):
                if token.text == "!" and kept[-1].text == "update":
                    kept[-1] = kept[-1]._replace(text="update_present")
                continue
            if token.kind == OPERATOR and token.text == "." and is_touching and follows.text == "(":
                continue
            kept.append(token._replace(text="list_less") if token.text == "--" and token.spaced and follows.spaced else token)
        self.tokens = kept

    # ---- values ----

    def _primary(self) -> n.Expr:
        if not self.speaks_elixir:
            return super()._primary()
        token, follows = self.token, self.ahead()
        if self.is_sign("?") and follows.start == token.end and follows.kind in (NAME, INT) and len(follows.text) == 1:
            # `?a`: the number of a character.
            self.take()
            self.take()
            return n.Literal("int", str(ord(follows.text)), start=token.start, end=follows.end)
        if self.is_sign("~") and follows.text == "w" and self.ahead(2).text in ("(", "[", "{"):
            return self._words()
        if self.is_sign("%") and follows.text == "{" and self.ahead(2).text == "}":
            for _ in range(3):
                self.take()
            return n.MapOf([], start=token.start, end=self.before.end)
        if self.is_sign(":") and follows.kind == NAME and follows.start == token.end:
            self.take()
            word = self.take()
            if word.text in ("true", "false"):
                return n.Literal("bool", word.text, start=token.start, end=word.end)
            if word.text == "nil":
                return n.Literal("none", "None", start=token.start, end=word.end)
            return n.Literal("string", f'"{word.text}"', start=token.start, end=word.end)
        return super()._primary()

    def _capture(self) -> n.Expr:
        """`&(&1 * 2)`, `&1` inside of it, `&:upcase`."""
        start = self.take().start
        if self.token.kind == INT:
            return n.Name(f"_arg{int(self.take().text) - 1}", start=start, end=self.before.end)
        if self.skip(":"):
            body: n.Expr = n.Call(n.Member(n.Name("_arg0"), self.name()), [])
        elif self.is_sign("&"):
            # `& &1.done`
            body = self._binary(2)
        else:
            body = self._postfix() if self.token.kind == NAME else self._primary()
        names = sorted({node.name for node in walk(body) if isinstance(node, n.Name) and node.name.startswith("_arg")})
        if not names:
            return body
        return n.Lambda([n.Binding(name) for name in names], body, start=start, end=self.before.end)

    def _captured(self) -> n.Expr:
        is_place, start = self.ahead().kind == INT, self.token.start
        value = self._capture()
        while is_place and (step := self._postfix_step(value)) is not None:
            # `&1.name`
            value = step
            value.start, value.end = start, self.before.end
        return value

    def _words(self) -> n.Expr:
        """`~w(a b c)`: a list of texts."""
        start = self.take().start
        self.take()
        opening = self.token.end
        self.at = self.behind_brackets.get(self.at, len(self.tokens) - 1)
        words = self.text[opening : self.before.start].split()
        items: list[n.Expr] = [n.Literal("string", f'"{word}"', start=start, end=self.before.end) for word in words]
        return n.ListOf(items, start=start, end=self.before.end)

    def _braces(self) -> n.Expr:
        if not self.has_braced_tuples or self.before.text == "%" or not self._is_tuple():
            return super()._braces()
        start = self.expect("{").start
        self._plain, plain = 0, self._plain
        self._no_ternary, ternary = 0, self._no_ternary
        word = self.ahead().text if self.is_sign(":") else ""
        items: list[n.Expr] = []
        while not self.skip("}"):
            items.append(self.expression())
            if not self.skip(","):
                self.expect("}")
                break
        self._plain, self._no_ternary = plain, ternary
        end = self.before.end
        if word in _RESULTS and len(items) == 2:
            return n.Call(n.Name(_RESULTS[word], start=start, end=start), [n.Argument(items[1])], start=start, end=end)
        return n.TupleOf(items, start=start, end=end)

    def _is_tuple(self) -> bool:
        """True if a brace holds values that commas part, not statements or fields."""
        depth, commas = 0, 0
        for place in range(self.at, self.behind_brackets.get(self.at, self.at)):
            token, follows = self.tokens[place], self.tokens[place + 1]
            text = token.text if token.kind != STRING else ""
            is_field = token.kind == NAME and follows.text == ":" and not follows.spaced
            if depth == 1 and (text in _STATEMENTS or is_field):
                return False
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            commas += depth == 1 and text == ","
        return commas > 0

    def _one_pattern(self) -> n.Pattern:
        if not self.has_braced_tuples:
            return super()._one_pattern()
        start = self.token.start
        if self.is_sign(":") and self.ahead().kind == NAME and self.ahead().start == self.token.end:
            self.take()
            word = self.name()
            if word in _RESULTS and "{:" in self.text[max(0, start - 400) : start]:
                name = "Error" if word == "error" else "Ok"
                return n.VariantPattern("", name, [], start=start, end=self.before.end)
            return n.LiteralPattern(n.Literal("string", f'"{word}"', start=start, end=self.before.end))
        if self.is_sign("{") and self._is_tuple():
            self.take()
            word = self.ahead().text if self.is_sign(":") else ""
            items = self._patterns("}", has_names=False)
            if word in _RESULTS and len(items) == 2:
                return n.VariantPattern("", _RESULTS[word], items[1:], start=start, end=self.before.end)
            return n.TuplePattern(items, start=start, end=self.before.end)
        if self.is_sign("%") and (self.ahead().text == "{" or self.ahead(2).text == "{"):
            self.take()
        return super()._one_pattern()

    def _indexed(self, expression: n.Expr) -> n.Expr:
        if not self.speaks_elixir or not self.is_sign(":") or self.ahead().kind != NAME:
            return super()._indexed(expression)
        key = self._primary()
        self.expect("]")
        return n.Index(expression, key, start=expression.start, end=self.before.end)

    # ---- choices and loops that give values ----

    def _word(self) -> n.Expr:
        if self.speaks_elixir and self.is_word("with") and self.ahead().text not in (".", "=", ",", ")"):
            return self._with_steps()
        if self.speaks_elixir and self.is_word("for") and self._is_generator_line():
            return self._generated_list()
        return super()._word()

    def _closure(self) -> n.Expr:
        if not self.speaks_elixir or not self.is_word("fn") or not has_clauses(self.tokens, self.at):
            return super()._closure()
        start = self.take().start
        depth, count = 0, 1
        for token in self.tokens[self.at :]:
            text = token.text if token.kind != STRING else ""
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text in ("->", "when"):
                break
            count += depth == 0 and text == ","
        names = ["argument", *(f"argument_{place}" for place in range(2, count + 1))]
        values: list[n.Expr] = [n.Name(name, start=start, end=start) for name in names]
        pair, self._is_pair = self._is_pair, count > 1
        match = n.Match(values[0] if count == 1 else n.TupleOf(values, start=start, end=start), [], start=start)
        while not self.skip("end"):
            match.arms += self._arm_rows()
        match.end, self._is_pair = self.before.end, pair
        parameters: list[n.Pattern] = [n.Binding(name) for name in names]
        return n.Lambda(parameters, match, start=start, end=self.before.end)

    def _statement(self) -> n.Statement:
        if (self.speaks_elixir and self.is_word("with")) or (
            self.speaks_elixir and self.is_word("for") and self._is_generator_line()
        ):
            return n.Evaluate(self.expression())
        if self.speaks_elixir and self._is_matched_value():
            pattern = self.pattern()
            self.expect("=")
            value = self.expression()
            is_number = isinstance(pattern, n.TuplePattern) and len(pattern.items) == 2 and _parses(value)
            if is_number and isinstance(pattern, n.TuplePattern):
                # `{n, _} = Integer.parse(s)`
                value = n.Call(n.Member(value, "unwrap", start=value.start, end=value.end), [], start=value.start, end=value.end)
                pattern = pattern.items[0]
            return n.Let(pattern, None, value)
        return super()._statement()

    def _is_matched_value(self) -> bool:
        """True if `{a, b} = value` or `[first | rest] = value` begins here."""
        if not self.is_sign("{", "[") or not self.token.is_first:
            return False
        behind = self.tokens[min(self.behind_brackets.get(self.at, self.at), len(self.tokens) - 1)]
        return behind.text == "=" and behind.kind == OPERATOR and not behind.is_first

    def _is_generator_line(self) -> bool:
        """`for x <- xs, do: …`."""
        return any(token.text == "<-" and token.kind == OPERATOR for token in self.tokens[self.at + 1 : self.at + 12])

    def _generated_list(self) -> n.Expr:
        start = self.expect("for").start
        generators: list[tuple[n.Pattern, n.Expr, n.Expr | None]] = []
        while True:
            pattern = self.pattern()
            self.expect("<-")
            self._no_ternary += 1
            self._plain += 1
            source = self._binary(0)
            condition: n.Expr | None = None
            while self.is_sign(",") and not self._ends_head() and not self._has_generator():
                self.take()
                more = self._binary(0)
                condition = more if condition is None else n.Binary("&&", condition, more)
            self._no_ternary -= 1
            self._plain -= 1
            generators.append((pattern, source, condition))
            if self.is_sign(",") and self._has_generator():
                self.take()
                continue
            break
        gives_map = self.is_sign(",") and self.ahead().text == "into"
        if gives_map:
            for word in (",", "into", ":", "%", "{", "}"):
                self.expect(word)
        value: n.Expr = self._body_of_head()
        for number, (pattern, source, condition) in enumerate(reversed(generators)):
            value = n.Comprehension(value, pattern, source, condition, start=start, end=self.before.end)
            if number:
                value = n.Call(n.Member(value, "flatten"), [], start=start, end=self.before.end)
        return n.Call(n.Member(value, "to_map"), [], start=start, end=self.before.end) if gives_map else value

    def _ends_head(self) -> bool:
        return self.is_sign(",") and self.ahead().text in ("do", "into", "reduce")

    def _has_generator(self) -> bool:
        """True if `pattern <- source` follows the comma."""
        for token in self.tokens[self.at + 1 : self.at + 14]:
            if token.text == "<-":
                return True
            if token.text in ("do", ","):
                return token.text == "," and self.ahead().text == "{"
        return False

    def _body_of_head(self) -> n.Expr:
        """`, do: value`, or `do … end`."""
        if self.skip(","):
            self.expect("do")
            self.expect(":")
            return self.expression()
        block = self.worded_block()
        self.expect("end")
        only = block.statements[0] if len(block.statements) == 1 else None
        return only.value if isinstance(only, n.Evaluate) else block

    def _if(self) -> n.Expr:
        """`if c, do: a, else: b`."""
        if not self.speaks_elixir or not has_short_branches(self.tokens, self.at):
            return super()._if()
        word = self.take()
        in_brackets = holds_branches(self.tokens, self.at) and self.skip("(")
        condition = self._binary(0) if in_brackets else self.condition()
        if word.text == "unless":
            condition = n.Unary("!", condition, start=condition.start, end=condition.end)
        self.expect(",")
        self.expect("do")
        self.expect(":")
        then = _block(self._branch_value())
        otherwise: n.Block | None = None
        if self.is_sign(",") and self.ahead().text == "else":
            self.take()
            self.take()
            self.expect(":")
            otherwise = _block(self._branch_value())
        if in_brackets:
            self.expect(")")
        return n.If(condition, then, otherwise, start=word.start, end=self.before.end)

    def _branch_value(self) -> n.Expr:
        self._plain, plain = 0, self._plain
        value = self.expression()
        self._plain = plain
        return value

    def _with_steps(self) -> n.Expr:
        """`with {:ok, a} <- f(), b = g(a) do … else … end`: matches in each other."""
        start = self.expect("with").start
        steps: list[tuple[n.Pattern, n.Expr, bool]] = []
        while True:
            pattern = self.pattern()
            is_match = self.expect("<-", "=").text == "<-"
            self._plain += 1
            steps.append((pattern, self._binary(0), is_match))
            self._plain -= 1
            if not (self.is_sign(",") and self.ahead().text != "do"):
                break
            self.take()
        others: list[n.Arm] = []
        if self.is_sign(","):
            body = self._body_of_head()
        else:
            block = self.worded_block()
            body = block
            if self.skip("else"):
                while not self.is_word("end"):
                    others += self._arm_rows()
            self.expect("end")
        end = self.before.end
        for pattern, value, is_match in reversed(steps):
            if not is_match:
                let = n.Let(pattern, None, value, start=pattern.start, end=value.end)
                body = n.Block([let, n.Evaluate(body, start=body.start, end=body.end)], start=start, end=end)
                continue
            pattern = _whole_number(pattern) if _parses(value) else pattern
            arms = [n.Arm(pattern, None, body, start=pattern.start, end=end)]
            arms += deepcopy(others) if others else self._passed_on(pattern)
            body = n.Match(value, arms, start=start, end=end)
        return body

    def _passed_on(self, pattern: n.Pattern) -> list[n.Arm]:
        """Arm that passes an `Err` on; only for a pattern `Ok`, other patterns need an `else`."""
        if not (isinstance(pattern, n.VariantPattern) and pattern.name == "Ok"):
            raise self.unknown("`else` is expected")
        at = pattern.start
        reason = n.Name("reason", start=at, end=at)
        failed = n.Call(n.Name("Err", start=at, end=at), [n.Argument(reason)], start=at, end=at)
        err = n.VariantPattern("", "Err", [n.Binding("reason", start=at, end=at)], start=at, end=at)
        return [n.Arm(err, None, failed, start=at, end=at)]

    # ---- calls ----

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        translated = of_elixir(call) if self.speaks_elixir and not self._is_piped(call) else call
        return translated if translated is not call else super()._ordered(call, is_curried)

    def _is_piped(self, call: n.Call) -> bool:
        """True if a call stands behind a pipe, so that its first argument is still missing."""
        member = call.function
        start = member.object.start if isinstance(member, n.Member) else member.start
        return self.text[max(0, start - _WIDEST_GAP) : start].rstrip().endswith("|>")

    def _joined(self, sign: str, left: n.Expr, level: int) -> n.Expr:
        outer = left if sign == "list_less" and isinstance(left, n.Binary) and left.operator == "++" else None
        if outer is not None and self.text[outer.start : outer.start + 1] != "(":
            # Both group to the right.
            outer.right = super()._joined(sign, outer.right, level)
            return outer
        joined = super()._joined(sign, left, level)
        if not self.speaks_elixir or not isinstance(joined, n.Piped) or not isinstance(joined.function, n.Call):
            return joined
        piped = joined.function
        whole = n.Call(piped.function, [n.Argument(left), *piped.arguments], start=left.start, end=self.before.end)
        translated = of_elixir(whole)
        return joined if translated is whole else translated

    def _match(self) -> n.Expr:
        """`case Integer.parse(s) do {n, ""} -> …`: a number alone is one that is parsed whole."""
        matching = super()._match()
        if not self.speaks_elixir or not isinstance(matching, n.Match) or not _parses(matching.value):
            return matching
        for arm in matching.arms:
            arm.pattern = _whole_number(arm.pattern)
        return matching


def _parses(value: n.Expr) -> bool:
    return isinstance(value, n.Call) and isinstance(value.function, n.Member) and value.function.name in ("to_int", "to_float")


def _whole_number(pattern: n.Pattern) -> n.Pattern:
    """`{n, ""}`, as `Integer.parse` gives a number behind which nothing stands."""
    rest = pattern.items[1] if isinstance(pattern, n.TuplePattern) and len(pattern.items) == 2 else None
    is_whole = isinstance(rest, n.LiteralPattern) and isinstance(rest.value, n.Literal) and rest.value.text == '""'
    if not is_whole or not isinstance(pattern, n.TuplePattern):
        return pattern
    return n.VariantPattern("", "Some", pattern.items[:1], start=pattern.start, end=pattern.end)
