"""Matches of all dialects: arms in braces or by layout, guards, several conditions."""

from __future__ import annotations

from abc import abstractmethod

from analysis.fixes.dialect.reading.arm_forms import behind_prefix, option_pattern, tried_number
from analysis.fixes.dialect.reading.grammar_base import END, NAME, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_layout import Layouts
from analysis.fixes.dialect.tree import nodes as n


class Arms(Layouts):
    """`_arm_column` is the column of the arms at hand that no braces hold; -1 in braces."""

    _arm_column = -1

    @abstractmethod
    def begins_update(self) -> bool: ...

    @abstractmethod
    def indented_case(self) -> n.Block: ...

    @abstractmethod
    def worded_block(self) -> n.Block: ...

    def is_matched_tuple(self) -> bool:
        """True if the brace behind `match` holds the values, and the arms stand behind it."""
        behind = self.tokens[self.behind_brackets.get(self.at, len(self.tokens) - 1)]
        return behind.text in ("{", "do", "with", "of") and behind.kind != STRING and not behind.is_first

    def _match(self) -> n.Expr:
        word = self.take()
        if (self.is_sign("{") and not self.is_matched_tuple()) or (word.text == "cond" and self.is_word("do")):
            return self._conditions()
        value = self.condition()
        if self.is_sign(","):
            # `match a, b with`: the patterns have commas, too.
            values = [value]
            while self.skip(","):
                values.append(self.condition())
            value = n.TupleOf(values, start=value.start, end=self.before.end)
        return self.arms(value, word.start)

    def arms(self, value: n.Expr, start: int) -> n.Expr:
        """The arms of a match whose value stands before them."""
        self.skip("of", "with", "in", "do")
        match = n.Match(value, [], start=start)
        tried = tried_number(value)
        is_pair = isinstance(value, n.TupleOf) and self.text[value.start] != "("
        outer, self._is_pair = self._is_pair, is_pair or tried is not None
        try:
            matching = self._with_arms(match)
        finally:
            self._is_pair = outer
        if tried is not None:
            match.value = tried
            for arm in match.arms:
                arm.pattern = option_pattern(arm.pattern)
        return matching

    def _with_arms(self, match: n.Match) -> n.Expr:
        if self.uses_end and (not self.is_sign("{") or self.before.text == "do"):
            while not self.skip("end"):
                match.arms += self._arm_rows()
            match.end = self.before.end
            return match
        if self.is_sign("{"):
            self.take()
            self._plain, plain = 0, self._plain
            column, self._arm_column = self._arm_column, -1
            while not self.skip("}"):
                match.arms += self._arm_rows()
            self._plain, self._arm_column = plain, column
            self.settle_cases(match)
        else:
            if self.is_sign(":") and self.ahead().text == "case" and self.ahead().is_first:
                # `match value:` of Python.
                self.take()
            column, is_first = self.token.column, True
            self._arm_column, outer = column, self._arm_column
            while (is_first or self._is_next_arm(column)) and not self.is_sign("}", ")", "]", ""):
                match.arms += self._arm_rows()
                is_first = False
            self._arm_column = outer
        match.end = self.before.end
        return match

    def _conditions(self) -> n.Expr:
        """`when { a -> 1, b -> 2, else -> 3 }`: a match without a value is a chain of conditions."""
        closing = "}" if self.expect("{", "do").text == "{" else "end"
        self._plain, plain = 0, self._plain
        rows: list[tuple[n.Expr, n.Expr]] = []
        otherwise: n.Block | None = None
        while not self.skip(closing):
            is_case = self.skip("case") or self.is_word("default")
            is_truth = self.is_word("true", "True") and self.ahead().text in ("->", "=>")
            is_last = is_truth or self.is_word("else", "default", "_", "otherwise")
            if is_last:
                self.take()
            condition = None if is_last else self.condition()
            is_case &= self.expect("->", "=>", ":").text == ":"
            body = self.case_body() if is_case else self._arm_body()
            self.skip(",", ";")
            if condition is None:
                otherwise = _block(body)
            else:
                rows.append((condition, body))
        self._plain = plain
        for condition, body in reversed(rows):
            otherwise = _block(n.If(condition, _block(body), otherwise, start=condition.start, end=body.end))
        return otherwise if otherwise is not None else n.Block([])

    def _arm_rows(self) -> list[n.Arm]:
        """An arm; with guards behind bars (`pattern | a => 1 | otherwise => 2`) one for each."""
        arm = self._arm()
        rows = [arm]
        while arm.guard is not None and self._bar_guards and self.is_sign("|"):
            start = self.take().start
            guard = self._bar_guard()
            self.expect("=>", "->", "=")
            body = self._arm_body()
            rows.append(n.Arm(arm.pattern, guard, body, start=start, end=self.before.end))
            self._skip_between()
            if guard is None:
                break
        self._bar_guards = False
        return rows

    def _arm(self) -> n.Arm:
        start = self.token.start
        self.skip("|")
        is_case = self.skip("case") or self.is_word("default")
        self.skip("when")
        is_else = self.is_word("else", "default")
        if is_else:
            self.take()
            pattern: n.Pattern = n.Wildcard(start=start)
        else:
            pattern = self._comma_arm_pattern()
        guard = None
        if self.is_word("if", "when", "where"):
            self.take()
            guard = self.condition()
            if self.skip("="):
                guard = n.Binary("==", guard, self.condition())
        elif self.is_sign("|"):
            self.take()
            guard = self._bar_guard()
            self._bar_guards = guard is not None
        if (
            self.uses_end
            and (self.is_word("then") or self.token.is_first or is_else)
            and not (self.is_sign("->", "=>", ":") and not self.is_symbol())
        ):
            body: n.Expr = self.worded_block()
            return n.Arm(pattern, guard, body, start=start, end=self.before.end)
        prefix = self._prefix(pattern) if self.is_sign("<>") else None
        if prefix is not None and self.is_word("if", "when"):
            raise self.unknown("an arm without a further condition is expected")
        sign = self.expect("=>", "->", ":").text
        self._no_ternary, ternary = 0, self._no_ternary
        if is_case and sign == "=>" and self.token.is_first and not self.is_sign("{"):
            body = only_value(self.laid_out())
        else:
            is_laid_out = sign == ":" and is_case and self._arm_column >= 0
            body = self.indented_case() if is_laid_out else self.case_body() if sign == ":" and is_case else self._arm_body()
        self._no_ternary = ternary
        self._skip_between()
        if prefix is not None:
            pattern, guard, body = behind_prefix(prefix, pattern, body)
        return n.Arm(pattern, guard, body, start=start, end=self.before.end)

    def _prefix(self, pattern: n.Pattern) -> n.Pattern:
        """`<> rest` behind the text that a pattern begins with."""
        if not isinstance(pattern, n.LiteralPattern):
            raise self.unknown("a text is expected before `<>`")
        self.take()
        return self._one_pattern()

    def _comma_arm_pattern(self) -> n.Pattern:
        """A pattern; `case 1, 2:` is one of two."""
        if self._is_pair:
            return self._pair_pattern()
        pattern = self._arm_pattern()
        options = [pattern]
        while self.is_sign(",") and not isinstance(pattern, n.Binding):
            self.take()
            options.append(self._arm_pattern())
        return pattern if len(options) == 1 else n.OrPattern(options, start=pattern.start, end=self.before.end)

    def _arm_pattern(self) -> n.Pattern:
        if self.is_sign("<", "<=", ">", ">=") or self.is_word("in"):
            return self._comparing_pattern()
        if self.is_word("is") and self.ahead().kind == NAME and self.ahead().text[0].isupper():
            # `is Circle -> …` of Kotlin: a variant.
            self.take()
        return self.pattern()

    def _arm_body(self) -> n.Expr:
        start = self.token.start
        if self.is_sign("{"):
            return self.expression()
        if self.token.is_first and self.token.column > self._arm_column >= 0:
            return only_value(self.laid_out())
        statements = [self.statement()]
        while self._goes_on_in_arm():
            self.take()
            statements.append(self.statement())
        while self.token.is_first and not self.is_sign("}", ")") and self._goes_on_with_statements(statements):
            statements.append(self.statement())
        only = statements[0]
        if len(statements) == 1 and isinstance(only, n.Evaluate):
            return only.value
        return n.Block(statements, start=start, end=self.before.end)

    def _goes_on_in_arm(self) -> bool:
        """`A -> f x; g y`: a sequence in an arm without braces."""
        if self._arm_column < 0 or not self.is_sign(";"):
            return False
        follows = self.ahead()
        return follows.kind != END and follows.text not in ("|", "}", ")", "]", "end", "done") and not follows.is_first

    def _skip_between(self) -> None:
        """Commas between arms; behind the last one without braces a comma is none of its match."""
        while self.is_sign(",", ";"):
            follows = self.ahead()
            is_next = follows.text == "|" or (follows.is_first and follows.column == self._arm_column)
            if self._arm_column >= 0 and not is_next:
                return
            self.take()

    def _goes_on_with_statements(self, before: list[n.Statement]) -> bool:
        """True if statements without braces go on: after a declaration or an assignment, up to the first value."""
        if self.before.text in (",", ";") and isinstance(before[-1], n.Evaluate):
            return False
        return isinstance(before[-1], n.Let) and not self.is_word("case", "default")

    def settle_cases(self, match: n.Match) -> None:
        """Cases without a body of their own, as those of C that share one with the next."""

    @abstractmethod
    def case_body(self) -> n.Expr: ...


def only_value(block: n.Block) -> n.Expr:
    """The value of a block that holds nothing else, or the block."""
    only = block.statements[0]
    return only.value if len(block.statements) == 1 and isinstance(only, n.Evaluate) else block
