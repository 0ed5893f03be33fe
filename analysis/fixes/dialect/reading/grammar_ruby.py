"""Forms of Ruby: functions whose names end with a mark (`even?`, `save!`), symbols as patterns, `Map.new` without parentheses."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME, OPERATOR
from analysis.fixes.dialect.reading.grammar_perl import PerlForms
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n

_DEFINING: Final = ("fn", "def", "fun", "func", "function")
_COLLECTIONS: Final = frozenset(
    "Map Hash HashMap Dict Dictionary TreeMap LinkedHashMap BTreeMap List Array ArrayList Vec Vector "
    "Set HashSet String Queue Stack".split()
)
_LONGEST: Final = 20
"""Tokens of the size of an array."""
_MAKING_MORE: Final = ("(", "{", "<", "[", "::", "do", ".")
"""What stands behind `Array.new` where it is given something."""


class RubyForms(PerlForms):
    """Reads them in programs of every habit."""

    def settle_tokens(self) -> None:
        """Takes `even?` for `even` where the program defines a function of that name with the mark, and none without it."""
        marked: set[tuple[str, str]] = set()
        plain: set[str] = set()
        for word, name, mark in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if word.text in _DEFINING and word.kind == NAME and name.kind == NAME:
                is_marked = mark.kind == OPERATOR and mark.text in ("?", "!") and mark.start == name.end
                (marked.add((name.text, mark.text)) if is_marked else plain.add(name.text))
        names = [name for name, _ in marked]
        marked = {each for each in marked if each[0] not in plain and names.count(each[0]) == 1}
        if marked:
            self.tokens = _without_marks(self.tokens, marked)

    def filled_entry(self, place: n.Expr) -> n.Expr:
        """`(groups[key] ||= []) << item`: the entry, which gets a value where it is missing; any other value as it is."""
        if not isinstance(place, n.Index) or not self.is_sign("||=", "??="):
            return place
        self.take()
        first = self.expression()
        setdefault = n.Member(place.object, "setdefault", start=place.start, end=place.end)
        return n.Call(setdefault, [n.Argument(place.index), n.Argument(first)], start=place.start, end=self.before.end)

    def _member(self, expression: n.Expr) -> n.Expr:
        """`Map.new`: a call without parentheses."""
        member = super()._member(expression)
        owner = member.object if isinstance(member, n.Member) and member.name == "new" else None
        if not isinstance(owner, n.Name) or owner.name not in _COLLECTIONS or owner.name in self.own_types:
            return member
        if self.token.text in _MAKING_MORE and not self.token.is_first:
            return member
        return self._ordered(n.Call(member, [], start=owner.start, end=self.before.end))

    def _is_closure_brace(self) -> bool:
        """Also any brace behind `Array.new(n)`."""
        if super()._is_closure_brace():
            return True
        opening = next((at for at in range(self.at - 1, max(self.at - _LONGEST, 2), -1) if self.tokens[at].text == "("), 0)
        while opening and self.behind_brackets.get(opening) != self.at:
            opening = next((at for at in range(opening - 1, max(self.at - _LONGEST, 2), -1) if self.tokens[at].text == "("), 0)
        return opening > 2 and [each.text for each in self.tokens[opening - 3 : opening]] == ["Array", ".", "new"]

    def settle_cases(self, match: n.Match) -> None:
        """A match on symbols alone has no other values: Ruby fails there, too."""
        patterns = [arm.pattern for arm in match.arms]
        is_symbol = all(isinstance(each, n.LiteralPattern) and self.text[each.start : each.start + 1] == ":" for each in patterns)
        if not is_symbol or any(arm.guard is not None for arm in match.arms) or not patterns:
            return
        end = match.arms[-1].end
        reason = n.Argument(n.Literal("string", '"no arm fits"', start=end, end=end))
        stop = n.Call(n.Name("panic", start=end, end=end), [reason], start=end, end=end)
        match.arms.append(n.Arm(n.Wildcard(start=end, end=end), None, stop, start=end, end=end))

    def _one_pattern(self) -> n.Pattern:
        """`:short => …`."""
        token, follows = self.token, self.ahead()
        if not (self.is_sign(":") and follows.kind == NAME and follows.start == token.end):
            return super()._one_pattern()
        self.take()
        end = self.take().end
        text = n.Literal("string", f'"{follows.text}"', start=token.start, end=end)
        return n.LiteralPattern(text, start=token.start, end=end)


def _without_marks(tokens: list[Token], marked: set[tuple[str, str]]) -> list[Token]:
    kept: list[Token] = []
    for token in tokens:
        last = kept[-1] if kept else None
        touches = last is not None and last.kind == NAME and last.end == token.start
        if touches and last is not None and token.kind == OPERATOR and (last.text, token.text) in marked:
            continue
        kept.append(token)
    return kept
