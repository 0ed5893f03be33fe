"""Forms of Perl: words that compare texts, entries in braces, signs before names, blocks before lists, `next` and `last`.

Most of them are rewritten as tokens that other languages have; programs need not write all of them.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, STRING
from analysis.fixes.dialect.reading.grammar_scripts import ScriptForms
from analysis.fixes.dialect.reading.perl_tokens import with_perl
from analysis.fixes.dialect.reading.scanner import Token
from analysis.fixes.dialect.tree import nodes as n

_METHODS: Final = {
    "map": "map", "grep": "filter", "first": "find", "any": "any", "all": "all", "none": "none", "sort": "sort",
    "sum": "sum", "max": "max_of", "min": "min_of",
}  # fmt: skip
_NO_LIST: Final = frozenset(("if", "unless", "in", "is", "and", "or", "else", "for", "while", "match", "as"))
_SPLITTING: Final = ("split", "string_split", "str_split", "split_string")
_LONGEST_SEPARATOR: Final = 5
"""Characters of what separates texts, with its quotes."""
_JOINED: Final = re.compile(r"/((?:[^\\/\[\](){}.*+?^$|]|\\[|.*+?])+)/")
"""A pattern that stands for a text only."""


class PerlForms(ScriptForms):
    """Reads them in programs of every habit."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tokens = with_perl(self.tokens, text)

    def _primary(self) -> n.Expr:
        if self.token.kind == NAME and self.token.text in _METHODS and self.ahead().text == "{" and self._is_before_list():
            return self._by_block()
        return super()._primary()

    def _is_before_list(self) -> bool:
        """`map { … } xs`: whether a value stands behind the braces, on their line."""
        if self.ahead().kind == STRING or self.token.text in self.names_of_functions or self.before.text in (".", "?."):
            return False
        behind = self.tokens[self.behind_brackets.get(self.at + 1, len(self.tokens) - 1)]
        if behind.is_first or not behind.spaced:
            return False
        return _begins_value(behind) and behind.text not in _NO_LIST

    def _by_block(self) -> n.Expr:
        """`sort { a <=> b } xs`, `map { it * 2 } xs`, `grep { … } xs`."""
        start, word = self.token.start, self.take().text
        at, self._plain, plain = self.token.start, 0, self._plain
        body = self.block()
        self._plain = plain
        self.skip(",")
        names = ("a", "b") if word == "sort" else ("it",)
        parameters: list[n.Pattern] = [n.Binding(name, start=at, end=at) for name in names]
        closure = n.Lambda(parameters, _only(body), start=at, end=body.end)
        owner = self._binary(7)
        end = self.before.end
        call = n.Call(n.Member(owner, _METHODS[word], start=start, end=end), [n.Argument(closure)], start=start, end=end)
        return self._ordered(call)

    def _ordered(self, call: n.Call, is_curried: bool = False) -> n.Expr:
        """`split(/,/, s)`, `split(",", s)`: what separates stands first, and is no text that anybody would split."""
        values = [each.value for each in call.arguments]
        if len(values) != 2 or not self._is_split(call.function):
            return super()._ordered(call, is_curried)
        first, other = values
        written = self.text[first.start : first.end] if isinstance(first, n.Literal) and first.kind == "string" else ""
        if (plain := _JOINED.fullmatch(written)) is not None:
            text = plain[1].replace("\\", "").replace('"', '\\"')
            first = n.Literal("string", f'"{text}"', start=first.start, end=first.end)
        elif not written or (written[0] != "/" and not _separates(written, other)):
            return super()._ordered(call, is_curried)
        member = n.Member(values[1], "split", start=call.start, end=call.end)
        return super()._ordered(n.Call(member, [n.Argument(first)], start=call.start, end=call.end), is_curried)

    def _is_split(self, function: n.Expr) -> bool:
        if isinstance(function, n.Member) and isinstance(function.object, n.Name):
            return function.name == "split" and function.object.name in ("String", "string", "Str", "str")
        return isinstance(function, n.Name) and function.name in _SPLITTING and function.name not in self.names_of_functions


def _separates(written: str, other: n.Expr) -> bool:
    """True if a literal is what separates the parts of the other value."""
    if len(written) > _LONGEST_SEPARATOR:
        return False
    return not isinstance(other, n.Literal) or len(other.text) > _LONGEST_SEPARATOR


def _begins_value(token: Token) -> bool:
    return token.kind in (NAME, INT, FLOAT, STRING) or token.text in ("(", "[")


def _only(body: n.Block) -> n.Expr:
    """The value of a block of one statement."""
    only = body.statements[0] if len(body.statements) == 1 else None
    return only.value if isinstance(only, n.Evaluate) else body
