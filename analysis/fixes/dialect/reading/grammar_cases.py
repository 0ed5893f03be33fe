"""Cases of a `switch` with statements behind a colon, as in C, Go and Swift."""

from __future__ import annotations

from copy import deepcopy
from itertools import pairwise

from analysis.fixes.dialect.libraries.number_limits import ORDERS
from analysis.fixes.dialect.reading.grammar_elixir import ElixirForms
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import children, walk

_MOST_COPIED = 500
"""Nodes of the cases of one `switch` that are repeated in the cases before them."""


class Cases(ElixirForms):
    """`case_body` reads the statements up to the next case."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._ended: set[int] = set()
        """Where the bodies of cases begin that end with `break`."""

    def _statement(self) -> n.Statement:
        is_switch = self.is_word("switch") or (self.is_word("match") and self.habit == "python")
        statement = super()._statement()
        if is_switch and isinstance(statement, n.Evaluate) and isinstance(statement.value, n.Match):
            _with_rest(statement.value)
        return statement

    def _named_pattern(self, is_variant: bool) -> n.Pattern:
        order = self._ordering() if self.is_word("Ordering", "cmp") else None
        return order or super()._named_pattern(is_variant)

    def _ordering(self) -> n.Pattern | None:
        """`Ordering::Less`."""
        steps = 4 if self.ahead(2).text == "Ordering" else 2
        text = ORDERS.get(self.ahead(steps).text)
        if text is None or self.ahead().text not in ("::", "."):
            return None
        self.at += steps + 1
        return n.LiteralPattern(n.Literal("int", text, start=self.before.start, end=self.before.end))

    def indented_case(self) -> n.Block:
        """The body of a case of Python: the rest of the line, or the lines below that are indented deeper."""
        start, column = self.token.start, self._arm_column
        self._plain, plain = 0, self._plain
        statements: list[n.Statement] = []
        is_on_line = not self.token.is_first
        while self.token.kind != "end" and (is_on_line or (self.token.is_first and self.token.column > column)):
            is_on_line = False
            if not self.skip("pass", ";"):
                statements += [self.statement(), *self.taken_pending()]
        self._plain = plain
        return n.Block(statements, start=start, end=self.before.end)

    def case_body(self) -> n.Expr:
        start = self.token.start
        self._plain, plain = 0, self._plain
        if self.is_sign("{"):
            block = self.block()
            statements = list(block.statements)
            self.skip(";")
        else:
            statements = []
        while not self.is_word("case", "default") and not self.is_sign("}"):
            if not self.skip(";"):
                self._separated(statements)
                statements.append(self.statement())
        self._plain = plain
        is_ended = bool(statements) and _leaves(statements[-1], "break")
        if is_ended:
            statements.pop()
            self._ended.add(start)
        if any(_breaks(each) for each in statements):
            raise self.unknown("a case that ends with its last statement")
        if _leaves(statements[-1] if statements else None, "fallthrough"):
            raise self.unknown("a case of its own")
        only = statements[0] if len(statements) == 1 else None
        if isinstance(only, n.Evaluate) and not is_ended:
            return only.value
        # A case that ends with `break` is one of statements: it has no value.
        return n.Block(statements, start=start, end=self.before.end)

    def _fall_through(self, match: n.Match) -> None:
        """`case 1: f(); case 2: g(); break;`: without a `break` a case goes on with the next one, as in C and its kin.

        Elsewhere no case needs a `break`, and few languages need parentheses around what is switched over.
        """
        begins = self.text[match.start : match.start + len("switch (")].replace(" ", "").startswith("switch(")
        if not begins or not any(body.start in self._ended and body.statements for body in map(_body, match.arms)):
            return
        copied = 0
        for arm, following in reversed(list(pairwise(match.arms))):
            body, rest = _body(arm), _body(following)
            if body.start not in self._ended and body.statements and _goes_on(body.statements[-1]):
                # Of many cases each one would hold all that follow.
                copied += sum(1 for _ in walk(rest))
                if copied > _MOST_COPIED:
                    raise self.unknown("a case that ends with `break`")
                arm.body = n.Block([*body.statements, *deepcopy(rest.statements)], start=body.start, end=body.end)

    def settle_cases(self, match: n.Match) -> None:
        """`case 1: case 2: …`: an empty case shares the body of the next one; in Go it does nothing."""
        super().settle_cases(match)
        if self.empty_cases_end:
            return
        self._fall_through(match)
        arms: list[n.Arm] = []
        waiting: list[n.Pattern] = []
        for place, arm in enumerate(match.arms):
            is_empty = isinstance(arm.body, n.Block) and not arm.body.statements and self.text[arm.end - 1] == ":"
            if is_empty and arm.guard is None and place < len(match.arms) - 1:
                waiting.append(arm.pattern)
                continue
            if waiting:
                arm.pattern = n.OrPattern([*waiting, arm.pattern], start=arm.start, end=arm.pattern.end)
                if any(isinstance(each, n.Wildcard) for each in arm.pattern.options):
                    arm.pattern = n.Wildcard(start=arm.start, end=arm.start)
                waiting = []
            arms.append(arm)
        match.arms = arms

    @property
    def empty_cases_end(self) -> bool:
        """True if a case without statements does nothing."""
        return False


def _with_rest(match: n.Match) -> None:
    """Adds that nothing happens for the texts and numbers that no case names, where the cases are statements."""
    options = [
        option
        for arm in match.arms
        for option in (arm.pattern.options if isinstance(arm.pattern, n.OrPattern) else [arm.pattern])
    ]
    has_values = any(not isinstance(arm.body, (n.Block, n.Jump, n.If)) for arm in match.arms)
    if has_values and not any(isinstance(arm.body, n.Block) for arm in match.arms):
        return
    if options and all(isinstance(option, (n.LiteralPattern, n.RangePattern)) for option in options):
        nothing = n.Block([], start=match.end, end=match.end)
        match.arms.append(n.Arm(n.Wildcard(start=match.end, end=match.end), None, nothing, start=match.end, end=match.end))


def _body(arm: n.Arm) -> n.Block:
    """The body of a case as a block, whose end is what the case does last."""
    body = arm.body
    return body if isinstance(body, n.Block) else n.Block([n.Evaluate(body)], start=body.start, end=body.end)


def _goes_on(statement: n.Statement) -> bool:
    """True if what stands behind a statement may be reached."""
    value = statement.value if isinstance(statement, n.Evaluate) else None
    if isinstance(value, n.If):
        branches = [value.then, value.otherwise]
        return any(not isinstance(each, n.Block) or not each.statements or _goes_on(each.statements[-1]) for each in branches)
    return not isinstance(value, n.Jump)


def _leaves(statement: n.Statement | None, kind: str) -> bool:
    value = statement.value if isinstance(statement, n.Evaluate) else None
    if isinstance(value, n.Name):
        return value.name == kind
    return isinstance(value, n.Jump) and value.kind == kind and value.value is None


def _breaks(statement: n.Statement) -> bool:
    """True if a `break` in a statement leaves the switch, not a loop inside of it."""
    waiting: list[n.Node] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, n.Jump) and node.kind == "break" and node.value is None:
            return True
        if not isinstance(node, (n.While, n.For, n.CountingFor, n.Lambda, n.Local)):
            waiting += children(node)
    return False


__all__ = ["Cases"]
